"""How the program of a checkout is started: by whoever calls it in a terminal, by the session, by other programs."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from engine import __version__
from engine.frontends import mcp_install
from gui import autostart

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def dev() -> ModuleType:
    spec = importlib.util.spec_from_file_location("packaging_dev", ROOT / "packaging" / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def program(dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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


OWN, SYSTEM = sys.executable, "/usr/bin/python3"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere Pythons are not compiled by who uses them")
@pytest.mark.parametrize(
    ("prefix", "options", "is_system_one_whole", "expected"),
    [
        ("/home/a/.pyenv/versions/3.11.7", "'--enable-shared'", True, SYSTEM),
        ("/home/a/.pyenv/versions/3.11.7", "'--enable-shared'", False, OWN),
        ("/home/a/.pyenv/versions/3.11.7", "'--enable-optimizations' '--with-lto'", True, OWN),
        ("/usr", "'--enable-shared' '--prefix=/usr'", True, OWN),
        ("/usr/local", None, True, SYSTEM),
    ],
)
def test_before_a_python_compiled_without_a_profile_comes_the_system_s_own(
    prefix: str,
    options: str | None,
    is_system_one_whole: bool,
    expected: str,
    dev: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "base_prefix", prefix)
        patched.setattr("sysconfig.get_config_var", {"CONFIG_ARGS": options}.get)
        patched.setattr(dev, "runs", lambda python, **_: python == [SYSTEM] and is_system_one_whole)
        assert dev.find_python() == [expected]


def test_a_python_runs_when_it_has_the_version_and_the_modules(
    dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dev.runs([sys.executable], needs="venv")
    assert not dev.runs([sys.executable], needs="no_such_module")
    broken = tmp_path / "python3"
    assert not dev.runs([str(broken)])
    broken.write_text("no program")
    broken.chmod(0o755)
    assert not dev.runs([str(broken)])
    monkeypatch.setattr(dev, "OLDEST", (3, 99))
    assert not dev.runs([sys.executable], needs="venv")
