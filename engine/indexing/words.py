"""The words of a batch of notes, counted for the word index."""

from __future__ import annotations

from collections.abc import Sequence

from engine.model import Note
from engine.ranking.words import PostingBatch, posting_batch
from engine.text.fields import word_fields
from engine.text.words import count_terms


def count_words(notes: Sequence[Note]) -> PostingBatch:
    """Postings of all passages of ``notes``, in order; stemmed by each note's language."""
    surfaces: dict[str, str] = {}
    counts = [count_terms(word_fields(passage), note.language, surfaces) for note in notes for passage in note.passages]
    return posting_batch(counts, surfaces)
