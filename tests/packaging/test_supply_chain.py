"""What Lamplight is made of: pinned to the byte, listed for programs, and the same list for the same contents."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from engine.inference import catalog

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "packaging" / "requirements.lock").read_text("utf-8")
ENTRIES = re.findall(r"^([A-Za-z0-9._-]+)==(\S+)(.*?)(?=^\S|\Z)", LOCK, re.MULTILINE | re.DOTALL)


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    sys.path.insert(0, str(ROOT / "packaging"))
    import package

    made = package.parts_list(["numpy", "PySide6", "httpx", "yaml"], [])
    assert made == package.parts_list(["yaml", "httpx", "PySide6", "numpy"], [])
    document: dict[str, Any] = json.loads(made)
    return document


def test_every_locked_distribution_is_pinned_by_hash() -> None:
    assert len(ENTRIES) > 50
    loose = [line for line in LOCK.splitlines() if line and not line.startswith((" ", "#")) and "==" not in line]
    assert loose == []
    assert [name for name, _, rest in ENTRIES if not re.search(r"--hash=sha256:[0-9a-f]{64}\b", rest)] == []
    assert re.search(r"https?://|--(extra-)?index-url|--find-links|\bmd5\b|\bsha1\b", LOCK) is None


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {plain(re.match(r"[A-Za-z0-9._-]+", text)[0]) for text in wanted}  # type: ignore[index]
    assert names <= {plain(name) for name, _, _ in ENTRIES}


def test_the_lock_is_installed_with_its_hashes() -> None:
    assert "--require-hashes" in (ROOT / "packaging" / "dev.py").read_text("utf-8")


def test_the_bill_of_materials_names_what_is_in_it(bill: dict[str, Any]) -> None:
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", bill["serialNumber"])
    parts = {part["name"]: part for part in bill["components"]}
    numpy = parts["numpy"]
    assert numpy["purl"] == f"pkg:pypi/numpy@{metadata.version('numpy')}"
    assert numpy["licenses"]
    assert {"numpy", "httpx", "PyYAML", "all-minilm-l6-v2"} <= parts.keys()
    assert all(re.fullmatch("[0-9a-f]{64}", one["value"]) for one in numpy["properties"])
    assert numpy["properties"]


def test_its_references_lead_somewhere(bill: dict[str, Any]) -> None:
    known = {part["bom-ref"] for part in bill["components"]} | {bill["metadata"]["component"]["bom-ref"]}
    assert len(known) == len(bill["components"]) + 1
    for entry in bill["dependencies"]:
        assert {entry["ref"], *entry["dependsOn"]} <= known
    assert {entry["ref"] for entry in bill["dependencies"]} <= known


def test_the_built_in_model_is_pinned(bill: dict[str, Any]) -> None:
    weights, _ = catalog.built_in_files()
    assert hashlib.sha256(weights.read_bytes()).hexdigest() == catalog.BUILT_IN_SHA256
    model = next(part for part in bill["components"] if part["type"] == "machine-learning-model")
    assert model["hashes"] == [{"alg": "SHA-256", "content": catalog.BUILT_IN_SHA256}]
