"""Joining rankings: what each leg gives, whom to trust, and independence from the order of legs and sources."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Strength
from engine.ranking.calibration import COSINES, LIKELY, STRONG, is_nothing_relevant, strength
from engine.ranking.fusion import Fused, Meaning, Ranking, by_trust, rrf


def leg(name: str, scores: dict[int, float], ranked: int | None = None) -> Ranking:
    best_first = sorted(scores, key=lambda number: -scores[number])
    return Ranking(name, np.array(best_first, np.int64), np.array([scores[n] for n in best_first], np.float32), ranked)


WORD = {1: 8.0, 2: 6.0, 3: 1.0}
NOTE = {1: 2.0, 2: 9.0, 3: 1.0, 4: 0.0}
MEANING = {4: 0.7, 2: 0.6, 1: 0.1}


def trusted(coverage: float = 1.0, knows: bool = True) -> Fused:
    meaning = Meaning(leg("meaning", MEANING), mean=0.1, deviation=0.1, knows_language=knows)
    return by_trust(leg("word", WORD), leg("note", NOTE), [meaning], coverage)


def test_reciprocal_rank_adds_up_over_the_legs() -> None:
    fused = rrf([leg("word", WORD), leg("meaning", MEANING)])
    assert fused.names == ("meaning", "word")
    assert fused.ids.tolist() == [1, 2, 4, 3]
    assert fused.scores[0] == pytest.approx(1 / 61 + 1 / 63)
    assert fused.ranks.tolist() == [[3, 1], [2, 2], [1, 0], [0, 3]]
    assert np.isnan(fused.leg_scores[2, 1])
    np.testing.assert_allclose(fused.shares.sum(axis=1), 1, rtol=1e-6)


def test_looked_up_scores_count_without_a_rank() -> None:
    fused = rrf([leg("word", WORD, ranked=2), leg("meaning", MEANING)])
    assert fused.ranks[fused.ids.tolist().index(3)].tolist() == [0, 0]
    assert fused.leg_scores[fused.ids.tolist().index(3), 1] == 1.0


def test_scores_by_trust_are_those_of_the_rule() -> None:
    fused = trusted(coverage=0.25)
    place = {number: at for at, number in enumerate(fused.ids.tolist())}
    words = 0.25**0.5 * (0.5 * 6 / 8 + 0.5 * 9 / 9)
    assert fused.scores[place[2]] == pytest.approx((words + 5 / 6) / 2, rel=1e-5)
    assert fused.names == ("meaning", "note", "word")
    assert fused.shares[place[4]].tolist() == pytest.approx([1, 0, 0])
    assert fused.ranks[place[1]].tolist() == [3, 2, 1]


def test_a_model_that_does_not_know_the_language_is_heard_less() -> None:
    known, unknown = trusted(0.5), trusted(0.5, knows=False)
    assert known.ids[1] == 4
    assert unknown.ids.tolist().index(4) > unknown.ids.tolist().index(1)
    assert unknown.scores.max() <= 1.0


def test_words_that_hardly_meet_the_question_are_heard_less() -> None:
    assert trusted(coverage=0.02).ids[0] == 4
    assert trusted(coverage=1.0).ids[0] == 2


def test_one_leg_alone_keeps_its_order() -> None:
    alone = by_trust(leg("word", WORD), None, [], 0.49)
    assert alone.ids.tolist() == [1, 2, 3]
    assert alone.scores[0] == pytest.approx(0.7)
    meaning = by_trust(None, None, [Meaning(leg("meaning", MEANING), 0.1, 0.1)], 0.0)
    assert meaning.ids.tolist() == [4, 2, 1]
    assert len(by_trust(None, None, [], 0.0).ids) == 0


def test_models_with_narrow_and_wide_cosines_are_treated_alike() -> None:
    wide = Meaning(leg("meaning", {1: 0.7, 2: 0.1}), mean=0.1, deviation=0.1)
    narrow = Meaning(leg("meaning e5", {3: 0.92, 4: 0.86}), mean=0.8, deviation=0.02)
    fused = by_trust(None, None, [wide, narrow], 0.0)
    assert set(fused.ids[:2].tolist()) == {1, 3}
    assert fused.ids[2:].tolist() == [4, 2]
    assert fused.scores[0] == pytest.approx(fused.scores[1], rel=1e-4)


rankings = st.dictionaries(st.integers(0, 30), st.floats(0, 20, width=32), max_size=20)


@settings(max_examples=60, deadline=None)
@given(rankings, rankings, st.dictionaries(st.integers(0, 30), st.floats(-1, 1, width=32)), st.floats(0, 1))
def test_the_order_of_legs_and_sources_never_matters(
    word: dict[int, float], note: dict[int, float], cosines: dict[int, float], covered: float
) -> None:
    first, last = leg("word", word), leg("meaning", cosines)
    odd = leg("odd", {n: s for n, s in cosines.items() if n % 2})
    even = leg("even", {n: s for n, s in cosines.items() if n % 2 == 0})
    several = [Meaning(odd, 0.1, 0.2), Meaning(even, 0.0, 0.3, False)]
    pairs = [
        (rrf([first, last]), rrf([last, first])),
        (
            by_trust(first, leg("note", note), several, covered),
            by_trust(first, leg("note", note), several[::-1], covered),
        ),
    ]
    for one, other in pairs:
        assert one.names == other.names
        for field in ("ids", "scores", "ranks", "leg_scores", "shares"):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
        assert set(one.ids.tolist()) >= set(word)
        assert (np.diff(one.scores) <= 0).all()
        assert np.isfinite(one.scores).all()


NEAR = COSINES["all-minilm-l6-v2"]
MODEL = "all-minilm-l6-v2@8199be6f699a-1c7a16"


@pytest.mark.parametrize(
    ("score", "cosine", "model", "word"),
    [
        (1.0, 0.9, MODEL, Strength.STRONG),
        (STRONG, 0.0, MODEL, Strength.STRONG),
        (LIKELY, 0.0, MODEL, Strength.LIKELY),
        (0.1, NEAR.chance, MODEL, Strength.WEAK),
        (0.1, NEAR.likely, MODEL, Strength.LIKELY),
        (0.1, 0.99, "another@1", Strength.WEAK),
        (0.1, 0.99, "", Strength.WEAK),
    ],
)
def test_scores_in_words(score: float, cosine: float, model: str, word: Strength) -> None:
    assert strength(score, cosine, model) is word


FAR = NEAR.chance - 0.01


@pytest.mark.parametrize(
    ("score", "cosines", "knows", "nothing"),
    [
        (0.3, {MODEL: FAR}, True, True),
        (0.3, {MODEL: NEAR.chance}, True, False),
        (LIKELY, {MODEL: FAR}, True, False),
        (0.3, {MODEL: FAR}, False, False),
        (0.3, {}, True, False),
        (0.3, {"another@1": 0.01}, True, False),
        (0.3, {MODEL: FAR, "another@1": 0.01}, True, False),
    ],
    ids=["far", "near in meaning", "words meet", "unknown language", "no model", "unknown model", "one unknown"],
)
def test_a_best_hit_by_chance_is_called_so(score: float, cosines: dict[str, float], knows: bool, nothing: bool) -> None:
    assert is_nothing_relevant(score, cosines, knows) is nothing
