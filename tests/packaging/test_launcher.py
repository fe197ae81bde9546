"""How the program of a checkout is started: by whoever calls it in a terminal, by the session, by other programs."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import __version__
from engine.frontends import mcp_install
from gui import autostart

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    spec = importlib.util.spec_from_file_location("packaging_dev", ROOT / "packaging" / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    dev = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dev)
    with monkeypatch.context() as patched:
        patched.setattr(dev, "BIN", tmp_path)
        patched.setattr(dev, "PYTHON", Path(sys.executable))
        patched.setattr("subprocess.check_output", lambda *_, **__: str(tmp_path))
        dev.make_importable()
    return tmp_path / "lamplight"


@pytest.mark.skipif(os.name != "posix", reason="a script of the shell")
@pytest.mark.parametrize("who", ["a terminal", "the session", "a client of models"])
def test_it_takes_no_module_of_the_folder_in_which_it_is_called(
    who: str, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    *session, hidden = autostart.command()
    assert hidden == autostart.HIDDEN
    command = {"a terminal": [program], "the session": session, "a client of models": mcp_install.program()}[who]
    notes = tmp_path / "notes of another's"
    notes.mkdir()
    for name in ("gui", "json"):
        (notes / f"{name}.py").write_text(f"raise SystemExit('the {name} of the notes was run')", "utf-8")
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [*command, "--version"], cwd=notes, env=surroundings, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"lamplight {__version__}")
