"""A note as it is shown: its outline, text and links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.model.kinds import Freshness, NoteKey
from engine.model.notes import Source


@dataclass(frozen=True, slots=True)
class OutlineBlock:
    """One block of a Roam page, for the preview."""

    uid: str
    depth: int
    raw: str
    text: str


@dataclass(frozen=True, slots=True)
class NoteView:
    """A note as the preview shows it."""

    source: Source
    key: NoteKey
    title: str
    markdown: str = ""
    """The file's own text, read now (Obsidian); empty for Roam."""
    outline: tuple[OutlineBlock, ...] = ()
    path: str = ""
    """Absolute path of the file; empty for Roam."""
    freshness: Freshness = Freshness.CURRENT
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    created: float | None = None
    modified: float | None = None
    references: Mapping[str, str] = field(default_factory=dict)
    """Block uid -> text, for the ``((references))`` that the outline makes."""


@dataclass(frozen=True, slots=True)
class NoteLink:
    """A note that another one links to, or that links to it."""

    note: NoteKey
    title: str
    is_incoming: bool


@dataclass(frozen=True, slots=True)
class Contents:
    """What sources hold, for browsing: pairs of a name and a count."""

    folders: tuple[tuple[str, int], ...] = ()
    """Paths from the vault's root, sorted, with the notes in and below them."""
    pages: tuple[tuple[str, int], ...] = ()
    """Pages of graphs with their blocks, the fullest first; daily pages are left out."""
    tags: tuple[tuple[str, int], ...] = ()
    """With the notes that have them, the most frequent first."""
    collections: tuple[tuple[str, int], ...] = ()
    """Notes that hold open ``tasks``, are ``daily`` notes, were ``modified`` or ``created`` within a week."""
