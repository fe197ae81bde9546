"""``Embedder`` over an Ollama server on this machine.

Owns the prefixes, the cutting of long texts and the checks of what comes back. Opens no connection: the server is
handed in (``net/ollama_api.py``), which refuses any host but this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import regex

from engine.errors import ModelUnavailable
from engine.inference.base import TokenSpans, Vectors

PREFIX = "ollama:"
"""First part of every model id; then the model's name, and after ``@`` the start of its digest."""
DEFAULT_MODEL = "nomic-embed-text"
BATCH = 32
PATIENCE = 3
"""Times an index run asks a busy server again; a search does not wait."""
_DEFAULT_CONTEXT = 2048
_SPARE = 16
"""Tokens left for the special tokens and the prefix."""
# Model family -> (before documents, before queries).
_PREFIXES = {"nomic-embed-text": ("search_document: ", "search_query: ")}

# Sub-word vocabularies differ and Ollama offers no tokenizer, so tokens are approximated: up to three letters or digits
# of a word, one ideograph, kana or Korean syllable, or one other visible character. Over English, German and Chinese
# prose and Markdown that gave 1.01 times as many tokens as WordPiece does; what is still too long is halved.
_SYLLABLE = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]"
_TOKEN = regex.compile(rf"{_SYLLABLE}|(?:(?!{_SYLLABLE})[\p{{L}}\p{{M}}\p{{N}}]){{1,3}}|[^\s\p{{L}}\p{{M}}\p{{N}}]")


class Listed(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...


class Server(Protocol):
    """What is needed of an Ollama server."""

    def models(self) -> Sequence[Listed]: ...

    def sizes(self, model: str) -> tuple[int, int]: ...

    def embed(self, model: str, texts: list[str], context: int, *, retries: int = 0) -> list[list[float]] | None: ...


def list_models(server: Server) -> tuple[str, ...]:
    """Ids of the models that the server has; each names its exact weights."""
    return tuple(f"{PREFIX}{model.name}@{_short(model.digest)}" for model in server.models())


def is_ollama(model_id: str) -> bool:
    return model_id.startswith(PREFIX)


def pinned_model(model_id: str, server: Callable[[], Server]) -> str:
    """``ollama:NAME`` with the digest of the weights that the server has now; other ids as they are.

    Raises ``ModelUnavailable`` when the server does not run or has no such model.
    """
    if not is_ollama(model_id) or "@" in model_id:
        return model_id
    name = model_id.removeprefix(PREFIX)
    wanted = name if ":" in name else f"{name}:latest"
    found = next((known for known in list_models(server()) if known.startswith(f"{PREFIX}{wanted}@")), None)
    if found is None:
        raise _no_model(name)
    return found


def _no_model(name: str) -> ModelUnavailable:
    return ModelUnavailable(f"Ollama has no model '{name}'.", f"Fetch it with: ollama pull {name}")


class OllamaEmbedder:
    """``model_id`` is one of ``list_models``; without a digest any version of that name is taken.

    ``shortened`` counts the texts of which the model saw only the beginning.
    """

    def __init__(self, server: Server, model_id: str = PREFIX + DEFAULT_MODEL, *, dimensions: int = 0) -> None:
        """``dimensions`` is what the index holds; 0 when there is no index yet."""
        self._server = server
        self._model_id = model_id if model_id.startswith(PREFIX) else PREFIX + model_id
        self._name, _, self._digest = self._model_id.removeprefix(PREFIX).partition("@")
        self._expected = dimensions
        self._sizes: tuple[int, int] | None = None
        self.shortened = 0

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def dimensions(self) -> int:
        return self._load()[1]

    @property
    def max_tokens(self) -> int:
        return self._load()[0]

    @property
    def languages(self) -> frozenset[str]:
        """Empty: the server does not tell, so no language is ruled out."""
        return frozenset()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        before = self._prefixes[0]
        rows = [
            self._embed([before + text for text in texts[start : start + BATCH]], PATIENCE)
            for start in range(0, len(texts), BATCH)
        ]
        return np.concatenate(rows) if rows else np.empty((0, self.dimensions), np.float32)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._embed([self._prefixes[1] + text], 0)[0]
        return vector

    def token_spans(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Approximate: see ``_TOKEN``."""
        return [
            np.array([match.span() for match in _TOKEN.finditer(text)], dtype=np.int32).reshape(-1, 2) for text in texts
        ]

    @property
    def _prefixes(self) -> tuple[str, str]:
        return _PREFIXES.get(self._name.partition(":")[0].rpartition("/")[2], ("", ""))

    def _load(self) -> tuple[int, int]:
        """(longest input, dimensions), asked once. Raises ``ModelUnavailable`` when the model is not the index's."""
        if self._sizes is None:
            self._check_weights()
            context, dimensions = self._server.sizes(self._name)
            context = context or _DEFAULT_CONTEXT
            if not dimensions:
                probe = self._server.embed(self._name, ["a"], context)
                dimensions = len(probe[0]) if probe else 0
            self._check_dimensions(dimensions)
            self._sizes = context, dimensions
        return self._sizes

    def _check_weights(self) -> None:
        wanted = self._name if ":" in self._name else f"{self._name}:latest"
        found = next((model for model in self._server.models() if model.name == wanted), None)
        if found is None:
            raise _no_model(self._name)
        if self._digest and _short(found.digest) != self._digest:
            raise ModelUnavailable(
                f"Ollama's '{self._name}' was replaced since the index was made.",
                "Index the source again with the new model; its vectors cannot be compared with the old ones.",
            )

    def _check_dimensions(self, dimensions: int) -> None:
        if not dimensions:
            raise ModelUnavailable(f"'{self._name}' gives no vectors.", "Choose an embedding model.")
        if self._expected and dimensions != self._expected:
            raise ModelUnavailable(
                f"'{self._name}' gives vectors of {dimensions} numbers, the index holds {self._expected}.",
                "Use the model that the index was made with, or index again.",
            )

    def _embed(self, texts: list[str], retries: int) -> Vectors:
        context, dimensions = self._load()
        limit = max(1, context - _SPARE)
        given = [self._cut(text, limit) for text in texts]
        vectors = self._server.embed(self._name, given, context, retries=retries)
        if vectors is None:
            given, vectors = self._embed_one_by_one(given, context)
        self.shortened += sum(len(seen) < len(text) for seen, text in zip(given, texts, strict=True))
        try:
            rows = np.array(vectors, dtype=np.float32)
        except (ValueError, TypeError) as error:
            raise ModelUnavailable(f"Ollama sent vectors of '{self._name}' that are not numbers.") from error
        if rows.shape != (len(texts), dimensions) or not np.isfinite(rows).all():
            raise ModelUnavailable(
                f"Ollama sent vectors of '{self._name}' that are not {dimensions} finite numbers each.",
                "Restart Ollama; if that does not help, choose another model.",
            )
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Vectors = (rows / np.maximum(lengths, 1e-12)).astype(np.float32)
        return unit

    def _cut(self, text: str, limit: int) -> str:
        """The text up to its ``limit``-th approximate token."""
        if len(text) <= limit:
            return text
        for count, match in enumerate(_TOKEN.finditer(text), start=1):
            if count > limit:
                return text[: match.start()]
        return text

    def _embed_one_by_one(self, texts: list[str], context: int) -> tuple[list[str], list[list[float]]]:
        """For a batch in which something was too long all the same: each text halved until the model takes it."""
        seen: list[str] = []
        vectors: list[list[float]] = []
        for text in texts:
            while (found := self._server.embed(self._name, [text], context)) is None:
                if len(text) < 2:
                    raise ModelUnavailable(f"'{self._name}' takes no text at all.", "Choose another model.")
                text = text[: len(text) // 2]
            seen.append(text)
            vectors += found
        return seen, vectors


def _short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:12]
