"""The pages of the settings beside the declared ones: keys, models, ledger, keychain, login, diagnostics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_library import FakeLibrary
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from gui import autostart
from gui.actions import ACTIONS, default_keys
from gui.app import App
from gui.dialogs.settings import PAGES, SettingsDialog
from gui.dialogs.settings_keys import KeysPage
from gui.dialogs.settings_models import ModelsPage
from gui.dialogs.settings_upkeep import DiagnosticsDialog, MachinePage, PrivacyPage


@pytest.fixture
def dialog(app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsDialog:
    monkeypatch.setattr(autostart, "entry_file", lambda: tmp_path / "autostart" / "lamplight.desktop")
    app.window.entries["settings"].trigger()
    found = app.window.findChild(SettingsDialog)
    assert found is not None
    return found


def test_every_page_opens_and_names_its_controls(qtbot: QtBot, dialog: SettingsDialog) -> None:
    assert [dialog.pages.item(row).text() for row in range(dialog.pages.count())] == [title for _, title, _ in PAGES]
    for page, _, _ in PAGES:
        dialog.open_page(page)
        for widget in dialog.findChildren(QWidget):
            is_inner = widget.objectName().startswith("qt_")  # The field within a spin box, which speaks for both.
            if widget.isVisible() and not is_inner and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                face = QAccessible.queryAccessibleInterface(widget)
                assert face.text(QAccessible.Text.Name), (page, type(widget).__name__)


# --- keys


def row_of(action: str) -> int:
    return [one.id for one in ACTIONS].index(action)


@pytest.fixture
def keys(qtbot: QtBot) -> KeysPage:
    page = KeysPage({})
    qtbot.addWidget(page)
    return page


def test_no_two_actions_share_keys_at_first(keys: KeysPage) -> None:
    assert [action.id for action in ACTIONS if keys.conflicts(action.id, default_keys(action.id))] == []


def test_an_action_gets_other_keys(keys: KeysPage) -> None:
    keys.table.setCurrentCell(row_of("activity"), 0)
    keys.editor.setKeySequence(QKeySequence("Ctrl+Alt+J"))
    keys.set.click()
    assert keys.overrides == {"activity": "Ctrl+Alt+J"}
    assert keys.table.item(row_of("activity"), 2).text() == "changed"
    keys.reset.click()
    assert keys.overrides == {}


def test_a_conflict_is_shown_and_can_be_resolved(keys: KeysPage) -> None:
    keys.table.setCurrentCell(row_of("activity"), 0)
    keys.editor.setKeySequence(QKeySequence("Ctrl+P"))
    assert "All commands" in keys.notice.text()
    assert not keys.set.isEnabled()
    keys.take.click()
    assert keys.overrides == {"activity": "Ctrl+P", "palette": ""}
    assert keys.conflicts("activity", "Ctrl+P") == []


def test_keys_that_were_chosen_count_at_once_and_after_a_restart(
    qtbot: QtBot, app: App, dialog: SettingsDialog, start: Callable[..., App]
) -> None:
    dialog.open_page("keyboard")
    page = dialog.findChild(KeysPage)
    assert page is not None
    page.table.setCurrentCell(row_of("activity"), 0)
    page.clear.click()
    assert app.window.entries["activity"].shortcuts() == []
    page.editor.setKeySequence(QKeySequence("Ctrl+Alt+J"))
    page.set.click()
    assert [key.toString() for key in app.window.entries["activity"].shortcuts()] == ["Ctrl+Alt+J"]
    dialog.close()
    again = start(FakeLibrary.with_notes())
    assert [key.toString() for key in again.window.entries["activity"].shortcuts()] == ["Ctrl+Alt+J"]


# --- models


@pytest.fixture
def models(qtbot: QtBot, dialog: SettingsDialog) -> ModelsPage:
    dialog.open_page("models")
    page = dialog.findChild(ModelsPage)
    assert page is not None
    qtbot.waitUntil(lambda: page.table.rowCount() == 1)
    return page


def test_a_model_shows_what_one_needs_to_choose_it(models: ModelsPage) -> None:
    assert [models.table.item(0, column).text() for column in range(6)] == ["big", "1 bytes", "384", "many", "MIT", ""]


@pytest.mark.parametrize("agrees", [True, False])
def test_a_model_is_downloaded_only_after_consent(
    qtbot: QtBot, app: App, library: FakeLibrary, models: ModelsPage, monkeypatch: pytest.MonkeyPatch, agrees: bool
) -> None:
    asked: list[str] = []

    def answer(box: QMessageBox) -> int:
        asked.append(f"{box.text()} {box.informativeText()}")
        wanted = "Download" if agrees else "Cancel"
        next(button for button in box.buttons() if button.text() == wanted).click()
        return 0

    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("/lists/small.toml", ""))
    monkeypatch.setattr(QMessageBox, "exec", answer)
    models.download.click()
    qtbot.waitUntil(lambda: bool(asked))
    for told in ("Small model", "34.0 MB", "MIT", "models.example.org", "No note text leaves."):
        assert told in asked[0]
    if agrees:
        qtbot.waitUntil(lambda: library.downloads == ["/lists/small.toml"])
        qtbot.waitUntil(lambda: [one.text for one in app.ops.feed.past] == ["taken in and tried out"])
    else:
        qtbot.wait(50)
        assert library.downloads == []


def test_a_folder_is_imported_under_the_name_that_is_given(
    qtbot: QtBot, app: App, models: ModelsPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/models/mine")
    monkeypatch.setattr(QInputDialog, "getItem", lambda *given: (given[3][0], True))
    models.take_in.click()
    qtbot.waitUntil(lambda: [one.name for one in app.ops.feed.past] == ["Importing mine"])


# --- ledger, keychain, machine


def test_the_ledger_and_the_keychain_are_shown(qtbot: QtBot, dialog: SettingsDialog) -> None:
    dialog.open_page("privacy")
    page = dialog.findChild(PrivacyPage)
    assert page is not None
    qtbot.waitUntil(lambda: page.ledger.rowCount() == 1)
    assert page.ledger.item(0, 2).text() == "127.0.0.1:3333"
    held = "Key of the index files: present\nToken of brain: absent"
    qtbot.waitUntil(lambda: page.keychain.text() == held)


def test_diagnostics_are_read_before_they_are_saved(
    qtbot: QtBot, dialog: SettingsDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog.open_page("machine")
    page = dialog.findChild(MachinePage)
    assert page is not None
    page.diagnostics.click()
    shown = page.findChild(DiagnosticsDialog)
    assert shown is not None
    qtbot.waitUntil(shown.save.isEnabled)
    assert "# Window\nQt 6" in shown.text.toPlainText()
    file = tmp_path / "report.txt"
    assert not file.exists()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    shown.save.click()
    assert file.read_text("utf-8") == shown.text.toPlainText()
    shown.close()


def test_start_at_login_is_off_until_it_is_ticked(qtbot: QtBot, dialog: SettingsDialog) -> None:
    if not autostart.entry_file().name.endswith(".desktop"):
        pytest.skip("the entry is no file here")
    dialog.open_page("machine")
    page = dialog.findChild(MachinePage)
    assert page is not None
    assert not page.login.isChecked()
    page.login.click()
    assert "--hidden" in autostart.entry_file().read_text("utf-8")
    page.login.click()
    assert not autostart.entry_file().exists()


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("/usr/bin/lamplight", "/usr/bin/lamplight"),
        ("/opt/My Apps/lamp", '"/opt/My Apps/lamp"'),
        ("/opt/100%/lamp", "/opt/100%%/lamp"),
        ('/opt/a"b c', '"/opt/a\\\\"b c"'),
    ],
)
def test_words_of_the_entry_are_quoted(word: str, quoted: str) -> None:
    assert autostart._quoted(word) == quoted


def test_the_entry_of_macos_is_a_list_of_properties() -> None:
    text = autostart.entry_text(["/Applications/Lamplight", "--hidden"], "darwin").decode()
    assert "<string>--hidden</string>" in text
    assert "RunAtLoad" in text
