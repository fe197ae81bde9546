"""The seam between Lamplight and an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
TokenSpans = NDArray[np.int32]


class Embedder(Protocol):
    """Text to vectors. Documents and queries are different calls: some models prefix them differently.

    Implementations are safe to call from one thread at a time and load their weights on first use.
    """

    @property
    def model_id(self) -> str:
        """Names weights *and* recipe; vectors of different ids are never compared."""

    @property
    def dimensions(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """Tokens that the model sees of one text, special tokens included."""

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 codes the model knows; empty means any."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """L2-normalised rows, shape (len(texts), dimensions), in the order of ``texts``.

        Raises ``ModelUnavailable`` when the weights are missing or damaged.
        """

    def embed_query(self, text: str) -> Vectors:
        """One L2-normalised vector, shape (dimensions,)."""

    def token_spans(self, texts: Sequence[str]) -> list[TokenSpans]:
        """Character offsets [start, end) of each token of each text, special tokens left out.

        Not truncated; long texts are cut into bounded pieces inside, since one huge call would hold the
        interpreter lock for a second per megabyte.
        """
