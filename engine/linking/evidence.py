"""What the notes hold for a question: the entities it names, what is near them, and numbered pieces of evidence. Pure.

Of many relations those stay that share rare words with the question, are sure, near, and not about a hub.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.knowledge.facts import MENTIONS
from engine.knowledge.graph import KnowledgeGraph
from engine.linking.proof import content_terms, spoken
from engine.model import Citation, Entity, Evidence, Hit, NoteKey, Origin, Relation, SourceId
from engine.text import words
from engine.text.snippets import best_sentence
from engine.text.stopwords import STOP_WORDS

MAX_SEEDS = 6
MAX_RELATIONS = 300
"""Relations looked at; of more the surest and rarest stay."""
MAX_PIECES = 24
SHORTEST_NAME = 3
QUOTE_LIMIT = 320
"""Characters of a piece, about."""
WIDEST = 60
"""Relations followed from one entity: a hub says little about any of its neighbours."""

Piece = tuple[Citation, frozenset[str]]
"""A piece of evidence and the terms that it speaks of."""


@dataclass(frozen=True, slots=True)
class Found:
    """All that was found for a question."""

    seeds: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    evidence: tuple[Citation, ...]
    """Numbered from 1, the best first."""


def seeds_in(question: str, graph: KnowledgeGraph, limit: int = MAX_SEEDS) -> list[Entity]:
    """Entities whose name or alias stands in the question, longest names first; a name inside a longer one counts
    with the longer one."""
    folded = f" {words.fold(question)} "
    stops = {word for known in STOP_WORDS.values() for word in known}
    found: dict[str, list[Entity]] = {}
    for entity in graph.entities.values():
        for name in {words.fold(one) for one in (entity.name, *entity.aliases)}:
            if len(name) >= (SHORTEST_NAME if name.isascii() else 2) and name not in stops and name in folded:
                found.setdefault(name, []).append(entity)
    seeds: dict[str, Entity] = {}
    taken = [False] * len(folded)
    for name in sorted(found, key=lambda one: (-len(one), one)):
        at = _free_place(folded, name, taken)
        if at >= 0:
            taken[at : at + len(name)] = [True] * len(name)
            for entity in sorted(found[name], key=lambda one: (not one.is_written, -one.degree, one.id)):
                seeds.setdefault(entity.id, entity)
    return list(seeds.values())[:limit]


def _free_place(text: str, name: str, taken: Sequence[bool]) -> int:
    """Where ``name`` stands by itself and no longer name does; -1 when nowhere."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        is_whole = not name.isascii() or not (text[at - 1].isalnum() or text[end].isalnum())
        if is_whole and not any(taken[at:end]):
            return at
        at = text.find(name, at + 1)
    return -1


def around(graph: KnowledgeGraph, seeds: Iterable[str], hops: int) -> dict[int, int]:
    """Relation id -> hops from the nearest seed, from 1; the surest and rarest when there are too many."""
    distance: dict[int, int] = {}
    reached = dict.fromkeys(seeds)
    border = list(reached)
    for hop in range(1, hops + 1):
        following: dict[str, None] = {}
        for entity in border:
            for relation in sorted(graph.touching(entity), key=lambda one: (-_worth(graph, one), one.id))[:WIDEST]:
                distance.setdefault(relation.id, hop)
                other = graph.other(relation, entity)
                if other not in reached:
                    following[other] = None
        reached |= following
        border = list(following)
    kept = sorted(distance, key=lambda one: (distance[one], -_worth(graph, graph.relations[one]), one))
    return {number: distance[number] for number in kept[:MAX_RELATIONS]}


def _worth(graph: KnowledgeGraph, relation: Relation) -> float:
    """Confidence, less for ends that touch everything, and for bare mentions."""
    degree = max(graph.entities[end].degree for end in (relation.subject, relation.object))
    plain = 0.7 if relation.predicate == MENTIONS else 1.0
    return relation.confidence * plain / math.log2(2 + degree)


def gather(question: str, graph: KnowledgeGraph, hits: Sequence[Hit], titles: Mapping[tuple[SourceId, NoteKey], str],
           hops: int) -> Found:  # fmt: skip
    """The entities of the question, what is around them and around the notes that search found, as numbered pieces."""
    seeds = seeds_in(question, graph)
    near = [
        graph.by_note[hit.source, hit.anchor.note] for hit in hits if (hit.source, hit.anchor.note) in graph.by_note
    ]
    starts = list(dict.fromkeys([*(seed.id for seed in seeds), *near]))[: MAX_SEEDS + 2]
    distance = around(graph, starts, hops)
    pieces = [_passage_piece(hit, question, rank) for rank, hit in enumerate(hits)]
    for number, hop in distance.items():
        pieces.extend(_relation_pieces(graph, graph.relations[number], titles, hop))
    best = _best(question, pieces)
    used = dict.fromkeys(one.relation for one in best if one.relation is not None)
    return Found(tuple(seeds), tuple(graph.relations[number] for number in used), tuple(best))


@dataclass(frozen=True, slots=True)
class _Candidate:
    citation: Citation
    terms: frozenset[str]
    prior: float
    """What it is worth apart from the words it shares, 0 to 1."""


def _passage_piece(hit: Hit, question: str, rank: int) -> _Candidate:
    text = hit.text
    if len(text) > QUOTE_LIMIT:
        text = best_sentence(text, words.query_words(question))[: 2 * QUOTE_LIMIT]
    evidence = Evidence(hit.source, hit.anchor.note, hit.anchor, text, Origin.WRITTEN, at=hit.created or hit.modified)
    terms = spoken("\n".join((*hit.breadcrumb, text)))
    return _Candidate(Citation(0, evidence, hit.title), terms, 0.9 / (1 + rank / 4))


def _relation_pieces(
    graph: KnowledgeGraph, relation: Relation, titles: Mapping[tuple[SourceId, NoteKey], str], hop: int
) -> list[_Candidate]:
    """A relation with its two best quotes."""
    said = statement(graph, relation)
    prior = _worth(graph, relation) / hop
    pieces = []
    for evidence in relation.evidence[:2]:
        title = titles.get((evidence.source, evidence.note), evidence.note)
        terms = spoken(f"{said}\n{evidence.quote}")
        pieces.append(_Candidate(Citation(0, evidence, title, said, relation.id), terms, prior))
    return pieces


def statement(graph: KnowledgeGraph, relation: Relation) -> str:
    """A relation as a sentence without a full stop."""
    ends = [graph.entities[end].name for end in (relation.subject, relation.object)]
    return f"{ends[0]} {relation.predicate.replace('_', ' ')} {ends[1]}"


def _best(question: str, candidates: Sequence[_Candidate]) -> list[Citation]:
    """The best pieces, each block's words once, numbered."""
    weights = term_weights(question, [one.terms for one in candidates])
    total = sum(weights.values()) or 1.0

    def score(one: _Candidate) -> float:
        return sum(weight for term, weight in weights.items() if term in one.terms) / total + 0.3 * one.prior

    kept: dict[tuple[object, ...], Citation] = {}
    for one in sorted(candidates, key=lambda one: (-score(one), one.citation.evidence.quote)):
        evidence = one.citation.evidence
        place = (evidence.source, evidence.note, evidence.anchor.uid, evidence.anchor.first_line)
        is_new = place not in kept or (plain(evidence.quote) not in plain(kept[place].evidence.quote))
        if is_new and len(kept) < MAX_PIECES:
            kept.setdefault((*place, evidence.quote) if place in kept else place, one.citation)
    return [_numbered(citation, number) for number, citation in enumerate(kept.values(), 1)]


def _numbered(citation: Citation, number: int) -> Citation:
    return Citation(number, citation.evidence, citation.title, citation.statement, citation.relation)


def term_weights(question: str, pieces: Sequence[frozenset[str]]) -> dict[str, float]:
    """The words that matter in a question and how rare each is among the pieces; unheard ones weigh most."""
    counts = Counter(term for piece in pieces for term in piece)
    wanted = content_terms(question)
    return {term: math.log(1 + (1 + len(pieces)) / (1 + counts[term])) for term in wanted}


def plain(quote: str) -> str:
    """A quote without Roam's brackets, in one line, for people and models."""
    return " ".join(quote.replace("[[", "").replace("]]", "").split())


def as_text(citation: Citation) -> str:
    """A piece as a model reads it."""
    said = f"{citation.statement}: " if citation.statement else ""
    return f"{said}“{plain(citation.evidence.quote)}” (note: {citation.title})"
