"""Mixed search: Lamplight's own passages speak where the plugin has embedded nothing. One ranking, both kinds marked.

Cosines of two models are never compared as they are: each counts by how far it stands out among its own model's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadRequest
from engine.inference.base import Embedder
from engine.searching.smart_search import EXCERPT, EmbedQuery, excerpt, section_of
from engine.sources.smart_groups import Item
from engine.sources.smart_index import SmartIndex, SmartVault
from engine.store.live import LiveIndex

Vector = NDArray[np.float32]
Spans = Mapping[str, Sequence[tuple[int, int]]]
"""Lines that the plugin has embedded, 1-based and inclusive, by path."""


def search_mixed(
    vault: SmartVault, live: LiveIndex, embed_query: EmbedQuery, own: Embedder, query: str, *, limit: int = 10
) -> dict[str, Any]:
    """The notes nearest to a question, one row each; ``origin`` is ``plugin`` or ``lamplight``.

    ``score`` is the cosine by the row's own model; rows are ordered by ``standing``: standard deviations above the
    mean cosine of that model. With one and the same model on both sides the two orders agree.
    """
    if not query.strip():
        raise BadRequest("query takes a text.")
    index = vault.index()
    theirs = index.group.vectors @ embed_query(index.group.model, query)
    standing = _standing(theirs)
    rows = [
        (float(standing[n]), item.path, _plugin_row(vault, index, n, float(theirs[n])))
        for n, item in _best_items(index, theirs, limit)
    ]
    rows += _own_rows(live, own.embed_query(query), covered_lines(vault, index), limit)
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


def covered_lines(vault: SmartVault, index: SmartIndex) -> Spans:
    """What the plugin's vectors speak for: embedded blocks where they stand now, and the head of each note."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for item in index.group.items:
        if item.is_note:
            spans.setdefault(item.path, [])
            continue
        first, last, is_stale = vault.files.whereabouts(item, index.records[item.path])
        if first and not is_stale:
            spans.setdefault(item.path, []).append((first, last or first))
    return spans


def _own_rows(live: LiveIndex, query: Vector, covered: Spans, limit: int) -> list[tuple[float, str, dict[str, Any]]]:
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
            if anchor.note in rows or is_covered(covered, anchor.note, anchor.first_line, anchor.last_line):
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


def is_covered(covered: Spans, path: str, first: int, last: int) -> bool:
    """Whether most of the lines lie inside what the plugin has embedded."""
    spans = covered.get(path)
    if spans is None or last < first:
        return spans is not None
    inside = sum(any(start <= line <= end for start, end in spans) for line in range(first, last + 1))
    return 2 * inside > last - first + 1
