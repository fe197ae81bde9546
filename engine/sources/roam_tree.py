"""From raw Roam pages and blocks to notes: one tree per page, whatever road the blocks came by.

Owns what a passage of a Roam graph is: breadcrumb, concepts, tags, folded context, resolved references, links,
attributes, and which blocks are left out. It reads strings, titles, uids, times, order and children and nothing else:
there is no field here through which an e-mail address or a setting could travel. It never opens a file or a socket,
and it never recurses, so nesting may be of any depth.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from engine.errors import NoteError
from engine.model import (
    Anchor,
    Link,
    LinkKind,
    Note,
    NoteKey,
    NoteRef,
    Passage,
    PassageKind,
    Problem,
    Scan,
    Severity,
    SourceOptions,
)
from engine.text import roam
from engine.text.embed_input import finish

FORMAT = "1"
"""Part of every revision: raise it when the same blocks would give other notes, and all pages are read anew."""

CONTEXT_LIMIT = 8000
SEGMENT_LIMIT = 60
QUOTE_LIMIT = 300
ANCESTOR_LIMIT = 64
"""Nearest ancestors named in a breadcrumb: without a bound, a chain of blocks would cost its length squared."""

SEPARATOR = " · "
_SYNTHETIC = "~"
"""First character of a uid that Roam did not give; no uid of Roam's holds it."""


@dataclass(frozen=True, slots=True)
class RawBlock:
    """One block as its road delivers it. Times are seconds; ``children`` are keys of ``RawGraph.blocks``."""

    string: str
    uid: str = ""
    order: int = 0
    children: tuple[int, ...] = ()
    created: float | None = None
    modified: float | None = None


@dataclass(frozen=True, slots=True)
class RawPage:
    title: str
    uid: str = ""
    children: tuple[int, ...] = ()
    created: float | None = None
    modified: float | None = None


@dataclass(frozen=True, slots=True)
class RawGraph:
    """All that was fetched. Keys are any whole numbers (entity ids, running numbers).

    Blocks that hang in no page are ignored: remnants of deleted blocks, versions that are not shown.
    """

    pages: Sequence[RawPage]
    blocks: Mapping[int, RawBlock]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    """One block in its place. ``parent`` is the index of its entry on the page, -1 directly under the page."""

    block: RawBlock
    uid: str
    parent: int
    depth: int
    is_private: bool


@dataclass(slots=True)
class _Page:
    raw: RawPage
    key: NoteKey
    entries: list[_Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class RoamTree:
    """A graph at one moment. ``scan`` and ``note`` answer from it alone."""

    def __init__(self, raw: RawGraph, options: SourceOptions) -> None:
        self._problems = list(raw.problems)
        self._pages: dict[NoteKey, _Page] = {}
        self._where: dict[str, _Entry] = {}
        self._titles: dict[str, str] = {}
        self._quotes: dict[str, str] = {}
        placed: set[int] = set()
        for raw_page in raw.pages:
            page = _Page(raw_page, self._page_key(raw_page))
            self._place(page, raw.blocks, placed)
            reason = skip_reason(raw_page, options)
            if reason:
                blocks = f" ({len(page.entries)} blocks)" if page.entries else ""
                self._problems.append(dataclasses.replace(reason, reason=reason.reason + blocks))
                self._titles.setdefault(page.key, raw_page.title)
            else:
                self._pages[page.key] = page
                self._titles[page.key] = raw_page.title

    @property
    def keys(self) -> tuple[NoteKey, ...]:
        return tuple(self._pages)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Pages left out, and what was wrong with the graph as a whole."""
        return tuple(self._problems)

    def scan(self) -> Scan:
        return Scan(tuple(self.ref(key) for key in self._pages), self.problems)

    def ref(self, key: NoteKey) -> NoteRef:
        """The page as a scan lists it; its revision changes when a block that it quotes changes."""
        page = self._pages[key]
        return NoteRef(
            key=key,
            revision=self._revision(page),
            modified=_page_modified(page),
            size=_size(page),
            title=page.raw.title,
        )

    def note(self, key: NoteKey) -> Note:
        """The page with its passages and links. Raises ``NoteError`` when the graph has no such page."""
        page = self._pages.get(key)
        if page is None:
            raise NoteError(f"The graph no longer has the page {key!r}.", "Index the graph again.")
        return _NoteBuilder(page, self).build(self._revision(page))

    def is_known(self, uid: str) -> bool:
        return uid in self._where

    def is_private(self, uid: str) -> bool:
        entry = self._where.get(uid)
        return entry is not None and entry.is_private

    def resolve(self, uid: str) -> str | None:
        """The text that ``((uid))`` stands for: None when unknown, empty when the block is private."""
        entry = self._where.get(uid)
        if entry is None:
            return None
        if entry.is_private:
            return ""
        quote = self._quotes.get(uid)
        if quote is None:
            quote = self._quotes[uid] = one_line(roam.clean(entry.block.string, lambda _: ""))[:QUOTE_LIMIT]
        return quote

    def _page_key(self, page: RawPage) -> NoteKey:
        uid = page.uid.strip()
        if uid and uid not in self._titles:
            return NoteKey(uid)
        count = 0
        while (key := _synthetic_uid("page", page.title, str(count))) in self._titles:
            count += 1
        if uid:
            self._problems.append(
                _warning(page.title, f"Another page has the uid {uid}; both are kept.", "duplicate-uid")
            )
        return NoteKey(key)

    def _place(self, page: _Page, blocks: Mapping[int, RawBlock], placed: set[int]) -> None:
        """Put the blocks of one page into reading order and give each a uid of its own."""
        seen_twins: Counter[tuple[str, str]] = Counter()
        stack = [(key, -1, 0) for key in reversed(_in_order(page.raw.children, blocks))]
        while stack:
            key, parent, depth = stack.pop()
            if key in placed:
                page.problems.append(
                    _warning(page.raw.title, "A block hangs in two places; the first counts.", "shared-block")
                )
                continue
            placed.add(key)
            block = blocks[key]
            above = page.entries[parent] if parent >= 0 else None
            uid = self._block_uid(page, block, above.uid if above else page.key, seen_twins)
            is_private = (above is not None and above.is_private) or roam.is_private(block.string)
            entry = _Entry(block, uid, parent, depth, is_private)
            self._where[uid] = entry
            index = len(page.entries)
            page.entries.append(entry)
            stack.extend((child, index, depth + 1) for child in reversed(_in_order(block.children, blocks)))

    def _block_uid(self, page: _Page, block: RawBlock, parent: str, twins: Counter[tuple[str, str]]) -> str:
        uid = block.uid.strip()
        if uid and uid not in self._where:
            return uid
        reason = f"Two blocks have the uid {uid}; both are kept." if uid else "A block has no uid; it got one."
        page.problems.append(_warning(page.raw.title, reason, "duplicate-uid" if uid else "missing-uid"))
        while True:
            made = _synthetic_uid(page.key, parent, block.string, str(twins[parent, block.string]))
            twins[parent, block.string] += 1
            if made not in self._where:
                return made

    def _revision(self, page: _Page) -> str:
        """Digest of all that the note is made from: its own blocks and the blocks that they quote."""
        digest = hashlib.sha256(FORMAT.encode())
        _feed(digest, page.raw.title, page.raw.created, page.raw.modified)
        for entry in page.entries:
            block = entry.block
            _feed(digest, entry.uid, entry.depth, block.string, block.created, block.modified)
            for uid in roam.block_candidates(block.string):
                _feed(digest, uid, self.resolve(uid), self.is_private(uid))
        return digest.hexdigest()


class _NoteBuilder:
    """Builds the note of one page. Texts are cleaned once; contexts are slices of one joined string."""

    def __init__(self, page: _Page, tree: RoamTree) -> None:
        self.page = page
        self.tree = tree
        self.title = roam.clean_title(page.raw.title)
        entries = page.entries
        self.texts = ["" if e.is_private else roam.clean(e.block.string, tree.resolve) for e in entries]
        self.segments = [one_line(text)[:SEGMENT_LIMIT].rstrip() for text in self.texts]
        self.attributes = [None if e.is_private else roam.attribute(e.block.string) for e in entries]
        self.children: dict[int, list[int]] = {}
        self.ends = list(range(1, len(entries) + 1))
        for index in range(len(entries) - 1, -1, -1):
            parent = entries[index].parent
            if parent >= 0:
                self.ends[parent] = max(self.ends[parent], self.ends[index])
        for index, entry in enumerate(entries):
            if not entry.is_private:
                self.children.setdefault(entry.parent, []).append(index)
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
            modified=_page_modified(page),
            is_daily=is_daily(page.raw),
            size=_size(page),
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
                modified=_page_modified(self.page),
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
                concepts=roam.concepts(block.string),
                tags=self.tags_of(index),
                context=self.context(index + 1, self.ends[index]),
                raw=block.string,
                depth=entry.depth,
                created=_first(block.created, block.modified, raw_page.created),
                modified=_first(block.modified, block.created, raw_page.modified, raw_page.created),
                task=roam.task(block.string),
            )
        )

    def _ancestors(self, entry: _Entry) -> tuple[str, ...]:
        found: list[str] = []
        parent = entry.parent
        steps = 0
        while parent >= 0 and steps < ANCESTOR_LIMIT:
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
            for ref in roam.references(entry.block.string, self.tree.is_known):
                if ref.is_block and self.tree.is_private(ref.target):
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
            inline = one_line(roam.clean(self._string(index)[head.value_start :], self.tree.resolve))
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


def skip_reason(page: RawPage, options: SourceOptions) -> Problem | None:
    """Why a page is not indexed, or None."""
    title = page.title
    if not title.strip():
        return Problem(Severity.SKIPPED, page.uid, "The page has no title.", "blank-title")
    if title.startswith("roam/"):
        return Problem(Severity.SKIPPED, title, "Pages under roam/ hold settings and code, not notes.", "roam-page")
    if not options.daily_notes and is_daily(page):
        return Problem(Severity.SKIPPED, title, "Daily notes are switched off for this source.", "daily-note")
    is_included = not options.include or any(fnmatchcase(title, glob) for glob in options.include)
    if not is_included or any(fnmatchcase(title, glob) for glob in options.exclude):
        return Problem(Severity.SKIPPED, title, "The source's options leave this page out.", "excluded")
    return None


def is_daily(page: RawPage) -> bool:
    """A daily note by its uid (``MM-DD-YYYY``) or, after an import, by its title alone."""
    return roam.is_daily_uid(page.uid) or roam.is_daily_title(page.title)


def is_synthetic(uid: str) -> bool:
    """True for a uid made here because the source gave none; Roam cannot open it."""
    return uid.startswith(_SYNTHETIC)


def one_line(text: str) -> str:
    return " ".join(text.split())


def seconds(milliseconds: object) -> float | None:
    """Roam's times are milliseconds since the epoch. What is no plausible time is None."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    return milliseconds / 1000 if 0 < milliseconds < 1e14 else None


def _synthetic_uid(*parts: str) -> str:
    digest = hashlib.sha256()
    _feed(digest, *parts)
    return _SYNTHETIC + digest.hexdigest()[:16]


def _feed(digest: hashlib._Hash, *values: object) -> None:
    """Add values to a digest so that no two sequences of values look the same."""
    for value in values:
        data = repr(value).encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)


def _in_order(keys: Sequence[int], blocks: Mapping[int, RawBlock]) -> list[int]:
    known = [key for key in dict.fromkeys(keys) if key in blocks]
    return sorted(known, key=lambda key: (blocks[key].order, key))


def _content_hash(page: _Page) -> str:
    digest = hashlib.sha256()
    for entry in page.entries:
        _feed(digest, entry.uid, entry.depth, entry.block.string)
    return digest.hexdigest()


def _page_modified(page: _Page) -> float | None:
    return _first(page.raw.modified, page.raw.created)


def _size(page: _Page) -> int:
    return len(page.raw.title) + sum(len(entry.block.string) for entry in page.entries)


def _first(*times: float | None) -> float | None:
    return next((time for time in times if time is not None), None)


def _unique(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _warning(title: str, reason: str, code: str) -> Problem:
    return Problem(Severity.WARNING, title, reason, code)
