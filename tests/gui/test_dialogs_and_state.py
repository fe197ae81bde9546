"""Settings made from their declarations, what is remembered, and messages in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_library import FakeLibrary
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QMainWindow, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from engine.errors import BugError, LibraryBusy, NotASource
from engine.model import IndexReport, Outcome, Problem, Severity, SourceId
from engine.settings import Settings, declarations
from gui.app import App
from gui.dialogs.activity import outcome_text
from gui.dialogs.settings import SettingsDialog
from gui.messages import from_error, from_report
from gui.state import State, clamp


def test_the_settings_dialog_has_an_editor_for_each_declaration(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = SettingsDialog(Settings(results=33, theme="dark", brake_fraction=0.5), parent)
    assert dialog.settings == Settings(results=33, theme="dark", brake_fraction=0.5)
    for name in declarations():
        assert dialog.editor(name).accessibleName()
    results = dialog.editor("results")
    assert isinstance(results, QSpinBox)
    assert (results.minimum(), results.maximum()) == (5, 200)
    check, theme = dialog.editor("update_check"), dialog.editor("theme")
    assert isinstance(check, QCheckBox)
    assert isinstance(theme, QComboBox)
    check.setChecked(True)
    theme.setCurrentIndex(0)
    assert (dialog.settings.update_check, dialog.settings.theme) == (True, "system")


def test_saved_settings_are_applied_at_once(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    app.window.entries["settings"].trigger()
    dialog = app.window.findChild(SettingsDialog)
    assert dialog is not None
    theme = dialog.editor("theme")
    assert isinstance(theme, QComboBox)
    theme.setCurrentIndex(theme.findData("dark"))
    dialog.accept()
    qtbot.waitUntil(lambda: app.theme.roles.is_dark)
    assert library.settings.theme == "dark"
    app.theme.choose("light")


def test_the_history_keeps_the_newest_once_and_is_bounded(tmp_path: Path) -> None:
    state = State(tmp_path)
    for text in [*(f"q{n}" for n in range(60)), "Q59", " ", "q58"]:
        state.remember_query(text)
    again = State(tmp_path)
    again._ini.sync()
    assert state.history[:3] == ["q58", "Q59", "q57"]
    assert len(state.history) == 50
    state.forget_history()
    assert state.history == []


def test_a_history_of_one_survives_the_file(tmp_path: Path) -> None:
    State(tmp_path).remember_query("alone")
    state = State(tmp_path)
    assert state.history == ["alone"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (QRect(10, 10, 800, 600), QRect(10, 10, 800, 600)),
        (QRect(-500, 3000, 800, 600), QRect(0, 480, 800, 600)),
        (QRect(1800, -20, 4000, 3000), QRect(0, 0, 1920, 1080)),
    ],
)
def test_a_window_of_a_lost_screen_comes_back(wanted: QRect, expected: QRect) -> None:
    assert clamp(wanted, QRect(0, 0, 1920, 1080)) == expected


def test_the_first_window_leaves_room_for_its_frame_on_a_small_screen(qtbot: QtBot, tmp_path: Path) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    room = window.screen().availableGeometry()
    window.resize(room.width() + 300, room.height())
    State(tmp_path).restore(window, {})
    assert window.width() < room.width()
    assert window.height() <= room.height() - 40
    window.resize(300, 200)
    State(tmp_path).restore(window, {})
    assert (window.width(), window.height()) == (300, 200)


def test_messages_say_who_can_do_something() -> None:
    assert (
        from_error(NotASource("No vault at x.", "Choose a folder."), "Not added.").text
        == "No vault at x. Choose a folder."
    )
    assert "Trying again may help." in from_error(LibraryBusy("Busy."), "Failed.").text
    for fault in (BugError("odd"), ZeroDivisionError("division by zero")):
        message = from_error(fault, "Failed.")
        assert message.title == "Failed."
        assert "please report it" in message.text
        assert str(fault) in message.text


def report(**values: object) -> IndexReport:
    return IndexReport(SourceId("a"), **({"outcome": Outcome.COMPLETE} | values))  # type: ignore[arg-type]


def test_a_good_run_is_not_worth_a_message_and_a_bad_one_is() -> None:
    assert from_report(report(added=3), "A") is None
    assert from_report(report(outcome=Outcome.CANCELLED), "A") is None
    offline = from_report(report(outcome=Outcome.OFFLINE, detail="drive"), "A")
    assert offline is not None
    assert (offline.title, offline.tone) == ("A cannot be reached.", "info")
    problem = Problem(Severity.FAILED, "x.md", "not text", "bad")
    failed = from_report(report(failed=1, problems=(problem,)), "A")
    assert failed is not None
    assert (failed.title, failed.text) == ("1 note could not be read.", "x.md: not text")


@pytest.mark.parametrize(
    ("values", "error", "expected"),
    [
        ({"added": 2, "failed": 1}, "", "2 new, 1 failed"),
        ({}, "", "nothing to do"),
        ({"outcome": Outcome.BRAKED}, "", "stopped before removing much; nothing was removed"),
        ({}, "disk full", "failed: disk full"),
    ],
)
def test_how_a_run_ended_in_words(values: dict[str, object], error: str, expected: str) -> None:
    assert outcome_text(report(**values), error) == expected


def test_every_note_is_listed_with_its_state_and_opens(qtbot: QtBot, app: App) -> None:
    from gui.dialogs.notes import NotesDialog

    app.window.sidebar.view.setCurrentIndex(app.window.sidebar.view.model().index(0, 0))
    app.window.entries["problems"].trigger()
    dialog = app.window.findChild(NotesDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.summary.text() == "4 notes")
    dialog.state.setCurrentText("skipped (1)")
    assert [(note.label, note.reason) for note in dialog.model.rows] == [("Empty.md", "The note is empty.")]
    dialog.state.setCurrentText("All (4)")
    dialog.words.setText("bees")
    with qtbot.waitSignal(app.ops.reading.note_read) as read:
        qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    assert read.args[0].view.title == "Bees"
    dialog.close()
