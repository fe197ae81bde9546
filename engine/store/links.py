"""The ``links`` table: every reference that a note makes, as written."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

from engine.model import Link, LinkKind, Note, NoteKey
from engine.store import rows
from engine.store.database import Cursor

_COLUMNS = {
    "note": "INTEGER",
    "position": "INTEGER",
    "kind": "VARCHAR",
    "target": "VARCHAR",
    "folded": "VARCHAR",
    "fragment": "VARCHAR",
    "label": "VARCHAR",
    "attribute": "VARCHAR",
    "passage": "INTEGER",
    "line": "INTEGER",
}
_LINK = "l.kind, l.target, l.fragment, l.label, l.attribute, l.passage, l.line"


def fold(target: str) -> str:
    """What link targets are compared by: composed characters, no case. Whoever needs case compares ``Link.target``."""
    return rows.clean(unicodedata.normalize("NFC", target).casefold())


def add(cursor: Cursor, notes_with_ids: Sequence[tuple[int, Note]]) -> None:
    values = [
        (
            number,
            position,
            link.kind,
            rows.clean(link.target),
            fold(link.target),
            rows.clean(link.fragment),
            rows.clean(link.label),
            rows.clean(link.attribute),
            link.passage,
            link.line,
        )
        for number, note in notes_with_ids
        for position, link in enumerate(note.links)
    ]
    rows.insert(cursor, "links", _COLUMNS, values)


def remove(cursor: Cursor, note_ids: Sequence[int]) -> None:
    cursor.execute(f"DELETE FROM links WHERE note IN {rows.ANY_INTEGER}", [rows.integers(note_ids)])


def of_note(cursor: Cursor, key: NoteKey) -> list[Link]:
    found = cursor.execute(
        f"SELECT {_LINK} FROM links l JOIN notes n ON l.note = n.id WHERE n.key = $1 ORDER BY l.position",
        [rows.pack_key(key)],
    ).fetchall()
    return [_link(values) for values in found]


def to_targets(cursor: Cursor, targets: Sequence[str]) -> list[tuple[NoteKey, Link]]:
    found = cursor.execute(
        f"SELECT n.key, {_LINK} FROM links l JOIN notes n ON l.note = n.id"
        f" WHERE l.folded IN {rows.ANY_STRING} ORDER BY n.key, l.position",
        [rows.strings(map(fold, targets))],
    ).fetchall()
    return [(NoteKey(rows.unpack_key(key)), _link(values)) for key, *values in found]


def everything(cursor: Cursor) -> list[tuple[NoteKey, Link]]:
    found = cursor.execute(
        f"SELECT n.key, {_LINK} FROM links l JOIN notes n ON l.note = n.id ORDER BY n.key, l.position"
    ).fetchall()
    return [(NoteKey(rows.unpack_key(key)), _link(values)) for key, *values in found]


def _link(values: Sequence[Any]) -> Link:
    kind, *rest = values
    return Link(LinkKind(kind), *rest)
