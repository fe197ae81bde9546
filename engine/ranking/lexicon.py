"""Every word that the notes hold, as read, and the terms that it stands for: for unfinished and mistyped words."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterable

MAX_COMPLETIONS = 500
"""Words that one unfinished word stands for at the most; a single letter would match half the notes anyway."""


class Lexicon:
    """Folded words in alphabetical order. Not safe for a look-up while ``add`` runs."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._terms: dict[str, tuple[str, ...]] = {}
        self._sorted: list[str] = []
        self.add(pairs)

    def __len__(self) -> int:
        return len(self._terms)

    def __contains__(self, word: str) -> bool:
        return word in self._terms

    def add(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Add (word, term) pairs; pairs that are there already change nothing."""
        for word, term in pairs:
            known = self._terms.get(word, ())
            if term not in known:
                self._terms[word] = (*known, term)
        self._sorted = []

    def terms(self, word: str) -> tuple[str, ...]:
        return self._terms.get(word, ())

    def words_starting_with(self, prefix: str, limit: int = MAX_COMPLETIONS) -> list[str]:
        """At most ``limit`` words, alphabetically."""
        words = self._in_order()
        start = bisect.bisect_left(words, prefix)
        return list(itertools.takewhile(lambda w: w.startswith(prefix), itertools.islice(words, start, start + limit)))

    def terms_starting_with(self, prefix: str) -> list[str]:
        """The terms of every word that begins with ``prefix``, each once."""
        return list(dict.fromkeys(t for word in self.words_starting_with(prefix) for t in self._terms[word]))

    def nearest(self, word: str, frequency: Callable[[str], int]) -> str:
        """The word that ``word`` may be a slip for, or an empty string.

        One edit from four letters, two from eight; a word that exists is never corrected. Among equally near words
        the one that most passages hold (``frequency`` of its terms) wins, then the alphabet.
        """
        edits = allowed_edits(word)
        if not edits or word in self._terms:
            return ""
        # Loaded when a word is not known, which is rare.
        from rapidfuzz import process
        from rapidfuzz.distance import DamerauLevenshtein

        found = process.extract(
            word, self._in_order(), scorer=DamerauLevenshtein.distance, score_cutoff=edits, limit=50
        )
        if not found:
            return ""
        best = min(found, key=lambda one: (one[1], one[0][:1] != word[:1], -self._frequency(one[0], frequency), one[0]))
        return str(best[0])

    def _frequency(self, word: str, frequency: Callable[[str], int]) -> int:
        return sum(frequency(term) for term in self._terms[word])

    def _in_order(self) -> list[str]:
        if not self._sorted:
            self._sorted = sorted(self._terms)
        return self._sorted


def allowed_edits(word: str) -> int:
    """How many slips are forgiven; none in words with digits or signs, where one letter changes the meaning."""
    if not word.isalpha() or len(word) < 4:
        return 0
    return 1 if len(word) < 8 else 2
