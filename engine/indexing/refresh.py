"""Whether a source is brought up to date before it is searched, and what came of it, in the words of the answer."""

from __future__ import annotations

from collections.abc import Callable

from engine.errors import EngineError
from engine.model import IndexReport, Outcome, SearchAge, Source, SourceKind
from engine.sources.roam_refresh import Decision, refresh_decision
from engine.sources.roam_windows import WindowState


def refresh_if_old(
    source: Source,
    indexed_at: float | None,
    now: float,
    *,
    run: Callable[[], IndexReport],
    window: Callable[[], WindowState],
) -> SearchAge:
    """Run when the owner's age limit is passed. A run that fails leaves the old index answering, and the answer says so.

    Only graphs in Roam Desktop have a window to wait for. ``Cancelled`` passes through.
    """
    needs_window = source.kind is SourceKind.ROAM_LOCAL and source.options.require_open_window
    decision = refresh_decision(now, indexed_at, source.options.max_age_seconds, needs_window, window)
    if decision is not Decision.STALE:
        return SearchAge(source.id, source.name, indexed_at, refresh=decision.value)
    try:
        report = run()
    except EngineError as error:
        return SearchAge(source.id, source.name, indexed_at, refresh="refresh-failed", detail=str(error))
    if report.outcome is not Outcome.COMPLETE:
        return SearchAge(source.id, source.name, indexed_at, refresh="refresh-failed", detail=report.detail)
    return SearchAge(source.id, source.name, now, refresh="refreshed")
