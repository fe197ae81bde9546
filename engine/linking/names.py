"""What the names in one source stand for: which thing a note is, and which thing a link leads to.

Obsidian's links are resolved by its rules (``text/links.py``), Roam's by exact title. A link to a name that no note
has, or that several have, is an answer like any other. Titles keep their case; nothing is merged here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from engine.knowledge.facts import Thing, thing
from engine.model import Link, LinkKind, NoteKey, Source
from engine.store.index import NoteRow
from engine.text import links as obsidian_links
from engine.text import roam
from engine.text.inline import short_name
from engine.text.links import LinkState

NAME_LIMIT = 200
"""Longer names are text that stands in brackets."""

_ATTACHMENT = re.compile(
    r"\.(?:avif|bmp|gif|heic|jpe?g|png|svg|tiff?|webp|flac|m4a|mp3|ogg|wav|webm|3gp|mkv|mov|mp4|ogv|pdf|base|zip|csv"
    r"|docx?|xlsx?|pptx?|html?)$",
    re.IGNORECASE,
)
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Target:
    """A thing that a link leads to, and how sure that is."""

    thing: Thing
    state: LinkState = LinkState.RESOLVED
    confidence: float = 1.0

    @cached_property
    def mark(self) -> bytes:
        """All that it says, for a digest."""
        said = f"\0{self.thing.id}\0{self.thing.name}\0{self.state}\0{self.confidence}"
        return said.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class SourceNames:
    """The names of one source at one moment."""

    source: Source
    notes: Mapping[NoteKey, Thing]
    by_title: Mapping[str, Thing] = field(default_factory=dict)
    """Roam: page title -> page."""
    paths: obsidian_links.LinkIndex = field(default_factory=obsidian_links.LinkIndex)
    tags: Mapping[str, str] = field(default_factory=dict)
    """Obsidian: folded tag -> its most frequent spelling."""
    blocks: Mapping[str, NoteKey] = field(default_factory=dict)
    """Block uid -> the note in which it stands, for the blocks that links refer to."""
    _known: tuple[dict[str, tuple[Target, ...]], ...] = field(default_factory=lambda: ({}, {}, {}))
    """Answers so far, which are the same in every note: of tags, of blocks, of all other links."""
    _known_there: dict[tuple[str, str], tuple[Target, ...]] = field(default_factory=dict)
    """Answers to links that depend on where they stand."""

    def targets(self, link: Link, note: NoteKey) -> tuple[Target, ...]:
        """The things that a link of ``note`` names; none for addresses, attachments and unknown blocks.

        A nested tag names its parents too.
        """
        if link.kind is LinkKind.URL:
            return ()
        known = self._known[0 if link.kind is LinkKind.TAG else 1 if link.kind is LinkKind.BLOCK else 2]
        found = known.get(link.target)
        if found is not None:
            return found
        # What several notes fit depends on the folder of the link; so do relative paths, and a link to its own note.
        place = note if not link.target.strip() else note.rpartition("/")[0] or "/"
        found = self._known_there.get((place, link.target))
        if found is None:
            found = self._targets(link, note)
            if link.target[:1] not in ("", ".", " ") and all(t.confidence == 1.0 for t in found):
                known[link.target] = found
            else:
                self._known_there[place, link.target] = found
        return found

    def _targets(self, link: Link, note: NoteKey) -> tuple[Target, ...]:
        if len(link.target) > NAME_LIMIT:
            return ()
        if link.kind is LinkKind.BLOCK:
            home = self.blocks.get(link.target)
            return (Target(self.notes[home]),) if home in self.notes and home is not None else ()
        if self.source.kind.is_roam:
            return self._page(link.target)
        return self._tag_levels(link.target) if link.kind is LinkKind.TAG else self._note(link.target, note)

    def _page(self, title: str) -> tuple[Target, ...]:
        if not title.strip() or title in roam.NOT_CONCEPTS or title.startswith("."):
            return ()
        known = self.by_title.get(title)
        return (Target(known),) if known else (Target(thing(self.source.id, "page", title), LinkState.UNRESOLVED),)

    def _tag_levels(self, tag: str) -> tuple[Target, ...]:
        parts = [part for part in tag.split("/") if part]
        levels = ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
        return tuple(Target(thing(self.source.id, "tag", self.tags.get(one.casefold(), one))) for one in levels)

    def _note(self, target: str, note: NoteKey) -> tuple[Target, ...]:
        found = obsidian_links.resolve(target, note, self.paths)
        if found.note is not None:
            return (Target(self.notes[found.note], found.state, 1.0 / max(1, len(found.candidates))),)
        name = short_name(target).strip()
        if not name or _ATTACHMENT.search(name):
            return ()
        return (Target(thing(self.source.id, "note", name), LinkState.UNRESOLVED),)


def source_names(
    source: Source, notes: Sequence[NoteRow], links: Iterable[Link], blocks: Mapping[str, NoteKey]
) -> SourceNames:
    """The names of a source whose notes and links these are."""
    if source.kind.is_roam:
        pages = {note.key: thing(source.id, "page", note.title) for note in notes}
        return SourceNames(source, pages, by_title={note.title: pages[note.key] for note in notes}, blocks=blocks)
    paths = obsidian_links.index_paths(note.key for note in notes)
    return SourceNames(source, _note_things(source, notes), paths=paths, tags=_spellings(links), blocks=blocks)


def is_daily_name(name: str) -> bool:
    """Whether a name is a day, by itself: such names are never merged and can be left out of pictures."""
    return roam.is_daily_title(name) or _ISO_DAY.fullmatch(name) is not None


def _note_things(source: Source, notes: Sequence[NoteRow]) -> dict[NoteKey, Thing]:
    """Of several notes with one title, the one nearest to the top is the plain one; the others are told by path."""
    things: dict[NoteKey, Thing] = {}
    taken: set[str] = set()
    for note in sorted(notes, key=lambda n: (n.key.count("/"), len(n.key), n.key)):
        things[note.key] = thing(source.id, "note", note.title, note.key if note.title in taken else "")
        taken.add(note.title)
    return things


def _spellings(links: Iterable[Link]) -> dict[str, str]:
    counts: dict[str, Counter[str]] = {}
    for tag in (link.target for link in links if link.kind is LinkKind.TAG):
        parts = [part for part in tag.split("/") if part]
        for count in range(1, len(parts) + 1):
            level = "/".join(parts[:count])
            counts.setdefault(level.casefold(), Counter())[level] += 1
    return {folded: min(found, key=lambda tag: (-found[tag], tag)) for folded, found in counts.items()}
