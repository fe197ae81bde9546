"""Before a search that must not wait: is a graph fresh, and if not, bring it up to date within a limit.

Owns the order of the decisions and the words of each outcome. A refresh that fails or takes too long costs the search
its limit at most, and not again for a while; the snapshot answers. Never opens a window of Roam unless the owner has
allowed it for that graph.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from engine.backoff import BackOff
from engine.errors import Cancelled, EngineError
from engine.job import Job
from engine.model import IndexReport, Outcome, SearchAge, Source, SourceId, SourceKind
from engine.sources.roam_refresh import Decision, refresh_decision
from engine.sources.roam_windows import WindowState
from engine.store.live import LiveIndex

REFRESHED, FAILED = "refreshed", "refresh-failed"
"""The other outcomes are those of ``Decision``."""
REST = BackOff(60.0, 900.0)
"""After a failure the snapshot answers at once for so long, so that a locked graph delays one search, not each. A run
that succeeds, whoever asked for it, ends the rest."""
_FETCH_SHARE, _WORK_SHARE = 0.75, 0.9
"""Parts of the limit: when the answer must be there, and when reading it must end, so that closing fits in too."""
_LEAST_SECONDS = 0.2
_LIVE = (SourceKind.ROAM_LOCAL, SourceKind.ROAM_CLOUD)

Window = Callable[[Source, float], WindowState]
"""The state of a graph's window, asked within so many seconds without opening one."""
Run = Callable[[Source, Job, float], IndexReport | None]
"""Index a source, waiting so many seconds at most for an answer from outside; None when another run is under way."""


class Refresher:
    """Remembers which refreshes failed lately. One per library; safe from several threads."""

    def __init__(self, window: Window, run: Run, clock: Callable[[], float] = time.time) -> None:
        self._window = window
        self._run = run
        self._clock = clock
        self._failures: dict[SourceId, tuple[int, float, str]] = {}
        """(failures in a row, when the last one was, why)."""

    def refresh(self, indexes: Sequence[LiveIndex], limit: float, job: Job) -> tuple[SearchAge, ...]:
        """Refresh those that are stale, all within ``limit`` seconds. Raises ``Cancelled`` alone."""
        end = time.monotonic() + limit
        return tuple(self._refresh(live, end - time.monotonic(), limit, job) for live in indexes)

    def _refresh(self, live: LiveIndex, left: float, limit: float, job: Job) -> SearchAge:
        source = live.source
        if source.kind not in _LIVE:
            return _age(live)
        started, now = time.monotonic(), self._clock()
        failure = self._recent_failure(live, now)
        is_gated = source.kind is SourceKind.ROAM_LOCAL and source.options.require_open_window
        decision = refresh_decision(
            now,
            live.indexed_at,
            source.options.max_age_seconds,
            is_gated and not failure and left > _LEAST_SECONDS,
            lambda: self._window(source, left * _FETCH_SHARE),
        )
        if decision is not Decision.STALE:
            return _age(live, decision.value, _WHY.get(decision, ""))
        left -= time.monotonic() - started
        why = failure or self._try(source, left, limit, job)
        return _age(live, FAILED if why else REFRESHED, why)

    def _try(self, source: Source, left: float, limit: float, job: Job) -> str:
        """Refresh now. Returns why it failed, or an empty string."""
        if left <= _LEAST_SECONDS:
            return "Other graphs took all of the time there is before a search."
        bounded = _Bounded(job, time.monotonic() + left * _WORK_SHARE)
        try:
            report = self._run(source, bounded, left * _FETCH_SHARE)
            why = _why(report, limit)
        except EngineError as error:
            why = str(error)
        except Cancelled:
            why = _slow(limit)
        job.check()
        if why:
            self._failures[source.id] = (self._failures.get(source.id, (0,))[0] + 1, self._clock(), why)
        else:
            self._failures.pop(source.id, None)
        return why

    def _recent_failure(self, live: LiveIndex, now: float) -> str:
        failures, at, why = self._failures.get(live.source.id, (0, 0.0, ""))
        if failures and (live.indexed_at or 0.0) > at:
            del self._failures[live.source.id]
            return ""
        return why if failures and 0 <= now - at < REST.seconds(failures) else ""


_WHY = {
    Decision.WINDOW_CLOSED: "The graph's window is not open in Roam, and opening it is left to you.",
    Decision.DISABLED: "Refreshing before a search is switched off for this source.",
}


def window_closed(source: Source, state: WindowState) -> IndexReport:
    """The report of a run that was to happen only with the window open, and did not."""
    known = "is not open" if state is WindowState.CLOSED else "may not be open: Roam does not say"
    return IndexReport(source.id, Outcome.WINDOW_CLOSED, detail=f"Skipped: the window of '{source.name}' {known}.")


def _age(live: LiveIndex, refresh: str = "", detail: str = "") -> SearchAge:
    return SearchAge(live.source.id, live.source.name, live.indexed_at, live.behind_by, refresh, detail)


def _why(report: IndexReport | None, limit: float) -> str:
    if report is None:
        return "It is being indexed right now."
    match report.outcome:
        case Outcome.COMPLETE | Outcome.BRAKED:
            return ""
        case Outcome.CANCELLED:
            return _slow(limit)
        case _:
            return report.detail


def _slow(limit: float) -> str:
    return f"It was not done within {limit:g} seconds; what was read is kept, and indexing the source does the rest."


class _Bounded(Job):
    """The part of a job that must end by ``deadline``: from then on every check cancels it, and it alone."""

    def __init__(self, whole: Job, deadline: float) -> None:
        super().__init__()
        self._whole = whole
        self._deadline = deadline

    def check(self) -> None:
        self._whole.check()
        if time.monotonic() >= self._deadline:
            raise Cancelled

    def report(self, stage: str, done: int, total: int = 0, detail: str = "") -> None:
        self._whole.report(stage, done, total, detail)

    @contextmanager
    def interruptible(self, interrupt: Callable[[], None]) -> Iterator[None]:
        self.check()
        with self._whole.interruptible(interrupt):
            yield
