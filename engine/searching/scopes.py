"""What the meaning leg compares: passages, whole notes, or both.

A whole note's vector is the mean of its passages' vectors. It is found under the id of the note's first passage, and
stands for every passage of the note where another leg asks for its cosine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.model import Scope
from engine.ranking.vectors import VectorIndex
from engine.ranking.vocabulary import Vocabulary
from engine.ranking.words import Ids, Mask, Scores, WordIndex, best_of
from engine.searching.legs import Arrays, Vectors
from engine.store.live import LiveIndex


@dataclass(frozen=True, slots=True)
class Scoped:
    """An index whose meaning leg compares something else than its passages."""

    index: LiveIndex
    vectors: Vectors

    @property
    def model_id(self) -> str:
        return self.index.model_id

    @property
    def words(self) -> WordIndex:
        return self.index.words

    @property
    def vocabulary(self) -> Vocabulary:
        return self.index.vocabulary

    @property
    def languages(self) -> tuple[str, ...]:
        return self.index.languages

    @property
    def note_of(self) -> Ids:
        return self.index.note_of

    @property
    def notes_with_passages(self) -> int:
        return self.index.notes_with_passages


def scoped(index: LiveIndex, scope: Scope) -> Arrays:
    if scope is Scope.PASSAGES:
        return index
    notes = NoteVectors(index.note_vectors, index.first_of)
    return Scoped(index, notes if scope is Scope.NOTES else BothVectors(index.vectors, notes))


class NoteVectors:
    """The vectors of whole notes, asked for by passage ids."""

    def __init__(self, notes: VectorIndex, first_of: Ids) -> None:
        """``first_of``: for each passage id the id of its note's first passage, -1 where there is none."""
        self._notes = notes
        self._first_of = first_of

    def __len__(self) -> int:
        return len(self._notes)

    def search(self, query: Scores, limit: int, allowed: Mask | None = None) -> tuple[Ids, Scores]:
        """A note may be found when any of its passages may; see ``VectorIndex.search``."""
        if allowed is None:
            return self._notes.search(query, limit)
        firsts = self._first_of[: len(allowed)][allowed[: len(self._first_of)]]
        mask = np.zeros(len(self._first_of), np.bool_)
        mask[firsts[firsts >= 0]] = True
        return self._notes.search(query, limit, mask)

    def cosines(self, query: Scores, ids: Ids) -> Scores:
        return self._notes.cosines(query, self._first_of[ids])

    def spread(self, query: Scores) -> tuple[float, float]:
        return self._notes.spread(query)

    def middle(self) -> Scores:
        return self._notes.middle()


class BothVectors:
    """Passages beside whole notes: the better cosine of the two counts."""

    def __init__(self, passages: VectorIndex, notes: NoteVectors) -> None:
        self._passages = passages
        self._notes = notes

    def __len__(self) -> int:
        return len(self._passages)

    def search(self, query: Scores, limit: int, allowed: Mask | None = None) -> tuple[Ids, Scores]:
        found = [leg.search(query, limit, allowed)[0] for leg in (self._passages, self._notes)]
        ids = np.unique(np.concatenate(found)).astype(np.int32)
        cosines = self.cosines(query, ids)
        best = best_of(cosines, ids, limit)
        return ids[best], cosines[best]

    def cosines(self, query: Scores, ids: Ids) -> Scores:
        return np.fmax(self._passages.cosines(query, ids), self._notes.cosines(query, ids))

    def spread(self, query: Scores) -> tuple[float, float]:
        return self._passages.spread(query)

    def middle(self) -> Scores:
        return self._passages.middle()
