"""Tools of the MCP server on the knowledge graph: questions over it and paths through it, each claim with its proof."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from engine.frontends import mcp_shapes as s
from engine.frontends.mcp_desk import Answer, Desk, Tool, cut, fenced, trimmed
from engine.job import Job

EntityName = Annotated[
    str, Meta(min_length=1, max_length=4096, description="Name, alias or id: a note, page, tag, person, place ...")
]


class GraphQueryInput(s.Input):
    question: Annotated[str, Meta(min_length=1, max_length=8192, description="A question about how things connect.")]
    source: s.SourceNames | None = None
    hops: Annotated[int, Meta(ge=1, le=4, description="How far from what the question names.")] = 2


class GraphPathInput(s.Input):
    start: EntityName
    end: EntityName
    source: s.SourceNames | None = None
    max_hops: Annotated[int, Meta(ge=1, le=12)] = 6
    count: Annotated[int, Meta(ge=1, le=10, description="Paths to return, the shortest first.")] = 3
    predicates: Annotated[tuple[str, ...], Meta(description="Only relations of these kinds.")] = ()
    origin: (
        Annotated[Literal["written", "inferred"], Meta(description="Only what the owner wrote, or what a model read.")]
        | None
    ) = None
    daily: Annotated[bool, Meta(description="Let paths pass through daily notes.")] = False


def graph_query(desk: Desk, given: GraphQueryInput, job: Job) -> Answer:
    options = {"question": given.question, "sources": desk.names(given.source), "hops": given.hops}
    document = desk.library.graph_call("ask", options, job)
    document = trimmed({**document, "untrusted": s.UNTRUSTED}, desk.budget)
    shown = document.get("citations") or document.get("evidence") or []
    lines = [str(document.get("answer") or ""), *(_proof(one) for one in shown)]
    head = "" if document.get("sufficient") else f"The notes do not settle this. {document.get('missing') or ''}\n"
    return Answer(document, head + fenced("\n".join(filter(None, lines))))


def graph_path(desk: Desk, given: GraphPathInput, job: Job) -> Answer:
    options = {
        "start": given.start,
        "end": given.end,
        "sources": desk.names(given.source),
        "max_hops": given.max_hops,
        "count": given.count,
        "predicates": list(given.predicates),
        "origin": given.origin,
        "daily": given.daily,
    }
    document = desk.library.graph_call("path", options, job)
    document = trimmed({**document, "untrusted": s.UNTRUSTED}, desk.budget)
    lines = [" → ".join(entity["name"] for entity in path["entities"]) for path in document["paths"]]
    return Answer(document, fenced("\n".join(lines)) if lines else "No path within these limits.")


def _proof(citation: dict[str, Any]) -> str:
    return f"[{citation['number']}] {citation['title']}: {cut(str(citation.get('quote', '')), 400)}"


def _open_object(*required: str) -> dict[str, Any]:
    lists = {name: {"type": "array", "items": {"type": "object"}} for name in required if name.endswith("s")}
    properties = {**lists, "left_out": {"type": "object"}, "untrusted": {"type": "string"}}
    return {"type": "object", "properties": properties, "required": list(required)}


GRAPH_TOOLS: tuple[Tool, ...] = (
    Tool(
        "graph_query",
        "Ask the knowledge graph",
        "Gather what the notes say about a question from their links, attributes and passages: evidence with quotes, "
        "the things and relations it rests on, and whether it is enough. Uses no other language model.",
        GraphQueryInput,
        _open_object("question", "evidence", "entities", "relations"),
        graph_query,
    ),
    Tool(
        "graph_path",
        "Paths between two things",
        "The shortest chains of relations between two things in the notes, each step with its proof.",
        GraphPathInput,
        _open_object("from", "to", "paths"),
        graph_path,
    ),
)
