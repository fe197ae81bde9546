"""The words of a passage that prove a fact, and when they were written. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, time

from engine.model import Link, LinkKind, Passage
from engine.store.index import NoteRow
from engine.text.days import day_of
from engine.text.inline import shown_name

QUOTE_LIMIT = 300

CREATED_PROPERTIES = frozenset({"created", "date created", "date_created", "created_at", "creation date", "date"})
"""Properties by which the owner dates a note."""

_PROPERTY = re.compile(r"([^\s#\-][^:]*?)\s*:(?:\s|\Z)")
"""A line of front matter that begins a property."""


def quote_of(passage: Passage, link: Link) -> str:
    """The line of the passage, or its heading, in which the link stands, cut to ``QUOTE_LIMIT`` around it; verbatim."""
    wanted: tuple[str, ...]
    if passage.raw:
        wanted = (link.target,)
    elif link.kind is LinkKind.TAG:
        wanted = (f"#{link.target}", link.target)
    else:
        wanted = (shown_name(link), link.target)
    return find_line(passage.raw or passage.text, wanted) or _heading(passage, wanted) or first_line(passage)


def quote_around(passage: Passage, wanted: Sequence[str]) -> str:
    """The line with the first of ``wanted`` that stands in the passage; its first line when none does."""
    return find_line(passage.raw or passage.text, wanted) or first_line(passage)


def find_line(body: str, wanted: Sequence[str]) -> str:
    """The line with the first of ``wanted`` that stands in ``body``, cut to ``QUOTE_LIMIT``; empty when none does."""
    for one in wanted:
        at = body.find(one) if one else -1
        if at >= 0:
            start = body.rfind("\n", 0, at) + 1
            end = body.find("\n", at)
            line = body[start : end if end >= 0 else len(body)]
            return (line if len(line) <= QUOTE_LIMIT else _cut(line, at - start)).strip()
    return ""


def first_line(passage: Passage) -> str:
    return _cut((passage.raw or passage.text).lstrip().partition("\n")[0], 0).strip()


def _heading(passage: Passage, wanted: Sequence[str]) -> str:
    """A heading belongs to the passage beneath it, though it is not part of its text."""
    return next((line for heading in reversed(passage.anchor.headings) if (line := find_line(heading, wanted))), "")


def property_quote(front_matter: str, name: str, value: str) -> str:
    """The lines of the front matter from a property's name to its value, verbatim; only the value's line when they are
    many, only the name's line when the value is written in another way there. Empty when there is no such property."""
    lines = front_matter.split("\n")
    first = next((number for number, line in enumerate(lines) if _names(line, name)), None)
    if first is None:
        return next((_cut(line, line.find(value)).strip() for line in lines if value and value in line), "")
    last = first + 1
    while last < len(lines) and not _PROPERTY.match(lines[last]):
        last += 1
    at = next((number for number in range(first, last) if value in lines[number]), first)
    whole = "\n".join(lines[first : at + 1])
    if len(whole) <= QUOTE_LIMIT:
        return whole.strip()
    return _cut(lines[at], max(0, lines[at].find(value))).strip()


def _names(line: str, name: str) -> bool:
    found = _PROPERTY.match(line)
    return found is not None and found[1].strip().strip("\"'").casefold() == name.casefold()


def _cut(line: str, at: int) -> str:
    """At most ``QUOTE_LIMIT`` characters of ``line`` around ``at`` (0 and up), at blanks where there are any."""
    if len(line) <= QUOTE_LIMIT:
        return line
    start = max(0, min(at - QUOTE_LIMIT // 3, len(line) - QUOTE_LIMIT))
    end = start + QUOTE_LIMIT
    if start and (blank := line.find(" ", start, at)) >= 0:
        start = blank + 1
    if end < len(line) and (blank := line.rfind(" ", at + QUOTE_LIMIT // 3, end)) > 0:
        end = blank
    return line[start:end]


def stands_in(quote: str, passage: Passage) -> bool:
    """Whether the passage still says these words, white space aside."""
    wanted = " ".join(quote.split())
    return bool(wanted) and any(wanted in " ".join(body.split()) for body in (passage.raw, passage.text))


def written_at(note: NoteRow, passage: Passage | None) -> float | None:
    """Seconds since the epoch: the day of a daily note, else when the block was made, else when it was changed."""
    if note.is_daily and (day := _day_of(note)) is not None:
        return day
    times = (passage.created, passage.modified) if passage else ()
    return next((one for one in (*times, note.created, note.modified) if one is not None), None)


def dated_by(note: NoteRow, *, is_roam: bool) -> str:
    """What the date of a note's facts is: the ``day`` of a daily note, when a ``block`` was made, a ``property`` of the
    note, or only that of its ``file``, which a copy or a sync may have changed."""
    if note.is_daily and _day_of(note) is not None:
        return "day"
    if is_roam:
        return "block"
    return "property" if any(name.lower() in CREATED_PROPERTIES for name in note.properties) else "file"


def _day_of(note: NoteRow) -> float | None:
    day = day_of(note.title, note.key)
    return None if day is None else datetime.combine(day, time.min, tzinfo=UTC).timestamp()
