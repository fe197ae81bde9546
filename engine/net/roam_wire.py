"""The shape in which both of Roam's APIs send a graph: the question to ask, and its answer as flat entities.

Only the attributes named here are asked for and kept, so accounts, e-mail addresses, settings and tokens that
live in the same database never get this far, even from a server that sends more than it was asked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# Attribute -> the key under which it comes back. Without a name of its own, Roam strips the namespace and then
# several attributes (:create/time and :edit/time, for one) fall onto the same key.
_ATTRIBUTES = {
    ":block/uid": "uid",
    ":node/title": "title",
    ":block/string": "string",
    ":block/order": "order",
    ":create/time": "create-time",
    ":edit/time": "edit-time",
    ":page/edit-time": "page-edit-time",
    ":block/children": "children",
}
PULL = "[:db/id " + " ".join(f'[{attribute} :as "{key}"]' for attribute, key in _ATTRIBUTES.items()) + "]"
"""The pull pattern of one page or block; children come as ``{"id": n}`` stubs."""

COUNT_PAGES = "[:find (count ?e) :where [?e :node/title]]"

CUT_AT = 1000
"""Pull expressions return at most this many values of one attribute, silently."""

_KEYS = {name: key for attribute, key in _ATTRIBUTES.items() for name in (key, attribute.removeprefix(":"))}
# A bare ``time`` is the creation or the last edit, whichever won; better than none where no alias was honoured.
_KEYS |= {"id": "id", "db/id": "id", "time": "time"}


@dataclass(frozen=True, slots=True)
class Entity:
    """One page or block as it came over the wire. Times are milliseconds since the epoch."""

    id: int
    uid: str
    title: str | None
    """Pages have a title, blocks have a string."""
    string: str | None
    order: int
    children: tuple[int, ...]
    """Entity ids; order in this list means nothing."""
    created: int | None
    edited: int | None
    """The entity's own last edit; for a page the newest edit anywhere on it, where known."""

    def with_children(self, children: tuple[int, ...]) -> Entity:
        return self if children == self.children else dataclasses.replace(self, children=children)


def parse_entity(row: object) -> Entity | None:
    """One pulled map with keys spelled ``:block/uid``, ``block/uid`` or ``uid``; ``None`` when it is no entity."""
    if not isinstance(row, Mapping):
        return None
    values = {key: value for name, value in row.items() if (key := _KEYS.get(str(name).removeprefix(":")))}
    number = _whole(values.get("id"))
    if number is None:
        return None
    uid, title, string = values.get("uid"), values.get("title"), values.get("string")
    edited = [time for key in ("edit-time", "page-edit-time") if (time := _whole(values.get(key))) is not None]
    unclear = _whole(values.get("time"))
    return Entity(
        number,
        "" if uid is None or isinstance(uid, bool | Mapping | list) else str(uid),
        title if isinstance(title, str) else None,
        string if isinstance(string, str) else None,
        _whole(values.get("order")) or 0,
        _stubs(values.get("children")),
        _whole(values.get("create-time")),
        max(edited, default=unclear),
    )


def parse_rows(rows: object) -> list[Entity] | None:
    """Entities of a query's answer (rows of one pulled map each); ``None`` when the answer has another shape."""
    if not isinstance(rows, list):
        return None
    found: list[Entity] = []
    for row in rows:
        entity = parse_entity(row[0] if isinstance(row, list) and row else row)
        if entity is not None:
            found.append(entity)
    return None if rows and not found else found


def parse_pairs(rows: object) -> dict[int, tuple[int, ...]]:
    """``{parent: (child, ...)}`` from rows of two entity ids."""
    children: dict[int, list[int]] = {}
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, list) and len(row) == 2:
            parent, child = _whole(row[0]), _whole(row[1])
            if parent is not None and child is not None:
                children.setdefault(parent, []).append(child)
    return {parent: tuple(found) for parent, found in children.items()}


def parse_count(rows: object) -> int:
    """The number in an answer of one row (or no row, which is how a count of nothing comes)."""
    while isinstance(rows, list) and rows:
        rows = rows[0]
    return _whole(rows) or 0


def is_cut(entities: Iterable[Entity]) -> bool:
    """Whether some list of children has exactly the length at which Roam cuts lists."""
    return any(len(entity.children) >= CUT_AT for entity in entities)


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return int(value)
    except (ValueError, OverflowError):
        return None


def _stubs(value: object) -> tuple[int, ...]:
    found: list[int] = []
    for stub in value if isinstance(value, list) else ():
        number = stub
        if isinstance(stub, Mapping):
            number = next((stub[key] for key in ("id", ":db/id", "db/id") if key in stub), None)
        whole = _whole(number)
        if whole is not None:
            found.append(whole)
    return tuple(found)
