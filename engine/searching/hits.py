"""From ranked numbers to hits that carry all a result row shows, grouped by note."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.model import Explanation, Freshness, Hit, Leg, NoteHits, SearchRequest, Strength
from engine.ranking.calibration import strength
from engine.ranking.fusion import RRF_K, Fused
from engine.ranking.words import FIELDS, Statistics
from engine.searching import legs
from engine.searching.query import Query
from engine.searching.views import freshness
from engine.store.index import NoteRow, PassageRow
from engine.store.live import LiveIndex
from engine.text.snippets import best_snippet

PASSAGES_PER_NOTE = 5
"""Passages shown beneath one note."""

_FUSIONS = ("scores joined by how far each leg can be trusted", f"reciprocal rank fusion, k = {RRF_K}")


def load(
    fused: Fused,
    asked: legs.Asked,
    statistics: Statistics,
    indexes: Sequence[LiveIndex],
    request: SearchRequest,
    query: Query,
    models: Collection[str] = (),
) -> tuple[NoteHits, ...]:
    """The asked page of note rows, best first (or as ``sort:`` says), each with its best passages.

    ``models`` know the language of the question, so that their cosines say how strong a hit is.
    """
    positions, passages = legs.split(fused.ids)
    if query.sort in ("", "relevance"):
        groups = list(_grouped(positions, passages, indexes, request.offset + request.limit).values())
    else:
        groups = _sorted(_grouped(positions, passages, indexes, len(passages)), indexes, query.sort)
    page = [_shown(group, request) for group in groups[request.offset : request.offset + request.limit]]
    rows = _rows([at for group in page for at in group], positions, passages, indexes)
    page = [kept for group in page if (kept := [at for at in group if at in rows])]

    def hit(at: int, state: Freshness) -> Hit:
        index = indexes[int(positions[at])]
        found = strength(
            float(fused.scores[at]), _cosine(at, fused), index.model_id if index.model_id in models else ""
        )
        return _hit(at, fused, rows[at], index, asked, statistics, request, found, state)

    states = [freshness(indexes[int(positions[group[0]])], rows[group[0]].note) for group in page]
    return tuple(_note_hits([hit(at, state) for at in group]) for group, state in zip(page, states, strict=True))


def _grouped(
    positions: NDArray[np.int64], passages: NDArray[np.int32], indexes: Sequence[LiveIndex], wanted: int
) -> dict[tuple[int, int], list[int]]:
    """(position of the source, id of the note) -> its places in the ranking; the note of the best passage first.

    Of ``wanted`` notes at least, if there are so many, with every place that ``_shown`` looks at.
    """
    notes = np.full(len(passages), -1, np.int64)
    for position, index in enumerate(indexes):
        note_of = index.note_of
        known = (positions == position) & (passages < len(note_of))
        notes[known] = note_of[passages[known]]
    grouped: dict[tuple[int, int], list[int]] = {}
    for at, key in enumerate(zip(positions.tolist(), notes.tolist(), strict=True)):
        if len(grouped) >= wanted and at >= PASSAGES_PER_NOTE * wanted:
            break
        if key[1] >= 0:
            grouped.setdefault(key, []).append(at)
    return grouped


def _shown(group: list[int], request: SearchRequest) -> list[int]:
    """The note's best passage, and beneath it others that rank among the best of all."""
    last = PASSAGES_PER_NOTE * (request.limit + request.offset)
    return [at for at in group[:PASSAGES_PER_NOTE] if at == group[0] or at < last]


def _rows(
    places: Sequence[int], positions: NDArray[np.int64], passages: NDArray[np.int32], indexes: Sequence[LiveIndex]
) -> dict[int, PassageRow]:
    """The passages at these places of the ranking, read from the index; those that are gone by now are left out."""
    rows: dict[int, PassageRow] = {}
    for position in np.unique(positions[places]) if places else ():
        here = [at for at in places if positions[at] == position]
        by_id = {row.id: row for row in indexes[int(position)].store.passages([int(passages[at]) for at in here])}
        rows |= {at: by_id[int(passages[at])] for at in here if int(passages[at]) in by_id}
    return rows


def _sorted(grouped: dict[tuple[int, int], list[int]], indexes: Sequence[LiveIndex], sort: str) -> list[list[int]]:
    notes = {(at, note.id): note for at, index in enumerate(indexes) for note in index.facets.notes}
    found = [key for key in grouped if key in notes]
    key = sort.lstrip("-+")
    if key == "title":
        found.sort(key=lambda one: notes[one].title.casefold(), reverse=sort.startswith("-"))
    else:
        found.sort(key=lambda one: _moment(notes[one], key), reverse=not sort.startswith("-"))
    return [grouped[one] for one in found]


def _moment(note: NoteRow, key: str) -> float:
    return (note.created if key == "created" else note.modified) or 0.0


def _note_hits(found: list[Hit]) -> NoteHits:
    best = found[0]
    return NoteHits(best.source, best.anchor.note, best.title, best.score, tuple(found))


def _hit(
    at: int,
    fused: Fused,
    row: PassageRow,
    index: LiveIndex,
    asked: legs.Asked,
    statistics: Statistics,
    request: SearchRequest,
    found: Strength,
    state: Freshness,
) -> Hit:
    passage, note = row.passage, row.note
    snippet = best_snippet(passage.text or passage.context, asked.words, note.language)
    return Hit(
        source=index.source.id,
        source_name=index.source.name,
        source_kind=index.source.kind,
        passage_id=row.id,
        kind=passage.kind,
        anchor=passage.anchor,
        title=note.title,
        breadcrumb=passage.breadcrumb,
        text=passage.text,
        snippet=snippet.text,
        spans=snippet.spans,
        score=float(fused.scores[at]),
        legs=_legs(at, fused),
        strength=found,
        freshness=state,
        created=passage.created if passage.created is not None else note.created,
        modified=passage.modified if passage.modified is not None else note.modified,
        tags=passage.tags,
        is_daily=note.is_daily,
        explanation=_explanation(row.id, index, asked, statistics, request.fusion) if request.explain else None,
    )


def _legs(at: int, fused: Fused) -> tuple[Leg, ...]:
    return tuple(
        Leg(name, int(fused.ranks[at, c]), float(fused.leg_scores[at, c]), float(fused.shares[at, c]))
        for c, name in enumerate(fused.names)
        if fused.ranks[at, c]
    )


def _cosine(at: int, fused: Fused) -> float:
    """Of the model that has a vector of the passage; 0 where none was asked, and for what points away."""
    # Plain floats: numpy's nanmax costs more than all else that a hit needs.
    cosines = [float(fused.leg_scores[at, column]) for column, name in enumerate(fused.names) if name == "meaning"]
    return max([0.0, *(one for one in cosines if not math.isnan(one))])


def _explanation(passage: int, index: LiveIndex, asked: legs.Asked, statistics: Statistics, fusion: str) -> Explanation:
    with index.reading():
        scores = index.words.scores(asked.groups, np.array([passage], np.int32), statistics)[0]
        parts = [index.words.fields_of(group, passage) for group in asked.groups]
    matched = tuple(
        (word.word, field, float(score * part))
        for word, score, split in zip(asked.words, scores, parts, strict=True)
        for field, part in zip(FIELDS, split, strict=True)
        if part > 0
    )
    missing = tuple(word.word for word, score in zip(asked.words, scores, strict=True) if score <= 0)
    return Explanation(matched, missing, _FUSIONS[fusion == "rrf"])
