"""A Roam graph at one moment, whatever road its blocks came by: places them, names them, and hands out notes.

Owns which blocks belong to a page and in which order, uids for those that have none, privacy, what a block reference
reads as, revisions, and which pages are left out. It never opens a file or a socket, and it never recurses, so nesting
may be of any depth.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase

from engine.errors import NoteError
from engine.model import Note, NoteKey, NoteRef, Problem, Scan, Severity, SourceOptions
from engine.sources.roam_links import SYNTHETIC, is_synthetic
from engine.sources.roam_notes import (
    PlacedBlock,
    PlacedPage,
    build_note,
    feed,
    is_daily,
    one_line,
    page_modified,
    page_size,
)
from engine.sources.roam_raw import RawBlock, RawGraph, RawPage
from engine.text import roam

__all__ = ["RawBlock", "RawGraph", "RawPage", "RoamTree", "is_synthetic", "skip_reason"]

FORMAT = "2"
"""Part of every revision: raise it when the same blocks would give other notes, and all pages are read anew."""

QUOTE_LIMIT = 300


class RoamTree:
    """A graph at one moment. ``scan`` and ``note`` answer from it alone."""

    def __init__(self, raw: RawGraph, options: SourceOptions, check: Callable[[], None] = lambda: None) -> None:
        """``check`` is called between pages, and may raise to end the work (``Job.check``)."""
        self._check = check
        self._problems = list(raw.problems)
        self._pages: dict[NoteKey, PlacedPage] = {}
        self._where: dict[str, PlacedBlock] = {}
        self._keys: set[str] = set()
        self._quotes: dict[str, str] = {}
        placed: set[int] = set()
        for raw_page in raw.pages:
            check()
            page = PlacedPage(raw_page, self._page_key(raw_page))
            self._keys.add(page.key)
            self._place(page, raw.blocks, placed)
            reason = skip_reason(raw_page, options)
            if reason:
                blocks = f" ({len(page.entries)} blocks)" if page.entries else ""
                self._problems.append(dataclasses.replace(reason, reason=reason.reason + blocks))
            else:
                self._pages[page.key] = page

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
        self._check()
        page = self._pages[key]
        return NoteRef(
            key=key,
            revision=self._revision(page),
            modified=page_modified(page),
            size=page_size(page),
            title=page.raw.title,
        )

    def note(self, key: NoteKey) -> Note:
        """The page with its passages and links. Raises ``NoteError`` when the graph has no such page."""
        page = self._pages.get(key)
        if page is None:
            raise NoteError(f"The graph no longer has the page {key!r}.", "Index the graph again.")
        return build_note(page, self, self._revision(page))

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
        if uid and uid not in self._keys:
            return NoteKey(uid)
        count = 0
        while (key := _synthetic_uid("page", page.title, str(count))) in self._keys:
            count += 1
        if uid:
            self._problems.append(
                _warning(page.title, f"Another page has the uid {uid}; both are kept.", "duplicate-uid")
            )
        return NoteKey(key)

    def _place(self, page: PlacedPage, blocks: Mapping[int, RawBlock], placed: set[int]) -> None:
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
            entry = PlacedBlock(block, uid, parent, depth, is_private)
            self._where[uid] = entry
            index = len(page.entries)
            page.entries.append(entry)
            stack.extend((child, index, depth + 1) for child in reversed(_in_order(block.children, blocks)))

    def _block_uid(self, page: PlacedPage, block: RawBlock, parent: str, twins: Counter[tuple[str, str]]) -> str:
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

    def _revision(self, page: PlacedPage) -> str:
        """Digest of all that the note is made from: its own blocks and the blocks that they quote."""
        digest = hashlib.sha256(FORMAT.encode())
        feed(digest, page.raw.title, page.raw.created, page.raw.modified)
        for entry in page.entries:
            block = entry.block
            feed(digest, entry.uid, entry.depth, block.string, block.created, block.modified)
            for uid in roam.block_candidates(block.string):
                feed(digest, uid, self.resolve(uid), self.is_private(uid))
        return digest.hexdigest()


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


def _synthetic_uid(*parts: str) -> str:
    digest = hashlib.sha256()
    feed(digest, *parts)
    return SYNTHETIC + digest.hexdigest()[:16]


def _in_order(keys: Sequence[int], blocks: Mapping[int, RawBlock]) -> list[int]:
    known = [key for key in dict.fromkeys(keys) if key in blocks]
    return sorted(known, key=lambda key: (blocks[key].order, key))


def _warning(title: str, reason: str, code: str) -> Problem:
    return Problem(Severity.WARNING, title, reason, code)
