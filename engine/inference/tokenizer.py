"""A model's ``tokenizer.json``, loaded without the padding and truncation that the file asks for.

Owns only the loading. In steps, because each holds the interpreter's lock: the library reads a whole file in one go of
60 ms, in which a window cannot answer to a key.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import ModelUnavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def load_tokenizer(path: Path) -> Tokenizer:
    """Raises ``ModelUnavailable``."""
    if not path.is_file():
        raise ModelUnavailable(f"The embedding model has no tokenizer: {path} is missing.", "Put the file there.")
    try:
        tokenizer = _load(json.loads(path.read_text("utf-8")))
    except Exception as error:  # the library raises no narrower type
        raise ModelUnavailable(f"The tokenizer {path} cannot be read ({error}).", "Replace the file.") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _load(document: dict[str, Any]) -> Tokenizer:
    from tokenizers import Tokenizer  # 33 ms, not needed to show the window
    from tokenizers.models import WordPiece

    model = document["model"]
    if model.get("type") != "WordPiece":
        return Tokenizer.from_str(json.dumps(document))
    words, added = model["vocab"], {word["content"]: word["id"] for word in document["added_tokens"]}
    tokenizer = Tokenizer.from_str(json.dumps({**document, "model": {**model, "vocab": added}}))
    rest = {name: value for name, value in model.items() if name not in ("type", "vocab")}
    tokenizer.model = WordPiece(words, **rest)
    return tokenizer
