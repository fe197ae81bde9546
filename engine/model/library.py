"""What the library tells of itself: reports of runs, the state of sources, what was found on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.model.kinds import Changed, NoteKey, NoteState, Outcome, SourceId, SourceKind
from engine.model.notes import Problem, Source


@dataclass(frozen=True, slots=True)
class IndexReport:
    source: SourceId
    outcome: Outcome
    notes: int = 0
    """Notes that the source holds now, skipped and failed ones included."""
    """After a run that saw everything: added + changed + moved + unchanged + skipped + failed."""
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
    """new, indexed, partial, offline, braked, or the kind of error that keeps its index shut, in small letters
    (passphraseneeded, wrongkey, keychainunavailable, indexdamaged ...)."""
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
    advice: str = ""
    """What the owner should know about the place of the notes: a service copies them elsewhere."""


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
    indexed: int | None = None
    """Notes in its index; None when it has none."""
    window: str = ""
    """Of a graph: ``open``, ``closed`` or ``unknown``."""
    has_token: bool = True

    @property
    def address(self) -> str:
        """What ``Library.add`` takes for it."""
        return f"roam:{self.location}" if self.kind is SourceKind.ROAM_LOCAL else self.location


@dataclass(frozen=True, slots=True)
class ServiceState:
    """A network service and its switch."""

    name: str
    title: str
    leaves: str
    """What leaves the machine when it is used, in words for the person."""
    is_on: bool


@dataclass(frozen=True, slots=True)
class Changes:
    """What a verb changed; screens choose whether to refresh."""

    kinds: frozenset[Changed]
    sources: frozenset[SourceId] = frozenset()


@dataclass(frozen=True, slots=True)
class NoteStatus:
    """One note of a source with its state, and why it has it."""

    key: NoteKey
    """Empty for what is no note of the index: a file that was passed over."""
    label: str
    """Path or page title, as the person knows it."""
    state: NoteState
    reason: str = ""
    modified: float | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One index run that is over, whoever asked for it."""

    source: SourceId
    name: str
    finished_at: float
    """Seconds since the epoch."""
    report: IndexReport
    """Without its problems, which ``problems`` lists as they are now."""


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A connection that was made, or refused."""

    time: float
    service: str
    host: str
    why: str
    outcome: str
    sent: int
    received: int


@dataclass(frozen=True, slots=True)
class KeychainEntry:
    """A secret that Lamplight may keep in the system's keychain. Never the secret itself."""

    title: str
    """``{name}`` stands for ``name``."""
    is_present: bool | None
    """None when the keychain does not tell; see ``detail``."""
    detail: str = ""
    name: str = ""
    """Of the graph that the secret belongs to."""


@dataclass(frozen=True, slots=True)
class ModelOffer:
    """What a list of files offers for download, for the person to agree to."""

    model: str
    name: str
    licence: str
    bytes: int
    hosts: tuple[str, ...]
    leaves: str
    """What leaves the machine when it is fetched, in words for the person."""


@dataclass(frozen=True, slots=True)
class PowerState:
    """What the machine runs on, and for how long nobody has touched it. None: it does not tell."""

    on_battery: bool | None = None
    idle_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Release:
    """A version of Lamplight, on the word of its makers."""

    version: str
    """Three numbers with dots."""
    commit: str
    """As ``lamplight --version`` of that release says it."""
    page: str
    """Where a person reads about it and gets it."""
