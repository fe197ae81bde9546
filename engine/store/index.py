"""``IndexStore``: the index file of one source, and the only door to it.

Owns the transaction of each operation; the modules beside it own their tables. Decides nothing about ranking or about
what to index. Every method may be called from any thread and raises only ``engine.errors`` (``LibraryBusy``,
``WrongKey``, ``IndexDamaged``, ``DiskFull`` ...).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BugError
from engine.job import Job
from engine.model import Link, Note, NoteKey, Problem
from engine.ranking.words import PostingBatch, Postings
from engine.store import links, migrations, notes, passages, postings, reports, vectors
from engine.store.database import Cursor, remove_files, set_aside
from engine.store.graph import GraphStore, retract_notes
from engine.store.notes import NoteCache, NoteRow, NoteState
from engine.store.passages import Facets, PassageRow
from engine.store.reports import Counts
from engine.store.vectors import MissingVector

__all__ = [
    "Counts",
    "Facets",
    "IndexStore",
    "MissingVector",
    "NoteRow",
    "NoteState",
    "PassageRow",
    "PostingBatch",
    "Postings",
    "WriteResult",
    "remove_files",
    "set_aside",
]


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Persistent ids of what one batch changed, so that arrays in memory follow without a reload."""

    removed_passage_ids: NDArray[np.int32]
    """Passages of replaced and removed notes, ascending."""
    passage_ids: list[NDArray[np.int32]]
    """Ids of the new passages, per note of the batch in its order. All ids of a batch are consecutive."""
    term_ids: NDArray[np.int32]
    """Id of each term of the batch, aligned with ``PostingBatch.terms``."""


class IndexStore:
    def __init__(self, path: Path, key: str | None) -> None:
        self.path = path
        self.is_encrypted = key is not None
        self._db = migrations.open_migrated(path, key, migrations.INDEX, migrations.INDEX_SCHEMAS)
        self.graph = GraphStore(self._db)
        self._notes = NoteCache()

    @classmethod
    def open(cls, path: Path, key: str | None = None) -> IndexStore:
        """Open or create the index file; encrypted when ``key`` is given (see ``keychain.index_key``)."""
        return cls(path, key)

    def close(self) -> None:
        """Checkpoint and close. A second call does nothing."""
        self._db.close()

    def checkpoint(self) -> None:
        self._db.checkpoint()

    @property
    def times_reopened(self) -> int:
        """How often the file was opened anew after a fault; see ``Database``."""
        return self._db.times_reopened

    # --- meta

    def get_meta(self, name: str, default: str = "") -> str:
        with self._db.read() as cursor:
            return notes.get_meta(cursor, name, default)

    def set_meta(self, name: str, value: str) -> None:
        with self._db.write() as cursor:
            notes.set_meta(cursor, name, value)

    # --- writing

    def write_notes(
        self,
        batch: Sequence[Note],
        words: PostingBatch,
        removed: Sequence[NoteKey] = (),
        vector_hashes: Mapping[NoteKey, Sequence[str]] | None = None,
    ) -> WriteResult:
        """Replace, add and remove notes in one transaction.

        Of a note that is replaced, the old passages, words, links and problems go. A note without passages is
        recorded too (as skipped or failed, see ``NoteState``), so its revision is known. ``vector_hashes`` names, for
        moved notes, one hash per passage whose stored vector it uses instead of its own hash. Passage ids are int32,
        ascending, never reused. Vectors are not touched. What removed notes say in the knowledge graph goes with them.
        """
        keys = {note.key for note in batch}
        if len(keys) != len(batch):
            raise BugError("A note stands twice in one batch.")
        total = sum(len(note.passages) for note in batch)
        with self._db.write() as cursor:
            stored = notes.ids(cursor, [*keys, *removed])
            gone = _remove(cursor, sorted(stored.values()))
            retract_notes(cursor, removed)
            numbered = _numbered(cursor, batch, stored)
            first = notes.take_ids(cursor, "passage", total)
            notes.add(cursor, numbered)
            ids = passages.add(cursor, numbered, first, vector_hashes or {})
            term_ids = postings.add(cursor, words, first, total)
            links.add(cursor, numbered)
            reports.add_problems(cursor, numbered)
        self._notes.forget()
        self.graph.version += bool(removed)
        return WriteResult(np.sort(gone), ids, term_ids)

    def write_vectors(self, model_id: str, hashes: Sequence[str], matrix: NDArray[np.float32]) -> None:
        """Store vectors, shape (len(hashes), d), as float16 in one transaction. Hashes known already are skipped."""
        with self._db.write() as cursor:
            vectors.write(cursor, model_id, hashes, matrix)

    def write_scan_problems(self, problems: Sequence[Problem]) -> None:
        """Replace the problems that belong to no note (files skipped before reading)."""
        with self._db.write() as cursor:
            reports.replace_scan_problems(cursor, problems)

    def drop_vectors(self, model_id: str) -> None:
        """Forget every vector of a model, so that all are made anew."""
        with self._db.write() as cursor:
            vectors.drop(cursor, model_id)

    def add_run(self, report: Mapping[str, object]) -> None:
        """Record a finished run: the index report as a JSON-compatible mapping."""
        with self._db.write() as cursor:
            reports.add_run(cursor, report)

    def prune_vectors(self) -> int:
        """Delete vectors that no passage uses, of any model; at the end of a complete run. Returns how many."""
        with self._db.write() as cursor:
            return vectors.prune(cursor)

    def prune_words(self) -> int:
        """Forget words that no passage holds any more. Their ids are not used again. Returns how many."""
        with self._db.write() as cursor:
            return postings.prune(cursor)

    # --- what is known, for the next run

    def revisions(self) -> dict[NoteKey, str]:
        with self._db.read() as cursor:
            return notes.column_by_key(cursor, "revision")

    def states(self) -> dict[NoteKey, str]:
        """The ``NoteState`` of each note."""
        with self._db.read() as cursor:
            return notes.column_by_key(cursor, "state")

    def content_hashes(self) -> dict[NoteKey, str]:
        with self._db.read() as cursor:
            return notes.column_by_key(cursor, "content_hash")

    def vector_hashes(self, key: NoteKey) -> list[str]:
        """Whose vectors the passages of a note use, in order: for a moved note, before its old key is removed."""
        with self._db.read() as cursor:
            return passages.vector_hashes(cursor, key)

    def missing_vectors(self, model_id: str) -> list[MissingVector]:
        """Texts without a vector of this model, newest first, each hash once."""
        with self._db.read() as cursor:
            return vectors.missing(cursor, model_id)

    def known_vectors(self, model_id: str, hashes: Sequence[str]) -> set[str]:
        """Those of ``hashes`` that have a vector of this model."""
        with self._db.read() as cursor:
            return vectors.known(cursor, model_id, hashes)

    def vector_dimensions(self, model_id: str) -> int:
        """Of the stored vectors of this model; 0 when there are none."""
        with self._db.read() as cursor:
            return vectors.dimensions(cursor, model_id)

    # --- arrays for memory

    def load_postings(self) -> Postings:
        with self._db.read() as cursor:
            return postings.load(cursor)

    def load_surfaces(self) -> dict[str, tuple[str, ...]]:
        """Words as written (folded), each with the terms that it stands for."""
        with self._db.read() as cursor:
            return postings.load_surfaces(cursor)

    def load_vectors(self, model_id: str) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """(passage ids ascending, shape (n,); vectors, shape (n, d)); passages without a vector are left out."""
        with self._db.read() as cursor:
            return vectors.load(cursor, model_id)

    def load_vectors_of(
        self, model_id: str, passage_ids: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """As ``load_vectors``, for some passages."""
        with self._db.read() as cursor:
            return vectors.load_of(cursor, model_id, passage_ids)

    def load_vectors_by_hash(
        self, model_id: str, hashes: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """As ``load_vectors``, for every passage that uses one of ``hashes``."""
        with self._db.read() as cursor:
            return vectors.load_by_hash(cursor, model_id, hashes)

    def left_out(self) -> tuple[Counter[str], Counter[str]]:
        """(blocks omitted, characters trimmed) over all notes, by reason."""
        with self._db.read() as cursor:
            return notes.left_out(cursor)

    def languages(self) -> dict[str, int]:
        """Indexed notes by language; unknown ones under the empty string."""
        with self._db.read() as cursor:
            return notes.languages(cursor)

    def passage_ids_of_uid(self, uid: str) -> list[int]:
        """The passage with this block or page uid; more than one when a source repeats it."""
        with self._db.read() as cursor:
            return passages.ids_of_uid(cursor, uid)

    def load_note_ids(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """(passage ids, row id of the note of each), in no particular order."""
        with self._db.read() as cursor:
            return passages.note_ids(cursor)

    def load_facets(self) -> Facets:
        """What filters are evaluated on."""
        with self._db.read() as cursor:
            return passages.facets(cursor)

    # --- reading

    def passages(self, ids: Sequence[int], job: Job | None = None) -> list[PassageRow]:
        """In the order of ``ids``; ids that are gone are left out."""
        with self._db.read(job) as cursor:
            return passages.by_ids(cursor, ids, self._notes)

    def note(self, key: NoteKey) -> NoteRow | None:
        with self._db.read() as cursor:
            return notes.one(cursor, key)

    def note_passages(self, key: NoteKey) -> list[PassageRow]:
        with self._db.read() as cursor:
            return passages.of_note(cursor, key, self._notes)

    def notes(self) -> list[NoteRow]:
        """Every note with its state, by key."""
        with self._db.read() as cursor:
            return notes.everything(cursor)

    def links(self, key: NoteKey) -> list[Link]:
        """Links of a note, in its order."""
        with self._db.read() as cursor:
            return links.of_note(cursor, key)

    def all_links(self) -> list[tuple[NoteKey, Link]]:
        with self._db.read() as cursor:
            return links.everything(cursor)

    def backlinks(self, targets: Sequence[str]) -> list[tuple[NoteKey, Link]]:
        """Links to any of ``targets`` (title, aliases, path with and without suffix, uid), compared without case."""
        with self._db.read() as cursor:
            return links.to_targets(cursor, targets)

    def problems(self) -> list[Problem]:
        """Failed first, then skipped, then warnings."""
        with self._db.read() as cursor:
            return reports.problems(cursor)

    def last_run(self) -> tuple[float, dict[str, Any]] | None:
        """(time, report) of the newest run."""
        with self._db.read() as cursor:
            return reports.last_run(cursor)

    def recent_runs(self, limit: int) -> list[tuple[float, dict[str, Any]]]:
        """(time, report) of the newest runs, newest first."""
        with self._db.read() as cursor:
            return reports.recent_runs(cursor, limit)

    def problems_by_note(self) -> list[tuple[int, Problem]]:
        """Each problem with the id of its note; -1 for files skipped before reading."""
        with self._db.read() as cursor:
            return reports.problems_by_note(cursor)

    def last_capture(self) -> float | None:
        """When the newest run that saw the whole source began, seconds since the epoch."""
        with self._db.read() as cursor:
            return reports.last_capture(cursor)

    def counts(self, model_id: str = "") -> Counts:
        with self._db.read() as cursor:
            return reports.counts(cursor, model_id, self.bytes_on_disk())

    def bytes_on_disk(self) -> int:
        """The file and its write-ahead log."""
        files = (self.path, self.path.with_name(self.path.name + ".wal"))
        return sum(file.stat().st_size for file in files if file.exists())


def _remove(cursor: Cursor, note_ids: Sequence[int]) -> NDArray[np.int32]:
    """Delete notes with all that hangs on them; returns the ids of their passages."""
    if not note_ids:
        return np.zeros(0, dtype=np.int32)
    gone = passages.of_notes(cursor, note_ids)
    postings.remove(cursor, gone)
    passages.remove(cursor, note_ids)
    links.remove(cursor, note_ids)
    reports.remove_problems(cursor, note_ids)
    notes.remove(cursor, note_ids)
    return gone


def _numbered(cursor: Cursor, batch: Sequence[Note], stored: Mapping[NoteKey, int]) -> list[tuple[int, Note]]:
    """Each note with its row id: the old one when it is replaced, else a new one."""
    fresh = iter(range(notes.take_ids(cursor, "note", sum(note.key not in stored for note in batch)), 2**31))
    return [(stored[note.key] if note.key in stored else next(fresh), note) for note in batch]
