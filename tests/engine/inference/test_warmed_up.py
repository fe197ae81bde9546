"""What a library loads when it is told to warm up: what every question needs, and not the weights."""

from __future__ import annotations

from pathlib import Path

from engine.inference.guard import GuardedEmbedder
from engine.inference.onnx import OnnxEmbedder
from engine.library import Library
from engine.paths import Home


def test_tokenizers_of_the_models_in_use_are_loaded_and_no_weights(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("A lamp.\n", "utf-8")
    home = Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs")
    with Library.open(home) as library:
        library.add(str(tmp_path / "vault"), name="one")
        library.warm_up()
        [(name, guarded)] = library._held.models._embedders.items()
        assert name == ""
        assert isinstance(guarded, GuardedEmbedder)
        embedder = guarded._embedder
        assert isinstance(embedder, OnnxEmbedder)
        assert embedder._loaded_tokenizer is not None
        assert embedder._loaded_session is None
