"""Segments of the word index: postings sorted by term and then by row, with all fields of a pair in 32 bits.

Never changed once made: what comes later makes another segment, and two are joined into a third. Knows numbers alone:
neither words nor how much a field counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

TF_BITS = (8, 6, 6, 6, 6)
TF_SHIFTS = (0, 8, 14, 20, 26)
"""Bits of a posting's frequency in each field, and where they begin."""

_SORTED_AT_ONCE = 6_000_000
"""Postings."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings sorted by term, then row."""

    starts: NDArray[np.int64]
    """Of each term id; one more than there are terms."""
    rows: NDArray[np.int32]
    packed: NDArray[np.uint32]
    weights: NDArray[np.float16]

    def slice_of(self, term: int) -> slice:
        if term + 1 >= len(self.starts):
            return slice(0, 0)
        return slice(int(self.starts[term]), int(self.starts[term + 1]))


def frequencies(packed: NDArray[np.uint32]) -> Iterable[NDArray[np.float32]]:
    """How often each posting's term stands in each field, one array per field."""
    for bits, shift in zip(TF_BITS, TF_SHIFTS, strict=True):
        yield ((packed >> np.uint32(shift)) & np.uint32((1 << bits) - 1)).astype(np.float32)


def weighed(packed: NDArray[np.uint32], rows: NDArray[np.int32], norms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weighted, length-normalised frequency of each posting; most stand in the text alone."""
    weights = (packed & np.uint32((1 << TF_BITS[0]) - 1)).astype(np.float32)
    weights *= norms[0][rows]
    for field in range(1, len(TF_BITS)):
        mask = np.uint32((1 << TF_BITS[field]) - 1)
        at = np.flatnonzero(packed & (mask << np.uint32(TF_SHIFTS[field])))
        if len(at):
            times = (packed[at] >> np.uint32(TF_SHIFTS[field])) & mask
            weights[at] += times.astype(np.float32) * norms[field][rows[at]]
    return weights


def find(sorted_rows: NDArray[np.int32], rows: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each of ``rows`` stands in ``sorted_rows`` (not empty), and whether it does."""
    at = np.minimum(np.searchsorted(sorted_rows, rows), len(sorted_rows) - 1)
    return at, sorted_rows[at] == rows


def sorted_postings(
    term: NDArray[np.int32], rows: NDArray[np.int32], field: NDArray[np.uint8], tf: NDArray[np.uint16], terms: int
) -> tuple[NDArray[np.int32], NDArray[np.uint32], NDArray[np.int64]]:
    """Sort by (term, row) and join the fields of each pair: (rows, packed frequencies, starts of terms).

    One range of terms at a time, so that loading a large index takes little more memory than keeping it.
    """
    bounds = _term_bounds(term, terms)
    pieces = []
    for low, high in pairwise(bounds):
        chosen = np.flatnonzero((term >= low) & (term < high)) if len(bounds) > 2 else slice(None)
        pieces.append(_sorted_piece(term[chosen], rows[chosen], field[chosen], tf[chosen]))
    sorted_terms, sorted_rows, packed = (np.concatenate(columns) for columns in zip(*pieces, strict=True))
    return sorted_rows, packed, _starts(sorted_terms, terms)


def _term_bounds(term: NDArray[np.int32], terms: int) -> list[int]:
    """Bounds of ranges of term ids with about ``_SORTED_AT_ONCE`` postings each."""
    ranges = len(term) // _SORTED_AT_ONCE + 1
    if ranges == 1:
        return [0, terms]
    until = np.cumsum(np.bincount(term, minlength=terms))
    inner = np.searchsorted(until, np.arange(1, ranges) * len(term) // ranges)
    return sorted({0, terms, *inner.tolist()})


def _sorted_piece(
    term: NDArray[np.int32], rows: NDArray[np.int32], field: NDArray[np.uint8], tf: NDArray[np.uint16]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint32]]:
    """(term, row, packed frequencies) of each pair of term and row, sorted.

    One 64-bit number per posting sorts many times faster than several arrays: 24 bits of term, 25 of row, 3 of field,
    11 of frequency.
    """
    keys = term.astype(np.int64)
    keys <<= 25
    keys |= rows
    keys <<= 14
    keys |= (field.astype(np.uint16) << 11) | np.minimum(tf, 2047)
    keys.sort()
    times = _packed(keys.astype(np.uint16) & np.uint16(0x3FFF))
    keys >>= 14
    is_first = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    if not is_first.all():
        first = np.flatnonzero(is_first)
        keys, times = keys[first], np.add.reduceat(times, first)
    return (keys >> 25).astype(np.int32), (keys & ((1 << 25) - 1)).astype(np.int32), times


def _packed(counted: NDArray[np.uint16]) -> NDArray[np.uint32]:
    """Field and frequency, as the keys of ``_sorted_piece`` end with them: the frequency moved to the bits of its
    field, and bounded by what these hold."""
    most, shifts = np.array([(1 << bits) - 1 for bits in TF_BITS], np.uint32), np.array(TF_SHIFTS, np.uint32)
    packed: NDArray[np.uint32] = np.minimum(counted, most[0])
    # Most stand in the text.
    at = np.flatnonzero(counted >> 11)
    field = counted[at] >> 11
    packed[at] = np.minimum(counted[at] & 2047, most[field]) << shifts[field]
    return packed


def _term_of_each(segment: Segment) -> NDArray[np.int32]:
    return np.repeat(np.arange(len(segment.starts) - 1, dtype=np.int32), np.diff(segment.starts))


def _starts(term: NDArray[np.int32], terms: int) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.bincount(term, minlength=terms))]).astype(np.int64)


def merged(older: Segment, newer: Segment, terms: int) -> Segment:
    """One segment of two; rows of the newer one are all higher, so a stable sort by term is enough."""
    term = np.concatenate([_term_of_each(older), _term_of_each(newer)])
    order = np.argsort(term, kind="stable")
    return Segment(
        _starts(term, terms),
        np.concatenate([older.rows, newer.rows])[order],
        np.concatenate([older.packed, newer.packed])[order],
        np.concatenate([older.weights, newer.weights])[order],
    )


def without_dead(segment: Segment, alive: NDArray[np.bool_], new_row: NDArray[np.int32]) -> Segment:
    kept = alive[segment.rows]
    return Segment(
        _starts(_term_of_each(segment)[kept], len(segment.starts) - 1),
        new_row[segment.rows[kept]],
        segment.packed[kept],
        segment.weights[kept],
    )
