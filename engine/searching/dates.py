"""Dates as people type them in a query, read as a half-open span of time.

``<7d`` is the last seven days, ``>7d`` is before them; ``2026-03`` is a month, ``2025..2026-02`` a range whose end is
included; ``last-week``, ``yesterday`` and the like are calendar spans (weeks begin on Monday). Local time.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta

RELATIVE_WORDS = (
    "today",
    "yesterday",
    "this-week",
    "last-week",
    "this-month",
    "last-month",
    "this-year",
    "last-year",
)

_AGE = re.compile(r"([<>]=?)?(\d{1,5})(h|d|w|m|y)", re.IGNORECASE)
_POINT = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds since the epoch, start included, end excluded; infinite where open."""

    start: float = -math.inf
    end: float = math.inf

    def holds(self, moment: float | None) -> bool:
        return moment is not None and self.start <= moment < self.end


def parse_span(text: str, now: datetime) -> Span | None:
    """The span that ``text`` means at ``now``, or None when it is not a date."""
    value = text.strip().lower().replace("_", "-")
    if value in RELATIVE_WORDS:
        return _relative(value, now)
    if age := _AGE.fullmatch(value):
        return _age(age[1] or "<", int(age[2]), age[3], now)
    if ".." in value:
        first, _, last = value.partition("..")
        start = parse_point(first) if first else Span()
        end = parse_point(last) if last else Span()
        return Span(start.start, end.end) if start and end and start.start < end.end else None
    comparison = re.match(r"[<>]=?", value)
    point = parse_point(value[comparison.end() :] if comparison else value)
    if point is None:
        return None
    match comparison[0] if comparison else "":
        case "<":
            return Span(end=point.start)
        case "<=":
            return Span(end=point.end)
        case ">":
            return Span(start=point.end)
        case ">=":
            return Span(start=point.start)
        case _:
            return point


def parse_point(text: str) -> Span | None:
    """A year, month or day as a span: ``2026``, ``2026-3``, ``2026-03-05``."""
    found = _POINT.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day = int(found[1]), int(found[2] or 1), int(found[3] or 1)
    try:
        start = datetime(year, month, day)
        return Span(start.timestamp(), _end_of(start, has_month=bool(found[2]), has_day=bool(found[3])))
    except (ValueError, OverflowError, OSError):
        return None


def _end_of(start: datetime, *, has_month: bool, has_day: bool) -> float:
    try:
        if has_day:
            end = start + timedelta(days=1)
        else:
            end = _month_after(start) if has_month else datetime(start.year + 1, 1, 1)
        return end.timestamp()
    except (ValueError, OverflowError, OSError):  # the calendar ends with the year 9999
        return math.inf


def _month_after(start: datetime) -> datetime:
    return datetime(start.year + start.month // 12, start.month % 12 + 1, 1)


def _age(comparison: str, count: int, unit: str, now: datetime) -> Span | None:
    length = timedelta(hours=count) if unit == "h" else timedelta(days=count * _DAYS[unit])
    try:
        edge = (now - length).timestamp()
    except (OverflowError, ValueError, OSError):
        return None
    return Span(start=edge) if comparison.startswith("<") else Span(end=edge)


def _relative(word: str, now: datetime) -> Span:
    today = datetime(now.year, now.month, now.day)
    monday = today - timedelta(days=today.weekday())
    month = today.replace(day=1)
    year = today.replace(month=1, day=1)
    starts = {
        "today": (today, today + timedelta(days=1)),
        "yesterday": (today - timedelta(days=1), today),
        "this-week": (monday, monday + timedelta(days=7)),
        "last-week": (monday - timedelta(days=7), monday),
        "this-month": (month, _month_after(month)),
        "last-month": ((month - timedelta(days=1)).replace(day=1), month),
        "this-year": (year, datetime(year.year + 1, 1, 1)),
        "last-year": (datetime(year.year - 1, 1, 1), year),
    }
    start, end = starts[word]
    return Span(start.timestamp(), end.timestamp())
