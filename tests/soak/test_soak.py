"""A short soak: after edits, questions, sleep and wake the index agrees with the vault and no handle is left open."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def program() -> ModuleType:
    """``soak.py``, which is a program and not a package's module."""
    spec = importlib.util.spec_from_file_location("soak_program", Path(__file__).with_name("soak.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_short_soak_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    soak = program()
    monkeypatch.setattr(soak, "NOTES", 60)
    monkeypatch.setattr(soak, "RUNS_PER_SLEEP", 2)
    done = soak.soak(tmp_path, edits=160, questions=30, fake=True)
    _, more = done.growth()
    assert (done.edits, done.runs) == (160, 4)
    assert done.questions >= 30
    assert done.sleeps == 2
    assert more <= soak.MORE_HANDLES
