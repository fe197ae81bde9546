from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from engine.errors import BadRequest, EngineError, ModelUnavailable, NotAllowed, RetryError
from engine.inference.ollama import BATCH, OllamaEmbedder, list_models
from engine.net.client import Client
from engine.net.ollama_api import OllamaApi
from engine.net.policy import Policy
from tests.servers.loopback import Scripted, as_json
from tests.servers.ollama import FakeOllama

MODEL = "ollama:nomic-embed-text:latest@0123456789ab"


def client() -> Client:
    return Client(Policy(resolve=lambda name, port: ["192.168.1.9"] if name == "nas.example" else ["127.0.0.1"]))


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with FakeOllama() as running:
        yield running


def embedder_of(server: FakeOllama | Scripted, model: str = MODEL, **more: int) -> OllamaEmbedder:
    return OllamaEmbedder(OllamaApi(client(), server.url), model, **more)


def test_vectors(server: FakeOllama) -> None:
    embedder = embedder_of(server)
    rows = embedder.embed_documents(["abba", "cab"])
    assert rows.shape == (2, 8)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    query = embedder.embed_query("abba")
    assert query.shape == (8,)
    assert (embedder.dimensions, embedder.max_tokens, embedder.languages) == (8, 64, frozenset())
    assert embedder.model_id == MODEL


def test_documents_and_queries_have_their_prefixes(server: FakeOllama) -> None:
    embedder = embedder_of(server)
    embedder.embed_documents(["tulips"])
    embedder.embed_query("tulips")
    assert server.inputs() == ["search_document: tulips", "search_query: tulips"]


def test_batches_of_32_in_order(server: FakeOllama) -> None:
    texts = ["a" * (number % 7) + "b" for number in range(70)]
    rows = embedder_of(server).embed_documents(texts)
    assert server.inputs() == ["search_document: " + text for text in texts]
    calls = [seen.json() for seen in server.requests if seen.path == "/api/embed"]
    assert [len(call["input"]) for call in calls] == [BATCH, BATCH, 6]
    assert all(call["truncate"] is False for call in calls)
    assert np.allclose(rows[0], rows[7])
    assert not np.allclose(rows[0], rows[1])


def test_nothing_to_embed(server: FakeOllama) -> None:
    assert embedder_of(server).embed_documents([]).shape == (0, 8)
    assert server.inputs() == []


def test_long_texts_are_cut_by_our_own_rule_and_counted(server: FakeOllama) -> None:
    embedder = embedder_of(server)
    embedder.embed_documents(["word " * 500, "short", "word " * 20])
    long, short, middle = server.inputs()
    assert len(long.split()) < 64
    assert (short, middle) == ("search_document: short", "search_document: " + "word " * 20)
    assert embedder.shortened == 1


def test_what_the_server_still_finds_too_long_is_halved(server: FakeOllama) -> None:
    embedder = embedder_of(server)
    _ = embedder.max_tokens
    server.context = 6  # its tokenizer makes more tokens than ours
    rows = embedder.embed_documents(["abcd " * 20, "ok"])
    assert rows.shape == (2, 8)
    assert embedder.shortened == 1
    assert server.inputs()[-1] == "search_document: ok"


def test_a_model_that_takes_nothing(server: FakeOllama) -> None:
    embedder = embedder_of(server)
    _ = embedder.max_tokens
    server.context = 0
    with pytest.raises(ModelUnavailable, match="takes no text at all"):
        embedder.embed_query("x")


def test_a_server_that_does_not_tell_its_sizes(server: FakeOllama) -> None:
    server.told = False
    embedder = embedder_of(server)
    assert (embedder.dimensions, embedder.max_tokens) == (8, 2048)


def test_models_are_named_with_their_weights(server: FakeOllama) -> None:
    assert list_models(OllamaApi(client(), server.url)) == (MODEL,)
    assert embedder_of(server, "nomic-embed-text").model_id == "ollama:nomic-embed-text"
    assert embedder_of(server, "nomic-embed-text").embed_query("x").shape == (8,)


def test_other_weights_under_the_same_name_are_refused(server: FakeOllama) -> None:
    server.digest = "sha256:ffffffffffffffff"
    with pytest.raises(ModelUnavailable, match="was replaced since the index was made"):
        embedder_of(server).embed_query("x")
    assert server.inputs() == []


def test_another_dimension_than_the_index_is_refused(server: FakeOllama) -> None:
    assert embedder_of(server, dimensions=8).embed_query("x").shape == (8,)
    with pytest.raises(ModelUnavailable, match="vectors of 8 numbers, the index holds 768"):
        embedder_of(server, dimensions=768).embed_query("x")


@pytest.mark.parametrize(
    "vector", [[1.0] * 7, [float("inf")] * 8, ["x"] * 8, [None] * 8, [[1.0] * 8] * 8, {"a": 1}, []]
)
def test_vectors_that_are_none(server: FakeOllama, vector: list[object]) -> None:
    embedder = embedder_of(server)
    _ = embedder.dimensions
    server.vector = vector or [[]]
    with pytest.raises(ModelUnavailable):
        embedder.embed_documents(["a", "b"])


def test_a_zero_vector_stays_finite(server: FakeOllama) -> None:
    server.vector = [0.0] * 8
    assert np.array_equal(embedder_of(server).embed_query("x"), np.zeros(8, np.float32))


def test_a_missing_model_says_how_to_fetch_it(server: FakeOllama) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        embedder_of(server, "ollama:other").embed_query("x")
    assert caught.value.remedy == "Fetch it with: ollama pull other"


def test_ollama_is_not_running() -> None:
    with FakeOllama() as server:
        pass
    with pytest.raises(ModelUnavailable, match=r"not running at 127\.0\.0\.1"):
        embedder_of(server).embed_query("x")


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        ((200, {}, b"<html>"), ModelUnavailable, "is not Ollama"),
        ((500, {}, as_json({"error": "out of memory"})), RetryError, "refused the request: out of memory"),
        ((400, {}, as_json({"error": "bad"})), BadRequest, "refused the request: bad"),
        ((307, {"location": "http://93.184.216.34/"}, b""), RetryError, "not followed here"),
        ((200, {}, b"[]"), ModelUnavailable, "no model"),
    ],
)
def test_odd_servers(answer: tuple[int, dict[str, str], bytes], kind: type[EngineError], message: str) -> None:
    with Scripted(answer) as server, pytest.raises(kind, match=message):
        embedder_of(server).embed_query("x")


@pytest.mark.parametrize(
    "url",
    [
        "http://192.168.1.9:11434",
        "http://nas.example:11434",
        "http://0.0.0.0:11434",
        "http://[::ffff:10.0.0.1]:11434",
        "http://me:pw@127.0.0.1:11434",
        "https://ollama.com",
        "http://2130706433:11434",
    ],
)
def test_only_this_machine(url: str) -> None:
    policy = Policy(resolve=lambda name, port: ["192.168.1.9"])
    with pytest.raises(NotAllowed):
        OllamaApi(Client(policy), url)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a garden, blue", ["a", "gar", "den", ",", "blu", "e"]),
        ("日本語 test", ["日", "本", "語", "tes", "t"]),
        ("x-ray (1999)", ["x", "-", "ray", "(", "199", "9", ")"]),
        ("Ünïcödé", ["Ünï", "cöd", "é"]),
        ("日x日", ["日", "x", "日"]),
        ("한글", ["한", "글"]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_token_spans(server: FakeOllama, text: str, pieces: list[str]) -> None:
    (spans,) = embedder_of(server).token_spans([text])
    assert spans.shape == (len(pieces), 2)
    assert [text[start:end] for start, end in spans] == pieces
