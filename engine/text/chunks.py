"""Cutting long text into windows of tokens. Pure: takes the token offsets, knows no tokenizer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

WINDOW = 200
OVERLAP = 30

_BETWEEN_LINES = 3
_SENTENCE_ENDS = frozenset(".!?…:;。！？；｡։؟۔।")
_CLOSERS = "\"'”’»)]）」』】"


def windows(text: str, spans: NDArray[np.int32], size: int = WINDOW, overlap: int = OVERLAP) -> list[tuple[int, int]]:
    """Character ranges that cover ``text`` in windows of at most ``size`` tokens.

    ``spans`` holds the [start, end) character offsets of the tokens, shape (n, 2). A window ends at the last line
    or sentence end in its last quarter, else between words, else anywhere; the next one begins about ``overlap``
    tokens before that, at the same kinds of places.
    """
    offsets: list[list[int]] = spans.tolist()
    total = len(offsets)
    ranges: list[tuple[int, int]] = []
    first = 0
    while total - first > size:
        high = first + size
        last = _best_cut(text, offsets, range(high, high - size // 4, -1))
        ranges.append((offsets[first][0] if first else 0, offsets[last][0]))
        first = max(first + 1, _best_cut(text, offsets, _around(last - overlap, overlap // 3)))
    ranges.append((offsets[first][0] if first else 0, len(text)))
    return ranges


def _around(middle: int, reach: int) -> list[int]:
    return sorted(range(max(1, middle - reach), middle + reach + 1), key=lambda token: abs(token - middle))


def _best_cut(text: str, offsets: Sequence[Sequence[int]], candidates: Sequence[int]) -> int:
    """The first of the tokens before which a cut hurts least."""
    best, best_quality = candidates[0], -1
    for token in candidates:
        quality = _cut_quality(text, offsets[token - 1][1], offsets[token][0])
        if quality > best_quality:
            best, best_quality = token, quality
        if quality == _BETWEEN_LINES:
            break
    return best


def _cut_quality(text: str, end: int, start: int) -> int:
    """3 between lines, 2 between sentences, 1 between words, 0 inside a word."""
    gap = text[end:start]
    if "\n" in gap:
        return _BETWEEN_LINES
    before = text[max(0, end - 3) : start].rstrip().rstrip(_CLOSERS)
    if before and before[-1] in _SENTENCE_ENDS and (gap or before[-1] > "\x7f"):
        return 2
    return 1 if gap else 0
