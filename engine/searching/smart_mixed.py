"""Mixed search: Lamplight's own passages speak where the plugin has embedded nothing. One ranking, both kinds marked.

Cosines of two models are never compared as they are: each counts by how far it stands out among its own model's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadRequest
from engine.inference.base import Embedder
from engine.searching.related import check_limit
from engine.searching.smart_search import EXCERPT, EmbedQuery, excerpt, section_of
from engine.sources.smart_groups import Item
from engine.sources.smart_index import SmartIndex, SmartVault
from engine.sources.smart_text import NOTE_UNITS, cut_units, note_breadcrumb, units
from engine.store.live import LiveIndex

Vector = NDArray[np.float32]
Spans = Sequence[tuple[int, int]]
"""Lines, 1-based and inclusive."""


def search_mixed(
    vault: SmartVault, live: LiveIndex, embed_query: EmbedQuery, own: Embedder, query: str, *, limit: int = 10
) -> dict[str, Any]:
    """The notes nearest to a question, one row each; ``origin`` is ``plugin`` or ``lamplight``.

    ``score`` is the cosine by the row's own model; rows are ordered by ``standing``: standard deviations above the
    mean cosine of that model. With one and the same model on both sides the two orders agree.
    """
    if not query.strip():
        raise BadRequest("query takes a text.")
    check_limit(limit)
    index = vault.index()
    theirs = index.group.vectors @ embed_query(index.group.model, query)
    standing = _standing(theirs)
    rows = [
        (float(standing[n]), item.path, _plugin_row(vault, index, n, float(theirs[n])))
        for n, item in _best_items(index, theirs, limit)
    ]
    rows += _own_rows(live, own.embed_query(query), Covered(vault, index), limit)
    rows.sort(key=lambda row: (-row[0], row[1]))
    best: dict[str, dict[str, Any]] = {}
    for stands, path, row in rows:
        best.setdefault(path, {**row, "standing": round(stands, 2)})
    return {"query": query, "results": list(best.values())[:limit]}


def _standing(cosines: Vector) -> Vector:
    if not len(cosines):
        return cosines
    standing: Vector = ((cosines - cosines.mean()) / max(float(cosines.std()), 1e-3)).astype(np.float32)
    return standing


def _best_items(index: SmartIndex, cosines: Vector, limit: int) -> list[tuple[int, Item]]:
    """The best item of each of the ``limit`` best notes."""
    found: dict[str, tuple[int, Item]] = {}
    for row in np.argsort(-cosines, kind="stable"):
        item = index.group.items[row]
        if not (item.is_front_matter and index.settings.hides_front_matter):
            found.setdefault(item.path, (int(row), item))
        if len(found) >= limit:
            break
    return list(found.values())


def _plugin_row(vault: SmartVault, index: SmartIndex, row: int, cosine: float) -> dict[str, Any]:
    item = index.group.items[row]
    first, last, is_stale = vault.files.whereabouts(item, index.records[item.path])
    told: dict[str, Any] = {"path": item.path, "origin": "plugin", "score": round(cosine, 4)}
    if not item.is_note:
        told |= {"section": section_of(item.block)} | ({"lines": [first, last]} if first else {})
    return told | ({"stale": True} if is_stale else {}) | {"excerpt": excerpt(vault, item, first, last)}


class Covered:
    """Which lines of which notes the plugin's vectors speak for, found out for the notes that are asked about."""

    def __init__(self, vault: SmartVault, index: SmartIndex) -> None:
        self._vault = vault
        self._index = index
        self._items: dict[str, list[Item]] = {}
        for item in index.group.items:
            self._items.setdefault(item.path, []).append(item)
        self._spans: dict[str, Spans] = {}

    def holds(self, path: str, first: int, last: int) -> bool:
        """Whether most of the lines are spoken for; a passage without lines is when its note is."""
        if path not in self._spans:
            self._spans[path] = self._spans_of(path)
        return is_covered(self._spans[path], first, last)

    def _spans_of(self, path: str) -> Spans:
        """Embedded blocks where they stand now, and the head of the note."""
        spans: list[tuple[int, int]] = []
        for item in self._items.get(path, ()):
            first, last, is_stale = self._vault.files.whereabouts(item, self._index.records[path])
            if is_stale:
                continue
            if item.is_note:
                spans.append((1, note_lines(path, self._vault.files.text(path))))
            elif first:
                spans.append((first, last or first))
        return spans


def note_lines(path: str, text: str) -> int:
    """How many lines of a note lie within its own vector's window."""
    head = cut_units(text, NOTE_UNITS[0] - units(note_breadcrumb(path)) - 2)
    return head.count("\n") + (len(head) == len(text))


def is_covered(spans: Spans, first: int, last: int) -> bool:
    if last < first or not last:
        return bool(spans)
    inside = sum(any(start <= line <= end for start, end in spans) for line in range(first, last + 1))
    return 2 * inside > last - first + 1


def _own_rows(live: LiveIndex, query: Vector, covered: Covered, limit: int) -> list[tuple[float, str, dict[str, Any]]]:
    """Own passages that the plugin's vectors do not speak for, the best of each note."""
    with live.reading():
        ids = live.facets.passage_ids
        cosines = live.vectors.cosines(query, ids)
    known = np.flatnonzero(~np.isnan(cosines))
    standing = _standing(cosines[known])
    rows: dict[str, tuple[float, str, dict[str, Any]]] = {}
    order = np.argsort(-standing, kind="stable")
    for start in range(0, len(order), 64):
        part = order[start : start + 64]
        stands = {int(ids[known[n]]): (float(standing[n]), float(cosines[known[n]])) for n in part}
        for row in live.store.passages(list(stands)):
            anchor = row.passage.anchor
            if anchor.note in rows or covered.holds(anchor.note, anchor.first_line, anchor.last_line):
                continue
            told = {
                "path": str(anchor.note),
                "origin": "lamplight",
                "score": round(stands[row.id][1], 4),
                "section": " > ".join(anchor.headings),
                "lines": [anchor.first_line, anchor.last_line],
                "excerpt": row.passage.text[:EXCERPT],
            }
            rows[anchor.note] = (stands[row.id][0], str(anchor.note), told)
        if len(rows) >= limit:
            break
    return list(rows.values())
