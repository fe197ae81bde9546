"""Schema changes: numbered functions that are only ever added, recorded in the file they changed.

Never edit one that shipped: write the next. Each runs in one transaction with its record, so a crash leaves the file
at the number before.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.errors import BugError, IndexDamaged, IndexTooNew
from engine.store.database import Cursor, Database, copy_file

Migration = Callable[[Cursor], None]


def open_migrated(
    path: Path, key: str | None, migrations: Sequence[Migration], schemas: Sequence[str] = ()
) -> Database:
    """Open ``path`` and bring its schema up to date; a file with content is copied beside itself first.

    ``schemas`` has the ``schema_digest`` after each migration. Raises ``IndexDamaged`` when the file holds something
    else, ``IndexTooNew`` when a newer program changed the file, and whatever ``Database.open`` raises.
    """
    database = Database.open(path, key)
    try:
        done = version(database)
        if done > len(migrations):
            raise _too_new(path, done, len(migrations))
        if 0 < done <= len(schemas) and schema_digest(database) != schemas[done - 1]:
            raise _foreign(path)
        if 0 < done < len(migrations):
            # The copy is made while closed: closing any handle of the file would drop DuckDB's lock on it.
            database.close()
            _keep_copy(path, done)
            database = Database.open(path, key)
        for number in range(done + 1, len(migrations) + 1):
            _apply(database, number, migrations[number - 1])
    except BaseException:
        database.close()
        raise
    return database


def version(database: Database) -> int:
    """Number of the last migration that the file has seen; 0 for a new one. Raises ``IndexDamaged`` for a file that
    holds something else."""
    with database.read() as cursor:
        found = cursor.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'library'").fetchall()
        if not found and not cursor.execute("FROM duckdb_views() WHERE database_name = 'library'").fetchone():
            return 0
    try:
        with database.read() as cursor:
            row = cursor.execute("SELECT coalesce(max(number), 0)::INTEGER FROM migrations").fetchone()
    except BugError as error:
        raise _foreign(database.path) from error
    if not row or not row[0]:
        raise _foreign(database.path)
    return int(row[0])


def schema_digest(database: Database) -> str:
    """Stands for the tables of a file, the columns of each and their types."""
    with database.read() as cursor:
        tables = cursor.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'library'").fetchall()
        columns = cursor.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = 'library'"
        ).fetchall()
    return hashlib.sha256(repr((sorted(tables), sorted(columns))).encode()).hexdigest()[:16]


def _foreign(path: Path) -> IndexDamaged:
    return IndexDamaged(
        f"{path.name} is damaged: it does not hold what Lamplight keeps in it.",
        "Rebuild the index from its source; your notes are not affected.",
    )


def _too_new(path: Path, found: int, known: int) -> IndexTooNew:
    """The words after a step back to an older program; the copy made before the upgrade may still be there."""
    kept = [copy for number in range(known, 0, -1) if (copy := _copy_name(path, number)).exists()]
    what = (
        f"To go on with this one, put {kept[0].name} in its place: it is the file as it was before the upgrade."
        if kept
        else "An index can be rebuilt instead: lamplight index --full."
    )
    return IndexTooNew(
        f"{path.name} was written by a newer Lamplight (schema {found}, this one knows {known}) and is left as it is.",
        f"Update Lamplight. {what}",
    )


def _copy_name(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.schema-{number}")


def _apply(database: Database, number: int, migrate: Migration) -> None:
    with database.write() as cursor:
        if number == 1:
            cursor.execute(
                "CREATE TABLE migrations (number INTEGER NOT NULL, name VARCHAR NOT NULL, applied_at DOUBLE NOT NULL)"
            )
        migrate(cursor)
        cursor.execute("INSERT INTO migrations VALUES ($1, $2, $3)", [number, migrate.__name__, time.time()])


def _keep_copy(path: Path, number: int) -> None:
    """Keep the file as it was before the upgrade from schema ``number``; written whole or not at all."""
    copy_file(path, _copy_name(path, number))


# --- the index ----------------------------------------------------------------------------------------------------


def m001_first_schema(cursor: Cursor) -> None:
    """No primary keys: they refuse delete-then-insert in one transaction; identity is kept by the one writer. Plain
    indexes stand where hits are read: without them DuckDB unpacks 2,048 rows of every column for each hit. Hashes
    have nothing to compress, and trying costs 2 ms a column when hits are read."""
    for statement in (
        "CREATE TABLE meta (name VARCHAR NOT NULL, value VARCHAR NOT NULL)",
        """CREATE TABLE notes (
            id INTEGER NOT NULL, key VARCHAR NOT NULL, title VARCHAR NOT NULL, state VARCHAR NOT NULL,
            revision VARCHAR NOT NULL, content_hash VARCHAR NOT NULL, aliases VARCHAR NOT NULL, tags VARCHAR NOT NULL,
            properties VARCHAR NOT NULL, language VARCHAR NOT NULL, created DOUBLE, modified DOUBLE,
            is_daily BOOLEAN NOT NULL, size BIGINT NOT NULL, omitted VARCHAR NOT NULL, trimmed VARCHAR NOT NULL,
            indexed_at DOUBLE NOT NULL)""",
        """CREATE TABLE passages (
            id INTEGER NOT NULL, note INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind VARCHAR NOT NULL,
            uid VARCHAR NOT NULL, headings VARCHAR NOT NULL, first_line INTEGER NOT NULL, last_line INTEGER NOT NULL,
            block_id VARCHAR NOT NULL, text VARCHAR NOT NULL, breadcrumb VARCHAR NOT NULL, concepts VARCHAR NOT NULL,
            tags VARCHAR NOT NULL, context VARCHAR NOT NULL, raw VARCHAR NOT NULL, depth INTEGER NOT NULL,
            created DOUBLE, modified DOUBLE, task VARCHAR NOT NULL,
            hash VARCHAR USING COMPRESSION uncompressed NOT NULL,
            vector_hash VARCHAR USING COMPRESSION uncompressed NOT NULL)""",
        "CREATE INDEX notes_id ON notes (id)",
        "CREATE INDEX passages_id ON passages (id)",
        "CREATE INDEX passages_note ON passages (note)",
        """CREATE TABLE lengths (
            passage INTEGER NOT NULL, text INTEGER NOT NULL, breadcrumb INTEGER NOT NULL, concepts INTEGER NOT NULL,
            tags INTEGER NOT NULL, context INTEGER NOT NULL)""",
        "CREATE TABLE terms (id INTEGER NOT NULL, term VARCHAR NOT NULL)",
        "CREATE TABLE surfaces (surface VARCHAR NOT NULL, term INTEGER NOT NULL)",
        """CREATE TABLE postings (
            passage INTEGER NOT NULL, term INTEGER NOT NULL, field UTINYINT NOT NULL, tf USMALLINT NOT NULL)""",
        "CREATE TABLE vectors (model VARCHAR NOT NULL, hash VARCHAR NOT NULL, vector BLOB NOT NULL)",
        """CREATE TABLE links (
            note INTEGER NOT NULL, position INTEGER NOT NULL, kind VARCHAR NOT NULL, target VARCHAR NOT NULL,
            folded VARCHAR NOT NULL, fragment VARCHAR NOT NULL, label VARCHAR NOT NULL, attribute VARCHAR NOT NULL,
            passage INTEGER NOT NULL, line INTEGER NOT NULL)""",
        """CREATE TABLE problems (
            note INTEGER NOT NULL, severity VARCHAR NOT NULL, label VARCHAR NOT NULL, reason VARCHAR NOT NULL,
            code VARCHAR NOT NULL, line INTEGER NOT NULL)""",
        "CREATE TABLE runs (finished_at DOUBLE NOT NULL, report VARCHAR NOT NULL)",
    ):
        cursor.execute(statement)


_EVIDENCE = """note VARCHAR NOT NULL CHECK (note <> ''), uid VARCHAR NOT NULL, headings VARCHAR NOT NULL,
    first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, block_id VARCHAR NOT NULL,
    quote VARCHAR NOT NULL CHECK (length(trim(quote, ' \t\n\r')) > 0),
    origin VARCHAR NOT NULL CHECK (origin IN ('written', 'inferred')),
    confidence DOUBLE NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    model VARCHAR NOT NULL, prompt_version VARCHAR NOT NULL, written_at DOUBLE,
    state VARCHAR NOT NULL CHECK (state IN ('resolved', 'unresolved', 'ambiguous')),
    CHECK (origin = 'written' OR (model <> '' AND prompt_version <> ''))"""
"""Columns of what a graph rests on."""


def m002_knowledge_graph(cursor: Cursor) -> None:
    """Entities, their names and their facts. A fact is one piece of evidence for one relation, so no relation can be
    without evidence."""
    for statement in (
        "CREATE TABLE graph_notes (note VARCHAR NOT NULL, stamp VARCHAR NOT NULL)",
        """CREATE TABLE graph_entities (id VARCHAR NOT NULL CHECK (id <> ''), type VARCHAR NOT NULL CHECK (type <> ''),
            name VARCHAR NOT NULL CHECK (trim(name) <> ''))""",
        f"""CREATE TABLE graph_names (entity VARCHAR NOT NULL, name VARCHAR NOT NULL CHECK (trim(name) <> ''),
            kind VARCHAR NOT NULL CHECK (kind IN ('title', 'alias', 'label')), {_EVIDENCE})""",
        f"""CREATE TABLE graph_facts (subject VARCHAR NOT NULL, predicate VARCHAR NOT NULL CHECK (predicate <> ''),
            object VARCHAR NOT NULL, {_EVIDENCE}, CHECK (subject <> object))""",
    ):
        cursor.execute(statement)


def m003_graph_keys_and_front_matter(cursor: Cursor) -> None:
    """Foreign keys from names and facts to their entities, over numbers: over their ids they cost three times as much.
    Front matter as written, for quotes of it."""
    cursor.execute("ALTER TABLE notes ADD COLUMN front_matter VARCHAR DEFAULT ''")
    for table in ("graph_entities", "graph_names", "graph_facts"):
        cursor.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    entity = "INTEGER NOT NULL REFERENCES graph_entities (number)"
    for statement in (
        """CREATE TABLE graph_entities (number INTEGER PRIMARY KEY, id VARCHAR NOT NULL CHECK (id <> ''),
            type VARCHAR NOT NULL CHECK (type <> ''), name VARCHAR NOT NULL CHECK (trim(name) <> ''))""",
        f"""CREATE TABLE graph_names (entity {entity}, name VARCHAR NOT NULL CHECK (trim(name) <> ''),
            kind VARCHAR NOT NULL CHECK (kind IN ('title', 'alias', 'label')), {_EVIDENCE})""",
        f"""CREATE TABLE graph_facts (subject {entity}, predicate VARCHAR NOT NULL CHECK (predicate <> ''),
            object {entity}, {_EVIDENCE}, CHECK (subject <> object))""",
        "INSERT INTO graph_entities SELECT row_number() OVER (ORDER BY id), id, type, name FROM old_graph_entities",
        """INSERT INTO graph_names SELECT e.number, n.* EXCLUDE (entity) FROM old_graph_names n
            JOIN graph_entities e ON e.id = n.entity""",
        """INSERT INTO graph_facts SELECT s.number, f.predicate, o.number, f.* EXCLUDE (subject, predicate, object)
            FROM old_graph_facts f JOIN graph_entities s ON s.id = f.subject
            JOIN graph_entities o ON o.id = f.object""",
        "DROP TABLE old_graph_names",
        "DROP TABLE old_graph_facts",
        "DROP TABLE old_graph_entities",
    ):
        cursor.execute(statement)


INDEX: tuple[Migration, ...] = (m001_first_schema, m002_knowledge_graph, m003_graph_keys_and_front_matter)

INDEX_SCHEMAS: tuple[str, ...] = ("07fc3ec6bd55313f", "88e7eda66ea1036b", "f32a66eebcc56670")
"""``schema_digest`` after each of ``INDEX``."""
