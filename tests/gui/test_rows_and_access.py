"""What rows hold, how tall they are, and what a screen reader and the keyboard meet."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from fake_library import FakeLibrary, make_source
from PySide6.QtCore import QModelIndex, QRectF, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QKeySequence, QPaintEvent
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from engine.job import Progress
from engine.model import Freshness, NoteKey, SearchRequest, SearchResult, SourceStatus
from gui import actions, delegates
from gui.app import App
from gui.delegates import utf16_spans
from gui.item_models import ResultsModel, Role, SourcesModel, spoken
from gui.messages import duration_text
from gui.panels.results import ROWS_AT_FIRST, HitsView, summary
from gui.panels.status_bar import age_text, run_text
from gui.theme import Theme


@pytest.fixture
def model(qapp: QApplication, library: FakeLibrary) -> ResultsModel:
    made = ResultsModel()
    made.show(library.search(SearchRequest("sourdough morning")).rows)
    return made


def test_notes_are_rows_and_further_passages_their_children(model: ResultsModel) -> None:
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    top = model.index(0, 0)
    assert (top.data(), top.data(Role.MORE), model.rowCount(top)) == ("Sourdough", 1, 1)
    child = model.index(0, 0, top)
    assert "steam" in child.data(Role.HIT).text
    assert child.data(Role.MORE) == 0
    assert model.rowCount(child) == 0
    assert child.parent() == top
    hit = child.data(Role.HIT)
    assert model.find(hit.passage_id, hit.source) == child
    assert not model.find(1, "nowhere").isValid()
    assert model.index(9, 0) == QModelIndex()


def test_a_row_is_spoken_completely(model: ResultsModel) -> None:
    text = model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert text.startswith("Sourdough. Starter. Feed the sourdough starter every morning with rye flour.")
    for piece in ("in Notes", "2025", "strong match", "words rank 2", "meaning rank 3", "1 more passage"):
        assert piece in text, piece


def test_rows_are_painted_over_several_turns_and_none_is_left(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delegates, "TURN_SECONDS", 0.0)
    turns: list[list[int]] = []
    paint_ground, paint_event = delegates.ResultDelegate._paint_ground, HitsView.paintEvent

    def ground(self: Any, sheet: Any, rect: QRectF, *rest: Any) -> None:
        turns[-1].append(int(rect.top()))
        paint_ground(self, sheet, rect, *rest)

    def event(self: HitsView, event: QPaintEvent) -> None:
        turns.append([])
        paint_event(self, event)

    monkeypatch.setattr(delegates.ResultDelegate, "_paint_ground", ground)
    monkeypatch.setattr(HitsView, "paintEvent", event)
    made = ResultsModel()
    (row,) = FakeLibrary.with_notes().search(SearchRequest("sourdough morning")).rows[:1]
    made.show([row] * 4)
    view = HitsView(Theme(qapp, "light"), made)
    qtbot.addWidget(view)
    view.resize(500, 1000)
    view.show()
    places = [view.visualRect(made.index(number, 0)).top() for number in range(4)]
    qtbot.waitUntil(lambda: {top for turn in turns for top in turn} == set(places))
    assert all(len(turn) <= 1 for turn in turns)
    assert [top for turn in turns for top in turn][-4:] == places
    qtbot.waitUntil(lambda: not view._is_new)
    view.grab()
    assert turns[-1] == places, "a picture holds every row"


def test_a_changed_note_is_said_to_be(model: ResultsModel) -> None:
    hit = dataclasses.replace(model.index(0, 0).data(Role.HIT), freshness=Freshness.CHANGED)
    assert "changed since" in spoken(hit, 0)


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("plain text", [(0, 5)], [(0, 5)]),
        ("🐝 bees", [(2, 6)], [(3, 4)]),
        ("日記 light", [(3, 8)], [(3, 5)]),
        ("🐝🐝", [(0, 1), (1, 2)], [(0, 2), (2, 2)]),
    ],
)
def test_highlights_are_counted_as_qt_counts(
    text: str, spans: list[tuple[int, int]], expected: list[tuple[int, int]]
) -> None:
    assert utf16_spans(text, spans) == expected


def test_a_narrow_row_is_taller_and_a_long_snippet_is_bounded(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.sources_["notes"].notes[0].markdown = "# Oven\n\n" + "sourdough " * 400
    with qtbot.waitSignal(app.ops.reading.found):
        app.window.search_box.set_query("sourdough")
    view = app.window.results.view
    index = view.model().index(0, 0)
    option = QStyleOptionViewItem()
    option.widget = view
    tall = view.itemDelegate().sizeHint(option, index).height()
    assert tall <= 12 * view.fontMetrics().height()
    library.sources_["notes"].notes[0].markdown = "# Oven\n\nsourdough"
    with qtbot.waitSignal(app.ops.reading.found):
        app.window.search_box.set_query("sourdough ")
    assert view.visualRect(view.model().index(0, 0)).height() <= tall


def walk(interface: QAccessibleInterface, depth: int = 0) -> list[QAccessibleInterface]:
    found = [interface]
    for position in range(interface.childCount() if depth < 30 else 0):
        child = interface.child(position)
        if child is not None and child.isValid():
            found += walk(child, depth + 1)
    return found


def test_every_control_has_a_name(qtbot: QtBot, app: App) -> None:
    with qtbot.waitSignal(app.ops.reading.found):
        app.window.search_box.set_query("sourdough")
    root = QAccessible.queryAccessibleInterface(app.window)
    named = {
        QAccessible.Role.Button, QAccessible.Role.CheckBox, QAccessible.Role.EditableText, QAccessible.Role.ComboBox,
        QAccessible.Role.ButtonMenu, QAccessible.Role.Tree, QAccessible.Role.List, QAccessible.Role.ListItem,
        QAccessible.Role.TreeItem,
    }  # fmt: skip
    unnamed = []
    for interface in walk(root):
        widget = interface.object()
        is_own = widget is None or not widget.objectName().startswith("qt_")
        if interface.role() in named and is_own and not interface.text(QAccessible.Text.Name):
            unnamed.append((interface.role(), widget))
    assert unnamed == []


def test_rows_are_read_through_the_accessibility_tree(qtbot: QtBot, app: App) -> None:
    with qtbot.waitSignal(app.ops.reading.found):
        app.window.search_box.set_query("sourdough")
    texts = [i.text(QAccessible.Text.Name) for i in walk(QAccessible.queryAccessibleInterface(app.window.results.view))]
    assert any(text.startswith("Sourdough. Starter. Feed the") for text in texts)


def test_no_key_has_two_meanings_and_every_action_has_a_method(app: App) -> None:
    keys = [QKeySequence(key).toString() for action in actions.ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))
    assert all(keys)
    assert {action.menu for action in actions.ACTIONS} == set(actions.MENUS)
    for action in actions.ACTIONS:
        assert callable(app.window._action(action.id))


def test_the_palette_finds_and_runs_a_command_by_its_words(qtbot: QtBot, app: App) -> None:
    from PySide6.QtWidgets import QLineEdit

    from gui.dialogs.palette import Palette

    app.window.entries["palette"].trigger()
    palette = app.window.findChild(Palette)
    assert palette is not None
    box = palette.findChild(QLineEdit)
    qtbot.keyClicks(box, "sources hide")
    assert palette.chosen == "toggle_sidebar"
    assert app.window.sidebar.isVisible()
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert not app.window.sidebar.isVisible()


def test_the_key_list_holds_every_key(qtbot: QtBot, app: App) -> None:
    from PySide6.QtWidgets import QTableWidget

    from gui.dialogs.palette import key_list

    dialog = key_list(app.window.entries, app.window)
    qtbot.addWidget(dialog)
    table = dialog.findChild(QTableWidget)
    assert table is not None
    shown = {table.item(row, 1).text() for row in range(table.rowCount())}
    assert {a.text.rstrip("…") for a in actions.ACTIONS if a.keys} <= shown


def test_sources_say_their_state_in_words(qapp: QApplication) -> None:
    model = SourcesModel()
    model.show((SourceStatus(make_source("A"), "offline", notes=3, detail="the drive is not there"),))
    assert model.index(0).data(Qt.ItemDataRole.AccessibleTextRole) == "A, offline, 3 notes, the drive is not there"
    model.set_busy("a")
    assert "indexing" in model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)


@pytest.mark.parametrize(
    ("progress", "waiting", "expected"),
    [
        (Progress(), 0, "N: starting"),
        (Progress("embedding", 3, 10, rate=2.5, seconds_left=2.8), 0, "N: embedding 3 / 10 · 2.5 a second · 3 s left"),
        (
            Progress("embedding", 3, 10, rate=25, is_paused=True),
            2,
            "N: embedding 3 / 10 · paused · 2 more sources wait",
        ),
    ],
)
def test_a_run_in_words(qapp: QApplication, progress: Progress, waiting: int, expected: str) -> None:
    assert run_text("N", progress, waiting) == expected


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "1 s"), (59, "59 s"), (150, "2 min"), (7260, "2 h 1 min")])
def test_durations(qapp: QApplication, seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_the_age_names_what_meaning_cannot_find_yet(qapp: QApplication) -> None:
    status = SourceStatus(make_source("A"), "partial", notes=2, passages=10, vectors=4, indexed_at=1000.0)
    text = age_text((status,), 1030.0)
    assert text == "2 notes · 10 passages · 6 found by words only so far · indexed just now"
    assert age_text((), 0) == ""


def test_the_summary_says_what_was_searched_instead_and_which_ranking_failed(qapp: QApplication) -> None:
    from engine.model import LegHealth, LegState, SearchResult

    legs = (LegHealth("meaning", LegState.FAILED, "no model"),)
    text = summary(SearchResult((), legs, corrected=(("sorudough", "sourdough"),), seconds=0.0123))
    assert text == "0 notes · 12 ms · “sorudough” searched as “sourdough” · without meaning: no model"


def test_more_rows_than_fit_are_shown_turn_by_turn(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    [row] = library.search(SearchRequest("sourdough morning")).rows[:1]
    rows = tuple(
        dataclasses.replace(row, note=NoteKey(f"{n}.md"), hits=(dataclasses.replace(row.hits[0], passage_id=n),))
        for n in range(30)
    )
    panel = app.window.results
    panel.show_result(SearchResult(rows, ()), keep_place=False)
    model = panel.view.model()
    assert model.rowCount() == ROWS_AT_FIRST
    qtbot.waitUntil(lambda: model.rowCount() == 30)
    assert [model.index(at, 0).data(Role.HIT).passage_id for at in range(30)] == list(range(30))


def test_rows_are_measured_turn_by_turn(app: App, library: FakeLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    hits = [
        dataclasses.replace(hit, snippet=f"{hit.snippet} {n}")
        for n, hit in enumerate(library.search(SearchRequest("sourdough morning")).rows[0].hits * 3)
    ]
    view = app.window.results.view
    monkeypatch.setattr(delegates, "TURN_SECONDS", -1.0)
    assert [view.measure(hits) for _ in range(len(hits) + 1)] == [*[False] * len(hits), True]


def test_the_place_is_kept_also_where_it_is_not_among_the_first(app: App, library: FakeLibrary) -> None:
    [row] = library.search(SearchRequest("sourdough morning")).rows[:1]
    rows = [
        dataclasses.replace(row, note=NoteKey(f"{n}.md"), hits=(dataclasses.replace(row.hits[0], passage_id=n),))
        for n in range(30)
    ]
    panel = app.window.results
    panel.show_result(SearchResult(tuple(rows), ()), keep_place=False)
    panel.show_result(SearchResult((*rows[1:25], rows[0]), ()), keep_place=True)
    assert panel.current_hit is not None
    assert panel.current_hit.passage_id == 0
    assert panel.view.currentIndex().row() == 24


def test_the_best_row_of_the_whole_answer_is_selected_unless_another_was_chosen(
    qtbot: QtBot, app: App, library: FakeLibrary
) -> None:
    [row] = library.search(SearchRequest("sourdough morning")).rows[:1]
    rows = [
        dataclasses.replace(row, note=NoteKey(f"{n}.md"), hits=(dataclasses.replace(row.hits[0], passage_id=n),))
        for n in range(3)
    ]
    panel = app.window.results

    def shown(order: list[int], *, is_provisional: bool) -> int:
        found = SearchResult(tuple(rows[n] for n in order), ())
        panel.show_result(found, keep_place=True, is_provisional=is_provisional)
        assert panel.current_hit is not None
        return panel.current_hit.passage_id

    assert shown([0, 1, 2], is_provisional=True) == 0
    assert shown([2, 1, 0], is_provisional=False) == 2
    assert shown([1, 2, 0], is_provisional=False) == 2, "what is read stays when the index is renewed"
    panel.show_result(SearchResult(tuple(rows), ()), keep_place=False, is_provisional=True)
    qtbot.keyClick(panel.view, Qt.Key.Key_Down)
    assert shown([2, 1, 0], is_provisional=False) == 1
    assert panel.view.currentIndex().row() == 1
