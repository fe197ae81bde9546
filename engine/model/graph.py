"""The knowledge graph: entities and relations with their evidence, answers, and the graph as it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from engine.model.kinds import NoteKey, Origin, Outcome, SourceId
from engine.model.notes import Anchor, Problem


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
    calls: int = 0
    """Questions put to the model; one may have been about several passages."""


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


Cell: TypeAlias = tuple[int, int]
"""A place on the map."""


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
