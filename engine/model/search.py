"""What is asked and what is answered: requests, hits with their explanations, related notes, and why not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.model.kinds import Freshness, LegState, Mode, NoteKey, PassageKind, Scope, SourceId, SourceKind, Strength
from engine.model.notes import Anchor

NOTHING_ASKED = "nothing was asked"
"""Why no leg answers a query without words and conditions."""


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

    @property
    def is_ranked(self) -> bool:
        """False where a query of conditions alone found it: nothing says how well it fits."""
        return any(leg.name != "filter" for leg in self.legs)


@dataclass(frozen=True, slots=True)
class NoteHits:
    """One row of the result: a note, its best passage first, the others beneath."""

    source: SourceId
    note: NoteKey
    title: str
    score: float
    hits: tuple[Hit, ...]


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

    def with_ages(self, ages: Iterable[SearchAge]) -> SearchResult:
        """The same with what bringing its sources up to date came to."""
        known = {age.source: age for age in ages}
        return replace(self, ages=tuple(known.get(age.source, age) for age in self.ages))


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
    """Of its passage among all passages, 1-based, as in ``Leg``; 0 when the leg does not rank it."""
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
