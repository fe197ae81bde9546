"""The words of one source as they are written (folded): what a prefix stands for, and what a mistyped word meant.

Never reads or writes anything. Terms are what the word index counts; several words share one.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from engine.ranking.words import Word

PREFIX_WORDS = 200
"""Words at most that one prefix stands for: the shortest, as the likeliest to be meant."""


class Vocabulary:
    """Sorted words and their terms. Safe for look-ups from any thread; ``add`` replaces the arrays in one step."""

    def __init__(self, surfaces: Iterable[tuple[str, str]] = ()) -> None:
        """``surfaces`` are (word, term)."""
        self._terms: dict[str, tuple[str, ...]] = {}
        self._sorted: list[str] = []
        self._by_length: dict[int, list[str]] = {}
        self.add(surfaces)

    def __len__(self) -> int:
        return len(self._terms)

    def __contains__(self, word: str) -> bool:
        return word in self._terms

    def add(self, surfaces: Iterable[tuple[str, str]]) -> None:
        new: list[str] = []
        for word, term in surfaces:
            known = self._terms.get(word)
            if known is None:
                new.append(word)
                self._terms[word] = (term,)
            elif term not in known:
                self._terms[word] = (*known, term)
        if new:
            # Sorting what is sorted but for its tail takes linear time.
            self._sorted = sorted([*self._sorted, *sorted(new)])
            self._by_length = {}

    def starting_with(self, prefix: str) -> list[str]:
        """Words that begin with ``prefix``, shortest first."""
        start = bisect_left(self._sorted, prefix)
        end = bisect_left(self._sorted, prefix + "\U0010ffff", lo=start)
        return sorted(self._sorted[start:end], key=lambda word: (len(word), word))

    def prefix_terms(self, prefix: str, limit: int = PREFIX_WORDS) -> tuple[str, ...]:
        """Terms of the words that begin with ``prefix``, the nearest ``limit`` words."""
        words = self.starting_with(prefix)[:limit]
        return tuple(dict.fromkeys(term for word in words for term in self._terms[word]))

    def terms(self, word: str) -> tuple[str, ...]:
        """The terms that a folded word stands for; none for a word that is not there."""
        return self._terms.get(word, ())

    def nearest(self, word: str, limit: int = 3) -> list[tuple[str, int]]:
        """(word that ``word`` may have been meant to be, edits), nearest first. Nothing for a word that exists.

        One letter may differ from four letters on, two from nine on; a swap of neighbours counts once.
        """
        distance = allowed_distance(word)
        if word in self._terms or not distance:
            return []
        # Loaded on the first typing error, not at every start.
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        near: list[tuple[int, bool, str]] = []
        for length in range(len(word) - distance, len(word) + distance + 1):
            found = process.extract(
                word, self._of_length(length), scorer=OSA.distance, score_cutoff=distance, limit=limit * 4
            )
            near += [(int(score), candidate[0] != word[0], candidate) for candidate, score, _ in found]
        return [(candidate, edits) for edits, _, candidate in sorted(near)[:limit]]

    def _of_length(self, length: int) -> Sequence[str]:
        if not self._by_length:
            grouped: dict[int, list[str]] = {}
            for word in self._sorted:
                grouped.setdefault(len(word), []).append(word)
            self._by_length = grouped
        return self._by_length.get(length, ())


def allowed_distance(word: str) -> int:
    """Edits within which a word counts as mistyped; none for short words and for numbers."""
    if len(word) < 4 or not all(letter.isalpha() or unicodedata.category(letter).startswith("M") for letter in word):
        return 0
    return 1 if len(word) < 9 else 2


def prefix_word(vocabularies: Iterable[Vocabulary], prefix: str, own_terms: Sequence[str] = ()) -> Word:
    """One word that stands for everything that begins with ``prefix`` in any of ``vocabularies``."""
    found = dict.fromkeys(own_terms)
    for vocabulary in vocabularies:
        found.update(dict.fromkeys(vocabulary.prefix_terms(prefix)))
    return Word(tuple(found))
