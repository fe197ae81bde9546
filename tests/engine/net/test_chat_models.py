"""Talking to a language model over a real socket: what is asked, what comes back, and how each failure is named."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from engine.errors import BadRequest, Cancelled, EngineError, ModelUnavailable, NotAllowed, RetryError, UserError
from engine.job import Job
from engine.net.chat import (
    ChatApi,
    EmptyReply,
    Message,
    Question,
    Server,
    ServerFailed,
    TooLong,
    TooManyRequests,
    find_local,
    openrouter,
)
from engine.net.client import Client
from engine.net.ledger import Ledger
from engine.net.policy import Policy
from engine.net.secrets import Secret
from tests.servers.chat import FakeChat

QUESTION = Question(
    "tiny",
    (Message("system", "Be brief."), Message("user", "Secret note text about a garden.")),
    "read facts out of passages",
    {"type": "object"},
)
KEY = "sk-or-v1-0123456789abcdef"


def quick(ledger: Ledger | None = None, policy: Policy | None = None) -> Client:
    return Client(policy or Policy(), ledger, wait=lambda stop, seconds: None, jitter=lambda: 0.0)


def api(server: FakeChat, ledger: Ledger | None = None) -> ChatApi:
    return ChatApi(quick(ledger), Server(server.base_url))


def says(text: str):
    return lambda system, user: text


def test_a_question_and_its_answer(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "connections.jsonl")
    with FakeChat(says("Grüße")) as server:
        answer = api(server, ledger).ask(QUESTION)
    assert (answer.text, answer.model, answer.tokens_in, answer.tokens_out) == ("Grüße", "tiny", 100, 7)
    assert not answer.is_cut
    (body,) = server.bodies()
    assert body["temperature"] == 0
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert body["reasoning_effort"] == "none"
    (line,) = ledger.recent()
    assert line.why == "read facts out of passages"
    assert "garden" not in (tmp_path / "connections.jsonl").read_text("utf-8")


@pytest.mark.parametrize(
    ("refuses", "kept"),
    [
        ({"response_format"}, {"reasoning_effort", "chat_template_kwargs"}),
        ({"reasoning_effort"}, {"response_format"}),
        ({"reasoning_effort", "response_format"}, set()),
    ],
)
def test_what_a_server_refuses_is_not_sent_again(refuses: set[str], kept: set[str]) -> None:
    optional = {"response_format", "reasoning_effort", "chat_template_kwargs"}
    with FakeChat(says("fine")) as server:
        server.refuses = refuses
        chat = api(server)
        assert chat.ask(QUESTION).text == "fine"
        before = len(server.requests)
        assert chat.ask(QUESTION).text == "fine"
    assert len(server.requests) == before + 1
    assert server.bodies()[-1].keys() & optional == kept


def test_a_stream_arrives_in_pieces_and_adds_up() -> None:
    pieces: list[str] = []
    with FakeChat(says("Eine lange Antwort, 灯塔 und mehr.")) as server:
        answer = api(server).ask(QUESTION, on_text=pieces.append)
    assert answer.text == "".join(pieces) == "Eine lange Antwort, 灯塔 und mehr."
    assert len([piece for piece in pieces if piece]) > 2
    assert (answer.tokens_in, answer.tokens_out) == (100, 7)


def test_a_stream_that_breaks_off_says_why() -> None:
    with (
        FakeChat(says("a" * 40), faults=["break"]) as server,
        pytest.raises(ServerFailed, match="the model ran out of memory"),
    ):
        api(server).ask(QUESTION, on_text=lambda piece: None)


def test_a_stream_that_is_refused_is_asked_for_whole() -> None:
    with FakeChat(says("whole")) as server:
        server.refuses = {"stream_options"}
        assert api(server).ask(QUESTION, on_text=lambda piece: None).text == "whole"
    assert [bool(body.get("stream")) for body in server.bodies()] == [True, False]


def test_a_server_without_streams_is_asked_once() -> None:
    pieces: list[str] = []
    with FakeChat(says("all at once")) as server:
        server.streams = False
        assert api(server).ask(QUESTION, on_text=pieces.append).text == "all at once"
    assert (pieces, len(server.bodies())) == (["all at once"], 1)


@pytest.mark.parametrize("fault", ["429", "503"])
def test_a_busy_server_is_asked_again(fault: str) -> None:
    with FakeChat(says("fine"), faults=[fault, fault]) as server:
        assert api(server).ask(QUESTION).text == "fine"
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("faults", "kind", "words"),
    [
        (["429"] * 9, TooManyRequests, "asks to slow down"),
        (["500"], ServerFailed, "failed with status 500"),
        (["html"] * 9, ServerFailed, "failed with status 502"),
        (["401"], NotAllowed, "does not accept the key"),
        (["402"], UserError, "wants payment first"),
        (["404"], ModelUnavailable, "has no model 'tiny'"),
        (["too-long"], TooLong, "longer than 'tiny' reads"),
        (["not-json"], ServerFailed, "not valid JSON"),
        (["empty"], EmptyReply, "answered with nothing"),
        (["reasoning", "reasoning"], EmptyReply, "spent its whole answer on reasoning"),
    ],
)
def test_each_failure_has_a_name(faults: list[str], kind: type[EngineError], words: str) -> None:
    with FakeChat(says("never"), faults=faults) as server, pytest.raises(kind, match=words) as caught:
        api(server).ask(QUESTION)
    assert type(caught.value) is kind
    assert "garden" not in str(caught.value)


def test_a_model_that_only_reasons_is_given_more_room_once() -> None:
    with FakeChat(says("answer")) as server:
        server.thinks_below = 10_000
        assert api(server).ask(QUESTION).text == "answer"
    assert [body["max_tokens"] for body in server.bodies()] == [4096, 16384]


@pytest.mark.parametrize(("fault", "calls"), [("think", 1), ("think-only", 2)])
def test_thoughts_in_the_content_are_no_answer(fault: str, calls: int) -> None:
    with FakeChat(says("the answer itself"), faults=[fault]) as server:
        assert api(server).ask(QUESTION).text == "the answer itself"
    assert len(server.bodies()) == calls


def test_a_cut_answer_says_so() -> None:
    with FakeChat(says("0123456789"), faults=["cut"]) as server:
        answer = api(server).ask(QUESTION)
    assert (answer.text, answer.is_cut) == ("01234", True)


def test_no_server_is_an_error_with_advice() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        chat = ChatApi(quick(), Server(url))
        with pytest.raises(ModelUnavailable, match=r"is not running\. Start Ollama"):
            chat.ask(QUESTION)
        with pytest.raises(ModelUnavailable, match="No language model runs on this machine"):
            find_local(quick(), [url])


def test_the_first_server_that_answers_is_found() -> None:
    with FakeChat() as server:
        assert find_local(quick(), ["http://127.0.0.1:9/v1", server.base_url]).base_url == server.base_url


def test_cancelling_ends_a_call_that_hangs() -> None:
    job = Job()
    with FakeChat() as server:
        server.answer = lambda seen: None  # type: ignore[method-assign]
        threading.Thread(target=lambda: (server.arrived.wait(10), job.cancel()), daemon=True).start()
        with pytest.raises(Cancelled):
            api(server).ask(QUESTION, job)


def test_models_are_listed_cheapest_first() -> None:
    with FakeChat() as server:
        server.models = [
            {"id": "dear", "pricing": {"prompt": "0.00001", "completion": "0.00003"}, "context_length": 8192},
            {"id": "router", "pricing": {"prompt": "-1", "completion": "-1"}},
            {"id": "cheap", "name": "Cheap", "pricing": {"prompt": "0.0000001", "completion": "0.0000002"}},
            {"id": "free", "pricing": {"prompt": "0", "completion": "0"}, "supported_parameters": ["reasoning"]},
            {"id": "local"},
            {"no": "id"},
            "odd",
        ]
        found = api(server).models()
    assert [model.name for model in found] == ["free", "cheap", "dear", "local", "router"]
    assert (found[1].title, found[1].price_in, found[1].price_out) == ("Cheap", 1e-7, 2e-7)
    assert found[2].context == 8192
    assert found[0].features == ("reasoning",)
    assert found[3].price_in is None


def test_openrouter_is_closed_until_it_is_switched_on() -> None:
    with pytest.raises(NotAllowed, match="OpenRouter is switched off, so nothing was sent"):
        ChatApi(quick(), openrouter(KEY))
    policy = Policy(["openrouter"], resolve=lambda name, port: ["93.184.216.34"])
    assert not ChatApi(quick(policy=policy), openrouter(KEY)).server.is_local
    assert KEY not in repr(openrouter(KEY))


@pytest.mark.parametrize("url", ["http://192.168.1.9:11434/v1", "https://example.com/v1", "ftp://127.0.0.1/v1"])
def test_a_local_server_is_on_this_machine(url: str) -> None:
    policy = Policy(resolve=lambda name, port: ["93.184.216.34"])
    with pytest.raises(NotAllowed):
        ChatApi(quick(policy=policy), Server(url))


def test_a_key_that_a_server_repeats_is_masked() -> None:
    with FakeChat() as server:
        chat = ChatApi(quick(), Server(server.base_url, key=Secret(KEY)))
        server.answer = lambda seen: (400, {}, b'{"error": {"message": "bad key ' + KEY.encode() + b'"}}')  # type: ignore[method-assign]
        with pytest.raises(BadRequest) as caught:
            chat.ask(QUESTION)
    assert KEY not in str(caught.value)
    assert isinstance(caught.value, EngineError)
    assert not isinstance(caught.value, RetryError)
