"""The tool ``search`` of the MCP server: sources brought up to date if they are too old, rows within the budget.

Knows the library's verbs, nothing of the protocol.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence

from msgspec import UNSET

from engine.errors import EngineError
from engine.frontends import mcp_shapes as s
from engine.frontends.mcp_desk import Answer, Desk, cut, fenced, link_of, size, within
from engine.frontends.shapes import moment
from engine.job import Job
from engine.model import (
    Hit,
    Mode,
    NoteHits,
    Outcome,
    Scope,
    SearchAge,
    SearchRequest,
    SearchResult,
    Source,
    SourceId,
)
from engine.sources.roam_refresh import Decision, refresh_decision
from engine.sources.roam_windows import WindowState

Refresh = tuple[str, str]
"""What came of bringing a source up to date, and why it failed."""
_STALE: Refresh = (Decision.STALE.value, "")


def search(desk: Desk, given: s.SearchInput, job: Job) -> Answer:
    sources = desk.sources(given.source)
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
    result = fresh_search(desk, sources, request, given.refresh, job)
    output = _search_output(given, result)
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


def fresh_search(desk: Desk, sources: Sequence[Source], request: SearchRequest, policy: str, job: Job) -> SearchResult:
    """The answer from sources that are as fresh as ``policy`` asks for (always, never, or auto: as the owner allows),
    whose ages say what came of it.

    Graphs are brought up to date by the search itself. Nobody may be watching the files of the others now, so those
    are looked through again once they are as old as the owner allows, and the search is made anew; that costs little
    when nothing has changed.
    """
    if policy == "never":
        return desk.library.search(request, job)
    if policy == "always":
        outcomes = {source.id: _index_now(desk, source.id, job) for source in sources}
        return _told(desk.library.search(request, job), outcomes)
    limits = {source.id: source.options.max_age_seconds for source in sources}
    result = desk.library.search(dataclasses.replace(request, refresh=True), job)
    outcomes = {age.source: _judged(age, limits[age.source]) for age in result.ages}
    if stale := [source for source, outcome in outcomes.items() if outcome == _STALE]:
        outcomes |= {source: _index_now(desk, source, job) for source in stale}
        result = desk.library.search(request, job)
    return _told(result, outcomes)


def _judged(age: SearchAge, limit: float) -> Refresh:
    """Whether a source that the search has not looked after is as fresh as its owner allows."""
    if age.refresh:
        return age.refresh, age.detail
    return refresh_decision(time.time(), age.indexed_at, limit, False, lambda: WindowState.UNKNOWN).value, ""


def _index_now(desk: Desk, source: SourceId, job: Job) -> Refresh:
    try:
        report = desk.library.index(source, job)
    except EngineError as error:
        return "refresh-failed", str(error)
    if report.outcome is Outcome.COMPLETE:
        return "refreshed", ""
    return "refresh-failed", report.detail or report.outcome.value


def _told(result: SearchResult, outcomes: Mapping[SourceId, Refresh]) -> SearchResult:
    """The result whose ages say what came of bringing its sources up to date."""
    known = [(age, outcomes[age.source]) for age in result.ages if age.source in outcomes]
    return result.with_ages(dataclasses.replace(age, refresh=what, detail=why) for age, (what, why) in known)


def _shortened_row(row: s.RowShape, budget: int) -> s.RowShape:
    """The best hit alone, its text cut to what is left."""
    best = row.hits[0]
    best.text = cut(best.text, max(200, budget // 8))
    best.breadcrumb = cut(best.breadcrumb, 400)
    row.hits = [best]
    return row


def _search_output(given: s.SearchInput, result: SearchResult) -> s.SearchOutput:
    hidden = result.hidden
    return s.SearchOutput(
        query=given.query,
        rows=[],
        total=result.total,
        next_offset=None,
        nothing_relevant=result.nothing_relevant,
        legs=[s.LegShape(leg.name, leg.state.value, cut(leg.why, 300)) for leg in result.legs],
        sources=[_age(age) for age in result.ages],
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
    anchor, explained = hit.anchor, hit.explanation
    return s.HitShape(
        kind=hit.kind.value,
        uid=anchor.uid or UNSET,
        lines=[anchor.first_line, anchor.last_line] if anchor.first_line else UNSET,
        breadcrumb=" › ".join(hit.breadcrumb),
        text=hit.text if is_full else hit.snippet,
        score=round(hit.score, 6),
        strength=hit.strength.value,
        word_rank=ranks.get("word", UNSET),
        meaning_rank=ranks.get("meaning", UNSET),
        modified=moment(hit.modified) or UNSET,
        freshness=hit.freshness.value,
        tags=list(hit.tags) or UNSET,
        matched=UNSET if explained is None else [f"{word} in {place}" for word, place, _ in explained.matched],
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
