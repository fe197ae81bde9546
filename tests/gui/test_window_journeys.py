"""What a person does in the window, by keyboard, on the library in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_library import FakeLibrary
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
)
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from engine.errors import LibraryBusy, ModelUnavailable
from engine.job import Job, Progress
from engine.model import (
    Changed,
    Changes,
    Discovered,
    IndexReport,
    Mode,
    Outcome,
    SearchRequest,
    SourceId,
    SourceKind,
)
from gui import index_runs
from gui.app import App
from gui.panels.widgets import button


def titles(parts: App) -> list[str]:
    model = parts.window.results.view.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def search(qtbot: QtBot, parts: App, text: str) -> None:
    with qtbot.waitSignal(parts.ops.reading.found):
        parts.window.search_box.set_query(text)
    qtbot.waitUntil(lambda: not parts.tasks.is_busy("search"))


def press(
    qtbot: QtBot, widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    qtbot.keyClick(widget, key, modifier)


def test_every_key_searches_words_and_a_pause_searches_both(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    qtbot.keyClicks(app.window.search_box, "hive")
    qtbot.waitUntil(lambda: any(r.mode is Mode.BOTH and r.text == "hive" for r in library.requests))
    assert library.requests[0].mode is Mode.WORD
    assert library.requests[0].typing
    assert not library.requests[-1].typing
    qtbot.waitUntil(lambda: titles(app) == ["Bees"])


def test_arrows_move_in_the_results_while_the_box_keeps_the_focus(qtbot: QtBot, app: App) -> None:
    search(qtbot, app, "morning")
    box, results = app.window.search_box, app.window.results
    assert len(titles(app)) == 3
    first = results.current_hit
    press(qtbot, box, Qt.Key.Key_Down)
    assert results.current_hit is not first
    assert results.current_hit is not None
    assert results.current_hit.title == titles(app)[1]
    assert box.text() == "morning"


def test_the_note_under_the_cursor_is_shown_with_its_passage_and_words_marked(qtbot: QtBot, app: App) -> None:
    search(qtbot, app, "sourdough")
    preview = app.window.preview
    qtbot.waitUntil(lambda: "Feed the sourdough" in preview.browser.toPlainText())
    assert preview.mark_count == 2
    selections = preview.browser.extraSelections()[-2:]  # The best sentence may be marked before them.
    assert "Feed the sourdough starter" in preview.passage_text
    assert [s.cursor.selectedText() for s in selections] == ["sourdough", "sourdough"]


def test_f3_walks_the_highlights_and_wraps(qtbot: QtBot, app: App) -> None:
    search(qtbot, app, "sourdough")
    preview = app.window.preview
    qtbot.waitUntil(lambda: preview.mark_count == 2)
    seen = []
    for _ in range(3):
        app.window.entries["next_hit"].trigger()
        seen.append(preview.mark_position)
    app.window.entries["previous_hit"].trigger()
    assert [*seen, preview.mark_position] == [0, 1, 0, 1]


def test_tab_opens_the_further_passages_and_right_and_left_fold(qtbot: QtBot, app: App) -> None:
    search(qtbot, app, "sourdough")
    view = app.window.results.view
    view.setFocus()
    top = view.model().index(0, 0)
    press(qtbot, view, Qt.Key.Key_Right)
    assert view.isExpanded(top)
    press(qtbot, view, Qt.Key.Key_Left)
    assert not view.isExpanded(top)
    press(qtbot, view, Qt.Key.Key_Tab)
    assert view.isExpanded(top)
    assert view.currentIndex().parent() == top
    hit = app.window.results.current_hit
    assert hit is not None
    assert "steam" in hit.text
    press(qtbot, view, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert view.currentIndex() == top


def test_enter_reads_the_note_and_escape_leads_back(qtbot: QtBot, app: App) -> None:
    window = app.window
    window.activateWindow()
    search(qtbot, app, "hive")
    press(qtbot, window.search_box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.preview.browser.hasFocus())
    press(qtbot, window.preview.browser, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.results.view.hasFocus())
    press(qtbot, window.results.view, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.search_box.hasFocus())
    press(qtbot, window.search_box, Qt.Key.Key_Escape)
    assert window.search_box.text() == ""
    assert titles(app) == []


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape])
def test_keys_of_a_composition_belong_to_the_input_method(qtbot: QtBot, app: App, key: Qt.Key) -> None:
    box = app.window.search_box
    box.setText("hive")
    submitted: list[None] = []
    box.submitted.connect(lambda: submitted.append(None))
    QApplication.sendEvent(box, QInputMethodEvent("きょう", []))
    QApplication.sendEvent(box, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))
    assert submitted == []
    assert box.text() == "hive"
    committed = QInputMethodEvent("", [])
    committed.setCommitString("今日")
    QApplication.sendEvent(box, committed)
    press(qtbot, box, Qt.Key.Key_Return)
    assert len(submitted) == 1


def test_f6_goes_round_the_panes(qtbot: QtBot, app: App) -> None:
    window = app.window
    window.activateWindow()
    search(qtbot, app, "hive")
    qtbot.waitUntil(lambda: "hive" in window.preview.browser.toPlainText())
    window.search_box.setFocus()
    seen = []
    for _ in range(6):
        window.entries["next_pane"].trigger()
        seen.append(QApplication.focusWidget())
    sides = [window.note_pane.aside.related, window.sidebar.view, window.sidebar.browse]
    assert seen == [window.results.view, window.preview.browser, *sides, window.search_box]


def test_slash_goes_to_the_search_box_but_not_from_it(qtbot: QtBot, app: App) -> None:
    window = app.window
    window.activateWindow()
    search(qtbot, app, "hive")
    window.results.view.setFocus()
    qtbot.keyClicks(window.results.view, "/")
    qtbot.waitUntil(lambda: window.search_box.hasFocus())
    qtbot.keyClicks(window.search_box, "a/b")
    assert window.search_box.text().endswith("a/b")


def test_choosing_a_source_searches_in_it_alone_and_again_in_all(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    search(qtbot, app, "morning")
    view = app.window.sidebar.view
    index = view.model().index(1, 0)
    with qtbot.waitSignal(app.ops.reading.found):
        view.activated.emit(index)
    qtbot.waitUntil(lambda: titles(app) == ["March 3rd, 2025"])
    assert library.requests[-1].sources == ("second brain",)
    with qtbot.waitSignal(app.ops.reading.found):
        view.activated.emit(index)
    assert library.requests[-1].sources == ()


def drop(parts: App, *urls: QUrl) -> bool:
    """Drag and drop ``urls`` on the window; whether it took them."""
    data = QMimeData()
    data.setUrls(list(urls))
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(QPoint(300, 300), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(parts.window, entering)
    if not entering.isAccepted():
        return False
    dropping = QDropEvent(QPointF(300, 300), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(parts.window, dropping)
    return dropping.isAccepted()


def test_several_dropped_sources_are_registered_and_indexed(
    qtbot: QtBot, app: App, library: FakeLibrary, tmp_path: Path
) -> None:
    vault = tmp_path / "Zweites Gehirn"
    vault.mkdir()
    export = tmp_path / "graph.edn"
    export.write_text("[]")
    stray = tmp_path / "photo.png"
    stray.write_text("")
    urls = [QUrl.fromLocalFile(str(path)) for path in (vault, export, stray)]
    assert drop(app, *urls)
    qtbot.waitUntil(lambda: len(library.runs) == 2 and not app.ops.runs.is_running)
    assert library.runs == [("zweites gehirn", False), ("graph", False)]
    assert {"zweites gehirn", "graph"} <= set(library.sources_)


@pytest.mark.parametrize("address", ["https://example.org/x.json", "file://server/share/x.json"])
def test_a_drop_from_elsewhere_is_refused(app: App, address: str) -> None:
    assert not drop(app, QUrl(address))


def test_one_bad_source_is_said_and_the_others_go_on(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    app.window.add_locations(["/x/bad.json", "/x/good.json"])
    qtbot.waitUntil(lambda: ("good", False) in library.runs and not app.ops.runs.is_running)
    assert "bad.json could not be added." in app.window.message_bar.text
    assert "Choose a folder of Markdown files." in app.window.message_bar.text
    assert not app.window.message_bar.isHidden()


def test_indexing_shows_progress_pauses_and_is_cancelled(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.hold = threading.Event()
    window = app.window
    window.sidebar.view.setCurrentIndex(window.sidebar.view.model().index(0, 0))
    window.entries["index_source"].trigger()
    texts = lambda: window.status_bar._text.text()  # noqa: E731
    qtbot.waitUntil(lambda: "Notes: embedding 0 / 3" in texts())
    assert window.entries["pause_indexing"].isEnabled()
    window.entries["pause_indexing"].trigger()
    assert "paused" in texts()
    window.entries["pause_indexing"].trigger()
    assert "paused" not in texts()
    window.entries["cancel_indexing"].trigger()
    qtbot.waitUntil(lambda: not app.ops.runs.is_running)
    assert texts() == ""
    assert not window.entries["pause_indexing"].isEnabled()
    app.window.entries["activity"].trigger()
    assert window.dialogs._activity is not None
    assert window.dialogs._activity.texts == ["Notes: cancelled; what was done is kept"]


def test_the_sidebar_says_which_source_is_being_indexed(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.hold = threading.Event()
    app.window.entries["index_all"].trigger()
    model = app.window.sidebar.view.model()
    spoken = lambda: model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)  # noqa: E731
    qtbot.waitUntil(lambda: "indexing" in spoken())
    assert "1 more source waits" in app.window.status_bar._text.text()
    library.hold.set()
    qtbot.waitUntil(lambda: not app.ops.runs.is_running)
    assert spoken() == "Notes, indexed, 3 notes"
    assert [source for source, _ in library.runs] == ["notes", "second brain"]


def test_a_failed_run_is_said_with_its_remedy(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.error = ModelUnavailable("The model is damaged.", "Install Lamplight again.")
    app.window.entries["index_all"].trigger()
    qtbot.waitUntil(lambda: "Install Lamplight again." in app.window.message_bar.text)
    qtbot.waitUntil(lambda: not app.ops.runs.is_running)
    app.window.entries["activity"].trigger()
    assert app.window.dialogs._activity is not None
    assert app.window.dialogs._activity.texts[-1] == "Notes: failed: The model is damaged. Install Lamplight again."


def test_a_search_that_fails_is_said_and_the_next_one_works(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.error = LibraryBusy("Another Lamplight has the notes open.")
    app.window.search_box.set_query("hive")
    qtbot.waitUntil(lambda: "Trying again may help." in app.window.message_bar.text)
    library.error = None
    search(qtbot, app, "hive")
    assert titles(app) == ["Bees"]


def test_only_the_newest_of_two_quick_searches_is_shown(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    gate = threading.Event()
    shown: list[str] = []
    app.ops.reading.found.connect(lambda request, _result: shown.append(request.text))

    def slow_first(request: SearchRequest, _job: Job | None) -> None:
        if request.text == "hive":
            gate.wait(30)

    library.on_search = slow_first
    app.ops.reading.search(SearchRequest("hive"))
    app.ops.reading.search(SearchRequest("sourdough"))
    gate.set()
    qtbot.waitUntil(lambda: shown == ["sourdough"])
    assert titles(app) == ["Sourdough"]


def test_links_and_text_of_the_selected_rows_are_copied(qtbot: QtBot, app: App) -> None:
    search(qtbot, app, "sourdough")
    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    app.window.results.view.setFocus()
    app.window.entries["copy_link"].trigger()
    qtbot.waitUntil(lambda: "Sourdough" in clipboard.text())
    assert clipboard.text() == "obsidian://open?vault=notes&file=Kitchen%2FSourdough.md"
    app.window.entries["copy_text"].trigger()
    assert clipboard.text() == "Feed the sourdough starter every morning with rye flour."


def test_ctrl_enter_opens_the_hit_in_its_own_app(qtbot: QtBot, app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: bool(opened.append(url.toString())) or True)
    app.window.activateWindow()
    search(qtbot, app, "hive")
    press(qtbot, app.window.search_box, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: opened == ["obsidian://open?vault=notes&file=Garden%2FBees.md"])


def test_the_first_start_offers_what_was_found_and_the_demo(qtbot: QtBot, start: Callable[..., App]) -> None:
    found = Discovered(SourceKind.OBSIDIAN, "Second Brain", "/people/me/Brain", notes=1200)
    library = FakeLibrary(found=[found])
    parts = start(library)
    page = parts.window.adding.page
    qtbot.waitUntil(lambda: len(page.boxes) == 2)
    assert [(box.text(), box.isChecked()) for box in page.boxes] == [("Second Brain", True), ("Demo notes", False)]
    qtbot.waitUntil(lambda: "about" in page._estimate.text())
    page.boxes[1].setChecked(True)
    page._start.click()
    qtbot.waitUntil(lambda: len(library.runs) == 2 and not parts.ops.runs.is_running)
    assert [entry.source.name for entry in library.sources_.values()] == ["Brain", "Demo vault"]
    qtbot.waitUntil(lambda: parts.window.pages.currentWidget() is parts.window._inner)


def test_a_source_is_removed_only_when_the_person_says_so(
    qtbot: QtBot, app: App, library: FakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gui.dialogs import questions

    app.window.sidebar.view.setCurrentIndex(app.window.sidebar.view.model().index(0, 0))
    monkeypatch.setattr(questions, "confirm_removal", lambda *_: False)
    app.window.entries["remove_source"].trigger()
    assert "notes" in library.sources_
    monkeypatch.setattr(questions, "confirm_removal", lambda *_: True)
    app.window.entries["remove_source"].trigger()
    qtbot.waitUntil(lambda: "notes" not in library.sources_)
    qtbot.waitUntil(lambda: app.window.sidebar.view.model().rowCount() == 1)


def test_results_arrive_while_a_run_goes_on_and_the_place_is_kept(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    search(qtbot, app, "morning")
    press(qtbot, app.window.search_box, Qt.Key.Key_Down)
    before = app.window.results.current_hit
    added = library.add("/x/New.zip")
    library.sources_[added.id].is_indexed = True
    with qtbot.waitSignal(app.ops.reading.found):
        app.ops.changed.emit(Changes(frozenset({Changed.NOTES})))
    assert len(titles(app)) == 5
    after = app.window.results.current_hit
    assert before is not None
    assert after is not None
    assert (after.title, after.passage_id) == (before.title, before.passage_id)


def test_the_window_remembers_query_and_history(
    qtbot: QtBot, app: App, start: Callable[..., App], library: FakeLibrary
) -> None:
    for text in ("hive", "sourdough"):
        search(qtbot, app, text)
        press(qtbot, app.window.search_box, Qt.Key.Key_Return)
    app.window.close()
    again = start(FakeLibrary.with_notes())
    assert again.window.search_box.text() == "sourdough"
    again.window.entries["older_query"].trigger()
    again.window.entries["older_query"].trigger()
    assert again.window.search_box.text() == "hive"


def test_a_query_typed_while_the_library_opens_is_answered(qtbot: QtBot, start: Callable[..., App]) -> None:
    library = FakeLibrary.with_notes()
    parts = start(library, before=lambda parts: parts.window.search_box.setText("hive"))
    qtbot.waitUntil(lambda: titles(parts) == ["Bees"])


def test_the_first_page_stays_when_nothing_could_be_added(qtbot: QtBot, start: Callable[..., App]) -> None:
    parts = start(FakeLibrary())
    parts.window.add_locations(["/x/bad.json"])
    qtbot.waitUntil(lambda: "bad.json could not be added." in parts.window.message_bar.text)
    assert parts.window.pages.currentWidget() is parts.window.adding.page


def test_a_run_shows_its_counts_as_soon_as_a_stage_ends(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.hold = threading.Event()
    library.sources_["notes"].is_indexed = False
    with qtbot.waitSignal(app.ops.sources_listed):
        app.ops.list_sources()
    # Before the run begins: its stage may end before this thread goes on.
    library.sources_["notes"].is_indexed = True
    app.window.entries["index_all"].trigger()
    model = app.window.sidebar.view.model()
    qtbot.waitUntil(lambda: model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "Notes, indexing, 3 notes")
    library.hold.set()
    qtbot.waitUntil(lambda: not app.ops.runs.is_running)


@pytest.mark.parametrize(
    ("seen", "times"),
    [
        (("scanning", "reading"), 0),
        (("reading Roam", "scan", "scanning", "reading"), 0),
        (("scanning", "reading", "embedding"), 1),
        (("embedding",), 1),
        (("scanning", "embedding", "embedding", "graph"), 2),
    ],
)
def test_lists_are_asked_for_once_a_run_has_written(
    qtbot: QtBot, app: App, library: FakeLibrary, monkeypatch: pytest.MonkeyPatch, seen: tuple[str, ...], times: int
) -> None:
    let_go = threading.Event()

    def index(_source: str, job: Job, **_options: bool) -> IndexReport:
        while not let_go.wait(0.01):
            job.check()
        return IndexReport(SourceId("notes"), Outcome.COMPLETE)

    monkeypatch.setattr(library, "index", index)
    monkeypatch.setattr(index_runs, "RENEW_SECONDS", 1e9)
    asked: list[Changes] = []
    app.ops.runs.wrote.connect(asked.append)
    app.ops.runs.index(SourceId("notes"), "Notes")
    for stage in seen:
        app.ops.runs._on_progress(Progress(stage))
    assert len(asked) == times
    let_go.set()
    qtbot.waitUntil(lambda: not app.ops.runs.is_running)


def test_the_start_button_works_once(qtbot: QtBot, start: Callable[..., App]) -> None:
    library = FakeLibrary()
    parts = start(library)
    page = parts.window.adding.page
    qtbot.waitUntil(lambda: len(page.boxes) == 1)
    page._start.click()
    page._start.click()
    qtbot.waitUntil(lambda: bool(library.runs) and not parts.ops.runs.is_running)
    assert len(library.runs) == 1
    assert parts.window.message_bar.text == ""


def test_what_was_said_of_a_query_goes_with_it(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    bar, box = app.window.message_bar, app.window.search_box
    library.notices = ("There is no operator 'taag:'.",)
    box.set_query("taag:work hive")
    qtbot.waitUntil(lambda: "taag" in bar.text and not bar.isHidden())
    library.notices = ()
    box.set_query("hive")
    qtbot.waitUntil(bar.isHidden)
    library.notices = ("There is no operator 'taag:'.",)
    box.set_query("taag:work hive")
    qtbot.waitUntil(lambda: not bar.isHidden())
    box.clear()
    qtbot.waitUntil(bar.isHidden)


def test_enter_presses_the_button_that_has_the_focus(qtbot: QtBot) -> None:
    pressed: list[int] = []
    one = button("Make these searchable")
    qtbot.addWidget(one)
    one.clicked.connect(lambda: pressed.append(1))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
        qtbot.keyClick(one, key)
    assert len(pressed) == 3
