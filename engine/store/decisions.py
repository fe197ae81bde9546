"""What the owner decided: pins, hides, saved searches, feedback, which entities are one. Small, backed up in rotating
copies.

A rebuilt index never touches this file, so notes are named by source, key and uid, never by row ids.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from engine.errors import EngineError, IndexDamaged, IndexTooNew, WrongKey
from engine.knowledge.merging import LedgerEntry
from engine.model import NoteKey, SourceId
from engine.store import merges, rows
from engine.store.database import Cursor, Database, copy_file, set_aside
from engine.store.migrations import Migration, open_migrated

BACKUPS = 5


class MarkKind(StrEnum):
    PIN = "pin"
    HIDE = "hide"
    ACCEPTED = "accepted"
    """Said yes to a proposal about the note; ``uid`` names what was proposed, see ``linking.missing``."""
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Mark:
    """A note (``uid`` empty) or a block that the owner pinned or hid. Time in seconds since the epoch."""

    kind: MarkKind
    source: SourceId
    note: NoteKey
    uid: str = ""
    marked_at: float = 0.0


@dataclass(frozen=True, slots=True)
class SavedSearch:
    name: str
    """Unique; saving the same name again replaces it."""
    request: dict[str, Any]
    """JSON-compatible fields of a ``SearchRequest``."""
    saved_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Feedback:
    """One judgement: did this passage answer this query?"""

    query: str
    source: SourceId
    note: NoteKey
    uid: str
    is_useful: bool
    given_at: float = 0.0


def m001_first_schema(cursor: Cursor) -> None:
    for statement in (
        """CREATE TABLE marks (kind VARCHAR NOT NULL, source VARCHAR NOT NULL, note VARCHAR NOT NULL,
            uid VARCHAR NOT NULL, marked_at DOUBLE NOT NULL)""",
        "CREATE TABLE searches (name VARCHAR NOT NULL, request VARCHAR NOT NULL, saved_at DOUBLE NOT NULL)",
        """CREATE TABLE feedback (query VARCHAR NOT NULL, source VARCHAR NOT NULL, note VARCHAR NOT NULL,
            uid VARCHAR NOT NULL, is_useful BOOLEAN NOT NULL, given_at DOUBLE NOT NULL)""",
    ):
        cursor.execute(statement)


def m002_merge_ledger(cursor: Cursor) -> None:
    """Members and evidence are JSON lists: they are read and replaced as a whole."""
    cursor.execute(
        """CREATE TABLE merges (id INTEGER NOT NULL, kind VARCHAR NOT NULL CHECK (kind IN ('merge', 'split', 'apart')),
        members VARCHAR NOT NULL CHECK (members <> '[]'), rest VARCHAR NOT NULL,
        who VARCHAR NOT NULL CHECK (who IN ('owner', 'rule', 'model')), why VARCHAR NOT NULL CHECK (why <> ''),
        evidence VARCHAR NOT NULL, model VARCHAR NOT NULL, prompt_version VARCHAR NOT NULL,
        made_at DOUBLE NOT NULL, undone_at DOUBLE)"""
    )


MIGRATIONS: tuple[Migration, ...] = (m001_first_schema, m002_merge_ledger)
SCHEMAS = ("65eb79df7406ac26", "da13e8e9afe77b8f")
"""``schema_digest`` after each."""


class DecisionStore:
    """Safe from any thread. ``notices`` tells the owner when a backup had to be used."""

    def __init__(self, database: Database, notices: tuple[str, ...] = ()) -> None:
        self._db = database
        self._changed = False
        self.notices = notices

    @classmethod
    def open(cls, path: Path, key: str | None = None) -> DecisionStore:
        """Open or create; where the file is damaged or gone, the newest good backup takes its place."""
        try:
            if (lost := _is_lost(path)) and backups(path):
                raise IndexDamaged(f"{path.name} is {lost}.")
            return cls(_open_after_crash(path, key))
        except IndexDamaged as error:
            database, notice = _restore(path, key, error)
            return cls(database, (notice,))

    def close(self) -> None:
        """Close, and keep a copy when something changed; the newest five are kept."""
        self._db.close()
        if self._changed:
            self._changed = False
            _back_up(self._db.path)

    # --- pins and hides

    def marks(self, kind: MarkKind) -> list[Mark]:
        """Newest first."""
        with self._db.read() as cursor:
            found = cursor.execute(
                "SELECT source, note, uid, marked_at FROM marks WHERE kind = $1 ORDER BY marked_at DESC", [kind]
            ).fetchall()
        return [
            Mark(kind, SourceId(source), NoteKey(rows.unpack_key(note)), uid, marked_at)
            for source, note, uid, marked_at in found
        ]

    def set_mark(self, mark: Mark, on: bool = True) -> None:
        """Pin or hide (``on``), or take it back; twice is once. The time of ``mark`` is not used."""
        identity = [mark.kind, mark.source, rows.pack_key(mark.note), rows.clean(mark.uid)]
        with self._writing() as cursor:
            cursor.execute("DELETE FROM marks WHERE kind = $1 AND source = $2 AND note = $3 AND uid = $4", identity)
            if on:
                cursor.execute("INSERT INTO marks VALUES ($1, $2, $3, $4, $5)", [*identity, time.time()])

    # --- saved searches

    def searches(self) -> list[SavedSearch]:
        """By name."""
        with self._db.read() as cursor:
            found = cursor.execute("SELECT name, request, saved_at FROM searches ORDER BY lower(name), name").fetchall()
        return [SavedSearch(name, cast(dict[str, Any], rows.from_json(text)), at) for name, text, at in found]

    def save_search(self, search: SavedSearch) -> None:
        name = rows.clean(search.name)
        with self._writing() as cursor:
            cursor.execute("DELETE FROM searches WHERE name = $1", [name])
            values = [name, rows.to_json(search.request), time.time()]
            cursor.execute("INSERT INTO searches VALUES ($1, $2, $3)", values)

    def delete_search(self, name: str) -> None:
        with self._writing() as cursor:
            cursor.execute("DELETE FROM searches WHERE name = $1", [rows.clean(name)])

    # --- feedback

    def add_feedback(self, feedback: Feedback) -> None:
        """A later judgement of the same passage for the same query replaces the earlier one."""
        identity = [
            rows.clean(feedback.query), feedback.source, rows.pack_key(feedback.note), rows.clean(feedback.uid)
        ]  # fmt: skip
        with self._writing() as cursor:
            cursor.execute("DELETE FROM feedback WHERE query = $1 AND source = $2 AND note = $3 AND uid = $4", identity)
            values = [*identity, feedback.is_useful, time.time()]
            cursor.execute("INSERT INTO feedback VALUES ($1, $2, $3, $4, $5, $6)", values)

    def feedback(self) -> list[Feedback]:
        """Oldest first."""
        with self._db.read() as cursor:
            found = cursor.execute(
                "SELECT query, source, note, uid, is_useful, given_at FROM feedback ORDER BY given_at"
            ).fetchall()
        return [
            Feedback(query, SourceId(source), NoteKey(rows.unpack_key(note)), uid, is_useful, at)
            for query, source, note, uid, is_useful, at in found
        ]

    # --- which entities are one

    def merges(self) -> list[LedgerEntry]:
        """The whole ledger, oldest first, undone entries included."""
        with self._db.read() as cursor:
            return merges.everything(cursor)

    def change_merges(self, add: Sequence[LedgerEntry], withdraw: Sequence[int] = ()) -> list[LedgerEntry]:
        """Append entries and delete the derived ones that no longer hold, in one transaction. Returns the new ones
        with their ids and times; ids grow and are not used again while a later entry exists."""
        if not add and not withdraw:
            return []
        with self._writing() as cursor:
            merges.remove(cursor, withdraw)
            return merges.add(cursor, add)

    def undo_merge(self, number: int, *, redo: bool = False) -> bool:
        """Mark an entry as undone, or as valid again (``redo``). False when there is no such entry."""
        with self._writing() as cursor:
            return merges.set_undone(cursor, number, None if redo else time.time())

    def forget_source(self, source: SourceId) -> None:
        """Drop all that names a source which the owner removed."""
        with self._writing() as cursor:
            cursor.execute("DELETE FROM marks WHERE source = $1", [source])
            cursor.execute("DELETE FROM feedback WHERE source = $1", [source])
            merges.forget_source(cursor, source)

    @contextlib.contextmanager
    def _writing(self) -> Any:
        with self._db.write() as cursor:
            yield cursor
        self._changed = True


def backups(path: Path) -> list[Path]:
    """Copies of a decisions file, newest first."""
    return sorted(path.parent.glob(f"{path.name}.backup-*[0-9]"), reverse=True)


def _open_after_crash(path: Path, key: str | None) -> Database:
    """Open; a log beside the file says that nobody closed it, so nobody made a copy of it either."""
    was_left_open = path.with_name(path.name + ".wal").exists()
    database = _open_whole(path, key)
    if was_left_open:
        database.close()
        _back_up(path)
        database = _open_whole(path, key)
    return database


def _restore(path: Path, key: str | None, error: IndexDamaged) -> tuple[Database, str]:
    """(what takes the place of a damaged file, what to tell the owner)."""
    aside = set_aside(path)
    kept = f" The old file is {aside.name}." if aside.exists() else ""
    for backup in backups(path):
        copy_file(backup, path)
        try:
            database = _open_whole(path, key)
        except (IndexDamaged, IndexTooNew, WrongKey):
            path.unlink(missing_ok=True)
        else:
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(backup.stat().st_mtime))
            return database, f"{error.message} The backup of {when} is used.{kept}"
    return _open_whole(path, key), f"{error.message} There is no backup that can be used, so it starts empty.{kept}"


def _is_lost(path: Path) -> str:
    """What DuckDB would take for a new file, in a word; or empty."""
    if not path.exists():
        return "gone"
    return "empty" if path.is_file() and not path.stat().st_size else ""


def _open_whole(path: Path, key: str | None) -> Database:
    """Open, and read every row: what is damaged shows now, while the backups are from before."""
    database = open_migrated(path, key, MIGRATIONS, SCHEMAS)
    try:
        with database.read() as cursor:
            for table in ("marks", "searches", "feedback", "merges"):
                cursor.execute(f"SELECT * FROM {table}").fetchall()
    except BaseException:
        database.close()
        raise
    return database


def _back_up(path: Path) -> None:
    """Copy the closed file beside itself, whole or not at all, and drop the oldest copies.

    Named by time, but always after those there are: a clock that was put back must not make the newest the oldest.
    """
    kept = backups(path)
    newest = int(kept[0].name.rpartition("-")[2]) if kept else 0
    stamp = f"{max(time.time_ns(), newest + 1):020d}"
    with contextlib.suppress(EngineError):  # no copy is better than no decision: a full disk must not fail the close
        copy_file(path, path.with_name(f"{path.name}.backup-{stamp}"))
        _drop(backups(path)[BACKUPS:])


def _drop(files: Sequence[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
