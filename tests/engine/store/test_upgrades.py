"""Old files are brought up to date with a copy kept; newer ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import BugError, IndexTooNew
from engine.store.database import Cursor, Database
from engine.store.index import IndexStore
from engine.store.migrations import INDEX, open_migrated, version


def m1(cursor: Cursor) -> None:
    cursor.execute("CREATE TABLE things (name VARCHAR)")
    cursor.execute("INSERT INTO things VALUES ('old')")


def m2(cursor: Cursor) -> None:
    cursor.execute("ALTER TABLE things ADD COLUMN size INTEGER DEFAULT 5")


def m3(cursor: Cursor) -> None:
    cursor.execute("UPDATE things SET size = size + 1")


def broken(cursor: Cursor) -> None:
    cursor.execute("DROP TABLE things")
    cursor.execute("SELECT nonsense")


def things(database: Database) -> list[tuple[object, ...]]:
    with database.read() as cursor:
        return cursor.execute("SELECT * FROM things").fetchall()


def test_an_old_file_is_upgraded_once_and_a_copy_kept(tmp_path: Path, key: str | None) -> None:
    path = tmp_path / "a.duckdb"
    open_migrated(path, key, [m1]).close()
    for _ in range(2):
        database = open_migrated(path, key, [m1, m2, m3])
        assert version(database) == 3
        assert things(database) == [("old", 6)]
        database.close()
    copy = Database.open(tmp_path / "a.duckdb.schema-1", key)
    assert version(copy) == 1
    assert things(copy) == [("old",)]
    copy.close()


def test_a_new_file_has_no_copy(tmp_path: Path) -> None:
    database = open_migrated(tmp_path / "a.duckdb", None, [m1, m2])
    assert version(database) == 2
    database.close()
    assert [file.name for file in tmp_path.iterdir()] == ["a.duckdb"]


def test_a_failed_step_leaves_the_file_at_the_step_before(tmp_path: Path, key: str | None) -> None:
    path = tmp_path / "a.duckdb"
    open_migrated(path, key, [m1]).close()
    with pytest.raises(BugError):
        open_migrated(path, key, [m1, m2, broken])
    database = open_migrated(path, key, [m1, m2])
    assert things(database) == [("old", 5)]
    database.close()


def test_a_newer_file_is_refused_and_not_touched(tmp_path: Path, key: str | None) -> None:
    path = tmp_path / "a.duckdb"
    open_migrated(path, key, [m1, m2]).close()
    before = path.read_bytes()
    with pytest.raises(IndexTooNew, match="newer Lamplight") as caught:
        open_migrated(path, key, [m1])
    assert "Update" in caught.value.remedy
    assert path.read_bytes() == before


def test_the_index_says_which_schema_it_has(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    IndexStore.open(path).close()
    database = Database.open(path)
    assert version(database) == len(INDEX)
    database.close()
