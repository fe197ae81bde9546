"""Measuring what the vectors of an index are worth: coverage, finding text deep in long notes, and speed.

Works on the plugin's index and on Lamplight's own alike: both are a ranking of notes and passages.
"""

from __future__ import annotations

import statistics
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError, ModelUnavailable
from engine.inference.base import Embedder
from engine.job import Job
from engine.searching.smart_coverage import files_on_disk
from engine.searching.smart_questions import embed_question
from engine.searching.smart_search import index_status, related_notes, search_notes
from engine.sources.smart_index import SmartIndex, SmartVault
from engine.sources.smart_models import SmartModel
from engine.sources.smart_text import NOTE_UNITS, block_breadcrumb, cut_units, note_breadcrumb, units
from engine.store.live import LiveIndex

Vector = NDArray[np.float32]

DEEP_FROM = 2 * NOTE_UNITS[0]
"""Characters of a note from which its depth lies outside the note's own vector."""
SAMPLES = 30
_QUERY = 300
_WHERE = 0.8
_RANKS = 500


@dataclass(frozen=True, slots=True)
class Ranks:
    """Where one question finds its note, 1-based; 0 when not among the first 500."""

    notes: int
    passages: int
    auto: int


def measure_plugin(root: Path, embedder_for: Callable[[SmartModel], Embedder], job: Job) -> dict[str, Any]:
    """JSON-compatible: index, coverage, deep_text (or why there is none) and seconds."""
    started = time.perf_counter()
    vault = SmartVault(root)
    index = vault.index()
    seconds = {"cold_load": time.perf_counter() - started}
    texts = _texts(vault, job)
    told: dict[str, Any] = {
        "index": "plugin",
        "model": index.group.model.key,
        "notes": sum(item.is_note for item in index.group.items),
        "blocks": sum(not item.is_note for item in index.group.items),
        "coverage": plugin_coverage(vault, index, texts),
    }
    seconds["warm_load"] = _timed(vault.index)
    seconds["status"] = _timed(lambda: index_status(vault, embedder_for))
    if path := next((item.path for item in index.group.items if item.is_note), ""):
        seconds["related_with_10_excerpts"] = _timed(lambda: related_notes(vault, path=path, limit=10))
    try:
        embedder = embedder_for(index.group.model)
    except ModelUnavailable as error:
        told["deep_text"] = {"why_not": str(error)}
    else:

        def embed(text: str) -> Vector:
            return embed_question(index.group.model, embedder, text)

        seconds["first_question"] = _timed(lambda: embed("warm up"))
        seconds["search"] = _timed(lambda: search_notes(vault, lambda model, text: embed(text), query="warm up"))
        told["deep_text"] = deep_text(texts, lambda path, text: _plugin_ranks(index, path, embed(text)), job)
    told["seconds"] = {name: round(value, 4) for name, value in seconds.items()}
    return told


def measure_own(live: LiveIndex, embedder: Embedder, job: Job) -> dict[str, Any]:
    """As ``measure_plugin``, of Lamplight's own index; a note's vector is the mean of its passages."""
    started = time.perf_counter()
    with live.reading():
        facets, ids = live.facets, live.facets.passage_ids
        vectors = live.vectors.vectors(ids)
    seconds = {"cold_load": time.perf_counter() - started}
    keys = [note.key for note in facets.notes]
    owners = [keys[int(n)] for n in facets.note]
    means = np.zeros((len(keys), vectors.shape[1]), np.float32)
    np.add.at(means, facets.note, vectors)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    texts = {str(k): "\n\n".join(row.passage.text for row in live.store.note_passages(k)) for k in keys}
    seconds["first_question"] = _timed(lambda: embedder.embed_query("warm up"))
    seconds["search"] = _timed(lambda: live.vectors.search(embedder.embed_query("warm up"), _RANKS))

    def ranks(path: str, text: str) -> Ranks:
        query = embedder.embed_query(text)
        return _ranks(path, keys, means @ query, owners, vectors @ query)

    has_vector = vectors.any(axis=1)
    return {
        "index": "own",
        "model": live.model_id,
        "notes": len(keys),
        "passages": len(ids),
        "coverage": {"passages": len(ids), "passages_with_vector": int(has_vector.sum())},
        "deep_text": deep_text(texts, ranks, job),
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
    }


def _texts(vault: SmartVault, job: Job) -> dict[str, str]:
    texts: dict[str, str] = {}
    for path in files_on_disk(vault.root):
        job.check()
        try:
            texts[path] = vault.files.text(path)
        except EngineError:
            # A file that went away meanwhile has nothing to be measured.
            continue
    return texts


def _timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


# --- coverage -----------------------------------------------------------------------------------------------------


def plugin_coverage(vault: SmartVault, index: SmartIndex, texts: Mapping[str, str]) -> dict[str, Any]:
    """Characters that lie inside the window of some vector: of notes alone, and of notes and blocks."""
    spans: dict[str, list[tuple[int, int, bool]]] = {}
    for item in index.group.items:
        path = unicodedata.normalize("NFC", item.path)
        text = texts.get(path)
        if text is None:
            continue
        first, last, is_stale = vault.files.whereabouts(item, index.records[item.path])
        if is_stale:
            continue
        if item.is_note:
            window = NOTE_UNITS[0] - units(note_breadcrumb(item.path)) - 2
            spans.setdefault(path, []).append((0, len(cut_units(text, window)), True))
            continue
        if first:
            start, end = _offsets(text, first, last or first)
            window = NOTE_UNITS[0] - units(block_breadcrumb(item.path + item.block)) - 1
            end = start + min(end - start, len(cut_units(text[start:end], window)))
            spans.setdefault(path, []).append((start, end, False))
    total = sum(map(len, texts.values()))
    by_notes = sum(_covered((s, e) for s, e, of_note in own if of_note) for own in spans.values())
    by_all = sum(_covered((s, e) for s, e, _ in own) for own in spans.values())
    return {
        "characters": total,
        "by_notes": round(by_notes / total, 4) if total else 1.0,
        "by_notes_and_blocks": round(by_all / total, 4) if total else 1.0,
        "notes_on_disk": len(texts),
        "notes_without_vector": sum(path not in spans for path in texts),
    }


def _offsets(text: str, first: int, last: int) -> tuple[int, int]:
    """Character offsets of lines, 1-based and inclusive."""
    start = 0
    for _ in range(first - 1):
        start = text.find("\n", start) + 1
    end = start
    for _ in range(last - first + 1):
        found = text.find("\n", end)
        end = found + 1 if found >= 0 else len(text)
    return start, end


def _covered(spans: Iterable[tuple[int, int]]) -> int:
    total, reached = 0, 0
    for start, end in sorted(spans):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


# --- text deep in long notes --------------------------------------------------------------------------------------


def deep_text(texts: Mapping[str, str], ranks_of: Callable[[str, str], Ranks], job: Job) -> dict[str, Any]:
    """How well the words at 80 % of long notes find their note again, and how often passages do harm."""
    long_ones = sorted(path for path, text in texts.items() if len(text) > DEEP_FROM)
    chosen = long_ones[:: max(1, len(long_ones) // SAMPLES)][:SAMPLES]
    found: list[Ranks] = []
    for done, path in enumerate(chosen):
        job.check()
        job.report("measure", done, len(chosen))
        start = int(len(texts[path]) * _WHERE)
        query = texts[path][start : start + _QUERY].strip()
        if query:
            found.append(ranks_of(path, query))
    return {
        "asked": len(found),
        "notes": _summary([ranks.notes for ranks in found]),
        "passages": _summary([ranks.passages for ranks in found]),
        "auto": _summary([ranks.auto for ranks in found]),
        "passages_hurt": sum((r.auto or _RANKS + 1) > (r.notes or _RANKS + 1) for r in found),
    }


def _summary(ranks: Sequence[int]) -> dict[str, Any]:
    placed = [rank or _RANKS + 1 for rank in ranks]
    return {"first": ranks.count(1), "median_rank": statistics.median(placed) if placed else None}


def _plugin_ranks(index: SmartIndex, path: str, query: Vector) -> Ranks:
    scores = index.group.vectors @ query
    items = index.group.items
    is_note = np.fromiter((item.is_note for item in items), np.bool_, len(items))
    paths = [unicodedata.normalize("NFC", item.path) for item in items]
    notes = [path for path, note in zip(paths, is_note, strict=True) if note]
    blocks = [path for path, note in zip(paths, is_note, strict=True) if not note]
    return _ranks(path, notes, scores[is_note], blocks, scores[~is_note])


def _ranks(path: str, notes: Sequence[str], of_notes: Vector, owners: Sequence[str], of_passages: Vector) -> Ranks:
    return Ranks(
        _rank(path, notes, of_notes),
        _rank(path, owners, of_passages),
        _rank(path, [*notes, *owners], np.concatenate([of_notes, of_passages])),
    )


def _rank(path: str, owners: Sequence[str], scores: Vector) -> int:
    """Rank of a note by its best score among all notes."""
    best: dict[str, float] = {}
    for owner, score in zip(owners, scores.tolist(), strict=True):
        best[owner] = max(score, best.get(owner, -2.0))
    if path not in best:
        return 0
    rank = 1 + sum(score > best[path] for score in best.values())
    return rank if rank <= _RANKS else 0
