"""The day that a daily note is about."""

from __future__ import annotations

from datetime import date

import pytest

from engine.text.days import day_of


@pytest.mark.parametrize(
    ("title", "key", "expected"),
    [
        ("2026-03-05", "", date(2026, 3, 5)),
        ("2026-03-05 Thursday", "", date(2026, 3, 5)),
        ("20260305", "", date(2026, 3, 5)),
        ("2026_03_05", "", date(2026, 3, 5)),
        ("5.3.2026", "", date(2026, 3, 5)),
        ("March 5th, 2026", "", date(2026, 3, 5)),
        ("Anything", "03-05-2026", date(2026, 3, 5)),
        ("2026-02-30", "", None),
        ("2026-0305", "", None),
        ("123456789012", "", None),
        ("March", "notes/March.md", None),
        ("", "", None),
    ],
)
def test_the_day_of_a_title(title: str, key: str, expected: date | None) -> None:
    assert day_of(title, key) == expected
