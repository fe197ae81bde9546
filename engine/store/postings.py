"""The word index on disk: ``terms``, ``surfaces``, ``postings``, ``lengths``. Scoring happens elsewhere, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BugError
from engine.ranking.words import FIELDS, PostingBatch, Postings
from engine.store import notes, rows
from engine.store.database import Cursor

_UNUSED = "unused-words"
"""Name in ``meta``; not empty when passages were removed since the last pruning."""


def add(cursor: Cursor, batch: PostingBatch, first_passage: int, passages: int) -> NDArray[np.int32]:
    """Store the batch, whose passages have ids from ``first_passage`` up; returns the id of each of ``batch.terms``."""
    _check(batch, passages)
    term_ids = _term_ids(cursor, [rows.clean(term) for term in batch.terms])
    if len(batch.passage):
        columns: dict[str, NDArray[Any]] = {
            "passage": (batch.passage + first_passage).astype(np.int32),
            "term": term_ids[batch.term],
            "field": batch.field.astype(np.uint8),
            "tf": batch.tf.astype(np.uint16),
        }
        rows.insert_arrays(cursor, "postings", columns)
    if passages:
        lengths = batch.lengths.astype(np.int32)
        columns = {name: np.ascontiguousarray(lengths[:, number]) for number, name in enumerate(FIELDS)}
        ids = np.arange(first_passage, first_passage + passages, dtype=np.int32)
        rows.insert_arrays(cursor, "lengths", {"passage": ids, **columns})
    _add_surfaces(cursor, batch, term_ids)
    return term_ids


def _check(batch: PostingBatch, passages: int) -> None:
    sizes = {len(batch.passage), len(batch.term), len(batch.field), len(batch.tf)}
    if len(sizes) != 1 or batch.lengths.shape != (passages, len(FIELDS)):
        raise BugError(f"The word batch does not fit its {passages} passages (columns {sorted(sizes)}).")
    if len(batch.passage) and not (batch.passage.min() >= 0 and batch.passage.max() < passages):
        raise BugError("The word batch names passages that are not in it.")


def _term_ids(cursor: Cursor, terms: Sequence[str]) -> NDArray[np.int32]:
    """Ids of ``terms``; new ones are added."""
    if not terms:
        return np.zeros(0, dtype=np.int32)
    found = cursor.execute(f"SELECT term, id FROM terms WHERE term IN {rows.ANY_STRING}", [rows.strings(terms)])
    known: dict[str, int] = dict(found.fetchall())
    new = [term for term in dict.fromkeys(terms) if term not in known]
    first = notes.take_ids(cursor, "term", len(new))
    added = {term: first + position for position, term in enumerate(new)}
    rows.insert(
        cursor, "terms", {"id": "INTEGER", "term": "VARCHAR"}, [(number, term) for term, number in added.items()]
    )
    known |= added
    return np.fromiter((known[term] for term in terms), dtype=np.int32, count=len(terms))


def _add_surfaces(cursor: Cursor, batch: PostingBatch, term_ids: NDArray[np.int32]) -> None:
    numbers = dict(zip(batch.terms, term_ids.tolist(), strict=True))
    pairs = {(rows.clean(surface), numbers[term]) for surface, term in batch.surfaces}
    if not pairs:
        return
    columns = {"surface": "VARCHAR", "term": "INTEGER"}
    cursor.execute(
        f"INSERT INTO surfaces SELECT r.surface, r.term FROM {rows.unpacked(columns)} given(r)"
        " ANTI JOIN surfaces s ON s.surface = r.surface AND s.term = r.term",
        [rows.packed(list(columns), sorted(pairs))],
    )


def remove(cursor: Cursor, passage_ids: NDArray[np.int32]) -> None:
    if not len(passage_ids):
        return
    notes.set_meta(cursor, _UNUSED, "yes")
    for table in ("postings", "lengths"):
        cursor.execute(
            f"DELETE FROM {table} WHERE passage IN {rows.ANY_INTEGER}", [rows.integers(passage_ids.tolist())]
        )


def load(cursor: Cursor) -> Postings:
    """The whole word index, rows in no particular order; a term is empty where its id is no longer used."""
    cursor.execute("SELECT id, term FROM terms")
    stored = rows.fetch_arrays(cursor)
    terms = np.full(int(stored["id"].max(initial=-1)) + 1, "", np.object_)
    terms[stored["id"]] = stored["term"]
    cursor.execute(f"SELECT passage, {', '.join(FIELDS)} FROM lengths")
    lengths = rows.fetch_arrays(cursor)
    order = np.argsort(lengths["passage"], kind="stable")
    cursor.execute("SELECT passage, term, field, tf FROM postings")
    columns = rows.fetch_arrays(cursor)
    return Postings(
        terms=terms.tolist(),
        passage=columns["passage"],
        term=columns["term"],
        field=columns["field"],
        tf=columns["tf"],
        passage_ids=lengths["passage"][order],
        lengths=np.column_stack([lengths[name][order] for name in FIELDS]),
    )


def load_surfaces(cursor: Cursor) -> dict[str, tuple[str, ...]]:
    """Words as written (folded), each with the terms that it stands for: one per language it occurs in."""
    found = cursor.execute(
        "SELECT s.surface, t.term FROM surfaces s JOIN terms t ON t.id = s.term ORDER BY s.surface, t.id"
    )
    surfaces: dict[str, tuple[str, ...]] = {}
    for surface, term in found.fetchall():
        surfaces[surface] = (*surfaces.get(surface, ()), term)
    return surfaces


def prune(cursor: Cursor) -> int:
    """Forget words that no passage holds any more; returns how many terms went. Their ids stay unused.

    Costs nothing while no passage was removed."""
    if not notes.get_meta(cursor, _UNUSED):
        return 0
    notes.set_meta(cursor, _UNUSED, "")
    cursor.execute("DELETE FROM terms WHERE id NOT IN (SELECT DISTINCT term FROM postings)")
    removed = cursor.fetchone()
    cursor.execute("DELETE FROM surfaces WHERE term NOT IN (SELECT id FROM terms)")
    return int(removed[0]) if removed else 0
