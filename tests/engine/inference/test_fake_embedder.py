"""The stand-in for a model: repeatable, unit length, near when words are shared."""

from __future__ import annotations

import numpy as np

from engine.inference.base import Embedder
from engine.inference.fake import FakeEmbedder


def test_it_is_an_embedder() -> None:
    embedder: Embedder = FakeEmbedder(dimensions=32, languages=frozenset({"en"}))
    assert embedder.embed_documents(["one", "two"]).shape == (2, 32)
    assert embedder.languages == {"en"}


def test_two_of_them_agree_and_rows_are_unit_length() -> None:
    texts = ["the old lamp", "", "!!", "日本 語", "\ud800"]
    first, second = FakeEmbedder().embed_documents(texts), FakeEmbedder().embed_documents(texts)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1, atol=1e-6)


def test_shared_words_bring_texts_near() -> None:
    embedder = FakeEmbedder()
    query = embedder.embed_query("Old LAMP")
    near, far = embedder.embed_documents(["the old lamp", "nothing in common"])
    assert query @ near > 0.7
    assert abs(query @ far) < 0.4


def test_it_counts() -> None:
    embedder = FakeEmbedder()
    embedder.embed_documents(["a", "b"])
    embedder.embed_documents(["c"])
    embedder.embed_query("q")
    assert (embedder.calls, embedder.documents, embedder.queries) == (2, ["a", "b", "c"], ["q"])


def test_spans_are_words_and_marks() -> None:
    spans, empty = FakeEmbedder().token_spans(["Hi, 🙂 you", ""])
    assert spans.tolist() == [[0, 2], [2, 3], [4, 5], [6, 9]]
    assert empty.shape == (0, 2)
