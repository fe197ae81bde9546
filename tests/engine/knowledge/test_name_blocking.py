"""Which names may mean one thing: rare words bring names together, common ones do not, large clusters are split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.knowledge.blocking import CLUSTER_CAP, Pair, candidate_pairs, clusters, normal


def found(*names: str) -> dict[tuple[str, str], str]:
    return {pair.names: pair.why for pair in candidate_pairs([[name] for name in names])}


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("Attention", "attention", "case"),
        ("Zoë Blanc", "zoe  blanc", "case"),
        ("note-book", "Notebook", "case"),
        ("the starter", "Starter", "case"),
        ("Owen Pryce", "O. Pryce", "initials"),
        ("Skerrow Light Trust", "SLT", "initials"),
        ("Owen Pryce", "Owen", "subset"),
        ("Fresnel lens", "The Fresnel lens of 1858", "subset"),
        ("Margaret Dunmore", "Margret Dunmore", "spelling"),
    ],
)
def test_names_that_may_be_one(one: str, other: str, why: str) -> None:
    assert found(one, other, "Quite another thing") == {(one, other): why}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Owen Pryce", "Gethin Pryce"),
        ("Phone calls", "Port Callan"),
        ("Log 1931", "Log 1932"),
        ("Bread", "Bees"),
        ("O. Pryce", "G. Pryce"),
    ],
)
def test_names_that_are_two(one: str, other: str) -> None:
    assert found(one, other) == {}


def test_a_hub_word_brings_nothing_together() -> None:
    names = [f"project word{number}" for number in range(40)]
    assert candidate_pairs([["project"], *([name] for name in names)]) == []


def test_aliases_count_as_names() -> None:
    pairs = candidate_pairs([["Henrik Ellery", "Dad"], ["dad"], ["Somebody"]])
    assert [(pair.first, pair.second, pair.why) for pair in pairs] == [(0, 1, "case")]


def test_meaning_is_a_reason_when_embeddings_are_given() -> None:
    vectors = {"car": [1.0, 0.0], "automobile": [0.98, 0.199], "bread": [0.0, 1.0]}
    pairs = candidate_pairs([["car"], ["bread"], ["automobile"]], lambda names: np.array([vectors[n] for n in names]))
    assert [(pair.names, pair.why) for pair in pairs] == [(("car", "automobile"), "similar")]


def test_equal_names_meet_however_many_there_are() -> None:
    pairs = candidate_pairs([["Same Name"] for _ in range(100)])
    assert {pair.first for pair in pairs} == {0}
    assert len(pairs) == 99


def pair(first: int, second: int, weight: float) -> Pair:
    return Pair(first, second, weight, "subset", ("", ""))


def test_clusters_join_what_hangs_together() -> None:
    assert clusters(6, [pair(0, 1, 0.5), pair(1, 2, 0.5), pair(4, 5, 0.1)]) == [[0, 1, 2], [4, 5]]


def test_a_cluster_above_the_cap_is_split_at_its_weakest_place() -> None:
    chain = [pair(i, i + 1, 0.1 if i == 4 else 0.9) for i in range(9)]
    assert clusters(10, chain, cap=5) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


@given(st.lists(st.tuples(st.integers(0, 59), st.integers(0, 59), st.floats(0, 1)), max_size=150))
def test_clusters_are_bounded_and_disjoint(given_pairs: list[tuple[int, int, float]]) -> None:
    made = clusters(60, [pair(min(a, b), max(a, b), w) for a, b, w in given_pairs if a != b])
    assert all(2 <= len(group) <= CLUSTER_CAP for group in made)
    assert len({one for group in made for one in group}) == sum(map(len, made))


@given(st.text(max_size=40))
def test_normal_form_is_stable(name: str) -> None:
    assert normal(normal(name)) == normal(normal(normal(name)))
    assert normal(name) == normal(f"  {name} ")
