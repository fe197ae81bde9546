"""The window's trace of crashes is its owner's alone, and a data folder that cannot be used is refused with words."""

from __future__ import annotations

import faulthandler
import os
import stat
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox

import gui.app
from engine.paths import Home
from gui.panels.graph_state import GraphState

posix_only = pytest.mark.skipif(os.name != "posix", reason="Windows keeps other permissions, and has no pipes there")
PLANTED = "violet heron keeps the seventh ledger"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Stands for the window: has a trace written while a note's text is in a variable."""
    homes: list[Path] = []

    def window(app: object, home: Home, words: list[str], opener: object) -> int:
        text = PLANTED
        assert faulthandler.is_enabled()
        handle = os.open(home.crash_log, os.O_WRONLY | os.O_APPEND)
        faulthandler.dump_traceback(handle)
        os.close(handle)
        homes.append(home.crash_log)
        return len(text) and 7

    monkeypatch.setattr(gui.app, "_run_window", window)
    monkeypatch.setattr("sys.excepthook", gui.app.sys.excepthook)
    return homes


@posix_only
def test_the_log_is_the_owners_alone_and_holds_no_text(qapp: object, home: Home, seen: list[Path]) -> None:
    home.crash_log.write_text("of an older Lamplight\n")
    home.crash_log.chmod(0o644)
    assert gui.app.run(["lamplight"], lambda *_: None) == 7  # type: ignore[arg-type, return-value]
    assert seen == [home.crash_log]
    assert stat.S_IMODE(home.crash_log.stat().st_mode) == 0o600
    written = home.crash_log.read_text()
    assert written.startswith("of an older Lamplight\n")
    assert "in window" in written
    assert PLANTED not in written


def test_a_log_that_has_grown_is_put_away(qapp: object, home: Home, seen: list[Path]) -> None:
    home.crash_log.write_text("x" * 300_000)
    gui.app.run(["lamplight"], lambda *_: None)  # type: ignore[arg-type, return-value]
    assert home.crash_log.with_name("crash.log.1").stat().st_size == 300_000
    assert home.crash_log.stat().st_size < 100_000


@posix_only
@pytest.mark.parametrize("name", ["crash.log", "settings.toml", "window.ini"])
def test_a_pipe_among_the_files_is_told_and_not_waited_for(
    qapp: object,
    home: Home,
    seen: list[Path],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
) -> None:
    said: list[str] = []
    monkeypatch.setattr(QMessageBox, "critical", lambda parent, title, text: said.append(text))
    os.mkfifo((home.logs if name == "crash.log" else home.config) / name)
    assert gui.app.run(["lamplight"], lambda *_: None) == 1  # type: ignore[arg-type, return-value]
    assert seen == []
    assert name in said[0]
    assert "something else stands in its place" in said[0]
    assert said[0] in capsys.readouterr().err


@posix_only
def test_what_the_map_remembers_is_the_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        state = GraphState(tmp_path / "graph.json")
        state.questions = ["who oils the gate?"]
        state.save()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "graph.json").stat().st_mode) == 0o600
    assert GraphState.load(tmp_path / "graph.json").questions == ["who oils the gate?"]
