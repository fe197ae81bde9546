"""What the owner decided survives: closing, damage, and removal of other sources."""

from __future__ import annotations

import atexit
import functools
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.knowledge.merging import EntityRef, EntryKind, LedgerEntry, Who
from engine.model import NoteKey, SourceId
from engine.store.decisions import BACKUPS, DecisionStore, Feedback, Mark, MarkKind, SavedSearch, backups

SOURCE = SourceId("vault-1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "decisions.duckdb"


def pins(store: DecisionStore) -> list[tuple[str, str]]:
    return [(mark.note, mark.uid) for mark in store.marks(MarkKind.PIN)]


def test_marks_searches_and_feedback(path: Path, key: str | None) -> None:
    store = DecisionStore.open(path, key)
    for note in ("a\udc80.md", "b.md", "b.md"):
        store.set_mark(Mark(MarkKind.PIN, SOURCE, NoteKey(note)))
    store.set_mark(Mark(MarkKind.HIDE, SOURCE, NoteKey("a.md"), "uid"))
    store.save_search(SavedSearch("Zebra", {"text": "x"}))
    store.save_search(SavedSearch("apple", {"text": "old"}))
    store.save_search(SavedSearch("apple", {"text": "new", "sources": ["v"]}))
    for useful in (True, False):
        store.add_feedback(Feedback("query", SOURCE, NoteKey("a.md"), "", useful))
    store.close()
    store = DecisionStore.open(path, key)
    assert pins(store) == [("b.md", ""), ("a\udc80.md", "")]
    assert [mark.uid for mark in store.marks(MarkKind.HIDE)] == ["uid"]
    assert [(one.name, one.request) for one in store.searches()] == [
        ("apple", {"text": "new", "sources": ["v"]}),
        ("Zebra", {"text": "x"}),
    ]
    assert [(one.query, one.is_useful) for one in store.feedback()] == [("query", False)]
    store.set_mark(Mark(MarkKind.PIN, SOURCE, NoteKey("b.md")), on=False)
    store.delete_search("Zebra")
    assert pins(store) == [("a\udc80.md", "")]
    assert len(store.searches()) == 1
    store.forget_source(SOURCE)
    assert (pins(store), store.feedback()) == ([], [])
    assert store.notices == ()
    store.close()


def test_a_damaged_file_gives_way_to_its_newest_good_backup(path: Path, key: str | None) -> None:
    for note in ("one", "two"):
        store = DecisionStore.open(path, key)
        store.set_mark(Mark(MarkKind.PIN, SOURCE, NoteKey(note)))
        store.close()
    backups(path)[0].write_bytes(b"damaged too")
    path.write_bytes(b"damaged")
    store = DecisionStore.open(path, key)
    assert pins(store) == [("one", "")]
    assert "is damaged" in store.notices[0]
    assert "backup of" in store.notices[0]
    assert (path.parent / "decisions.duckdb.damaged").read_bytes() == b"damaged"
    store.close()


def everything(store: DecisionStore) -> tuple[object, ...]:
    return (
        [(mark.note, mark.uid) for mark in store.marks(MarkKind.PIN)],
        [(one.name, one.request) for one in store.searches()],
        [(one.query, one.is_useful) for one in store.feedback()],
        [(entry.kind, entry.why, len(entry.members)) for entry in store.merges()],
    )


def scramble(path: Path, start: int, length: int) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:start] + random.Random(start).randbytes(length) + data[start + length :])


def cut(path: Path, length: int) -> None:
    path.write_bytes(path.read_bytes()[:length])


def of_size(part: float) -> Callable[[Path], None]:
    return lambda path: cut(path, int(path.stat().st_size * part))


DAMAGE: dict[str, Callable[[Path], None]] = {
    "gone": lambda path: path.unlink(),
    "empty": lambda path: cut(path, 0),
    "cut in the first header": lambda path: cut(path, 100),
    "cut after the headers": lambda path: cut(path, 12_288),
    "cut in the first block": lambda path: cut(path, 20_000),
    "cut in half": of_size(0.5),
    "cut before the end": of_size(0.95),
    "other text": lambda path: path.write_text("hello " * 9000),
    "noise": lambda path: path.write_bytes(random.Random(2).randbytes(300_000)),
    "main header": lambda path: scramble(path, 8, 64),
    "both headers": lambda path: scramble(path, 4096, 8192),
    "blocks": lambda path: scramble(path, 12_288, path.stat().st_size - 12_288),
    "start of every block": lambda path: [
        scramble(path, place, 64) for place in range(12_288, path.stat().st_size, 262_144)
    ],
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


Kept = tuple[Path, tuple[object, ...]]


@functools.cache
def kept(key: str | None) -> Kept:
    """(a folder with a decisions file and its backup, what both hold)."""
    path = Path(tempfile.mkdtemp(), "decisions.duckdb")
    store = DecisionStore.open(path, key)
    for number in range(20):
        store.set_mark(Mark(MarkKind.PIN, SOURCE, NoteKey(f"note {number}"), "uid"))
    store.save_search(SavedSearch("kept", {"text": "honey " * 500}))
    store.add_feedback(Feedback("query", SOURCE, NoteKey("a.md"), "", True))
    ends = tuple(EntityRef(end, SOURCE, "note", end) for end in "ab")
    store.change_merges([LedgerEntry(EntryKind.MERGE, ends, Who.OWNER, "the same")])
    before = everything(store)
    store.close()
    atexit.register(shutil.rmtree, path.parent)
    return path.parent, before


PLAIN_ALONE = {"gone", "empty", "cut in the first header", "other text", "noise", "zeros", "a folder"}
"""Where it makes no difference whether the file was encrypted."""
CASES = [(damage, key) for damage in DAMAGE for key in ((None,) if damage in PLAIN_ALONE else (None, "5a" * 32))]


@pytest.mark.parametrize(("damage", "key"), CASES)
def test_damage_of_every_sort_is_found_at_once_and_made_good(damage: str, key: str | None, tmp_path: Path) -> None:
    folder, before = kept(key)
    path = shutil.copytree(folder, tmp_path / "data") / "decisions.duckdb"
    DAMAGE[damage](path)
    store = DecisionStore.open(path, key)
    assert everything(store) == before
    assert "The backup of 2" in store.notices[0], store.notices
    assert store.notices[0].startswith("decisions.duckdb is ")
    store.close()


def test_single_bytes_anywhere_are_found_or_do_no_harm(key: str | None, tmp_path: Path) -> None:
    folder, before = kept(key)
    path = shutil.copytree(folder, tmp_path / "data") / "decisions.duckdb"
    chance = random.Random(3)
    for _ in range(6):
        scramble(path, chance.randrange(path.stat().st_size), 1)
        store = DecisionStore.open(path, key)
        assert everything(store) == before
        store.close()


def test_a_log_that_is_damaged_costs_what_is_in_it_alone(path: Path, key: str | None, tmp_path: Path) -> None:
    store = DecisionStore.open(path, key)
    store.set_mark(Mark(MarkKind.PIN, SOURCE, NoteKey("one")))
    store.close()
    store = DecisionStore.open(path, key)
    store.set_mark(Mark(MarkKind.PIN, SOURCE, NoteKey("two")))
    crashed = shutil.copytree(path.parent, tmp_path / "crashed") / path.name
    store.close()
    log = crashed.with_name(crashed.name + ".wal")
    scramble(log, log.stat().st_size // 2, log.stat().st_size // 4)
    store = DecisionStore.open(crashed, key)
    assert ("one", "") in pins(store)
    store.close()


def test_after_a_crash_the_next_start_makes_the_copy(path: Path, key: str | None, tmp_path: Path) -> None:
    store = DecisionStore.open(path, key)
    store.set_mark(Mark(MarkKind.PIN, SOURCE, NoteKey("one")))
    crashed = shutil.copytree(path.parent, tmp_path / "crashed") / path.name
    store.close()
    assert backups(crashed) == []
    store = DecisionStore.open(crashed, key)
    assert len(backups(crashed)) == 1
    cut(crashed, 5000)
    store.close()
    crashed.with_name(crashed.name + ".wal").unlink(missing_ok=True)
    cut(crashed, 5000)
    store = DecisionStore.open(crashed, key)
    assert pins(store) == [("one", "")]
    store.close()


def test_a_clock_that_was_put_back_drops_no_new_copy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time_ns()
    for number in range(BACKUPS + 1):
        monkeypatch.setattr("time.time_ns", lambda number=number: now - number * 10**15)
        store = DecisionStore.open(path)
        store.set_mark(Mark(MarkKind.PIN, SOURCE, NoteKey(str(number))))
        store.close()
        assert backups(path)[0].read_bytes() == path.read_bytes(), "the newest copy is the newest"
    assert len(backups(path)) == BACKUPS


def test_damage_without_a_backup_starts_empty_and_says_so(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"damaged")
    store = DecisionStore.open(path)
    assert pins(store) == []
    assert "no backup" in store.notices[0]
    store.close()


def test_copies_are_made_on_change_and_five_are_kept(path: Path) -> None:
    for number in range(BACKUPS + 2):
        store = DecisionStore.open(path)
        store.set_mark(Mark(MarkKind.PIN, SOURCE, NoteKey(str(number))))
        store.close()
    kept = backups(path)
    assert len(kept) == BACKUPS
    assert kept[0].read_bytes() == path.read_bytes()
    store = DecisionStore.open(path)
    store.searches()
    store.close()
    assert backups(path) == kept
