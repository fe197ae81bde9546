"""The sentence of a passage that says most nearly what a query asks for: what the meaning leg would point at."""

from __future__ import annotations

import re

import numpy as np

from engine.inference.base import Embedder
from engine.searching.query import parse

MOST = 24
"""Sentences looked at; each costs one run of the model."""
LEAST_LETTERS = 12

_ENDS = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")


def sentences(text: str) -> list[tuple[int, int]]:
    """Character ranges [start, end) of the sentences, those of a few letters left out."""
    found, start = [], 0
    for end in _ENDS.finditer(text):
        found.append((start, end.start()))
        start = end.end()
    found.append((start, len(text)))
    trimmed = [(a + len(text[a:b]) - len(text[a:b].lstrip()), a + len(text[a:b].rstrip())) for a, b in found]
    return [(a, b) for a, b in trimmed if b - a >= LEAST_LETTERS]


def nearest_sentence(query: str, text: str, embedder: Embedder) -> str:
    """The sentence of ``text`` nearest to the words of ``query``; empty when there is nothing to choose."""
    words = parse(query).words
    found = [text[start:end] for start, end in sentences(text)[:MOST]]
    if len(found) < 2 or not words:
        return ""
    nearness = embedder.embed_documents(found) @ embedder.embed_query(words).ravel()
    return found[int(np.argmax(nearness))]
