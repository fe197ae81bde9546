"""What stands around the query and the note: chips, completions, saved searches, related notes, details, back and
forward, the best sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fake_library import FakeLibrary
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from engine.model import Explanation, Leg, NoteKey, SourceId
from gui.app import App
from gui.panels.aside import reasons
from gui.state import Place, Trail


def search(qtbot: QtBot, app: App, text: str) -> None:
    with qtbot.waitSignal(app.ops.reading.note_read):
        app.window.search_box.set_query(text)


def title(app: App) -> str:
    note = app.window.preview.note
    return note.view.title if note is not None else ""


def texts(tree: QTreeWidget) -> list[str]:
    tops = [tree.topLevelItem(row) for row in range(tree.topLevelItemCount())]
    return [item.text(0) for top in tops for item in [top, *(top.child(i) for i in range(top.childCount()))]]


def test_operators_become_chips_that_take_themselves_out(qtbot: QtBot, app: App) -> None:
    app.window.search_box.set_query("sourdough tag:bread -tag:cake")
    bar = app.window.query_bar
    qtbot.waitUntil(lambda: [chip.property("part") for chip in bar.chips] == ["tag:bread", "-tag:cake"])
    assert "tag:bread" in bar.chips[0].accessibleName()
    bar.chips[1].click()
    assert app.window.search_box.text() == "sourdough tag:bread"
    qtbot.waitUntil(lambda: len(bar.chips) == 1)
    app.window.search_box.clear()
    qtbot.waitUntil(lambda: not bar.chips)


def test_what_may_follow_is_listed_with_counts_and_taken_by_tab(qtbot: QtBot, app: App) -> None:
    box, bar = app.window.search_box, app.window.query_bar
    app.window.activateWindow()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    qtbot.keyClicks(box, "tag:br")
    qtbot.waitUntil(lambda: bar.choices == ["bread   ·   2 notes"])
    qtbot.keyClick(bar._popup, Qt.Key.Key_Tab)
    assert box.text() == "tag:bread "
    assert bar.choices == []


def test_enter_searches_when_nothing_of_the_list_was_chosen(qtbot: QtBot, app: App) -> None:
    box, bar = app.window.search_box, app.window.query_bar
    app.window.activateWindow()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    qtbot.keyClicks(box, "tag:br")
    qtbot.waitUntil(lambda: bool(bar.choices))
    with qtbot.waitSignal(box.submitted):
        qtbot.keyClick(bar._popup, Qt.Key.Key_Return)
    assert box.text() == "tag:br"


def test_searches_are_saved_chosen_and_forgotten(
    qtbot: QtBot, app: App, library: FakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.dialogs.questions.name_search", lambda _parent, _text: "Bread")
    saved = app.window.sidebar.saved
    assert saved.isHidden()
    search(qtbot, app, "sourdough")
    app.window.entries["save_search"].trigger()
    qtbot.waitUntil(lambda: saved.count() == 1)
    assert library.saved == {"Bread": "sourdough"}
    app.window.search_box.clear()
    saved.itemClicked.emit(saved.item(0))
    assert app.window.search_box.text() == "sourdough"
    saved.setCurrentRow(0)
    qtbot.keyClick(saved, Qt.Key.Key_Delete)
    qtbot.waitUntil(saved.isHidden)
    assert library.saved == {}


def test_related_notes_and_details_follow_the_selection_and_open_notes(qtbot: QtBot, app: App) -> None:
    search(qtbot, app, "sourdough")
    aside = app.window.note_pane.aside
    qtbot.waitUntil(lambda: "Bees" in texts(aside.related))
    details = texts(aside.details)
    assert "Why it was found" in details
    assert "By words: rank 2, 50 % of the score" in details
    assert "Links to (0)" in details
    search(qtbot, app, "hive")
    qtbot.waitUntil(lambda: "Sourdough" in texts(aside.related) and "Bees" not in texts(aside.related))
    with qtbot.waitSignal(app.ops.reading.note_read):
        aside.related.itemActivated.emit(aside.related.topLevelItem(0), 0)
    assert title(app) == "Sourdough"


def test_hidden_relations_are_not_asked_for_and_the_choice_is_kept(qtbot: QtBot, app: App) -> None:
    app.window.note_pane.aside.show()
    app.window.entries["toggle_aside"].trigger()
    assert app.window.note_pane.aside.isHidden()
    assert not app.window._state.shows_aside
    known: list[object] = []
    app.ops.reading.note_known.connect(known.append)
    search(qtbot, app, "hive")
    assert not app.tasks.is_busy("aside")
    app.window.entries["toggle_aside"].trigger()
    qtbot.waitUntil(lambda: len(known) == 1)


def test_links_are_followed_and_the_way_back_leads_to_the_passage(qtbot: QtBot, app: App) -> None:
    search(qtbot, app, "sourdough")
    passage = app.window.preview.passage_text
    with qtbot.waitSignal(app.ops.reading.note_read):
        app.window.preview.browser.anchorClicked.emit(QUrl("note:Bees"))
    assert title(app) == "Bees"
    with qtbot.waitSignal(app.ops.reading.note_read):
        app.window.entries["back"].trigger()
    assert (title(app), app.window.preview.passage_text) == ("Sourdough", passage)
    with qtbot.waitSignal(app.ops.reading.note_read):
        app.window.entries["forward"].trigger()
    assert title(app) == "Bees"


def test_the_sentence_that_answers_best_is_marked(qtbot: QtBot, app: App) -> None:
    app.window.search_box.set_query("steam")
    qtbot.waitUntil(lambda: bool(app.window.preview.sentence))
    assert app.window.preview.sentence == "see Steam oven"


def test_the_trail_forgets_rows_that_were_only_passed(library: FakeLibrary) -> None:
    def place(note: str, hit: object = None) -> Place:
        return Place(SourceId("s"), NoteKey(note), hit)  # type: ignore[arg-type]

    trail = Trail()
    assert trail.reach == (False, False)
    for row in ("a", "b", "c"):
        trail.visit(place(row, object()))
    trail.visit(place("linked"))
    trail.visit(place("linked"))
    assert trail.reach == (True, False)
    back = trail.step(-1)
    assert back is not None
    assert back.note == "c"
    assert trail.step(-1) is None
    trail.visit(place("other"))
    assert trail.reach == (True, False), "what lay ahead is gone"


def test_an_explanation_is_said_in_words(library: FakeLibrary) -> None:
    from dataclasses import replace

    from engine.model import SearchRequest

    hit = library.search(SearchRequest("sourdough")).rows[0].hits[0]
    explained = replace(
        hit, legs=(Leg("word", 3, 1.0, 0.25),), explanation=Explanation((("rye", "context", 1.5),), ("wheat",))
    )
    lines = reasons(explained)
    assert lines[1:] == [
        "By words: rank 3, 25 % of the score",
        "“rye” in blocks below: 1.50",
        "Not in it: “wheat”",
    ]


def test_the_new_controls_have_names(qtbot: QtBot, app: App, start: Callable[..., App]) -> None:
    app.window.search_box.set_query("sourdough tag:bread")
    qtbot.waitUntil(lambda: bool(app.window.query_bar.chips))
    assert app.window.note_pane.aside.related.accessibleName()
    for widget in app.window.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() not in (Qt.FocusPolicy.NoFocus, Qt.FocusPolicy.ClickFocus):
            face = QAccessible.queryAccessibleInterface(widget)
            assert face.text(QAccessible.Text.Name), (type(widget).__name__, widget.objectName())
