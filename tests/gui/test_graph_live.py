"""The graph page on a real library, Obsidian and Roam together, each tab with a made-up model server on loopback."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.paths import find_home
from gui.app import App
from gui.panels.graph import GraphPanel
from gui.panels.graph_index import DAILY
from tests.servers.chat import FakeChat

NOTES = {
    "Mill.md": "# Mill\n\nThe [[Mill]] grinds rye. [[Jonas Wirt]] dressed the stones in the old way.\n",
    "People/Jonas Wirt.md": "---\ntags: [miller]\naliases: [Jonas]\n---\n# Jonas Wirt\n\n"
    "A miller who learned the trade from his aunt and never wrote it down.\n",
    "Rye.md": "# Rye\n\nJonas Wirt sows the rye in the last week of September. See [[Mill]]. #miller\n",
    "Daily/2025-03-01.md": "Spoke to [[Jonas Wirt]] at the [[Mill]].\n",
    "Daily/2025-03-02.md": "Rain. [[Mill]] stood still.\n",
}
PAGES = [
    {"title": "Mill", "uid": "mill-page", "children": [
        {"uid": "mill-ownr", "string": "Owner:: [[Agathe Korn]]"},
        {"uid": "mill-leat", "string": "The leat was dug by [[Agathe Korn]] and her brothers in one dry summer."},
    ]},
    {"title": "Agathe Korn", "uid": "agathe-pg", "children": [
        {"uid": "agathe-on", "string": "She keeps the sluice and counts the sacks every single evening."},
    ]},
]  # fmt: skip
FACTS = {
    "learned the trade": {
        "subject": "Jonas Wirt", "predicate": "learned_from", "object": "his aunt", "subject_type": "person",
        "object_type": "person", "quote": "A miller who learned the trade from his aunt", "confidence": 0.8,
    },
    "keeps the sluice": {
        "subject": "Agathe Korn", "predicate": "keeps", "object": "the sluice", "subject_type": "person",
        "object_type": "tool", "quote": "She keeps the sluice", "confidence": 0.9,
    },
}  # fmt: skip


def model(system: str, user: str) -> str:
    """Reads two facts out of the notes, and answers one question from the first piece of evidence."""
    if "The question:" in user:
        return "Jonas Wirt dressed the stones. [1]" if "stones" in user else "NOT ENOUGH: nothing is said of it"
    facts = [fact for words, fact in FACTS.items() if words in user]
    return json.dumps({"facts": facts})


class Alone(Library):
    """A library that nobody else asks."""

    def follow(self, *_told: object) -> bool:
        return True


@pytest.fixture
def chat() -> Iterator[FakeChat]:
    with FakeChat(model) as server:
        yield server


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault and a graph, and a home in which they are indexed."""
    place = tmp_path_factory.mktemp("graph")
    for name, text in NOTES.items():
        note = place / "vault" / name
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(text, "utf-8")
    (place / "graph.json").write_text(json.dumps(PAGES), "utf-8")
    with Library.open(find_home(place / "home"), embedder=FakeEmbedder()) as library:
        for source in ("vault", "graph.json"):
            library.index(library.add(str(place / source)).id, Job())
    return place


@pytest.fixture
def page(start: Callable[..., App], indexed: Path, tmp_path: Path, chat: FakeChat, qtbot: QtBot) -> GraphPanel:
    shutil.copytree(indexed / "home", tmp_path / "home")
    library = Alone.open(find_home(tmp_path / "home"), embedder=FakeEmbedder())
    window = start(library).window
    with qtbot.waitActive(window):
        window.activateWindow()
    window.entries["graph"].trigger()
    until(qtbot, lambda: len(window.graph.map.data) > 0)
    for box in window.graph.findChildren(QLineEdit):
        # Without a screen, the list of names beneath a box takes the focus at a moment of its own choosing.
        if box.completer() is not None:
            box.completer().setModel(QStringListModel(box))
    window.graph.extract.choices.address.setText(chat.url.removeprefix("http://"))
    return window.graph


def until(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    """A model that reads, over sockets, on a busy machine."""
    qtbot.waitUntil(condition)


def press(widget: QWidget, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for key in keys:
        QTest.keyClick(widget, key, modifier)


def rows(tree: QTreeWidget) -> list[str]:
    """Every row of a tree, top down."""
    found: list[str] = []

    def walk(item: QTreeWidgetItem) -> None:
        found.append(item.text(0))
        for at in range(item.childCount()):
            walk(item.child(at))

    for at in range(tree.topLevelItemCount()):
        walk(tree.topLevelItem(at))
    return found


def row(tree: QTreeWidget, words: str) -> QTreeWidgetItem:
    found = tree.findItems(words, Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive)
    assert found, (words, rows(tree))
    return found[0]


def entity(page: GraphPanel, name: str) -> str:
    assert page._index is not None
    return next(one.id for one in page._index.view.entities if one.name == name)


def show(page: GraphPanel, tab: QWidget) -> None:
    page.show_tab(page.tabs.indexOf(tab))


def read_all(page: GraphPanel, qtbot: QtBot) -> None:
    """Choose, estimate and let the model read everything."""
    show(page, page.extract)
    until(qtbot, lambda: page.extract.estimate.isEnabled())
    page.extract.estimate.click()
    until(qtbot, lambda: page.extract.go.isEnabled())
    page.extract.go.click()
    until(qtbot, lambda: page.extract.go.isVisible() and "Done." in page.extract.state.text())


# --- tabs -----------------------------------------------------------------------------------------------------------


def test_a_graph_stands_without_any_model_and_both_sources_meet_in_it(page: GraphPanel) -> None:
    assert page._index is not None
    mills = [one for one in page._index.view.entities if one.name == "Mill"]
    assert len(mills) == 1
    assert len(mills[0].sources) == 2
    assert DAILY in page.map.data.positions
    assert entity(page, "Agathe Korn") in page.map.data.positions
    page.shown.look_at(mills[0].id)
    texts = rows(page.detail.tree)
    assert "owner → Agathe Korn\nwritten by you" in texts
    assert "mentions → Jonas Wirt\nwritten by you" in texts
    assert any(text.startswith("“Owner:: [[Agathe Korn]]”\nMill") for text in texts)


def test_paths_are_chains_of_cited_steps_through_both_sources(page: GraphPanel, qtbot: QtBot) -> None:
    show(page, page.path)
    page.path.set_end(0, entity(page, "Rye"))
    page.path.set_end(1, entity(page, "Agathe Korn"))
    until(qtbot, lambda: page.path.tree.topLevelItemCount() > 0)
    assert page.path.tree.topLevelItem(0).text(0).startswith("1. Rye › Mill › Agathe Korn")
    assert any("See Mill" in text for text in rows(page.path.tree))
    assert "whatever filters the map has" in page.path._note.text()


def test_an_answer_of_a_model_cites_blocks_and_lights_what_it_used(
    page: GraphPanel, chat: FakeChat, qtbot: QtBot
) -> None:
    show(page, page.ask)
    until(qtbot, lambda: page.ask.model.count() == 2)
    page.ask.model.setCurrentIndex(1)
    page.ask.question.setText("Who dressed the stones of the Mill?")
    page.ask.ask()
    until(qtbot, lambda: page.ask.citations.topLevelItemCount() > 0)
    assert "Jonas Wirt dressed the stones. [1]" in page.ask.text.toPlainText()
    assert page.map._lit is not None
    press(page.ask.citations, Qt.Key.Key_Return)
    until(qtbot, lambda: page.right_side.currentWidget() is page.block)
    assert chat.bodies()[-1]["stream"] is True


def test_without_a_model_the_notes_own_sentences_answer(page: GraphPanel, qtbot: QtBot) -> None:
    show(page, page.ask)
    page.ask.question.setText("Who sows the rye in September?")
    page.ask.ask()
    until(qtbot, lambda: page.ask.citations.topLevelItemCount() > 0)
    assert "last week of September" in page.ask.text.toPlainText()
    assert "without a model" in page.ask._state.text()


def test_a_model_reads_after_the_estimate_was_seen(page: GraphPanel, chat: FakeChat, qtbot: QtBot) -> None:
    extract = page.extract
    show(page, extract)
    until(qtbot, lambda: extract.estimate.isEnabled())
    assert not extract.go.isEnabled()
    extract.estimate.click()
    until(qtbot, lambda: extract.go.isEnabled())
    assert "measured on" in extract.state.text()
    extract.choices.limit.setCurrentIndex(1)
    assert not extract.go.isEnabled()
    read_all(page, qtbot)
    until(qtbot, lambda: "So far:" in extract.cost.text())
    until(qtbot, lambda: any(one.predicate == "keeps" for one in page._index.view.relations))
    page.shown.look_at(entity(page, "Agathe Korn"))
    assert "keeps → the sluice\ninferred by a model" in rows(page.detail.tree)


def test_passages_without_an_answer_are_named_and_asked_again(page: GraphPanel, chat: FakeChat, qtbot: QtBot) -> None:
    extract = page.extract
    show(page, extract)
    extract.choices.source.setCurrentIndex(1)
    until(qtbot, lambda: extract.estimate.isEnabled())
    extract.estimate.click()
    until(qtbot, lambda: extract.go.isEnabled())
    chat.faults[:] = ["empty"] * 4
    extract.go.click()
    with qtbot.waitSignal(page.map.rested):  # The graph was read again.
        until(qtbot, lambda: extract.again.isVisible())
    assert extract.again.isVisible()
    text = "\n".join([extract.state.text(), *rows(extract.failures)])
    assert "without an answer" in text or "empty" in text.casefold()
    chat.faults.clear()
    asked = len(chat.bodies())
    extract.again.click()
    until(qtbot, lambda: "Done." in extract.state.text() and not extract.again.isVisible())
    assert len(chat.bodies()) > asked


def test_reading_can_be_paused_and_stopped(page: GraphPanel, chat: FakeChat, qtbot: QtBot) -> None:
    extract = page.extract
    show(page, extract)
    until(qtbot, lambda: extract.estimate.isEnabled())
    extract.estimate.click()
    until(qtbot, lambda: extract.go.isEnabled())
    chat.drip = True
    extract.go.click()
    until(qtbot, lambda: extract.pause.isVisible())
    extract.pause.click()
    assert extract.pause.text() == "Go on"
    assert extract.state.text().startswith("Paused.")
    extract.pause.click()
    assert extract.pause.text() == "Pause"
    extract.stop.click()
    chat.drip = False
    until(qtbot, lambda: extract.go.isVisible())
    assert "Stopped." in extract.state.text()
    assert extract.again.text() == "Go on"


def test_nothing_leaves_the_machine_before_the_owner_agreed(page: GraphPanel, chat: FakeChat, qtbot: QtBot) -> None:
    choices = page.extract.choices
    show(page, page.extract)
    choices.server.setCurrentIndex(1)
    until(qtbot, lambda: "OpenRouter" in choices._warning.text())
    assert not choices._consent.isHidden()
    assert not choices.may_begin
    assert "switched off" in page.extract.state.text()
    assert not page.extract.estimate.isEnabled()
    assert not page.extract.go.isEnabled()


def test_links_that_are_missing_are_copied_never_written(page: GraphPanel, indexed: Path, qtbot: QtBot) -> None:
    review = page.review
    show(page, review)
    until(qtbot, lambda: any("Spoken of without a link" in text for text in rows(review.tree)))
    review.tree.setCurrentItem(row(review.tree, "Rye → Jonas Wirt"))
    assert review.accept.text() == "Copy link (A)"
    press(review.tree, Qt.Key.Key_A)
    until(qtbot, lambda: QGuiApplication.clipboard().text() == "[[Jonas Wirt]]")
    until(qtbot, lambda: any("Decided by you (1)" in text for text in rows(review.tree)))
    assert not any("Spoken of without a link" in text for text in rows(review.tree))
    assert (indexed / "vault" / "Rye.md").read_text("utf-8") == NOTES["Rye.md"]
    press(review.tree, Qt.Key.Key_U)
    until(qtbot, lambda: any("Spoken of without a link (1)" in text for text in rows(review.tree)))
    review.tree.setCurrentItem(row(review.tree, "Rye → Jonas Wirt"))
    press(review.tree, Qt.Key.Key_L)
    assert any("Put off (1)" in text for text in rows(review.tree))
    press(review.tree, Qt.Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    assert any("Spoken of without a link (1)" in text for text in rows(review.tree))


def test_about_counts_what_is_covered(page: GraphPanel, qtbot: QtBot) -> None:
    show(page, page.about)
    tree = page.about.tree
    until(qtbot, lambda: any("notes whose links are read" in text for text in rows(tree)))
    covered = {row(tree, f"{name}: notes whose").text(1) for name in ("vault", "graph")}
    assert covered == {"5 of 5", "2 of 2"}
    assert row(tree, "vault: passages a model has read").text(1).startswith("0 of ")
    assert any("How to read the map" in text for text in rows(tree))


# --- one journey, by keyboard alone -----------------------------------------------------------------------------------


def test_the_journey_by_keyboard_on_real_notes(page: GraphPanel, qtbot: QtBot) -> None:
    """Find an entity, see a path, ask, open a citation, reject a proposal, undo."""
    window, alt = page.window(), Qt.KeyboardModifier.AltModifier

    def focused() -> QWidget:
        found = window.focusWidget()
        assert found is not None
        return found

    press(focused(), Qt.Key.Key_Slash)
    QTest.keyClicks(focused(), "agathe")
    press(focused(), Qt.Key.Key_Return)
    until(qtbot, lambda: page.map.current_id == entity(page, "Agathe Korn"))
    assert focused() is page.map
    assert "Agathe Korn, page" in page.map.accessibleDescription()

    press(focused(), Qt.Key.Key_2, modifier=alt)
    until(qtbot, lambda: focused() is page.path.start)
    QTest.keyClicks(focused(), "Rye")
    press(focused(), Qt.Key.Key_Return)
    until(qtbot, lambda: focused() is page.path.end)
    QTest.keyClicks(focused(), "Agathe Korn")
    press(focused(), Qt.Key.Key_Return)
    until(qtbot, lambda: focused() is page.path.tree)
    assert "Rye › Mill › Agathe Korn" in page.path.tree.currentItem().text(0)

    press(focused(), Qt.Key.Key_3, modifier=alt)
    until(qtbot, lambda: focused() is page.ask.question)
    QTest.keyClicks(focused(), "Who sows the rye in September?")
    press(focused(), Qt.Key.Key_Return)
    until(qtbot, lambda: focused() is page.ask.citations)
    press(focused(), Qt.Key.Key_Return)
    until(qtbot, lambda: focused() is page.block.browser)
    press(focused(), Qt.Key.Key_Escape)

    press(focused(), Qt.Key.Key_4, modifier=alt)
    until(qtbot, lambda: focused() is page.review.tree)
    until(qtbot, lambda: page.review._reading == 0 and page.review._proposal is not None)
    title = page.review._proposal.title
    press(focused(), Qt.Key.Key_R)
    until(qtbot, lambda: any("Decided by you" in text for text in rows(page.review.tree)))
    assert all(one.title != title for one in page.review._proposals())
    press(focused(), Qt.Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    until(qtbot, lambda: any(one.title == title for one in page.review._proposals()))
