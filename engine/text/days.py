"""The day that a daily note is about, from its title or its key. Pure."""

from __future__ import annotations

import re
from datetime import date

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})([-_./]?)(\d{2})\2(\d{2})(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
_IN_WORDS = re.compile(rf"({'|'.join(_MONTHS)})\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})", re.IGNORECASE)
_ROAM_UID = re.compile(r"(\d{2})-(\d{2})-(\d{4})")


def day_of(title: str, key: str = "") -> date | None:
    """The day: ``2026-03-05``, ``20260305``, ``5.3.2026`` or ``March 5th, 2026`` in the title, or a Roam uid
    ``03-05-2026`` as the key; None when no such day is named or it does not exist."""
    if found := _YEAR_FIRST.search(title):
        return _date(found[1], found[3], found[4])
    if found := _DAY_FIRST.search(title):
        return _date(found[3], found[2], found[1])
    if found := _IN_WORDS.search(title):
        return _date(found[3], _MONTHS.index(found[1].lower()) + 1, found[2])
    if found := _ROAM_UID.fullmatch(key):
        return _date(found[3], found[1], found[2])
    return None


def _date(year: str, month: str | int, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
