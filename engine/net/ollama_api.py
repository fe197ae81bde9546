"""An Ollama server on this machine: which models it has, what they are, and vectors from them. Loopback only."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import BadRequest, ModelUnavailable, RetryError
from engine.net.client import Client, Failure, NetError, Reply, Request
from engine.net.policy import LOOPBACK, split_url

DEFAULT_URL = "http://127.0.0.1:11434"
EMBED_SECONDS = 300.0
"""The first call loads the model, which takes minutes on a slow disk."""
_STATUS_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class OllamaModel:
    name: str
    """With its tag, as in ``nomic-embed-text:latest``."""
    digest: str


class OllamaApi:
    def __init__(self, client: Client, base_url: str = DEFAULT_URL) -> None:
        """Raises ``NotAllowed`` unless ``base_url`` is this machine."""
        client.policy.check(base_url, LOOPBACK.name)
        _, host, port = split_url(base_url)
        self._base = base_url.rstrip("/")
        self._client = client
        self._place = f"{host}:{port}"

    def models(self) -> tuple[OllamaModel, ...]:
        """The models that the server has, by name."""
        values = self._call("GET", "tags", "list models", None, _STATUS_SECONDS)
        found = values.get("models")
        models = [
            OllamaModel(entry["name"], str(entry.get("digest") or ""))
            for entry in (found if isinstance(found, list) else ())
            if isinstance(entry, dict) and isinstance(entry.get("name"), str)
        ]
        return tuple(sorted(models, key=lambda model: model.name))

    def sizes(self, model: str) -> tuple[int, int]:
        """(longest input in tokens, dimensions) of ``model``; 0 for what the server does not tell."""
        values = self._call("POST", "show", "look at a model", {"model": model}, _STATUS_SECONDS, model)
        info = values.get("model_info")
        info = info if isinstance(info, dict) else {}
        length = _by_suffix(info, ".context_length")
        configured = _parameter(values.get("parameters"), "num_ctx")
        return min(configured, length) if configured and length else length, _by_suffix(info, ".embedding_length")

    def embed(self, model: str, texts: list[str], context: int, *, retries: int = 0) -> list[list[float]] | None:
        """One vector per text; ``None`` when a text is longer than the model reads (nothing is cut by the server).

        ``retries``: how often a server that is busy or does not answer is asked again, with rests between.
        """
        body = {"model": model, "input": texts, "truncate": False}
        if context:
            body["options"] = {"num_ctx": context}
        reply = self._send("POST", "embed", "embed text", body, EMBED_SECONDS, retries)
        if reply.status == 400 and b"context length" in reply.body:
            return None
        vectors = self._values(reply, model).get("embeddings")
        if not isinstance(vectors, list) or len(vectors) != len(texts):
            raise ModelUnavailable(f"Ollama did not send one vector for each text from '{model}'.", "Update Ollama.")
        return vectors

    def _call(
        self, method: str, path: str, why: str, body: object, seconds: float, model: str = ""
    ) -> dict[str, object]:
        return self._values(self._send(method, path, why, body, seconds), model)

    def _send(self, method: str, path: str, why: str, body: object, seconds: float, retries: int = 0) -> Reply:
        request = Request(
            f"{self._base}/api/{path}",
            why,
            method=method,
            json=body,
            read_timeout=seconds,
            deadline=seconds,
            max_bytes=1 << 27,
            retries=retries,
        )
        try:
            return self._client.call(request)
        except NetError as error:
            if error.kind is Failure.REFUSED:
                raise ModelUnavailable(
                    f"Ollama is not running at {self._place}.", "Start it, or choose the built-in model."
                ) from error
            raise RetryError(f"Ollama could not be used: {error.message}", "Try again in a moment.") from error

    def _values(self, reply: Reply, model: str) -> dict[str, object]:
        if reply.status == 404 and model:
            raise ModelUnavailable(f"Ollama has no model '{model}'.", f"Fetch it with: ollama pull {model}")
        try:
            body = reply.json()
        except NetError as error:
            raise ModelUnavailable(
                f"What answers at {self._place} is not Ollama (status {reply.status}).", "Check the address and port."
            ) from error
        values = body if isinstance(body, dict) else {}
        if reply.status != 200:
            said = str(values.get("error") or f"status {reply.status}")[:200]
            raise (BadRequest if reply.status == 400 else RetryError)(f"Ollama refused the request: {said}.")
        return values


def _by_suffix(info: dict[str, object], suffix: str) -> int:
    """The whole number under the key that ends so; the front of the key is the model's family."""
    for key, value in info.items():
        if key.endswith(suffix) and isinstance(value, int) and value > 0:
            return value
    return 0


def _parameter(parameters: object, name: str) -> int:
    """A whole number of the model's own settings, which come as lines of ``name   value``."""
    for line in str(parameters or "").splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == name and words[1].isdecimal() and len(words[1]) < 10:
            return int(words[1])
    return 0
