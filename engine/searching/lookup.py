"""Finding one note by what a person calls it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.store.index import NoteRow
from engine.store.live import LiveIndex
from engine.text.words import fold


def find_note(named: str, indexes: Sequence[LiveIndex]) -> tuple[int, NoteRow] | None:
    """(position of its index, note) by path, title, alias or uid; exact spelling wins over folded."""
    wanted = fold(named.strip())
    for is_exact in (True, False):
        for position, index in enumerate(indexes):
            for note in index.facets.notes:
                if named in (note.key, note.title) if is_exact else wanted in _names(note):
                    return position, note
    for position, index in enumerate(indexes):
        rows = index.store.passages(index.store.passage_ids_of_uid(named.strip("()")))
        if rows:
            return position, rows[0].note
    return None


def _names(note: NoteRow) -> set[str]:
    return {fold(name) for name in (note.key, note.key.removesuffix(".md"), note.title, *note.aliases)}
