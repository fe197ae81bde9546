"""Tools under the names and with the fields that other search servers for Roam and Obsidian use.

Whoever used one of those can point the same client here. Answers come from Lamplight's own index; rows carry the
fields that those clients read and no others.
"""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from engine.errors import UserError
from engine.frontends import mcp_shapes as s
from engine.frontends.mcp_desk import Answer, Desk, Tool, cut, fenced, size, trimmed, within
from engine.frontends.mcp_search import fresh_search
from engine.frontends.shapes import moment
from engine.job import Job
from engine.model import Hit, PassageKind, SearchAge, SearchRequest, SourceKind, SourceStatus

SCHEMA_VERSION = 2
"""Of the answers' shape, not of an index file."""

GraphName = Annotated[str, Meta(min_length=1, description="Name of the source, from list_indexes.")]


class GraphInput(s.Input):
    graph: GraphName


class SemanticInput(s.Input):
    graph: GraphName
    query: s.Query
    k: Annotated[int, Meta(ge=1, le=100, description="Blocks to return.")] = 10


class IndexEntry(msgspec.Struct):
    nickname: str
    name: str
    graph_type: str
    indexed: bool
    db_path: str


class IndexList(msgspec.Struct):
    result: list[IndexEntry]


class SemanticHit(msgspec.Struct):
    uid: str
    score: float
    vector_rank: int | None
    keyword_rank: int | None
    page_title: str
    breadcrumb: str
    text: str
    is_page: bool


class IndexInfo(msgspec.Struct):
    graph_name: str
    embed_model: str
    dimension: int
    built_at: str | None
    record_count: int
    refreshed_at: str | None
    schema_version: int


class RefreshInfo(msgspec.Struct):
    outcome: Literal["fresh", "refreshed", "refresh-failed", "disabled", "window-closed"]
    age_seconds: float | None
    threshold_seconds: int
    error: str | None


class SemanticOutput(msgspec.Struct):
    hits: list[SemanticHit]
    index: IndexInfo
    refresh: RefreshInfo
    untrusted: str = s.UNTRUSTED


class RefreshCounts(msgspec.Struct):
    embedded_count: int
    deleted_count: int
    unchanged_count: int
    record_count: int


def list_indexes(desk: Desk, given: s.Nothing, job: Job) -> Answer:
    entries = [
        IndexEntry(
            nickname=status.source.name,
            name=status.source.location if status.source.kind.is_roam else status.source.name,
            graph_type="offline" if status.source.kind in (SourceKind.OBSIDIAN, SourceKind.ROAM_EXPORT) else "hosted",
            indexed=status.state != "new",
            db_path=str(desk.library.home.index_file(status.source.id)),
        )
        for status in desk.library.sources()
    ]
    lines = [f"{entry.nickname}: {'indexed' if entry.indexed else 'not indexed'}" for entry in entries]
    return Answer(IndexList(entries), "\n".join(lines) or "No source is registered yet.")


def semantic_search(desk: Desk, given: SemanticInput, job: Job) -> Answer:
    source = desk.source(given.graph)
    name = source.name
    result = fresh_search(desk, [source], SearchRequest(given.query, (name,), given.k), "auto", job)
    if not result.ages:
        raise UserError(" ".join(result.notices))
    hits = sorted((hit for row in result.rows for hit in row.hits), key=lambda hit: -hit.score)[: given.k]
    status = desk.library.status(name)
    output = SemanticOutput([], _index_info(status), _refresh_info(status, result.ages[0]))
    output.hits = within([_semantic_hit(hit) for hit in hits], desk.budget - size(output), _shortened)
    lines = [f"{hit.score:.4f} {hit.breadcrumb} (({hit.uid})) {' '.join(hit.text.split())}" for hit in output.hits]
    return Answer(output, fenced("\n".join(lines)) if lines else "Nothing found.")


def _semantic_hit(hit: Hit) -> SemanticHit:
    ranks = {leg.name: leg.rank for leg in hit.legs}
    return SemanticHit(
        # Notes that are files have no uid; their path and first line name the passage as surely.
        uid=hit.anchor.uid or f"{hit.anchor.note}:{hit.anchor.first_line}",
        score=round(hit.score, 6),
        vector_rank=ranks.get("meaning"),
        keyword_rank=ranks.get("word"),
        page_title=hit.title,
        breadcrumb=" › ".join(hit.breadcrumb),
        text=hit.text,
        is_page=hit.kind is PassageKind.PAGE,
    )


def _shortened(hit: SemanticHit, budget: int) -> SemanticHit:
    hit.text = cut(hit.text, max(200, budget // 8))
    return hit


def refresh_index(desk: Desk, given: GraphInput, job: Job) -> Answer:
    report = desk.library.index(desk.name(given.graph), job)
    output = RefreshCounts(report.embedded, report.removed, report.unchanged, report.passages)
    text = f"{report.outcome.value}: {report.embedded:,} embedded, {report.removed:,} removed. {report.detail}"
    return Answer(output, text.strip())


def index_stats(desk: Desk, given: GraphInput, job: Job) -> Answer:
    info = _index_info(desk.library.status(desk.name(given.graph)))
    return Answer(info, f"{info.graph_name}: {info.record_count:,} records, refreshed {info.refreshed_at}")


def _index_info(status: SourceStatus) -> IndexInfo:
    return IndexInfo(
        graph_name=status.source.name,
        embed_model=status.model,
        dimension=status.dimensions,
        built_at=moment(status.indexed_at),
        record_count=status.passages,
        refreshed_at=moment(status.indexed_at),
        schema_version=SCHEMA_VERSION,
    )


def _refresh_info(status: SourceStatus, age: SearchAge) -> RefreshInfo:
    passed = None if age.indexed_at is None else round(time.time() - age.indexed_at, 3)
    outcome: Any = age.refresh
    return RefreshInfo(outcome, passed, status.source.options.max_age_seconds, age.detail or None)


# --- a vault's Smart Connections index, by the names of its own server ------------------------------------------

Folder = Annotated[str | list[str], Meta(description="Only notes below this folder, or one of these.")]
Limit = Annotated[int, Meta(ge=1, le=100, description="Notes to return.")]
Score = Annotated[float, Meta(ge=-1, le=1, description="Least cosine; below 0.6 is noise, from 0.8 strong.")]


class SmartSearchInput(s.Input, omit_defaults=True):
    query: Annotated[str, Meta(min_length=1, max_length=8192, description="What to look for.")]
    limit: Limit = 10
    min_score: Score = 0.5
    scope: Annotated[Literal["auto", "notes", "blocks"], Meta(description="Which vectors are compared.")] = "auto"
    folder: Folder | None = None
    source: s.SourceName | None = None


class SmartRelatedInput(s.Input, omit_defaults=True):
    path: Annotated[str, Meta(min_length=1, max_length=4096, description="Path of the note inside the vault.")]
    limit: Limit = 10
    min_score: Score = 0.0
    folder: Folder | None = None
    source: s.SourceName | None = None


def _rows(*required: str) -> dict[str, Any]:
    row = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "score": {"type": "number"},
            "matched": {"enum": ["note", "block"]},
            "section": {"type": "string"},
            "lines": {"type": "array", "items": {"type": "integer"}},
            "stale": {"type": "boolean"},
            "pinned": {"type": "boolean"},
            "excerpt": {"type": "string"},
        },
        "required": ["path", "score", "matched"],
    }
    properties = {name: {"type": "string"} for name in (*required, "model", "untrusted")}
    rows = {"results": {"type": "array", "items": row}, "scoped_out": {"type": "object"}}
    return {"type": "object", "properties": properties | rows, "required": [*required, "results"]}


def search_notes(desk: Desk, given: SmartSearchInput, job: Job) -> Answer:
    return _smart(desk, "search_notes", given)


def related_notes(desk: Desk, given: SmartRelatedInput, job: Job) -> Answer:
    return _smart(desk, "related_notes", given)


def index_status(desk: Desk, given: s.SourceInput, job: Job) -> Answer:
    return _smart(desk, "index_status", given)


def _smart(desk: Desk, tool: str, given: Any) -> Answer:
    arguments = {name: value for name, value in msgspec.to_builtins(given).items() if value is not None}
    name = desk.name(arguments.pop("source", None))
    document = {**desk.library.smart_tool(name, tool, arguments), "untrusted": s.UNTRUSTED}
    document = trimmed(document, desk.budget)
    rows = document.get("results")
    if rows is None:
        warnings = "\n".join(document.get("warnings", ()))
        return Answer(document, f"{document['embedded_notes']:,} notes, {document['model']}. {warnings}".strip())
    lines = [f"{row['score']:.4f} {row['path']} {row.get('section', '')} {row.get('excerpt', '')}" for row in rows]
    return Answer(document, fenced("\n".join(lines)) if lines else "Nothing found.")


SMART_TOOLS: tuple[Tool, ...] = (
    Tool(
        "search_notes",
        "Search by the vault's own vectors",
        "The notes nearest to a question by the vectors that Smart Connections made. 'search' also ranks by words and "
        "needs no such index.",
        SmartSearchInput,
        _rows("query"),
        search_notes,
    ),
    Tool(
        "related_notes",
        "Related by the vault's own vectors",
        "The notes nearest to a note by the vectors that Smart Connections made.",
        SmartRelatedInput,
        _rows("path"),
        related_notes,
    ),
    Tool(
        "index_status",
        "State of the vault's own vectors",
        "What the Smart Connections index of a vault holds, how stale it is, and what is wrong with it.",
        s.SourceInput,
        {"type": "object", "properties": {"vault": {"type": "string"}}, "required": ["vault", "model", "warnings"]},
        index_status,
    ),
)

ROAM_TOOLS: tuple[Tool, ...] = (
    Tool(
        "list_indexes",
        "List indexes",
        "Every source by nickname and whether it is indexed. The same sources as list_sources.",
        s.Nothing,
        IndexList,
        list_indexes,
    ),
    Tool(
        "semantic_search",
        "Semantic search",
        "Single blocks or sections of one source, best first, with the rank that each ranking gave them. Refreshes "
        "the index first when it is old. 'search' says more.",
        SemanticInput,
        SemanticOutput,
        semantic_search,
    ),
    Tool(
        "refresh_index",
        "Refresh an index",
        "Bring the index of one source up to date and count what changed.",
        GraphInput,
        RefreshCounts,
        refresh_index,
        is_read_only=False,
    ),
    Tool(
        "index_stats",
        "Index statistics",
        "Model, size and age of one index.",
        GraphInput,
        IndexInfo,
        index_stats,
    ),
)

REFERENCE_TOOLS = (*ROAM_TOOLS, *SMART_TOOLS)
