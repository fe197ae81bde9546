"""What the owner decided survives: closing, damage, and removal of other sources."""

from __future__ import annotations

from pathlib import Path

import pytest

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
