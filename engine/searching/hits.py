"""From ranked numbers to hits that carry all a result row shows, grouped by note."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from engine.model import Explanation, Hit, Leg, NoteHits, NoteKey, SearchRequest, Strength
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
    wanted = _enough(fused, request, query)
    rows: dict[int, PassageRow] = {}
    for position in np.unique(positions[:wanted]):
        here = np.flatnonzero(positions[:wanted] == position)
        found = indexes[int(position)].store.passages(passages[here].tolist())
        by_id = {row.id: row for row in found}
        rows |= {int(at): by_id[int(passages[at])] for at in here if int(passages[at]) in by_id}
    grouped: dict[tuple[int, NoteKey], list[int]] = {}
    for at in range(wanted):
        if at in rows:
            grouped.setdefault((int(positions[at]), rows[at].note.key), []).append(at)
    ordered = _sorted(list(grouped.values()), rows, query.sort)
    page = ordered[request.offset : request.offset + request.limit]

    def hit(at: int) -> Hit:
        index = indexes[int(positions[at])]
        found = strength(
            float(fused.scores[at]), _cosine(at, fused), index.model_id if index.model_id in models else ""
        )
        return _hit(at, fused, rows[at], index, asked, statistics, request, found)

    return tuple(_note_hits([hit(at) for at in group[:PASSAGES_PER_NOTE]]) for group in page)


def _enough(fused: Fused, request: SearchRequest, query: Query) -> int:
    """How many passages to load: all when they are to be sorted otherwise, else a few for each row of the page."""
    if query.sort and query.sort != "relevance":
        return len(fused.ids)
    return min(len(fused.ids), PASSAGES_PER_NOTE * (request.limit + request.offset))


def _sorted(groups: list[list[int]], rows: dict[int, PassageRow], sort: str) -> list[list[int]]:
    key = sort.lstrip("-+")
    if key in ("", "relevance"):
        return groups
    if key == "title":
        return sorted(groups, key=lambda group: rows[group[0]].note.title.casefold(), reverse=sort.startswith("-"))
    newest_first = not sort.startswith("-")
    return sorted(groups, key=lambda group: _moment(rows[group[0]].note, key), reverse=newest_first)


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
        freshness=freshness(index, note),
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
    """Of the model that has a vector of the passage; 0 where none was asked."""
    columns = [column for column, name in enumerate(fused.names) if name == "meaning"]
    return float(np.nanmax(fused.leg_scores[at, columns], initial=0.0))


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
