"""The window in a language that changes and lengthens every text, and from right to left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from fake_library import FakeLibrary
from pseudo_locale import MARK, PseudoLocale, pseudo
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QTabWidget,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.panels.widgets import ElidedLabel
from gui.theme import direction_of, tinted

OWN_WORDS = re.compile(r"[^\W\d_]{2,}")
"""Two letters in a row; keys, counts and marks have none."""
KEYS = re.compile(r"\b(Ctrl|Alt|Shift|Enter|Esc|Tab|F\d+|Space|Return|Del|Menu|Meta|Home|End|PgUp|PgDown|Lamplight)\b")
NOT_OURS = ("Notes", "Second Brain", "Kitchen", "Garden", "Reisen", "Bees", "Sourdough", "Lübeck", "March 3rd, 2025")


@pytest.fixture
def pseudo_language(qapp: QApplication) -> Iterator[None]:
    translator = PseudoLocale()
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


@pytest.fixture
def mirrored(qapp: QApplication) -> Iterator[None]:
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def test_the_longer_language_keeps_placeholders() -> None:
    assert "{n}" in pseudo("{n} notes")
    assert len(pseudo("Related notes")) >= 1.4 * len("Related notes") - 1


def texts_of(root: QWidget) -> Iterator[tuple[QWidget, str]]:
    """Every text that a person sees or hears."""
    for widget in [root, *root.findChildren(QWidget)]:
        if widget.objectName().startswith("qt_"):
            continue
        yield widget, widget.accessibleName()
        yield widget, widget.accessibleDescription()
        yield widget, widget.toolTip()
        if isinstance(widget, QLabel | QAbstractButton):
            yield widget, widget.text()
        if isinstance(widget, QLineEdit):
            yield widget, widget.placeholderText()
        if isinstance(widget, QTabWidget):
            yield from ((widget, widget.tabText(at)) for at in range(widget.count()))
        if isinstance(widget, QMenu):
            yield from ((widget, action.text()) for action in widget.actions())
    for action in root.actions():
        yield root, action.text()


def untranslated(root: QWidget) -> list[str]:
    found = []
    for widget, text in texts_of(root):
        bare = KEYS.sub("", re.sub(r"\d+ \w{3} \d{4}", "", text))
        for name in NOT_OURS:
            bare = bare.replace(name, "")
        if widget.property("part") is None and OWN_WORDS.search(bare) and MARK not in text:
            found.append(f"{type(widget).__name__} {widget.objectName()}: {text}")
    return found


def search(qtbot: QtBot, app: App, text: str) -> None:
    with qtbot.waitSignal(app.ops.reading.note_known):
        app.window.search_box.set_query(text)


def open_dialog(app: App, action: str) -> QDialog | None:
    app.window.entries[action].trigger()
    QApplication.processEvents()
    dialogs = [one for one in app.window.findChildren(QDialog) if one.isVisible()]
    return dialogs[0] if dialogs else None


def test_every_text_of_the_window_changes_with_the_language(
    qtbot: QtBot, pseudo_language: None, app: App, library: FakeLibrary
) -> None:
    search(qtbot, app, "sourdough")
    qtbot.waitUntil(lambda: app.background is not None)
    assert app.background is not None
    assert [text for text in untranslated(app.window) if "Sourdough.md" not in text] == []
    assert untranslated(app.background.quick) == []
    assert all(MARK in action.text() for action in app.background.tray.menu.actions())


@pytest.mark.parametrize("action", ["palette", "keys", "settings", "activity", "about"])
def test_every_text_of_a_dialog_changes_with_the_language(pseudo_language: None, app: App, action: str) -> None:
    dialog = open_dialog(app, action)
    assert dialog is not None
    assert MARK in dialog.windowTitle()
    about = ("Lamplight", "MIT", "Qt", "Python", "LGPL", "PySide")
    assert [text for text in untranslated(dialog) if not any(word in text for word in about)] == []
    dialog.close()


def test_rows_speak_the_language(qtbot: QtBot, pseudo_language: None, app: App) -> None:
    search(qtbot, app, "sourdough")
    row = app.window.results.view.model().index(0, 0)
    assert pseudo("likely match") in row.data(Qt.ItemDataRole.AccessibleTextRole)
    assert MARK in app.window.sidebar.view.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)


def cut_off(root: QWidget) -> list[str]:
    """Labels and buttons that are narrower, or with wrapped text lower, than what they say."""
    # The buttons inside a box for text show a picture; their text is only spoken.
    pictures = {button for box in root.findChildren(QLineEdit) for button in box.findChildren(QAbstractButton)}
    found = []
    for widget in root.findChildren(QWidget):
        is_text = isinstance(widget, QLabel | QAbstractButton) and not isinstance(widget, ElidedLabel)
        if not is_text or widget in pictures or not widget.isVisible():
            continue
        is_wrapped = isinstance(widget, QLabel) and widget.wordWrap()
        needed = widget.heightForWidth(widget.width()) if is_wrapped else widget.sizeHint().height()
        is_cut = needed > widget.height() or (not is_wrapped and widget.sizeHint().width() > widget.width())
        if widget.text() and is_cut:
            found.append(f"{type(widget).__name__} {widget.objectName()}: {widget.text()}")
    return found


@pytest.mark.parametrize("width", [1280, 960])
def test_nothing_is_cut_off_by_longer_words(
    qtbot: QtBot, pseudo_language: None, app: App, library: FakeLibrary, width: int
) -> None:
    app.window.resize(width, 800)
    search(qtbot, app, "sourdough tag:bread")
    qtbot.waitUntil(lambda: bool(app.window.query_bar.chips))
    QApplication.processEvents()
    assert cut_off(app.window) == []


@pytest.mark.parametrize("action", ["settings", "about"])
def test_nothing_in_a_dialog_is_cut_off_by_longer_words(pseudo_language: None, app: App, action: str) -> None:
    dialog = open_dialog(app, action)
    assert dialog is not None
    QApplication.processEvents()
    assert cut_off(dialog) == []
    dialog.close()


# --- from right to left -------------------------------------------------------------------------------------------


def left_of(app: App, widget: QWidget) -> int:
    return widget.mapTo(app.window, QPoint(0, 0)).x()


def test_the_panes_change_sides(qtbot: QtBot, mirrored: None, app: App) -> None:
    search(qtbot, app, "sourdough")
    window = app.window
    assert left_of(app, window.preview) < left_of(app, window.results) < left_of(app, window.sidebar)


def test_the_panes_stand_from_left_to_right_otherwise(qtbot: QtBot, app: App) -> None:
    search(qtbot, app, "sourdough")
    window = app.window
    assert left_of(app, window.sidebar) < left_of(app, window.results) < left_of(app, window.preview)


def columns_of(picture: QImage, colour: str, top: int, bottom: int) -> list[int]:
    wanted = QColor(colour).rgb()
    return [x for x in range(picture.width()) if any(picture.pixel(x, y) == wanted for y in range(top, bottom))]


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_rows_are_mirrored(
    qtbot: QtBot, request: pytest.FixtureRequest, start: Callable[..., App], library: FakeLibrary, is_mirrored: bool
) -> None:
    """The bar of the selected row and the badges stand where reading begins."""
    if is_mirrored:
        request.getfixturevalue("mirrored")
    app = start(library)
    search(qtbot, app, "sourdough")
    view = app.window.results.view
    rect = view.visualRect(view.model().index(0, 0))
    picture = view.viewport().grab().toImage()
    roles = app.theme.roles
    bar = columns_of(picture, roles.accent, rect.top() + 20, rect.bottom() - 20)
    badge = columns_of(picture, roles.word, rect.top() + 20, rect.bottom())
    middle = picture.width() / 2
    assert bar
    assert badge
    assert all((x > middle) == is_mirrored for x in bar)
    assert (sum(badge) / len(badge) > middle) == is_mirrored


def test_arrows_of_the_way_back_point_the_other_way(qtbot: QtBot, mirrored: None, app: App) -> None:
    buttons = [one for one in app.window.preview.findChildren(QToolButton) if one.property("picture") == "back"]
    assert len(buttons) == 1
    assert app.window.preview.layoutDirection() == Qt.LayoutDirection.RightToLeft
    forward = next(one for one in app.window.preview.findChildren(QToolButton) if one.property("picture") == "forward")
    assert left_of(app, forward) < left_of(app, buttons[0])
    back = buttons[0].icon().pixmap(20, 20).toImage()
    assert back == tinted("forward", app.theme.roles.muted).pixmap(20, 20).toImage()


@pytest.mark.parametrize(
    ("text", "is_mirrored"),
    [("4 Mar 2025", False), ("7 notes", False), ("المنارة light", True), ("12 אור", True), ("42", False), ("", False)],
)
def test_a_text_runs_as_its_own_letters_do(text: str, is_mirrored: bool) -> None:
    assert (direction_of(text) == Qt.LayoutDirection.RightToLeft) == is_mirrored
