"""When a graph is refreshed before a search: a pure decision, in a fixed order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum

from engine.sources.roam_windows import WindowState


class Decision(StrEnum):
    FRESH = "fresh"
    STALE = "stale"
    """Refresh now."""
    DISABLED = "disabled"
    WINDOW_CLOSED = "window-closed"


def refresh_decision(
    now: float,
    captured_at: float | str | None,
    max_age: float,
    require_open_window: bool,
    window_state: Callable[[], WindowState],
) -> Decision:
    """Whether to refresh.

    A negative ``max_age`` switches refreshing off; then age decides, where an unknown age is stale and a capture in
    the future is fresh; then the window, which is looked at only when it matters. ``captured_at`` is seconds since the
    epoch or ISO 8601 text, UTC when it names no zone.
    """
    if max_age < 0:
        return Decision.DISABLED
    age = age_seconds(now, captured_at)
    if age is not None and age <= max_age:
        return Decision.FRESH
    if require_open_window and window_state() is not WindowState.OPEN:
        return Decision.WINDOW_CLOSED
    return Decision.STALE


def age_seconds(now: float, captured_at: float | str | None) -> float | None:
    """Seconds since the capture, negative when it lies in the future; ``None`` when unknown."""
    if captured_at is None:
        return None
    if isinstance(captured_at, str):
        try:
            moment = datetime.fromisoformat(captured_at)
        except ValueError:
            return None
        captured_at = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    age = now - captured_at
    return age if age == age else None  # not a number
