"""The meaning leg takes from a passage what it owes to being near to everything, and is still scored by cosine."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.model import Mode
from engine.ranking.vectors import VectorIndex
from engine.ranking.vocabulary import Vocabulary
from engine.ranking.words import WordIndex
from engine.searching import fuse, legs
from engine.searching.search import _is_better

SIZE = 64


@dataclass(frozen=True, slots=True)
class Index:
    """Vectors in memory, of passages without words."""

    vectors: VectorIndex
    note_of: NDArray[np.int32]
    model_id: str = "model"
    words: WordIndex = field(default_factory=WordIndex)
    vocabulary: Vocabulary = field(default_factory=lambda: Vocabulary(()))
    languages: tuple[str, ...] = ("en",)

    @property
    def notes_with_passages(self) -> int:
        return len(self.note_of)


def index_of(rows: list[NDArray[np.float32]], model_id: str = "model") -> Index:
    ids = np.arange(len(rows), dtype=np.int32)
    values = np.array(rows, np.float16).reshape(len(rows), SIZE)
    return Index(VectorIndex(SIZE, ids, values), ids, model_id)


def vector(**axes: float) -> NDArray[np.float32]:
    """A unit vector of parts along the named axes ``a0``, ``a1`` ..."""
    made = np.zeros(SIZE, np.float32)
    for name, value in axes.items():
        made[int(name[1:])] = value
    return made / np.linalg.norm(made)


HUB = vector(a0=1.0)
RIGHT = vector(a0=0.35, a1=1.0)
NOTES = [HUB, RIGHT, *(vector(a0=1.0, **{f"a{axis}": 1.0}) for axis in range(2, 12))]
QUESTION = vector(a0=1.0, a1=0.65)


def answer(indexes: list[Index], method: str = "auto", without: int | None = None) -> fuse.Answer:
    """``without``: a passage of each index that a filter keeps out."""
    asked = legs.ask_words("", indexes, typing=False)
    masks = [None if without is None else np.arange(len(index.note_of)) != without for index in indexes]
    return fuse.answer(asked, {"model": QUESTION}, indexes, masks, Mode.MEANING, 10, method=method, model_languages={})


@pytest.mark.parametrize("method", ["auto", "rrf"])
def test_a_passage_near_to_everything_comes_after_one_that_is_as_near_to_the_question(method: str) -> None:
    assert HUB @ QUESTION > RIGHT @ QUESTION
    found = answer([index_of(NOTES)], method)
    assert found.fused.ids[:2].tolist() == [1, 0]
    assert found.rankings[0].ids[:2].tolist() == [1, 0]


@pytest.mark.parametrize("method", ["auto", "rrf"])
def test_the_scores_are_cosines(method: str) -> None:
    found = answer([index_of(NOTES)], method)
    cosines = [float(NOTES[number] @ QUESTION) for number in found.fused.ids]
    np.testing.assert_allclose(found.fused.leg_scores[:, 0], cosines, atol=1e-3)
    np.testing.assert_allclose(found.rankings[0].scores[:2], cosines[:2], atol=1e-3)
    assert found.best_cosine == {"model": pytest.approx(HUB @ QUESTION, abs=1e-3)}


def test_the_middle_is_that_of_all_indexes_of_the_model() -> None:
    indexes = [index_of(NOTES[:3]), index_of(NOTES[3:]), index_of([vector(a20=1.0)], "another"), index_of([])]
    together = legs.turned_from_hubs(QUESTION, "model", [index_of(NOTES)])
    np.testing.assert_allclose(legs.turned_from_hubs(QUESTION, "model", indexes), together, atol=1e-6)
    assert (together[0], together[1]) == (
        pytest.approx(QUESTION[0] - legs.HUB_SHARE * np.mean([note[0] for note in NOTES]), abs=1e-3),
        pytest.approx(QUESTION[1] - legs.HUB_SHARE * np.mean([note[1] for note in NOTES]), abs=1e-3),
    )


def test_without_vectors_a_question_stays_as_it_is() -> None:
    np.testing.assert_array_equal(legs.turned_from_hubs(QUESTION, "model", [index_of([])]), QUESTION)
    found = answer([index_of([])])
    assert (len(found.fused.ids), found.best_cosine) == (0, {})


def test_what_a_leg_ranked_by_can_be_asked_for() -> None:
    index = index_of(NOTES)
    fused = answer([index]).fused
    products = fuse.ranked_by("meaning", fused, {"model": QUESTION}, [index])
    assert list(products) == sorted(products, reverse=True)
    assert products[1] < fused.leg_scores[1, 0], "the one near to everything has lost the most"


def test_a_filter_hides_a_better_passage_when_it_would_stand_first() -> None:
    index = index_of(NOTES)
    best, rest = answer([index]).fused, answer([index], without=1).fused
    assert (best.ids[0], rest.ids[0]) == (1, 0)
    assert _is_better(best, rest, {"model": QUESTION}, [index])  # type: ignore[list-item]
    assert not _is_better(rest, best, {"model": QUESTION}, [index])  # type: ignore[list-item]
