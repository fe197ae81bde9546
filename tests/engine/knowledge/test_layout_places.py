"""Places on the map: no two things on one, the same request the same places, and what had a place keeps it."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.knowledge.layout import FORCE_LIMIT, lay_out
from engine.model import LayoutRequest


def fresh(count: int, edges: list[tuple[int, int]], groups: list[int] | None = None) -> LayoutRequest:
    return LayoutRequest((None,) * count, tuple(edges), tuple(groups or [0] * count))


def test_nothing_has_no_place() -> None:
    assert lay_out(fresh(0, [])) == ()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.lists(st.tuples(st.integers(0, 39), st.integers(0, 39)), max_size=80), st.randoms())
def test_every_thing_has_a_cell_of_its_own_and_old_ones_are_kept(
    count: int, edges: list[tuple[int, int]], chance: random.Random
) -> None:
    inside = [(a, b) for a, b in edges if a < count and b < count]
    first = lay_out(fresh(count, inside))
    assert len(set(first)) == count
    assert lay_out(fresh(count, inside)) == first
    known = tuple(cell if chance.random() < 0.8 else None for cell in first)
    second = lay_out(LayoutRequest(known, tuple(inside), (0,) * count))
    assert len(set(second)) == count
    if sum(cell is not None for cell in known) * 2 >= count:
        assert all(new == old for new, old in zip(second, known, strict=True) if old is not None)


def test_what_is_connected_lies_nearer_than_what_is_not() -> None:
    """Two rings of eight with one bridge."""
    ring = [(i, (i + 1) % 8) for i in range(8)]
    edges = [*ring, *((a + 8, b + 8) for a, b in ring), (0, 8)]
    cells = lay_out(fresh(16, edges))
    linked = [math.dist(cells[a], cells[b]) for a, b in edges]
    apart = [math.dist(cells[a], cells[b]) for a, b in itertools.product(range(8), range(8, 16)) if (a, b) != (0, 8)]
    assert sum(linked) / len(linked) < 0.6 * sum(apart) / len(apart)


def test_a_large_map_is_placed_by_community() -> None:
    count = FORCE_LIMIT + 400
    groups = [at % 4 for at in range(count)]
    cells = lay_out(fresh(count, [(at, at % 4) for at in range(4, count)], groups))
    assert len(set(cells)) == count
    for group in range(4):
        own = [cell for cell, home in zip(cells, groups, strict=True) if home == group]
        middle = sum(x for x, _ in own) / len(own), sum(y for _, y in own) / len(own)
        reach = max(math.dist(middle, cell) for cell in own)
        assert all(math.dist(middle, cells[other]) > reach for other in range(4) if other != group)


def test_something_new_goes_beside_its_neighbours() -> None:
    old = tuple((x * 3, 0) for x in range(10))
    cells = lay_out(LayoutRequest((*old, None), ((10, 4), (10, 5)), (0,) * 11))
    assert cells[:10] == old
    assert math.dist(cells[10], (13.5, 0)) < 3


def test_pinned_things_stay_when_all_else_is_placed_anew() -> None:
    previous: list[tuple[int, int] | None] = [None] * 12
    previous[3] = (40, -17)
    cells = lay_out(LayoutRequest(tuple(previous), tuple((0, at) for at in range(1, 12)), (0,) * 12, pinned=(3,)))
    assert cells[3] == (40, -17)


def test_two_that_claim_one_place_are_parted() -> None:
    assert len(set(lay_out(LayoutRequest(((0, 0), (0, 0)), (), (0, 0))))) == 2


def test_an_edge_to_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="not on the map"):
        lay_out(fresh(2, [(0, 5)]))
