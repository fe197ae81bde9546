"""The graph page: the map and its table, and beside them what is known, asked and decided. Wires its parts together.

Reaches the library only through ``GraphAsks``; what leaves the page (a message, a link) is a signal.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QInputDialog,
    QMenu,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from engine.errors import EngineError
from engine.model import Evidence, SourceStatus
from gui import tr
from gui.messages import Message, from_error
from gui.panels.graph_about import AboutTab
from gui.panels.graph_ask import AskTab
from gui.panels.graph_asks import Document, GraphAsks
from gui.panels.graph_block import ProofBlock
from gui.panels.graph_detail import DetailTab
from gui.panels.graph_extract import ExtractTab
from gui.panels.graph_filters import FilterBar
from gui.panels.graph_head import GraphHead
from gui.panels.graph_index import DAILY, GraphIndex, Scope
from gui.panels.graph_path import PathTab
from gui.panels.graph_review import ReviewTab
from gui.panels.graph_shown import ShownGraph
from gui.panels.graph_state import GraphState
from gui.panels.widgets import label
from gui.scene.looks import kind_name
from gui.scene.picture import save_picture
from gui.theme import UNIT, Theme


class GraphPanel(QFrame):
    left = Signal()
    said = Signal(object)
    """``Message``."""
    link_ready = Signal(str)
    """An address to open outside."""
    settings_changed = Signal()

    def __init__(self, theme: Theme, asks: GraphAsks, state: GraphState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph")
        self._theme, self._asks, self._state = theme, asks, state
        self._index: GraphIndex | None = None
        self._statuses: tuple[SourceStatus, ...] = ()
        self._is_stale = True
        self.head = GraphHead(theme)
        self.filter_bar = FilterBar()
        self.shown = ShownGraph(theme, asks, state, lambda: self.filter_bar.filters)
        self.map, self.table = self.shown.map, self.shown.table
        self.detail = DetailTab(theme)
        self.path = PathTab(theme, asks)
        self.ask = AskTab(theme, asks, state.questions)
        self.review = ReviewTab(theme, asks, state.later)
        self.extract = ExtractTab(theme, asks)
        self.about = AboutTab(theme, asks)
        self.block = ProofBlock(theme, asks)
        self._wanted: tuple[str, ...] = ()
        """What a link asked for before the graph was read."""
        self.tabs = QTabWidget()
        self.right_side = QStackedWidget()
        self._counts = label(tone="small")
        self._lay_out()
        self._wire()
        self.head.flat.setChecked(state.is_flat)

    # --- what the library answers --------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read the graph again now, or when the page is shown next."""
        self._is_stale = True
        if self.isVisible():
            self._load()

    def show_sources(self, statuses: tuple[SourceStatus, ...]) -> None:
        self._statuses = statuses
        self.extract.show_sources(statuses)
        if self._index is not None:
            self.filter_bar.fill(self._index, statuses)
        if self._is_stale and self.isVisible():
            self._load()

    def save(self) -> None:
        self._state.save()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._load()

    def _load(self) -> None:
        if self._index is None:
            self.shown.say_empty(tr("Reading the graph…"))
        self._is_stale = not self._asks.load(self._on_index, self._on_load_failed)

    def _on_load_failed(self, error: Exception) -> None:
        message = from_error(error, tr("The graph could not be read."))
        self.shown.say_empty(f"{message.title}\n{message.text}", can_retry=True)

    def _on_index(self, index: GraphIndex) -> None:
        self._index = index
        self.head.set_names(index)
        for tab in (self.path, self.ask, self.review, self.extract, self.about):
            tab.set_index(index)
        self.filter_bar.fill(index, self._statuses)
        self.shown.set_index(index)
        if index.view.entities:
            self._show_wanted()

    def show_named(self, names: Sequence[str]) -> None:
        """Go to the one entity, or look for paths between the two, of these names or ids; once the graph is read."""
        self._wanted = tuple(names)
        if self._index is not None and not self._is_stale:
            self._show_wanted()

    def _show_wanted(self) -> None:
        names, self._wanted = self._wanted, ()
        index = self._index
        if index is None or not names:
            return
        found = [index.named(name) for name in names]
        unknown = [name for name, entity in zip(names, found, strict=True) if not entity]
        if unknown:
            said = tr("The graph knows nothing called {names}.").format(names=", ".join(unknown))
            self.said.emit(Message(said, tone="info"))
        elif len(found) == 1:
            self.shown.find_entity(found[0])
        else:
            for at, entity in enumerate(found):
                self._path(at, entity)

    # --- views -------------------------------------------------------------------------------------------------------

    def keep_view(self, name: str) -> None:
        """Keep what the map shows, and through which filters, under a name, in place of the view that has it."""
        self._state.views[name] = self.filter_bar.filters, self.shown.scope
        self._state.save()
        self.head.show_views(sorted(self._state.views))
        self.said.emit(Message(tr("The view is kept as {name}.").format(name=name), tone="info"))

    def show_view(self, name: str) -> None:
        filters, scope = self._state.views[name]
        self.filter_bar.show_filters(filters)
        self.shown.show_scope(scope)

    def remove_view(self, name: str) -> None:
        self._state.views.pop(name, None)
        self._state.save()
        self.head.show_views(sorted(self._state.views))

    def _ask_view_name(self) -> None:
        name, is_given = QInputDialog.getText(self, tr("Keep this view"), tr("Name of the view:"))
        if is_given and name.strip():
            self.keep_view(name.strip())

    def _show_scope(self, scope: Scope) -> None:
        if self._index is not None:
            self.head.show_scope(scope, self._index, self.filter_bar.filters.count)

    # --- the entity that is chosen -----------------------------------------------------------------------------------

    def _show_current(self, entity: str) -> None:
        index = self._index
        if index is None:
            return
        if entity == DAILY:
            self.detail.show_group(index, self.shown.grouped)
        elif entity in index.entities:
            self.detail.show_entity(index, index.entities[entity])
        else:
            self.detail.clear()

    def do(self, name: str, entity: str) -> None:
        """A command about an entity; see ``graph_detail.COMMANDS``."""
        actions: dict[str, Callable[[str], None]] = {
            "focus": self.shown.go_to,
            "expand": self.shown.expand,
            "hide": self.shown.hide_entity,
            "pin": self.shown.pin,
            "open_note": self._open_home_of,
            "path_from": lambda one: self._path(0, one),
            "path_to": lambda one: self._path(1, one),
            "same_as": self._ask_same,
            "split": lambda one: self.decide_merge("split", [one]),
        }
        if entity and entity != DAILY:
            actions[name](entity)

    def _path(self, at: int, entity: str) -> None:
        self.show_tab(self.tabs.indexOf(self.path))
        self.path.set_end(at, entity)

    def _ask_same(self, entity: str) -> None:
        """Ask what an entity is the same as."""
        if self._index is None:
            return
        names = {f"{one.name} ({kind_name(one.type)})": one.id for one in self._index.view.entities if one.id != entity}
        question = tr("{name} is the same as:").format(name=self._index.entities[entity].name)
        chosen, is_chosen = QInputDialog.getItem(self, tr("The same thing"), question, sorted(names), 0, True)
        if is_chosen and chosen in names:
            self.decide_merge("same", [entity, names[chosen]])

    def decide_merge(self, action: str, names: list[str]) -> None:
        """Record that entities are the ``same``, or ``split`` one off; it can be undone in the review."""

        def done(document: Document) -> None:
            said = tr("Decided. It can be undone under Review.")
            self.review.offer_undo(said, str(document["decided"]["id"]))
            self.said.emit(Message(said, tone="info"))
            self.reload()

        self._asks.command("merges", {"action": action, "names": names}, done)

    def _on_tab(self, at: int) -> None:
        tab = self.tabs.widget(at)
        if tab is self.review:
            self.review.ensure_read()
        elif tab in (self.ask, self.extract):
            self.extract.choices.read_models()
        elif tab is self.about:
            self.about.ensure_read()
        if tab not in (self.path, self.ask):
            self.shown.darken()

    def _on_map_command(self, name: str) -> None:
        steps = {"next": 1, "previous": -1}
        if name in steps:
            self.shown.step(steps[name])
        elif name == "back":
            self.shown.back()
        elif name == "leave":
            self.left.emit()
        else:
            self.do(name, self.map.current_id)

    def _popup(self, entity: str, where: QPoint) -> None:
        if entity == DAILY:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.shown.set_current(entity)
        self.detail.fill_menu(menu)
        menu.popup(where)

    # --- blocks --------------------------------------------------------------------------------------------------

    def _show_block(self) -> None:
        self.right_side.setCurrentWidget(self.block)
        self.block.browser.setFocus()

    def close_block(self) -> None:
        self.right_side.setCurrentWidget(self.tabs)
        self.tabs.currentWidget().setFocus()

    def open_home(self, evidence: Evidence) -> None:
        self._asks.home_link(evidence.source, evidence.anchor, self.link_ready.emit)

    def _open_home_of_block(self) -> None:
        if self.block.proof is not None:
            self.open_home(self.block.proof)

    def _open_home_of(self, entity: str) -> None:
        if self._index is not None and (place := self.detail.own_block(self._index.entities[entity])):
            self.open_home(place)

    # --- the page itself ---------------------------------------------------------------------------------------------

    def export(self, form: str) -> None:
        """Ask for a place, then save the map as ``png`` or ``svg``, or the whole graph in another form."""
        name, _ = QFileDialog.getSaveFileName(self, tr("Save the map"), f"graph.{form}", f"*.{form}")
        if name:
            self.save_map(Path(name if name.casefold().endswith(f".{form}") else f"{name}.{form}"))

    def save_map(self, place: Path) -> None:
        try:
            sources = [status.source for status in self._statuses]
            save_picture(place, self.map.data, self._theme.roles, sources, is_flat=self.map.camera.is_flat)
        except EngineError as error:
            self.said.emit(from_error(error, tr("The map could not be saved.")))
        else:
            self.said.emit(Message(tr("Saved as {place}.").format(place=place), tone="info"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text() == "/":
            self.head.search.setFocus()
            self.head.search.selectAll()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focus_first(self) -> None:
        self.map.setFocus() if self.map.isVisible() else self.head.search.setFocus()

    def _wire(self) -> None:
        self._wire_head()
        self._wire_shown()
        self._wire_tabs()
        for key, slot in (("Ctrl+F", self.head.search.setFocus), ("Ctrl+T", self.head.table.toggle)):
            QShortcut(QKeySequence(key), self, slot, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        for at in range(self.tabs.count()):
            place = QShortcut(QKeySequence(f"Alt+{at + 1}"), self)
            place.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            place.activated.connect(functools.partial(self.show_tab, at))

    def _wire_head(self) -> None:
        self.head.entity_chosen.connect(self.shown.find_entity)
        self.head.depth_chosen.connect(lambda depth: self.shown.reach(depth=depth))
        self.head.most_chosen.connect(lambda most: self.shown.reach(most=most))
        self.head.top_requested.connect(self.shown.show_top)
        self.head.back_requested.connect(self.shown.back)
        self.head.filters.toggled.connect(self.filter_bar.setVisible)
        self.head.table.toggled.connect(self.shown.show_table)
        self.head.flat.toggled.connect(self.shown.set_flat)
        self.head.fit.clicked.connect(self.map.fit)
        self.head.export_requested.connect(self.export)
        self.head.view_chosen.connect(self.show_view)
        self.head.view_removed.connect(self.remove_view)
        self.head.keep_requested.connect(self._ask_view_name)
        self.head.show_views(sorted(self._state.views))
        self.filter_bar.changed.connect(lambda: self.shown.refresh(fit=True))

    def _wire_shown(self) -> None:
        self.shown.current_changed.connect(self._show_current)
        self.shown.scope_changed.connect(self._show_scope)
        self.shown.counted.connect(self._counts.setText)
        self.shown.retry.clicked.connect(self._load)
        self.shown.left.connect(self.left)
        self.map.menu_requested.connect(self._popup)
        self.map.command.connect(self._on_map_command)

    def _wire_tabs(self) -> None:
        self.detail.command.connect(self.do)
        self.path.lit.connect(self.shown.light)
        self.ask.lit.connect(self.shown.light)
        self.ask.asked.connect(self._state.remember_question)
        self.review.decided.connect(self.reload)
        self.review.put_off.connect(self.save)
        self.review.link_copied.connect(lambda text: QGuiApplication.clipboard().setText(text))
        self.extract.finished.connect(self.reload)
        self.extract.block_opened.connect(self.block.show_proof)
        self.extract.left.connect(self.focus_first)
        self.extract.choices.changed.connect(lambda: self.ask.show_models(self.extract.choices.askable))
        self.extract.choices.switched.connect(self.settings_changed)
        self.tabs.currentChanged.connect(self._on_tab)
        for tab in (self.detail, self.path, self.ask, self.review):
            tab.left.connect(self.focus_first)
            tab.entity_opened.connect(self.shown.look_at)
            tab.block_opened.connect(self.block.show_proof)
            tab.home_requested.connect(self.open_home)
        self.block.proof_shown.connect(self._show_block)
        self.block.left.connect(self.close_block)
        self.block.open_requested.connect(self._open_home_of_block)

    def show_tab(self, at: int) -> None:
        self.right_side.setCurrentWidget(self.tabs)
        self.tabs.setCurrentIndex(at)
        self.tabs.currentWidget().setFocus()

    def _lay_out(self) -> None:
        self._add_tabs(
            (
                (self.detail, tr("Detail")),
                (self.path, tr("Path")),
                (self.ask, tr("Ask")),
                (self.review, tr("Review")),
                (self.extract, tr("Extract")),
                (self.about, tr("About")),
            )
        )
        self.right_side.addWidget(self.tabs)
        self.right_side.addWidget(self.block)
        self.right_side.setMinimumWidth(46 * UNIT)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(1)
        split.addWidget(self.shown)
        split.addWidget(self.right_side)
        split.setSizes([92 * UNIT, 56 * UNIT])
        split.setStretchFactor(0, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(2 * UNIT, UNIT // 2, 2 * UNIT, UNIT // 2)
        foot.addWidget(self._counts, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self.filter_bar)
        column.addWidget(split, 1)
        column.addLayout(foot)
        self.filter_bar.hide()

    def _add_tabs(self, tabs: Sequence[tuple[QWidget, str]]) -> None:
        self.tabs.setAccessibleName(tr("About the graph"))
        self.tabs.setDocumentMode(True)
        for at, (tab, name) in enumerate(tabs):
            self.tabs.addTab(tab, name)
            self.tabs.setTabToolTip(at, f"Alt+{at + 1}")
