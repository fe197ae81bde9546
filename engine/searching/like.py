"""``like:NOTE``: the neighbours of notes, alone or leaning a question towards them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.model import NoteKey
from engine.searching.lookup import find_note
from engine.searching.related import note_vector
from engine.store.live import LiveIndex

Vectors = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Likened:
    """The notes that ``like:`` names."""

    vectors: Vectors = field(default_factory=dict)
    """For each model the mean direction of its notes, L2-normalised."""
    notes: frozenset[tuple[int, NoteKey]] = frozenset()
    """(position of the index, key); they are left out of the answer."""
    notices: tuple[str, ...] = ()


def liken(names: Sequence[str], indexes: Sequence[LiveIndex]) -> Likened:
    """Look the notes up. A name that no note has, or a note without vectors, becomes a notice."""
    sums: dict[str, NDArray[np.float32]] = {}
    notes: set[tuple[int, NoteKey]] = set()
    notices: list[str] = []
    for name in names:
        found = find_note(name, indexes)
        if found is None:
            notices.append(f"'like:{name}' names no note that is indexed.")
            continue
        position, note = found
        live = indexes[position]
        try:
            vector = note_vector(live, note.key)
        except EngineError as error:
            notices.append(str(error))
            continue
        notes.add((position, note.key))
        sums[live.model_id] = sums.get(live.model_id, np.zeros_like(vector)) + vector
    return Likened({model: _unit(total) for model, total in sums.items()}, frozenset(notes), tuple(notices))


def leaning(question: Vectors, likened: Vectors) -> dict[str, NDArray[np.float32]]:
    """The question's vectors drawn half way to the notes; either alone where the other is missing."""
    joined = dict(question)
    for model, vector in likened.items():
        joined[model] = _unit(question[model] + vector) if model in question else vector
    return joined


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)
