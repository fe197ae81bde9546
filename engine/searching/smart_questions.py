"""A question's vector by the very model and recipe that made a Smart Connections index, or a refusal with ways out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelUnavailable
from engine.inference.base import Embedder
from engine.inference.model_folders import open_with_recipe, way_to_get
from engine.paths import Home
from engine.sources.smart_models import SmartModel
from engine.sources.smart_text import cut_to_tokens

Vector = NDArray[np.float32]

_SPECIAL_TOKENS = 2
"""Begin and end marks, which a tokenizer adds to each text."""


def embedder_of(model: SmartModel, home: Home, threads: int = 0) -> Embedder:
    """The very model that made an index, run by the plugin's recipe. Raises ``ModelUnavailable`` with the ways out."""
    others = "Or let Lamplight index the vault itself; related notes work without a model."
    if model.recipe is None or not model.folder:
        name = model.key or "a model that Lamplight does not know"
        raise ModelUnavailable(f"The vectors were made by {name}, which Lamplight cannot run.", others)
    try:
        return open_with_recipe(home, model.folder, model.recipe, threads=threads)
    except ModelUnavailable as error:
        raise ModelUnavailable(
            f"The vectors were made by {model.key}, which is not on this machine.",
            f"{way_to_get(model.folder)} {others}",
        ) from error


def embed_question(model: SmartModel, embedder: Embedder, text: str) -> Vector:
    """A question's vector, cut as the plugin cuts it."""
    prefix = model.recipe.query_prefix if model.recipe else ""
    return embedder.embed_query(cut_to_tokens(text, prefix, model.max_tokens, token_counter(embedder)))


def token_counter(embedder: Embedder) -> Callable[[str], int]:
    return lambda text: len(embedder.token_spans([text])[0]) + _SPECIAL_TOKENS
