"""What a run does with each kind of difference."""

from __future__ import annotations

import pytest

from engine.indexing.plan import make_plan
from engine.model import NoteKey, NoteRef, Scan
from engine.settings import Settings


def keys(*names: str) -> dict[NoteKey, str]:
    return {NoteKey(name): "r1" for name in names}


def scan_of(*names: str, revision: str = "r1", complete: bool = True, kept: tuple[str, ...] = ()) -> Scan:
    refs = tuple(NoteRef(NoteKey(name), revision, modified=float(i)) for i, name in enumerate(names))
    return Scan(refs, complete=complete, kept=frozenset(NoteKey(k) for k in kept))


def test_unchanged_notes_are_not_read() -> None:
    plan = make_plan(scan_of("a", "b"), keys("a", "b"), full=False, brake_fraction=0.3)
    assert (plan.read, plan.removed, plan.unchanged) == ((), (), 2)


def test_new_and_changed_notes_are_read_newest_first() -> None:
    plan = make_plan(scan_of("a", "b", "c", revision="r2"), keys("b"), full=False, brake_fraction=0.3)
    assert [ref.key for ref in plan.read] == ["c", "b", "a"]
    assert plan.new == {"a", "c"}


def test_a_full_run_reads_everything() -> None:
    plan = make_plan(scan_of("a", "b"), keys("a", "b"), full=True, brake_fraction=0.3)
    assert len(plan.read) == 2
    assert plan.new == frozenset()


@pytest.mark.parametrize(
    ("scan", "removed"),
    [
        (scan_of("a"), ("b",)),
        (scan_of("a", complete=False), ()),
        (scan_of("a", kept=("b",)), ()),
    ],
)
def test_only_what_is_surely_gone_is_removed(scan: Scan, removed: tuple[str, ...]) -> None:
    assert make_plan(scan, keys("a", "b"), full=False, brake_fraction=0.3).removed == removed


@pytest.mark.parametrize(("left", "is_braked"), [(100, False), (70, False), (67, False), (66, True), (0, True)])
def test_the_brake_holds_when_a_third_is_gone(left: int, is_braked: bool) -> None:
    names = [f"n{i:03}" for i in range(100)]
    plan = make_plan(scan_of(*names[:left]), keys(*names), full=False, brake_fraction=Settings().brake_fraction)
    assert plan.is_braked is is_braked
    assert len(plan.removed) == (0 if is_braked else 100 - left)


def test_a_handful_is_removed_but_never_all() -> None:
    plan = make_plan(scan_of("d"), keys("a", "b", "c", "d"), full=False, brake_fraction=0.33)
    assert plan.removed == ("a", "b", "c")
    plan = make_plan(scan_of(), keys("a"), full=False, brake_fraction=0.33)
    assert (plan.is_braked, plan.removed) == (True, ())


def test_a_folder_that_got_another_name_is_not_a_loss() -> None:
    stored = {NoteKey(f"old/{i:02}"): f"r{i}" for i in range(30)}
    moved = tuple(NoteRef(NoteKey(f"new/{i:02}"), f"r{i}") for i in range(30))
    plan = make_plan(Scan(moved), stored, full=False, brake_fraction=0.33)
    assert (plan.is_braked, len(plan.removed), len(plan.new)) == (False, 30, 30)
    plan = make_plan(Scan(moved[:15]), stored, full=False, brake_fraction=0.33)
    assert plan.is_braked, "half of them did not arrive"
