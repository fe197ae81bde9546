"""A library that a passphrase protects: asked for when the window finds it locked, and chosen in the settings."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable

import pytest
from fake_library import FakeLibrary
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLineEdit
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from engine.settings import Settings
from gui.app import App
from gui.dialogs.passphrase import PassphraseDialog

WORDS = "four quiet words here"


@pytest.fixture
def locked() -> FakeLibrary:
    library = FakeLibrary.with_notes()
    library.passphrase = WORDS
    library.lock()
    return library


def shown(parts: App) -> PassphraseDialog | None:
    found = [one for one in parts.window.findChildren(PassphraseDialog) if one.isVisible()]
    assert len(found) < 2
    return found[0] if found else None


def waited_for(qtbot: QtBot, parts: App) -> PassphraseDialog:
    qtbot.waitUntil(lambda: shown(parts) is not None)
    dialog = shown(parts)
    assert dialog is not None
    return dialog


def enter(qtbot: QtBot, field: QLineEdit, text: str) -> None:
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def spoken(parts: App) -> str:
    model = parts.window.sidebar.view.model()
    return str(model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole))


def test_the_passphrase_is_asked_for_and_opens_the_notes(
    qtbot: QtBot, start: Callable[..., App], locked: FakeLibrary
) -> None:
    parts = start(locked)
    dialog = waited_for(qtbot, parts)
    assert "locked" in spoken(parts)
    assert dialog.words.echoMode() is QLineEdit.EchoMode.Password
    enter(qtbot, dialog.words, "not these words")
    qtbot.waitUntil(lambda: dialog.said.text() == "The passphrase is not the right one.")
    assert dialog.words.hasFocus()
    assert dialog.words.selectedText()
    enter(qtbot, dialog.words, WORDS)
    qtbot.waitUntil(lambda: shown(parts) is None)
    qtbot.waitUntil(lambda: "indexed" in spoken(parts))
    assert parts.window.message_bar.isHidden()


def test_who_leaves_it_for_later_finds_a_button(qtbot: QtBot, start: Callable[..., App], locked: FakeLibrary) -> None:
    parts = start(locked)
    qtbot.keyClick(waited_for(qtbot, parts).words, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: shown(parts) is None)
    with qtbot.waitSignal(parts.ops.sources_listed):
        parts.ops.list_sources()
    assert shown(parts) is None, "asked for once"
    assert "Your notes are locked." in parts.window.message_bar.text
    button = parts.window.message_bar._button
    assert button.text() == "Enter passphrase…"
    button.click()
    enter(qtbot, waited_for(qtbot, parts).words, WORDS)
    qtbot.waitUntil(lambda: "indexed" in spoken(parts))


def test_an_answer_after_the_dialog_was_closed_harms_nothing(
    qtbot: QtBot, start: Callable[..., App], locked: FakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, real = threading.Event(), locked.unlock
    monkeypatch.setattr(locked, "unlock", lambda words: go_on.wait(30) and real(words))
    parts = start(locked)
    dialog = waited_for(qtbot, parts)
    enter(qtbot, dialog.words, "not these words")
    dialog.reject()
    qtbot.waitUntil(lambda: not Shiboken.isValid(dialog))
    go_on.set()
    qtbot.waitUntil(lambda: not parts.tasks.is_busy("library"))
    assert locked.tried == ["not these words"]
    assert "locked" in spoken(parts)


def test_nothing_pops_up_while_the_window_is_hidden(
    qtbot: QtBot, qapp: QApplication, start: Callable[..., App], locked: FakeLibrary
) -> None:
    parts = start(locked, before=lambda parts: parts.window.hide())
    qtbot.waitUntil(lambda: "Your notes are locked." in parts.window.message_bar.text)
    assert shown(parts) is None


def test_an_empty_passphrase_is_not_tried(qtbot: QtBot, start: Callable[..., App], locked: FakeLibrary) -> None:
    dialog = waited_for(qtbot, start(locked))
    qtbot.keyClick(dialog.words, Qt.Key.Key_Return)
    assert dialog.said.text() == ""
    assert locked.tried == []


def choose(parts: App) -> None:
    parts.window.dialogs._change_settings(dataclasses.replace(Settings(), protection="passphrase"))


def test_to_be_protected_by_a_passphrase_one_is_chosen_first(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    choose(app)
    dialog = waited_for(qtbot, app)
    qtbot.keyClicks(dialog.words, WORDS)
    enter(qtbot, dialog.again, "other words")
    assert dialog.said.text() == "The two are not the same."
    assert library.settings.protection == "keychain"
    dialog.again.clear()
    enter(qtbot, dialog.again, WORDS)
    qtbot.waitUntil(lambda: library.settings.protection == "passphrase")
    assert library.passphrase == WORDS
    assert shown(app) is None


def test_without_a_passphrase_nothing_is_changed(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    choose(app)
    waited_for(qtbot, app).buttons.button(QDialogButtonBox.StandardButton.Cancel).click()
    qtbot.waitUntil(lambda: shown(app) is None)
    assert library.settings.protection == "keychain"
    assert library.passphrase == ""
