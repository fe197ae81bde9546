"""Joining rankings: pure functions that say how much each leg gave to each hit. The order of the legs never matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RRF_K = 60


@dataclass(frozen=True, slots=True)
class Ranking:
    """One leg's answer. ``ids`` are passages (any integers that the legs agree on), best first, each once."""

    name: str
    ids: NDArray[np.int64]
    scores: NDArray[np.float32]


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


def _aligned(
    legs: Sequence[Ranking],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """(every id once, rank in each leg, score in each leg), legs by name."""
    ids = np.unique(np.concatenate([np.zeros(0, np.int64), *(leg.ids for leg in legs)]))
    ranks = np.zeros((len(ids), len(legs)), np.int32)
    scores = np.full((len(ids), len(legs)), np.nan, np.float32)
    for column, leg in enumerate(sorted(legs, key=lambda leg: leg.name)):
        rows = np.searchsorted(ids, leg.ids)
        ranks[rows, column] = np.arange(1, len(leg.ids) + 1)
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
