"""Order and groups of the results, what is copied and dragged out of them, and what may be dropped on the window."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_library import FakeLibrary
from PySide6.QtCore import QDate, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.model import Hit, Leg, SearchRequest
from gui.app import App
from gui.copying import Form, as_text
from gui.dragging import dragged_data
from gui.item_models import Grouping, ResultsModel, Role, grouped, spoken, strength_text
from gui.panels.drop_overlay import Dropped, described, look_at


def search(qtbot: QtBot, app: App, text: str) -> None:
    with qtbot.waitSignal(app.ops.reading.found):
        app.window.search_box.set_query(text)


def headings(app: App) -> list[str]:
    model = app.window.results.view.model()
    return [str(model.index(row, 0).data(Role.HEADING)) for row in range(model.rowCount())]


def hits_of(library: FakeLibrary, text: str) -> list[Hit]:
    return [row.hits[0] for row in library.search(SearchRequest(text)).rows]


# --- order and groups ---------------------------------------------------------------------------------------------


def test_an_order_is_an_operator_of_the_query(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    search(qtbot, app, "morning")
    results = app.window.results
    menu = results._order_button.menu()
    by_title = next(action for action in menu.actions() if action.data() == "title")
    by_title.trigger()
    assert app.window.search_box.text() == "morning sort:title"
    qtbot.waitUntil(lambda: library.requests[-1].text == "morning sort:title")
    assert "By title" in results._order_button.text()
    assert by_title.isChecked()
    next(action for action in menu.actions() if action.data() == "").trigger()
    assert app.window.search_box.text() == "morning"
    assert "Best first" in results._order_button.text()


def test_rows_are_grouped_with_a_name_above_the_first_and_it_is_remembered(qtbot: QtBot, app: App) -> None:
    search(qtbot, app, "morning")
    app.window.results.group_by(Grouping.SOURCE)
    assert sorted(name for name in headings(app) if name) == ["Notes", "Second Brain"]
    first = app.window.results.view.model().index(0, 0)
    assert first.data(Qt.ItemDataRole.AccessibleTextRole).startswith(str(first.data(Role.HEADING)))
    app.window.results.group_by(Grouping.FOLDER)
    assert {"Kitchen", "Garden", "Pages"} <= set(headings(app))
    assert app.state.grouping == "folder"


def test_a_heading_makes_its_row_taller(qtbot: QtBot, app: App) -> None:
    search(qtbot, app, "hive")
    view = app.window.results.view
    before = view.visualRect(view.model().index(0, 0)).height()
    app.window.results.group_by(Grouping.SOURCE)
    assert view.visualRect(view.model().index(0, 0)).height() > before


def test_days_come_latest_first(qapp: QApplication, library: FakeLibrary) -> None:
    rows = library.search(SearchRequest("morning")).rows
    day = QDate(2025, 3, 4)
    names = list(dict.fromkeys(name for name, _ in grouped(rows, Grouping.DATE, day)))
    assert names[0] == "Today"
    assert set(names) == {"Today", "The last seven days"}


def test_what_only_meets_conditions_claims_no_strength(library: FakeLibrary) -> None:
    import dataclasses

    hit = dataclasses.replace(hits_of(library, "hive")[0], legs=(Leg("filter", 1, 1_796_007_552.0, 1.0),))
    assert strength_text(hit) == ""
    assert "match" not in spoken(hit, 0)
    assert "filter" not in spoken(hit, 0)
    assert json.loads(as_text([hit], ["a:b"], Form.JSON))[0]["strength"] == ""


# --- copied and dragged -------------------------------------------------------------------------------------------


def test_hits_are_copied_in_each_form(library: FakeLibrary) -> None:
    hits = hits_of(library, "morning")
    links = [f"obsidian://open?file={n}" for n in range(len(hits))]
    assert as_text(hits, links, Form.LINKS) == "\n".join(links)
    lines = as_text(hits, links, Form.MARKDOWN).splitlines()
    assert len(lines) == len(hits)
    assert any(line.startswith("- [Sourdough › Starter](obsidian://open?file=") for line in lines)
    table = list(csv.DictReader(io.StringIO(as_text(hits, links, Form.CSV))))
    assert [row["title"] for row in table] == [hit.title for hit in hits]
    assert table[0]["modified"].startswith("2025-03")
    assert [row["link"] for row in json.loads(as_text(hits, links, Form.JSON))] == links


def test_a_cell_that_looks_like_a_formula_is_made_text(library: FakeLibrary) -> None:
    import dataclasses

    hit = dataclasses.replace(hits_of(library, "hive")[0], title="=HYPERLINK(1)")
    assert next(csv.DictReader(io.StringIO(as_text([hit], ["a:b"], Form.CSV))))["title"] == "'=HYPERLINK(1)"


@pytest.mark.parametrize(
    ("action", "holds"),
    [
        ("copy_link", "obsidian://open?"),
        ("copy_markdown", "- ["),
        ("copy_csv", "source,title"),
        ("copy_json", '"link"'),
    ],
)
def test_the_selected_rows_are_copied(qtbot: QtBot, app: App, action: str, holds: str) -> None:
    search(qtbot, app, "morning")
    view = app.window.results.view
    view.setFocus()
    view.selectAll()
    with qtbot.waitSignal(app.ops.reading.link_ready):
        app.window.entries[action].trigger()
    copied = QGuiApplication.clipboard().text()
    assert holds in copied
    assert "Bees" in copied
    assert "Sourdough" in copied


def test_files_and_links_are_dragged_out(qtbot: QtBot, app: App) -> None:
    search(qtbot, app, "morning")
    app.window.results.view.selectAll()
    with qtbot.waitSignal(app.ops.reading.drag_ready) as ready:
        app.window.results.view.startDrag(Qt.DropAction.CopyAction)
    links, files = ready.args
    assert "/notes/Notes/Garden/Bees.md" in files
    data = dragged_data(links, files)
    assert all(url.isLocalFile() for url in data.urls())
    assert data.text().count("obsidian://") == len(links)
    assert dragged_data(["roam://#/app/brain"], []).urls() == [QUrl("roam://#/app/brain")]


# --- dropped ------------------------------------------------------------------------------------------------------


def dragged_in(*paths: Path | str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) if isinstance(path, Path) else QUrl(path) for path in paths])
    return data


def test_what_can_be_added_is_told_apart(qapp: QApplication, tmp_path: Path) -> None:
    vault, export, picture = tmp_path / "Vault", tmp_path / "brain.EDN", tmp_path / "cat.png"
    (vault / ".obsidian").mkdir(parents=True)
    found = look_at(dragged_in(vault, export, picture, "https://example.org/a.json"), {str(export)})
    assert found == Dropped((str(vault),), (str(export),), ("cat.png", "a.json"))
    assert described(found) == ("Drop to add 1 source", "Vault: Obsidian vault\nLeft out: cat.png, a.json")
    assert described(Dropped(known=(str(export),)))[0] == "This is a source already"
    title, text = described(Dropped(refused=("cat.png",)))
    assert title == "cat.png cannot be added"
    assert ".edn" in text


def test_the_overlay_says_it_and_goes_with_the_pointer(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    window = app.window
    (tmp_path / "My vault").mkdir()
    for name, words in (("My vault", "Drop to add 1 source"), ("cat.png", "cat.png cannot be added")):
        data = dragged_in(tmp_path / name)
        enter = QDragEnterEvent(
            QPoint(50, 50), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(window, enter)
        assert window.drop_target.overlay.isVisible()
        assert window.drop_target.overlay.title.text() == words
        QApplication.sendEvent(window, QDragLeaveEvent())
        assert not window.drop_target.overlay.isVisible()
    data = dragged_in(tmp_path / "My vault")
    QApplication.sendEvent(
        window,
        QDragEnterEvent(
            QPoint(50, 50), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        ),
    )
    drop = QDropEvent(
        QPointF(50, 50), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    with qtbot.waitSignal(app.ops.runs.ended):
        QApplication.sendEvent(window, drop)
    assert any(status.source.name == "My vault" for status in window.statuses)


# --- browsing -----------------------------------------------------------------------------------------------------


def rows_of(app: App) -> dict[str, object]:
    return {item.text(0): item for item in app.window.sidebar.browse._items()}


def test_folders_pages_and_tags_are_listed_with_counts_and_become_operators(
    qtbot: QtBot, app: App, library: FakeLibrary
) -> None:
    browse = app.window.sidebar.browse
    qtbot.waitUntil(lambda: "Kitchen" in rows_of(app))
    rows = rows_of(app)
    assert {"Collections", "Open tasks", "Folders", "Garden", "Pages", "March 3rd, 2025", "#light/old"} <= set(rows)
    assert "Daily notes" not in rows
    assert browse.model().index(0, 0).data() == "Collections"
    search(qtbot, app, "morning")
    browse._choose(rows["Kitchen"])
    assert app.window.search_box.text() == "morning folder:Kitchen"
    browse._choose(rows["Garden"])
    assert app.window.search_box.text() == "morning folder:Garden"
    browse._choose(rows["March 3rd, 2025"])
    assert app.window.search_box.text() == 'morning folder:Garden page:"March 3rd, 2025"'
    browse._choose(rows["Garden"])
    browse._choose(rows["March 3rd, 2025"])
    assert app.window.search_box.text() == "morning"


def test_browsing_follows_the_chosen_source(qtbot: QtBot, app: App) -> None:
    qtbot.waitUntil(lambda: "Kitchen" in rows_of(app))
    app.window.sidebar.choose_named("Second Brain")
    qtbot.waitUntil(lambda: "Kitchen" not in rows_of(app))
    assert "March 3rd, 2025" in rows_of(app)


def test_enter_on_a_row_searches_and_a_group_unfolds(qtbot: QtBot, app: App) -> None:
    browse = app.window.sidebar.browse
    qtbot.waitUntil(lambda: "Kitchen" in rows_of(app))
    browse.setFocus()
    tags = rows_of(app)["Tags"]
    browse.setCurrentItem(tags)
    assert not tags.isExpanded()
    qtbot.keyClick(browse, Qt.Key.Key_Return)
    assert tags.isExpanded()
    browse.setCurrentItem(rows_of(app)["#bread"])
    qtbot.keyClick(browse, Qt.Key.Key_Return)
    assert app.window.search_box.text() == "tag:bread"


# --- history ------------------------------------------------------------------------------------------------------


def test_down_in_an_empty_box_offers_recent_searches(qtbot: QtBot, app: App) -> None:
    window = app.window
    window.activateWindow()
    for text in ("bees", "sourdough"):
        app.state.remember_query(text)
    window.search_box.clear()
    window.search_box.setFocus()
    qtbot.keyClick(window.search_box, Qt.Key.Key_Down)
    assert window.query_bar.choices == ["sourdough", "bees"]
    with qtbot.waitSignal(app.ops.reading.found):
        qtbot.keyClick(window.query_bar._popup, Qt.Key.Key_Return)
    assert window.search_box.text() == "sourdough"


def test_the_model_keeps_its_shape_with_groups(qapp: QApplication, library: FakeLibrary) -> None:
    model = ResultsModel()
    model.show(library.search(SearchRequest("morning")).rows, Grouping.SOURCE)
    assert model.rowCount() == len(library.search(SearchRequest("morning")).rows)


# --- what the window remembers ------------------------------------------------------------------------------------


def test_splitters_groups_and_folds_come_back(qtbot: QtBot, start: Callable[..., App], library: FakeLibrary) -> None:
    first = start(library)
    first.window.resize(1200, 800)
    with qtbot.waitSignal(first.ops.reading.note_known):
        first.window.search_box.set_query("morning")
    first.window.results.group_by(Grouping.DATE)
    rows_of(first)["Tags"].setExpanded(True)
    first.window.note_pane.setSizes([500, 200])
    first.window._inner.setSizes([400, 500])
    sizes = first.window.note_pane.sizes(), first.window._inner.sizes()
    first.window.close()
    again = start(library)
    again.window.resize(1200, 800)
    qtbot.waitUntil(lambda: again.window.note_pane.has_aside and "Tags" in rows_of(again))
    assert again.window.results.grouping is Grouping.DATE
    assert rows_of(again)["Tags"].isExpanded()
    assert (again.window.note_pane.sizes(), again.window._inner.sizes()) == sizes


def test_what_stands_beside_a_note_goes_with_it(qtbot: QtBot, app: App) -> None:
    with qtbot.waitSignal(app.ops.reading.note_known):
        app.window.search_box.set_query("morning")
    assert app.window.note_pane.aside.isVisible()
    app.window.search_box.clear()
    assert not app.window.note_pane.aside.isVisible()
    with qtbot.waitSignal(app.ops.reading.note_known):
        app.window.search_box.set_query("morning")
    assert app.window.note_pane.aside.isVisible()
