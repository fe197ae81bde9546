"""What the Smart Connections plugin is set to: its model, and what it hides. Reads two files and keeps little of them.

The model records may hold keys of paid services: nothing but the named fields is ever kept, shown or logged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.files import read_ordinary
from engine.sources.smart_log import Tally, read_lines
from engine.sources.smart_models import SmartModel, fingerprint, model_of_key

SETTINGS_FILE = "smart_env.json"
_MODEL_RECORD = "embedding_models:"


@dataclass(frozen=True, slots=True)
class PluginSettings:
    configured: str = ""
    """Key of the model that the plugin is set to; empty when it does not say."""
    said_by: str = ""
    """Where that stands: ``settings``, ``newest record`` or ``legacy settings``."""
    records: tuple[SmartModel, ...] = ()
    """Models that the plugin has records of, with the fingerprints they give."""
    hides_front_matter: bool = True


def read_settings(folder: Path) -> PluginSettings:
    """The settings in the plugin's data folder; files that are missing or damaged count as empty."""
    env = _read_json(folder / SETTINGS_FILE)
    records = _model_records(folder / "embedding_models" / "embedding_models.ajson")
    configured, said_by = _configured(env, records)
    models = tuple(_model(record) for record in records.values() if record.get("model_key"))
    hides = _at(env, "connections_lists").get("exclude_frontmatter_blocks")
    return PluginSettings(configured, said_by, models, hides is not False)


def _read_json(file: Path) -> Mapping[str, Any]:
    try:
        value = json.loads(read_ordinary(file))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _model_records(file: Path) -> dict[str, Mapping[str, Any]]:
    """The plugin's model records by key, deleted ones left out, reduced to what identifies a model."""
    kept: dict[str, Mapping[str, Any]] = {}
    fields = ("provider_key", "model_key", "dims", "dimensions", "max_tokens", "created_at", "embedding_space_id")
    try:
        for key, value in read_lines(file, Tally()):
            name = key.removeprefix(_MODEL_RECORD)
            if isinstance(value, dict):
                kept[name] = {field: value[field] for field in fields if field in value}
            else:
                kept.pop(name, None)
    except OSError:
        return {}
    return kept


def _configured(env: Mapping[str, Any], records: Mapping[str, Mapping[str, Any]]) -> tuple[str, str]:
    default = str(_at(env, "embedding_models").get("default_model_key"))
    if default in records and records[default].get("model_key"):
        return str(records[default]["model_key"]), "settings"
    dated = [record for record in records.values() if record.get("model_key")]
    if dated:
        newest = max(dated, key=lambda record: _moment(record.get("created_at")))
        return str(newest["model_key"]), "newest record"
    # Written by defaults, so it may be stale: the last thing to believe.
    legacy = _at(_at(env, "smart_sources"), "embed_model")
    key = _at(legacy, str(legacy.get("adapter"))).get("model_key")
    return (key, "legacy settings") if isinstance(key, str) and key else ("", "")


def _model(record: Mapping[str, Any]) -> SmartModel:
    key, dimensions, limit = str(record["model_key"]), _size(record), record.get("max_tokens")
    if not dimensions or not isinstance(limit, int):
        return model_of_key(key, dimensions)
    provider, space = str(record.get("provider_key") or "transformers"), record.get("embedding_space_id")
    spaces = ["", space] if isinstance(space, str) else [""]
    known = model_of_key(key)
    recipe, folder = (known.recipe, known.folder) if known.dimensions == dimensions else (None, "")
    marks = tuple(fingerprint(key, dimensions, limit, each, provider) for each in spaces)
    return SmartModel(key, dimensions, limit, recipe, folder, marks)


def _size(record: Mapping[str, Any]) -> int:
    size = record.get("dims", record.get("dimensions"))
    return size if isinstance(size, int) and not isinstance(size, bool) and 0 < size <= 8192 else 0


def _moment(value: object) -> str:
    """Sorts times whether they are numbers or ISO dates; what has none is oldest."""
    try:
        return f"{value:020.0f}" if isinstance(value, int | float) else str(value or "")
    except OverflowError:
        return ""


def _at(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}
