"""The word leg: BM25F over arrays in memory.

One posting per (term, passage): how often the term stands in each field, packed into 32 bits, and its weight, the
field-weighted and length-normalised frequency, ready for scoring. Postings live in a few immutable segments, the
newer the smaller, merged as they grow; removed passages are masked until a merge drops them.

Formula (Robertson, Zaragoza, Taylor 2004; idf as in Lucene, never negative):
``weight = sum over fields of w * tf / (1 - b + b * length / average length)`` and
``score = sum over words of times said * idf * (k1 + 1) * weight / (k1 + weight)``.

Never reads or writes anything, and knows nothing of languages: words come as the terms that stand for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.ranking.segments import (
    Segment,
    find,
    frequencies,
    merged,
    sorted_postings,
    weighed,
    without_dead,
)

FIELDS = ("text", "breadcrumb", "concepts", "tags", "context")
FIELD_WEIGHTS = (1.0, 3.0, 4.0, 2.0, 1.0)
"""The breadcrumb holds the title. Once, twice, three times: mean nDCG@10 by words 0.745, 0.748, 0.751 over the sets of
``tests/bench/quality.py``, 0.794, 0.796, 0.796 with meaning; three times is best where notes have titles."""
K1 = 1.2
B = 0.75

Ids = NDArray[np.int32]
Scores = NDArray[np.float32]
Mask = NDArray[np.bool_]
"""Indexed by passage id: True where the passage may be found. Ids beyond its length are not allowed."""

_AVERAGE_STEPS = 4
"""Average lengths are rounded to this many steps per doubling, so that weights stay valid while an index grows."""


@dataclass(frozen=True, slots=True)
class PostingBatch:
    """The words of some passages, ready to be stored.

    ``passage`` holds rows of the batch, ``term`` indexes ``terms``.
    """

    terms: list[str]
    passage: NDArray[np.int32]
    term: NDArray[np.int32]
    field: NDArray[np.uint8]
    tf: NDArray[np.uint16]
    lengths: NDArray[np.int32]
    """Words of each passage in each field, shape (passages, 5)."""
    surfaces: list[tuple[str, str]]
    """(word as read, its term), each pair once."""


@dataclass(frozen=True, slots=True)
class Postings:
    """The words of a whole index as stored. ``term`` indexes ``terms``; ``passage`` holds passage ids."""

    terms: list[str]
    passage: NDArray[np.int32]
    term: NDArray[np.int32]
    field: NDArray[np.uint8]
    tf: NDArray[np.uint16]
    passage_ids: NDArray[np.int32]
    """Every passage, also those without words."""
    lengths: NDArray[np.int32]
    """Shape (passages, 5), aligned with ``passage_ids``."""


def posting_batch(counts: Sequence[Sequence[Mapping[str, int]]], surfaces: Mapping[str, str]) -> PostingBatch:
    """Collect the counted terms of passages: ``counts[passage][field][term]``, five fields each."""
    ids: dict[str, int] = {}
    # An array for each passage: one call over all of them would hold the interpreter's lock for 20 ms.
    tables = [np.zeros((0, 4), np.int64)]
    for passage, fields in enumerate(counts):
        rows = [
            (passage, ids.setdefault(term, len(ids)), field, times)
            for field, found in enumerate(fields)
            for term, times in found.items()
        ]
        tables.append(np.array(rows, np.int64).reshape(-1, 4))
    table = np.concatenate(tables)
    lengths = [[sum(found.values()) for found in fields] for fields in counts]
    return PostingBatch(
        terms=list(ids),
        passage=table[:, 0].astype(np.int32),
        term=table[:, 1].astype(np.int32),
        field=table[:, 2].astype(np.uint8),
        tf=np.minimum(table[:, 3], 65535).astype(np.uint16),
        lengths=np.array(lengths, np.int32).reshape(-1, len(FIELDS)),
        surfaces=sorted(surfaces.items()),
    )


@dataclass(frozen=True, slots=True)
class Word:
    """One word asked for: a passage that holds any of ``terms`` holds the word."""

    terms: tuple[str, ...]
    times: float = 1.0
    """How often the question says it."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the idf of each asked word is made of. Those of several indexes add up."""

    passages: int
    frequencies: tuple[int, ...]
    """Passages that hold each word, in the order of the words."""

    def __add__(self, other: Statistics) -> Statistics:
        pairs = zip(self.frequencies, other.frequencies, strict=True)
        return Statistics(self.passages + other.passages, tuple(a + b for a, b in pairs))

    def idf(self) -> NDArray[np.float32]:
        df = np.array(self.frequencies, np.float64)
        return np.log1p((self.passages - df + 0.5) / (df + 0.5)).astype(np.float32)


class WordIndex:
    """The words of one source. Not safe for a search while ``add`` or ``remove`` runs."""

    def __init__(self, postings: Postings | None = None) -> None:
        self._term_ids: dict[str, int] = {}
        self._segments: list[Segment] = []
        self._ids = np.zeros(0, np.int32)
        self._lengths = np.zeros((0, len(FIELDS)), np.int32)
        self._alive = np.zeros(0, np.bool_)
        self._row_of = np.full(0, -1, np.int32)
        self._averages = np.ones(len(FIELDS), np.float32)
        self._dead = 0
        if postings is not None:
            self._append(
                postings.terms, postings.passage_ids, postings.lengths, postings.passage, postings.term, postings.field,
                postings.tf,
            )  # fmt: skip

    def __len__(self) -> int:
        return len(self._ids) - self._dead

    def __contains__(self, term: str) -> bool:
        return term in self._term_ids

    @property
    def nbytes(self) -> int:
        arrays = [self._ids, self._lengths, self._alive, self._row_of]
        arrays += [a for s in self._segments for a in (s.starts, s.rows, s.packed, s.weights)]
        return sum(a.nbytes for a in arrays)

    def add(self, batch: PostingBatch, passages: Ids) -> None:
        """Add the passages of ``batch``, whose ids are ``passages``; ids that are there already are replaced."""
        self.remove(passages)
        self._append(
            batch.terms, passages, batch.lengths, passages[batch.passage], batch.term, batch.field, batch.tf
        )  # fmt: skip

    def remove(self, passages: Ids) -> None:
        """Forget these passage ids; unknown ones are ignored."""
        rows = self._rows(passages)
        rows = rows[self._alive[rows]]
        if not len(rows):
            return
        self._alive[rows] = False
        self._row_of[self._ids[rows]] = -1
        self._dead += len(rows)
        if self._dead > 1000 and self._dead * 3 > len(self._ids):
            self._compact()
        self._refresh_averages()

    def statistics(self, words: Sequence[Word]) -> Statistics:
        return Statistics(len(self), tuple(len(self._found(word)[0]) for word in words))

    def search(
        self, words: Sequence[Word], limit: int, statistics: Statistics | None = None, allowed: Mask | None = None
    ) -> tuple[Ids, Scores]:
        """The best ``limit`` passages that hold any word, best first: (ids, scores). Ties: lower id first."""
        found = [self._found(word) for word in words]
        if statistics is None:
            statistics = Statistics(len(self), tuple(len(rows) for rows, _ in found))
        totals = np.zeros(len(self._ids), np.float32)
        for word, idf, (rows, weights) in zip(words, statistics.idf(), found, strict=True):
            totals[rows] += (word.times * idf * (K1 + 1)) * (weights / (weights + K1))
        holding = np.flatnonzero(totals)
        if allowed is not None:
            holding = holding[_lookup(allowed, self._ids[holding])]
        best = holding[best_of(totals[holding], self._ids[holding], limit)]
        return self._ids[best], totals[best]

    def scores(self, words: Sequence[Word], passages: Ids, statistics: Statistics) -> NDArray[np.float32]:
        """What each word adds to each passage, shape (passages, words); zero where a passage lacks it."""
        rows = self._rows(passages, unknown=-1)
        result = np.zeros((len(passages), len(words)), np.float32)
        for column, (word, idf) in enumerate(zip(words, statistics.idf(), strict=True)):
            weights = np.zeros(len(passages), np.float32)
            for where, segment in self._slices(word):
                at, hit = find(segment.rows[where], rows)
                weights[hit] += segment.weights[where][at[hit]].astype(np.float32)
            result[:, column] = (word.times * idf * (K1 + 1)) * (weights / (weights + K1))
        return result

    def note_scores(
        self, words: Sequence[Word], passages: Ids, notes: Ids, all_notes: int, statistics: Statistics
    ) -> NDArray[np.float32]:
        """BM25F of whole notes: their passages counted as one text.

        ``passages`` are all passages of some notes, ``notes`` the position of each one's note in the result (0, 1 ...),
        ``all_notes`` how many notes the index holds. Rarity is that of ``statistics``, as for passages.
        """
        count = int(notes.max(initial=-1)) + 1
        rows = self._rows(passages, unknown=-1)
        known = rows >= 0
        rows, notes = rows[known], notes[known]
        averages = self._averages * (len(self) / max(all_notes, 1))
        norms = np.zeros((count, len(FIELDS)), np.float32)
        for field in range(len(FIELDS)):
            lengths = np.bincount(notes, self._lengths[rows, field], minlength=count)
            norms[:, field] = FIELD_WEIGHTS[field] / (1 - B + B * lengths / averages[field])
        totals = np.zeros(count, np.float32)
        for word, idf in zip(words, statistics.idf(), strict=True):
            weights = np.zeros(count, np.float32)
            for where, segment in self._slices(word):
                at, hit = find(segment.rows[where], rows)
                for field, tf in enumerate(frequencies(segment.packed[where][at[hit]])):
                    weights += norms[:, field] * np.bincount(notes[hit], tf, minlength=count)
            totals += (word.times * idf * (K1 + 1)) * (weights / (weights + K1))
        return totals

    def passages_with(self, word: Word) -> Ids:
        """Ids of the passages that hold ``word``, ascending."""
        return np.sort(self._ids[self._found(word)[0]])

    def fields_of(self, word: Word, passage: int) -> NDArray[np.float32]:
        """How the word's contribution to ``passage`` splits over the five fields; sums to 1, or 0 without the word."""
        row = self._rows(np.array([passage], np.int32), unknown=-1)
        parts = np.zeros(len(FIELDS), np.float32)
        for where, segment in self._slices(word):
            at, hit = find(segment.rows[where], row)
            if hit[0]:
                times = np.concatenate(list(frequencies(segment.packed[where][at])))
                parts += times * self._norms(row)[:, 0]
        total = parts.sum()
        return parts / total if total else parts

    def _slices(self, word: Word) -> Iterable[tuple[slice, Segment]]:
        for term in dict.fromkeys(word.terms):
            known = self._term_ids.get(term)
            if known is None:
                continue
            for segment in self._segments:
                where = segment.slice_of(known)
                if where.start < where.stop:
                    yield where, segment

    def _found(self, word: Word) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Living rows that hold ``word``, and its weight in each."""
        slices = list(self._slices(word))
        if not slices:
            return np.zeros(0, np.int32), np.zeros(0, np.float32)
        rows = np.concatenate([segment.rows[where] for where, segment in slices])
        weights = np.concatenate([segment.weights[where] for where, segment in slices]).astype(np.float32)
        if len(word.terms) > 1 and len(slices) > 1:
            rows, weights = _summed(rows, weights, len(self._ids))
        if self._dead:
            living = self._alive[rows]
            rows, weights = rows[living], weights[living]
        return rows, weights

    def _rows(self, passages: Ids, unknown: int | None = None) -> NDArray[np.int32]:
        """Rows of passage ids; unknown ids are left out, or become ``unknown``."""
        inside = (passages >= 0) & (passages < len(self._row_of))
        rows = np.full(len(passages), -1, np.int32)
        rows[inside] = self._row_of[passages[inside]]
        return rows[rows >= 0] if unknown is None else np.where(rows >= 0, rows, np.int32(unknown)).astype(np.int32)

    def _append(
        self,
        terms: Sequence[str],
        ids: Ids,
        lengths: NDArray[np.int32],
        passage: Ids,
        term: NDArray[np.int32],
        field: NDArray[np.uint8],
        tf: NDArray[np.uint16],
    ) -> None:
        first = len(self._ids)
        self._ids = np.concatenate([self._ids, ids.astype(np.int32)])
        self._lengths = np.concatenate([self._lengths, lengths])
        self._alive = np.concatenate([self._alive, np.ones(len(ids), np.bool_)])
        if len(ids):
            size = max(len(self._row_of), int(ids.max()) + 1)
            grown = np.full(size, -1, np.int32)
            grown[: len(self._row_of)] = self._row_of
            grown[ids] = np.arange(first, first + len(ids), dtype=np.int32)
            self._row_of = grown
        new = [t for t in dict.fromkeys(terms) if t not in self._term_ids]
        self._term_ids.update(zip(new, range(len(self._term_ids), len(self._term_ids) + len(new)), strict=True))
        known = np.fromiter(map(self._term_ids.__getitem__, terms), np.int32, len(terms))
        rows, packed, starts = sorted_postings(known[term], self._row_of[passage], field, tf, len(self._term_ids))
        self._segments.append(Segment(starts, rows, packed, np.zeros(len(rows), np.float16)))
        if not self._refresh_averages():
            self._segments[-1] = self._weighed(self._segments[-1])
        while len(self._segments) > 1 and len(self._segments[-2].rows) < 2 * len(self._segments[-1].rows):
            newer, older = self._segments.pop(), self._segments.pop()
            self._segments.append(merged(older, newer, len(self._term_ids)))

    def _refresh_averages(self) -> bool:
        """Weigh everything anew when an average length has moved by a step; whether it did."""
        living = max(len(self), 1)
        totals = (
            self._lengths[self._alive].sum(axis=0, dtype=np.float64)
            if self._dead
            else self._lengths.sum(axis=0, dtype=np.float64)
        )
        averages = np.maximum(totals / living, 1e-3)
        rounded = np.exp2(np.round(np.log2(averages) * _AVERAGE_STEPS) / _AVERAGE_STEPS).astype(np.float32)
        if np.array_equal(rounded, self._averages):
            return False
        self._averages = rounded
        self._segments = [self._weighed(segment) for segment in self._segments]
        return True

    def _weighed(self, segment: Segment) -> Segment:
        weights = np.zeros(len(segment.rows), np.float16)
        first = int(segment.rows.min(initial=len(self._ids)))
        norms = self._norms(slice(first, None))
        # In pieces, so that a large index does not need several times its size for a moment.
        for start in range(0, len(weights), 1 << 18):
            piece = slice(start, start + (1 << 18))
            weights[piece] = weighed(segment.packed[piece], segment.rows[piece] - np.int32(first), norms)
        return Segment(segment.starts, segment.rows, segment.packed, weights)

    def _norms(self, rows: slice | NDArray[np.int32]) -> NDArray[np.float32]:
        """What one occurrence in each field weighs in each of ``rows``, shape (5, rows)."""
        norms = self._lengths[rows].T.astype(np.float32, order="C")
        for field, weight in enumerate(FIELD_WEIGHTS):
            norms[field] = np.float32(weight) / (
                np.float32(1 - B) + norms[field] * np.float32(B / self._averages[field])
            )
        return norms

    def _compact(self) -> None:
        """Drop removed passages for good and renumber the rows."""
        new_row = np.cumsum(self._alive, dtype=np.int32) - np.int32(1)
        self._segments = [without_dead(segment, self._alive, new_row) for segment in self._segments]
        self._ids, self._lengths = self._ids[self._alive], self._lengths[self._alive]
        self._row_of[self._ids] = np.arange(len(self._ids), dtype=np.int32)
        self._alive = np.ones(len(self._ids), np.bool_)
        self._dead = 0


def coverage(contributions: NDArray[np.float32], words: Sequence[Word], statistics: Statistics) -> float:
    """Part of the words asked for, weighted by rarity, that the best passage holds: 0 to 1.

    ``contributions`` (passages, words) are those of ``WordIndex.scores``.
    """
    rarity = statistics.idf() * np.array([word.times for word in words], np.float32)
    if not contributions.size or not rarity.sum():
        return 0.0
    return float(((contributions > 0) @ rarity).max() / rarity.sum())


def best_of(scores: NDArray[np.float32], ids: Ids, limit: int) -> NDArray[np.intp]:
    """Positions of the best ``limit`` scores, best first; ties by lower id."""
    candidates = np.arange(len(scores))
    if len(scores) > limit > 0:
        threshold = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        candidates = np.flatnonzero(scores >= threshold)
    order = np.lexsort((ids[candidates], -scores[candidates]))
    return candidates[order[:limit]]


def _summed(
    rows: NDArray[np.int32], weights: NDArray[np.float32], count: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Each of ``rows`` (below ``count``) once, ascending, with the sum of its weights."""
    if len(rows) * 16 > count:
        # Many rows: counting is quicker than sorting. A weight is never zero.
        sums = np.bincount(rows, weights)
        distinct = np.flatnonzero(sums)
        return distinct.astype(np.int32), sums[distinct].astype(np.float32)
    distinct, inverse = np.unique(rows, return_inverse=True)
    return distinct.astype(np.int32), np.bincount(inverse, weights).astype(np.float32)


def _lookup(allowed: Mask, ids: Ids) -> Mask:
    if not len(allowed):
        return np.zeros(len(ids), np.bool_)
    return allowed.take(ids, mode="clip") & (ids < len(allowed))
