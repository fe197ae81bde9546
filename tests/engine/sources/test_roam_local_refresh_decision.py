from __future__ import annotations

import pytest

from engine.sources.roam_refresh import Decision, age_seconds, refresh_decision
from engine.sources.roam_windows import WindowState

NOW = 1_000_000.0
OPEN, CLOSED, UNKNOWN = WindowState.OPEN, WindowState.CLOSED, WindowState.UNKNOWN


@pytest.mark.parametrize(
    ("captured_at", "max_age", "gated", "state", "expected"),
    [
        (NOW - 10, 3600, True, OPEN, Decision.FRESH),
        (NOW - 3600, 3600, True, CLOSED, Decision.FRESH),
        (NOW - 3601, 3600, True, OPEN, Decision.STALE),
        (NOW - 3601, 3600, True, CLOSED, Decision.WINDOW_CLOSED),
        (NOW - 3601, 3600, True, UNKNOWN, Decision.WINDOW_CLOSED),
        (NOW - 3601, 3600, False, CLOSED, Decision.STALE),
        (NOW - 3601, -1, False, OPEN, Decision.DISABLED),
        (NOW - 10, -1, False, OPEN, Decision.DISABLED),
        (None, -1, True, OPEN, Decision.DISABLED),
        (None, 3600, False, CLOSED, Decision.STALE),
        (None, 3600, True, CLOSED, Decision.WINDOW_CLOSED),
        ("rubbish", 3600, False, OPEN, Decision.STALE),
        (float("nan"), 3600, False, OPEN, Decision.STALE),
        (NOW + 500, 3600, True, CLOSED, Decision.FRESH),
        (NOW + 500, 0, True, CLOSED, Decision.FRESH),
        (NOW, 0, True, CLOSED, Decision.FRESH),
        (NOW - 1, 0, False, CLOSED, Decision.STALE),
    ],
)
def test_decisions(
    captured_at: float | str | None, max_age: float, gated: bool, state: WindowState, expected: Decision
) -> None:
    assert refresh_decision(NOW, captured_at, max_age, gated, lambda: state) is expected


@pytest.mark.parametrize(
    ("captured_at", "max_age", "gated"), [(NOW - 9999, -1, True), (NOW, 60, True), (NOW - 9999, 60, False)]
)
def test_the_window_is_looked_at_only_when_it_matters(captured_at: float, max_age: float, gated: bool) -> None:
    def asked() -> WindowState:
        raise AssertionError("the window was looked at")

    refresh_decision(NOW, captured_at, max_age, gated, asked)


@pytest.mark.parametrize(
    ("captured_at", "age"),
    [
        (NOW - 5, 5.0),
        (NOW + 5, -5.0),
        ("1970-01-12T13:46:30", 10.0),
        ("1970-01-12T13:46:30+00:00", 10.0),
        ("1970-01-12T14:46:30+01:00", 10.0),
        ("1970-01-12T13:46:30Z", 10.0),
        ("", None),
        ("yesterday", None),
        (None, None),
    ],
)
def test_age(captured_at: float | str | None, age: float | None) -> None:
    assert age_seconds(NOW, captured_at) == age
