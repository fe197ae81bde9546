"""Shipped data is found from source and from a bundle, and is what its makers published."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

import resources


def test_the_tokenizer_is_the_published_one_with_its_licence() -> None:
    folder = resources.path("models", "all-minilm-l6-v2")
    digest = hashlib.sha256((folder / "tokenizer.json").read_bytes()).hexdigest()
    assert digest == "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
    assert "Apache License" in (folder / "LICENSE").read_text("utf-8")
    assert "all-MiniLM-L6-v2" in (folder / "NOTICE").read_text("utf-8")


def test_a_bundle_keeps_its_resources_beside_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert resources.path("icons", "a.svg") == tmp_path / "resources" / "icons" / "a.svg"
