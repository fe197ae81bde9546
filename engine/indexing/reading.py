"""Notes made ready for an index: read, told their language, their words counted, in batches.

Owns what happens to a note between its source and the index. Knows nothing of what the index holds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from engine.errors import Cancelled, NoteError
from engine.indexing.words import count_words
from engine.model import Note, NoteRef, Problem, Severity
from engine.ranking.words import PostingBatch
from engine.sources.base import SourceReader
from engine.text.language import detect_language

NOTES_PER_BATCH = 400
PASSAGES_PER_BATCH = 800

Batch = tuple[list[Note], PostingBatch]
"""Notes and the words of all their passages, in order."""


def read_note(reader: SourceReader, ref: NoteRef) -> Note:
    """The note, or one that only says why it could not be read; its revision is empty, so the next run tries again."""
    try:
        note = reader.read(ref)
    except NoteError as error:
        return failed_note(ref, str(error), "unreadable", error.line)
    except Exception as error:  # noqa: BLE001 - one bad note never stops an index
        reason = f"Reading it failed inside Lamplight ({type(error).__name__}). Please report this."
        return failed_note(ref, reason, "internal")
    return note if note.language else dataclasses.replace(note, language=_language(note))


def failed_note(ref: NoteRef, reason: str, code: str, line: int = 0) -> Note:
    problem = failure(ref, reason, code, line)
    return Note(ref.key, ref.title or ref.key, "", "", modified=ref.modified, size=ref.size, problems=(problem,))


def failure(ref: NoteRef, reason: str, code: str, line: int = 0) -> Problem:
    return Problem(Severity.FAILED, ref.label or ref.title or ref.key, reason, code, line)


def has_failed(note: Note) -> bool:
    return not note.passages and any(problem.severity is Severity.FAILED for problem in note.problems)


def _language(note: Note) -> str:
    return detect_language(" ".join(passage.text for passage in note.passages[:40])[:4000])


def in_batches(notes: Iterable[Note]) -> Iterator[Batch]:
    """Batches bounded by notes and passages; what was read is yielded even when reading is cancelled."""
    batch: list[Note] = []
    passages = 0
    try:
        for note in notes:
            batch.append(note)
            passages += len(note.passages)
            if len(batch) >= NOTES_PER_BATCH or passages >= PASSAGES_PER_BATCH:
                yield batch, count_words(batch)
                batch, passages = [], 0
    except Cancelled:
        if batch:
            yield batch, count_words(batch)
        raise
    if batch:
        yield batch, count_words(batch)
