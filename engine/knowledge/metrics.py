"""How good a knowledge graph is, as numbers between 0 and 1. Pure; rates are rounded to four places."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from engine.knowledge.facts import Fact, Naming, Thing
from engine.knowledge.graph import KnowledgeGraph
from engine.model import GraphAnswer, Origin

PLACES = 4

Triple: TypeAlias = tuple[str, str, str]
"""Subject, predicate, object; names in their plain form."""
Pair: TypeAlias = frozenset[str]


@dataclass(frozen=True, slots=True)
class Score:
    precision: float
    recall: float
    f1: float
    true_positives: int
    false_positives: int
    false_negatives: int


@dataclass(frozen=True, slots=True)
class Resolution:
    over_merge_rate: float
    """Part of the pairs put together that belong apart; 0 when none were put together."""
    missed_merge_rate: float
    """Part of the pairs that belong together and were left apart."""
    singleton_groups: int
    total_groups: int


@dataclass(frozen=True, slots=True)
class Provenance:
    """All three must be 1."""

    node_coverage: float
    edge_coverage: float
    quote_coverage: float
    """Of what models read: evidence with a quote."""


@dataclass(frozen=True, slots=True)
class LinkBaseline:
    """What models read compared with what the owner linked: pairs of entities, without direction."""

    inferred_pairs: int
    written_pairs: int
    agreement: float
    """Part of the inferred pairs that are linked too."""
    novel: int
    """Inferred pairs that no link joins."""


@dataclass(frozen=True, slots=True)
class Grounding:
    answers: int
    with_citations: int
    citation_rate: float
    """Part of the answers given that cite at least one piece of evidence."""
    hallucinated_citation_rate: float
    """Part of all citations that name no evidence."""
    unsupported_sentence_rate: float
    declared_insufficient: int
    insufficient_rightly: int
    """Of the questions that the notes cannot answer, those declared so."""
    correct: int
    """Answers that hold every word expected."""


def plain_name(name: str) -> str:
    """Without case, dots and hyphens, white space collapsed: the form in which names are compared."""
    return " ".join(re.sub(r"[.\-]", " ", name.casefold()).split())


def score(found: Collection[object], gold: Collection[object]) -> Score:
    """Precision is 1 when nothing was found, recall when nothing was to be found."""
    ours, theirs = set(found), set(gold)
    right = len(ours & theirs)
    precision = right / len(ours) if ours else 1.0
    recall = right / len(theirs) if theirs else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Score(_r(precision), _r(recall), _r(f1), right, len(ours) - right, len(theirs) - right)


def without_predicate(triples: Iterable[Triple]) -> set[Pair]:
    """The ends alone, in either direction."""
    return {frozenset((subject, object_)) for subject, _, object_ in triples}


def pairs(groups: Iterable[Collection[str]]) -> set[Pair]:
    """Every two names of one group."""
    return {frozenset(pair) for group in groups for pair in combinations(sorted(set(group)), 2)}


def resolution(found: Sequence[Collection[str]], gold: Sequence[Collection[str]]) -> Resolution:
    ours, theirs = pairs(found), pairs(gold)
    over = len(ours - theirs) / len(ours) if ours else 0.0
    missed = len(theirs - ours) / len(theirs) if theirs else 0.0
    return Resolution(_r(over), _r(missed), sum(1 for group in found if len(group) == 1), len(found))


def provenance(things: Sequence[Thing], names: Sequence[Naming], facts: Sequence[Fact]) -> Provenance:
    proven = {naming.thing.id for naming in names if naming.evidence.quote.strip()}
    proven |= {end.id for fact in facts if fact.evidence.quote.strip() for end in (fact.subject, fact.object)}
    edges = [bool(fact.evidence.note and (fact.evidence.quote.strip())) for fact in facts]
    inferred = [bool(f.evidence.quote.strip()) for f in facts if f.evidence.origin is Origin.INFERRED]
    return Provenance(
        _share([one.id in proven for one in things], empty=1.0), _share(edges, empty=1.0), _share(inferred, empty=1.0)
    )


def link_baseline(graph: KnowledgeGraph) -> LinkBaseline:
    by_origin: dict[Origin, set[Pair]] = {Origin.WRITTEN: set(), Origin.INFERRED: set()}
    for relation in graph.relations:
        for evidence in relation.evidence:
            by_origin[evidence.origin].add(frozenset((relation.subject, relation.object)))
    inferred, written = by_origin[Origin.INFERRED], by_origin[Origin.WRITTEN]
    shared = len(inferred & written)
    agreement = shared / len(inferred) if inferred else 0.0
    return LinkBaseline(len(inferred), len(written), _r(agreement), len(inferred) - shared)


def grounding(answers: Sequence[GraphAnswer], expected: Sequence[Sequence[str]]) -> Grounding:
    """``expected``: for each answer the words that it must hold; none when the notes cannot answer the question."""
    given = [answer for answer in answers if answer.is_sufficient]
    with_citations = sum(1 for answer in given if answer.citations)
    valid = sum(len(sentence.citations) for answer in answers for sentence in answer.sentences)
    invented = sum(len(answer.invalid_citations) for answer in answers)
    sentences = [sentence.is_supported for answer in answers for sentence in answer.sentences]
    both = list(zip(answers, expected, strict=True))
    return Grounding(
        answers=len(answers),
        with_citations=with_citations,
        citation_rate=_r(with_citations / len(given)) if given else 0.0,
        hallucinated_citation_rate=_r(invented / (valid + invented)) if valid + invented else 0.0,
        unsupported_sentence_rate=_r(1 - _share(sentences, empty=1.0)),
        declared_insufficient=len(answers) - len(given),
        insufficient_rightly=sum(1 for answer, words in both if not words and not answer.is_sufficient),
        correct=sum(1 for answer, words in both if words and _holds(answer, words)),
    )


def _holds(answer: GraphAnswer, words: Sequence[str]) -> bool:
    said = plain_name(answer.text)
    return answer.is_sufficient and all(plain_name(word) in said for word in words)


def _share(values: Sequence[bool], *, empty: float) -> float:
    return _r(sum(values) / len(values)) if values else empty


def _r(value: float) -> float:
    return round(value, PLACES)
