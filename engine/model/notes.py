"""What is read: sources, their notes and passages, links, anchors and problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.model.kinds import LinkKind, NoteKey, PassageKind, Severity, SourceId, SourceKind


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What the owner chose for one source. Defaults are what most people want."""

    daily_notes: bool = True
    include: tuple[str, ...] = ()
    """Globs on note paths; empty means everything."""
    exclude: tuple[str, ...] = ()
    search_by_default: bool = True
    model: str = ""
    """Model id; empty means the built-in one."""
    max_age_seconds: int = 3600
    """Refresh before a search when the last capture is older; negative means never."""
    require_open_window: bool = True
    """Roam graphs: automatic refreshes only when the graph's window is open."""


@dataclass(frozen=True, slots=True)
class Source:
    id: SourceId
    kind: SourceKind
    name: str
    """Shown and typed by people; unique in the library, compared without case."""
    location: str
    """Absolute path of the vault or export, or canonical name of the graph."""
    options: SourceOptions = SourceOptions()


@dataclass(frozen=True, slots=True)
class Link:
    """One reference that a note makes, as written."""

    kind: LinkKind
    target: str
    """Note name or path, page title, tag without ``#``, block uid, or URL."""
    fragment: str = ""
    """What follows the target: heading path ``A#B`` or ``^block-id``."""
    label: str = ""
    attribute: str = ""
    """Name of the attribute, property or inline field in whose value the link stands."""
    passage: int = -1
    """Ordinal of the passage it stands in; -1 when it stands in the properties."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a passage stands. Lines are file lines, 1-based and inclusive; 0 means none."""

    note: NoteKey
    uid: str = ""
    headings: tuple[str, ...] = ()
    first_line: int = 0
    last_line: int = 0
    block_id: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """What is retrieved: a Roam page or block, or a section (or a window of one) of a Markdown note."""

    kind: PassageKind
    ordinal: int
    """Position in its note, from 0."""
    anchor: Anchor
    text: str
    """Cleaned text, as shown and searched."""
    breadcrumb: tuple[str, ...]
    """Note title, then ancestors or headings, root first."""
    concepts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    context: str = ""
    raw: str = ""
    """Markup as written when it is not in a file of its own (Roam); empty otherwise."""
    depth: int = 0
    created: float | None = None
    modified: float | None = None
    task: str = ""
    """``todo``, ``done`` or, where the passage holds tasks of both kinds, ``todo done``; empty without a task."""
    embed_input: str = ""
    """The text that the model sees, see ``text/embed_input.py``."""
    hash: str = ""
    """SHA-256 hex of ``embed_input``: equal hash, equal vector."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of the index report: what, where, why."""

    severity: Severity
    note: str
    """Note path or page title, as the person knows it."""
    reason: str
    code: str
    """Short stable name of the reason (``empty``, ``bad-yaml``, ``not-downloaded`` ...)."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Note:
    """One note, parsed. Times are seconds since the epoch."""

    key: NoteKey
    title: str
    revision: str
    content_hash: str
    """SHA-256 hex of the note's own content, without its name: a moved note keeps it."""
    passages: tuple[Passage, ...] = ()
    links: tuple[Link, ...] = ()
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    properties: Mapping[str, object] = field(default_factory=dict)
    """Front matter or page attributes; JSON-compatible values."""
    language: str = ""
    """ISO 639-1 code, empty when unknown."""
    created: float | None = None
    modified: float | None = None
    is_daily: bool = False
    size: int = 0
    """Bytes (files) or characters (Roam)."""
    problems: tuple[Problem, ...] = ()
    omitted: Mapping[str, int] = field(default_factory=dict)
    """Blocks or sections left out, counted by reason."""
    trimmed: Mapping[str, int] = field(default_factory=dict)
    """Characters of noise trimmed, counted by kind (``base64``, ``drawing``, ``query``)."""
    front_matter: str = ""
    """The properties as they are written at the top of a file, between its ``---`` lines; proof of what they say."""


@dataclass(frozen=True, slots=True)
class NoteRef:
    """A note that exists in the source now, before it is read."""

    key: NoteKey
    revision: str
    """Opaque; equal revision means unchanged, so the note is not read."""
    modified: float | None = None
    size: int = 0
    title: str = ""
    label: str = ""
    """What the report calls it where that is not its title: the path of a file."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What a source holds now."""

    refs: tuple[NoteRef, ...]
    problems: tuple[Problem, ...] = ()
    """Files skipped before reading, with the reason."""
    complete: bool = True
    """False when a part could not be listed: then nothing that is missing counts as removed."""
    kept: frozenset[NoteKey] = frozenset()
    """Notes that exist but cannot be read now (not downloaded): their old text stays."""
