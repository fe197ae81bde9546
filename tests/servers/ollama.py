"""A made-up Ollama: models with a context limit, and vectors made of letter counts."""

from __future__ import annotations

from tests.servers.loopback import Loopback, Seen, as_json


class FakeOllama(Loopback):
    def __init__(self, *, context: int = 64, dimensions: int = 8) -> None:
        super().__init__()
        self.context = context
        self.dimensions = dimensions
        self.told = True
        """Whether ``show`` tells the context and the dimensions."""
        self.digest = "sha256:0123456789abcdef"
        self.vector: list[object] | None = None

    def answer(self, seen: Seen) -> tuple[int, dict[str, str], bytes] | None:
        match seen.path:
            case "/api/tags":
                models = [{"name": "nomic-embed-text:latest", "digest": self.digest}, {"odd": True}]
                return 200, {}, as_json({"models": models})
            case "/api/show":
                info = {"nomic-bert.context_length": self.context, "nomic-bert.embedding_length": self.dimensions}
                return 200, {}, as_json({"model_info": info if self.told else {}})
            case "/api/embed":
                return self._embed(seen.json())
            case _:
                return 404, {}, as_json({"error": "not found"})

    def inputs(self) -> list[str]:
        """All texts that were to be embedded, in order."""
        return [str(text) for seen in self.requests if seen.path == "/api/embed" for text in seen.json()["input"]]

    def _embed(self, body: dict[str, object]) -> tuple[int, dict[str, str], bytes]:
        texts = list(body["input"])
        # One token per letter is the worst that a real tokenizer does.
        if any(len(text.replace(" ", "")) > 4 * self.context for text in texts):
            return 400, {}, as_json({"error": "the input length exceeds the context length"})
        return 200, {}, as_json({"embeddings": [self.vector or self._vector(text) for text in texts]})

    def _vector(self, text: str) -> list[float]:
        return [1.0 + text.count(chr(ord("a") + index)) for index in range(self.dimensions)]
