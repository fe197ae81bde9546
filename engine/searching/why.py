"""Why a note is not found: is it known, was it indexed, what left it out, and where each leg puts it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.model import Freshness, LegPlace, SearchRequest, WhyNot
from engine.ranking.fusion import Fused, Ranking
from engine.searching import filters, legs
from engine.searching.lookup import find_note
from engine.searching.query import parse
from engine.searching.search import EmbedderOf, question_of, ranked_everywhere, reading
from engine.searching.views import freshness
from engine.store.live import LiveIndex
from engine.text.words import fold


def why_not(named: str, text: str, indexes: Sequence[LiveIndex], embedder_of: EmbedderOf) -> WhyNot:
    """Look for the note (title, alias, path or uid) and follow it through the search for ``text``."""
    found = find_note(named, indexes)
    if found is None:
        return _unknown(named, indexes)
    position, note = found
    live = indexes[position]
    rows = live.store.note_passages(note.key)
    ids = np.array([row.id for row in rows], np.int32)
    reasons = [f"{p.reason} ({p.code})" for p in live.store.problems() if p.note in (note.key, note.title)]
    reasons += [f"{count:,} characters of it were trimmed as {kind}." for kind, count in note.trimmed.items()]
    reasons += [f"{count:,} of its blocks were left out: {why}." for why, count in note.omitted.items()]
    query = parse(text)
    hidden = 0
    if query.condition is not None and len(ids):
        mask = filters.allowed(query.condition, live)
        hidden = int((~mask[ids]).sum())
        if hidden:
            reasons.append(f"{hidden:,} of its {len(ids):,} passages do not meet the conditions of the query.")
    with_vector = int((np.abs(live.vectors.vectors(ids)).sum(axis=1) > 0).sum()) if len(ids) else 0
    if with_vector < len(ids):
        reasons.append(f"{len(ids) - with_vector:,} of its passages are not embedded yet, so only words can find them.")
    state = freshness(live, note)
    if state is Freshness.CHANGED:
        reasons.append("The file has changed since it was indexed.")
    if state is Freshness.GONE:
        reasons.append("The file is gone; the index still holds its old text.")
    places, rank = _places(position, ids, text, indexes, embedder_of)
    return WhyNot(
        note=note.title,
        source_name=live.source.name,
        is_known=True,
        state=note.state.value,
        indexed_at=note.indexed_at,
        freshness=state,
        passages=len(ids),
        vectors=with_vector,
        reasons=tuple(reasons),
        places=places,
        rank=rank,
    )


def _unknown(named: str, indexes: Sequence[LiveIndex]) -> WhyNot:
    titles = {note.title for index in indexes for note in index.facets.notes}
    skipped = [
        f"{problem.note}: {problem.reason}"
        for index in indexes
        for problem in index.store.problems()
        if fold(named) in fold(problem.note)
    ]
    reasons = tuple(skipped) or ("No source has a note of this name; it may be new, or lie outside the sources.",)
    return WhyNot(note=named, reasons=reasons, near=tuple(difflib.get_close_matches(named, titles, n=3, cutoff=0.6)))


def _places(
    position: int, ids: NDArray[np.int32], text: str, indexes: Sequence[LiveIndex], embedder_of: EmbedderOf
) -> tuple[tuple[LegPlace, ...], int]:
    """Where each leg puts the passage that the result shows for the note (else the note's best one), and the note's
    rank in the fused result, over everything that each leg ranks."""
    query = parse(text)
    request = SearchRequest(text)
    question = question_of(query, request, indexes, embedder_of)
    with reading(indexes):
        found = ranked_everywhere(query, request, indexes, question)
    mine = set(legs.number(position, ids).tolist())
    shown = next((n for n in found.fused.ids.tolist() if n in mine), None)
    places = tuple(_place(ranking, mine, shown, indexes) for ranking in found.rankings)
    return places, _rank_of(found.fused, mine, indexes)


def _place(ranking: Ranking, mine: set[int], shown: int | None, indexes: Sequence[LiveIndex]) -> LegPlace:
    numbers = ranking.ids.tolist()
    at = numbers.index(shown) if shown in numbers else next((i for i, n in enumerate(numbers) if n in mine), None)
    best_title = next(iter(_titles(ranking.ids[:1], indexes)), "")
    best_score = float(ranking.scores[0]) if numbers else 0.0
    if at is None:
        return LegPlace(ranking.name, best_title=best_title, best_score=best_score)
    return LegPlace(ranking.name, at + 1, float(ranking.scores[at]), best_title, best_score)


def _rank_of(fused: Fused, mine: set[int], indexes: Sequence[LiveIndex]) -> int:
    at = next((i for i, n in enumerate(fused.ids.tolist()) if n in mine), None)
    return 0 if at is None else _note_rank(fused.ids[: at + 1], indexes)


def _note_rank(numbers: NDArray[np.int64], indexes: Sequence[LiveIndex]) -> int:
    """How many different notes these passages belong to."""
    positions, passages = legs.split(numbers)
    notes = set()
    for position in np.unique(positions):
        facets = indexes[int(position)].facets
        rows = np.searchsorted(facets.passage_ids, passages[positions == position])
        notes |= {(int(position), int(n)) for n in facets.note[rows]}
    return len(notes)


def _titles(numbers: NDArray[np.int64], indexes: Sequence[LiveIndex]) -> list[str]:
    positions, passages = legs.split(numbers)
    return [
        row.note.title
        for position, passage in zip(positions, passages, strict=True)
        for row in indexes[int(position)].store.passages([int(passage)])
    ]
