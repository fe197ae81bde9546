"""What the library tells of itself: reports of runs, the state of sources, what was found on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.model.notes import Problem, Source, SourceId, SourceKind


class Outcome(StrEnum):
    COMPLETE = "complete"
    CANCELLED = "cancelled"
    OFFLINE = "offline"
    """The source could not be reached; the index is kept as it was."""
    BRAKED = "braked"
    """Too many notes vanished at once; nothing was removed. The owner decides."""
    WINDOW_CLOSED = "window-closed"
    """The graph's window was to be open and is not, so nothing was asked of Roam; see ``detail``."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    source: SourceId
    outcome: Outcome
    notes: int = 0
    """Notes that the source holds now, skipped and failed ones included."""
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    moved: int = 0
    removed: int = 0
    skipped: int = 0
    failed: int = 0
    warnings: int = 0
    passages: int = 0
    """Passages in the index after the run."""
    embedded: int = 0
    reused: int = 0
    """Passages written in this run whose vector was known already."""
    omitted: Mapping[str, int] = field(default_factory=dict)
    trimmed: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    seconds: float = 0.0
    embed_seconds: float = 0.0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What the library knows of a source, for lists and for ``status``."""

    source: Source
    state: str
    """new, indexed, partial, offline, damaged, locked."""
    notes: int = 0
    passages: int = 0
    vectors: int = 0
    """Passages that have a vector of the source's model."""
    skipped: int = 0
    failed: int = 0
    warnings: int = 0
    indexed_at: float | None = None
    behind_by: int = 0
    model: str = ""
    bytes_on_disk: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)
    """Notes by language."""
    encrypted: bool = False
    detail: str = ""
    dimensions: int = 0
    """Of the model's vectors; 0 when there is no index yet."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """A vault or graph found on this machine."""

    kind: SourceKind
    name: str
    location: str
    registered: bool = False
    detail: str = ""
    notes: int | None = None
    """Rough number of notes, when cheap to know."""


@dataclass(frozen=True, slots=True)
class ServiceState:
    """A network service and its switch."""

    name: str
    title: str
    leaves: str
    """What leaves the machine when it is used, in words for the person."""
    is_on: bool


class Changed(StrEnum):
    SOURCES = "sources"
    NOTES = "notes"
    DECISIONS = "decisions"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class Changes:
    """What a verb changed; screens choose whether to refresh."""

    kinds: frozenset[Changed]
    sources: frozenset[SourceId] = frozenset()
