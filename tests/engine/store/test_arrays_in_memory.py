"""Words and vectors that are read side by side are those of the file, and neither keeps the other from answering."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.errors import IndexDamaged
from engine.inference.fake import FakeEmbedder
from engine.model import Anchor, Note, NoteKey, Passage, PassageKind, Source, SourceId, SourceKind
from engine.ranking.words import Word, posting_batch
from engine.store import vectors
from engine.store.index import IndexStore
from engine.store.live import LiveIndex
from engine.text.embed_input import finish

EMBEDDER = FakeEmbedder(dimensions=64)
TEXTS = ("bread and wine", "bread", "wine")
SAME = (0, 1, 0)
"""Which vector each passage has: the first and the last share one."""


@pytest.fixture
def live(each_store: IndexStore) -> LiveIndex:
    """Three passages, stored in an order that is not that of their vectors."""
    key = NoteKey("a.md")
    passages = tuple(
        finish(Passage(PassageKind.SECTION, at, Anchor(key), text, ("a",))) for at, text in enumerate(TEXTS)
    )
    counts = [[dict.fromkeys(text.split(), 1), {}, {}, {}, {}] for text in TEXTS]
    hashes = [str(number) for number in SAME]
    each_store.write_notes([Note(key, "a", "r", "c", passages)], posting_batch(counts, {}), (), {key: hashes})
    each_store.write_vectors(EMBEDDER.model_id, ["1", "0"], np.eye(2, 64, dtype=np.float32))
    return LiveIndex(Source(SourceId("s"), SourceKind.OBSIDIAN, "s", str(Path.cwd())), each_store, EMBEDDER)


@pytest.mark.parametrize("at_once", [1, 2, 4096])
def test_both_are_as_they_are_when_read_apart(live: LiveIndex, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(vectors, "_READ_AT_ONCE", at_once)
    monkeypatch.setattr(vectors, "_COPIED_AT_ONCE", at_once)
    apart = LiveIndex(live.source, live.store, EMBEDDER)
    live.load()
    ids = np.arange(3, dtype=np.int32)
    np.testing.assert_array_equal(live.vectors.vectors(ids), np.eye(2, 64)[[1, 0, 1]])
    np.testing.assert_array_equal(live.vectors.vectors(ids), apart.vectors.vectors(ids))
    for word in ("bread", "wine", "beer"):
        found = [one.words.passages_with(Word((word,))).tolist() for one in (live, apart)]
        assert found[0] == found[1] == [at for at, text in enumerate(TEXTS) if word in text.split()]


def test_what_is_read_once_is_kept(live: LiveIndex) -> None:
    live.load()
    words, arrays = live.words, live.vectors
    live.load()
    assert live.words is words
    assert live.vectors is arrays


def test_damaged_vectors_leave_the_words(live: LiveIndex) -> None:
    live.store.drop_vectors(EMBEDDER.model_id)
    for digest, length in (("1", 64), ("0", 8)):
        live.store.write_vectors(EMBEDDER.model_id, [digest], np.ones((1, length), np.float32))
    live.load()
    assert live.words.passages_with(Word(("wine",))).tolist() == [0, 2]
    with pytest.raises(IndexDamaged, match="differ in length"):
        _ = live.vectors
