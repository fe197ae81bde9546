"""Links into the window, and a second start that hands over to the first."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fake_library import FakeLibrary
from PySide6.QtCore import QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.paths import find_home, prepare_home
from gui.app import App
from gui.app.instance import Instance
from gui.app.links import EntityLink, OpenLink, PathLink, SearchLink, dropped_place, parse_link
from gui.app.opened import Opened


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("lamplight://search?q=night%20watch", SearchLink("night watch")),
        ("lamplight://search?q=nacht%C3%BC&source=Notes", SearchLink("nachtü", "Notes")),
        ("lamplight://open?source=notes&note=Garden%2FBees.md", OpenLink("notes", "Garden/Bees.md")),
        ("lamplight://entity?name=Steam%20oven", EntityLink("Steam oven")),
        ("lamplight://path?from=Mara&to=Bees", PathLink("Mara", "Bees")),
        ("lamplight://path?from=Mara", None),
        ("lamplight://entity?name=a&merge=b", None),
        ("lamplight://search", None),
        ("lamplight://search?q=", None),
        ("lamplight://search?q=a&q=b", None),
        ("lamplight://search?q=a&run=b", None),
        ("lamplight://search/deep?q=a", None),
        ("lamplight://remove?source=notes", None),
        ("lamplight://open?source=notes", None),
        ("lamplight://search?q=%ff", None),
        ("lamplight://search?q=a#b", None),
        ("https://search?q=a", None),
        ("lamplight://search?q=" + "a" * 3000, None),
        ("lamplight://[", None),
    ],
)
def test_links_are_read_strictly(link: str, expected: object) -> None:
    assert parse_link(link) == expected


def test_a_link_searches_in_the_source_it_names(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    with qtbot.waitSignal(app.ops.reading.found):
        app.show_words(["lamplight://search?q=morning&source=second%20brain"])
    assert app.window.search_box.text() == "morning"
    qtbot.waitUntil(lambda: library.requests[-1].sources == ("second brain",))


def test_a_link_opens_a_note(qtbot: QtBot, app: App) -> None:
    with qtbot.waitSignal(app.ops.reading.note_read):
        app.show_words(["lamplight://open?source=notes&note=Garden%2FBees.md"])
    assert "plum tree" in app.window.preview.browser.toPlainText()


@pytest.mark.skipif(sys.platform == "win32", reason="paths of Linux and macOS")
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("file:///srv/ann/My%20Notes", "/srv/ann/My Notes"),
        ("file:///srv/ann/M%C3%A4rz.json", "/srv/ann/März.json"),
        ("/srv/ann/My Notes", "/srv/ann/My Notes"),
        ("/srv/ann/100%20sure", "/srv/ann/100%20sure"),
        ("file://elsewhere/home/ann", ""),
        ("file:notes", ""),
        ("notes", ""),
        ("lamplight://search?q=x", ""),
        ("https://home/ann", ""),
        ("", ""),
    ],
)
def test_what_is_dropped_on_the_icon(word: str, expected: str) -> None:
    assert dropped_place(word) == expected


def test_a_vault_dropped_on_the_icon_is_added(qtbot: QtBot, app: App, library: FakeLibrary, tmp_path: Path) -> None:
    vault = tmp_path / "My Bee Notes"
    vault.mkdir()
    with qtbot.waitSignal(app.ops.sources_listed):
        app.show_words([vault.as_uri()])
    assert str(vault) in {status.source.location for status in library.sources()}


def test_macos_hands_over_by_an_event(qtbot: QtBot, qapp: QApplication) -> None:
    opened = Opened(qapp)
    try:
        for address in ("lamplight://search?q=night%20watch", "file:///srv/ann/My%20Notes"):
            with qtbot.waitSignal(opened.received) as heard:
                qapp.sendEvent(qapp, QFileOpenEvent(QUrl(address)))
            assert heard.args == [[address]]
    finally:
        qapp.removeEventFilter(opened)
        opened.deleteLater()


def test_an_unknown_link_is_said_and_does_nothing(app: App, library: FakeLibrary) -> None:
    app.show_words(["lamplight://remove?source=notes"])
    assert "not one that Lamplight knows" in app.window.message_bar.text
    assert "notes" in library.sources_


def test_a_second_start_hands_its_words_to_the_first(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> None:
    home = find_home(tmp_path)
    prepare_home(home)
    first = Instance(home)
    assert first.claim()
    assert first.listen()
    heard: list[list[str]] = []
    first.received.connect(heard.append)
    code = (
        "import sys; from pathlib import Path; from engine.paths import find_home; "
        "from gui.app.instance import Instance; i = Instance(find_home(Path(sys.argv[1]))); "
        "sys.exit(0 if not i.claim() and i.hand_over(['lamplight://search?q=x']) else 1)"
    )
    words = [sys.executable, "-c", code, str(tmp_path)]
    result: list[int] = []
    root = str(Path(__file__).resolve().parents[2])
    runner = threading.Thread(
        target=lambda: result.append(subprocess.run(words, cwd=root, env=os.environ, check=False).returncode)
    )
    runner.start()
    qtbot.waitUntil(lambda: bool(result))
    runner.join()
    assert result == [0]
    assert heard == [["lamplight://search?q=x"]]
    first.release()
    again = Instance(home)
    assert again.claim()
    again.release()
