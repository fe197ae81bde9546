"""``LiveIndex``: one index file open, with its words and vectors in memory, kept in step with it.

Owns the lock between the run that changes the arrays and the searches that read them. Decides nothing about what to
index or how to rank.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelUnavailable
from engine.model import Note, NoteKey, Source
from engine.ranking.vectors import VectorIndex
from engine.ranking.vocabulary import Vocabulary
from engine.ranking.words import PostingBatch, WordIndex
from engine.store.index import Facets, IndexStore

Ids = NDArray[np.int32]


class Model(Protocol):
    """What an index needs to know of the model that made its vectors."""

    @property
    def model_id(self) -> str: ...
    @property
    def dimensions(self) -> int: ...


M = TypeVar("M", bound=Model)


class LiveIndex:
    """Arrays are loaded on first use, so that listing sources or reading their status costs nothing."""

    def __init__(self, source: Source, store: IndexStore, model: Model) -> None:
        self.source = source
        self.store = store
        self._model = model
        self._lock = threading.RLock()
        self._words: WordIndex | None = None
        self._vectors: VectorIndex | None = None
        self._note_vectors: VectorIndex | None = None
        self._vocabulary: Vocabulary | None = None
        self._facets: Facets | None = None
        self._note_of: Ids | None = None
        self.behind_by = 0
        """Notes known to have changed since the last run (``indexing.behind``)."""
        self._notes_with_passages = 0
        self._languages: tuple[str, ...] | None = None
        self._indexed_at: float | None = None

    @classmethod
    def open(cls, source: Source, path: Path, key: str | None, model: Model) -> LiveIndex:
        return cls(source, IndexStore.open(path, key), model)

    def close(self) -> None:
        with self._lock:
            self._words = self._vectors = self._note_vectors = self._vocabulary = self._facets = None
            self.store.close()

    @property
    def model_id(self) -> str:
        return self._model.model_id

    def use(self, source: Source, model: Model) -> None:
        """Take over what the owner changed about the source; with another model, vectors are looked for anew."""
        with self._lock:
            if model.model_id != self._model.model_id:
                self._vectors = self._note_vectors = None
            self.source, self._model = source, model

    def checked(self, model: M) -> M:
        """``model``, if its vectors can be compared with those of the index. Raises ``ModelUnavailable``."""
        self._check_dimensions(model.dimensions)
        return model

    def _check_dimensions(self, given: int) -> None:
        loaded = self._vectors
        # The arrays, where there are any, hold what the file holds; asking it takes 5 ms of every search.
        held = loaded.dimensions if loaded else self.store.vector_dimensions(self.model_id)
        if held not in (0, given):
            raise ModelUnavailable(
                f"The model of '{self.source.name}' gives vectors of {given} numbers, the index holds {held}.",
                "Choose the model that the index was made with, or run a full index.",
            )

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the arrays still while a search uses them."""
        with self._lock:
            yield

    def load(self) -> None:
        """Read words and vectors side by side, for a search that needs both; half of either is DuckDB's work."""
        with self._lock:
            if self._words is None and self._vectors is None:
                with ThreadPoolExecutor(1) as other:
                    found = other.submit(self._read_vectors)
                    self._words = WordIndex(self.store.load_postings())
                if found.exception() is None:  # else whoever asks for the vectors is told
                    self._vectors = found.result()

    def _read_vectors(self) -> VectorIndex:
        ids, matrix = self.store.load_vectors(self.model_id)
        return VectorIndex(matrix.shape[1] or self._model.dimensions, ids, matrix)

    @property
    def words(self) -> WordIndex:
        with self._lock:
            if self._words is None:
                self._words = WordIndex(self.store.load_postings())
            return self._words

    @property
    def vectors(self) -> VectorIndex:
        with self._lock:
            if self._vectors is None:
                self._vectors = self._read_vectors()
            return self._vectors

    @property
    def vocabulary(self) -> Vocabulary:
        """Every folded word of the notes and the terms that it stands for."""
        with self._lock:
            if self._vocabulary is None:
                surfaces = self.store.load_surfaces()
                self._vocabulary = Vocabulary((word, term) for word, terms in surfaces.items() for term in terms)
            return self._vocabulary

    @property
    def facets(self) -> Facets:
        with self._lock:
            if self._facets is None:
                self._facets = self.store.load_facets()
            return self._facets

    @property
    def note_of(self) -> Ids:
        """Row id of the note of every passage id, -1 where there is no such passage."""
        with self._lock:
            if self._note_of is None:
                passages, notes = self.store.load_note_ids()
                self._note_of = np.full(int(passages.max(initial=-1)) + 1, -1, np.int32)
                self._note_of[passages] = notes
                self._notes_with_passages = len(np.unique(notes))
            return self._note_of

    @property
    def first_of(self) -> Ids:
        """Id of the first passage of the note of every passage id, -1 where there is no such passage."""
        note_of = self.note_of
        ids = np.flatnonzero(note_of >= 0).astype(np.int32)
        _, first, place = np.unique(note_of[ids], return_index=True, return_inverse=True)
        result = np.full(len(note_of), -1, np.int32)
        result[ids] = ids[first][place]
        return result

    @property
    def note_vectors(self) -> VectorIndex:
        """The mean vector of every note that has any, under the id of its first passage."""
        with self._lock:
            if self._note_vectors is None:
                first_of = self.first_of
                ids = np.flatnonzero(first_of >= 0).astype(np.int32)
                firsts, place = np.unique(first_of[ids], return_inverse=True)
                totals = np.zeros((len(firsts), self._model.dimensions), np.float32)
                np.add.at(totals, place, self.vectors.vectors(ids))
                lengths = np.linalg.norm(totals, axis=1, keepdims=True)
                kept = lengths[:, 0] > 0
                means = (totals[kept] / lengths[kept]).astype(np.float16)
                self._note_vectors = VectorIndex(self._model.dimensions, firsts[kept], means)
            return self._note_vectors

    @property
    def notes_with_passages(self) -> int:
        with self._lock:
            return self._notes_with_passages if len(self.note_of) else 0

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages of the notes, the most frequent first: a question is stemmed as they were."""
        with self._lock:
            if self._languages is None:
                self._languages = tuple(language for language in self.store.languages() if language)
            return self._languages

    @property
    def indexed_at(self) -> float | None:
        """When the newest run that saw the whole source began, seconds since the epoch."""
        with self._lock:
            if self._indexed_at is None:
                self._indexed_at = self.store.last_capture()
            return self._indexed_at

    # --- changes

    def write_notes(
        self,
        notes: Sequence[Note],
        words: PostingBatch,
        removed: Sequence[NoteKey] = (),
        vector_hashes: Mapping[NoteKey, Sequence[str]] | None = None,
    ) -> int:
        """Write one batch to the file, then to memory. Returns how many of its passages have a vector already."""
        result = self.store.write_notes(notes, words, removed, vector_hashes)
        added = np.concatenate([np.zeros(0, np.int32), *result.passage_ids])
        known, matrix = self.store.load_vectors_of(self.model_id, added)
        with self._lock:
            self._facets = self._languages = self._note_of = self._note_vectors = None
            if self._words is not None:
                self._words.remove(result.removed_passage_ids)
                if len(added):
                    self._words.add(words, added)
            if self._vocabulary is not None:
                self._vocabulary.add(words.surfaces)
            if self._vectors is not None:
                self._vectors.remove(result.removed_passage_ids)
                if len(known):
                    self._vectors.add(known, matrix)
        return len(known)

    def write_vectors(self, hashes: Sequence[str], matrix: NDArray[np.float32]) -> None:
        """Store vectors by hash; every passage that shares a hash becomes searchable by meaning."""
        self._check_dimensions(matrix.shape[1])
        self.store.write_vectors(self.model_id, hashes, matrix)
        with self._lock:
            self._note_vectors = None
            if self._vectors is not None:
                ids, rows = self.store.load_vectors_by_hash(self.model_id, hashes)
                self._vectors.add(ids, rows)

    def add_run(self, report: Mapping[str, object]) -> None:
        """Record a finished run."""
        self.store.add_run(report)
        with self._lock:
            self._indexed_at = None

    def drop_vectors(self) -> None:
        """Forget all vectors, so that the next run makes them anew."""
        self.store.drop_vectors(self.model_id)
        with self._lock:
            self._vectors = self._note_vectors = None
