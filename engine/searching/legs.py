"""The two rankings of a question over the open indexes, joined over sources by global statistics.

Passages of several sources are told apart by numbers that hold both: ``source position << 32 | passage id``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.ranking.fusion import Ranking
from engine.ranking.vocabulary import Vocabulary, prefix_word
from engine.ranking.words import Ids, Mask, Scores, Statistics, Word, WordIndex
from engine.text.language import question_language
from engine.text.words import QueryWord, query_words

POOL = 200
"""Passages that each leg brings to the fusion, at least; enough that a page of results rarely exhausts it."""
_PASSAGES_PER_ROW = 4

HUB_SHARE = 0.2
"""Part of a passage's nearness to the middle of all vectors that the meaning leg takes away.

Passages near the middle are near to every question (Suzuki, Hara, Shimbo, Saerens, Fukumizu 2013, "Centering Similarity
Measures to Reduce Hubs"). Over the seven sets of ``tests/bench/quality.py`` it is worth 0.002 of nDCG@10 by meaning and
nothing to the fusions; over their passages in one library 0.0025 (95 % interval 0.000 to 0.005). All from 0.15 to 0.3
is as good; 1, as in the paper, is worse here.
"""

Numbers = NDArray[np.int64]


class Vectors(Protocol):
    """What ranking needs of vectors (see ``VectorIndex``)."""

    def __len__(self) -> int: ...
    def search(self, query: Scores, limit: int, allowed: Mask | None = None) -> tuple[Ids, Scores]: ...
    def cosines(self, query: Scores, ids: Ids) -> Scores: ...
    def spread(self, query: Scores) -> tuple[float, float]: ...
    def middle(self) -> Scores: ...


class Arrays(Protocol):
    """What ranking needs of an index: arrays in memory, wherever they come from (see ``LiveIndex``)."""

    @property
    def model_id(self) -> str: ...
    @property
    def words(self) -> WordIndex: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def vocabulary(self) -> Vocabulary: ...
    @property
    def languages(self) -> tuple[str, ...]: ...
    @property
    def note_of(self) -> Ids: ...
    @property
    def notes_with_passages(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a question, ready for the word index. ``groups`` and ``words`` are aligned."""

    words: tuple[QueryWord, ...]
    """Those that rank, each once."""
    groups: tuple[Word, ...]
    language: str = ""
    """Of the question."""
    corrected: tuple[tuple[str, str], ...] = ()
    """(word that no note holds, the word searched instead)."""
    text: str = ""
    """The question with its corrections, for a model to embed."""


def pool_of(last_row: int) -> int:
    """Passages that each leg brings for an answer that ends with the note row ``last_row``.

    In few sizes: scores are parts of the best among them, so only pages that are taken from pools of one size follow
    one another without a row that comes twice or never.
    """
    pool = POOL
    while pool < _PASSAGES_PER_ROW * last_row:
        pool *= 4
    return pool


def number(position: int, passages: NDArray[np.int32]) -> Numbers:
    return passages.astype(np.int64) | (np.int64(position) << 32)


def split(numbers: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """(source positions, passage ids)."""
    return numbers >> 32, (numbers & 0xFFFFFFFF).astype(np.int32)


def ask_words(
    text: str, indexes: Sequence[Arrays], *, typing: bool, is_real: Callable[[str], bool] = lambda _: True
) -> Asked:
    """Cut the question as the notes were cut: stemmed by every language that they are written in.

    A word that no note holds and that is no word at all by ``is_real`` is replaced by the nearest one that some note
    holds, and that is said. A real word is left alone: the meaning leg may know what it means.
    """
    languages = languages_of(indexes)
    language = question_language(text, languages)
    found = [w for w in query_words(text, languages, language, typing=typing) if not w.is_stop]
    times = Counter(word.word for word in found)
    unique = {word.word: word for word in found}
    corrections = {word.word: nearest for word in unique.values() if (nearest := _correction(word, indexes, is_real))}
    words = [_corrected(word, corrections.get(word.word), languages, language) for word in unique.values()]
    groups = [_group(word, float(times[asked]), indexes) for asked, word in zip(unique, words, strict=True)]
    return Asked(
        tuple(words), tuple(groups), language, tuple(corrections.items()), _rewritten(text, found, corrections)
    )


def _rewritten(text: str, words: Sequence[QueryWord], corrections: Mapping[str, str]) -> str:
    end = len(text)
    for word in reversed(words):
        # The parts of a compound stand in the same place as the whole.
        if word.word in corrections and word.end <= end:
            text = text[: word.start] + corrections[word.word] + text[word.end :]
            end = word.start
    return text


def languages_of(indexes: Sequence[Arrays]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(language for index in indexes for language in index.languages))


def _correction(word: QueryWord, indexes: Sequence[Arrays], is_real: Callable[[str], bool]) -> str:
    """The word that a mistyped ``word`` was meant to be, or an empty string. Never for a word that some note holds."""
    if any(term in index.words for index in indexes for term in word.terms):
        return ""
    if word.is_prefix and any(index.vocabulary.starting_with(word.word) for index in indexes):
        return ""
    near = {c: d for index in indexes for c, d in index.vocabulary.nearest(word.word)}
    if not near or is_real(word.word):
        return ""
    held = {candidate: _passages_with(candidate, indexes) for candidate in near}
    ordered = sorted(near, key=lambda candidate: (near[candidate], -held[candidate], candidate))
    return next((candidate for candidate in ordered if held[candidate]), "")


def _passages_with(word: str, indexes: Sequence[Arrays]) -> int:
    return sum(len(index.words.passages_with(Word(index.vocabulary.terms(word)))) for index in indexes)


def _corrected(word: QueryWord, nearest: str | None, languages: Sequence[str], language: str) -> QueryWord:
    if nearest is None:
        return word
    return query_words(nearest, languages, language)[0]


def _group(word: QueryWord, times: float, indexes: Sequence[Arrays]) -> Word:
    """The terms that stand for a word; for an unfinished one, those of every word that begins like it."""
    if not word.is_prefix:
        return Word(word.terms, times)
    longer = prefix_word((index.vocabulary for index in indexes), word.word, word.terms)
    return Word(longer.terms, times)


def word_leg(
    asked: Asked, indexes: Sequence[Arrays], masks: Sequence[Mask | None], limit: int
) -> tuple[Ranking, Statistics]:
    """BM25F over all indexes as if they were one."""
    statistics = _sum([index.words.statistics(asked.groups) for index in indexes], len(asked.groups))
    found = [
        index.words.search(asked.groups, limit, statistics, mask) for index, mask in zip(indexes, masks, strict=True)
    ]
    return _joined("word", found, limit), statistics


def turned_from_hubs(query: NDArray[np.float32], model_id: str, indexes: Sequence[Arrays]) -> NDArray[np.float32]:
    """``query`` less a share of the middle of all vectors of its model: its products with vectors rank passages. They
    are no cosines."""
    sized = [(len(index.vectors), index.vectors) for index in indexes if index.model_id == model_id]
    total = sum(size for size, _ in sized)
    middle = sum(size / total * vectors.middle() for size, vectors in sized if size)
    turned: NDArray[np.float32] = (query - HUB_SHARE * middle).astype(np.float32)
    return turned


def meaning_leg(
    queries: Mapping[str, NDArray[np.float32]],
    indexes: Sequence[Arrays],
    masks: Sequence[Mask | None],
    limit: int,
) -> Ranking:
    """Product of vectors over all indexes. ``queries`` holds the question's for each model in use."""
    empty = (np.zeros(0, np.int32), np.zeros(0, np.float32))
    found = [
        index.vectors.search(queries[index.model_id], limit, mask) if index.model_id in queries else empty
        for index, mask in zip(indexes, masks, strict=True)
    ]
    return _joined("meaning", found, limit)


def _joined(name: str, found: Sequence[tuple[NDArray[np.int32], NDArray[np.float32]]], limit: int) -> Ranking:
    numbers = np.concatenate([np.zeros(0, np.int64), *(number(at, ids) for at, (ids, _) in enumerate(found))])
    scores = np.concatenate([np.zeros(0, np.float32), *(scores for _, scores in found)])
    order = np.lexsort((numbers, -scores))[:limit]
    return Ranking(name, numbers[order], scores[order])


def no_statistics() -> Statistics:
    """For a search without words."""
    return Statistics(0, ())


def _sum(statistics: Sequence[Statistics], words: int) -> Statistics:
    return sum(statistics, Statistics(0, (0,) * words))
