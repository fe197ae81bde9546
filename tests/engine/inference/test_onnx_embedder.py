"""The built-in model: reference vectors, order, batches, lengths, token offsets, damaged files."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import resources
from engine.errors import ModelUnavailable
from engine.inference import onnx
from engine.inference.catalog import BUILT_IN, open_embedder
from engine.inference.onnx import ModelFiles, OnnxEmbedder, Recipe, cut_pieces, default_threads
from engine.paths import find_home

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "models"
TOKENIZER = resources.path("models", BUILT_IN, "tokenizer.json")


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    found = open_embedder("", find_home(Path("unused")))
    assert isinstance(found, OnnxEmbedder)
    return found


def cosines(embedder: OnnxEmbedder, file: Path) -> np.ndarray:
    reference = json.loads(file.read_text("utf-8"))
    vectors = embedder.embed_documents(reference["texts"])
    return (vectors * np.array(reference["vectors"])).sum(axis=1)


def test_vectors_are_those_of_the_recipe(embedder: OnnxEmbedder) -> None:
    """Computed apart, by the plain recipe on one text at a time; the third text is cut at 256 tokens."""
    assert cosines(embedder, FIXTURES / "all-minilm-l6-v2-reference.json").min() > 0.9999


def test_vectors_are_near_the_full_precision_model(embedder: OnnxEmbedder, shared_data: Path) -> None:
    assert cosines(embedder, shared_data / "models" / "all-minilm-l6-v2" / "reference.json").min() > 0.99


def test_paraphrases_are_nearer_than_strangers(embedder: OnnxEmbedder) -> None:
    question = embedder.embed_query("how do I fix a flat tyre")
    near, far = embedder.embed_documents(["Repairing a punctured bicycle wheel", "Grandmother's recipe for plum cake"])
    assert question @ near > question @ far + 0.2


def test_rows_are_unit_length_in_the_order_given(embedder: OnnxEmbedder) -> None:
    texts = ["short", "a much longer text about rivers " * 12, "", "middle of the road", "x" * 3000, "\ud800 half"]
    vectors = embedder.embed_documents(texts)
    assert vectors.shape == (len(texts), embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        np.testing.assert_allclose(embedder.embed_query(text), vector, atol=1e-5)


def test_no_texts_make_no_rows(embedder: OnnxEmbedder) -> None:
    assert embedder.embed_documents([]).shape == (0, 384)
    assert embedder.token_spans([]) == []


def test_a_text_is_read_to_its_256th_token_and_no_further(embedder: OnnxEmbedder) -> None:
    start = " ".join(["river"] * 254)
    whole, longer, other = embedder.embed_documents([start, start + " mountain" * 500, start[:-6] + " mountain"])
    np.testing.assert_allclose(whole, longer, atol=1e-6)
    assert np.abs(whole - other).max() > 1e-4


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \n\t", []),
        ("The cat.", ["The", "cat", "."]),
        ("naïve café", ["naïve", "café"]),
        ("🙂 hi 日本", ["🙂", "hi", "日", "本"]),
        ("𝒳 = 𝔘nit", ["𝒳", "=", "𝔘nit"]),
        ("unbelievably", ["un", "##bel"]),
        ("half \ud83d hi", ["half", "hi"]),
    ],
)
def test_token_offsets_count_characters(embedder: OnnxEmbedder, text: str, tokens: list[str]) -> None:
    (spans,) = embedder.token_spans([text])
    assert spans.dtype == np.int32
    found = [text[start:end] for start, end in spans]
    if any(token.startswith("##") for token in tokens):
        assert len(found) > 1
        assert "".join(found) == text
    else:
        assert found == tokens


@pytest.mark.parametrize("unit", ["x", "word ", "日", "a-", "🙂"])
def test_a_very_long_text_is_covered_to_its_end(embedder: OnnxEmbedder, unit: str) -> None:
    text = unit * (60_000 // len(unit))
    (spans,) = embedder.token_spans([text])
    assert spans[0, 0] == 0
    assert spans[-1, 1] >= len(text.rstrip())
    assert (spans[1:, 0] >= spans[:-1, 1]).all()
    covered = (spans[:, 1] - spans[:, 0]).sum()
    assert covered == len(text.replace(" ", ""))


@given(st.text(st.sampled_from("ab \n日🙂"), max_size=60), st.integers(1, 12))
def test_pieces_are_bounded_and_lose_nothing(text: str, size: int) -> None:
    pieces = list(cut_pieces(text, size))
    assert "".join(text[start:end] for start, end in pieces) == text
    assert all(0 < end - start <= size for start, end in pieces)
    for _, end in pieces[:-1]:
        window = text[max(0, end - size) : end]
        assert text[end - 1].isspace() or not any(c.isspace() for c in window)


def test_threads_may_share_one_embedder(embedder: OnnxEmbedder) -> None:
    texts = [f"note number {n} about the garden" for n in range(6)]
    wanted = embedder.embed_documents(texts)
    results: dict[int, np.ndarray] = {}
    workers = [
        threading.Thread(target=lambda n=n: results.__setitem__(n, embedder.embed_documents(texts))) for n in range(3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert len(results) == 3
    for vectors in results.values():
        np.testing.assert_allclose(vectors, wanted, atol=1e-5)


def test_the_identity_names_weights_and_recipe(embedder: OnnxEmbedder, tmp_path: Path) -> None:
    assert embedder.model_id.startswith("all-minilm-l6-v2@8199be6f699a-")
    weights = tmp_path / "model.onnx"
    weights.write_bytes(b"weights")
    files = ModelFiles(weights, TOKENIZER)
    plain, prefixed = OnnxEmbedder("m", files, Recipe()), OnnxEmbedder("m", files, Recipe(query_prefix="query: "))
    assert plain.model_id == OnnxEmbedder("m", files, Recipe()).model_id
    assert plain.model_id != prefixed.model_id


@pytest.mark.parametrize(
    ("weights", "sha256", "words"),
    [
        (b"not a model", "0" * 64, "is damaged"),
        (b"not a model", "", "cannot be loaded"),
        (None, "", "cannot be read"),
    ],
)
def test_bad_weights_are_explained(tmp_path: Path, weights: bytes | None, sha256: str, words: str) -> None:
    file = tmp_path / "model.onnx"
    if weights is not None:
        file.write_bytes(weights)
    with pytest.raises(ModelUnavailable, match=words) as caught:
        OnnxEmbedder("m", ModelFiles(file, TOKENIZER, sha256), Recipe()).embed_query("hello")
    assert str(file) in caught.value.message


@pytest.mark.parametrize(("content", "words"), [(None, "has no tokenizer"), ("{", "cannot be read")])
def test_a_bad_tokenizer_is_explained(tmp_path: Path, content: str | None, words: str) -> None:
    file = tmp_path / "tokenizer.json"
    if content is not None:
        file.write_text(content, "utf-8")
    with pytest.raises(ModelUnavailable, match=words):
        OnnxEmbedder("m", ModelFiles(tmp_path / "model.onnx", file), Recipe()).token_spans(["hello"])


def test_wrong_dimensions_are_explained(tmp_path: Path) -> None:
    files = open_embedder("", find_home(tmp_path))._files  # type: ignore[attr-defined]
    with pytest.raises(ModelUnavailable, match="vectors of 384 numbers, not 768"):
        OnnxEmbedder("m", files, Recipe(dimensions=768)).embed_query("hello")


def test_vectors_that_are_no_numbers_are_explained(embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, "_pool", lambda tokens, *_: np.full((len(tokens), embedder.dimensions), np.nan))
    with pytest.raises(ModelUnavailable, match="not finite numbers") as caught:
        embedder.embed_documents(["light"])
    assert "Choose another model" in caught.value.remedy


def test_the_number_of_threads_is_modest() -> None:
    assert 1 <= default_threads() <= 4


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priority of their own")
def test_the_model_runs_in_threads_that_let_others_go_first() -> None:
    before = set(Path("/proc/self/task").iterdir())
    embedder = open_embedder("", find_home(Path("unused")), threads=3)
    embedder.embed_query("light")
    own = [int(task.name) for task in set(Path("/proc/self/task").iterdir()) - before]
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    priorities = [os.getpriority(os.PRIO_PROCESS, task) for task in own]
    assert priorities.count(min(19, usual + 10)) >= 2  # The tokenizer may have made threads, too.


def test_weights_nobody_asks_for_are_let_go_of_and_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now, rests, may_rest = [0.0], list[float](), threading.Event()

    def rest(seconds: float) -> None:
        assert may_rest.wait(30)
        rests.append(seconds)
        now[0] += seconds / 2
        if len(rests) == 1:  # Asked again in the middle of the rest, which goes on in the same thread.
            embedder.embed_query("light")
        now[0] += seconds / 2

    monkeypatch.setattr(onnx, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=rest))
    embedder = open_embedder("", find_home(Path("unused")))
    assert isinstance(embedder, OnnxEmbedder)
    before = embedder.embed_query("light")
    resting = embedder._resting
    assert resting is not None
    assert embedder._loaded_session is not None
    may_rest.set()
    resting.join(30)
    assert rests == [onnx.REST_SECONDS, onnx.REST_SECONDS / 2]
    assert embedder._loaded_session is None
    may_rest.clear()
    np.testing.assert_array_equal(embedder.embed_query("light"), before)
    assert embedder._loaded_session is not None
    may_rest.set()
    embedder._resting.join(30)
