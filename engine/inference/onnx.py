"""Sentence embeddings by onnxruntime, from a model file and a tokenizer file on this disk.

Owns tokenising, batching, pooling and normalising. Never reaches for the network: a missing file is an error that
says where the file should be.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine import memory
from engine.errors import ModelUnavailable
from engine.inference.base import TokenSpans, Vectors
from engine.inference.tokenizer import load_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

T = TypeVar("T")

Pooling = Literal["mean", "cls"]

NICENESS = 10
"""Added to the priority value of the threads in which the model runs."""

BATCH = 8
"""Texts per run. Measured: larger batches spill the cache and are slower on two to four cores."""

REST_SECONDS = 120.0
"""Without a question for so long, the weights and the tokenizer are let go of, 150 MB; loading them again takes half a
second."""

PIECE = 5000
"""Characters per tokenizer call. One call holds the interpreter lock, for a second per megabyte."""

_CHARACTERS_PER_TOKEN = 20
"""More characters than this per token that the model reads are cut before tokenising."""

_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model's output becomes one vector. Part of the model's identity: another recipe, other vectors."""

    dimensions: int = 384
    max_tokens: int = 256
    """Special tokens included."""
    pooling: Pooling = "mean"
    document_prefix: str = ""
    query_prefix: str = ""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where the weights and the tokenizer lie."""

    weights: Path
    tokenizer: Path
    sha256: str = ""
    """What the weights must hash to; empty when any weights are taken."""


class OnnxEmbedder:
    """An ``Embedder`` over one ONNX file. All calls are safe from any thread.

    Weights load on first use and are let go of after a rest.
    """

    def __init__(
        self,
        name: str,
        files: ModelFiles,
        recipe: Recipe,
        *,
        languages: frozenset[str] = frozenset(),
        threads: int = 0,
    ) -> None:
        self._name = name
        self._files = files
        self._recipe = recipe
        self._languages = languages
        self._threads = threads or default_threads()
        self._lock = threading.Lock()
        self._loaded_tokenizer: Tokenizer | None = None
        self._loaded_session: Any = None
        self._used = 0.0
        self._resting: threading.Thread | None = None

    @property
    def model_id(self) -> str:
        digest = self._files.sha256 or hash_file(self._files.weights)
        recipe = hashlib.sha256(repr(self._recipe).encode()).hexdigest()
        return f"{self._name}@{digest[:12]}-{recipe[:6]}"

    @property
    def dimensions(self) -> int:
        return self._recipe.dimensions

    @property
    def max_tokens(self) -> int:
        return self._recipe.max_tokens

    @property
    def languages(self) -> frozenset[str]:
        return self._languages

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """L2-normalised rows, shape (len(texts), dimensions), in the order of ``texts``."""
        return self._embed([self._recipe.document_prefix + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """One L2-normalised vector, shape (dimensions,)."""
        vector: Vectors = self._embed([self._recipe.query_prefix + text])[0]
        return vector

    def token_spans(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Character offsets [start, end) of each token, special tokens left out; long texts are cut inside."""
        tokenizer = self._tokenizer()
        cuts = [list(cut_pieces(text)) for text in texts]
        pieces = [_clean(text[start:end]) for text, cut in zip(texts, cuts, strict=True) for start, end in cut]
        encodings = iter(tokenizer.encode_batch(pieces, add_special_tokens=False))
        return [_join_spans([(start, next(encodings).offsets) for start, _ in cut]) for cut in cuts]

    def _embed(self, texts: list[str]) -> Vectors:
        vectors = np.zeros((len(texts), self._recipe.dimensions), np.float32)
        rows = self._token_ids(texts)
        # Texts of one length side by side waste no work on padding.
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            vectors[batch] = self._run([rows[i] for i in batch])
        return vectors

    def _token_ids(self, texts: list[str]) -> list[list[int]]:
        limit = self._recipe.max_tokens
        bounded = [_clean(text[: limit * _CHARACTERS_PER_TOKEN]) for text in texts]
        rows = [encoding.ids for encoding in self._tokenizer().encode_batch_fast(bounded)]
        # Cut here and not in the tokenizer, whose state every thread shares; the end mark stays.
        return [ids if len(ids) <= limit else ids[: limit - 1] + ids[-1:] for ids in rows]

    def _run(self, rows: list[list[int]]) -> Vectors:
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        mask = np.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        session, inputs = self._session()
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        tokens = session.run(None, {name: feed[name] for name in inputs})[0]
        if tokens.shape[-1] != self._recipe.dimensions:
            raise ModelUnavailable(
                f"The model {self._files.weights} makes vectors of {tokens.shape[-1]} numbers, "
                f"not {self._recipe.dimensions}.",
                "Put the right weights there, or correct its recipe.",
            )
        vectors = _pool(tokens, mask, self._recipe.pooling)
        if not np.isfinite(vectors).all():
            raise ModelUnavailable(
                f"The model {self._files.weights} makes vectors that are not finite numbers.",
                "Choose another model, or put undamaged weights there.",
            )
        return vectors

    def _tokenizer(self) -> Tokenizer:
        with self._lock:
            if self._loaded_tokenizer is None:
                self._loaded_tokenizer = load_tokenizer(self._files.tokenizer)
            return self._loaded_tokenizer

    def _session(self) -> tuple[Any, tuple[str, ...]]:
        with self._lock:
            self._used = time.monotonic()
            if self._loaded_session is None:
                self._loaded_session = load_session(self._files, self._threads)
                self._resting = threading.Thread(target=self._rest, name="a model's rest", daemon=True)
                self._resting.start()
            session = self._loaded_session
        return session, tuple(each.name for each in session.get_inputs())

    def _rest(self) -> None:
        """Let go of weights and tokenizer once nobody has asked for them for a while: one thread from load to rest."""
        while self._still_used():
            time.sleep(max(0.0, self._used + REST_SECONDS - time.monotonic()))
        memory.give_back()

    def _still_used(self) -> bool:
        with self._lock:
            used = time.monotonic() < self._used + REST_SECONDS
            if not used:
                self._loaded_session = self._loaded_tokenizer = None
            return used


def default_threads() -> int:
    """Half the processors this process may use (the other half are often their siblings), 1 to 4."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return usable if usable <= 2 else min(4, usable // 2)


@functools.cache
def hash_file(path: Path) -> str:
    """SHA-256 hex of a file, computed once per process. Raises ``ModelUnavailable``."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailable(
            f"The embedding model's file {path} cannot be read ({error.strerror}).",
            "Put it back, or set Lamplight up again.",
        ) from error


def load_library() -> Any:
    """onnxruntime, without a model: 250 ms, not needed to show the window, and every thread waits for some of them."""
    memory.keep_little()
    import onnxruntime

    # On Windows it reports by way of the system, which the variable set in ``engine`` does not end.
    onnxruntime.disable_telemetry_events()
    return onnxruntime


def load_session(files: ModelFiles, threads: int) -> Any:
    """An onnxruntime session over verified weights. Raises ``ModelUnavailable``."""
    digest = hash_file(files.weights)
    if files.sha256 and digest != files.sha256:
        raise ModelUnavailable(
            f"The embedding model's file {files.weights} is damaged: its checksum is not the known one.",
            "Set Lamplight up again to replace it.",
        )
    onnxruntime = load_library()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Plans for each shape of input are kept with their memory: 100 MB after a few hundred passages, and no faster.
    options.enable_mem_pattern = False
    # Idle threads that spin would take the processor from the window.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")

    def load() -> Any:
        return onnxruntime.InferenceSession(str(files.weights), options, providers=["CPUExecutionProvider"])

    try:
        session = _call_with_low_priority(load)
    except Exception as error:  # the library's errors share no narrower base
        raise ModelUnavailable(f"The embedding model {files.weights} cannot be loaded ({error}).") from error
    strange = {each.name for each in session.get_inputs()} - _INPUTS
    if strange:
        raise ModelUnavailable(
            f"The model {files.weights} is no sentence encoder: it asks for {', '.join(sorted(strange))}.",
            "Choose a model of the catalogue.",
        )
    return session


def _call_with_low_priority(make: Callable[[], T]) -> T:
    """Call ``make`` on a thread of low priority; the threads that it starts inherit that (on Linux alone).

    The session's own threads never hold the interpreter's lock, so whatever draws the window may always go first.
    """
    if sys.platform != "linux":
        return make()
    with ThreadPoolExecutor(1, "lamplight-model", _lower_priority) as executor:
        return executor.submit(make).result()


def _lower_priority() -> None:
    thread = threading.get_native_id()
    os.setpriority(os.PRIO_PROCESS, thread, min(19, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS))


def cut_pieces(text: str, size: int = PIECE) -> Iterator[tuple[int, int]]:
    """Offsets [start, end) of consecutive pieces of at most ``size`` characters, cut after white space if any."""
    start = 0
    while len(text) - start > size:
        end = start + size
        while end > start and not text[end - 1].isspace():
            end -= 1
        if end == start:
            end = start + size
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _join_spans(pieces: list[tuple[int, list[tuple[int, int]]]]) -> TokenSpans:
    spans = [np.asarray(offsets, np.int32).reshape(-1, 2) + start for start, offsets in pieces]
    return np.concatenate(spans) if spans else np.empty((0, 2), np.int32)


def _clean(text: str) -> str:
    """Half characters (lone surrogates), which the tokenizer refuses, replaced one for one."""
    return _SURROGATE.sub("\ufffd", text)


def _pool(tokens: NDArray[np.float32], mask: NDArray[np.int64], pooling: Pooling) -> Vectors:
    """One vector per text from token vectors of shape (texts, tokens, dimensions)."""
    if tokens.ndim == 2:
        vectors = tokens
    elif pooling == "cls":
        vectors = tokens[:, 0]
    else:
        weights = mask[:, :, None].astype(np.float32)
        vectors = (tokens * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    normalised: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return normalised
