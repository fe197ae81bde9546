"""Sections to passages: whole when short, windows of tokens when long. Pure but for the tokenizer it is given."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from engine.model import Anchor, Link, LinkKind, NoteKey, Passage, PassageKind
from engine.text.chunks import WINDOW, windows
from engine.text.embed_input import finish
from engine.text.inline import short_name
from engine.text.markdown import Piece, Section

TokenSpanner = Callable[[Sequence[str]], list[NDArray[np.int32]]]

_TOKENIZED_AT_ONCE = 8000
"""Characters of one text given to the tokenizer."""
_ATTACHMENT = re.compile(
    r"\.(?:avif|bmp|gif|jpe?g|png|svg|webp|flac|m4a|mp3|ogg|wav|webm|3gp|mkv|mov|mp4|ogv|pdf|base)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What all passages of one note share."""

    note: NoteKey
    title: str
    tags: tuple[str, ...] = ()
    created: float | None = None
    modified: float | None = None
    uid: str = ""
    """Of a canvas card, whose text has no lines in the file."""
    within: tuple[str, ...] = ()
    """Breadcrumb between the title and the headings."""


def build_passages(
    sections: Sequence[Section], frame: Frame, token_spans: TokenSpanner, first_ordinal: int = 0
) -> tuple[list[Passage], list[Link]]:
    """Passages in the order of the text, embed input filled in, and every link with the passage it stands in."""
    texts = [_Text.of(section) for section in sections]
    ranges = _ranges([text.text for text in texts], token_spans)
    last = first_ordinal + sum(len(cuts) for cuts in ranges) - 1
    passages: list[Passage] = []
    links: list[Link] = []
    for section, text, cuts in zip(sections, texts, ranges, strict=True):
        ordinal = first_ordinal + len(passages)
        links.extend(_placed(text, [start for start, _ in cuts], ordinal, last))
        passages.extend(_passage(section, text, cut, ordinal + i, frame) for i, cut in enumerate(cuts))
    return passages, links


def _placed(text: _Text, starts: Sequence[int], ordinal: int, last: int) -> Iterator[Link]:
    """The links of a section with their line and passage; those of a section without text go to the next passage."""
    for at, piece, link in text.marks:
        passage = min(last, ordinal + max(0, bisect_right(starts, at) - 1))
        yield Link(link.kind, link.target, link.fragment, link.label, link.attribute, passage, piece.line)


@dataclass(frozen=True, slots=True)
class _Text:
    """A section's text in one string, with where each piece starts in it."""

    text: str
    starts: tuple[int, ...]
    pieces: tuple[Piece, ...]
    marks: tuple[tuple[int, Piece, Link], ...]

    @classmethod
    def of(cls, section: Section) -> _Text:
        pieces = tuple(section.pieces)
        text = "\n".join(piece.text for piece in pieces if piece.text)
        if not text and not section.has_children and section.names:
            text = section.names[-1]
        starts = tuple(accumulate((len(piece.text) + bool(piece.text) for piece in pieces[:-1]), initial=0))
        marks = tuple(
            (start + at, piece, link) for start, piece in zip(starts, pieces, strict=False) for at, link in piece.marks
        )
        return cls(text, starts[: len(pieces)], pieces, marks)

    def within(self, start: int, end: int) -> tuple[Piece, ...]:
        first = max(0, bisect_right(self.starts, start) - 1)
        # Pieces without text share their start with the next one and belong to it.
        first = bisect_left(self.starts, self.starts[first]) if self.starts else 0
        # What stands at the very end of the text, even without text of its own, stands in its last window.
        last = len(self.pieces) if end == len(self.text) else bisect_left(self.starts, end)
        return self.pieces[first : max(first + 1, last)]

    def links(self, start: int, end: int) -> list[Link]:
        low = bisect_left(self.marks, start, key=lambda mark: mark[0])
        high = len(self.marks) if end == len(self.text) else bisect_left(self.marks, end, key=lambda mark: mark[0])
        return [link for _, _, link in self.marks[low:high]]


def _ranges(texts: Sequence[str], token_spans: TokenSpanner) -> list[list[tuple[int, int]]]:
    # A token is at least one character: a text this short is one window whatever its tokens are.
    long = [i for i, text in enumerate(texts) if len(text) > WINDOW]
    ranges: list[list[tuple[int, int]]] = [[(0, len(text))] if text else [] for text in texts]
    parts = [(i, offset, part) for i in long for offset, part in _bounded(texts[i])]
    found: dict[int, list[NDArray[np.int32]]] = {i: [] for i in long}
    if parts:
        for (i, offset, _), spans in zip(parts, token_spans([part for _, _, part in parts]), strict=True):
            found[i].append(spans + np.int32(offset))
    for i in long:
        ranges[i] = windows(texts[i], np.concatenate(found[i]))
    return ranges


def _bounded(text: str) -> list[tuple[int, str]]:
    """(offset, part) in parts that a tokenizer takes in a moment, cut at line ends or blanks where there are any."""
    parts: list[tuple[int, str]] = []
    start = 0
    while len(text) - start > _TOKENIZED_AT_ONCE:
        limit = start + _TOKENIZED_AT_ONCE
        cut = text.rfind("\n", start, limit) + 1 or text.rfind(" ", start, limit) + 1 or limit
        parts.append((start, text[start:cut]))
        start = cut
    return [*parts, (start, text[start:])]


def _passage(section: Section, text: _Text, cut: tuple[int, int], ordinal: int, frame: Frame) -> Passage:
    start, end = cut
    pieces = text.within(start, end)
    links = text.links(start, end)
    tasks = {piece.task for piece in pieces}
    # A window that begins the section shows its heading; so does one that is the heading alone.
    first_line = section.line if (section.line and start == 0) or not pieces else pieces[0].line
    anchor = Anchor(
        frame.note,
        frame.uid,
        section.headings,
        0 if frame.uid else first_line,
        0 if frame.uid else max((piece.line for piece in pieces), default=first_line),
        next((piece.block_id for piece in pieces if piece.block_id), ""),
    )
    return finish(
        Passage(
            PassageKind.SECTION,
            ordinal,
            anchor,
            text.text[start:end].strip(),
            _breadcrumb(frame, section.names),
            concepts_of(links),
            frame.tags,
            created=frame.created,
            modified=frame.modified,
            task=" ".join(task for task in ("todo", "done") if task in tasks),
        )
    )


def concepts_of(links: Sequence[Link]) -> tuple[str, ...]:
    """Names of the notes and tags that these links name, once each, in order."""
    names: dict[str, str] = {}
    for link in links:
        if link.kind is LinkKind.URL:
            continue
        name = link.target if link.kind is LinkKind.TAG else short_name(link.target)
        is_attachment = link.kind is LinkKind.EMBED and _ATTACHMENT.search(name)
        if name and not is_attachment:
            names.setdefault(name.casefold(), name)
    return tuple(names.values())


def _breadcrumb(frame: Frame, headings: Sequence[str]) -> tuple[str, ...]:
    """Title, then headings. A first heading that only repeats the title is not said twice."""
    if headings and headings[0].casefold() == frame.title.casefold():
        headings = headings[1:]
    return (frame.title, *frame.within, *headings)
