"""Language models behind an OpenAI-compatible address: a server on this machine, or OpenRouter once it is switched on.

Asks and gets text; knows nothing of what is asked. Optional parts of the protocol (JSON schema, reasoning off) are
sent until a server refuses them. Never keeps, logs or quotes what was asked or answered.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import BadRequest, ModelUnavailable, NotAllowed, RetryError, UserError
from engine.job import Job
from engine.net.chat_wire import ChatModel, Heard, cost, count, events, read_model, take_in, whole
from engine.net.client import Client, Failure, NetError, Reply, Request
from engine.net.policy import LOOPBACK, OPENROUTER, split_url
from engine.net.secrets import Secret, mask_secrets

LOCAL_URLS = ("http://127.0.0.1:11434/v1", "http://127.0.0.1:1234/v1", "http://127.0.0.1:8080/v1")
"""Where Ollama, LM Studio and llama.cpp listen unless told otherwise."""
OPENROUTER_URL = f"https://{OPENROUTER.hosts[0]}/api/v1"
MAX_TOKENS = 4096
"""Longest answer; a model that reasons in spite of being asked not to gets ``REASONING_FACTOR`` times as much."""
REASONING_FACTOR = 4

_LOCAL_SECONDS = 900.0
"""A small machine writes two or three words a second, after loading the model for minutes."""
_REMOTE_SECONDS = 180.0
_LIST_SECONDS = 10.0
_RETRIES = 3
_TOO_LONG = re.compile(r"context (?:length|size|window)|too long|maximum context|exceed", re.IGNORECASE)
_NAMES_SCHEMA = re.compile(r"response_format|schema|structured|grammar", re.IGNORECASE)
_NAMES_REASONING = re.compile(r"reason|think|chat_template", re.IGNORECASE)


class ReplyError(RetryError):
    """One question got no usable answer; the next one may."""


class EmptyReply(ReplyError):
    """The model wrote nothing, or only its reasoning."""


class ServerFailed(ReplyError):
    """The server broke down over this question."""


class TooLong(ReplyError):
    """The question does not fit what the model reads at once."""


class TooManyRequests(RetryError):
    """The server asks to slow down, and went on doing so."""


@dataclass(frozen=True, slots=True)
class Server:
    """An OpenAI-compatible address, up to and without ``/chat/completions``."""

    base_url: str
    service: str = LOOPBACK.name
    key: Secret | None = None

    @property
    def is_local(self) -> bool:
        return self.service == LOOPBACK.name

    @property
    def title(self) -> str:
        if not self.is_local:
            return OPENROUTER.title
        _, host, port = split_url(self.base_url)
        return f"The model server at {host}:{port}"


def openrouter(key: str) -> Server:
    """OpenRouter, which ``Policy`` lets through only when its owner switched it on."""
    return Server(OPENROUTER_URL, OPENROUTER.name, Secret(key))


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    """``system`` or ``user``."""
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """One call. ``why`` is a fixed phrase for the ledger."""

    model: str
    messages: tuple[Message, ...]
    why: str
    schema: Mapping[str, Any] | None = None
    """JSON Schema that the answer should follow; a server that has no such thing is asked without."""
    max_tokens: int = MAX_TOKENS


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    """Never empty; without the model's reasoning."""
    model: str
    tokens_in: int
    """As counted by the server, else one for four characters."""
    tokens_out: int
    seconds: float
    is_cut: bool = False
    """The model had more to say than ``max_tokens``."""


class ChatApi:
    def __init__(self, client: Client, server: Server) -> None:
        """Raises ``NotAllowed`` when the policy does not let ``server`` be reached."""
        client.policy.check(server.base_url, server.service)
        self._client = client
        self.server = server
        self._base = server.base_url.rstrip("/")
        self._refused: set[str] = set()

    def models(self, job: Job | None = None) -> tuple[ChatModel, ...]:
        """What the server offers, cheapest first, then by name. Raises ``ModelUnavailable`` and others, see ``ask``."""
        reply = self._send("GET", "models", "list chat models", None, job, _LIST_SECONDS, retries=1)
        listed = self._values(reply, "").get("data")
        found = [read_model(entry) for entry in (listed if isinstance(listed, list) else ()) if isinstance(entry, dict)]
        return tuple(sorted((model for model in found if model.name), key=cost))

    def ask(self, question: Question, job: Job | None = None, on_text: Callable[[str], None] | None = None) -> Answer:
        """The model's answer; with ``on_text`` each piece is passed on as it arrives.

        A model that spends everything on reasoning is asked once more with room for both. Raises ``EmptyReply``,
        ``ServerFailed``, ``TooLong`` (this question), ``TooManyRequests``, ``RetryError``, ``ModelUnavailable``,
        ``NotAllowed`` or ``UserError`` (every question), ``Cancelled``.
        """
        started = time.monotonic()
        heard, budget = Heard(), question.max_tokens
        for budget in (question.max_tokens, question.max_tokens * REASONING_FACTOR):
            heard = self._listen(question, budget, job, on_text)
            heard.set_thoughts_apart()
            if heard.text or not (heard.reasoning or heard.finish == "length"):
                break
        if not heard.text:
            spent = "spent its whole answer on reasoning" if heard.reasoning else "answered with nothing"
            raise EmptyReply(
                f"'{question.model}' {spent} ({budget} tokens allowed).",
                "Choose a model that does not reason, or one that can be told not to.",
            )
        asked = sum(len(message.text) for message in question.messages)
        return Answer(
            heard.text,
            question.model,
            count(heard.usage.get("prompt_tokens"), asked),
            count(heard.usage.get("completion_tokens"), len(heard.text) + len(heard.reasoning)),
            time.monotonic() - started,
            is_cut=heard.finish == "length",
        )

    def _listen(self, question: Question, budget: int, job: Job | None, on_text: Callable[[str], None] | None) -> Heard:
        if on_text is not None:
            streamed = self._stream(question, budget, job, on_text)
            if streamed is not None:
                return streamed
        while True:
            body = self._body(question, budget)
            reply = self._send("POST", "chat/completions", question.why, body, job, self._seconds, retries=_RETRIES)
            if reply.status in (400, 422) and self._give_up_extras(body, reply):
                continue
            return whole(self._values(reply, question.model))

    def _stream(self, question: Question, budget: int, job: Job | None, on_text: Callable[[str], None]) -> Heard | None:
        """The answer piece by piece; None when the server does not begin one, and then says why without a stream."""
        body = {**self._body(question, budget), "stream": True, "stream_options": {"include_usage": True}}
        heard, has_begun = Heard(), False
        try:
            for chunk in events(self._client.lines(self._request("POST", "chat/completions", question.why, body), job)):
                has_begun = True
                if "error" in chunk:
                    raise ServerFailed(f"{self.server.title} broke off: {self._said(chunk)}.", "Try again.")
                on_text(take_in(heard, chunk))
        except NetError as error:
            if has_begun:
                raise ServerFailed(f"{self.server.title} broke off: {error.message}", "Try again.") from error
            if error.kind is not Failure.BROKEN:
                raise self._unreachable(error) from error
        return heard if has_begun else None

    @property
    def _seconds(self) -> float:
        return _LOCAL_SECONDS if self.server.is_local else _REMOTE_SECONDS

    def _body(self, question: Question, budget: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": question.model,
            "messages": [{"role": one.role, "content": one.text} for one in question.messages],
            "temperature": 0,
            "max_tokens": budget,
        }
        if question.schema is not None and "schema" not in self._refused:
            named = {"name": "answer", "strict": True, "schema": question.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        if "reasoning" not in self._refused:
            if self.server.is_local:
                body |= {"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}}
            else:
                body["reasoning"] = {"enabled": False}
        return body

    def _give_up_extras(self, body: Mapping[str, Any], reply: Reply) -> bool:
        """Whether the refused request held optional parts; they are not sent again."""
        said = reply.body[:4000].decode("utf-8", "replace")
        if _TOO_LONG.search(said):
            return False
        sent = {"schema"} if "response_format" in body else set()
        sent |= {"reasoning"} if body.keys() & {"reasoning", "reasoning_effort"} else set()
        named = {"schema"} if _NAMES_SCHEMA.search(said) else set()
        named |= {"reasoning"} if _NAMES_REASONING.search(said) else set()
        self._refused |= (sent & named) or sent
        return bool(sent)

    def _request(self, method: str, path: str, why: str, body: object, seconds: float = 0, retries: int = 0) -> Request:
        return Request(
            f"{self._base}/{path}",
            why,
            service=self.server.service,
            method=method,
            json=body,
            headers={"authorization": self.server.key} if self.server.key else {},
            read_timeout=seconds or self._seconds,
            deadline=seconds or self._seconds,
            retries=retries,
            connect_timeout=2.0 if self.server.is_local else 10.0,
        )

    def _send(
        self, method: str, path: str, why: str, body: object, job: Job | None, seconds: float, retries: int
    ) -> Reply:
        request = self._request(method, path, why, body, seconds, retries)
        try:
            return self._client.call(request, job)
        except NetError as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: NetError) -> Exception:
        if error.kind is Failure.REFUSED and self.server.is_local:
            return ModelUnavailable(
                f"{self.server.title} is not running.",
                "Start Ollama, LM Studio or llama.cpp, or name another address with --server.",
            )
        kind = ServerFailed if error.kind is Failure.BROKEN else RetryError
        return kind(f"{self.server.title} could not be used: {error.message}", "Try again in a moment.")

    def _values(self, reply: Reply, model: str) -> dict[str, Any]:
        try:
            body = reply.json()
        except NetError as error:
            if reply.status < 400:
                raise ServerFailed(
                    f"{self.server.title} sent an answer that is not valid JSON.", "Check the address and port."
                ) from error
            body = {}
        values = body if isinstance(body, dict) else {}
        if reply.status >= 400 or "error" in values:
            raise self._named(reply.status, self._said(values), model)
        return values

    def _said(self, values: Mapping[str, Any]) -> str:
        """The server's own reason, short and without secrets."""
        error = values.get("error")
        said = error.get("message") if isinstance(error, Mapping) else error
        text = " ".join(str(said or "no reason given").split())[:200]
        return mask_secrets(text, [self.server.key] if self.server.key else []).rstrip(".")

    def _named(self, status: int, said: str, model: str) -> Exception:
        title = self.server.title
        if status in (401, 403):
            return NotAllowed(f"{title} does not accept the key ({said}).", "Store a valid key and try again.")
        if status == 402:
            return UserError(f"{title} wants payment first ({said}).", "Add credit there, or choose a local model.")
        if status == 404 and model:
            return ModelUnavailable(f"{title} has no model '{model}'.", "List what there is: lamplight graph models")
        if status == 429:
            return TooManyRequests(f"{title} asks to slow down ({said}).", "Wait a little; what was done is kept.")
        if status in (400, 413, 422) and _TOO_LONG.search(said):
            return TooLong(f"The text is longer than '{model}' reads at once ({said}).")
        if status in (400, 404, 405, 422):
            return BadRequest(f"{title} refused the request ({said}).", "Check the address and the model's name.")
        return ServerFailed(f"{title} failed with status {status} ({said}).", "Try again in a moment.")


def find_local(client: Client, urls: Sequence[str] = LOCAL_URLS) -> Server:
    """The first server on this machine that answers. Raises ``ModelUnavailable`` when none does."""
    for url in urls:
        server = Server(url)
        try:
            ChatApi(client, server).models()
        except (RetryError, UserError):
            continue
        return server
    raise ModelUnavailable(
        "No language model runs on this machine.",
        "Start Ollama, LM Studio or llama.cpp, or name its address with --server.",
    )
