"""Notes whose reading or embedding has ended the program: tried one by one, and left out after two crashes.

Owns the count, which is kept in the index, and the words that the person reads. A note is tried again when it changes,
and by a full run. Never looks into a note.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping

from engine.inference.guard import LOAD, CrashMark, note_mark
from engine.model import NoteKey
from engine.store.live import LiveIndex

_META = "attempts"
CRASH, SUDDEN_END = 5, 1
"""What one end of the program counts: a crash of native code; an end without a trace (killed, power lost, or out of
memory), which is hardly ever the note's fault."""
LIMIT = 2 * CRASH

REASON = (
    "Reading or embedding this note ended Lamplight twice, so it is left alone. It is tried again when it changes, or "
    "by a full index."
)

Counts = dict[NoteKey, tuple[int, str]]
"""Note -> (what it counts, the revision that it had)."""


class Attempts:
    """What is known of the notes of one source during one run."""

    def __init__(self, live: LiveIndex, mark: CrashMark | None, *, full: bool) -> None:
        self._live = live
        self._mark = mark
        self._counts = {} if full else _load(live)
        if mark is not None and mark.death.notes:
            self.blame(live.store.revisions())

    @property
    def rests(self) -> bool:
        """Whether the model is left alone in this session."""
        return self._mark is not None and self._mark.is_safe

    def blame(self, revisions: Mapping[NoteKey, str]) -> None:
        """Count the end of the process before against those of these notes that it was at."""
        if self._mark is None or not self._mark.death.notes or LOAD in self._mark.death.steps:
            return
        weight = CRASH if self._mark.death.crashed else SUDDEN_END
        for key, revision in revisions.items():
            if self._mark.take(note_mark(self._live.source.id, key)):
                count, known = self._counts.get(key, (0, revision))
                self._counts[key] = ((count if known == revision else 0) + weight, revision)
        self._save()

    def is_suspect(self, key: NoteKey) -> bool:
        """Whether the program has ended at this note: it must be tried alone."""
        return key in self._counts

    def is_out(self, key: NoteKey, revision: str) -> bool:
        """Whether the note, at this revision, is left alone."""
        count, known = self._counts.get(key, (0, ""))
        return count >= LIMIT and known == revision

    def any_out(self) -> bool:
        return any(count >= LIMIT for count, _ in self._counts.values())

    def during(self, step: str, keys: Iterable[NoteKey]) -> contextlib.AbstractContextManager[None]:
        """Marks that these notes are being read or embedded while the body runs."""
        if self._mark is None:
            return contextlib.nullcontext()
        return self._mark.inside(step, [note_mark(self._live.source.id, key) for key in dict.fromkeys(keys)])

    def forgive(self) -> None:
        """The run came to its end: only the notes that are left out stay on the list."""
        left = {key: entry for key, entry in self._counts.items() if entry[0] >= LIMIT}
        if left != self._counts:
            self._counts = left
            self._save()

    def _save(self) -> None:
        self._live.store.set_meta(_META, json.dumps(self._counts) if self._counts else "")


def _load(live: LiveIndex) -> Counts:
    found = json.loads(live.store.get_meta(_META) or "{}")
    return {NoteKey(key): (int(count), str(revision)) for key, (count, revision) in found.items()}
