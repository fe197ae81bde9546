"""The note of one Roam page whose blocks stand in reading order.

Owns what a passage of a Roam graph is: breadcrumb, concepts, tags, folded context, links, attributes, and which blocks
are left out. What a reference to another block reads as, it asks.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.model import Anchor, Link, LinkKind, Note, NoteKey, Passage, PassageKind, Problem
from engine.sources.roam_raw import RawBlock, RawPage
from engine.text import roam
from engine.text.embed_input import finish

CONTEXT_LIMIT = 8000
SEGMENT_LIMIT = 60
LEVELS = 64
"""Nearest ancestors named in a breadcrumb, and levels of blocks below that are folded into a context: without a bound,
a chain of blocks would cost its length squared. Ten are many in a real graph."""

SEPARATOR = " · "


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """One block in its place. ``parent`` is the index of its entry on the page, -1 directly under the page."""

    block: RawBlock
    uid: str
    parent: int
    depth: int
    is_private: bool


@dataclass(slots=True)
class PlacedPage:
    raw: RawPage
    key: NoteKey
    entries: list[PlacedBlock] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class Quotes(Protocol):
    """What the graph knows about the blocks that a page refers to."""

    def is_known(self, uid: str) -> bool: ...

    def is_private(self, uid: str) -> bool: ...

    def resolve(self, uid: str) -> str | None: ...


def build_note(page: PlacedPage, quotes: Quotes, revision: str) -> Note:
    return _NoteBuilder(page, quotes).build(revision)


class _NoteBuilder:
    """Builds the note of one page. Texts are cleaned once; contexts are slices of one joined string."""

    def __init__(self, page: PlacedPage, quotes: Quotes) -> None:
        self.page = page
        self.quotes = quotes
        self.title = roam.clean_title(page.raw.title)
        entries = page.entries
        self.texts = ["" if e.is_private else roam.clean(e.block.string, quotes.resolve) for e in entries]
        self.segments = [one_line(text)[:SEGMENT_LIMIT].rstrip() for text in self.texts]
        self.attributes = [None if e.is_private else roam.attribute(e.block.string) for e in entries]
        self.references = [() if e.is_private else roam.references(e.block.string, quotes.is_known) for e in entries]
        self.children: dict[int, list[int]] = {}
        self.ends = list(range(1, len(entries) + 1))
        for index in range(len(entries) - 1, -1, -1):
            parent = entries[index].parent
            if parent >= 0:
                self.ends[parent] = max(self.ends[parent], self.ends[index])
        for index, entry in enumerate(entries):
            if not entry.is_private:
                self.children.setdefault(entry.parent, []).append(index)
        self.context_ends = _context_ends(entries, self.ends)
        self._fold()

    def _fold(self) -> None:
        """Join all texts once; ``starts[i]`` is where the first text at or after entry ``i`` begins."""
        pieces: list[str] = []
        self.starts: list[int] = []
        length = 0
        for text in self.texts:
            self.starts.append(length)
            if text:
                pieces.append(one_line(text))
                length += len(pieces[-1]) + len(SEPARATOR)
        self.starts.append(length)
        self.folded = SEPARATOR.join(pieces)

    def context(self, first: int, end: int) -> str:
        """Folded text of the entries from ``first`` up to ``end``, at most ``CONTEXT_LIMIT`` characters."""
        start, stop = self.starts[first], self.starts[end]
        if start == stop:
            return ""
        return self.folded[start : min(stop - len(SEPARATOR), start + CONTEXT_LIMIT)]

    def build(self, revision: str) -> Note:
        page = self.page
        ordinals, passages = self._passages()
        links = tuple(self._links(ordinals))
        return Note(
            key=page.key,
            title=page.raw.title,
            revision=revision,
            content_hash=_content_hash(page),
            passages=passages,
            links=links,
            tags=_unique([*self.tags_of(-1), *(link.target for link in links if link.kind is LinkKind.TAG)]),
            properties=self._properties(),
            created=page.raw.created,
            modified=page_modified(page),
            is_daily=is_daily(page.raw),
            size=page_size(page),
            problems=tuple(page.problems),
            omitted=self._omitted(),
        )

    def _passages(self) -> tuple[list[int], tuple[Passage, ...]]:
        """The passages, and for each entry the ordinal of its passage (the page's own, 0, when it has none)."""
        passages = [self._page_passage()]
        ordinals: list[int] = []
        for index, text in enumerate(self.texts):
            if text:
                passages.append(self._block_passage(index, len(passages)))
                ordinals.append(len(passages) - 1)
            else:
                ordinals.append(0)
        return ordinals, tuple(passages)

    def _page_passage(self) -> Passage:
        raw = self.page.raw
        return finish(
            Passage(
                kind=PassageKind.PAGE,
                ordinal=0,
                anchor=Anchor(self.page.key, uid=self.page.key),
                text=self.title,
                breadcrumb=(self.title,),
                concepts=roam.concepts(raw.title),
                tags=self.tags_of(-1),
                context=self.context(0, len(self.texts)),
                raw=raw.title,
                created=raw.created,
                modified=page_modified(self.page),
            )
        )

    def _block_passage(self, index: int, ordinal: int) -> Passage:
        entry = self.page.entries[index]
        block, raw_page = entry.block, self.page.raw
        return finish(
            Passage(
                kind=PassageKind.BLOCK,
                ordinal=ordinal,
                anchor=Anchor(self.page.key, uid=entry.uid),
                text=self.texts[index],
                breadcrumb=(self.title, *self._ancestors(entry)),
                concepts=roam.concepts_of(self.references[index]),
                tags=self.tags_of(index),
                context=self.context(index + 1, self.context_ends[index]),
                raw=block.string,
                depth=entry.depth,
                created=_first(block.created, block.modified, raw_page.created),
                modified=_first(block.modified, block.created, raw_page.modified, raw_page.created),
                task=roam.task(block.string),
            )
        )

    def _ancestors(self, entry: PlacedBlock) -> tuple[str, ...]:
        found: list[str] = []
        parent = entry.parent
        steps = 0
        while parent >= 0 and steps < LEVELS:
            if self.segments[parent]:
                found.append(self.segments[parent])
            parent = self.page.entries[parent].parent
            steps += 1
        return tuple(reversed(found))

    def tags_of(self, index: int) -> tuple[str, ...]:
        """Values of the ``tags::`` blocks directly under an entry, or under the page (-1)."""
        found: list[str] = []
        for child in self.children.get(index, ()):
            head = self.attributes[child]
            if head is None or head.name.casefold() != "tags":
                continue
            value = self.page.entries[child].block.string[head.value_start :]
            values = (
                [value] if value.strip() else [self._string(grandchild) for grandchild in self.children.get(child, ())]
            )
            for each in values:
                found.extend(roam.concepts(each) or (part.strip() for part in roam.clean(each).split(",")))
        return _unique(found)

    def _string(self, index: int) -> str:
        return self.page.entries[index].block.string

    def _links(self, ordinals: Sequence[int]) -> Iterator[Link]:
        yield from (Link(r.kind, r.target, label=r.label, passage=0) for r in roam.references(self.page.raw.title))
        for index, entry in enumerate(self.page.entries):
            if entry.is_private:
                continue
            own = self.attributes[index]
            above = self.attributes[entry.parent] if entry.parent >= 0 else None
            for ref in self.references[index]:
                if ref.is_block and self.quotes.is_private(ref.target):
                    continue
                attribute = ""
                if own is not None:
                    attribute = own.name if ref.start >= own.value_start else ""
                elif above is not None:
                    attribute = above.name
                yield Link(ref.kind, ref.target, label=ref.label, attribute=attribute, passage=ordinals[index])

    def _properties(self) -> dict[str, object]:
        """Attributes of the page itself: those directly under it, with what they say inline or in child blocks."""
        found: dict[str, list[str]] = {}
        for index in self.children.get(-1, ()):
            head = self.attributes[index]
            if head is None:
                continue
            inline = one_line(roam.clean(self._string(index)[head.value_start :], self.quotes.resolve))
            values = [inline] if inline else [one_line(self.texts[child]) for child in self.children.get(index, ())]
            found.setdefault(head.name, []).extend(value for value in values if value)
        return {name: list(_unique(values)) for name, values in found.items()}

    def _omitted(self) -> dict[str, int]:
        reasons = Counter[str]()
        for entry, text in zip(self.page.entries, self.texts, strict=True):
            if entry.is_private:
                reasons["private"] += 1
            elif not text:
                reasons[roam.why_empty(entry.block.string)] += 1
        return dict(reasons)


def _context_ends(entries: Sequence[PlacedBlock], ends: Sequence[int]) -> list[int]:
    """For each entry, where its context ends: with its blocks, or before the first of them that lies too deep."""
    found = list(ends)
    above: list[int] = []
    for index, entry in enumerate(entries):
        del above[entry.depth :]
        above.append(index)
        if entry.depth > LEVELS:
            far = above[-LEVELS - 2]
            found[far] = min(found[far], index)
    return found


def is_daily(page: RawPage) -> bool:
    """A daily note by its uid (``MM-DD-YYYY``) or, after an import, by its title alone."""
    return roam.is_daily_uid(page.uid) or roam.is_daily_title(page.title)


def one_line(text: str) -> str:
    return " ".join(text.split())


def feed(digest: hashlib._Hash, *values: object) -> None:
    """Add values to a digest so that no two sequences of values look the same."""
    digest.update(repr(values).encode("utf-8", "surrogatepass"))


def _content_hash(page: PlacedPage) -> str:
    digest = hashlib.sha256()
    for entry in page.entries:
        feed(digest, entry.uid, entry.depth, entry.block.string)
    return digest.hexdigest()


def page_modified(page: PlacedPage) -> float | None:
    return _first(page.raw.modified, page.raw.created)


def page_size(page: PlacedPage) -> int:
    return len(page.raw.title) + sum(len(entry.block.string) for entry in page.entries)


def _first(*times: float | None) -> float | None:
    return next((time for time in times if time is not None), None)


def _unique(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
