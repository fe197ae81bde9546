"""The ``vectors`` table: float16 blobs by (model, hash of the embedded text), so equal text is embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BugError, IndexDamaged
from engine.store import notes, rows
from engine.store.database import Cursor

UNUSED = "unused-vectors"
"""Name in ``meta``; not empty when passages were removed since the last pruning."""
_READ_AT_ONCE = 1 << 17
_COPIED_AT_ONCE = 1 << 12
"""Vectors."""
_BY_PASSAGE = "SELECT p.id, v.vector FROM vectors v JOIN passages p ON p.vector_hash = v.hash"


@dataclass(frozen=True, slots=True)
class MissingVector:
    """A text whose vector is not stored yet, by one of the passages that hold it."""

    hash: str
    passage_id: int
    modified: float | None


def missing(cursor: Cursor, model_id: str) -> list[MissingVector]:
    """Newest passages first, each hash once."""
    found = cursor.execute(
        """SELECT vector_hash, min(id), max(modified) AS newest
           FROM passages ANTI JOIN (SELECT hash FROM vectors WHERE model = $1) known ON known.hash = vector_hash
           GROUP BY vector_hash ORDER BY newest DESC NULLS LAST, min(id)""",
        [model_id],
    ).fetchall()
    return [MissingVector(*values) for values in found]


def known(cursor: Cursor, model_id: str, hashes: Sequence[str]) -> set[str]:
    found = cursor.execute(
        f"SELECT hash FROM vectors WHERE model = $2 AND hash IN {rows.ANY_STRING}", [rows.strings(hashes), model_id]
    ).fetchall()
    return {digest for (digest,) in found}


def write(cursor: Cursor, model_id: str, hashes: Sequence[str], matrix: NDArray[np.float32]) -> None:
    """Store one row of ``matrix`` (len(hashes), d) per hash; those stored already are left as they are."""
    if matrix.ndim != 2 or len(hashes) != len(matrix):
        raise BugError(f"{len(hashes)} hashes do not fit vectors of shape {matrix.shape}.")
    stored = known(cursor, model_id, hashes)
    halves = matrix.astype("<f2")
    new = {digest: halves[row].tobytes().hex() for row, digest in enumerate(hashes) if digest not in stored}
    columns = {"hash": "VARCHAR", "vector": "VARCHAR"}
    cursor.execute(
        "INSERT INTO vectors (model, hash, vector)"
        f" SELECT $2, r.hash, unhex(r.vector) FROM {rows.unpacked(columns)} given(r)",
        [rows.packed(list(columns), list(new.items())), model_id],
    )


def load(cursor: Cursor, model_id: str) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    """(passage ids ascending, shape (n,); their vectors, shape (n, d)); passages without a vector are left out."""
    # SQL joins the numbers of the rows alone: it would carry every vector through the join. In one transaction, since
    # such numbers are valid within one.
    cursor.execute("BEGIN")
    cursor.execute(
        "SELECT p.id, v.rowid AS place FROM vectors v JOIN passages p ON p.vector_hash = v.hash WHERE v.model = $1",
        [model_id],
    )
    used = rows.fetch_arrays(cursor)
    order = np.argsort(used["id"])
    ids, places = used["id"][order].astype(np.int32), used["place"][order]
    matrix = np.empty((len(ids), dimensions(cursor, model_id)), np.float16)
    for start in range(0, int(places.max(initial=-1)) + 1, _READ_AT_ONCE):
        end = start + _READ_AT_ONCE
        cursor.execute(
            f"SELECT rowid AS place, vector FROM vectors WHERE model = $1 AND rowid >= {start} AND rowid < {end}",
            [model_id],
        )
        stored = rows.fetch_arrays(cursor)
        here = np.flatnonzero((places >= start) & (places < end))
        _fill(matrix, here, stored["vector"], np.searchsorted(stored["place"], places[here]))
    cursor.execute("COMMIT")
    return ids, matrix


def load_of(
    cursor: Cursor, model_id: str, passage_ids: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    """As ``load``, for some passages."""
    wanted = rows.integers(passage_ids.tolist())
    return _joined(
        cursor.execute(f"{_BY_PASSAGE} WHERE p.id IN {rows.ANY_INTEGER} AND v.model = $2", [wanted, model_id])
    )


def load_by_hash(cursor: Cursor, model_id: str, hashes: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    """As ``load``, for every passage that uses one of ``hashes``."""
    wanted = rows.strings(hashes)
    return _joined(
        cursor.execute(f"{_BY_PASSAGE} WHERE v.hash IN {rows.ANY_STRING} AND v.model = $2", [wanted, model_id])
    )


def _joined(found: Cursor) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    columns = rows.fetch_arrays(found)
    blobs = columns["vector"]
    order = np.argsort(columns["id"])
    matrix = np.empty((len(blobs), len(blobs[0]) // 2 if len(blobs) else 0), np.float16)
    _fill(matrix, np.arange(len(blobs)), blobs, order)
    return columns["id"][order].astype(np.int32), matrix


def _fill(matrix: NDArray[np.float16], where: NDArray[np.intp], blobs: NDArray[Any], chosen: NDArray[np.intp]) -> None:
    """Write the ``chosen`` ones of ``blobs`` to the rows ``where`` of the matrix."""
    if any(length != 2 * matrix.shape[1] for length in set(map(len, blobs.tolist()))):
        raise IndexDamaged("The vectors of the index differ in length.", "Rebuild the index from its source.")
    # A few thousand at a time: one piece of all of them would cost as much room again, and most of the time.
    for start in range(0, len(where), _COPIED_AT_ONCE):
        part = slice(start, start + _COPIED_AT_ONCE)
        some = blobs[chosen[part]].tolist()
        matrix[where[part]] = np.frombuffer(b"".join(some), "<f2").reshape(len(some), -1)


def count(cursor: Cursor, model_id: str) -> int:
    """Passages that have a vector of this model."""
    found = cursor.execute(
        "SELECT count(*) FROM passages SEMI JOIN (SELECT hash FROM vectors WHERE model = $1) known"
        " ON known.hash = vector_hash",
        [model_id],
    ).fetchone()
    return int(found[0]) if found else 0


def dimensions(cursor: Cursor, model_id: str) -> int:
    """Of the stored vectors of this model; 0 when there are none."""
    found = cursor.execute("SELECT octet_length(vector) FROM vectors WHERE model = $1 LIMIT 1", [model_id]).fetchone()
    return int(found[0]) // 2 if found else 0


def drop(cursor: Cursor, model_id: str) -> None:
    cursor.execute("DELETE FROM vectors WHERE model = $1", [model_id])


def prune(cursor: Cursor) -> int:
    """Delete the vectors that no passage uses; returns how many. Costs nothing while no passage was removed."""
    if not notes.get_meta(cursor, UNUSED):
        return 0
    notes.set_meta(cursor, UNUSED, "")
    cursor.execute("DELETE FROM vectors WHERE hash NOT IN (SELECT vector_hash FROM passages)")
    removed = cursor.fetchone()
    return int(removed[0]) if removed else 0
