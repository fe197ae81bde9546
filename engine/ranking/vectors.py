"""The meaning leg: nearest vectors by cosine over arrays in memory.

Signs first, values second: each vector's signs are packed into 64-bit numbers, their Hamming distance to the signs of
the question picks candidates, and the stored float16 values rank these exactly. Few vectors are ranked by value alone.

Vectors live in blocks with a slot for each row; a removed vector frees its slot for the next. Never reads or writes
anything, and never compares vectors of different models: one index, one model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.ranking.words import Ids, Mask, Scores, best_of

BLOCK = 1 << 16
"""Rows of a block: its signs fit the processor's cache one column at a time."""

EXACT_UP_TO = 3000
"""Vectors that are all ranked by value: below this the signs save nothing."""

SAMPLE = 1024
"""Vectors, about, that stand for all where a mean is asked for."""

FAST_UP_TO = 1 << 14
"""Rows of a block that is kept as float32: twice the memory, and no conversion when its values are looked at."""

_GATHERED = 3
"""A filter that lets less than one in so many through makes it cheaper to pick the signs than to pass over them."""
_FREE = np.int32(-1)
_FAR = np.uint16(65535)


@dataclass(slots=True)
class _Block:
    ids: Ids
    """-1 marks a free slot."""
    values: NDArray[np.float16] | NDArray[np.float32]
    """Shape (rows, dimensions); float16 numbers in either type."""
    signs: NDArray[np.uint64]
    """Shape (dimensions / 64, rows): one column of 64 dimensions after the other."""


class VectorIndex:
    """L2-normalised vectors of one model, by passage id. Not safe for a search while ``add`` or ``remove`` runs."""

    def __init__(self, dimensions: int, ids: Ids | None = None, vectors: NDArray[np.float16] | None = None) -> None:
        """``vectors`` (rows, dimensions) is kept, not copied, unless there are few."""
        self.dimensions = dimensions
        self._blocks: list[_Block] = []
        self._slot_of = np.full(0, _FREE, np.int32)
        self._count = 0
        self._middle: Scores | None = None
        if ids is not None and vectors is not None:
            for start in range(0, len(ids), BLOCK):
                part = slice(start, start + BLOCK)
                self._blocks.append(_Block(ids[part].astype(np.int32), _kept(vectors[part]), _signs(vectors[part])))
                self._note(ids[part], np.arange(start, start + len(ids[part]), dtype=np.int32))

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return self._slot_of.nbytes + sum(b.ids.nbytes + b.values.nbytes + b.signs.nbytes for b in self._blocks)

    def add(self, ids: Ids, vectors: NDArray[np.floating]) -> None:
        """Add or replace the vectors of passage ``ids``; shape (len(ids), dimensions)."""
        self.remove(ids)
        free = self._free_slots(len(ids))
        halves = vectors.astype(np.float16)
        for number, block in enumerate(self._blocks):
            chosen = np.flatnonzero(free // BLOCK == number)
            if len(chosen):
                rows = free[chosen] % BLOCK
                block.ids[rows] = ids[chosen]
                block.values[rows] = halves[chosen]
                block.signs[:, rows] = _signs(halves[chosen])
        self._note(ids, free)

    def remove(self, ids: Ids) -> None:
        """Forget the vectors of these passage ids; unknown ones are ignored."""
        slots, known = self._slots(ids)
        for slot in slots[known]:
            self._blocks[slot // BLOCK].ids[slot % BLOCK] = _FREE
        self._slot_of[ids[known]] = _FREE
        self._middle = None
        self._count -= int(known.sum())

    def search(self, query: Scores, limit: int, allowed: Mask | None = None) -> tuple[Ids, Scores]:
        """The ``limit`` nearest passages, best first: (ids, cosines). Ties: lower id first.

        ``query`` has the shape (dimensions,); what is told are its products with the vectors, cosines if it is
        L2-normalised. What is not ``allowed`` is left out before ranking.
        """
        distances = self._distances(query, allowed)
        found_ids: list[Ids] = []
        found: list[Scores] = []
        for block, rows in self._candidates(distances, limit):
            found_ids.append(block.ids[rows])
            found.append(block.values[rows].astype(np.float32, copy=False) @ query)
        if not found:
            return np.zeros(0, np.int32), np.zeros(0, np.float32)
        ids, cosines = np.concatenate(found_ids), np.concatenate(found)
        best = best_of(cosines, ids, limit)
        return ids[best], cosines[best]

    def cosines(self, query: Scores, ids: Ids) -> Scores:
        """Cosine of each passage id, NaN where it has no vector."""
        slots, known = self._slots(ids)
        result = np.full(len(ids), np.nan, np.float32)
        for number, block in enumerate(self._blocks):
            chosen = np.flatnonzero(known & (slots // BLOCK == number))
            if len(chosen):
                result[chosen] = block.values[slots[chosen] % BLOCK].astype(np.float32, copy=False) @ query
        return result

    def spread(self, query: Scores) -> tuple[float, float]:
        """Mean and standard deviation of the query's cosines to a fixed sample of the vectors; (0, 1) when empty."""
        cosines = np.concatenate([np.zeros(0, np.float32), *(rows @ query for rows in self._sample())])
        return (float(cosines.mean()), float(cosines.std())) if len(cosines) else (0.0, 1.0)

    def middle(self) -> Scores:
        """Mean of a fixed sample of the vectors, shape (dimensions,); zeros when empty. Not L2-normalised."""
        if self._middle is None:
            rows = np.concatenate([np.zeros((0, self.dimensions), np.float32), *self._sample()])
            rows = rows[np.isfinite(rows).all(axis=1)]  # One broken vector must not break every ranking.
            self._middle = rows.mean(axis=0) if len(rows) else np.zeros(self.dimensions, np.float32)
        return self._middle

    def vectors(self, ids: Ids) -> NDArray[np.float32]:
        """The vectors of passage ``ids``, shape (len(ids), dimensions); zeros where there is none."""
        slots, known = self._slots(ids)
        result = np.zeros((len(ids), self.dimensions), np.float32)
        for row in np.flatnonzero(known):
            result[row] = self._blocks[slots[row] // BLOCK].values[slots[row] % BLOCK]
        return result

    def _sample(self) -> Iterator[NDArray[np.float32]]:
        step = max(1, len(self) // SAMPLE)
        for block in self._blocks:
            yield block.values[np.flatnonzero(block.ids >= 0)[::step]].astype(np.float32, copy=False)

    def _distances(self, query: Scores, allowed: Mask | None) -> list[NDArray[np.uint16]]:
        """Hamming distance of every slot's signs to the query's; far away where free or not allowed."""
        wanted = _signs(query.astype(np.float16)[None, :])[:, 0]
        result = []
        for block in self._blocks:
            is_asked = _allowed(block.ids, allowed)
            asked = np.flatnonzero(is_asked)
            if len(asked) * _GATHERED < len(is_asked):
                total = np.full(len(block.ids), _FAR)
                total[asked] = self._distance(wanted, [column[asked] for column in block.signs], len(asked))
            else:
                total = self._distance(wanted, block.signs, len(block.ids))
                np.copyto(total, _FAR, where=~is_asked)
            result.append(total)
        return result

    def _distance(
        self, wanted: NDArray[np.uint64], columns: Iterable[NDArray[np.uint64]], rows: int
    ) -> NDArray[np.uint16]:
        """Zero for all while there are so few that each is compared exactly."""
        total = np.zeros(rows, np.uint16)
        if len(self) > EXACT_UP_TO:
            for column, bits in zip(columns, wanted, strict=True):
                total += np.bitwise_count(column ^ bits)
        return total

    def _candidates(self, distances: list[NDArray[np.uint16]], limit: int) -> Iterator[tuple[_Block, NDArray[np.intp]]]:
        """Rows of each block whose signs are near enough to be worth a look at their values."""
        wanted = EXACT_UP_TO if len(self) <= EXACT_UP_TO else max(4 * limit, _wanted(len(self)))
        counts = np.zeros(self.dimensions + 2, np.int64)
        for distance in distances:
            near = np.minimum(distance, self.dimensions + 1)
            counts += np.bincount(near, minlength=self.dimensions + 2)
        reach = int(np.searchsorted(np.cumsum(counts[:-1]), wanted))
        reach = min(reach, self.dimensions)
        for block, distance in zip(self._blocks, distances, strict=True):
            rows = np.flatnonzero(distance <= reach)
            if len(rows):
                yield block, rows

    def _slots(self, ids: Ids) -> tuple[NDArray[np.int32], Mask]:
        inside = (ids >= 0) & (ids < len(self._slot_of))
        slots = np.full(len(ids), _FREE, np.int32)
        slots[inside] = self._slot_of[ids[inside]]
        return slots, slots >= 0

    def _note(self, ids: Ids, slots: NDArray[np.int32]) -> None:
        if len(ids) and int(ids.max()) >= len(self._slot_of):
            grown = np.full(max(int(ids.max()) + 1, len(self._slot_of) * 5 // 4), _FREE, np.int32)
            grown[: len(self._slot_of)] = self._slot_of
            self._slot_of = grown
        self._slot_of[ids] = slots
        self._middle = None
        self._count += len(ids)

    def _free_slots(self, wanted: int) -> NDArray[np.int32]:
        """``wanted`` free slots, in new blocks or a grown last one if need be."""
        while sum(len(block.ids) for block in self._blocks) - self._count < wanted:
            self._grow()
        free = [
            np.flatnonzero(block.ids == _FREE).astype(np.int32) + np.int32(number * BLOCK)
            for number, block in enumerate(self._blocks)
        ]
        return np.concatenate([*free, np.zeros(0, np.int32)])[:wanted].astype(np.int32)

    def _grow(self) -> None:
        """Double the last block, or begin another when it is full."""
        if not self._blocks or len(self._blocks[-1].ids) == BLOCK:
            self._blocks.append(self._empty_block(min(1024, BLOCK)))
            return
        old = self._blocks[-1]
        new = self._empty_block(min(BLOCK, 2 * len(old.ids)))
        rows = len(old.ids)
        new.ids[:rows], new.values[:rows], new.signs[:, :rows] = old.ids, old.values, old.signs
        self._blocks[-1] = new

    def _empty_block(self, rows: int) -> _Block:
        words = -(-self.dimensions // 64)
        return _Block(
            np.full(rows, _FREE, np.int32),
            _kept(np.zeros((rows, self.dimensions), np.float16)),
            np.zeros((words, rows), np.uint64),
        )


def _kept(values: NDArray[np.float16]) -> NDArray[np.float16] | NDArray[np.float32]:
    return values.astype(np.float32) if len(values) <= FAST_UP_TO else values


def _wanted(count: int) -> int:
    """Candidates that make recall@10 at least 0.99 among ``count`` vectors."""
    return 400 + count // 200


def _allowed(ids: Ids, allowed: Mask | None) -> Mask:
    if allowed is None:
        return ids >= 0
    if not len(allowed):
        return np.zeros(len(ids), np.bool_)
    return allowed.take(ids, mode="clip") & (ids >= 0) & (ids < len(allowed))


def _signs(vectors: NDArray[np.float16]) -> NDArray[np.uint64]:
    """One bit per dimension, shape (dimensions / 64, rows)."""
    # As integers: they have the same sign, and are compared several times faster than half-precision numbers.
    bits = np.packbits(vectors.view(np.int16) >= 0, axis=1)
    padded = np.zeros((len(vectors), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)
