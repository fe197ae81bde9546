"""Dates as typed in a query."""

from __future__ import annotations

import math
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.searching.dates import Span, parse_span

NOW = datetime(2026, 3, 11, 15, 30)  # a Wednesday


def at(*parts: int) -> float:
    return datetime(*parts).timestamp()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026", at(2026, 1, 1), at(2027, 1, 1)),
        ("2026-03", at(2026, 3, 1), at(2026, 4, 1)),
        ("2025-12", at(2025, 12, 1), at(2026, 1, 1)),
        ("9999", at(9999, 1, 1), math.inf),
        ("9999-12", at(9999, 12, 1), math.inf),
        ("9999-12-31", at(9999, 12, 31), math.inf),
        ("2025..9999", at(2025, 1, 1), math.inf),
        ("2026-3-5", at(2026, 3, 5), at(2026, 3, 6)),
        ("2024-02-29", at(2024, 2, 29), at(2024, 3, 1)),
        (">2025-01-01", at(2025, 1, 2), math.inf),
        (">=2025-01-01", at(2025, 1, 1), math.inf),
        ("<2025", -math.inf, at(2025, 1, 1)),
        ("<=2025", -math.inf, at(2026, 1, 1)),
        ("2025..2026-02", at(2025, 1, 1), at(2026, 3, 1)),
        ("..2025", -math.inf, at(2026, 1, 1)),
        ("2025..", at(2025, 1, 1), math.inf),
        ("today", at(2026, 3, 11), at(2026, 3, 12)),
        ("Yesterday", at(2026, 3, 10), at(2026, 3, 11)),
        ("this-week", at(2026, 3, 9), at(2026, 3, 16)),
        ("last_week", at(2026, 3, 2), at(2026, 3, 9)),
        ("this-month", at(2026, 3, 1), at(2026, 4, 1)),
        ("last-month", at(2026, 2, 1), at(2026, 3, 1)),
        ("this-year", at(2026, 1, 1), at(2027, 1, 1)),
        ("last-year", at(2025, 1, 1), at(2026, 1, 1)),
        ("<7d", at(2026, 3, 4, 15, 30), math.inf),
        ("7d", at(2026, 3, 4, 15, 30), math.inf),
        (">2w", -math.inf, at(2026, 2, 25, 15, 30)),
        ("<12h", at(2026, 3, 11, 3, 30), math.inf),
    ],
)
def test_spans(text: str, start: float, end: float) -> None:
    assert parse_span(text, NOW) == Span(start, end)


@pytest.mark.parametrize("text", ["", "soon", "2026-13", "2026-02-30", "2026..2025", "..x", "<", "99999y", "0000"])
def test_not_dates(text: str) -> None:
    assert parse_span(text, NOW) is None


def test_a_span_holds_its_start_and_not_its_end() -> None:
    span = Span(10, 20)
    assert [span.holds(x) for x in (9.9, 10, 19.9, 20, None)] == [False, True, True, False, False]


@given(st.text(max_size=30))
def test_anything_is_a_span_or_none(text: str) -> None:
    span = parse_span(text, NOW)
    assert span is None or span.start < span.end
