"""Windows of tokens: bounded, overlapping, complete, cut where it hurts least."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.chunks import windows


def spans(text: str):
    return np.array([found.span() for found in re.finditer(r"\w{1,4}|[^\w\s]", text)], dtype=np.int32).reshape(-1, 2)


def tokens_in(offsets, start: int, end: int) -> int:
    return int(((offsets[:, 0] >= start) & (offsets[:, 1] <= end)).sum())


@given(
    st.lists(st.sampled_from(["word", "longerword", ".", "\n", "end.", "中文", "!"]), max_size=600), st.integers(12, 60)
)
@settings(max_examples=60, deadline=None)
def test_windows_cover_everything_and_stay_within_size(words: list[str], size: int) -> None:
    text = " ".join(words)
    offsets = spans(text)
    found = windows(text, offsets, size, size // 6)
    assert found[0][0] == 0
    assert found[-1][1] == len(text)
    for (start, end), (following, _) in pairwise(found):
        assert start < following <= end
    assert all(tokens_in(offsets, start, end) <= size for start, end in found)


def test_a_line_end_is_preferred_to_a_sentence_end() -> None:
    text = " ".join(["word"] * 16) + " six\nten. " + " ".join(["more"] * 20)
    first, second = windows(text, spans(text), 20, 3)[:2]
    assert text[slice(*first)].rstrip().endswith("six")
    assert second[0] < first[1]


def test_a_sentence_end_is_preferred_to_a_word_end() -> None:
    text = " ".join(["word"] * 16) + " end. " + " ".join(["more"] * 20)
    first, _ = windows(text, spans(text), 20, 3)[:2]
    assert text[slice(*first)].rstrip().endswith("end.")


def test_overlap_is_about_what_was_asked() -> None:
    text = " ".join(["word"] * 1000)
    offsets = spans(text)
    found = windows(text, offsets)
    overlaps = [tokens_in(offsets, following[0], before[1]) for before, following in pairwise(found)]
    assert all(overlap == 30 for overlap in overlaps)
    assert tokens_in(offsets, *found[0]) == 200


def test_no_blank_anywhere_still_ends() -> None:
    text = "中" * 1000
    found = windows(text, np.array([(i, i + 1) for i in range(1000)], dtype=np.int32))
    assert found[-1][1] == 1000
    assert len(found) == 6
