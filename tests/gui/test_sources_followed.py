"""Sources that follow their files: options, watching, the count of what changed, and the brake before many removals."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fake_library import FakeLibrary, FakeSource, make_source, vault_notes
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from engine.model import Outcome, SourceOptions
from gui.app import App
from gui.dialogs.source_options import SourceOptionsDialog


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / ".obsidian").mkdir(parents=True)
    return folder


def library_of(vault: Path, options: SourceOptions = SourceOptions()) -> FakeLibrary:  # noqa: B008
    source = replace(make_source("Notes", location=str(vault)), options=options)
    return FakeLibrary({source.id: FakeSource(source, vault_notes())})


def test_a_changed_note_is_indexed_by_itself_and_a_hidden_file_is_not(
    qtbot: QtBot, start: Callable[..., App], vault: Path
) -> None:
    library = library_of(vault)
    start(library)
    watcher_is_up = lambda: (vault / "New.md").write_text("x") and bool(library.runs)  # noqa: E731
    (vault / ".obsidian" / "workspace.json").write_text("{}")
    qtbot.waitUntil(watcher_is_up)
    assert library.runs[0] == ("notes", False)


def test_a_source_that_waits_to_be_asked_is_not_watched(start: Callable[..., App], vault: Path) -> None:
    parts = start(library_of(vault, SourceOptions(max_age_seconds=-1)))
    assert parts.tasks._watcher is None


def test_hidden_folders_do_not_count(start: Callable[..., App], vault: Path) -> None:
    watcher = start(library_of(vault)).tasks._watcher
    assert watcher is not None
    assert watcher._is_hidden(str(vault / ".obsidian" / "app.json"))
    assert not watcher._is_hidden(str(vault / "Folder" / "Note.md"))


def test_what_changed_while_we_were_away_is_indexed_at_the_start(
    qtbot: QtBot, start: Callable[..., App], library: FakeLibrary
) -> None:
    library.behind_by = {"notes": 3}
    start(library)
    qtbot.waitUntil(lambda: library.runs == [("notes", False)])


def test_a_source_that_waits_says_how_far_it_is_behind_and_a_click_indexes_it(
    qtbot: QtBot, start: Callable[..., App], vault: Path
) -> None:
    library = library_of(vault, SourceOptions(max_age_seconds=-1))
    library.behind_by = {"notes": 3}
    parts = start(library)
    link = parts.window.status_bar._behind
    qtbot.waitUntil(lambda: not link.isHidden())
    assert link.text() == "Behind by 3 notes: index now"
    assert library.runs == []
    link.click()
    qtbot.waitUntil(lambda: library.runs == [("notes", False)])
    qtbot.waitUntil(link.isHidden)


def test_a_braked_run_asks_only_when_the_person_wants_to_decide(
    qtbot: QtBot, app: App, library: FakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [False, True]
    monkeypatch.setattr("gui.dialogs.questions.remove_vanished", lambda *_given: answers.pop(0))
    library.outcome = Outcome.BRAKED
    app.ops.runs.index(make_source("Notes").id, "Notes")
    bar = app.window.message_bar
    qtbot.waitUntil(bar.isVisible)
    assert answers == [False, True], "nothing is asked unasked"
    bar._button.click()
    assert library.runs == [("notes", False)]
    app.ops.runs.index(make_source("Notes").id, "Notes")
    qtbot.waitUntil(bar.isVisible)
    bar._button.click()
    qtbot.waitUntil(lambda: library.decided == ["notes"])
    assert library.runs == [("notes", False)] * 3, "nothing is read or embedded anew for it"


@pytest.fixture
def dialog(qtbot: QtBot, app: App, library: FakeLibrary) -> SourceOptionsDialog:
    source = library.sources_["notes"].source
    count = functools.partial(app.ops.count_notes, source.id)
    made = SourceOptionsDialog(source, count, app.ops.list_models, app.window)
    qtbot.waitUntil(lambda: made.count.text() == "3 notes are chosen")
    return made


def test_the_notes_that_the_patterns_choose_are_counted_while_they_are_typed(
    qtbot: QtBot, dialog: SourceOptionsDialog
) -> None:
    dialog.exclude.setPlainText("Garden/**\n\n  Reisen/**  ")
    qtbot.waitUntil(lambda: dialog.count.text() == "1 note is chosen")
    assert dialog.options.exclude == ("Garden/**", "Reisen/**")


def test_options_are_saved_and_the_source_is_indexed_by_them(
    qtbot: QtBot, app: App, library: FakeLibrary, dialog: SourceOptionsDialog
) -> None:
    dialog.daily.setChecked(False)
    dialog.by_default.setChecked(False)
    dialog.age.setCurrentIndex(1)
    qtbot.waitUntil(lambda: dialog.model.count() == 2)
    dialog.model.setCurrentIndex(1)
    app.ops.configure(library.sources_["notes"].source, dialog.options)
    qtbot.waitUntil(lambda: library.runs == [("notes", False)])
    kept = library.sources_["notes"].source.options
    assert (kept.daily_notes, kept.search_by_default, kept.max_age_seconds, kept.model) == (False, False, -1, "big")


def test_the_dialog_opens_from_the_table_of_actions_and_names_all_its_controls(qtbot: QtBot, app: App) -> None:
    view = app.window.sidebar.view
    view.setCurrentIndex(view.model().index(0, 0))
    app.window.entries["source_options"].trigger()
    found = app.window.findChild(SourceOptionsDialog)
    assert found is not None
    for widget in found.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() is not Qt.FocusPolicy.NoFocus:
            face = QAccessible.queryAccessibleInterface(widget)
            assert face.text(QAccessible.Text.Name), type(widget).__name__
    found.reject()
