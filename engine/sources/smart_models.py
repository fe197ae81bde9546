"""Which embedding models made the vectors of a Smart Connections index: text hashes, fingerprints, known models.

Pure. Never guesses: a fingerprint that neither the table nor the plugin's own model records explain stays unknown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from engine.inference.onnx import Recipe

_MASK = 0xFFFFFFFF
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RECIPE_OF_ARCTIC = Recipe(
    max_tokens=512, pooling="cls", query_prefix="Represent this sentence for searching relevant passages: "
)


def text_hash(text: str) -> str:
    """The plugin's hash of a text: murmur3 (32 bit, seed 0) over the low byte of each UTF-16 unit, in base 36.

    Blind to everything above the low byte, so two different Chinese texts may share it.
    """
    low = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint8)[::2]
    whole = len(low) // 4 * 4
    value = 0
    for block in _scrambled(np.ascontiguousarray(low[:whole]).view("<u4")).tolist():
        value ^= block
        value = ((value << 13 | value >> 19) * 5 + 0xE6546B64) & _MASK
    tail = int.from_bytes(low[whole:].tobytes(), "little")
    if tail:
        value ^= int(_scrambled(np.array([tail], np.uint32))[0])
    return base36(_finished(value ^ len(low)))


def _scrambled(blocks: np.typing.NDArray[np.uint32]) -> np.typing.NDArray[np.uint32]:
    mixed = blocks * np.uint32(0xCC9E2D51)
    mixed = (mixed << np.uint32(15)) | (mixed >> np.uint32(17))
    return mixed * np.uint32(0x1B873593)


def _finished(value: int) -> int:
    value ^= value >> 16
    value = value * 0x85EBCA6B & _MASK
    value ^= value >> 13
    value = value * 0xC2B2AE35 & _MASK
    return value ^ value >> 16


def base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"


def fingerprint(
    model_key: str, dimensions: int, max_tokens: int, space: str = "", provider: str = "transformers"
) -> str:
    """``mf_…``: the name under which the plugin files a model's vectors."""
    profile: dict[str, object] = {
        "provider_key": provider,
        "model_key": model_key,
        "dimensions": dimensions,
        "max_tokens": max_tokens,
    }
    if space:
        profile["embedding_space_id"] = space
    return "mf_" + text_hash(json.dumps(profile, separators=(",", ":"), ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class SmartModel:
    """A model as the plugin uses it."""

    key: str
    """As the plugin writes it; empty when unknown."""
    dimensions: int
    max_tokens: int = 512
    recipe: Recipe | None = None
    """How the plugin makes vectors with it; ``None`` when that is not known."""
    folder: str = ""
    """Name of its folder among Lamplight's models."""
    fingerprints: tuple[str, ...] = ()


MODELS: tuple[SmartModel, ...] = (
    SmartModel("TaylorAI/bge-micro-v2", 384, 512, Recipe(max_tokens=512), "bge-micro-v2", ("mf_ccarbz",)),
    SmartModel(
        "Xenova/multilingual-e5-small",
        384,
        512,
        Recipe(max_tokens=512, query_prefix="query: ", document_prefix="passage: "),
        "multilingual-e5-small",
        ("mf_7gwptj", "mf_2qskxj"),
    ),
    SmartModel(
        "Snowflake/snowflake-arctic-embed-xs",
        384,
        512,
        _RECIPE_OF_ARCTIC,
        "snowflake-arctic-embed-xs",
        ("mf_in00wz", "mf_ivvcp5"),
    ),
    SmartModel(
        "Snowflake/snowflake-arctic-embed-s",
        384,
        512,
        _RECIPE_OF_ARCTIC,
        "snowflake-arctic-embed-s",
        ("mf_jrec4m", "mf_1i88zld"),
    ),
    SmartModel(
        "onnx-community/granite-embedding-97m-multilingual-r2-ONNX",
        384,
        512,
        Recipe(max_tokens=512, pooling="cls"),
        "granite-embedding-97m-multilingual-r2",
        ("mf_5tedf6", "mf_6dccyl"),
    ),
    SmartModel(
        "onnx-community/DenseOn-ONNX",
        768,
        512,
        Recipe(dimensions=768, max_tokens=512, pooling="cls", query_prefix="query: ", document_prefix="document: "),
        "denseon",
        ("mf_rvd28", "mf_14p04ky"),
    ),
    *(
        SmartModel(key, dimensions, max_tokens, fingerprints=(print_,))
        for key, dimensions, max_tokens, print_ in (
            ("TaylorAI/gte-tiny", 384, 512, "mf_1ep8yrs"),
            ("Xenova/bge-small-en-v1.5", 384, 512, "mf_txq8zw"),
            ("andersonbcdefg/bge-small-4096", 384, 4096, "mf_d96pf9"),
            ("Xenova/jina-embeddings-v2-small-en", 512, 8192, "mf_17atwvz"),
            ("Xenova/jina-embeddings-v2-base-zh", 768, 8192, "mf_vkvrls"),
            ("nomic-ai/nomic-embed-text-v1.5", 768, 2048, "mf_q826iq"),
            ("nomic-ai/nomic-embed-text-v1", 768, 2048, "mf_1i44tsh"),
            ("onnx-community/embeddinggemma-300m-ONNX", 768, 2048, "mf_1iyekf6"),
            ("Snowflake/snowflake-arctic-embed-m", 768, 512, "mf_1cz2sqz"),
            ("Mihaiii/Ivysaur", 384, 512, "mf_1aukbhx"),
        )
    ),
)
"""The plugin's built-in profiles, which can be asked questions, then others that are known by fingerprint only."""

_BY_KEY: Mapping[str, SmartModel] = {model.key: model for model in MODELS}
_BY_FINGERPRINT: Mapping[str, SmartModel] = {mark: model for model in MODELS for mark in model.fingerprints}


def model_of_key(key: str, dimensions: int = 0) -> SmartModel:
    """The model that the plugin calls ``key``; one that is not known has the given dimensions and no recipe."""
    return _BY_KEY.get(key) or SmartModel(key, dimensions)


def models_by_fingerprint(records: Iterable[SmartModel] = ()) -> dict[str, SmartModel]:
    """Known fingerprints: those of ``records`` (see ``smart_settings``), then those of the table, which win."""
    own = {mark: record for record in records for mark in record.fingerprints}
    return own | dict(_BY_FINGERPRINT)
