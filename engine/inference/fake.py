"""A deterministic ``Embedder`` for tests: no weights, no libraries, thousands of texts a second.

A vector is the sum of one fixed pseudo-random direction per word, so texts that share words are near each other and
texts that share none are nearly at right angles. It knows no synonyms: never use it to judge ranking quality.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from engine.inference.base import TokenSpans, Vectors

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\w+|[^\w\s]")


class FakeEmbedder:
    """Counts what it is asked for: ``documents`` holds every text embedded, ``calls`` the number of batches."""

    def __init__(
        self,
        *,
        name: str = "fake",
        dimensions: int = 64,
        max_tokens: int = 256,
        languages: frozenset[str] = frozenset(),
    ) -> None:
        self.model_id = f"{name}-{dimensions}"
        self.dimensions = dimensions
        self.max_tokens = max_tokens
        self.languages = languages
        self.documents: list[str] = []
        self.queries: list[str] = []
        self.calls = 0
        self._directions: dict[str, Vectors] = {}

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        self.documents.extend(texts)
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._vector(text)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        self.queries.append(text)
        return self._vector(text)

    def token_spans(self, texts: Sequence[str]) -> list[TokenSpans]:
        """One token per word and per mark."""
        return [np.array([m.span() for m in _TOKEN.finditer(text)], np.int32).reshape(-1, 2) for text in texts]

    def _vector(self, text: str) -> Vectors:
        words = set(_WORD.findall(text.casefold())) or {""}
        total = np.stack([self._direction(word) for word in sorted(words)]).sum(axis=0)
        vector: Vectors = (total / np.linalg.norm(total)).astype(np.float32)
        return vector

    def _direction(self, word: str) -> Vectors:
        if word not in self._directions:
            seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:8], "big")
            self._directions[word] = np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
        return self._directions[word]
