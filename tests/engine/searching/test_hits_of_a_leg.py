"""What a hit takes over from the legs."""

from __future__ import annotations

import numpy as np
import pytest

from engine.ranking.fusion import Ranking, rrf
from engine.searching.hits import _cosine


@pytest.mark.parametrize(("cosine", "expected"), [(0.5, 0.5), (-0.25, 0.0), (float("nan"), 0.0)])
def test_a_cosine_is_never_below_nothing(cosine: float, expected: float) -> None:
    fused = rrf([Ranking("meaning", np.array([7], np.int64), np.array([cosine], np.float32))])
    assert _cosine(0, fused) == pytest.approx(expected)


def test_without_a_meaning_leg_there_is_no_cosine() -> None:
    fused = rrf([Ranking("word", np.array([7], np.int64), np.array([3.0], np.float32))])
    assert _cosine(0, fused) == 0.0
