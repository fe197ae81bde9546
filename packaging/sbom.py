"""The list of everything in a package, for programs that look for known faults: a CycloneDX document in JSON.

Owns the shape of that document; what is in a package comes from the build, or else from the installed environment. The
same contents give the same bytes. Must never need the network.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = Path(__file__).with_name("requirements.lock")
NAMESPACE = uuid.UUID("2f6e3a54-8f0b-5d6c-9b8e-6c1f1b0e7a11")

Component = dict[str, Any]


def document(distributions: Iterable[metadata.Distribution], libraries: Iterable[str], version: str, epoch: int) -> str:
    """A CycloneDX 1.6 document of these distributions, these packages of the system, and the built-in model."""
    found = list(distributions)
    known = {_ref(d) for d in found}
    parts = [*map(_component, found), *(_system(name) for name in sorted(set(libraries))), _model()]
    root = {"type": "application", "bom-ref": "lamplight", "name": "lamplight", "version": version}
    root["licenses"] = [{"license": {"id": "MIT"}}]  # type: ignore[assignment]
    needs = [{"ref": _ref(d), "dependsOn": sorted(known & set(_requirements(d, found)))} for d in found]
    needs.append({"ref": "lamplight", "dependsOn": sorted(part["bom-ref"] for part in parts)})
    body: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": root,
            "lifecycles": [{"phase": "build"}],
        },
        "components": parts,
        "dependencies": needs,
    }
    body["serialNumber"] = f"urn:uuid:{uuid.uuid5(NAMESPACE, json.dumps(body, sort_keys=True))}"
    return json.dumps(body, indent=1, sort_keys=True) + "\n"


def _ref(distribution: metadata.Distribution) -> str:
    return f"pkg:pypi/{_plain(distribution.metadata['Name'])}@{distribution.version}"


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _component(distribution: metadata.Distribution) -> Component:
    record = distribution.metadata
    made: Component = {
        "type": "library",
        "bom-ref": _ref(distribution),
        "purl": _ref(distribution),
        "name": record["Name"],
        "version": distribution.version,
        "properties": [{"name": "lamplight:locked-sha256", "value": one} for one in _locked(record["Name"])],
    }
    if expression := record.get("License-Expression"):
        made["licenses"] = [{"expression": expression}]
    elif short := (record.get("License") or "").partition("\n")[0].strip():
        made["licenses"] = [{"license": {"name": short[:200]}}]
    return made


def _locked(name: str) -> list[str]:
    """The hashes of the archives of a distribution that the lock allows to be installed."""
    found = re.search(rf"^{re.escape(_plain(name))}==.*?(?=^\S|\Z)", LOCK.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return re.findall(r"sha256:([0-9a-f]{64})", found[0]) if found else []


def _requirements(distribution: metadata.Distribution, others: Iterable[metadata.Distribution]) -> list[str]:
    by_name = {_plain(d.metadata["Name"]): _ref(d) for d in others}
    names = (re.match(r"[A-Za-z0-9._-]+", text) for text in distribution.requires or ())
    return [by_name[plain] for name in names if name and (plain := _plain(name[0])) in by_name]


def _system(package: str) -> Component:
    return {"type": "library", "bom-ref": f"system:{package}", "name": package}


def _model() -> Component:
    sys.path.insert(0, str(ROOT))
    from engine.inference.catalog import BUILT_IN, BUILT_IN_SHA256

    return {
        "type": "machine-learning-model",
        "bom-ref": f"model:{BUILT_IN}",
        "name": BUILT_IN,
        "hashes": [{"alg": "SHA-256", "content": BUILT_IN_SHA256}],
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
