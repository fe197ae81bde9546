"""The values that cross rooms: frozen dataclasses, no behaviour beyond small derived properties.

Words are those of the product: a *source* is one registered vault, graph or export; a *note* is one
Markdown file or one Roam page; a *passage* is what is retrieved; an *anchor* says where it stands; a *leg*
is one ranking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType, TypeAlias

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


class LinkKind(StrEnum):
    LINK = "link"
    EMBED = "embed"
    TAG = "tag"
    BLOCK = "block"
    """A Roam block reference; the target is a block uid."""
    URL = "url"


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


class PassageKind(StrEnum):
    PAGE = "page"
    BLOCK = "block"
    SECTION = "section"


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
    """``todo`` or ``done`` when the passage holds a task, else empty."""
    embed_input: str = ""
    """The text that the model sees, see ``text/embed_input.py``."""
    hash: str = ""
    """SHA-256 hex of ``embed_input``: equal hash, equal vector."""


class Severity(StrEnum):
    WARNING = "warning"
    """The note is indexed; something about it is odd."""
    SKIPPED = "skipped"
    FAILED = "failed"


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


@dataclass(frozen=True, slots=True)
class NoteRef:
    """A note that exists in the source now, before it is read."""

    key: NoteKey
    revision: str
    """Opaque; equal revision means unchanged, so the note is not read."""
    modified: float | None = None
    size: int = 0
    title: str = ""


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


# --- searching ---------------------------------------------------------------------------------------------------


class Mode(StrEnum):
    BOTH = "both"
    WORD = "word"
    MEANING = "meaning"


class Scope(StrEnum):
    PASSAGES = "passages"
    NOTES = "notes"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    text: str
    sources: tuple[str, ...] = ()
    """Names or ids; empty means all that are searched by default."""
    limit: int = 20
    """Note rows."""
    offset: int = 0
    mode: Mode = Mode.BOTH
    scope: Scope = Scope.PASSAGES
    min_score: float | None = None
    typing: bool = False
    """The last word may be unfinished (matched by prefix)."""
    fusion: str = ""
    """Empty means the default of the settings."""
    explain: bool = False
    refresh: bool = False
    """Bring graphs that were read too long ago up to date first, within the time that the settings allow."""


@dataclass(frozen=True, slots=True)
class Leg:
    """What one ranking said about one hit."""

    name: str
    """``word``, ``meaning`` or ``note``."""
    rank: int
    """1-based."""
    score: float
    """BM25F or cosine."""
    share: float
    """Part of the fused score that comes from this leg."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a hit is where it is."""

    matched: tuple[tuple[str, str, float], ...] = ()
    """(term as in the query, field, contribution)."""
    missing: tuple[str, ...] = ()
    """Query words that the passage does not hold."""
    fusion: str = ""


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


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage found, with all that a result row shows: nothing more is asked for."""

    source: SourceId
    source_name: str
    source_kind: SourceKind
    passage_id: int
    kind: PassageKind
    anchor: Anchor
    title: str
    breadcrumb: tuple[str, ...]
    text: str
    snippet: str
    spans: tuple[tuple[int, int], ...]
    """Highlights in ``snippet``: character offsets [start, end)."""
    score: float
    legs: tuple[Leg, ...]
    strength: Strength = Strength.LIKELY
    created: float | None = None
    modified: float | None = None
    freshness: Freshness = Freshness.CURRENT
    tags: tuple[str, ...] = ()
    is_daily: bool = False
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class NoteHits:
    """One row of the result: a note, its best passage first, the others beneath."""

    source: SourceId
    note: NoteKey
    title: str
    score: float
    hits: tuple[Hit, ...]


class LegState(StrEnum):
    USED = "used"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LegHealth:
    name: str
    state: LegState
    why: str = ""


@dataclass(frozen=True, slots=True)
class HiddenByFilter:
    """What the operators of the query kept out."""

    passages: int
    best_title: str = ""
    best_score: float = 0.0
    better_outside: bool = False
    """True only when the best hidden passage scores above the best one shown."""


@dataclass(frozen=True, slots=True)
class SearchAge:
    """How old the answer is, per source."""

    source: SourceId
    source_name: str
    indexed_at: float | None
    behind_by: int = 0
    """Notes known to have changed since."""
    refresh: str = ""
    """fresh, refreshed, refresh-failed, window-closed, disabled, or empty for sources that watch files."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    rows: tuple[NoteHits, ...]
    legs: tuple[LegHealth, ...]
    notices: tuple[str, ...] = ()
    corrected: tuple[tuple[str, str], ...] = ()
    """(word as typed, word searched instead)."""
    hidden: HiddenByFilter | None = None
    ages: tuple[SearchAge, ...] = ()
    total: int = 0
    """Passages that either leg found before the limit."""
    seconds: float = 0.0
    nothing_relevant: bool = False
    """Measured: the best hit is no better than chance."""


@dataclass(frozen=True, slots=True)
class RelatedNote:
    """A note near another one."""

    row: NoteHits
    is_linked: bool = False
    """Either note links to the other already."""
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two notes that say nearly the same; a proposal for a person to look at, never acted on."""

    source: SourceId
    note: NoteKey
    title: str
    other_source: SourceId
    other_note: NoteKey
    other_title: str
    cosine: float
    shared_words: float
    """Part of the words of the shorter note that the other holds too, 0 to 1."""


@dataclass(frozen=True, slots=True)
class LegPlace:
    """Where one leg puts a note for a query."""

    name: str
    rank: int = 0
    """Among notes, 1-based; 0 when the leg does not rank it."""
    score: float = 0.0
    best_title: str = ""
    """The note that this leg puts first."""
    best_score: float = 0.0


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a note is or is not found: everything that stands between it and the result."""

    note: str
    source_name: str = ""
    is_known: bool = False
    state: str = ""
    """indexed, skipped, failed, or empty when the index does not know the note."""
    indexed_at: float | None = None
    freshness: Freshness = Freshness.UNKNOWN
    passages: int = 0
    vectors: int = 0
    reasons: tuple[str, ...] = ()
    """Sentences: excluded by which rule, trimmed, hidden by which condition."""
    places: tuple[LegPlace, ...] = ()
    rank: int = 0
    """In the fused result, 1-based among notes; 0 when not in it."""
    near: tuple[str, ...] = ()
    """Titles like the one asked for, when it is not known."""


# --- indexing ----------------------------------------------------------------------------------------------------


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
class QueryPart:
    """An operator of a query as it is written, at characters [start, end)."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A text that may take the place of characters [start, end) of a query."""

    text: str
    start: int
    end: int
    count: int = 0
    """Notes that hold it; 0 where none are counted."""


@dataclass(frozen=True, slots=True)
class QueryHelp:
    """What a query consists of, and how it may go on at the cursor."""

    parts: tuple[QueryPart, ...] = ()
    completions: tuple[Completion, ...] = ()


# --- vectors and models -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came out when a sample of stored vectors was made again and compared."""

    index: str
    """``plugin`` (Smart Connections) or ``own``."""
    model: str
    least: float
    """What the worst cosine must exceed."""
    compared: int = 0
    worst: float = 1.0
    worst_of: str = ""
    """Path of the note, and the block, with the worst cosine."""
    mean: float = 1.0
    norm_error: float = 0.0
    """Largest distance of a stored vector's length from 1."""
    reason: str = ""
    """Why nothing was compared."""

    @property
    def has_passed(self) -> bool:
        return self.compared > 0 and self.worst > self.least and self.norm_error <= 0.01


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """An embedding model as the settings show it."""

    id: str
    """Name of its folder."""
    name: str
    licence: str
    """SPDX identifier; empty when not known."""
    dimensions: int
    languages: frozenset[str]
    """Empty means many, or not known."""
    bytes_on_disk: int
    is_here: bool
    """Its files are on this machine."""
    sha256: str
    """Of the weights, as recorded when they were taken in; empty when not recorded."""
    note: str
    used_by: tuple[str, ...] = ()
    """Names of the sources that are indexed with it."""


# --- the knowledge graph -----------------------------------------------------------------------------------------


class Origin(StrEnum):
    WRITTEN = "written"
    """The owner wrote it, as a link, a tag, an attribute or a property."""
    INFERRED = "inferred"
    """A language model read it out of a passage; the quote proves it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The proof of an entity or a relation: the words of one block."""

    source: SourceId
    note: NoteKey
    anchor: Anchor
    quote: str
    """Verbatim part of the block, never empty."""
    origin: Origin
    confidence: float = 1.0
    model: str = ""
    prompt_version: str = ""
    at: float | None = None
    """When the block was written or changed, seconds since the epoch."""
    state: str = "resolved"
    """Of the link that it is: ``resolved``, ``unresolved`` (no note of that name yet) or ``ambiguous`` (several)."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing the notes speak of. ``id`` is stable over re-indexing: it comes from type and name."""

    id: str
    name: str
    type: str
    """note, page, tag, person, org, project, place, concept, event, tool or source."""
    aliases: tuple[str, ...] = ()
    is_written: bool = True
    """False for names that are linked to or spoken of but have no note of their own."""
    is_daily: bool = False
    degree: int = 0
    sources: tuple[SourceId, ...] = ()
    """Where it is spoken of."""
    notes: tuple[tuple[SourceId, NoteKey], ...] = ()
    """The notes that are about it: more than one when entities were merged."""
    members: tuple[str, ...] = ()
    """Ids of the entities that it was merged from, itself included; empty when it was not."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One edge with at least one piece of evidence."""

    id: int
    subject: str
    """Entity id."""
    predicate: str
    """``mentions``, the slug of an attribute, or what a model called it; snake_case."""
    object: str
    """Entity id."""
    origin: Origin
    confidence: float
    evidence: tuple[Evidence, ...] = ()


# --- what language models add to the graph -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Choice:
    """Which passages of a source are meant; empty fields mean all."""

    subtree: str = ""
    """Title or key of a note, or uid of a block, with all beneath it."""
    folder: str = ""
    tag: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True)
class ExtractReport:
    source: SourceId
    outcome: Outcome
    passages: int = 0
    """Passages that qualify; of these ``called + cached + len(problems)`` were looked at."""
    called: int = 0
    cached: int = 0
    """Answered before, so without a call."""
    facts: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    """Claims of the model that were not taken, counted by reason."""
    written: int = 0
    """Places in the notes whose facts changed in the graph."""
    problems: tuple[Problem, ...] = ()
    """Passages for which the model gave no usable answer."""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an extraction would take, before it is started."""

    passages: int
    cached: int
    calls: int
    tokens_in: int
    tokens_out: int
    model: str
    server: str
    price: float | None = None
    """US dollars by the provider's catalogue of this moment; None when it names no price."""
    seconds: float | None = None
    """By the measured sample; None without one."""
    sample: int = 0
    """Calls that the answer length and the time were measured on; 0: the length is assumed."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One numbered piece of evidence that an answer may lean on."""

    number: int
    """From 1, as in the answer's ``[1]``."""
    evidence: Evidence
    title: str
    """Of the note."""
    statement: str = ""
    """The relation in words; empty for a passage that search found."""
    relation: int | None = None
    """Id of the relation that it proves."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer, without its marks."""

    text: str
    citations: tuple[int, ...] = ()
    is_supported: bool = True
    """Its cited quotes speak of what it says; False also when it cites nothing."""


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    question: str
    text: str
    """With marks like ``[1]``; empty when the evidence does not suffice."""
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    """The pieces that the answer cites, by number."""
    is_sufficient: bool = False
    missing: str = ""
    """What is not in the notes, when they do not suffice."""
    invalid_citations: tuple[int, ...] = ()
    """Numbers in the model's answer that no evidence has."""
    looked_for: tuple[str, ...] = ()
    """Names of the entities and words that were looked for."""
    entities: tuple[Entity, ...] = ()
    """The sub-graph used."""
    relations: tuple[Relation, ...] = ()
    evidence: tuple[Citation, ...] = ()
    """All that the model was given, by number."""
    model: str = ""
    """Empty: the answer is made of the notes' own sentences."""
    prompt_version: str = ""
    notices: tuple[str, ...] = ()
    seconds: float = 0.0


# --- the graph as the window draws it ----------------------------------------------------------------------------

Cell: TypeAlias = tuple[int, int]
"""A place on the map."""


@dataclass(frozen=True, slots=True)
class GraphView:
    """The whole graph as plain values."""

    entities: tuple[Entity, ...]
    """In order of name."""
    relations: tuple[Relation, ...]
    """``relations[i].id == i``."""
    communities: tuple[int, ...] = ()
    """Of each entity, the number of the community that it belongs to; -1: to none."""
    community_labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LayoutRequest:
    """Things to be given places on the map, by number."""

    previous: tuple[Cell | None, ...]
    """Where each stood before; None for what is new."""
    edges: tuple[tuple[int, int], ...]
    groups: tuple[int, ...]
    """Number of the community of each."""
    pinned: tuple[int, ...] = ()
    """Those that never leave their cell."""


@dataclass(frozen=True, slots=True)
class Route:
    """A way through the graph from one entity to another."""

    entities: tuple[str, ...]
    hops: tuple[tuple[int, ...], ...]
    """For each step the ids of all relations that make it."""
