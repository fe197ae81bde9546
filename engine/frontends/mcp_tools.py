"""The tools of the MCP server as plain functions: what they ask of the library and what they answer.

Knows the library's verbs, nothing of the protocol. Answers stay within a budget, and note text is always marked as
what it is: words of the notes, not of this program.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

import msgspec

from engine.errors import BadRequest, EngineError, UnknownNote
from engine.frontends import attach
from engine.frontends import mcp_shapes as s
from engine.frontends.shapes import moment
from engine.job import Job
from engine.model import (
    Hit,
    IndexReport,
    Mode,
    NoteHits,
    NoteKey,
    NoteView,
    Outcome,
    Scope,
    SearchAge,
    SearchRequest,
    SearchResult,
    Source,
    SourceStatus,
)
from engine.paths import Home
from engine.sources.roam_refresh import Decision, refresh_decision
from engine.sources.roam_windows import WindowState

if TYPE_CHECKING:
    from engine.frontends.attach import AnyLibrary

BYTES_PER_TOKEN = 3
"""Careful: English runs to four, other scripts to less."""
DEFAULT_TOKENS = 20_000
_PROBLEMS = 50
_ELLIPSIS = "…"


class Desk:
    """What every tool works with: the library, opened at the first call, and how much an answer may hold."""

    def __init__(self, home: Home, tokens: int = DEFAULT_TOKENS) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._library: AnyLibrary | None = None
        self.budget = tokens * BYTES_PER_TOKEN
        """Bytes of one answer, structure and text together."""

    @property
    def library(self) -> AnyLibrary:
        with self._lock:
            if self._library is None:
                self._library = attach.open_library(self._home)
            return self._library

    def close(self) -> None:
        with self._lock:
            if self._library is not None:
                self._library.close()
                self._library = None

    def sources(self, given: str | Sequence[str] | None) -> list[Source]:
        """The sources that a tool is to use. Raises ``BadRequest`` when that is not clear."""
        if isinstance(given, str) and given != "*":
            return [self.library.find(given)]
        if given is not None and given != "*":
            return [self.library.find(name) for name in given]
        known = self.library.registered()
        if not known:
            raise BadRequest("No source is registered yet.", "The person adds one with: lamplight add PATH")
        if given is None and len(known) > 1:
            names = ", ".join(source.name for source in known)
            raise BadRequest(f"Which source? There are {len(known)}: {names}.", 'Name one, or give "*".')
        return known

    def names(self, given: str | Sequence[str] | None) -> list[str]:
        return [source.name for source in self.sources(given)]

    def source(self, given: str | None) -> Source:
        if given == "*":
            raise BadRequest("This tool works on one source.", "Name it.")
        return self.sources(given)[0]

    def name(self, given: str | None) -> str:
        return self.source(given).name


@dataclass(frozen=True, slots=True)
class Answer:
    """``value`` is an instance of the tool's output class; ``text`` says the same in short, for who reads text only."""

    value: Any
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    title: str
    description: str
    takes: type[s.Input]
    gives: Any
    """The class of the answer's value, or a JSON Schema."""
    run: Callable[[Desk, Any, Job], Answer]
    is_read_only: bool = True
    is_open_world: bool = False


def size(value: Any) -> int:
    return len(msgspec.json.encode(value))


def trimmed(document: dict[str, Any], budget: int) -> dict[str, Any]:
    """A document whose longest lists are halved until it fits; ``left_out`` counts what each has lost."""
    lost: dict[str, int] = {}
    while 2 * size(document) > budget:
        lists = {name: value for name, value in document.items() if isinstance(value, list) and len(value) > 1}
        if not lists:
            break
        longest = max(lists, key=lambda name: size(lists[name]))
        kept = len(lists[longest]) // 2
        lost[longest] = lost.get(longest, 0) + len(lists[longest]) - kept
        document = {**document, longest: lists[longest][:kept], "left_out": lost}
    return document


def fenced(text: str) -> str:
    """Note text between marks that it cannot forge."""
    safe = text.replace("<notes", "‹notes").replace("</notes", "‹/notes")
    return f"{s.UNTRUSTED}\n<notes>\n{safe}\n</notes>"


def cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: max(0, longest - 1)] + _ELLIPSIS


def link_of(source_id: str, key: str) -> str:
    """``lamplight://note/<source>/<key>``: names a note for as long as it keeps its path or uid."""
    return f"lamplight://note/{quote(source_id, safe='')}/{quote(key, safe='/')}"


def parse_link(uri: str) -> tuple[str, NoteKey]:
    """(source, key). Raises ``UnknownNote`` for whatever else it is."""
    try:
        scheme, place, path, *_ = urlsplit(uri)
    except ValueError:
        scheme = place = path = ""
    source, _, key = path.lstrip("/").partition("/")
    if scheme != "lamplight" or place != "note" or not source or not key:
        raise UnknownNote(f"'{cut(uri, 200)}' is not the address of a note.", "See the links in search rows.")
    return unquote(source), NoteKey(unquote(key))


# --- search ------------------------------------------------------------------------------------------------------


def search(desk: Desk, given: s.SearchInput, job: Job) -> Answer:
    sources = desk.sources(given.source)
    ages = freshen(desk, sources, given.refresh, job)
    request = SearchRequest(
        text=given.query + in_folders(given.folder),
        sources=tuple(source.name for source in sources),
        # One more than is shown tells whether there is more.
        limit=given.limit + 1,
        offset=given.offset,
        mode=Mode(given.mode),
        scope=Scope(given.scope),
        min_score=given.min_score,
        explain=given.explain,
    )
    result = desk.library.search(request, job)
    output = _search_output(given, result, ages)
    rows = [_row(one, is_full=given.detail == "full") for one in result.rows[: given.limit]]
    output.rows = within(rows, desk.budget - size(output), _shortened_row)
    if len(output.rows) < len(result.rows):
        output.next_offset = given.offset + len(output.rows)
    return Answer(output, _search_text(output))


def in_folders(folders: str | Sequence[str] | None) -> str:
    """The conditions that keep a search below folders, to be added to a query."""
    names = [folders] if isinstance(folders, str) else list(folders or ())
    cleaned = [name.replace("\\", "/").strip("/").replace('"', "") for name in names]
    conditions = [f'folder:"{name}"' for name in cleaned if name]
    return f" ({' OR '.join(conditions)})" if conditions else ""


def freshen(desk: Desk, sources: Sequence[Source], policy: str, job: Job) -> dict[str, SearchAge]:
    """Source name -> what came of bringing it up to date; empty when that was not wanted."""
    if policy == "never":
        return {}
    bring = _index_now if policy == "always" else _freshen
    return {source.name: bring(desk, source, job) for source in sources}


def _freshen(desk: Desk, source: Source, job: Job) -> SearchAge:
    """Graphs have a policy of their own. Nobody may be watching the files of the others now, so they are looked
    through again once they are as old as the owner allows; that costs little when nothing has changed."""
    age = desk.library.freshen(source.name, job)
    if age.refresh:
        return age
    limit = source.options.max_age_seconds
    decision = refresh_decision(time.time(), age.indexed_at, limit, False, lambda: WindowState.UNKNOWN)
    if decision is Decision.STALE:
        return _index_now(desk, source, job, age)
    return dataclasses.replace(age, refresh=decision.value)


def _index_now(desk: Desk, source: Source, job: Job, before: SearchAge | None = None) -> SearchAge:
    age = before or SearchAge(source.id, source.name, desk.library.status(source.name).indexed_at)
    try:
        report = desk.library.index(source.name, job)
    except EngineError as error:
        return dataclasses.replace(age, refresh="refresh-failed", detail=str(error))
    if report.outcome is not Outcome.COMPLETE:
        return dataclasses.replace(age, refresh="refresh-failed", detail=report.detail or report.outcome.value)
    return dataclasses.replace(age, indexed_at=time.time(), refresh="refreshed")


def within(rows: list[Any], budget: int, shorten: Callable[[Any, int], Any]) -> list[Any]:
    """As many rows as fit, the first shortened if it must be. Twice their size, for the text repeats most of them."""
    kept: list[Any] = []
    for row in rows:
        needed = 2 * size(row)
        if needed > budget and not kept:
            return [shorten(row, budget)]
        if needed > budget:
            break
        budget -= needed
        kept.append(row)
    return kept


def _shortened_row(row: s.RowShape, budget: int) -> s.RowShape:
    """The best hit alone, its text cut to what is left."""
    best = row.hits[0]
    best.text = cut(best.text, max(200, budget // 8))
    best.breadcrumb = cut(best.breadcrumb, 400)
    row.hits = [best]
    return row


def _search_output(given: s.SearchInput, result: SearchResult, ages: dict[str, SearchAge]) -> s.SearchOutput:
    hidden = result.hidden
    return s.SearchOutput(
        query=given.query,
        rows=[],
        total=result.total,
        next_offset=None,
        nothing_relevant=result.nothing_relevant,
        legs=[s.LegShape(leg.name, leg.state.value, cut(leg.why, 300)) for leg in result.legs],
        sources=[_age(ages.get(age.source_name, age)) for age in result.ages],
        scoped_out=None
        if hidden is None or not hidden.passages
        else s.ScopedOut(
            hidden.passages,
            s.BestHidden(hidden.best_title, round(hidden.best_score, 6)) if hidden.best_title else None,
            hidden.better_outside,
        ),
        corrected=[s.Correction(typed, searched) for typed, searched in result.corrected],
        notices=[cut(notice, 500) for notice in result.notices],
    )


def _age(age: SearchAge) -> s.AgeShape:
    passed = None if age.indexed_at is None else round(time.time() - age.indexed_at)
    return s.AgeShape(age.source_name, moment(age.indexed_at), passed, age.behind_by, age.refresh, cut(age.detail, 500))


def _row(row: NoteHits, *, is_full: bool) -> s.RowShape:
    return s.RowShape(
        source=row.hits[0].source_name,
        note=row.note,
        title=row.title,
        score=round(row.score, 6),
        link=link_of(row.source, row.note),
        hits=[_hit(hit, is_full=is_full) for hit in row.hits],
    )


def _hit(hit: Hit, *, is_full: bool) -> s.HitShape:
    ranks = {leg.name: leg.rank for leg in hit.legs}
    anchor = hit.anchor
    return s.HitShape(
        kind=hit.kind.value,
        uid=anchor.uid or None,
        lines=[anchor.first_line, anchor.last_line] if anchor.first_line else None,
        breadcrumb=" › ".join(hit.breadcrumb),
        text=hit.text if is_full else hit.snippet,
        score=round(hit.score, 6),
        strength=hit.strength.value,
        word_rank=ranks.get("word"),
        meaning_rank=ranks.get("meaning"),
        modified=moment(hit.modified),
        freshness=hit.freshness.value,
        tags=list(hit.tags),
        matched=None
        if hit.explanation is None
        else [f"{word} in {place}" for word, place, _ in hit.explanation.matched],
    )


def _search_text(output: s.SearchOutput) -> str:
    lines = []
    for number, row in enumerate(output.rows, 1):
        lines.append(f"{number}. [{row.source}] {row.hits[0].breadcrumb} ({row.note})")
        lines += [f"   {_where(hit)}{' '.join(hit.text.split())}" for hit in row.hits]
    head = "Nothing in the notes seems to be about this; the nearest:" if output.nothing_relevant else ""
    failed = [f"The {leg.name} ranking did not answer: {leg.why}" for leg in output.legs if leg.state == "failed"]
    old = [f"'{age.source}' could not be refreshed: {age.detail}" for age in output.sources if age.detail]
    more = [f"More with offset={output.next_offset}."] if output.next_offset is not None else []
    body = fenced("\n".join(lines)) if lines else "Nothing found."
    return "\n".join([*filter(None, [head]), body, *failed, *old, *output.notices, *more])


def _where(hit: s.HitShape) -> str:
    place = f"(({hit.uid})) " if hit.uid else f"lines {hit.lines[0]}-{hit.lines[1]}: " if hit.lines else ""
    return place + ("" if hit.freshness in ("current", "unknown") else f"[{hit.freshness} since it was indexed] ")


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
