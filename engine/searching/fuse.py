"""From the legs' answers to one ranking: each leg also scores what only the other found, then they are joined.

The joining itself is pure (``ranking/fusion.py``); here its arguments are collected over the open indexes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from engine.model import Mode
from engine.ranking.fusion import Fused, Meaning, Ranking, by_trust, rrf
from engine.ranking.words import Ids, Mask, Scores, Statistics, coverage
from engine.searching import legs

Vectors = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Voices:
    """The arguments of ``fusion.by_trust``: every leg's opinion of every passage that any of them found."""

    word: Ranking | None
    note: Ranking | None
    meanings: tuple[Meaning, ...]
    coverage: float

    def joined(self) -> Fused:
        return by_trust(self.word, self.note, self.meanings, self.coverage)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the legs found and how it was joined."""

    rankings: tuple[Ranking, ...]
    """Each leg's own answer, best first."""
    fused: Fused
    statistics: Statistics
    best_cosine: Mapping[str, float] = field(default_factory=dict)
    """By model: that of the nearest passage that the leg found."""


def answer(
    asked: legs.Asked,
    vectors: Vectors,
    indexes: Sequence[legs.Arrays],
    masks: Sequence[Mask | None],
    mode: Mode,
    pool: int,
    *,
    method: str,
    model_languages: Mapping[str, frozenset[str]],
) -> Answer:
    """Rank by every leg that ``mode`` allows and join them: ``rrf``, or by how far each can be trusted (``auto``).

    The meaning leg ranks by cosines less what passages owe to being near to everything (``legs.turned_from_hubs``); the
    scores that it is reported with are the cosines themselves.
    """
    by_word, statistics = legs.word_leg(asked, indexes, masks, pool)
    word = by_word if mode is not Mode.MEANING and asked.groups else None
    if word is not None and method == "rrf":
        word = words_with_notes(word, asked, indexes, statistics)
    turned = _turned(vectors, indexes)
    meanings = {m: legs.meaning_leg({m: v}, indexes, masks, pool) for m, v in turned.items()}
    if method == "rrf":
        fused = rrf([*([word] if word else []), *_one_meaning(list(meanings.values()))])
    else:
        fused = voices(asked, word, meanings, turned, indexes, statistics, model_languages).joined()
    meanings = {m: with_cosines(leg, vectors, indexes) for m, leg in meanings.items()}
    nearest = {m: float(leg.scores.max()) for m, leg in meanings.items() if len(leg.scores)}
    rankings = (*([word] if word else []), *meanings.values())
    return Answer(rankings, fused_with_cosines(fused, vectors, indexes), statistics, nearest)


def with_cosines(leg: Ranking, vectors: Vectors, indexes: Sequence[legs.Arrays]) -> Ranking:
    """A meaning leg's answer in its order, scored by cosine."""
    return replace(leg, scores=_products(leg.ids, indexes, vectors))


def fused_with_cosines(fused: Fused, vectors: Vectors, indexes: Sequence[legs.Arrays]) -> Fused:
    """The same with cosines as the scores of every meaning leg."""
    leg_scores = fused.leg_scores.copy()
    columns = [column for column, name in enumerate(fused.names) if name == "meaning"]
    if columns and len(fused.ids):
        cosines = _products(fused.ids, indexes, vectors)[:, None]
        leg_scores[:, columns] = np.where(np.isnan(leg_scores[:, columns]), np.nan, cosines)
    return replace(fused, leg_scores=leg_scores)


def ranked_by(name: str, fused: Fused, vectors: Vectors, indexes: Sequence[legs.Arrays]) -> Scores:
    """What the leg of this name ranked the passages of ``fused`` by; NaN where it knows none."""
    scores: Scores = fused.leg_scores[:, fused.names.index(name)]
    if name != "meaning":
        return scores
    products = _products(fused.ids, indexes, _turned(vectors, indexes))
    return np.where(np.isnan(scores), np.float32(np.nan), products)


def _turned(vectors: Vectors, indexes: Sequence[legs.Arrays]) -> Vectors:
    return {m: legs.turned_from_hubs(vector, m, indexes) for m, vector in sorted(vectors.items())}


def voices(
    asked: legs.Asked,
    by_word: Ranking | None,
    by_meaning: Mapping[str, Ranking],
    vectors: Vectors,
    indexes: Sequence[legs.Arrays],
    statistics: Statistics,
    model_languages: Mapping[str, frozenset[str]],
) -> Voices:
    """Let each leg score what only another one found. ``by_meaning`` has a ranking for each model, by ``vectors``."""
    rankings = (*([by_word] if by_word else []), *by_meaning.values())
    found = np.unique(np.concatenate([np.zeros(0, np.int64), *(leg.ids for leg in rankings)]))
    if not len(found):
        return Voices(None, None, (), 0.0)
    word = note = None
    share = 0.0
    if by_word is not None:
        contributions = _by_index(found, indexes, lambda i, ids: i.words.scores(asked.groups, ids, statistics))
        word = _with_rest(by_word, found, contributions.sum(axis=1))
        note = Ranking("note", found, _note_scores(found, asked, indexes, statistics), 0)
        share = coverage(contributions, asked.groups, statistics)
    trusted = tuple(
        Meaning(
            _with_rest(leg, found, _products(found, indexes, {model: vectors[model]})),
            *_spread(model, vectors[model], indexes),
            knows_language=knows(model_languages.get(model, frozenset()), asked.language),
        )
        for model, leg in by_meaning.items()
    )
    return Voices(word, note, trusted, share)


def words_with_notes(
    by_word: Ranking, asked: legs.Asked, indexes: Sequence[legs.Arrays], statistics: Statistics
) -> Ranking:
    """The passages of the word leg, with their scores, as a search by words alone orders them: a passage's note counts
    as well. Ranks say nothing of that otherwise, and are all that reciprocal rank fusion looks at."""
    if not len(by_word.ids):
        return by_word
    note = Ranking("note", by_word.ids, _note_scores(by_word.ids, asked, indexes, statistics))
    both = by_trust(by_word, note, [], 1.0)
    return Ranking(by_word.name, both.ids, both.leg_scores[:, both.names.index(by_word.name)])


def _one_meaning(meanings: Sequence[Ranking]) -> list[Ranking]:
    """Rankings of several models over different sources, as one leg: by rank in turn, since cosines of different
    models cannot be compared."""
    if len(meanings) < 2:
        return list(meanings)
    places = np.concatenate([np.arange(len(leg.ids)) for leg in meanings])
    order = np.argsort(places, kind="stable")
    return [
        Ranking(
            "meaning",
            np.concatenate([leg.ids for leg in meanings])[order],
            np.concatenate([leg.scores for leg in meanings])[order],
        )
    ]


def knows(languages: frozenset[str], question: str) -> bool:
    """Whether a model of these ``languages`` (empty: any) knows that of the question."""
    return not languages or not question or question in languages


def _with_rest(leg: Ranking, found: NDArray[np.int64], scores: Scores) -> Ranking:
    """The leg's own answer, then the passages that only other legs found, with the score that it gives them."""
    rest = ~np.isin(found, leg.ids) & ~np.isnan(scores)
    ids = np.concatenate([leg.ids, found[rest]])
    return Ranking(leg.name, ids, np.concatenate([leg.scores, scores[rest].astype(np.float32)]), len(leg.ids))


def _by_index(
    found: NDArray[np.int64], indexes: Sequence[legs.Arrays], score: Callable[[legs.Arrays, Ids], NDArray[np.float32]]
) -> NDArray[np.float32]:
    """``score`` of every found passage, asked of its own index; rows in the order of ``found``."""
    positions, passages = legs.split(found)
    parts: list[tuple[NDArray[np.intp], NDArray[np.float32]]] = []
    for position in np.unique(positions):
        here = np.flatnonzero(positions == position)
        parts.append((here, score(indexes[int(position)], passages[here])))
    result = np.zeros((len(found), *parts[0][1].shape[1:]), np.float32)
    for here, values in parts:
        result[here] = values
    return result


def _products(found: NDArray[np.int64], indexes: Sequence[legs.Arrays], vectors: Vectors) -> Scores:
    """Product of every found passage's vector with the question's of the same model; NaN where there is none."""
    if not len(found):
        return np.zeros(0, np.float32)

    def score(index: legs.Arrays, ids: Ids) -> Scores:
        if index.model_id not in vectors:
            return np.full(len(ids), np.nan, np.float32)
        return index.vectors.cosines(vectors[index.model_id], ids)

    return _by_index(found, indexes, score)


def _note_scores(
    found: NDArray[np.int64], asked: legs.Asked, indexes: Sequence[legs.Arrays], statistics: Statistics
) -> Scores:
    """For each passage the score that the words give its whole note."""

    def score(index: legs.Arrays, ids: Ids) -> Scores:
        note_of = index.note_of
        notes, place = np.unique(note_of[ids], return_inverse=True)
        members = np.flatnonzero(np.isin(note_of, notes)).astype(np.int32)
        rows = np.searchsorted(notes, note_of[members]).astype(np.int32)
        return index.words.note_scores(asked.groups, members, rows, index.notes_with_passages, statistics)[place]

    return _by_index(found, indexes, score)


def _spread(model: str, query: NDArray[np.float32], indexes: Sequence[legs.Arrays]) -> tuple[float, float]:
    """Mean and deviation of the question's cosines over all indexes of a model, weighted by their size."""
    parts = [(len(i.vectors), *i.vectors.spread(query)) for i in indexes if i.model_id == model and len(i.vectors)]
    total = sum(size for size, _, _ in parts)
    if not total:
        return 0.0, 1.0
    mean = sum(size * m for size, m, _ in parts) / total
    variance = sum(size * (d * d + (m - mean) ** 2) for size, m, d in parts) / total
    return mean, float(np.sqrt(variance))
