"""Old files are brought up to date with a copy kept; newer ones are refused."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import BugError, IndexDamaged, IndexTooNew
from engine.inference.fake import FakeEmbedder
from engine.model import NoteKey, SourceId
from engine.store import decisions, migrations, replies
from engine.store.database import Cursor, Database, copy_database
from engine.store.decisions import DecisionStore, MarkKind
from engine.store.index import IndexStore
from engine.store.migrations import INDEX, Migration, open_migrated, schema_digest, version
from engine.store.replies import ReplyStore

OLD = Path(__file__).resolve().parents[3] / "fixtures" / "upgrades"
"""Files as each version of the program left them, ``<kind>-<schema>.duckdb.gz``."""


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


def check_index(path: Path, key: str | None) -> None:
    store = IndexStore.open(path, key)
    assert {note.key: (note.title, note.state) for note in store.notes()} == {
        "Bees.md": ("Bees", "indexed"),
        "Honey.md": ("Honey", "indexed"),
    }
    assert [row.passage.text for row in store.note_passages(NoteKey("Honey.md"))] == [
        "Forty jars of lime honey, made by Bees."
    ]
    assert len(store.load_vectors(FakeEmbedder().model_id)[0]) == 2
    assert len(store.load_postings().passage) > 8
    assert [link.target for link in store.links(NoteKey("Bees.md"))] == ["hive", "Honey"]
    store.graph.load(SourceId("vault-1"))
    store.close()


def check_decisions(path: Path, key: str | None) -> None:
    store = DecisionStore.open(path, key)
    assert [(mark.source, mark.note) for mark in store.marks(MarkKind.PIN)] == [("vault-1", "Bees.md")]
    assert [(search.name, search.request) for search in store.searches()] == [("kept", {"text": "honey"})]
    assert [(one.query, one.is_useful) for one in store.feedback()] == [("honey", True)]
    assert store.notices == ()
    assert all(entry.why == "the same" for entry in store.merges())
    store.close()


def check_replies(path: Path, key: str | None) -> None:
    store = ReplyStore.open(path, key)
    assert store.get(["k"])["k"].text == "an answer"
    store.close()


KINDS: dict[str, tuple[tuple[Migration, ...], tuple[str, ...], Callable[[Path, str | None], None]]] = {
    "index": (INDEX, migrations.INDEX_SCHEMAS, check_index),
    "decisions": (decisions.MIGRATIONS, decisions.SCHEMAS, check_decisions),
    "replies": (replies.MIGRATIONS, replies.SCHEMAS, check_replies),
}
FILES = [file.name.removesuffix(".duckdb.gz") for file in sorted(OLD.glob("*.gz"))]


def unpacked(name: str, folder: Path, key: str | None = None) -> Path:
    path = folder / f"{name}.duckdb"
    plain = folder / "packed.duckdb" if key else path
    with gzip.open(OLD / f"{name}.duckdb.gz") as packed, plain.open("wb") as file:
        shutil.copyfileobj(packed, file)
    if key:
        copy_database(plain, None, path, key)
        plain.unlink()
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_every_earlier_version_has_a_file_and_every_version_a_digest(kind: str, tmp_path: Path) -> None:
    steps, digests, _ = KINDS[kind]
    assert {f"{kind}-{number}" for number in range(1, len(steps))} <= set(FILES)
    assert len(digests) == len(steps)
    for number, digest in enumerate(digests, 1):
        database = open_migrated(tmp_path / f"{number}.duckdb", None, steps[:number])
        assert schema_digest(database) == digest, number
        database.close()


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_each_version_is_upgraded_whole(name: str, tmp_path: Path, key: str | None) -> None:
    kind, number = name.split("-")
    steps, digests, check = KINDS[kind]
    path = unpacked(name, tmp_path, key)
    before = path.read_bytes()
    for _ in range(2):
        check(path, key)
    database = Database.open(path, key)
    assert version(database) == len(steps)
    assert schema_digest(database) == digests[-1]
    database.close()
    copy = path.with_name(f"{path.name}.schema-{number}")
    assert copy.exists() is (int(number) < len(steps))
    if copy.exists():
        assert copy.read_bytes() == before


@pytest.mark.parametrize("kind", KINDS)
def test_after_a_step_back_the_words_name_the_copy_and_it_works(kind: str, tmp_path: Path) -> None:
    steps, _, check = KINDS[kind]
    path = unpacked(f"{kind}-1", tmp_path)
    later = [*steps, lambda cursor: cursor.execute("CREATE TABLE later (x INTEGER)")]
    open_migrated(path, None, later).close()
    with pytest.raises(IndexTooNew, match=rf"schema {len(later)}, this one knows {len(steps)}") as caught:
        check(path, None)
    copy = path.with_name(f"{path.name}.schema-1")
    assert f"put {copy.name} in its place" in caught.value.remedy
    copy.replace(path)
    check(path, None)


def test_a_file_that_holds_something_else_is_damaged_and_not_touched(tmp_path: Path, key: str | None) -> None:
    foreign = (
        "CREATE TABLE notes (x INTEGER)",
        "CREATE TABLE migrations (number VARCHAR)",
        "CREATE VIEW migrations AS FROM range(3)",
    )
    for number, statement in enumerate(foreign):
        path = tmp_path / f"{number}.duckdb"
        database = Database.open(path, key)
        with database.write() as cursor:
            cursor.execute(statement)
        database.close()
        before = path.read_bytes()
        with pytest.raises(IndexDamaged, match="does not hold what Lamplight keeps"):
            IndexStore.open(path, key)
        assert path.read_bytes() == before
    path = unpacked("index-1", tmp_path, key)
    database = Database.open(path, key)
    with database.write() as cursor:
        cursor.execute("ALTER TABLE links DROP COLUMN label")
    database.close()
    with pytest.raises(IndexDamaged, match="does not hold"):
        IndexStore.open(path, key)


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
