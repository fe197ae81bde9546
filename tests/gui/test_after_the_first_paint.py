"""What is slow waits until the window has been painted, and no longer than for one that nobody sees."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

import gui.app
from gui.app import _FirstPaint as FirstPaint
from gui.app import calm_collector
from gui.app.rehearsal import TEXT, rehearse
from gui.delegates import ResultDelegate
from gui.panels.preview import NoteBrowser
from gui.theme import Theme


class Sheet(QWidget):
    def __init__(self, order: list[str]) -> None:
        super().__init__()
        self.order = order

    def paintEvent(self, event: QPaintEvent) -> None:
        self.order.append("painted")


@pytest.fixture
def collector() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)
    gc.enable()


def test_the_window_is_painted_first_and_the_rest_begins_once(qtbot: QtBot, qapp: QApplication) -> None:
    order: list[str] = []
    sheet = Sheet(order)
    qtbot.addWidget(sheet)
    FirstPaint(sheet, lambda: order.append("begun"))
    sheet.show()
    qtbot.waitUntil(lambda: "begun" in order)
    assert order[0] == "painted"
    sheet.repaint()
    qtbot.wait(20)
    assert order.count("begun") == 1


def test_a_window_that_nobody_sees_is_not_waited_for(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gui.app, "UNSEEN_MS", 10)
    order: list[str] = []
    sheet = Sheet(order)
    qtbot.addWidget(sheet)
    FirstPaint(sheet, lambda: order.append("begun"))
    qtbot.waitUntil(lambda: order == ["begun"])


@pytest.mark.usefixtures("collector")
def test_the_collector_works_again_and_leaves_alone_what_is_loaded() -> None:
    gc.disable()
    kept = [[] for _ in range(10)]
    calm_collector()
    assert gc.isenabled()
    assert gc.get_freeze_count() > len(kept)
    assert not any(one is kept[0] for one in gc.get_objects())


def test_what_is_rehearsed_leaves_nothing_behind(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    paint = ResultDelegate.paint
    monkeypatch.setattr(ResultDelegate, "paint", lambda *given: drawn.append("row") or paint(*given))
    monkeypatch.setattr(NoteBrowser, "grab", lambda self: drawn.append(self.toPlainText().split("\n")[0]))
    theme, window = Theme(qapp, "light"), QWidget()
    qtbot.addWidget(window)
    before = {id(widget) for widget in qapp.topLevelWidgets()}
    rehearse(theme, window)
    qtbot.waitUntil(lambda: drawn == ["row", TEXT])
    qtbot.waitUntil(lambda: {id(widget) for widget in qapp.topLevelWidgets()} <= before)
    theme.changed.emit()  # Nothing that is gone is asked to repaint itself.
