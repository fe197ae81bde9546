"""The ``notes`` and ``meta`` tables: one row per note, skipped and failed ones included."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from engine.model import Note, NoteKey, Severity
from engine.store import rows
from engine.store.database import Cursor


class NoteState(StrEnum):
    INDEXED = "indexed"
    SKIPPED = "skipped"
    """Nothing in it to index, for a reason that its problems say."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A note as stored, without its passages and links. Times are seconds since the epoch."""

    id: int
    key: NoteKey
    title: str
    state: NoteState
    revision: str
    content_hash: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    properties: Mapping[str, object]
    language: str
    created: float | None
    modified: float | None
    is_daily: bool
    size: int
    omitted: Mapping[str, int]
    trimmed: Mapping[str, int]
    indexed_at: float
    front_matter: str = ""
    """As written; empty in an index of before it was kept."""


_COLUMNS = {
    "id": "INTEGER",
    "key": "VARCHAR",
    "title": "VARCHAR",
    "state": "VARCHAR",
    "revision": "VARCHAR",
    "content_hash": "VARCHAR",
    "aliases": "VARCHAR",
    "tags": "VARCHAR",
    "properties": "VARCHAR",
    "language": "VARCHAR",
    "created": "DOUBLE",
    "modified": "DOUBLE",
    "is_daily": "BOOLEAN",
    "size": "BIGINT",
    "omitted": "VARCHAR",
    "trimmed": "VARCHAR",
    "indexed_at": "DOUBLE",
    "front_matter": "VARCHAR",
}
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM notes"


def state_of(note: Note) -> NoteState:
    """A note with passages is indexed, whatever else is odd about it."""
    severities = {problem.severity for problem in note.problems}
    if note.passages:
        return NoteState.INDEXED
    if Severity.FAILED in severities:
        return NoteState.FAILED
    return NoteState.SKIPPED if Severity.SKIPPED in severities else NoteState.INDEXED


def add(cursor: Cursor, notes: Sequence[tuple[int, Note]]) -> None:
    now = time.time()
    rows.insert(
        cursor,
        "notes",
        _COLUMNS,
        [
            (
                number,
                rows.pack_key(note.key),
                rows.clean(note.title),
                state_of(note),
                rows.clean(note.revision),
                note.content_hash,
                rows.from_texts(note.aliases),
                rows.from_texts(note.tags),
                rows.to_json(note.properties),
                note.language,
                note.created,
                note.modified,
                note.is_daily,
                note.size,
                rows.to_json(note.omitted),
                rows.to_json(note.trimmed),
                now,
                rows.clean(note.front_matter),
            )
            for number, note in notes
        ],
    )


def ids(cursor: Cursor, keys: Sequence[NoteKey]) -> dict[NoteKey, int]:
    """Row ids of those ``keys`` that are stored."""
    found = cursor.execute(
        f"SELECT key, id FROM notes WHERE key IN {rows.ANY_STRING}", [rows.strings(map(rows.pack_key, keys))]
    ).fetchall()
    return {NoteKey(rows.unpack_key(key)): number for key, number in found}


def remove(cursor: Cursor, numbers: Sequence[int]) -> None:
    cursor.execute(f"DELETE FROM notes WHERE id IN {rows.ANY_INTEGER}", [rows.integers(numbers)])


def column_by_key(cursor: Cursor, column: str) -> dict[NoteKey, str]:
    found = cursor.execute(f"SELECT key, {column} FROM notes").fetchall()
    return {NoteKey(rows.unpack_key(key)): value for key, value in found}


def everything(cursor: Cursor) -> list[NoteRow]:
    return [_row(values) for values in cursor.execute(_SELECT + " ORDER BY key").fetchall()]


def left_out(cursor: Cursor) -> tuple[Counter[str], Counter[str]]:
    """(blocks omitted, characters trimmed) over all notes, by reason."""
    found = cursor.execute("SELECT omitted, trimmed FROM notes WHERE omitted <> '{}' OR trimmed <> '{}'").fetchall()
    sums: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for row in found:
        for total, text in zip(sums, row, strict=True):
            total.update(rows.from_json(text))
    return sums


def languages(cursor: Cursor) -> dict[str, int]:
    """Indexed notes by language, the most frequent first; unknown ones under the empty string."""
    return dict(
        cursor.execute(
            "SELECT language, count(*) FROM notes WHERE state = 'indexed' GROUP BY language ORDER BY 2 DESC, 1"
        ).fetchall()
    )


def one(cursor: Cursor, key: NoteKey) -> NoteRow | None:
    values = cursor.execute(_SELECT + " WHERE key = $1", [rows.pack_key(key)]).fetchone()
    return _row(values) if values else None


def by_id(cursor: Cursor, numbers: Sequence[int]) -> dict[int, NoteRow]:
    if not numbers:
        return {}
    condition, parameters = rows.with_ids(numbers)
    found = cursor.execute(f"{_SELECT} WHERE {condition}", parameters).fetchall()
    return {values[0]: _row(values) for values in found}


class NoteCache:
    """Rows of notes that were read lately, by id: each hit shows its note, and asking for them anew costs as much as
    the passages themselves. Safe to share between threads; ``forget`` after every change of the table."""

    def __init__(self, size: int = 4096) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._rows: dict[int, NoteRow] = {}
        self._changes = 0

    def by_id(self, cursor: Cursor, numbers: Collection[int]) -> dict[int, NoteRow]:
        with self._lock:
            changes = self._changes
            found = {number: self._rows[number] for number in numbers if number in self._rows}
        read = by_id(cursor, sorted(set(numbers) - found.keys()))
        with self._lock:
            # What was read while somebody wrote may be of before.
            if changes == self._changes and 0 < len(read) <= self._size:
                if len(self._rows) + len(read) > self._size:
                    self._rows.clear()
                self._rows |= read
        return found | read

    def forget(self) -> None:
        with self._lock:
            self._changes += 1
            self._rows.clear()


def _row(values: Sequence[Any]) -> NoteRow:
    number, key, title, state, revision, content_hash, aliases, tags, properties, *rest = values
    language, created, modified, is_daily, size, omitted, trimmed, indexed_at, front_matter = rest
    return NoteRow(
        number,
        NoteKey(rows.unpack_key(key)),
        title,
        NoteState(state),
        revision,
        content_hash,
        rows.texts(aliases),
        rows.texts(tags),
        cast(dict[str, object], rows.from_json(properties)),
        language,
        created,
        modified,
        is_daily,
        size,
        cast(dict[str, int], rows.from_json(omitted)),
        cast(dict[str, int], rows.from_json(trimmed)),
        indexed_at,
        front_matter or "",
    )


# --- meta ---------------------------------------------------------------------------------------------------------


def get_meta(cursor: Cursor, name: str, default: str = "") -> str:
    found = cursor.execute("SELECT value FROM meta WHERE name = $1", [name]).fetchone()
    return str(found[0]) if found else default


def set_meta(cursor: Cursor, name: str, value: str) -> None:
    cursor.execute("DELETE FROM meta WHERE name = $1", [name])
    cursor.execute("INSERT INTO meta VALUES ($1, $2)", [name, rows.clean(value)])


def take_ids(cursor: Cursor, kind: str, count: int) -> int:
    """Reserve ``count`` ids of ``kind`` and return the first. Ids are int32 and never given out again."""
    first = int(get_meta(cursor, f"next-{kind}", "0"))
    if count:
        set_meta(cursor, f"next-{kind}", str(first + count))
    return first
