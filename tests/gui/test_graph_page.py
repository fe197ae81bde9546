"""The graph page by keyboard, on a library in memory: find, walk, path, ask, open a citation, decide, undo."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, QStringListModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QCompleter,
    QLineEdit,
    QSlider,
    QTabBar,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot

from engine.errors import NotAllowed
from engine.job import Job
from engine.model import (
    Anchor,
    Cell,
    DuplicatePair,
    Entity,
    Evidence,
    GraphView,
    LayoutRequest,
    NoteKey,
    Origin,
    Relation,
    Route,
    SourceId,
)
from gui.app import App
from gui.panels.graph import GraphPanel
from gui.panels.graph_claims import EVIDENCE
from gui.panels.graph_index import DAILY, Filters, Scope, build_index, choose_shown
from gui.panels.graph_state import GraphState

VAULT, GRAPH = SourceId("kitchen"), SourceId("journal")
BREAD, BEES = NoteKey("Kitchen/Sourdough.md"), NoteKey("Garden/Bees.md")


def proof(note: str, quote: str, origin: Origin = Origin.WRITTEN, at: float | None = None, line: int = 6) -> Evidence:
    anchor = Anchor(NoteKey(note), first_line=line, last_line=line)
    by_model = {"model": "small", "prompt_version": "extract/1", "confidence": 0.7} if origin is Origin.INFERRED else {}
    return Evidence(VAULT, NoteKey(note), anchor, quote, origin, at=at, **by_model)  # type: ignore[arg-type]


def small_graph() -> GraphView:
    names = [
        ("bees", "Bees", "note", True, False),
        ("day1", "2025-03-01", "note", True, True),
        ("day2", "2025-03-02", "note", True, True),
        ("mara", "Mara", "person", False, False),
        ("oven", "Steam oven", "page", False, False),
        ("rye", "rye", "tag", False, False),
        ("sour", "Sourdough", "note", True, False),
    ]
    said = [
        ("bees", "mentions", "mara", proof(BEES, "Mara keeps the bees", at=1_700_000_000.0)),
        ("day1", "mentions", "sour", proof("d1.md", "[[Sourdough]]")),
        ("day2", "mentions", "sour", proof("d2.md", "[[Sourdough]] again")),
        ("mara", "owns", "oven", proof(BREAD, "Mara lent the oven", Origin.INFERRED)),
        ("sour", "mentions", "oven", proof(BREAD, "see [[Steam oven]]", line=11)),
        ("sour", "tags", "rye", proof(BREAD, "#rye", line=2)),
    ]
    relations = tuple(
        Relation(at, one, predicate, other, evidence.origin, evidence.confidence, (evidence,))
        for at, (one, predicate, other, evidence) in enumerate(said)
    )
    degrees = {one: sum(one in (r.subject, r.object) for r in relations) for one, *_ in names}
    notes = {"bees": ((VAULT, BEES),), "sour": ((VAULT, BREAD),)}
    entities = tuple(
        Entity(one, name, kind, (), own, daily, degrees[one], (VAULT,), notes.get(one, ()))
        for one, name, kind, own, daily in names
    )
    return GraphView(entities, relations, (0, -1, -1, 0, 1, 1, 1), ("Bees · Mara", "Sourdough · rye"))


def record(evidence: Evidence, number: int) -> dict[str, Any]:
    return {
        "number": number, "title": "Sourdough", "statement": "", "relation": None, "source": evidence.source,
        "note": evidence.note, "uid": "", "headings": [], "first_line": evidence.anchor.first_line,
        "last_line": evidence.anchor.last_line, "quote": evidence.quote, "origin": "written", "confidence": 1.0,
    }  # fmt: skip


class GraphVerbs:
    """The verbs of the graph, put on the library in memory."""

    def __init__(self) -> None:
        self.view = small_graph()
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.undone: list[str] = []
        self.decided: list[dict[str, Any]] = []
        self.hold: threading.Event | None = None
        self.fails = False

    def graph_view(self, sources: tuple[str, ...] = ()) -> GraphView:
        if self.fails:
            raise NotAllowed("The index is locked.", "Unlock it.")
        return self.view

    def lay_out(self, request: LayoutRequest) -> tuple[Cell, ...]:
        return tuple(old or (3 * at, at % 3) for at, old in enumerate(request.previous))

    def routes(self, start: str, end: str, count: int = 3, sources: tuple[str, ...] = ()) -> tuple[Route, ...]:
        if {start, end} == {"bees", "sour"}:
            return (Route(("bees", "mara", "oven", "sour"), ((0,), (3,), (4,))),)
        return ()

    def duplicates(
        self, sources: tuple[str, ...] = (), job: Job | None = None, *, limit: int = 50
    ) -> tuple[DuplicatePair, ...]:
        return (DuplicatePair(VAULT, BREAD, "Sourdough", VAULT, BEES, "Bees", 0.97, 0.8),)

    def graph_call(self, verb: str, options: Mapping[str, Any], job: Job | None = None) -> dict[str, Any]:
        self.calls.append((verb, dict(options)))
        if verb == "ask":
            return self._answer(options, job or Job())
        if verb == "links":
            return {"links": [], "decided": self.decided}
        if verb == "review":
            given = {name: options[name] for name in ("source", "note", "subject")}
            self.decided = [one for one in self.decided if {**one, "verdict": ""} != {**given, "verdict": ""}]
            self.decided += [dict(options)] if options["verdict"] else []
            return {"verdict": options["verdict"]}
        if verb == "coverage":
            return {"sources": [{"name": "Kitchen", "notes": 9, "parsed": 8, "passages": 7, "read": 6}], "models": []}
        if verb == "models":
            return {"server": "here", "models": [{"name": "small"}, {"name": "embed-tiny"}]}
        if options.get("action") == "undo":
            self.undone += options["names"]
            return {"undo": options["names"]}
        members = [self._ref("mara"), self._ref("oven")]
        if options.get("action"):
            kind = {"same": "merge", "never": "apart"}[options["action"]]
            return {"decided": {"id": 7, "kind": kind, "members": members}}
        gone = any(options.get("action") == "never" for _, options in self.calls) and not self.undone
        return {"merges": [], "proposals": [] if gone else [{"members": members, "why": ["alike"]}]}

    def _ref(self, entity: str) -> dict[str, Any]:
        found = next(one for one in self.view.entities if one.id == entity)
        return {"id": entity, "name": found.name, "type": found.type, "source": VAULT, "note": ""}

    def _answer(self, options: Mapping[str, Any], job: Job) -> dict[str, Any]:
        cited = [record(self.view.relations[4].evidence[0], 1)]
        if self.hold is not None:
            job.report("answer", 1, detail="The oven is")
            while not self.hold.wait(0.01):
                job.check()
        is_known = "oven" in str(options["question"])
        return {
            "sufficient": is_known, "missing": "The notes do not say enough about this.", "looked_for": ["zeppelin"],
            "sentences": [{"text": "It wants steam.", "citations": [1], "supported": True}], "citations": cited,
            "evidence": cited, "entities": [{"id": "sour"}, {"id": "oven"}], "invalid_citations": [],
            "model": str(options.get("model") or ""), "notices": [],
        }  # fmt: skip


@pytest.fixture
def verbs(library: Any) -> GraphVerbs:
    made = GraphVerbs()
    for name in ("graph_view", "lay_out", "routes", "duplicates", "graph_call"):
        setattr(library, name, getattr(made, name))
    note = library.note
    sources = library.sources_
    library.note = lambda source, key: note(source if source in sources else next(iter(sources)), key)
    return made


@pytest.fixture
def page(start: Callable[..., App], library: Any, verbs: GraphVerbs, qtbot: QtBot) -> GraphPanel:
    window = start(library).window
    with qtbot.waitActive(window):
        window.activateWindow()
    window.entries["graph"].trigger()
    qtbot.waitUntil(lambda: len(window.graph.map.data) > 0)
    for box in window.graph.findChildren(QLineEdit):
        # Without a screen, the list of names beneath a box takes the focus at a moment of its own choosing.
        if box.completer() is not None:
            box.completer().setModel(QStringListModel(box))
    return window.graph


def press(widget: QWidget, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for key in keys:
        QTest.keyClick(widget, key, modifier)


def headings(page: GraphPanel) -> list[str]:
    """Of the review."""
    tree = page.review.tree
    return [tree.topLevelItem(at).text(0) for at in range(tree.topLevelItemCount())]


def focused(page: GraphPanel) -> QWidget:
    """What has the focus in the page's window. Not asked of the application: without a screen, the list of names that
    opens beneath a box leaves no window active."""
    found = page.window().focusWidget()
    assert found is not None
    return found


# --- what is chosen for the map (no window) -----------------------------------------------------------------------


def chosen(filters: Filters = Filters(), scope: Scope = Scope()) -> set[str]:  # noqa: B008 - frozen values
    return set(choose_shown(build_index(small_graph()), filters, scope).entities)


@pytest.mark.parametrize(
    ("filters", "scope", "expected"),
    [
        (Filters(), Scope(focus="mara"), {"mara", "bees", "oven"}),
        (Filters(), Scope(focus="mara", depth=2), {"mara", "bees", "oven", "sour"}),
        (Filters(origin=Origin.WRITTEN), Scope(focus="mara"), {"mara", "bees"}),
        (Filters(origin=Origin.INFERRED), Scope(), {"mara", "oven"}),
        (Filters(predicates=frozenset({"tags"})), Scope(), {"sour", "rye"}),
        (Filters(without_kinds=frozenset({"note"})), Scope(), {"mara", "oven", "rye"}),
        (Filters(tag="rye"), Scope(), {"rye", "sour"}),
        (Filters(folder="Garden"), Scope(), {"bees", "mara"}),
        (Filters(since=1_600_000_000.0), Scope(), {"bees", "mara"}),
        (Filters(until=1_600_000_000.0), Scope(), set()),
        (Filters(sources=frozenset({GRAPH})), Scope(), set()),
        (Filters(community=0), Scope(), {"bees", "mara"}),
        (Filters(daily="hidden"), Scope(most=1), {"sour"}),
        (Filters(daily="hidden"), Scope(most=1, expanded=frozenset({"sour"})), {"sour", "oven", "rye"}),
        (Filters(daily="hidden"), Scope(most=1, pinned=frozenset({"bees"})), {"sour", "bees"}),
        (Filters(), Scope(focus="mara", hidden=frozenset({"oven"})), {"mara", "bees"}),
    ],
)
def test_what_is_shown(filters: Filters, scope: Scope, expected: set[str]) -> None:
    assert chosen(filters, scope) == expected


def test_daily_notes_stand_together_unless_asked_for_alone() -> None:
    index = build_index(small_graph())
    assert set(choose_shown(index, Filters(), Scope()).grouped) == {"day1", "day2"}
    assert choose_shown(index, Filters(daily="single"), Scope()).grouped == ()
    assert choose_shown(index, Filters(), Scope(focus="day1")).grouped == ()


def test_memory_comes_back_and_a_damaged_one_is_a_fresh_start(tmp_path: Path) -> None:
    file = tmp_path / "graph.json"
    state = GraphState.load(file)
    state.remember_places(("a",), ((3, -4),))
    state.pinned, state.later = {"a"}, {"merge:a,b"}
    state.remember_question("why?")
    state.views["mine"] = Filters(origin=Origin.WRITTEN, predicates=frozenset({"tags"})), Scope(focus="a", depth=2)
    state.save()
    again = GraphState.load(file)
    assert (again.places, again.pinned, again.later) == ({"a": (3, -4)}, {"a"}, {"merge:a,b"})
    assert (again.questions, again.views) == (["why?"], state.views)
    file.write_text("{broken")
    assert GraphState.load(file).places == {}


# --- by keyboard --------------------------------------------------------------------------------------------------


def test_the_whole_journey_by_keyboard(page: GraphPanel, verbs: GraphVerbs, qtbot: QtBot) -> None:
    """Find an entity, see a path, ask, open its citation, reject a merge, undo."""
    page.map.setFocus()
    press(page.map, Qt.Key.Key_Slash)
    assert focused(page) is page.head.search
    QTest.keyClicks(page.head.search, "mara")
    press(page.head.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.map.current_id == "mara")
    assert page.detail.entity is not None
    assert set(page.map.data.positions) == {"mara", "bees", "oven"}

    alt = Qt.KeyboardModifier.AltModifier
    page.show_tab(1)
    for box, text in ((page.path.start, "Bees"), (page.path.end, "Sourdough")):
        box.setFocus()
        QTest.keyClicks(box, text)
        press(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.path.tree.topLevelItemCount() == 1)
    qtbot.waitUntil(lambda: {"bees", "mara", "oven", "sour"} <= set(page.map.data.positions))
    assert page.path.tree.topLevelItem(0).text(0) == "1. Bees › Mara › Steam oven › Sourdough\n3 steps"

    page.show_tab(2)
    assert focused(page) is page.ask.question
    QTest.keyClicks(page.ask.question, "what does the oven want?")
    press(page.ask.question, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.ask.citations.topLevelItemCount() == 1)
    assert "It wants steam. [1]" in page.ask.text.toPlainText()
    press(page.ask.citations, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.right_side.currentWidget() is page.block)
    assert "steam" in page.block.passage_text
    press(page.block.browser, Qt.Key.Key_Escape)
    assert page.right_side.currentWidget() is page.tabs

    page.show_tab(3)
    qtbot.waitUntil(lambda: headings(page) == ["May be one thing (1)", "Say nearly the same (1)"])
    press(page.review.tree, Qt.Key.Key_R)
    qtbot.waitUntil(lambda: headings(page) == ["Say nearly the same (1)"])
    assert ("merges", {"action": "never", "names": ["mara", "oven"]}) in verbs.calls
    press(page.review.tree, Qt.Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: verbs.undone == ["7"])
    qtbot.waitUntil(lambda: headings(page) == ["May be one thing (1)", "Say nearly the same (1)"])
    press(page.review.tree, Qt.Key.Key_1, modifier=alt)
    qtbot.waitUntil(lambda: page.tabs.currentWidget() is page.detail)


def test_the_map_is_walked_and_says_where_it_is(page: GraphPanel, qtbot: QtBot) -> None:
    page.shown.go_to("sour")
    qtbot.waitUntil(lambda: page.map.current_id == "sour")
    page.map.setFocus()
    seen = set()
    for _ in range(3):
        press(page.map, Qt.Key.Key_N)
        seen.add(page.map.current_id)
    assert {"oven", "rye"} <= seen
    spoken = page.map.accessibleDescription()
    assert page.map.data.structures[page.map.data.positions[page.map.current_id]].name in spoken
    before = page.map.current_id
    press(page.map, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down)
    assert page.map.current_id
    page.map.choose(before)
    press(page.map, Qt.Key.Key_H)
    qtbot.waitUntil(lambda: before not in page.map.data.positions)
    press(page.map, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: before in page.map.data.positions)


def test_a_structure_is_found_under_the_pointer(page: GraphPanel) -> None:
    at = page.map.data.positions["mara"]
    x, y = page.map.camera.to_screen(page.map.data.places[at : at + 1])[0]
    assert page.map.structure_at(QPointF(float(x), float(y) - 2)) == at
    assert page.map.structure_at(QPointF(-500, -500)) == -1


def test_the_table_says_the_same_as_the_map(page: GraphPanel, qtbot: QtBot) -> None:
    press(page, Qt.Key.Key_T, modifier=Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: page.shown.currentWidget() is page.table)
    model = page.table.model
    names = {model.index(row, 0).data() for row in range(model.rowCount())}
    assert names == {one.name for one in small_graph().entities}
    row = model.row_of("mara")
    spoken = model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Mara, person, 2 relations, written by you, no note of its own"
    page.table.view.selectRow(row)
    press(page.table.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "rye" not in page.map.data.positions)
    assert page.map.current_id == "mara"


def test_detail_shows_each_claim_with_its_quote(page: GraphPanel) -> None:
    page.shown.look_at("mara")
    tree = page.detail.tree
    texts = [
        tree.topLevelItem(at).child(child).text(0)
        for at in range(tree.topLevelItemCount())
        for child in range(tree.topLevelItem(at).childCount())
    ]
    assert texts == ["owns → Steam oven\ninferred by a model", "mentions ← Bees\nwritten by you"]
    quote = tree.topLevelItem(0).child(0).child(0)
    assert quote.data(0, EVIDENCE).quote == "Mara lent the oven"
    assert "70 % sure" in quote.text(0)
    page.detail.order.setCurrentIndex(1)
    assert tree.topLevelItemCount() == 2
    assert tree.topLevelItem(1).text(0) == "No date"


def test_the_daily_notes_are_listed_when_their_structure_is_chosen(page: GraphPanel) -> None:
    page.map.choose(DAILY)
    tree = page.detail.tree
    assert [tree.topLevelItem(at).text(0) for at in range(tree.topLevelItemCount())] == ["2025-03-01", "2025-03-02"]


def test_paths_ignore_the_origin_filter(page: GraphPanel, qtbot: QtBot) -> None:
    page.filter_bar.origin.setCurrentIndex(1)
    qtbot.waitUntil(lambda: page.head.filters.text() == "Filters (1)")
    page.do("path_from", "bees")
    page.do("path_to", "sour")
    qtbot.waitUntil(lambda: page.path.tree.topLevelItemCount() == 1)
    page.path.set_end(1, "rye")
    qtbot.waitUntil(lambda: page.path.tree.topLevelItemCount() == 0)


def test_what_the_notes_do_not_say_is_not_answered(page: GraphPanel, qtbot: QtBot) -> None:
    page.show_tab(2)
    page.ask.question.setText("how big is a zeppelin?")
    page.ask.ask()
    qtbot.waitUntil(lambda: "Not enough in your notes" in page.ask.text.toPlainText())
    assert "Looked for: zeppelin" in page.ask.text.toPlainText()


def test_an_answer_is_seen_while_it_is_written_and_can_be_stopped(
    page: GraphPanel, verbs: GraphVerbs, qtbot: QtBot
) -> None:
    page.show_tab(2)
    qtbot.waitUntil(lambda: page.ask.model.count() == 2)
    page.ask.model.setCurrentIndex(1)
    verbs.hold = threading.Event()
    page.ask.question.setText("what of the oven?")
    page.ask.ask()
    qtbot.waitUntil(lambda: page.ask.text.toPlainText() == "The oven is")
    assert page.ask.stop.isVisible()
    press(page.ask.question, Qt.Key.Key_Escape)
    assert not page.ask.stop.isVisible()
    assert verbs.calls[-1] == ("ask", {"question": "what of the oven?", "model": "small"})


def test_near_duplicates_are_accepted_as_one_thing_or_rejected(
    page: GraphPanel, verbs: GraphVerbs, qtbot: QtBot
) -> None:
    review = page.review
    page.show_tab(3)
    qtbot.waitUntil(lambda: "Say nearly the same (1)" in headings(page))
    pair = review.tree.topLevelItem(1).child(0)
    review.tree.setCurrentItem(pair)
    press(review.tree, Qt.Key.Key_R)
    qtbot.waitUntil(lambda: "Decided by you (1)" in headings(page))
    assert "Say nearly the same (1)" not in headings(page)
    press(review.tree, Qt.Key.Key_U)
    qtbot.waitUntil(lambda: "Say nearly the same (1)" in headings(page))
    review.tree.setCurrentItem(review.tree.topLevelItem(1).child(0))
    press(review.tree, Qt.Key.Key_A)
    qtbot.waitUntil(lambda: ("merges", {"action": "same", "names": ["sour", "bees"]}) in verbs.calls)


def test_a_view_is_kept_and_comes_back_with_its_filters(page: GraphPanel, qtbot: QtBot) -> None:
    page.filter_bar.time.setCurrentIndex(2)
    page.filter_bar.relation.setCurrentIndex(1)
    page.shown.go_to("mara")
    page.head.reach.setValue(2)
    kept = page.filter_bar.filters
    page.keep_view("Mara, two steps")
    page.shown.show_top()
    page.filter_bar.clear()
    qtbot.waitUntil(lambda: page.head.filters.text() == "Filters")
    chosen_view = next(one for one in page.head.views_menu.actions() if one.text() == "Mara, two steps")
    chosen_view.trigger()
    assert (page.shown.scope.focus, page.head.reach.value()) == ("mara", 2)
    again = page.filter_bar.filters
    assert (again.days, again.predicates) == (kept.days, kept.predicates) == (31, frozenset({"mentions"}))
    page.remove_view("Mara, two steps")
    assert "Mara, two steps" not in [one.text() for one in page.head.views_menu.actions()]


def test_a_filter_stays_when_the_graph_is_read_again(page: GraphPanel, qtbot: QtBot) -> None:
    page.filter_bar.time.setCurrentIndex(1)
    with qtbot.waitSignal(page.map.rested):
        page.reload()
    assert page.filter_bar.filters.days == 7


def test_the_slash_that_leads_to_the_search_is_not_written_into_it(page: GraphPanel) -> None:
    page.head.search.clear()
    page.head.search.setFocus()
    press(page.head.search, Qt.Key.Key_Slash)
    assert page.head.search.text() == ""
    QTest.keyClicks(page.head.search, "a/b")
    assert page.head.search.text() == "a/b"


def test_coverage_is_said(page: GraphPanel, qtbot: QtBot) -> None:
    page.show_tab(5)
    tree = page.about.tree
    wanted = Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive
    qtbot.waitUntil(lambda: bool(tree.findItems("Kitchen: passages a model has read", wanted)))
    assert tree.findItems("Kitchen: passages a model has read", wanted)[0].text(1) == "6 of 7"


def test_every_part_has_a_name_for_the_screen_reader(page: GraphPanel) -> None:
    named = (QComboBox, QLineEdit, QSlider, QAbstractItemView, QAbstractButton, QTextBrowser)
    inner = ("qt_", "QTabBar", "ScrollLeftButton", "ScrollRightButton")
    for piece in page.findChildren(QWidget):
        if not isinstance(piece, named) or piece.objectName().startswith(inner):
            continue
        is_part = isinstance(piece.parent(), QComboBox | QLineEdit | QTabBar | QAbstractItemView | QCompleter)
        spoken = piece.accessibleName() or (piece.text() if isinstance(piece, QAbstractButton) else "")
        assert is_part or spoken or not piece.isVisibleTo(page), (piece, piece.parent())


def test_pins_are_kept(page: GraphPanel, qtbot: QtBot) -> None:
    page.do("pin", "bees")
    page.shown.go_to("rye")
    qtbot.waitUntil(lambda: "bees" in page.map.data.positions and "mara" not in page.map.data.positions)


def test_the_map_is_saved_as_drawing_and_picture(page: GraphPanel, tmp_path: Path) -> None:
    for name, start in (("map.svg", b"<?xml"), ("map.png", b"\x89PNG")):
        page.save_map(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert b"Sourdough" in (tmp_path / "map.svg").read_bytes()


def test_a_graph_that_cannot_be_read_says_why(
    start: Callable[..., App], library: Any, verbs: GraphVerbs, qtbot: QtBot
) -> None:
    verbs.fails = True
    window = start(library).window
    window.entries["graph"].trigger()
    qtbot.waitUntil(lambda: "Unlock it." in window.graph.shown.empty.text())
    verbs.fails = False
    window.graph.shown.retry.click()
    qtbot.waitUntil(lambda: len(window.graph.map.data) > 0)


def test_an_empty_graph_says_what_to_do(
    start: Callable[..., App], library: Any, verbs: GraphVerbs, qtbot: QtBot
) -> None:
    verbs.view = GraphView((), ())
    window = start(library).window
    window.entries["graph"].trigger()
    qtbot.waitUntil(lambda: "Index a source" in window.graph.shown.empty.text())


def test_links_show_an_entity_and_the_paths_between_two(
    start: Callable[..., App], library: Any, verbs: GraphVerbs, qtbot: QtBot
) -> None:
    parts = start(library)
    parts.show_words(["lamplight://entity?name=steam%20OVEN"])
    page = parts.window.graph
    qtbot.waitUntil(lambda: page.map.current_id == "oven")
    parts.show_words(["lamplight://path?from=Bees&to=sour"])
    qtbot.waitUntil(lambda: page.path.tree.topLevelItemCount() == 1)
    assert page.tabs.currentWidget() is page.path
    parts.show_words(["lamplight://entity?name=nobody"])
    assert "nobody" in parts.window.message_bar.text
