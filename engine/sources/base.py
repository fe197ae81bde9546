"""The seam between Lamplight and a place where notes live."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.job import Job
from engine.model import Note, NoteRef, Scan

TokenSpanner = Callable[[Sequence[str]], list[NDArray[np.int32]]]
"""``Embedder.token_spans``: passages are cut by the tokens of the model that will embed them."""


class SourceReader(Protocol):
    """Reads one source, and never writes to it. Revisions are opaque: equal means unchanged."""

    def scan(self, job: Job) -> Scan:
        """What exists now, without parsing unchanged notes.

        Raises ``SourceOffline`` when the source cannot be reached at all.
        """

    def read(self, ref: NoteRef) -> Note:
        """Parse one note. Raises ``NoteError`` (with a line where known) when it cannot be read."""

    def close(self) -> None: ...
