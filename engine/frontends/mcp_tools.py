"""The tools of the MCP server as plain functions: what they ask of the library and what they answer.

Knows the library's verbs, nothing of the protocol; see ``mcp_desk.py`` for what holds for every answer.
"""

from __future__ import annotations

import msgspec

from engine.errors import BadRequest
from engine.frontends import mcp_shapes as s
from engine.frontends.mcp_desk import Answer, Desk, Tool, cut, fenced, link_of, size, within
from engine.frontends.mcp_search import search
from engine.frontends.shapes import moment
from engine.job import Job
from engine.model import IndexReport, NoteView, SourceStatus

_PROBLEMS = 50


# --- notes -------------------------------------------------------------------------------------------------------


def related(desk: Desk, given: s.RelatedInput, job: Job) -> Answer:
    name = desk.name(given.source)
    found = desk.library.related(name, given.note, folder=given.folder, limit=given.limit)
    rows = [
        s.RelatedRow(
            source=one.row.hits[0].source_name,
            note=one.row.note,
            title=one.row.title,
            score=round(one.row.score, 6),
            is_linked=one.is_linked,
            is_pinned=one.is_pinned,
            breadcrumb=" › ".join(one.row.hits[0].breadcrumb),
            text=one.row.hits[0].snippet,
            link=link_of(one.row.source, one.row.note),
        )
        for one in found
    ]
    output = s.RelatedOutput(given.note, [])
    output.rows = within(rows, desk.budget - size(output), _shortened_related)
    lines = [f"{row.score:.3f} {row.title} ({row.note}){' linked' if row.is_linked else ''}" for row in output.rows]
    return Answer(output, fenced("\n".join(lines)) if lines else "No related notes.")


def _shortened_related(row: s.RelatedRow, budget: int) -> s.RelatedRow:
    row.text = cut(row.text, max(200, budget // 8))
    return row


def get_note(desk: Desk, given: s.NoteInput, job: Job) -> Answer:
    named = given.note or given.path
    if named is None:
        raise BadRequest("get_note takes the path, title or uid of a note.", "Give it as 'note'.")
    name = desk.name(given.source)
    key = desk.library.find_note(name, named.replace("\\", "/") if given.note is None else named)
    output = note_output(desk.library.note(name, key), given.offset, given.max_chars, desk.budget)
    return Answer(output, fenced(output.text))


def note_output(view: NoteView, offset: int, longest: int, budget: int) -> s.NoteOutput:
    """A piece of a note that fits ``budget`` bytes twice: as structure and as text."""
    text = note_text(view)
    output = s.NoteOutput(
        source=view.source.name,
        note=view.key,
        path=view.key,
        title=view.title,
        text="",
        total_chars=len(text),
        truncated=False,
        next_offset=None,
        freshness=view.freshness.value,
        modified=moment(view.modified),
        tags=list(view.tags[:100]),
        aliases=list(view.aliases[:100]),
        link=link_of(view.source.id, view.key),
    )
    piece = text[offset : offset + longest]
    room = (budget - size(output)) // 2
    while size(piece) > room and len(piece) > 200:
        # Escapes and long scripts take more bytes than characters: shrink in proportion until it fits.
        piece = piece[: max(200, int(len(piece) * room / size(piece)) - 1)]
    end = offset + len(piece)
    output.text = piece
    if end < len(text):
        output.truncated, output.next_offset = True, end
    return output


def note_text(view: NoteView) -> str:
    """The file's own text, or the outline of a page with the uid of each block."""
    if view.markdown or not view.outline:
        return view.markdown
    return "\n".join(f"{'  ' * max(0, b.depth - 1)}- {b.text} (({b.uid}))" for b in view.outline)


# --- sources -----------------------------------------------------------------------------------------------------


def list_sources(desk: Desk, given: s.Nothing, job: Job) -> Answer:
    found = [status_shape(one) for one in desk.library.sources()]
    lines = [f"{one.source} ({one.kind}): {one.state}, {one.notes:,} notes" for one in found]
    return Answer(s.SourcesOutput(found), "\n".join(lines) or "No source is registered yet: lamplight add PATH")


def status(desk: Desk, given: s.SourceInput, job: Job) -> Answer:
    name = desk.name(given.source)
    shape = status_shape(desk.library.status(name))
    problems = desk.library.problems(name)
    shown = [
        s.ProblemShape(p.severity.value, p.note, p.line or None, p.code, cut(p.reason, 300))
        for p in problems[:_PROBLEMS]
    ]
    output = s.StatusOutput(shape, shown, len(problems) - len(shown))
    text = (
        f"{shape.source}: {shape.state}, {shape.notes:,} notes, {shape.passages:,} passages, indexed {shape.indexed_at}"
    )
    return Answer(output, f"{text}. {len(problems):,} remarks.")


def status_shape(value: SourceStatus) -> s.StatusShape:
    return s.StatusShape(
        id=value.source.id,
        source=value.source.name,
        kind=value.source.kind.value,
        state=value.state,
        notes=value.notes,
        passages=value.passages,
        vectors=value.vectors,
        skipped=value.skipped,
        failed=value.failed,
        indexed_at=moment(value.indexed_at),
        behind_by=value.behind_by,
        model=value.model,
        encrypted=value.encrypted,
        detail=cut(value.detail, 500),
    )


def refresh(desk: Desk, given: s.RefreshInput, job: Job) -> Answer:
    name = desk.name(given.source)
    report = desk.library.index(name, job, full=given.full)
    return Answer(_report_shape(report, name), f"{name}: {report.outcome.value}. {report.detail}".strip())


def _report_shape(report: IndexReport, name: str) -> s.ReportOutput:
    names = [f.name for f in msgspec.structs.fields(s.ReportOutput) if f.name not in ("source", "outcome", "seconds")]
    values = {field: getattr(report, field) for field in names}
    return s.ReportOutput(source=name, outcome=report.outcome.value, seconds=round(report.seconds, 3), **values)


def why_not_found(desk: Desk, given: s.WhyInput, job: Job) -> Answer:
    found = desk.library.why_not(given.note, given.query, tuple(desk.names(given.source)))
    output = s.WhyOutput(
        note=found.note,
        source=found.source_name,
        is_known=found.is_known,
        state=found.state,
        freshness=found.freshness.value,
        passages=found.passages,
        vectors=found.vectors,
        rank=found.rank or None,
        reasons=[cut(reason, 500) for reason in found.reasons[:50]],
        places=[
            s.PlaceShape(p.name, p.rank or None, round(p.score, 6), p.best_title, round(p.best_score, 6))
            for p in found.places
        ],
        near=list(found.near),
    )
    where = f"It is number {found.rank} of the result." if found.rank else "It is not in the result."
    return Answer(output, "\n".join([where, *output.reasons]))


TOOLS: tuple[Tool, ...] = (
    Tool(
        "list_sources",
        "List sources",
        "The vaults and graphs that can be searched, with how fresh each is. Call this first.",
        s.Nothing,
        s.SourcesOutput,
        list_sources,
    ),
    Tool(
        "search",
        "Search notes",
        "Find passages in the person's notes by meaning and by word. Each row is one note with its best passages, how "
        "old the index is, whether each ranking answered, and what the conditions kept out.",
        s.SearchInput,
        s.SearchOutput,
        search,
    ),
    Tool(
        "related",
        "Related notes",
        "The notes nearest in meaning to a note, over all sources; says which are linked to it already.",
        s.RelatedInput,
        s.RelatedOutput,
        related,
    ),
    Tool(
        "get_note",
        "Read a note",
        "The text of one note: the file as it is now, or the outline of a page with the uid of each block.",
        s.NoteInput,
        s.NoteOutput,
        get_note,
    ),
    Tool(
        "status",
        "State of a source",
        "What is indexed, skipped, failed and stale in one source.",
        s.SourceInput,
        s.StatusOutput,
        status,
    ),
    Tool(
        "refresh",
        "Refresh a source",
        "Bring the index of a source up to date with its notes now. The notes are only read.",
        s.RefreshInput,
        s.ReportOutput,
        refresh,
        is_read_only=False,
    ),
    Tool(
        "why_not_found",
        "Why a note is not found",
        "Follow one note through a search: whether it is known, what leaves it out, and its rank in each ranking.",
        s.WhyInput,
        s.WhyOutput,
        why_not_found,
    ),
)
