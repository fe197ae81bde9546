"""The names and the closed choices that all topics use. A front end that only needs these loads no dataclass."""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

SourceId = NewType("SourceId", str)

NoteKey = NewType("NoteKey", str)
"""Identity of a note inside its source: the path relative to the vault with ``/``, or the page uid."""


class SourceKind(StrEnum):
    OBSIDIAN = "obsidian"
    ROAM_EXPORT = "roam-export"
    ROAM_LOCAL = "roam-local"
    ROAM_CLOUD = "roam-cloud"

    @property
    def is_roam(self) -> bool:
        return self is not SourceKind.OBSIDIAN


class LinkKind(StrEnum):
    LINK = "link"
    EMBED = "embed"
    TAG = "tag"
    BLOCK = "block"
    """A Roam block reference; the target is a block uid."""
    URL = "url"


class PassageKind(StrEnum):
    PAGE = "page"
    BLOCK = "block"
    SECTION = "section"


class Severity(StrEnum):
    WARNING = "warning"
    """The note is indexed; something about it is odd."""
    SKIPPED = "skipped"
    FAILED = "failed"


class Mode(StrEnum):
    BOTH = "both"
    WORD = "word"
    MEANING = "meaning"


class Scope(StrEnum):
    PASSAGES = "passages"
    NOTES = "notes"
    BOTH = "both"


class Freshness(StrEnum):
    CURRENT = "current"
    CHANGED = "changed"
    """The note has changed since it was indexed."""
    GONE = "gone"
    UNKNOWN = "unknown"
    """Cannot be checked (a graph that is not open)."""


class Strength(StrEnum):
    STRONG = "strong"
    LIKELY = "likely"
    WEAK = "weak"


class LegState(StrEnum):
    USED = "used"
    SKIPPED = "skipped"
    FAILED = "failed"


class Outcome(StrEnum):
    COMPLETE = "complete"
    CANCELLED = "cancelled"
    OFFLINE = "offline"
    """The source could not be reached; the index is kept as it was."""
    BRAKED = "braked"
    """Too many notes vanished at once; nothing was removed. The owner decides."""
    WINDOW_CLOSED = "window-closed"
    """The graph's window was to be open and is not, so nothing was asked of Roam; see ``detail``."""


class Changed(StrEnum):
    SOURCES = "sources"
    NOTES = "notes"
    DECISIONS = "decisions"
    SETTINGS = "settings"


class NoteState(StrEnum):
    """How a note of a source stands, for the table that a person reads."""

    INDEXED = "indexed"
    STALE = "stale"
    """Changed, new or gone since the last run."""
    SKIPPED = "skipped"
    FAILED = "failed"


class Origin(StrEnum):
    WRITTEN = "written"
    """The owner wrote it, as a link, a tag, an attribute or a property."""
    INFERRED = "inferred"
    """A language model read it out of a passage; the quote proves it."""
