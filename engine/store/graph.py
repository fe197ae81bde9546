"""The knowledge graph of one source: its things, their names and the facts, each row with its evidence.

Owns the ``graph_`` tables. Facts are kept by note: what a note says is replaced as a whole, so a second run changes
nothing. A relation is the facts of equal subject, predicate and object: no row of its own that could lack evidence.
Foreign keys hold facts to their entities. DuckDB checks them against what a transaction has just deleted as well, so
entities of which nothing speaks any more go in a transaction of their own; until then nobody is shown them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import BugError
from engine.knowledge.facts import Fact, NameKind, Naming, NoteFacts, Thing
from engine.model import Anchor, Evidence, NoteKey, Origin, Passage, PassageKind, SourceId
from engine.store import rows
from engine.store.database import Cursor, Database

_EVIDENCE = {
    "note": "VARCHAR",
    "uid": "VARCHAR",
    "headings": "VARCHAR",
    "first_line": "INTEGER",
    "last_line": "INTEGER",
    "block_id": "VARCHAR",
    "quote": "VARCHAR",
    "origin": "VARCHAR",
    "confidence": "DOUBLE",
    "model": "VARCHAR",
    "prompt_version": "VARCHAR",
    "written_at": "DOUBLE",
    "state": "VARCHAR",
}
_ENTITIES = {"id": "VARCHAR", "type": "VARCHAR", "name": "VARCHAR"}
_NAMES = {"entity": "VARCHAR", "name": "VARCHAR", "kind": "VARCHAR", **_EVIDENCE}
_FACTS = {"subject": "VARCHAR", "predicate": "VARCHAR", "object": "VARCHAR", **_EVIDENCE}
_ANCHOR = ("note", "uid", "first_line", "last_line")
_USED = "SELECT subject FROM graph_facts UNION SELECT object FROM graph_facts UNION SELECT entity FROM graph_names"
_SPACE = r"[\s\v\x{1c}-\x{1f}\x{85}\p{Z}]+"
"""What Python's ``split`` takes for white space."""


@dataclass(frozen=True, slots=True)
class StoredGraph:
    """Everything that a source's file knows, in a fixed order."""

    things: tuple[Thing, ...]
    names: tuple[Naming, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class GraphCounts:
    notes: int
    """Notes whose facts are stored."""
    entities: int
    relations: int
    written: int
    """Facts that the owner wrote."""
    inferred: int
    unresolved: int
    """Facts that are links to names without a note."""
    ambiguous: int


class GraphStore:
    """The graph tables of an index file. Safe from any thread."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self.version = 0
        """Grows with every change made through this object: whoever holds a graph in memory compares it."""

    # --- writing

    def write_notes(self, batch: Sequence[NoteFacts]) -> None:
        """Replace all that these notes say, in one transaction. Raises ``BugError`` and changes nothing when a fact
        has no quote, names a note that is not stored, or lacks one of its ends."""
        keys = [one.note for one in batch]
        with self._db.write() as cursor:
            _delete(cursor, keys)
            stamps = [(rows.pack_key(one.note), one.stamp) for one in batch]
            rows.insert(cursor, "graph_notes", {"note": "VARCHAR", "stamp": "VARCHAR"}, stamps)
            names = [name for one in batch for name in one.names]
            _insert(cursor, names, [fact for one in batch for fact in one.facts])
            _check(cursor, keys)
        self._sweep()

    def replace_inferred(self, anchors: Sequence[Anchor], facts: Sequence[Fact]) -> None:
        """Replace what models read out of the passages at ``anchors``, in one transaction. Every fact must be inferred
        and stand at one of them."""
        places = {_place(anchor) for anchor in anchors}
        if any(f.evidence.origin is not Origin.INFERRED or _place(f.evidence.anchor) not in places for f in facts):
            raise BugError("A fact was given for a passage that it does not come from.")
        columns = {name: _EVIDENCE[name] for name in _ANCHOR}
        wanted = " AND ".join(f"f.{name} = r.{name}" for name in _ANCHOR)
        with self._db.write() as cursor:
            cursor.execute(
                f"DELETE FROM graph_facts f USING {rows.unpacked(columns)} given(r)"
                f" WHERE f.origin = 'inferred' AND {wanted}",
                [rows.packed(_ANCHOR, sorted(places))],
            )
            _insert(cursor, [], facts)
            _check(cursor, [anchor.note for anchor in anchors])
        self._sweep()

    def remove_notes(self, keys: Sequence[NoteKey]) -> None:
        """Retract all that these notes say."""
        with self._db.write() as cursor:
            retract_notes(cursor, keys)
        self._sweep()

    def forget_stamps(self) -> None:
        """Let the next parse read every note anew; what models read is kept."""
        with self._db.write() as cursor:
            cursor.execute("DELETE FROM graph_notes")

    def clear(self) -> None:
        """Forget the graph; the next parse makes it anew. What models read is lost."""
        with self._db.write() as cursor:
            for table in ("graph_notes", "graph_names", "graph_facts"):
                cursor.execute(f"DELETE FROM {table}")
        self._sweep()

    def _sweep(self) -> None:
        """Drop the entities that nothing speaks of any more, and let everyone know that something changed."""
        self.version += 1
        with self._db.write() as cursor:
            cursor.execute(f"DELETE FROM graph_entities WHERE number NOT IN ({_USED})")

    # --- reading

    def stamps(self) -> dict[NoteKey, str]:
        """Of every note whose facts are stored."""
        with self._db.read() as cursor:
            found = cursor.execute("SELECT note, stamp FROM graph_notes").fetchall()
        return {NoteKey(rows.unpack_key(note)): stamp for note, stamp in found}

    def load(self, source: SourceId) -> StoredGraph:
        """The whole graph of the file, whose source is ``source``."""
        with self._db.read() as cursor:
            things = _things(cursor)
            names = _namings(cursor, things, source)
            facts = _facts(cursor, things, source, "")
        return StoredGraph(tuple(things.values()), names, facts)

    def daily_notes(self) -> set[NoteKey]:
        with self._db.read() as cursor:
            found = cursor.execute("SELECT key FROM notes WHERE is_daily").fetchall()
        return {NoteKey(rows.unpack_key(key)) for (key,) in found}

    def inferred(self, source: SourceId, keys: Sequence[NoteKey]) -> dict[NoteKey, list[Fact]]:
        """What models read out of these notes."""
        found: dict[NoteKey, list[Fact]] = {}
        with self._db.read() as cursor:
            if not cursor.execute("SELECT 1 FROM graph_facts WHERE origin = 'inferred' LIMIT 1").fetchone():
                return found
            where = f"WHERE origin = 'inferred' AND note IN {rows.ANY_STRING}"
            for fact in _facts(cursor, _things(cursor), source, where, [_packed(keys)]):
                found.setdefault(fact.evidence.note, []).append(fact)
        return found

    def counts(self) -> GraphCounts:
        with self._db.read() as cursor:
            found = cursor.execute(
                f"""SELECT (SELECT count(*) FROM graph_notes), (SELECT count(*) FROM ({_USED})),
                (SELECT count(*) FROM (SELECT DISTINCT subject, predicate, object FROM graph_facts)),
                count(*) FILTER (origin = 'written'), count(*) FILTER (origin = 'inferred'),
                count(*) FILTER (state = 'unresolved'), count(*) FILTER (state = 'ambiguous') FROM graph_facts"""
            ).fetchone()
        return GraphCounts(*found) if found else GraphCounts(0, 0, 0, 0, 0, 0, 0)

    # --- what facts are read from

    def notes_of_uids(self, uids: Iterable[str]) -> dict[str, NoteKey]:
        """The note in which each block stands; unknown blocks are left out."""
        with self._db.read() as cursor:
            found = cursor.execute(
                f"SELECT p.uid, n.key FROM passages p JOIN notes n ON p.note = n.id WHERE p.uid IN {rows.ANY_STRING}",
                [rows.strings(map(rows.clean, uids))],
            ).fetchall()
        return {uid: NoteKey(rows.unpack_key(key)) for uid, key in found}

    def passages_of(self, keys: Sequence[NoteKey]) -> dict[NoteKey, list[Passage]]:
        """The passages of these notes in their order, with what a quote needs: place, text, markup, depth, times."""
        with self._db.read() as cursor:
            found = cursor.execute(
                f"""SELECT n.key, p.kind, p.ordinal, p.uid, p.headings, p.first_line, p.last_line, p.block_id, p.text,
                p.raw, p.depth, p.created, p.modified FROM passages p JOIN notes n ON p.note = n.id
                WHERE n.key IN {rows.ANY_STRING} ORDER BY p.note, p.ordinal, p.id""",
                [_packed(keys)],
            ).fetchall()
        passages: dict[NoteKey, list[Passage]] = {}
        for packed, kind, ordinal, uid, headings, first, last, block_id, text, raw, depth, created, modified in found:
            key = NoteKey(rows.unpack_key(packed))
            anchor = Anchor(key, uid, rows.texts(headings), first, last, block_id)
            passages.setdefault(key, []).append(
                Passage(
                    PassageKind(kind), ordinal, anchor, text, (), raw=raw, depth=depth, created=created,
                    modified=modified,
                )
            )  # fmt: skip
        return passages


def retract_notes(cursor: Cursor, keys: Sequence[NoteKey]) -> None:
    """Take back all that these notes say, within a transaction of someone else."""
    if keys:
        _delete(cursor, keys)


def _packed(keys: Sequence[NoteKey]) -> str:
    return rows.strings(map(rows.pack_key, keys))


def _delete(cursor: Cursor, keys: Sequence[NoteKey]) -> None:
    for table in ("graph_notes", "graph_names", "graph_facts"):
        cursor.execute(f"DELETE FROM {table} WHERE note IN {rows.ANY_STRING}", [_packed(keys)])


def _insert(cursor: Cursor, names: Sequence[Naming], facts: Sequence[Fact]) -> None:
    things = {name.thing.id: name.thing for name in names}
    things |= {one.id: one for fact in facts for one in (fact.subject, fact.object)}
    given = [(one.id, one.type, rows.clean(one.name)) for one in things.values()]
    if given:
        cursor.execute(
            "INSERT INTO graph_entities SELECT (SELECT coalesce(max(number), 0) FROM graph_entities)"
            f" + row_number() OVER (), r.id, r.type, r.name FROM {rows.unpacked(_ENTITIES)} given(r)"
            " WHERE r.id NOT IN (SELECT id FROM graph_entities)",
            [rows.packed(list(_ENTITIES), given)],
        )
    named = [(n.thing.id, rows.clean(n.name), n.kind, *_evidence_row(n.evidence)) for n in names]
    _insert_rows(cursor, "graph_names", _NAMES, ("entity",), named)
    stated = [(f.subject.id, f.predicate, f.object.id, *_evidence_row(f.evidence)) for f in facts]
    _insert_rows(cursor, "graph_facts", _FACTS, ("subject", "object"), stated)


def _insert_rows(
    cursor: Cursor,
    table: str,
    columns: Mapping[str, str],
    entities: Sequence[str],
    given: Sequence[tuple[object, ...]],
) -> None:
    """Append rows in which the columns ``entities`` hold ids, of which the table holds the numbers."""
    if not given:
        return
    unpacked, values = rows.as_lists(columns, given)
    wanted = ", ".join(f"{name}_.number" if name in entities else f"r.{name}" for name in columns)
    # An outer join: an id without an entity becomes NULL, which the table refuses.
    joins = " ".join(f"LEFT JOIN graph_entities {name}_ ON {name}_.id = r.{name}" for name in entities)
    cursor.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {wanted} FROM ({unpacked}) r {joins}", values)


def _evidence_row(evidence: Evidence) -> tuple[object, ...]:
    anchor = evidence.anchor
    return (
        rows.pack_key(evidence.note),
        rows.clean(anchor.uid),
        rows.to_json(anchor.headings) if anchor.headings else "[]",
        anchor.first_line,
        anchor.last_line,
        rows.clean(anchor.block_id),
        rows.clean(evidence.quote),
        evidence.origin,
        evidence.confidence,
        evidence.model,
        evidence.prompt_version,
        evidence.at,
        evidence.state,
    )


def _check(cursor: Cursor, keys: Sequence[NoteKey]) -> None:
    """Refuse what no column can: facts of notes that are not stored, and quotes that their passage does not hold."""
    dangling = cursor.execute(
        """SELECT count(*) FROM (SELECT note FROM graph_facts UNION ALL SELECT note FROM graph_names)
        WHERE note NOT IN (SELECT key FROM notes)"""
    ).fetchone()
    if dangling and dangling[0]:
        raise BugError(f"{dangling[0]} facts would have no note; nothing was stored.")
    unproven = cursor.execute(_UNPROVEN, [_packed(keys)]).fetchone()
    if unproven and unproven[0]:
        raise BugError(f"{unproven[0]} quotes do not stand in their passages; nothing was stored.")


_UNPROVEN = f"""WITH proofs AS (
    SELECT any_value(f.origin) AS origin, count(p.id) AS passages,
        bool_or(CASE WHEN contains(p.text, f.quote) OR contains(p.raw, f.quote) THEN true
            ELSE contains(regexp_replace(concat_ws(' ', p.text, '|', p.raw, '|', p.headings), '{_SPACE}', ' ', 'g'),
                regexp_replace(f.quote, '{_SPACE}', ' ', 'g')) END) AS is_proven
    FROM graph_facts f LEFT JOIN (passages p JOIN notes n ON p.note = n.id)
        ON n.key = f.note AND p.uid = f.uid AND p.first_line = f.first_line AND p.last_line = f.last_line
    WHERE f.note IN {rows.ANY_STRING} GROUP BY f.rowid)
SELECT count(*) FROM proofs WHERE NOT coalesce(is_proven, false) AND (origin = 'inferred' OR passages > 0)"""
"""Facts whose quote is no part of the passage at their place, white space aside. Front matter is no passage: what the
owner wrote there is exempt."""


def _place(anchor: Anchor) -> tuple[str, str, int, int]:
    return rows.pack_key(anchor.note), rows.clean(anchor.uid), anchor.first_line, anchor.last_line


def _things(cursor: Cursor) -> dict[int, Thing]:
    """By number; only those that something speaks of."""
    found = cursor.execute(
        f"SELECT number, id, type, name FROM graph_entities WHERE number IN ({_USED}) ORDER BY name, type, id"
    ).fetchall()
    return {number: Thing(*values) for number, *values in found}


def _namings(cursor: Cursor, things: Mapping[int, Thing], source: SourceId) -> tuple[Naming, ...]:
    found = cursor.execute(
        f"SELECT {', '.join(f'r.{name}' for name in _NAMES)} FROM graph_names r"
        " JOIN graph_entities e ON e.number = r.entity"
        " ORDER BY r.note, e.id, r.kind, r.name, r.uid, r.first_line, r.quote"
    ).fetchall()
    proofs = _evidence(source, [values[3:] for values in found])
    heads = (values[:3] for values in found)
    return tuple(
        Naming(things[entity], name, NameKind(kind), proof)
        for (entity, name, kind), proof in zip(heads, proofs, strict=True)
    )


def _facts(
    cursor: Cursor, things: Mapping[int, Thing], source: SourceId, where: str, given: Sequence[str] = ()
) -> tuple[Fact, ...]:
    found = cursor.execute(
        f"SELECT {', '.join(_FACTS)} FROM graph_facts r JOIN graph_entities s ON s.number = subject"
        f" JOIN graph_entities o ON o.number = object {where}"
        " ORDER BY s.id, predicate, o.id, origin DESC, note, uid, first_line, quote, model",
        list(given),
    ).fetchall()
    proofs = _evidence(source, [values[3:] for values in found])
    heads = (values[:3] for values in found)
    return tuple(
        Fact(things[subject], predicate, things[object_], proof)
        for (subject, predicate, object_), proof in zip(heads, proofs, strict=True)
    )


def _evidence(source: SourceId, found: Sequence[Sequence[Any]]) -> Iterator[Evidence]:
    """Many facts stand in one place: each anchor is made once."""
    anchors: dict[tuple[Any, ...], Anchor] = {}
    origins = {origin.value: origin for origin in Origin}
    for values in found:
        place = tuple(values[:6])
        anchor = anchors.get(place)
        if anchor is None:
            note, uid, headings, first_line, last_line, block_id = place
            key = NoteKey(rows.unpack_key(note))
            anchor = anchors[place] = Anchor(key, uid, rows.texts(headings), first_line, last_line, block_id)
        quote, origin, *rest = values[6:]
        yield Evidence(source, anchor.note, anchor, quote, origins[origin], *rest)
