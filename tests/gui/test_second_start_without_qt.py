"""A second start gives its words to the window that runs before it loads Qt, and ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.paths import Home, find_home, prepare_home
from gui.app.instance import Instance
from gui.handover import hand_over, socket_name

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere Qt opens the pipe")

ROOT = Path(__file__).resolve().parents[2]
SECOND = (
    "import sys\nfrom gui.__main__ import main\ncode = main(sys.argv[1:])\n"
    "sys.exit(code or any(name.startswith('PySide6') for name in sys.modules))"
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("LAMPLIGHT_HOME", str(tmp_path))
    found = find_home()
    prepare_home(found)
    return found


@pytest.mark.parametrize("words", [[], ["lamplight://search?q=x"], ["quick", "tea"]])
def test_the_words_arrive_and_qt_stays_unloaded(qtbot: QtBot, qapp: QApplication, home: Home, words: list[str]) -> None:
    first = Instance(home)
    assert first.claim()
    assert first.listen()
    heard: list[list[str]] = []
    first.received.connect(heard.append)
    codes: list[int] = []
    call = [sys.executable, "-c", SECOND, *words]
    runner = threading.Thread(target=lambda: codes.append(subprocess.run(call, cwd=ROOT, check=False).returncode))
    runner.start()
    qtbot.waitUntil(lambda: bool(codes))
    runner.join()
    first.release()
    assert codes == [0]
    assert heard == [words]


def test_nobody_takes_the_words_where_no_window_runs(home: Home) -> None:
    assert not hand_over(home, [])


def test_a_file_that_nobody_listens_at_is_no_window(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / socket_name(home)).write_text("left over", "utf-8")
    assert not hand_over(home, [])


def test_another_persons_socket_is_not_spoken_to(
    qtbot: QtBot, qapp: QApplication, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Instance(home)
    assert first.claim()
    assert first.listen()
    heard: list[list[str]] = []
    first.received.connect(heard.append)
    monkeypatch.setattr(os, "getuid", lambda: 1 + home.data.stat().st_uid)
    assert not hand_over(home, ["lamplight://search?q=x"])
    qtbot.wait(50)
    assert not heard
    first.release()
