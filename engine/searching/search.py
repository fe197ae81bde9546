"""The search journey, top to bottom: parse, filter, rank by word and by meaning, fuse, load the hits."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.inference.base import Embedder
from engine.job import Job
from engine.model import (
    NOTHING_ASKED,
    HiddenByFilter,
    LegHealth,
    LegState,
    Mode,
    NoteKey,
    SearchAge,
    SearchRequest,
    SearchResult,
)
from engine.ranking.calibration import is_nothing_relevant
from engine.ranking.fusion import Fused, Ranking, rrf
from engine.ranking.words import Mask, Statistics
from engine.searching import filters, fuse, hits, legs
from engine.searching.like import Likened, leaning, liken
from engine.searching.query import Query, parse
from engine.searching.related import check_limit, mask_of_notes
from engine.searching.scopes import scoped
from engine.store.live import LiveIndex

EmbedderOf = Callable[[str], Embedder]
"""The embedder of a model id; may raise ``ModelUnavailable``."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query as the legs take it."""

    asked: legs.Asked
    vectors: fuse.Vectors
    """By model: the corrected question, drawn towards the notes of ``like:``."""
    languages: Mapping[str, frozenset[str]]
    """By model; empty: any."""
    likened: Likened
    trouble: str
    """Why there is no vector."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What the ranking part of a search leaves for the part that loads text."""

    fused: Fused
    statistics: Statistics
    best_cosine: Mapping[str, float]
    health: tuple[LegHealth, ...]
    hidden: HiddenByFilter | None
    total: int
    beneath: tuple[str, ...] = ()
    """Says so when all that was found scores less than what was asked for."""


def search(
    request: SearchRequest,
    indexes: Sequence[LiveIndex],
    embedder_of: EmbedderOf,
    job: Job | None = None,
) -> SearchResult:
    """Answer one request over the given indexes. Never raises for what the person typed: it becomes a notice.

    Raises ``BadRequest`` for a limit below 1.
    """
    started = time.monotonic()
    check_limit(request.limit)
    query = parse(request.text)
    chosen, notices = choose_sources(query, indexes)
    if not (query.words or query.condition or query.like or query.sources or query.without or query.sort):
        return SearchResult((), _idle(NOTHING_ASKED), (*query.notices, *notices), ages=_ages(chosen))
    question = question_of(query, request, chosen, embedder_of)
    notices = [*query.notices, *notices, *question.likened.notices]
    if query.like and not (query.words or question.vectors):
        return SearchResult((), _idle("there is no such note"), tuple(notices), ages=_ages(chosen))
    if job is not None:
        job.check()
    with reading(chosen):
        masks = masks_of(query, chosen, question.likened.notes)
        ranked = _rank(query, request, chosen, masks, question)
    language = question.asked.language
    knowing = [model for model, known in question.languages.items() if fuse.knows(known, language)]
    rows = hits.load(ranked.fused, question.asked, ranked.statistics, chosen, request, query, knowing)
    return SearchResult(
        rows=rows,
        legs=ranked.health,
        notices=(*notices, *_language_notices(language, question.languages), *ranked.beneath),
        corrected=question.asked.corrected,
        hidden=ranked.hidden,
        ages=_ages(chosen),
        total=ranked.total,
        seconds=time.monotonic() - started,
        nothing_relevant=bool(query.words) and request.fusion != "rrf" and _is_by_chance(ranked, knowing),
    )


def _is_by_chance(ranked: Ranked, knowing: Collection[str]) -> bool:
    """Whether even the best hit seems to have nothing to do with the question. ``knowing`` models know its language."""
    if not len(ranked.fused.ids):
        return False
    is_known = all(model in knowing for model in ranked.best_cosine)
    return is_nothing_relevant(float(ranked.fused.scores[0]), ranked.best_cosine, is_known)


def _real_words(indexes: Sequence[LiveIndex], embedder_of: EmbedderOf) -> Callable[[str], bool]:
    """Whether a word is in the vocabulary that the embedding model was trained with: one token, not pieces."""

    def is_real(word: str) -> bool:
        try:
            return any(len(embedder_of(i.model_id).token_spans([word])[0]) == 1 for i in indexes[:1])
        except EngineError:
            return False

    return is_real


def _language_notices(language: str, models: Mapping[str, frozenset[str]]) -> list[str]:
    """That the meaning leg does not know the question's language, so that the words carry the answer."""
    if not language or not models or any(not known or language in known for known in models.values()):
        return []
    return [f"The embedding model does not know this language ({language}); words count for more here."]


def choose_sources(query: Query, indexes: Sequence[LiveIndex]) -> tuple[list[LiveIndex], list[str]]:
    """The indexes that ``source:`` names (all when it names none) less those of ``-source:``, and a notice for each
    unknown name.

    They come in the order of their ids, so that the order in which sources were given never decides between equals.
    """
    indexes = sorted(indexes, key=lambda index: index.source.id)
    wanted = {name.casefold() for name in query.sources}
    unwanted = {name.casefold() for name in query.without}
    chosen = [i for i in indexes if (not wanted or _names_of(i) & wanted) and not _names_of(i) & unwanted]
    known = {name for index in indexes for name in _names_of(index)}
    names = ", ".join(index.source.name for index in indexes) or "none yet"
    unknown = [name for name in (*query.sources, *query.without) if name.casefold() not in known]
    return chosen, [f"There is no source '{name}'; there are: {names}." for name in unknown]


def _names_of(index: LiveIndex) -> set[str]:
    return {index.source.name.casefold(), index.source.id.casefold()}


def question_of(
    query: Query, request: SearchRequest, indexes: Sequence[LiveIndex], embedder_of: EmbedderOf
) -> Question:
    """Correct the words, embed them and look up the notes of ``like:``."""
    is_open = request.typing and query.ends_open
    is_embedded = bool(query.words) and not request.typing and (query.mode or request.mode) is not Mode.WORD
    if is_embedded:
        for index in indexes:
            index.load()
    with reading(indexes):
        asked = legs.ask_words(query.words, indexes, typing=is_open, is_real=_real_words(indexes, embedder_of))
    vectors, trouble = _embedded(asked.text, indexes, embedder_of) if is_embedded else ({}, "")
    likened = liken(query.like, indexes)
    vectors = leaning(vectors, likened.vectors)
    languages = {model: embedder_of(model).languages for model in vectors}
    return Question(asked, vectors, languages, likened, trouble)


def _embedded(
    text: str, indexes: Sequence[LiveIndex], embedder_of: EmbedderOf
) -> tuple[dict[str, NDArray[np.float32]], str]:
    """The question's vector for each model in use, and why there is none."""
    vectors: dict[str, NDArray[np.float32]] = {}
    trouble = ""
    for model_id in sorted({index.model_id for index in indexes}):
        try:
            vectors[model_id] = embedder_of(model_id).embed_query(text)
        except EngineError as error:
            trouble = str(error)
    return vectors, trouble


def _rank(
    query: Query,
    request: SearchRequest,
    indexes: Sequence[LiveIndex],
    masks: Sequence[Mask | None],
    question: Question,
) -> Ranked:
    mode = query.mode or request.mode
    pool = legs.pool_of(request.limit + request.offset)
    asked, vectors, languages = question.asked, question.vectors, question.languages
    if not query.words and not vectors:
        everything = _everything(indexes, masks, None if query.sort else legs.POOL * 5)
        found = fuse.Answer((everything,), rrf([everything]), legs.no_statistics())
    else:
        arrays = [scoped(index, request.scope) for index in indexes]
        found = fuse.answer(asked, vectors, arrays, masks, mode, pool, method=request.fusion, model_languages=languages)
    fused = found.fused if request.min_score is None else _at_least(found.fused, request.min_score)
    hidden = None
    if query.condition is not None:
        hidden = _hidden(fused, asked, vectors, indexes, masks, mode, languages, request.fusion)
    return Ranked(
        fused=fused,
        statistics=found.statistics,
        best_cosine=found.best_cosine,
        health=_health(mode, request, found.rankings, question.trouble, indexes),
        hidden=hidden,
        total=len(fused.ids),
        beneath=_beneath(found.fused, fused, request.min_score),
    )


@contextmanager
def reading(indexes: Sequence[LiveIndex]) -> Iterator[None]:
    """The arrays of all of them stay as they are until the end."""
    with ExitStack() as held:
        for index in indexes:
            held.enter_context(index.reading())
        yield


def masks_of(
    query: Query, indexes: Sequence[LiveIndex], without: Collection[tuple[int, NoteKey]] = ()
) -> list[Mask | None]:
    """For each index the passages that meet the conditions, less those of the notes in ``without`` (index position,
    key); None where every passage may be found."""
    return [_mask(query, index, {key for at, key in without if at == n}) for n, index in enumerate(indexes)]


def _mask(query: Query, index: LiveIndex, without: Collection[NoteKey]) -> Mask | None:
    mask = filters.allowed(query.condition, index) if query.condition else None
    if not without:
        return mask
    facets = index.facets
    others = mask_of_notes(facets, np.array([note.key not in without for note in facets.notes], np.bool_))
    return others if mask is None else mask & others


def ranked_everywhere(
    query: Query, request: SearchRequest, indexes: Sequence[LiveIndex], question: Question
) -> fuse.Answer:
    """Each leg's whole ranking and the fused one, for asking where something stands that no page shows."""
    size = sum(len(index.words) for index in indexes)
    return fuse.answer(
        question.asked,
        question.vectors,
        indexes,
        masks_of(query, indexes, question.likened.notes),
        query.mode or request.mode,
        size,
        method=request.fusion,
        model_languages=question.languages,
    )


def _everything(indexes: Sequence[LiveIndex], masks: Sequence[Mask | None], limit: int | None) -> Ranking:
    """The passages that meet the conditions of a query without words, newest first."""
    numbers: list[NDArray[np.int64]] = []
    moments: list[NDArray[np.float64]] = []
    for position, (index, mask) in enumerate(zip(indexes, masks, strict=True)):
        facets = index.facets
        kept = mask[facets.passage_ids] if mask is not None else np.ones(len(facets.passage_ids), np.bool_)
        numbers.append(legs.number(position, facets.passage_ids[kept]))
        moments.append(np.nan_to_num(facets.modified[kept], nan=0.0))
    all_numbers = np.concatenate([np.zeros(0, np.int64), *numbers])
    newest = np.concatenate([np.zeros(0), *moments])
    order = np.lexsort((all_numbers, -newest))[:limit]
    return Ranking("filter", all_numbers[order], newest[order].astype(np.float32))


def _beneath(found: Fused, kept: Fused, least: float | None) -> tuple[str, ...]:
    if len(kept.ids) or not len(found.ids):
        return ()
    passages = "The one passage" if len(found.ids) == 1 else f"All {len(found.ids):,} passages"
    scores = "scores" if len(found.ids) == 1 else "score"
    return (f"{passages} found {scores} less than {least:g}; the best has {found.scores.max():.4f}.",)


def _at_least(fused: Fused, score: float) -> Fused:
    kept = fused.scores >= score
    return dataclasses.replace(
        fused,
        ids=fused.ids[kept],
        scores=fused.scores[kept],
        ranks=fused.ranks[kept],
        leg_scores=fused.leg_scores[kept],
        shares=fused.shares[kept],
    )


def _hidden(
    shown: Fused,
    asked: legs.Asked,
    vectors: fuse.Vectors,
    indexes: Sequence[LiveIndex],
    masks: Sequence[Mask | None],
    mode: Mode,
    languages: Mapping[str, frozenset[str]],
    method: str,
) -> HiddenByFilter:
    """What the filter kept out: how many passages, and the best of them by the same ranking."""
    outside = [~mask for mask in masks if mask is not None]
    count = sum(len(i.facets.passage_ids) - int(m.sum()) for i, m in zip(indexes, masks, strict=True) if m is not None)
    if not asked.groups and not vectors:
        return HiddenByFilter(count)
    best = fuse.answer(asked, vectors, indexes, outside, mode, 10, method=method, model_languages=languages).fused
    if not len(best.ids):
        return HiddenByFilter(count)
    positions, passages = legs.split(best.ids[:1])
    row = indexes[int(positions[0])].store.passages([int(passages[0])])
    return HiddenByFilter(
        passages=count,
        best_title=row[0].note.title if row else "",
        best_score=float(best.scores[0]),
        better_outside=_is_better(best, shown, vectors, indexes),
    )


def _is_better(outside: Fused, shown: Fused, vectors: fuse.Vectors, indexes: Sequence[LiveIndex]) -> bool:
    """Whether the best hidden passage beats the best one shown in a leg that both have; ranks cannot be compared
    between two rankings, what one leg ranks by can."""
    if not len(shown.ids):
        return True
    for name in set(outside.names) & set(shown.names):
        theirs, ours = (fuse.ranked_by(name, fused, vectors, indexes) for fused in (outside, shown))
        if theirs[0] > np.nanmax(ours, initial=-np.inf):
            return True
    return False


def _health(
    mode: Mode, request: SearchRequest, rankings: Sequence[Ranking], trouble: str, indexes: Sequence[LiveIndex]
) -> tuple[LegHealth, ...]:
    names = {ranking.name for ranking in rankings}
    word = LegHealth("word", LegState.USED if "word" in names else LegState.SKIPPED, "" if "word" in names else "mode")
    if "meaning" in names:
        waiting = [i.source.name for i in indexes if not len(i.vectors) and len(i.words)]
        why = f"not embedded yet: {', '.join(waiting)}" if waiting else ""
        return word, LegHealth("meaning", LegState.USED, why)
    if trouble:
        return word, LegHealth("meaning", LegState.FAILED, trouble)
    why = "mode" if mode is Mode.WORD else "still typing" if request.typing else "no words to embed"
    return word, LegHealth("meaning", LegState.SKIPPED, why)


def _idle(why: str) -> tuple[LegHealth, ...]:
    return LegHealth("word", LegState.SKIPPED, why), LegHealth("meaning", LegState.SKIPPED, why)


def _ages(indexes: Sequence[LiveIndex]) -> tuple[SearchAge, ...]:
    return tuple(SearchAge(i.source.id, i.source.name, i.indexed_at, i.behind_by) for i in indexes)
