"""shim"""

from dataclasses import dataclass
from collections.abc import Sequence
from engine.text.words import QueryWord, tokens, stem


@dataclass(frozen=True, slots=True)
class Snippet:
    text: str
    spans: tuple[tuple[int, int], ...]


def best_snippet(text: str, words: Sequence[QueryWord]) -> Snippet:
    text = text[:240]
    terms = {t for w in words for t in w.terms}
    return Snippet(text, tuple((t.start, t.end) for t in tokens(text) if stem(t.word, "en") in terms))
