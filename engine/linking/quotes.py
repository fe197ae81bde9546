"""The words of a passage that prove a fact, and when they were written. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from engine.model import Link, LinkKind, Passage
from engine.store.index import NoteRow
from engine.text.inline import shown_name

QUOTE_LIMIT = 300

_ISO_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_ROAM_DAY = re.compile(r"(\d{2})-(\d{2})-(\d{4})")


def quote_of(passage: Passage, link: Link) -> str:
    """The line of the passage in which the link stands, cut to ``QUOTE_LIMIT`` around it; verbatim, never empty."""
    body = passage.raw or passage.text
    wanted: tuple[str, ...]
    if passage.raw:
        wanted = (link.target,)
    elif link.kind is LinkKind.TAG:
        wanted = (f"#{link.target}", link.target)
    else:
        wanted = (shown_name(link), link.target)
    return quote_around(body, wanted) or passage.text[:QUOTE_LIMIT].strip() or shown_name(link) or link.target


def quote_around(body: str, wanted: Sequence[str]) -> str:
    """The line with the first of ``wanted`` that stands in ``body``; its first line when none does."""
    at = next((found for one in wanted if one and (found := body.find(one)) >= 0), 0)
    start = body.rfind("\n", 0, at) + 1
    end = body.find("\n", at)
    line = body[start : end if end >= 0 else len(body)]
    return _cut(line, at - start).strip()


def _cut(line: str, at: int) -> str:
    """At most ``QUOTE_LIMIT`` characters of ``line`` around ``at``, at blanks where there are any."""
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
    return next((time for time in (*times, note.created, note.modified) if time is not None), None)


def _day_of(note: NoteRow) -> float | None:
    try:
        if found := _ISO_DAY.search(note.title):
            return datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC).timestamp()
        if found := _ROAM_DAY.fullmatch(note.key):
            return datetime(int(found[3]), int(found[1]), int(found[2]), tzinfo=UTC).timestamp()
    except ValueError:
        return None
    return None
