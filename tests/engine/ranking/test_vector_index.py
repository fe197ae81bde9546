"""The meaning leg against the plain product, through growth, removal and filters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ranking import vectors
from engine.ranking.vectors import VectorIndex


def unit(rows: int, dimensions: int = 96, seed: int = 0) -> np.ndarray:
    """Vectors that vary in few directions more than in the others, as those of texts do."""
    rng = np.random.default_rng(seed)
    directions = np.random.default_rng(1).normal(size=(24, dimensions))
    values = rng.normal(size=(rows, 24)) @ directions + rng.normal(size=(rows, dimensions)) * 1.5
    return (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float16)


def exact(values: np.ndarray, query: np.ndarray, limit: int) -> list[int]:
    cosines = values.astype(np.float32) @ query
    return np.lexsort((np.arange(len(values)), -cosines))[:limit].tolist()


def numbers(count: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + count, dtype=np.int32)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 300), st.integers(1, 12), st.integers(0, 99))
def test_few_vectors_are_ranked_exactly(rows: int, limit: int, seed: int) -> None:
    values = unit(rows, 40, seed)
    query = unit(1, 40, seed + 1)[0].astype(np.float32)
    found, cosines = VectorIndex(40, numbers(rows), values).search(query, limit)
    np.testing.assert_allclose(cosines, np.sort(values.astype(np.float32) @ query)[::-1][:limit], rtol=1e-4, atol=1e-5)
    assert len(set(found.tolist())) == min(rows, limit)


def test_signs_first_finds_what_the_full_product_finds() -> None:
    values = unit(12_000, 384)
    index = VectorIndex(384, numbers(len(values)), values)
    shared = 0
    for query in unit(20, 384, seed=7).astype(np.float32):
        shared += len(set(index.search(query, 10)[0].tolist()) & set(exact(values, query, 10)))
    assert shared >= 0.99 * 200


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.sets(st.integers(0, 199), max_size=120), st.integers(0, 50))
def test_growing_and_shrinking_equal_building_anew(batches: int, removed: set[int], seed: int) -> None:
    values = unit(200, 64, seed)
    grown = VectorIndex(64)
    for part in np.array_split(numbers(200), batches):
        grown.add(part, values[part])
    grown.remove(np.array(sorted(removed), np.int32))
    kept = np.array([row for row in range(200) if row not in removed], np.int32)
    anew = VectorIndex(64, kept, values[kept])
    query = unit(1, 64, seed + 1)[0].astype(np.float32)
    assert len(grown) == len(anew) == len(kept)
    for one, other in zip(grown.search(query, 30), anew.search(query, 30), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_freed_slots_are_used_again() -> None:
    values = unit(1000, 64)
    index = VectorIndex(64)
    index.add(numbers(1000), values)
    size = index.nbytes
    for _ in range(5):
        index.remove(numbers(500))
        index.add(numbers(500), values[:500])
    assert index.nbytes == size
    assert len(index) == 1000


def test_a_vector_added_again_is_replaced() -> None:
    index = VectorIndex(64, numbers(3), unit(3, 64))
    other = unit(1, 64, seed=9)
    index.add(numbers(1, 1), other)
    assert len(index) == 3
    assert index.cosines(other[0].astype(np.float32), numbers(1, 1))[0] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("rows", [500, 5000])
def test_filtered_before_ranking(rows: int) -> None:
    values = unit(rows, 64)
    index = VectorIndex(64, numbers(rows), values)
    mask = np.zeros(rows, np.bool_)
    mask[rows // 2 : rows // 2 + 7] = True
    query = unit(1, 64, seed=3)[0].astype(np.float32)
    found, _ = index.search(query, 20, mask)
    assert sorted(found.tolist()) == np.flatnonzero(mask).tolist()
    assert len(index.search(query, 20, np.zeros(0, np.bool_))[0]) == 0


def test_blocks_hold_more_than_one_block_of_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "BLOCK", 256)
    monkeypatch.setattr(vectors, "FAST_UP_TO", 128)
    values = unit(1000, 64)
    loaded, grown = VectorIndex(64, numbers(1000), values), VectorIndex(64)
    grown.add(numbers(1000), values)
    query = unit(1, 64, seed=5)[0].astype(np.float32)
    for index in (loaded, grown):
        assert index.search(query, 10)[0].tolist() == exact(values, query, 10)
        np.testing.assert_allclose(
            index.cosines(query, np.array([999, 5000, 0], np.int32)),
            [values[999].astype(np.float32) @ query, np.nan, values[0].astype(np.float32) @ query],
            rtol=1e-4,
        )


def test_odd_dimensions_and_empty_indexes() -> None:
    values = unit(10, 30)
    query = values[4].astype(np.float32)
    assert VectorIndex(30, numbers(10), values).search(query, 1)[0].tolist() == [4]
    assert len(VectorIndex(30).search(query, 5)[0]) == 0
    assert np.isnan(VectorIndex(30).cosines(query, numbers(2))).all()
    assert VectorIndex(30).spread(query) == (0.0, 1.0)


def test_the_spread_is_that_of_the_cosines() -> None:
    values = unit(900, 64)
    query = unit(1, 64, seed=2)[0].astype(np.float32)
    cosines = values.astype(np.float32) @ query
    mean, deviation = VectorIndex(64, numbers(900), values).spread(query)
    assert (mean, deviation) == (pytest.approx(cosines.mean(), abs=1e-4), pytest.approx(cosines.std(), abs=1e-4))
    index = VectorIndex(64, numbers(4), values[:4])
    np.testing.assert_array_equal(index.vectors(np.array([2, 9], np.int32)), [values[2], np.zeros(64)])


def test_the_middle_follows_what_is_added_and_removed() -> None:
    values = unit(6, 64)
    index = VectorIndex(64)
    assert not index.middle().any()
    index.add(numbers(4), values[:4])
    np.testing.assert_allclose(index.middle(), values[:4].astype(np.float32).mean(axis=0), atol=1e-3)
    index.add(np.array([3, 4], np.int32), values[4:])
    left = values[[0, 1, 2, 4, 5]].astype(np.float32)
    np.testing.assert_allclose(index.middle(), left.mean(axis=0), atol=1e-3)
    index.remove(np.array([0, 4], np.int32))
    np.testing.assert_allclose(index.middle(), left[[1, 2, 3]].mean(axis=0), atol=1e-3)


def test_the_sample_is_of_those_that_are_there_however_they_lie() -> None:
    values = unit(4096, 64)
    index = VectorIndex(64, numbers(4096), values)
    index.remove(np.arange(0, 4096, 2, dtype=np.int32))
    left = values[1::2].astype(np.float32)
    query = unit(1, 64, seed=3)[0].astype(np.float32)
    np.testing.assert_allclose(index.middle(), left[::2].mean(axis=0), atol=1e-3)
    assert index.spread(query) == (
        pytest.approx((left[::2] @ query).mean(), abs=1e-3),
        pytest.approx((left[::2] @ query).std(), abs=1e-3),
    )


def test_a_broken_vector_does_not_move_the_middle() -> None:
    values = unit(5, 64)
    values[2, 7] = np.nan
    index = VectorIndex(64, numbers(5), values)
    np.testing.assert_allclose(index.middle(), values[[0, 1, 3, 4]].astype(np.float32).mean(axis=0), atol=1e-3)
