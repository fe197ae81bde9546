"""Joining rankings: pure functions that say how much each leg gave to each hit. The order of the legs never matters.

Chosen by experiment (``tests/bench/quality.py``): mean nDCG@10 over seven sets in three languages is 0.797 by trust
(below), 0.737 by reciprocal rank; the usual mix of scaled scores with fixed weights reaches 0.785.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RRF_K = 60

FULL_DEVIATIONS = 6.0
"""Standard deviations above the mean cosine that count as much as the best words."""
UNKNOWN_LANGUAGE = 1 / 3
"""Trust in a model that does not know the question's language: its ranking is close to noise then."""
NOTE_SHARE = 0.5
"""Part of the words' voice that belongs to the whole note."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """One leg's answer. ``ids`` are passages (any integers that the legs agree on), each once."""

    name: str
    ids: NDArray[np.int64]
    scores: NDArray[np.float32]
    ranked: int | None = None
    """How many of them, from the first, are its own answer, best first; all by default. The rest are passages that
    another leg found, with the score that this one would give."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning leg of one model. Several models: several of these, over different passages."""

    ranking: Ranking
    """Scores are cosines, or what turning the question away from hubs made of them."""
    mean: float
    """Of such scores of this question over any passages (see ``VectorIndex.spread``)."""
    deviation: float
    knows_language: bool = True
    """Whether the model knows the language of the question."""


@dataclass(frozen=True, slots=True)
class Fused:
    """All passages of all legs, best first; ties by lower id. Columns follow ``names``, which are sorted."""

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]
    names: tuple[str, ...]
    ranks: NDArray[np.int32]
    """1-based, 0 where the leg did not rank the passage; shape (passages, legs)."""
    leg_scores: NDArray[np.float32]
    """As the leg gave them, NaN where it did not."""
    shares: NDArray[np.float32]
    """Part of the fused score that comes from the leg; rows sum to 1."""


def rrf(legs: Sequence[Ranking], k: int = RRF_K) -> Fused:
    """Reciprocal rank fusion (Cormack, Clarke, Buettcher 2009): the sum of 1 / (k + rank) over the legs."""
    ids, ranks, scores = _aligned(legs)
    parts = np.where(ranks > 0, 1.0 / (k + np.maximum(ranks, 1)), 0.0)
    return _fused(legs, ids, ranks, scores, parts)


def by_trust(word: Ranking | None, note: Ranking | None, meanings: Sequence[Meaning], coverage: float) -> Fused:
    """Scores joined by how far each leg can be trusted for this question.

    - The meaning leg counts in standard deviations above the mean cosine of the question, so that models whose
      cosines lie in a narrow band are treated alike; a third of that when the model does not know its language.
    - The word leg counts in parts of its best score, half by passage and half by note (``note`` has a score for each
      passage: that of its note), times the square root of ``coverage``: the part of the question's words, by rarity,
      that the best passage holds (see ``words.coverage``). Words that hardly meet the question say little.

    The score is a part of what the legs at hand could give: about 1 when they agree fully, 0 when none has anything to
    say.
    """
    words = [leg for leg in (word, note) if leg is not None]
    legs = [*words, *(meaning.ranking for meaning in meanings)]
    ids, ranks, scores = _aligned(legs)
    parts = np.zeros(scores.shape)
    for column, leg in enumerate(sorted(legs, key=_name)):
        values = np.nan_to_num(scores[:, column].astype(np.float64))
        if any(leg is one for one in words):
            voice = 1.0 if len(words) == 1 else NOTE_SHARE if leg is note else 1 - NOTE_SHARE
            parts[:, column] = voice * coverage**0.5 * values / max(values.max(initial=0.0), 1e-9)
        else:
            meaning = next(one for one in meanings if one.ranking is leg)
            present = ~np.isnan(scores[:, column])
            deviations = (values - meaning.mean) / max(meaning.deviation, 1e-3)
            parts[:, column] = _trust(meaning) * np.maximum(deviations, 0.0) / FULL_DEVIATIONS * present
    most = (1.0 if words else 0.0) + max(map(_trust, meanings), default=0.0)
    return _fused(legs, ids, ranks, scores, parts / (most or 1.0))


def _trust(meaning: Meaning) -> float:
    return 1.0 if meaning.knows_language else UNKNOWN_LANGUAGE


def _name(leg: Ranking) -> str:
    return leg.name


def _aligned(
    legs: Sequence[Ranking],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """(every id once, rank in each leg, score in each leg), legs by name."""
    ids = np.unique(np.concatenate([np.zeros(0, np.int64), *(leg.ids for leg in legs)]))
    ranks = np.zeros((len(ids), len(legs)), np.int32)
    scores = np.full((len(ids), len(legs)), np.nan, np.float32)
    for column, leg in enumerate(sorted(legs, key=_name)):
        rows = np.searchsorted(ids, leg.ids)
        own = len(leg.ids) if leg.ranked is None else leg.ranked
        ranks[rows[:own], column] = np.arange(1, own + 1)
        scores[rows, column] = leg.scores
    return ids, ranks, scores


def _fused(
    legs: Sequence[Ranking],
    ids: NDArray[np.int64],
    ranks: NDArray[np.int32],
    scores: NDArray[np.float32],
    parts: NDArray[np.float64],
) -> Fused:
    totals = parts.sum(axis=1)
    order = np.lexsort((ids, -totals))
    whole = np.where(totals > 0, totals, 1.0)[:, None]
    return Fused(
        ids=ids[order],
        scores=totals[order].astype(np.float32),
        names=tuple(sorted(leg.name for leg in legs)),
        ranks=ranks[order],
        leg_scores=scores[order],
        shares=(parts / whole)[order].astype(np.float32),
    )
