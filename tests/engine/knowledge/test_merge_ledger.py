"""Merges can be undone: the graph is what the ledger says, whatever was said in between."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.knowledge.facts import Fact, Thing, thing
from engine.knowledge.graph import KnowledgeGraph, assemble
from engine.knowledge.merging import (
    EntityRef,
    EntryKind,
    LedgerEntry,
    Refs,
    Who,
    checked_groups,
    in_sync,
    refused,
    replay,
)
from engine.model import Anchor, Evidence, NoteKey, Origin, SourceId

SOURCE = SourceId("s")
KEY = NoteKey("n.md")
THINGS = [thing(SOURCE, "page", f"Thing {number}") for number in range(9)]
EVIDENCE = Evidence(SOURCE, KEY, Anchor(KEY), "quote", Origin.WRITTEN)
FACTS = [Fact(THINGS[a], "mentions", THINGS[b], EVIDENCE) for a in range(9) for b in range(9) if (a * b + a) % 4 == 1]
REFS = Refs((SOURCE, one, NoteKey("")) for one in THINGS)


def ref(one: Thing) -> EntityRef:
    return EntityRef(one.id, SOURCE, one.type, one.name)


def entry(number: int, kind: EntryKind, *members: int, who: Who = Who.OWNER, rest: tuple[int, ...] = ()) -> LedgerEntry:
    return LedgerEntry(
        kind, tuple(ref(THINGS[m]) for m in members), who, "why", id=number, rest=tuple(ref(THINGS[r]) for r in rest)
    )


def graph_of(ledger: list[LedgerEntry]) -> KnowledgeGraph:
    return assemble(THINGS, [], FACTS, replay(ledger, REFS).all_groups())


def groups(ledger: list[LedgerEntry]) -> list[list[int]]:
    numbers = {one.id: number for number, one in enumerate(THINGS)}
    return sorted([numbers[one] for one in group] for group in replay(ledger, REFS).all_groups())


MERGE, SPLIT, APART = EntryKind.MERGE, EntryKind.SPLIT, EntryKind.APART

steps = st.lists(
    st.tuples(
        st.sampled_from(["merge", "merge", "split", "apart", "undo", "redo"]),
        st.lists(st.integers(0, 8), min_size=2, max_size=3, unique=True),
        st.sampled_from(Who),
    ),
    max_size=14,
)


def with_undone(ledger: list[LedgerEntry], number: int, at: float | None) -> list[LedgerEntry]:
    return [dataclasses.replace(e, undone_at=at) if e.id == number else e for e in ledger]


def take(ledger: list[LedgerEntry], step: str, members: list[int], who: Who) -> tuple[list[LedgerEntry], int, bool]:
    """The ledger after a step, the entry that it concerned, and whether that was undone by it."""
    if step in ("undo", "redo"):
        is_undo = step == "undo"
        fitting = [e.id for e in ledger if (e.undone_at is None) == is_undo]
        if not fitting:
            return ledger, 0, False
        number = fitting[members[0] % len(fitting)]
        return with_undone(ledger, number, 1.0 if is_undo else None), number, is_undo
    number = len(ledger) + 1
    if step == "split":
        group = replay(ledger, REFS).group(THINGS[members[0]].id)
        rest = tuple(n for n, one in enumerate(THINGS) if one.id in group and n != members[0])
        return [*ledger, entry(number, SPLIT, members[0], rest=rest)], number, False
    made = entry(number, MERGE if step == "merge" else APART, *members, who=who if step == "merge" else Who.OWNER)
    return [*ledger, made], number, False


@given(steps)
def test_taking_every_step_back_restores_each_graph(sequence: list[tuple[str, list[int], Who]]) -> None:
    ledger: list[LedgerEntry] = []
    history: list[tuple[KnowledgeGraph, int, bool]] = []
    for step, members, who in sequence:
        before = graph_of(ledger)
        ledger, number, was_undo = take(ledger, step, members, who)
        if number:
            history.append((before, number, was_undo))
    for before, number, was_undo in reversed(history):
        ledger = with_undone(ledger, number, None if was_undo else 2.0)
        assert graph_of(ledger) == before
    assert graph_of([]) == graph_of(ledger)


@given(steps)
def test_groups_never_overlap_and_what_is_apart_stays_apart(sequence: list[tuple[str, list[int], Who]]) -> None:
    ledger: list[LedgerEntry] = []
    for step, members, who in sequence:
        ledger, _, _ = take(ledger, step, members, who)
        partition = replay(ledger, REFS)
        found = partition.all_groups()
        assert len([one for group in found for one in group]) == len({one for group in found for one in group})
        for pair in partition.apart:
            one, other = pair
            assert other not in partition.group(one)


def test_merges_are_joined_and_take_the_name_of_the_first() -> None:
    ledger = [entry(1, MERGE, 1, 2), entry(2, MERGE, 3, 2)]
    assert groups(ledger) == [[3, 2, 1]]
    graph = graph_of(ledger)
    assert graph.entities[THINGS[3].id].aliases == ("Thing 1", "Thing 2")
    assert graph.find("Thing 1") == [graph.entities[THINGS[3].id]]
    assert not [r for r in graph.relations if r.subject == r.object]


def test_a_split_leaves_the_rest_together_and_is_not_joined_again_by_a_rule() -> None:
    ledger = [entry(1, MERGE, 1, 2, 3, who=Who.RULE), entry(2, SPLIT, 2, rest=(1, 3))]
    assert groups(ledger) == [[1, 3]]
    assert groups([*ledger, entry(3, MERGE, 1, 2, who=Who.RULE)]) == [[1, 3]]
    assert groups([*ledger, entry(3, MERGE, 1, 2, who=Who.OWNER)]) == [[1, 3, 2]]


def test_never_keeps_apart_also_through_others() -> None:
    ledger = [entry(1, APART, 1, 3), entry(2, MERGE, 1, 2, who=Who.MODEL), entry(3, MERGE, 2, 3, who=Who.RULE)]
    assert groups(ledger) == [[1, 2]]


def test_an_undone_rule_is_not_to_be_repeated() -> None:
    undone = dataclasses.replace(entry(1, MERGE, 1, 2, who=Who.RULE), undone_at=5.0)
    assert refused([undone], REFS) == {frozenset((THINGS[1].id, THINGS[2].id))}
    assert refused([entry(1, MERGE, 1, 2, who=Who.RULE)], REFS) == set()


def test_decisions_find_their_things_after_ids_changed() -> None:
    moved = Thing("other-id", "page", "Thing 1")
    refs = Refs([(SOURCE, moved, NoteKey("")), (SOURCE, Thing("x", "note", "Renamed"), NoteKey("old.md"))])
    assert refs.find(ref(THINGS[1])) == "other-id"
    assert refs.find(EntityRef("gone", SOURCE, "note", "Old name", "old.md")) == "x"
    assert refs.find(ref(THINGS[2])) is None


@pytest.mark.parametrize(
    ("groups_said", "expected"),
    [
        ([["a", "b"], ["c"]], [("a", "b")]),
        ([["b", "a", "invented"]], [("b", "a")]),
        ([["a", "b"], ["b", "c"]], [("a", "b")]),
        ([["a", "a"]], []),
        ([["x", "y"]], []),
        ([], []),
    ],
)
def test_a_verdict_covers_each_name_once(groups_said: list[list[str]], expected: list[tuple[str, ...]]) -> None:
    assert checked_groups(["a", "b", "c"], groups_said) == expected


def test_in_sync_adds_what_is_missing_and_withdraws_what_no_longer_holds() -> None:
    kept, gone, new = (entry(1, MERGE, 1, 2, who=Who.RULE), entry(2, MERGE, 3, 4), entry(0, MERGE, 5, 6))
    assert in_sync([kept, gone], [dataclasses.replace(kept, id=0), new]) == ([new], [gone])
