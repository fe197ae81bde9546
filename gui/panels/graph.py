"""The graph page: the map and its table, and beside them what is known, asked and decided. Wires its parts together.

Reaches the library only through ``GraphAsks``; what leaves the page (a message, a link) is a signal.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

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
from engine.model import Anchor, Cell, Evidence, Hit, NoteView, PassageKind, SourceStatus
from gui import plural, tr
from gui.messages import Message, from_error
from gui.panels.graph_about import AboutTab
from gui.panels.graph_ask import AskTab
from gui.panels.graph_asks import Document, GraphAsks
from gui.panels.graph_detail import DetailTab
from gui.panels.graph_extract import ExtractTab
from gui.panels.graph_filters import FilterBar
from gui.panels.graph_head import GraphHead
from gui.panels.graph_index import (
    DAILY,
    GraphIndex,
    Scope,
    Shown,
    allowed_entities,
    allowed_relations,
    choose_shown,
    ids_on_map,
    layout_request,
    make_map,
)
from gui.panels.graph_path import PathTab
from gui.panels.graph_review import ReviewTab
from gui.panels.graph_state import GraphState
from gui.panels.graph_table import EntityTable
from gui.panels.preview import PreviewPanel
from gui.panels.widgets import button, label
from gui.scene.looks import kind_name
from gui.scene.map_widget import GraphMap
from gui.scene.picture import save_picture
from gui.theme import UNIT, Roles, Theme

if TYPE_CHECKING:  # Loaded with the first block.
    from gui.panels.note_html import RenderedNote


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
        self._scope = Scope(pinned=frozenset(state.pinned))
        self._shown = Shown()
        self._trail: list[Scope] = []
        self._lit: tuple[str, ...] = ()
        self._is_stale = True
        self._fits_next = True
        self.head = GraphHead(theme)
        self.filter_bar = FilterBar()
        self.map = GraphMap(theme)
        self.table = EntityTable()
        self.detail = DetailTab(theme)
        self.path = PathTab(theme, asks)
        self.ask = AskTab(theme, asks, state.questions)
        self.review = ReviewTab(theme, asks, state.later)
        self.extract = ExtractTab(theme, asks)
        self.about = AboutTab(theme, asks)
        self.block = PreviewPanel(theme)
        self._opened: Evidence | None = None
        self._wanted: tuple[str, ...] = ()
        """What a link asked for before the graph was read."""
        self.tabs = QTabWidget()
        self.left_side, self.right_side = QStackedWidget(), QStackedWidget()
        self._counts = label(tone="small")
        self._empty = label(tone="muted", wrap=True)
        self._retry = button(tr("Try again"))
        self._lay_out()
        self._wire()
        self.map.set_flat(state.is_flat)
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
            self._say_empty(tr("Reading the graph…"))
        self._is_stale = not self._asks.load(self._on_index, self._on_load_failed)

    def _on_load_failed(self, error: Exception) -> None:
        message = from_error(error, tr("The graph could not be read."))
        self._say_empty(f"{message.title}\n{message.text}", can_retry=True)

    def _on_index(self, index: GraphIndex) -> None:
        self._index = index
        self.head.set_names(index)
        for tab in (self.path, self.ask, self.review, self.extract, self.about):
            tab.set_index(index)
        self.filter_bar.fill(index, self._statuses)
        if not index.view.entities:
            self._say_empty(
                tr("There is nothing on the map yet.\nIndex a source: its links, tags and attributes become the graph.")
            )
            return
        if self._scope.focus and self._scope.focus not in index.entities:
            self._scope = replace(self._scope, focus=index.members.get(self._scope.focus, ""))
        self.refresh()
        self._show_current(self.map.current_id)
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
            self._find(found[0])
        else:
            for at, entity in enumerate(found):
                self._path(at, entity)

    # --- what is on the map ------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Choose again what is shown, have it laid out, and fill the table."""
        index = self._index
        if index is None or not index.view.entities:
            return
        filters = self.filter_bar.filters
        self._shown = choose_shown(index, filters, self._scope)
        self.head.show_scope(self._scope, index, filters.count)
        self._show_table(index)
        if not self._shown.entities:
            self._say_empty(tr("Nothing fits these filters."))
            return
        request = layout_request(index, self._shown, self._state.places, self._scope.pinned)
        self._asks.lay_out(request, functools.partial(self._on_cells, index, self._shown))

    def _on_cells(self, index: GraphIndex, shown: Shown, cells: tuple[Cell, ...]) -> None:
        if index is not self._index or shown is not self._shown:
            return
        self._state.remember_places(ids_on_map(shown), cells)
        self.map.show_data(make_map(index, shown, cells, self._scope.pinned), fit=self._fits_next)
        self._fits_next = False
        self.map.light(self._lit)
        self.left_side.setCurrentWidget(self.table if self.head.table.isChecked() else self.map)
        self._show_counts()
        if not self.map.current_id and self._scope.focus:
            self.map.choose(self._scope.focus)

    def _show_table(self, index: GraphIndex) -> None:
        filters = self.filter_bar.filters
        touched = {end for one in allowed_relations(index, filters) for end in (one.subject, one.object)}
        self.table.show_entities(index, list(allowed_entities(index, filters, touched).values()))

    def _show_counts(self) -> None:
        parts = [
            tr("{n} of {all} entities on the map").format(n=len(self._shown.entities), all=self._shown.allowed),
            plural(len(self._shown.relations), "{n} relation", "{n} relations"),
        ]
        if self.map.edges.drawn < self.map.edges.total:
            parts.append(tr("{n} lines drawn: go nearer for more").format(n=self.map.edges.drawn))
        parts.append(tr("solid: written by you, dashed: inferred, pale: no note of its own"))
        self._counts.setText("  ·  ".join(parts))

    def _say_empty(self, text: str, *, can_retry: bool = False) -> None:
        self._empty.setText(text)
        self._retry.setVisible(can_retry)
        self.left_side.setCurrentIndex(2)
        self._counts.setText("")

    # --- walking -----------------------------------------------------------------------------------------------------

    def go_to(self, entity: str) -> None:
        """Show the neighbourhood of an entity, with it chosen."""
        if self._index is None or entity not in self._index.entities:
            return
        self._remember()
        self._scope = replace(self._scope, focus=entity, hidden=self._scope.hidden - {entity}, expanded=frozenset())
        self._fits_next = True
        self.refresh()
        self._show_current(entity)

    def _find(self, entity: str) -> None:
        """Go to an entity that was found by name; the next keys are for the map."""
        self.go_to(entity)
        (self.table if self.table.isVisible() else self.map).setFocus()

    def look_at(self, entity: str) -> None:
        """Choose an entity where it is, or go to it when it is not on the map."""
        if entity in self.map.data.positions:
            self.map.choose(entity)
        else:
            self.go_to(entity)

    def show_top(self) -> None:
        """The best connected of all, as in the beginning."""
        self._remember()
        self._scope = Scope(most=self._scope.most, depth=self._scope.depth, pinned=self._scope.pinned)
        self._fits_next = True
        self.refresh()

    # --- views -------------------------------------------------------------------------------------------------------

    def keep_view(self, name: str) -> None:
        """Keep what the map shows, and through which filters, under a name, in place of the view that has it."""
        self._state.views[name] = self.filter_bar.filters, self._scope
        self._state.save()
        self.head.show_views(sorted(self._state.views))
        self.said.emit(Message(tr("The view is kept as {name}.").format(name=name), tone="info"))

    def show_view(self, name: str) -> None:
        filters, scope = self._state.views[name]
        self._remember()
        self.filter_bar.show_filters(filters)
        self._scope = replace(scope, pinned=self._scope.pinned)
        self._fits_next = True
        self.refresh()
        self._show_current(scope.focus)

    def remove_view(self, name: str) -> None:
        self._state.views.pop(name, None)
        self._state.save()
        self.head.show_views(sorted(self._state.views))

    def _ask_view_name(self) -> None:
        name, is_given = QInputDialog.getText(self, tr("Keep this view"), tr("Name of the view:"))
        if is_given and name.strip():
            self.keep_view(name.strip())

    # --- the trail ---------------------------------------------------------------------------------------------------

    def back(self) -> None:
        if self._trail:
            self._scope = replace(self._trail.pop(), pinned=self._scope.pinned)
            self._fits_next = True
            self.refresh()

    def _remember(self) -> None:
        self._trail = [*self._trail[-30:], self._scope]

    def _show_current(self, entity: str) -> None:
        index = self._index
        if index is None:
            return
        if entity == DAILY:
            self.detail.show_group(index, self._shown.grouped)
        elif entity in index.entities:
            self.detail.show_entity(index, index.entities[entity])
            self.table.choose(entity)
        else:
            self.detail.clear()

    def _step_neighbour(self, step: int) -> None:
        """The next neighbour of the middle of the map, around the clock."""
        at = self.map.data.positions.get(self.map.current_id)
        if at is None:
            return
        centre = self._scope.focus if self._scope.focus in self.map.data.positions else self.map.current_id
        near = self._neighbours(centre)
        here = near.index(self.map.current_id) if self.map.current_id in near else -1 if step > 0 else 0
        if near:
            self.map.choose(near[(here + step) % len(near)])

    def _neighbours(self, entity: str) -> list[str]:
        data = self.map.data
        at = data.positions[entity]
        ends = {int(b if a == at else a) for a, b in data.edges.tolist() if at in (a, b)}
        return [data.structures[one].id for one in sorted(ends, key=lambda one: data.structures[one].name.casefold())]

    def do(self, name: str, entity: str) -> None:
        """A command about an entity; see ``graph_detail.COMMANDS``."""
        actions: dict[str, Callable[[str], None]] = {
            "focus": self.go_to,
            "expand": lambda one: self._rescope(replace(self._scope, expanded=self._scope.expanded ^ {one})),
            "hide": lambda one: self._rescope(replace(self._scope, hidden=self._scope.hidden | {one})),
            "pin": self._pin,
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

    def _light(self, ids: Sequence[str]) -> None:
        """Show entities on the map, bringing those there that are not on it."""
        index = self._index
        if index is None:
            return
        known = [one for one in ids if one in index.entities]
        missing = [one for one in known if one not in self.map.data.positions]
        self._lit = tuple(known)
        if missing:
            self._scope = replace(self._scope, also=frozenset(known), hidden=self._scope.hidden - frozenset(known))
            self._fits_next = True
            self.refresh()
        else:
            self.map.light(known)
            self.map.reveal(known)

    def _on_tab(self, at: int) -> None:
        tab = self.tabs.widget(at)
        if tab is self.review:
            self.review.ensure_read()
        elif tab in (self.ask, self.extract):
            self.extract.choices.read_models()
        elif tab is self.about:
            self.about.ensure_read()
        if tab not in (self.path, self.ask):
            self._lit = ()
            self.map.light(())

    def _rescope(self, scope: Scope) -> None:
        self._remember()
        self._scope = scope
        self.refresh()

    def _pin(self, entity: str) -> None:
        self._scope = replace(self._scope, pinned=self._scope.pinned ^ {entity})
        self._state.pinned = set(self._scope.pinned)
        self.refresh()

    def _on_map_command(self, name: str) -> None:
        steps = {"next": 1, "previous": -1}
        if name in steps:
            self._step_neighbour(steps[name])
        elif name == "back":
            self.back()
        elif name == "leave":
            self.left.emit()
        else:
            self.do(name, self.map.current_id)

    def _popup(self, entity: str, where: QPoint) -> None:
        if entity == DAILY:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._show_current(entity)
        self.detail.fill_menu(menu)
        menu.popup(where)

    # --- blocks --------------------------------------------------------------------------------------------------

    def open_block(self, evidence: Evidence) -> None:
        """Show the block of a proof in its note, here."""
        self._opened = evidence
        roles, anchor = self._theme.roles, evidence.anchor
        self._asks.note(evidence.source, evidence.note, lambda view: _render(view, roles, anchor), self._on_block_read)

    def _on_block_read(self, page: object) -> None:
        from gui.panels.note_html import RenderedNote

        assert isinstance(page, RenderedNote)
        if self._opened is not None:
            self.block.show_note(page, block_of(self._opened, page))
            self.right_side.setCurrentWidget(self.block)
            self.block.browser.setFocus()

    def close_block(self) -> None:
        self.right_side.setCurrentWidget(self.tabs)
        self.tabs.currentWidget().setFocus()

    def open_home(self, evidence: Evidence) -> None:
        self._asks.home_link(evidence.source, evidence.anchor, self.link_ready.emit)

    def _open_home_of_block(self) -> None:
        if self._opened is not None:
            self.open_home(self._opened)

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

    def _show_side(self, is_table: bool) -> None:
        if self.left_side.currentIndex() < 2:
            self.left_side.setCurrentWidget(self.table if is_table else self.map)
            (self.table.view if is_table else self.map).setFocus()

    def _set_flat(self, is_flat: bool) -> None:
        self._state.is_flat = is_flat
        self.map.set_flat(is_flat)

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
        self.head.entity_chosen.connect(self._find)
        self.head.depth_chosen.connect(lambda depth: self._change_scope(depth=depth))
        self.head.most_chosen.connect(lambda most: self._change_scope(most=most))
        self.head.top_requested.connect(self.show_top)
        self.head.back_requested.connect(self.back)
        self.head.filters.toggled.connect(self.filter_bar.setVisible)
        self.head.table.toggled.connect(self._show_side)
        self.head.flat.toggled.connect(self._set_flat)
        self.head.fit.clicked.connect(self.map.fit)
        self.head.export_requested.connect(self.export)
        self.head.view_chosen.connect(self.show_view)
        self.head.view_removed.connect(self.remove_view)
        self.head.keep_requested.connect(self._ask_view_name)
        self.head.show_views(sorted(self._state.views))
        self.filter_bar.changed.connect(self._on_filters)
        self.map.chosen.connect(self._show_current)
        self.map.activated.connect(self.go_to)
        self.map.menu_requested.connect(self._popup)
        self.map.command.connect(self._on_map_command)
        self.map.rested.connect(self._show_counts)
        self.table.entity_chosen.connect(lambda one: self.map.choose(one, quietly=True))
        self.table.entity_chosen.connect(self._show_current)
        self.table.entity_activated.connect(self.go_to)
        self.table.left.connect(self.left)
        self.detail.command.connect(self.do)
        self.path.lit.connect(self._light)
        self.ask.lit.connect(self._light)
        self.ask.asked.connect(self._state.remember_question)
        self.review.decided.connect(self.reload)
        self.review.put_off.connect(self.save)
        self.review.link_copied.connect(lambda text: QGuiApplication.clipboard().setText(text))
        self.extract.finished.connect(self.reload)
        self.extract.block_opened.connect(self.open_block)
        self.extract.left.connect(self.focus_first)
        self.extract.choices.changed.connect(lambda: self.ask.show_models(self.extract.choices.askable))
        self.extract.choices.switched.connect(self.settings_changed)
        self.tabs.currentChanged.connect(self._on_tab)
        for tab in (self.detail, self.path, self.ask, self.review):
            tab.left.connect(self.focus_first)
            tab.entity_opened.connect(self.look_at)
            tab.block_opened.connect(self.open_block)
            tab.home_requested.connect(self.open_home)
        self.block.left.connect(self.close_block)
        self.block.open_requested.connect(self._open_home_of_block)
        self._retry.clicked.connect(self._load)
        for key, slot in (("Ctrl+F", self.head.search.setFocus), ("Ctrl+T", self.head.table.toggle)):
            QShortcut(QKeySequence(key), self, slot, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        for at in range(self.tabs.count()):
            place = QShortcut(QKeySequence(f"Alt+{at + 1}"), self)
            place.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            place.activated.connect(functools.partial(self.show_tab, at))

    def show_tab(self, at: int) -> None:
        self.right_side.setCurrentWidget(self.tabs)
        self.tabs.setCurrentIndex(at)
        self.tabs.currentWidget().setFocus()

    def _on_filters(self) -> None:
        self._fits_next = True
        self.refresh()

    def _change_scope(self, *, depth: int = 0, most: int = 0) -> None:
        self._scope = replace(self._scope, depth=depth or self._scope.depth, most=most or self._scope.most)
        self._fits_next = True
        self.refresh()

    def _lay_out(self) -> None:
        empty = QWidget()
        middle = QVBoxLayout(empty)
        middle.addStretch(1)
        middle.addWidget(self._empty)
        middle.addWidget(self._retry, 0, Qt.AlignmentFlag.AlignHCenter)
        middle.addStretch(1)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for side in (self.map, self.table, empty):
            self.left_side.addWidget(side)
        self.left_side.setCurrentIndex(2)
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
        split.addWidget(self.left_side)
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


def _render(view: NoteView, roles: Roles, anchor: Anchor) -> object:
    """On the worker, which also loads the renderer."""
    from gui.panels.note_html import render

    return render(view, roles, anchor.first_line, anchor.uid)


def block_of(evidence: Evidence, page: RenderedNote) -> Hit:
    """A proof as the preview takes it: the passage at its anchor, with the quote marked."""
    source = page.view.source
    quote = evidence.quote.strip()
    return Hit(
        source=source.id,
        source_name=source.name,
        source_kind=source.kind,
        passage_id=0,
        kind=PassageKind.BLOCK if evidence.anchor.uid else PassageKind.SECTION,
        anchor=evidence.anchor,
        title=page.view.title,
        breadcrumb=(page.view.title, *evidence.anchor.headings),
        text=quote,
        snippet=quote,
        spans=((0, len(quote)),),
        score=0.0,
        legs=(),
    )
