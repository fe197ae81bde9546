"""The embedding models of a library that are in use: each is opened once, when it is first asked for, and guarded."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable

from engine.errors import EngineError
from engine.inference.base import Embedder
from engine.inference.guard import CrashMark, GuardedEmbedder
from engine.inference.ollama import is_ollama
from engine.inference.onnx import load_library


class LoadedModels:
    """Safe from any thread. ``open_model`` opens the model of a name, as ``catalog.open_embedder`` does."""

    def __init__(self, open_model: Callable[[str], Embedder], mark: CrashMark) -> None:
        self._open_model, self._mark = open_model, mark
        self._lock = threading.Lock()
        self._embedders: dict[str, Embedder] = {}

    def get(self, name: str) -> Embedder:
        """The embedder that a source asks for by its catalogue name; empty means the built-in one."""
        with self._lock:
            if name not in self._embedders:
                self._embedders[name] = GuardedEmbedder(self._open_model(name), self._mark)
            return self._embedders[name]

    def warm_up(self, names: Iterable[str]) -> None:
        """Load now what holds every thread for a moment when it is loaded: the tokenizers of these models and of the
        built-in one, and what runs models."""
        for name in sorted({"", *names}):
            with contextlib.suppress(EngineError):  # Told when it is needed.
                if not is_ollama(name):
                    self.get(name).token_spans(["lamp"])
        load_library()
