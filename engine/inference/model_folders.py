"""Folders of embedding models: what is there, taking in a new one, and opening one with a given recipe.

Every file that is taken in is hashed while it is copied, and the hashes are kept beside it. Never reaches for the
network.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

import tomlkit

from engine.errors import BadRequest, DiskFull, ModelUnavailable
from engine.inference.catalog import BUILT_IN, CATALOGUE, LARGEST, built_in_files, check_recipe
from engine.inference.onnx import ModelFiles, OnnxEmbedder, Recipe
from engine.model import ModelInfo
from engine.paths import Home, make_private_folder

CHECKSUMS = "checksums.toml"
WEIGHTS, TOKENIZER = "model.onnx", "tokenizer.json"
_WEIGHT_PLACES = (WEIGHTS, "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_MORE_WEIGHTS = "model.onnx_data"
"""Weights above two gigabytes, which stand beside the model's own file and are named in it."""


def overview(home: Home, used: Mapping[str, str] | None = None) -> list[ModelInfo]:
    """Every model of the catalogue and every folder beside them; the built-in one first.

    ``used`` names the model of each source (empty: the built-in one), by the source's name.
    """
    folders = {folder.name for folder in home.models.glob("*/") if not folder.name.startswith(".")}
    users: dict[str, list[str]] = {}
    for source, model_id in (used or {}).items():
        users.setdefault(model_id or BUILT_IN, []).append(source)
    names = [*CATALOGUE, *sorted(folders - set(CATALOGUE))]
    return [dataclasses.replace(model_info(home, name), used_by=tuple(sorted(users.get(name, ())))) for name in names]


def model_info(home: Home, model_id: str) -> ModelInfo:
    known = CATALOGUE.get(model_id)
    folder = home.models / model_id
    recorded = _recorded(folder)
    weights = str(_table(recorded, "files").get(WEIGHTS, ""))
    files = built_in_files() if model_id == BUILT_IN else folder.glob("*")
    size = sum(file.stat().st_size for file in files if file.is_file())
    recipe = known.recipe if known else Recipe(dimensions=_dimensions(folder))
    return ModelInfo(
        model_id,
        known.name if known else str(recorded.get("name", model_id)),
        known.licence if known else str(recorded.get("licence", "")),
        recipe.dimensions,
        known.languages if known else frozenset(),
        size,
        model_id == BUILT_IN or all((folder / name).is_file() for name in (WEIGHTS, TOKENIZER)),
        weights,
        known.note if known else "",
    )


def import_folder(home: Home, source: Path, model_id: str, *, name: str = "", replace: bool = False) -> ModelInfo:
    """Copy a model into Lamplight's folder, try it out and record its hashes.

    ``source`` holds ``model.onnx`` (or ``onnx/model.onnx``) and ``tokenizer.json``. The recipe comes from the
    catalogue, from ``recipe.toml``, or from the model's own configuration. Raises ``BadRequest`` or
    ``ModelUnavailable``; then nothing has changed.
    """
    target = _target(home, model_id)
    if target.exists() and not replace:
        raise BadRequest(f"There is a model '{model_id}' already.", "Remove it first, or replace it.")
    weights = next((source / place for place in _WEIGHT_PLACES if (source / place).is_file()), None)
    if weights is None or not (source / TOKENIZER).is_file():
        raise ModelUnavailable(
            f"{source} is not a model that can be used: it needs model.onnx and tokenizer.json.",
            "Export the model to ONNX, or fetch it with these two files.",
        )
    recipe = _recipe_of(source, model_id)
    make_private_folder(home.models)
    fresh = Path(tempfile.mkdtemp(dir=home.models, prefix=".import-"))
    try:
        hashes = {WEIGHTS: _copy(weights, fresh / WEIGHTS), TOKENIZER: _copy(source / TOKENIZER, fresh / TOKENIZER)}
        more = weights.with_name(weights.name + "_data")
        if more.is_file():
            hashes[_MORE_WEIGHTS] = _copy(more, fresh / more.name)
        _write_records(fresh, model_id, recipe, name, hashes)
        _try_out(fresh, recipe)
        if target.exists():
            shutil.rmtree(target)
        fresh.rename(target)
    except OSError as error:
        raise DiskFull(f"The model cannot be copied ({error.strerror}).", "Free some space, then try again.") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return model_info(home, model_id)


def remove_folder(home: Home, model_id: str) -> None:
    """Delete a model's files. Raises ``BadRequest`` when there is no such folder."""
    target = _target(home, model_id)
    if not target.is_dir():
        raise BadRequest(f"There is no model '{model_id}' on this machine.")
    shutil.rmtree(target)


def check_files(home: Home, model_id: str) -> tuple[str, ...]:
    """Names of files that no longer hash to what was recorded. Empty when all do, or nothing was recorded."""
    folder = home.models / model_id
    recorded = _table(_recorded(folder), "files")
    return tuple(name for name, digest in recorded.items() if _hash_or_none(folder / name) != digest)


def open_with_recipe(home: Home, model_id: str, recipe: Recipe, *, threads: int = 0) -> OnnxEmbedder:
    """A model folder of this machine run by exactly ``recipe``, whatever its own says. Raises ``ModelUnavailable``."""
    folder = home.models / model_id
    digest = str(_table(_recorded(folder), "files").get(WEIGHTS, ""))
    files = ModelFiles(folder / WEIGHTS, folder / TOKENIZER, digest)
    if not files.weights.is_file() or not files.tokenizer.is_file():
        raise ModelUnavailable(f"The model '{model_id}' is not on this machine.", way_to_get(model_id))
    languages = CATALOGUE[model_id].languages if model_id in CATALOGUE else frozenset[str]()
    return OnnxEmbedder(model_id, files, recipe, languages=languages, threads=threads)


def way_to_get(model_id: str) -> str:
    name = CATALOGUE[model_id].name if model_id in CATALOGUE else model_id
    return f"Get the folder of {name} in ONNX form, then: lamplight models import {model_id} FOLDER."


# --- taking in ----------------------------------------------------------------------------------------------------


def _target(home: Home, model_id: str) -> Path:
    if not model_id or model_id.startswith(".") or Path(model_id).name != model_id or "\\" in model_id:
        raise BadRequest(f"'{model_id}' cannot be the name of a model folder.")
    if model_id == BUILT_IN:
        raise BadRequest(f"'{model_id}' is built in.", "Choose another name.")
    return home.models / model_id


def _copy(source: Path, target: Path) -> str:
    """Copy a file; returns the SHA-256 hex of what was copied."""
    digest = hashlib.sha256()
    with source.open("rb") as old, target.open("wb") as new:
        while piece := old.read(1 << 20):
            digest.update(piece)
            new.write(piece)
    return digest.hexdigest()


def _recipe_of(source: Path, model_id: str) -> Recipe:
    """The recipe of a model that is taken in. Raises ``ModelUnavailable`` when nothing tells it."""
    known = CATALOGUE.get(model_id)
    config = _json(source / "config.json")
    width = config.get("hidden_size")
    if known is not None:
        if isinstance(width, int) and width != known.recipe.dimensions:
            raise ModelUnavailable(
                f"This is not {known.name}: its vectors have {width} numbers, not {known.recipe.dimensions}.",
                "Give the folder of the right model, or another name.",
            )
        return known.recipe
    if (source / "recipe.toml").is_file():
        return _written_recipe(source / "recipe.toml")
    pooling = _json(source / "1_Pooling" / "config.json")
    method = (
        "cls" if pooling.get("pooling_mode_cls_token") else "mean" if pooling.get("pooling_mode_mean_tokens") else ""
    )
    if not isinstance(width, int) or not method:
        raise ModelUnavailable(
            f"{source} does not say how its vectors are made.",
            "Put a recipe.toml beside it with dimensions, max_tokens and pooling from the model's description.",
        )
    longest = _json(source / "sentence_bert_config.json").get("max_seq_length")
    limit = longest if isinstance(longest, int) else _longest(config)
    if not (0 < width <= LARGEST and 0 < limit <= LARGEST):
        raise ModelUnavailable(f"{source} speaks of vectors of {width} numbers and texts of {limit} tokens.")
    return Recipe(dimensions=width, max_tokens=limit, pooling="cls" if method == "cls" else "mean")


def _longest(config: Mapping[str, object]) -> int:
    positions = config.get("max_position_embeddings")
    return min(positions, 512) if isinstance(positions, int) else 512


def _written_recipe(file: Path) -> Recipe:
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelUnavailable(f"{file} cannot be read ({error}).", "Correct the file.") from error
    names = {field.name for field in dataclasses.fields(Recipe)}
    known = {name: value for name, value in values.items() if name in names}
    if reason := check_recipe(known, []):
        raise ModelUnavailable(f"{file}: {reason}.", "Correct the file.")
    return Recipe(**known)


def _write_records(folder: Path, model_id: str, recipe: Recipe, name: str, hashes: Mapping[str, str]) -> None:
    if model_id not in CATALOGUE:
        (folder / "recipe.toml").write_text(tomlkit.dumps(dataclasses.asdict(recipe)), "utf-8")
    recorded = {
        "name": name or (CATALOGUE[model_id].name if model_id in CATALOGUE else model_id),
        "files": dict(hashes),
    }
    (folder / CHECKSUMS).write_text(tomlkit.dumps(recorded), "utf-8")


def _try_out(folder: Path, recipe: Recipe) -> None:
    """Embed one word: what cannot do that is no model, and now is the time to hear of it."""
    OnnxEmbedder("new", ModelFiles(folder / WEIGHTS, folder / TOKENIZER), recipe, threads=1).embed_query("lamp")


# --- what is recorded ---------------------------------------------------------------------------------------------


def _recorded(folder: Path) -> dict[str, object]:
    try:
        return tomllib.loads((folder / CHECKSUMS).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}


def _dimensions(folder: Path) -> int:
    try:
        value = tomllib.loads((folder / "recipe.toml").read_text("utf-8")).get("dimensions")
    except (OSError, ValueError, RecursionError):
        value = None
    return value if isinstance(value, int) else 0


def _table(values: Mapping[str, object], name: str) -> Mapping[str, object]:
    table = values.get(name)
    return table if isinstance(table, dict) else {}


def _json(file: Path) -> dict[str, object]:
    try:
        value = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _hash_or_none(file: Path) -> str | None:
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return None
