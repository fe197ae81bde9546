"""The word leg against a plain reading of its formula, and through every way of building the same index."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ranking import segments
from engine.ranking.words import (
    FIELD_WEIGHTS,
    FIELDS,
    K1,
    B,
    Postings,
    Statistics,
    Word,
    WordIndex,
    coverage,
    posting_batch,
)

Counts = Sequence[Sequence[Mapping[str, int]]]

letters = st.sampled_from("abcdefgh")
fields = st.dictionaries(letters, st.integers(1, 9), max_size=4)
passages = st.lists(st.tuples(fields, fields, fields, fields, fields), min_size=1, max_size=25)
questions = st.lists(st.builds(Word, st.lists(letters, min_size=1, max_size=3).map(tuple)), min_size=1, max_size=4)


def ids(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def index_of(counts: Counts, first: int = 0) -> WordIndex:
    index = WordIndex()
    index.add(posting_batch(counts, {}), np.arange(first, first + len(counts), dtype=np.int32))
    return index


def by_formula(counts: Counts, words: Sequence[Word]) -> np.ndarray:
    lengths = np.array([[sum(field.values()) for field in passage] for passage in counts], float)
    averages = np.exp2(np.round(np.log2(np.maximum(lengths.mean(axis=0), 1e-3)) * 4) / 4)
    totals = np.zeros(len(counts))
    for word in words:
        weights = np.zeros(len(counts))
        for row, passage in enumerate(counts):
            for number, field in enumerate(passage):
                tf = sum(field.get(term, 0) for term in dict.fromkeys(word.terms))
                norm = 1 - B + B * lengths[row, number] / averages[number]
                weights[row] += FIELD_WEIGHTS[number] * tf / norm
        df = int((weights > 0).sum())
        idf = math.log1p((len(counts) - df + 0.5) / (df + 0.5))
        totals += word.times * idf * (K1 + 1) * weights / (weights + K1)
    return totals


@settings(max_examples=60, deadline=None)
@given(passages, questions)
def test_scores_are_those_of_the_formula(counts: Counts, words: list[Word]) -> None:
    found, scores = index_of(counts).search(words, 100)
    expected = by_formula(counts, words)
    assert sorted(found.tolist()) == np.flatnonzero(expected > 0).tolist()
    np.testing.assert_allclose(scores, expected[found], rtol=3e-3)
    assert (np.diff(scores) <= 0).all()


@settings(max_examples=40, deadline=None)
@given(passages, questions, st.integers(1, 7), st.sets(st.integers(0, 24)))
def test_growing_and_shrinking_equal_building_anew(
    counts: Counts, words: list[Word], step: int, removed: set[int]
) -> None:
    grown = WordIndex()
    for start in range(0, len(counts), step):
        part = counts[start : start + step]
        grown.add(posting_batch(part, {}), np.arange(start, start + len(part), dtype=np.int32))
    grown.remove(ids(*sorted(removed)))
    kept = [row for row in range(len(counts)) if row not in removed]
    anew = WordIndex()
    anew.add(posting_batch([counts[row] for row in kept], {}), ids(*kept))
    assert len(grown) == len(anew) == len(kept)
    assert grown.statistics(words) == anew.statistics(words)
    for one, other in zip(grown.search(words, 100), anew.search(words, 100), strict=True):
        np.testing.assert_array_equal(one, other)


def test_stored_postings_in_any_order_give_the_same_index() -> None:
    counts = [[{"a": 2, "b": 1}, {"a": 1}, {}, {}, {}], [{"b": 3}, {}, {"a": 1}, {}, {}]]
    batch = posting_batch(counts, {})
    order = np.random.default_rng(1).permutation(len(batch.passage))
    stored = Postings(
        terms=batch.terms,
        passage=batch.passage[order] + np.int32(5),
        term=batch.term[order],
        field=batch.field[order],
        tf=batch.tf[order],
        passage_ids=ids(5, 6),
        lengths=batch.lengths,
    )
    words = [Word(("a",)), Word(("b",))]
    for one, other in zip(WordIndex(stored).search(words, 9), index_of(counts, 5).search(words, 9), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_large_index_is_sorted_in_ranges_of_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: Counts = [[{f"w{(row * k) % 17}": k for k in range(1, 6)}, {"w3": 2}, {}, {}, {}] for row in range(40)]
    question = [Word(("w3",)), Word(("w16", "w5"))]
    expected = index_of(counts).search(question, 40)
    monkeypatch.setattr(segments, "_SORTED_AT_ONCE", 30)
    for one, other in zip(index_of(counts).search(question, 40), expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_passage_added_again_is_replaced() -> None:
    index = index_of([[{"old": 1}, {}, {}, {}, {}], [{"other": 1}, {}, {}, {}, {}]])
    index.add(posting_batch([[{"new": 1}, {}, {}, {}, {}]], {}), ids(0))
    assert index.passages_with(Word(("old",))).tolist() == []
    assert index.passages_with(Word(("new",))).tolist() == [0]
    assert len(index) == 2


def test_many_removals_compact_without_changing_answers() -> None:
    counts: Counts = [[{"a": 1 + row % 3, f"w{row}": 1}, {}, {}, {}, {}] for row in range(3000)]
    index = index_of(counts)
    index.remove(np.arange(0, 2500, dtype=np.int32))
    words = [Word(("a",)), Word(("w2700",))]
    assert index.search(words, 1)[0].tolist() == [2700]
    assert index.nbytes < index_of(counts).nbytes / 2
    index.add(posting_batch(counts[:1], {}), ids(0))
    assert index.passages_with(Word(("w0",))).tolist() == [0]


def test_only_allowed_passages_are_ranked() -> None:
    index = index_of([[{"a": 5 - row}, {}, {}, {}, {}] for row in range(4)])
    mask = np.array([False, True, False, True])
    assert index.search([Word(("a",))], 9, allowed=mask)[0].tolist() == [1, 3]
    assert index.search([Word(("a",))], 9, allowed=mask[:2])[0].tolist() == [1]
    assert index.search([Word(("a",))], 1, allowed=mask)[0].tolist() == [1]


def test_statistics_of_several_indexes_make_one_ranking() -> None:
    counts: Counts = [[{"a": 1}, {}, {}, {}, {}], [{"a": 2, "b": 1}, {}, {}, {}, {}], [{"b": 1}, {}, {}, {}, {}]] * 4
    words = [Word(("a",)), Word(("b",), 2.0)]
    parts = [index_of(counts[:6]), index_of(counts[6:], 6)]
    both = parts[0].statistics(words) + parts[1].statistics(words)
    assert both == index_of(counts).statistics(words)
    found = np.concatenate([part.search(words, 20, both)[0] for part in parts])
    scores = np.concatenate([part.search(words, 20, both)[1] for part in parts])
    whole, expected = index_of(counts).search(words, 20)
    np.testing.assert_allclose(scores[np.lexsort((found, -scores))], expected, rtol=3e-3)
    assert found[np.lexsort((found, -scores))].tolist() == whole.tolist()


def test_contributions_add_up_and_are_split_by_field() -> None:
    counts: Counts = [[{"a": 1, "b": 1}, {"a": 1}, {"a": 1}, {}, {}], [{"b": 1}, {}, {}, {}, {}]]
    index = index_of(counts)
    words = [Word(("a",)), Word(("b", "c")), Word(("zzz",))]
    statistics = index.statistics(words)
    found, totals = index.search(words, 9)
    parts = index.scores(words, found, statistics)
    np.testing.assert_allclose(parts.sum(axis=1), totals, rtol=1e-5)
    assert parts[:, 2].tolist() == [0, 0]
    split = dict(zip(FIELDS, index.fields_of(words[0], 0), strict=True))
    assert split["concepts"] > split["text"] > 0 == split["tags"]
    assert sum(split.values()) == pytest.approx(1)
    assert index.fields_of(words[0], 1).sum() == 0
    assert index.scores(words, ids(77), statistics).tolist() == [[0, 0, 0]]


def test_a_note_is_scored_as_one_text() -> None:
    counts: Counts = [
        [{"a": 1}, {"t": 1}, {}, {}, {}],
        [{"b": 2}, {"t": 1}, {}, {}, {}],
        [{"a": 1, "b": 1, "c": 4}, {}, {}, {}, {}],
        [{"c": 2}, {}, {}, {}, {}],
    ]
    index = index_of(counts)
    words = [Word(("a",)), Word(("b",))]
    scores = index.note_scores(words, ids(0, 1, 2, 3, 99), ids(0, 0, 1, 2, 2), 3, index.statistics(words))
    assert scores[0] > scores[1] > scores[2] == 0
    assert len(index.note_scores(words, ids(), ids(), 3, index.statistics(words))) == 0


def test_coverage_is_the_part_of_the_question_that_the_best_passage_holds() -> None:
    words = [Word(("rare",)), Word(("common",))]
    statistics = Statistics(100, (1, 60))
    idf = statistics.idf()
    held = np.array([[0, 1], [1, 0]], np.float32)
    assert coverage(held, words, statistics) == pytest.approx(idf[0] / idf.sum())
    assert coverage(np.ones((1, 2), np.float32), words, statistics) == pytest.approx(1)
    assert coverage(np.zeros((0, 2), np.float32), words, statistics) == 0
    assert coverage(np.zeros((3, 0), np.float32), [], Statistics(3, ())) == 0


def test_said_twice_counts_twice() -> None:
    index = index_of([[{"a": 1}, {}, {}, {}, {}], [{"b": 1}, {}, {}, {}, {}]])
    once = index.search([Word(("a",))], 1)[1][0]
    assert index.search([Word(("a",), 2.0)], 1)[1][0] == pytest.approx(2 * once)


@pytest.mark.parametrize("words", [[], [Word(())], [Word(("missing",))]])
def test_nothing_to_find_is_no_error(words: list[Word]) -> None:
    for index in (WordIndex(), index_of([[{"a": 1}, {}, {}, {}, {}]])):
        found, scores = index.search(words, 5)
        assert len(found) == len(scores) == 0
