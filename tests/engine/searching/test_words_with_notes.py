"""The word leg as it enters reciprocal rank fusion: passages and their notes, as in a search by words alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.model import Mode
from engine.ranking.vectors import VectorIndex
from engine.ranking.vocabulary import Vocabulary
from engine.ranking.words import WordIndex, posting_batch
from engine.searching import fuse, legs
from engine.text.words import count_terms


@dataclass(frozen=True, slots=True)
class Index:
    """Arrays of passages in memory, without a model."""

    words: WordIndex
    note_of: NDArray[np.int32]
    vocabulary: Vocabulary
    model_id: str = "none"
    vectors: VectorIndex = VectorIndex(64)  # noqa: RUF009 - empty and never added to
    languages: tuple[str, ...] = ("en",)

    @property
    def notes_with_passages(self) -> int:
        return int(self.note_of.max()) + 1


def index_of(passages: list[tuple[int, str]]) -> Index:
    surfaces: dict[str, str] = {}
    counts = [count_terms((text, "", "", "", ""), "en", surfaces) for _, text in passages]
    words = WordIndex()
    words.add(posting_batch(counts, surfaces), np.arange(len(passages), dtype=np.int32))
    return Index(words, np.array([note for note, _ in passages], np.int32), Vocabulary(surfaces.items()))


PASSAGES = [(0, "bees hive wax"), (0, "honey jar lid"), (1, "bees hive")]


def answer(text: str, mode: Mode, method: str) -> fuse.Answer:
    index = index_of(PASSAGES)
    asked = legs.ask_words(text, [index], typing=False)
    return fuse.answer(asked, {}, [index], [None], mode, 10, method=method, model_languages={})


def test_a_note_that_holds_more_of_the_question_lifts_its_passages() -> None:
    index = index_of(PASSAGES)
    by_passage, _ = legs.word_leg(legs.ask_words("bees honey", [index], typing=False), [index], [None], 10)
    assert by_passage.ids.tolist() == [1, 2, 0]
    found = answer("bees honey", Mode.BOTH, "rrf")
    assert found.fused.ids.tolist() == [1, 0, 2]
    assert [ranking.ids.tolist() for ranking in found.rankings] == [[1, 0, 2]]


def test_scores_remain_those_of_the_passages() -> None:
    index = index_of(PASSAGES)
    by_passage, _ = legs.word_leg(legs.ask_words("bees honey", [index], typing=False), [index], [None], 10)
    (ranking,) = answer("bees honey", Mode.BOTH, "rrf").rankings
    scores = dict(zip(by_passage.ids.tolist(), by_passage.scores.tolist(), strict=True))
    assert ranking.scores.tolist() == [scores[passage] for passage in (1, 0, 2)]


def test_by_rank_alone_words_stand_as_in_a_search_by_words_alone() -> None:
    assert answer("bees honey", Mode.WORD, "auto").fused.ids.tolist() == [1, 0, 2]
    assert answer("bees honey", Mode.WORD, "rrf").fused.ids.tolist() == [1, 0, 2]


def test_words_that_no_note_holds_find_nothing() -> None:
    assert not len(answer("chisel", Mode.BOTH, "rrf").fused.ids)
