"""The window tells of a newer Lamplight, and asks for it only when the owner allows that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from fake_library import FakeLibrary
from pytestqt.qtbot import QtBot

from engine.model import Release
from engine.settings import Settings
from gui.app import App, news
from gui.app.news import News

NEWER = Release("9.0.0", "0123456789ab", "https://github.com/lamplight-app/lamplight/releases/tag/v9.0.0")


def test_nothing_is_asked_until_it_is_allowed(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.release = NEWER
    qtbot.waitUntil(lambda: app.window.findChild(News) is not None)
    assert library.asked_for_updates == 0
    with qtbot.waitSignal(app.ops.changed):
        app.ops.change_settings(replace(app.ops.settings, update_check=True))
    qtbot.waitUntil(lambda: "9.0.0" in app.window.message_bar.text)
    assert library.asked_for_updates == 1
    with qtbot.waitSignal(app.ops.changed):
        app.ops.change_settings(replace(app.ops.settings, update_check=False))
    app.window.findChild(News)._daily.timeout.emit()
    assert library.asked_for_updates == 1


def test_it_is_asked_at_the_start_and_its_page_opened_only_by_the_person(
    qtbot: QtBot, start: Callable[..., App], library: FakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(news, "open_page", opened.append)
    library.settings, library.release = Settings(update_check=True), NEWER
    parts = start(library)
    qtbot.waitUntil(lambda: "9.0.0" in parts.window.message_bar.text)
    assert opened == []
    parts.window.message_bar._button.click()
    assert opened == [NEWER.page]


def test_without_news_nothing_is_said(qtbot: QtBot, start: Callable[..., App], library: FakeLibrary) -> None:
    library.settings = Settings(update_check=True)
    parts = start(library)
    qtbot.waitUntil(lambda: library.asked_for_updates == 1)
    assert "Lamplight" not in parts.window.message_bar.text
