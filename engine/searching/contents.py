"""What sources hold, for a person who browses: folders, pages, tags and standing collections, each with its count.

Reads what is in memory; never searches.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from engine.model import Contents
from engine.searching.completion import folders_of, tag_counts
from engine.store.live import LiveIndex
from engine.store.passages import Facets

MOST = 500
"""Folders, pages or tags; more are found by searching for them."""

WEEK_SECONDS = 7 * 86_400.0


def contents(indexes: Sequence[LiveIndex], now: float | None = None) -> Contents:
    """Folders with the notes in and below them (files), pages with their blocks (graphs), tags with the notes that have
    them, and how many notes hold an open task, are daily notes, or were changed or made within a week."""
    moment = time.time() if now is None else now
    files = [index for index in indexes if not index.source.kind.is_roam]
    folders = Counter(folder for index in files for note in index.facets.notes for folder in folders_of(note.key))
    pages: Counter[str] = Counter()
    for index in indexes:
        if index.source.kind.is_roam:
            pages.update(_pages(index.facets))
    return Contents(
        folders=tuple(sorted(_most(folders), key=lambda pair: pair[0].casefold())),
        pages=_most(pages),
        tags=_most(tag_counts(indexes)),
        collections=_collections([index.facets for index in indexes], moment - WEEK_SECONDS),
    )


def _pages(facets: Facets) -> Counter[str]:
    held = np.bincount(facets.note, minlength=len(facets.notes))
    return Counter({note.title: int(n) for note, n in zip(facets.notes, held, strict=True) if not note.is_daily})


def _collections(held: Sequence[Facets], since: float) -> tuple[tuple[str, int], ...]:
    notes = [note for facets in held for note in facets.notes]
    tasks = sum(len({int(n) for n, task in zip(f.note, f.task, strict=True) if "todo" in task.split()}) for f in held)
    counts = {
        "tasks": tasks,
        "daily": sum(note.is_daily for note in notes),
        "modified": _after((note.modified for note in notes), since),
        "created": _after((note.created for note in notes), since),
    }
    return tuple(counts.items())


def _after(moments: Iterable[float | None], since: float) -> int:
    return sum(moment is not None and moment >= since for moment in moments)


def _most(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0].casefold()))[:MOST])
