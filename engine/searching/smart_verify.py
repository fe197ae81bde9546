"""Proof by sample that stored vectors are what their model makes: of the plugin's index and of Lamplight's own.

The inputs are rebuilt exactly as they were made, embedded again and compared. Cannot see vectors that stand in each
other's places when their texts are alike.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.inference.base import Embedder
from engine.job import Job
from engine.model import Verdict
from engine.searching.smart_questions import token_counter
from engine.sources.smart_groups import Item
from engine.sources.smart_index import SmartIndex, SmartVault
from engine.sources.smart_models import SmartModel
from engine.sources.smart_text import NOTE_UNITS, block_input, cut_to_tokens, lines_text, note_input
from engine.store.live import LiveIndex
from engine.text.embed_input import finish

Matrix = NDArray[np.float32]

PLUGIN_LEAST, OWN_LEAST = 0.95, 0.999
"""Cosines that the worst pair must exceed. Ours are made by the same program, the plugin's on other hardware."""
_DRAWING = ".excalidraw.md"
"""The plugin embeds only parts of drawings."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A stored vector and the text, or the few texts, that it may have been made of."""

    name: str
    stored: Matrix
    inputs: tuple[str, ...]


def verify_plugin(vault: SmartVault, embedder: Embedder, job: Job, *, sample: int = 12, seed: int = 0) -> Verdict:
    """Compare ``sample`` notes and as many blocks whose files are as they were. ``seed`` 0: another
    sample each time."""
    index = vault.index()
    order = list(range(len(index.group.items)))
    random.Random(seed or None).shuffle(order)
    notes = [row for row in order if index.group.items[row].is_note]
    blocks = [row for row in order if not index.group.items[row].is_note]
    cases = [case for rows in (notes, blocks) for case in _first(_plugin_cases(vault, index, embedder, rows), sample)]
    return _compare("plugin", index.group.model.key, PLUGIN_LEAST, cases, embedder, job)


def _first(cases: Iterator[_Case], count: int) -> list[_Case]:
    return [case for case, _ in zip(cases, range(count), strict=False)]


def _plugin_cases(vault: SmartVault, index: SmartIndex, embedder: Embedder, rows: Sequence[int]) -> Iterator[_Case]:
    for row in rows:
        item = index.group.items[row]
        if item.is_stale or item.path.endswith(_DRAWING):
            continue
        text = vault.files.embedded_text(index.records[item.path])
        if text is not None and (item.is_note or item.first):
            inputs = plugin_inputs(item, text, index.group.model, embedder)
            yield _Case(item.path + item.block, index.group.vectors[row], inputs)


def plugin_inputs(item: Item, text: str, model: SmartModel, embedder: Embedder) -> tuple[str, ...]:
    """What the plugin may have embedded for an item, without the model's prefix: the cap of notes has changed once."""
    if item.is_note:
        inputs = tuple(dict.fromkeys(note_input(item.path, text, limit) for limit in NOTE_UNITS))
    else:
        last = item.last or text.count("\n") + 1
        inputs = (block_input(item.path + item.block, lines_text(text.split("\n"), item.first, last)),)
    prefix = model.recipe.document_prefix if model.recipe else ""
    return tuple(cut_to_tokens(each, prefix, model.max_tokens, token_counter(embedder)) for each in inputs)


def verify_own(live: LiveIndex, embedder: Embedder, job: Job, *, sample: int = 24, seed: int = 0) -> Verdict:
    """Compare ``sample`` passages of Lamplight's own index. Renamed notes, which keep their vectors, are left out."""
    with live.reading():
        ids = live.facets.passage_ids
        stored = live.vectors.vectors(ids)
    order = [int(n) for n in np.flatnonzero(stored.any(axis=1))]
    random.Random(seed or None).shuffle(order)
    cases: list[_Case] = []
    for start in range(0, len(order), sample):
        part = order[start : start + sample]
        found = {row.id: row for row in live.store.passages([int(ids[n]) for n in part])}
        for n in part:
            row = found.get(int(ids[n]))
            if row is None or len(cases) >= sample:
                continue
            passage = finish(row.passage)
            if passage.hash == row.vector_hash:
                cases.append(_Case(f"{row.note.key}:{passage.ordinal}", stored[n], (passage.embed_input,)))
        if len(cases) >= sample:
            break
    return _compare("own", live.model_id, OWN_LEAST, cases, embedder, job)


def _compare(index: str, model: str, least: float, cases: Sequence[_Case], embedder: Embedder, job: Job) -> Verdict:
    worst, worst_of, total, norm_error = 1.0, "", 0.0, 0.0
    for done, case in enumerate(cases):
        job.check()
        job.report("verify", done, len(cases))
        norm = float(np.linalg.norm(case.stored))
        made = embedder.embed_documents(case.inputs)
        cosine = float((made @ case.stored).max()) / (norm or 1.0)
        total += cosine
        norm_error = max(norm_error, abs(norm - 1))
        if not worst_of or cosine < worst:
            worst, worst_of = cosine, case.name
    mean = total / len(cases) if cases else 1.0
    return Verdict(index, model, least, len(cases), worst, worst_of, mean, norm_error)
