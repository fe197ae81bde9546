"""The ``merges`` table of the decisions file: the ledger of which entities are one."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence

from engine.knowledge.merging import EntityRef, EntryKind, LedgerEntry, Who
from engine.model import SourceId
from engine.store import rows
from engine.store.database import Cursor

_COLUMNS = {
    "id": "INTEGER",
    "kind": "VARCHAR",
    "members": "VARCHAR",
    "rest": "VARCHAR",
    "who": "VARCHAR",
    "why": "VARCHAR",
    "evidence": "VARCHAR",
    "model": "VARCHAR",
    "prompt_version": "VARCHAR",
    "made_at": "DOUBLE",
    "undone_at": "DOUBLE",
}


def everything(cursor: Cursor) -> list[LedgerEntry]:
    """Oldest first."""
    found = cursor.execute(f"SELECT {', '.join(_COLUMNS)} FROM merges ORDER BY id").fetchall()
    return [
        LedgerEntry(
            EntryKind(kind),
            tuple(_ref(given) for given in rows.from_json(members)),
            Who(who),
            why,
            rows.texts(evidence),
            model,
            prompt_version,
            made_at,
            number,
            undone_at,
            tuple(_ref(given) for given in rows.from_json(rest)),
        )
        for number, kind, members, rest, who, why, evidence, model, prompt_version, made_at, undone_at in found
    ]


def add(cursor: Cursor, entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
    found = cursor.execute("SELECT coalesce(max(id), 0) FROM merges").fetchone()
    first = int(found[0]) + 1 if found else 1
    now = time.time()
    numbered = [dataclasses.replace(entry, id=first + i, at=now) for i, entry in enumerate(entries)]
    rows.insert(
        cursor,
        "merges",
        _COLUMNS,
        [
            (
                entry.id,
                entry.kind,
                rows.to_json([_packed(one) for one in entry.members]),
                rows.to_json([_packed(one) for one in entry.rest]),
                entry.who,
                rows.clean(entry.why),
                rows.to_json(entry.evidence),
                entry.model,
                entry.prompt_version,
                entry.at,
                entry.undone_at,
            )
            for entry in numbered
        ],
    )
    return numbered


def remove(cursor: Cursor, numbers: Sequence[int]) -> None:
    cursor.execute(f"DELETE FROM merges WHERE id IN {rows.ANY_INTEGER}", [rows.integers(numbers)])


def set_undone(cursor: Cursor, number: int, at: float | None) -> bool:
    found = cursor.execute("UPDATE merges SET undone_at = $2 WHERE id = $1 RETURNING id", [number, at]).fetchall()
    return bool(found)


def forget_source(cursor: Cursor, source: SourceId) -> None:
    """Take the names of a source out of the ledger; entries that are left with one name say nothing and go."""
    for entry in everything(cursor):
        members, rest = ([one for one in own if one.source != source] for own in (entry.members, entry.rest))
        if (len(members), len(rest)) == (len(entry.members), len(entry.rest)):
            continue
        if len(members) < (1 if entry.kind is EntryKind.SPLIT else 2):
            cursor.execute("DELETE FROM merges WHERE id = $1", [entry.id])
        else:
            packed = [rows.to_json([_packed(one) for one in own]) for own in (members, rest)]
            # The evidence holds names of any member.
            cursor.execute(
                "UPDATE merges SET members = $2, rest = $3, evidence = '[]' WHERE id = $1", [entry.id, *packed]
            )


def _packed(ref: EntityRef) -> list[str]:
    return [ref.id, ref.source, ref.type, ref.name, rows.pack_key(ref.note)]


def _ref(given: Sequence[str]) -> EntityRef:
    number, source, type_, name, note = given
    return EntityRef(number, SourceId(source), type_, name, rows.unpack_key(note))
