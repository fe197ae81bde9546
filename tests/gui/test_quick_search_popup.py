"""Quick search: its keys, its tray icon, and how other processes ask for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from fake_library import FakeLibrary
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAccessible, QCloseEvent, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from engine.job import Job
from engine.model import SearchRequest, SearchResult
from gui.app import App
from gui.app.background import Background
from gui.app.tray import Tray

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def background(qtbot: QtBot, app: App) -> Background:
    qtbot.waitUntil(lambda: app.background is not None)
    assert app.background is not None
    return app.background


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The links that are given to the desktop."""
    links: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: links.append(QUrl(url).toString()) or True)
    return links


def find(qtbot: QtBot, background: Background, text: str) -> None:
    background.quick.appear()
    qtbot.keyClicks(background.quick.box, text)
    qtbot.waitUntil(lambda: background.quick.current_hit is not None)


def test_typing_finds_and_enter_opens_the_note_in_its_own_app(
    qtbot: QtBot, background: Background, opened: list[str]
) -> None:
    find(qtbot, background, "hive")
    qtbot.keyClick(background.quick.box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(opened))
    assert "Bees" in opened[0]
    assert not background.quick.isVisible()


def test_enter_before_the_answer_opens_the_first_row_when_it_comes(
    qtbot: QtBot, background: Background, library: FakeLibrary, opened: list[str]
) -> None:
    gate = threading.Event()

    def wait(_request: SearchRequest, job: Job | None) -> None:
        while job is not None and not gate.wait(0.01):
            job.check()

    library.on_search = wait
    background.quick.appear()
    qtbot.keyClicks(background.quick.box, "hive")
    qtbot.keyClick(background.quick.box, Qt.Key.Key_Return)
    assert not opened
    gate.set()
    qtbot.waitUntil(lambda: bool(opened))
    assert "Bees" in opened[0]


def test_ctrl_and_a_number_opens_that_row(qtbot: QtBot, background: Background, opened: list[str]) -> None:
    find(qtbot, background, "morning")
    model = background.quick.view.model()
    second = model.index(1, 0).data()
    background.quick.activateWindow()
    qtbot.keyClick(background.quick.box, Qt.Key.Key_2, CONTROL)
    qtbot.waitUntil(lambda: bool(opened))
    assert second.split()[0] in QUrl.fromPercentEncoding(opened[0].encode())


def test_escape_clears_and_then_hides(qtbot: QtBot, background: Background) -> None:
    find(qtbot, background, "hive")
    qtbot.keyClick(background.quick.box, Qt.Key.Key_Escape)
    assert background.quick.isVisible()
    assert background.quick.box.text() == ""
    assert background.quick.current_hit is None
    qtbot.keyClick(background.quick.box, Qt.Key.Key_Escape)
    assert not background.quick.isVisible()


def test_ctrl_c_copies_the_link_of_the_row(qtbot: QtBot, background: Background) -> None:
    find(qtbot, background, "hive")
    background.quick.box.deselect()
    qtbot.keyClick(background.quick.box, Qt.Key.Key_C, CONTROL)
    qtbot.waitUntil(lambda: "Bees" in QGuiApplication.clipboard().text())


def test_ctrl_enter_searches_in_the_window(qtbot: QtBot, background: Background, app: App) -> None:
    find(qtbot, background, "hive")
    background.quick.activateWindow()
    qtbot.keyClick(background.quick.box, Qt.Key.Key_Return, CONTROL)
    qtbot.waitUntil(lambda: app.window.search_box.text() == "hive")
    assert not background.quick.isVisible()


def test_another_process_can_ask_for_it_with_a_text(qtbot: QtBot, background: Background, app: App) -> None:
    thread = threading.Thread(target=lambda: app.ops.quick_asked.emit("hive"))
    thread.start()
    thread.join()
    qtbot.waitUntil(background.quick.isVisible)
    assert background.quick.box.text() == "hive"


def test_the_word_quick_asks_for_it_even_before_it_is_built(
    qtbot: QtBot, start: Callable[..., App], library: FakeLibrary
) -> None:
    parts = start(library, lambda parts: parts.show_words(["quick", "plum", "tree"]))
    qtbot.waitUntil(lambda: parts.background is not None and parts.background.quick.isVisible())
    assert parts.background is not None
    assert parts.background.quick.box.text() == "plum tree"


def test_without_a_tray_closing_the_window_ends_the_program(qtbot: QtBot, background: Background, app: App) -> None:
    assert not background.tray.exists
    with qtbot.waitSignal(app.window.closed):
        app.window.close()


def test_with_a_tray_closing_hides_the_window_and_its_going_brings_it_back(
    qtbot: QtBot, background: Background, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr("gui.dialogs.questions.keep_running", lambda _parent: asked.append(1) or True)
    monkeypatch.setattr(Tray, "exists", property(lambda _tray: True))
    app.window.close()
    assert not app.window.isVisible()
    qtbot.waitUntil(lambda: app.ops.settings.close_to_tray == "tray")
    app.window.show()
    app.window.closeEvent(QCloseEvent())
    assert asked == [1], "the question is asked once"
    monkeypatch.setattr(Tray, "exists", property(lambda _tray: False))
    background._look.timeout.emit()
    assert app.window.isVisible()
    app.window.do_quit()
    assert not app.window.isVisible()


def test_the_tray_menu_offers_search_window_and_the_way_out(background: Background) -> None:
    texts = [action.text() for action in background.tray.menu.actions()]
    assert texts == ["Quick search", "Open the window", "Quit"]


def test_every_control_has_a_name(background: Background) -> None:
    background.quick.appear("hive")
    for widget in background.quick.findChildren(QWidget):
        if widget.focusPolicy() is not Qt.FocusPolicy.NoFocus:
            face = QAccessible.queryAccessibleInterface(widget)
            assert face.text(QAccessible.Text.Name), widget


def test_the_note_is_shown_beside_the_rows_and_follows_them(qtbot: QtBot, background: Background) -> None:
    quick = background.quick
    find(qtbot, background, "morning")
    narrow = quick.width()
    qtbot.keyClick(quick.box, Qt.Key.Key_Space, CONTROL)
    qtbot.waitUntil(lambda: "Coffee with Mara" in quick.preview.browser.toPlainText())
    assert quick.width() > narrow
    qtbot.keyClick(quick.box, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: "rye flour" in quick.preview.browser.toPlainText())
    qtbot.keyClick(quick.box, Qt.Key.Key_Space, CONTROL)
    assert not quick.preview.isVisible()
    assert quick.width() == narrow


def test_escape_clears_and_then_leaves(qtbot: QtBot, background: Background) -> None:
    find(qtbot, background, "hive")
    qtbot.keyClick(background.quick.box, Qt.Key.Key_Escape)
    assert background.quick.isVisible()
    assert background.quick.box.text() == ""
    qtbot.keyClick(background.quick.box, Qt.Key.Key_Escape)
    assert not background.quick.isVisible()


def test_the_best_row_of_the_whole_answer_is_selected_unless_another_was_chosen(
    qtbot: QtBot, background: Background, library: FakeLibrary
) -> None:
    find(qtbot, background, "a")
    quick, rows = background.quick, library.search(SearchRequest("a")).rows
    assert len(rows) > 1
    first, turned = SearchResult(rows, ()), SearchResult(tuple(reversed(rows)), ())
    quick.show_result("a", first)
    quick.show_result("a", turned)
    assert quick.current_hit == turned.rows[0].hits[0]
    qtbot.keyClick(quick.box, Qt.Key.Key_Down)
    chosen = quick.current_hit
    assert chosen not in (None, turned.rows[0].hits[0])
    quick.show_result("a", first)
    assert quick.current_hit == chosen
