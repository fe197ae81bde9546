"""An index that is not encrypted is marked for as long as it is so, and asked about until the owner has chosen."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from fake_library import FakeLibrary
from pytestqt.qtbot import QtBot

from engine.settings import Settings
from gui.app import App
from gui.dialogs.settings import SettingsDialog


@pytest.fixture
def plain() -> FakeLibrary:
    library = FakeLibrary.with_notes()
    library.encrypted = False
    return library


def listed(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: bool(app.window.statuses))


def test_without_a_keychain_the_owner_is_asked_to_choose(
    qtbot: QtBot, start: Callable[..., App], plain: FakeLibrary
) -> None:
    app = start(plain)
    listed(qtbot, app)
    window = app.window
    qtbot.waitUntil(lambda: "The index is not encrypted." in window.message_bar.text)
    assert not window.status_bar._plain.isHidden()
    window.message_bar._on_button()
    [dialog] = window.findChildren(SettingsDialog)
    assert dialog.pages.currentItem().text() == "Privacy"
    dialog.close()
    window.message_bar.hide()
    app.ops.list_sources()
    qtbot.wait(50)
    assert window.message_bar.isHidden(), "it is said once"


def test_who_has_chosen_it_is_not_asked_and_still_sees_the_mark(
    qtbot: QtBot, start: Callable[..., App], plain: FakeLibrary
) -> None:
    plain.settings = dataclasses.replace(Settings(), protection="plain")
    app = start(plain)
    listed(qtbot, app)
    assert "not encrypted" not in app.window.message_bar.text
    mark = app.window.status_bar._plain
    assert not mark.isHidden()
    mark.click()
    [dialog] = app.window.findChildren(SettingsDialog)
    assert dialog.pages.currentItem().text() == "Privacy"
    dialog.close()


def test_encrypted_files_need_no_mark(qtbot: QtBot, start: Callable[..., App]) -> None:
    app = start(FakeLibrary.with_notes())
    listed(qtbot, app)
    assert app.window.status_bar._plain.isHidden()
    assert "encrypted" not in app.window.message_bar.text
