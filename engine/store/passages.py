"""The ``passages`` table, and the columns that filters are evaluated on in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.model import Anchor, Note, NoteKey, Passage, PassageKind
from engine.store import notes, rows, vectors
from engine.store.database import Cursor
from engine.store.notes import NoteCache, NoteRow


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A stored passage with what its hit shows of its note. ``passage.embed_input`` is empty: it is not stored."""

    id: int
    passage: Passage
    vector_hash: str
    note: NoteRow


@dataclass(frozen=True, slots=True)
class Facets:
    """What filters need, aligned by position: n passages in order of id, and the notes that they belong to."""

    notes: tuple[NoteRow, ...]
    """Every note, also those without passages."""
    passage_ids: NDArray[np.int32]
    """Shape (n,), ascending."""
    note: NDArray[np.int32]
    """Shape (n,): index into ``notes``."""
    is_page: NDArray[np.bool_]
    """Shape (n,): the passage is a Roam page title."""
    task: tuple[str, ...]
    """Length n: ``todo``, ``done`` or empty."""
    tags: tuple[tuple[str, ...], ...]
    """Length n: the passage's own tags; equal tuples are one object."""
    concepts: tuple[tuple[str, ...], ...]
    breadcrumb: tuple[tuple[str, ...], ...]
    """Note title, then ancestors or headings."""
    headings: tuple[tuple[str, ...], ...]
    created: NDArray[np.float64]
    """Shape (n,): seconds since the epoch, NaN when unknown."""
    modified: NDArray[np.float64]


_COLUMNS = {
    "id": "INTEGER",
    "note": "INTEGER",
    "ordinal": "INTEGER",
    "kind": "VARCHAR",
    "uid": "VARCHAR",
    "headings": "VARCHAR",
    "first_line": "INTEGER",
    "last_line": "INTEGER",
    "block_id": "VARCHAR",
    "text": "VARCHAR",
    "breadcrumb": "VARCHAR",
    "concepts": "VARCHAR",
    "tags": "VARCHAR",
    "context": "VARCHAR",
    "raw": "VARCHAR",
    "depth": "INTEGER",
    "created": "DOUBLE",
    "modified": "DOUBLE",
    "task": "VARCHAR",
    "hash": "VARCHAR",
    "vector_hash": "VARCHAR",
}
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM passages"


def add(
    cursor: Cursor,
    notes_with_ids: Sequence[tuple[int, Note]],
    first_id: int,
    vector_hashes: Mapping[NoteKey, Sequence[str]],
) -> list[NDArray[np.int32]]:
    """Store all passages of the notes, ids counting up from ``first_id``; returns the ids per note."""
    values: list[tuple[object, ...]] = []
    per_note: list[NDArray[np.int32]] = []
    for number, note in notes_with_ids:
        start = first_id + len(values)
        given = vector_hashes.get(note.key) or [passage.hash for passage in note.passages]
        for passage, vector_hash in zip(note.passages, given, strict=True):
            values.append(_values(first_id + len(values), number, passage, vector_hash))
        per_note.append(np.arange(start, first_id + len(values), dtype=np.int32))
    rows.insert(cursor, "passages", _COLUMNS, values)
    return per_note


def _values(number: int, note: int, passage: Passage, vector_hash: str) -> tuple[object, ...]:
    anchor = passage.anchor
    return (
        number,
        note,
        passage.ordinal,
        passage.kind,
        rows.clean(anchor.uid),
        rows.from_texts(anchor.headings),
        anchor.first_line,
        anchor.last_line,
        rows.clean(anchor.block_id),
        rows.clean(passage.text),
        rows.from_texts(passage.breadcrumb),
        rows.from_texts(passage.concepts),
        rows.from_texts(passage.tags),
        rows.clean(passage.context),
        rows.clean(passage.raw),
        passage.depth,
        passage.created,
        passage.modified,
        passage.task,
        passage.hash,
        vector_hash,
    )


def of_notes(cursor: Cursor, note_ids: Sequence[int]) -> NDArray[np.int32]:
    """Ids of the passages of these notes."""
    cursor.execute(f"SELECT id FROM passages WHERE note IN {rows.ANY_INTEGER}", [rows.integers(note_ids)])
    return rows.fetch_arrays(cursor)["id"].astype(np.int32)


def remove(cursor: Cursor, note_ids: Sequence[int]) -> None:
    notes.set_meta(cursor, vectors.UNUSED, "yes")
    cursor.execute(f"DELETE FROM passages WHERE note IN {rows.ANY_INTEGER}", [rows.integers(note_ids)])


def by_ids(cursor: Cursor, ids: Sequence[int], cache: NoteCache) -> list[PassageRow]:
    """In the order of ``ids``; ids that are gone are left out."""
    condition, parameters = rows.with_ids(ids)
    found = cursor.execute(f"{_SELECT} WHERE {condition}", parameters).fetchall()
    by_id = {row.id: row for row in _rows(cursor, found, cache)}
    return [by_id[int(number)] for number in ids if int(number) in by_id]


def of_note(cursor: Cursor, key: NoteKey, cache: NoteCache) -> list[PassageRow]:
    """In the order of the note."""
    number = notes.ids(cursor, [key]).get(key)
    found = cursor.execute(_SELECT + " WHERE note = $1 ORDER BY ordinal, id", [number]).fetchall()
    return _rows(cursor, found, cache)


def note_ids(cursor: Cursor) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    cursor.execute("SELECT id, note FROM passages")
    columns = rows.fetch_arrays(cursor)
    return columns["id"].astype(np.int32), columns["note"].astype(np.int32)


def ids_of_uid(cursor: Cursor, uid: str) -> list[int]:
    return [
        number for (number,) in cursor.execute("SELECT id FROM passages WHERE uid = $1", [rows.clean(uid)]).fetchall()
    ]


def vector_hashes(cursor: Cursor, key: NoteKey) -> list[str]:
    found = cursor.execute(
        "SELECT p.vector_hash FROM passages p JOIN notes n ON p.note = n.id WHERE n.key = $1 ORDER BY p.ordinal, p.id",
        [rows.pack_key(key)],
    ).fetchall()
    return [vector_hash for (vector_hash,) in found]


def _rows(cursor: Cursor, found: Sequence[Sequence[Any]], cache: NoteCache) -> list[PassageRow]:
    owners = cache.by_id(cursor, {values[1] for values in found})
    return [_row(values, owners[values[1]]) for values in found if values[1] in owners]


def _row(values: Sequence[Any], note: NoteRow) -> PassageRow:
    number, _, ordinal, kind, uid, headings, first_line, last_line, block_id, text, *rest = values
    breadcrumb, concepts, tags, context, raw, depth, created, modified, task, digest, vector_hash = rest
    passage = Passage(
        kind=PassageKind(kind),
        ordinal=ordinal,
        anchor=Anchor(note.key, uid, rows.texts(headings), first_line, last_line, block_id),
        text=text,
        breadcrumb=rows.texts(breadcrumb),
        concepts=rows.texts(concepts),
        tags=rows.texts(tags),
        context=context,
        raw=raw,
        depth=depth,
        created=created,
        modified=modified,
        task=task,
        hash=digest,
    )
    return PassageRow(number, passage, vector_hash, note)


def facets(cursor: Cursor) -> Facets:
    all_notes = tuple(notes.everything(cursor))
    cursor.execute(
        "SELECT id, note, kind = 'page' AS is_page, task, tags, concepts, breadcrumb, headings,"
        " coalesce(created, 'nan') AS created, coalesce(modified, 'nan') AS modified FROM passages"
    )
    columns = rows.fetch_arrays(cursor)
    order = np.argsort(columns["id"], kind="stable")
    columns = {name: column[order] for name, column in columns.items()}
    return Facets(
        notes=all_notes,
        passage_ids=columns["id"].astype(np.int32),
        note=_positions(columns["note"], [note.id for note in all_notes]),
        is_page=columns["is_page"].astype(np.bool_),
        task=tuple(columns["task"].tolist()),
        tags=_decoded(columns["tags"]),
        concepts=_decoded(columns["concepts"]),
        breadcrumb=_decoded(columns["breadcrumb"]),
        headings=_decoded(columns["headings"]),
        created=columns["created"].astype(np.float64),
        modified=columns["modified"].astype(np.float64),
    )


def _positions(values: NDArray[Any], ids: Sequence[int]) -> NDArray[np.int32]:
    """Where each value stands in ``ids``."""
    known = np.asarray(ids, dtype=np.int64)
    order = np.argsort(known)
    return order[np.searchsorted(known, values, sorter=order)].astype(np.int32)


def _decoded(column: NDArray[Any]) -> tuple[tuple[str, ...], ...]:
    """JSON lists decoded once per distinct text: most passages of a note share theirs."""
    known: dict[str, tuple[str, ...]] = {}
    decoded = []
    for text in column.tolist():
        value = known.get(text)
        if value is None:
            value = known[text] = rows.texts(text)
        decoded.append(value)
    return tuple(decoded)
