"""The part of the graph that is shown, as a map and as a table, and the ways from one part to the next.

Owns which part it is and the trail back. What is said about an entity is shown by others, who hear of it by signal.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from engine.model import Cell
from gui import plural, tr
from gui.panels.graph_asks import GraphAsks
from gui.panels.graph_index import (
    Filters,
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
from gui.panels.graph_state import GraphState
from gui.panels.graph_table import EntityTable
from gui.panels.widgets import button, label
from gui.scene.map_widget import GraphMap
from gui.theme import Theme

LONGEST_TRAIL = 30


class ShownGraph(QStackedWidget):
    current_changed = Signal(str)
    """Id of the entity that is chosen; empty: none."""
    scope_changed = Signal(object)
    """``Scope``; also when the filters have changed."""
    counted = Signal(str)
    """How much is on the map, in words."""
    left = Signal()

    def __init__(
        self,
        theme: Theme,
        asks: GraphAsks,
        state: GraphState,
        filters: Callable[[], Filters],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._asks, self._state, self._filters = asks, state, filters
        self._index: GraphIndex | None = None
        self.scope = Scope(pinned=frozenset(state.pinned))
        self._shown = Shown()
        self._trail: list[Scope] = []
        self._lit: tuple[str, ...] = ()
        self._is_table = False
        self._fits_next = True
        self.map = GraphMap(theme)
        self.table = EntityTable()
        self.empty = label(tone="muted", wrap=True)
        self.retry = button(tr("Try again"))
        self._lay_out()
        self._wire()
        self.map.set_flat(state.is_flat)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def set_index(self, index: GraphIndex) -> None:
        self._index = index
        if not index.view.entities:
            self.say_empty(
                tr("There is nothing on the map yet.\nIndex a source: its links, tags and attributes become the graph.")
            )
            return
        if self.scope.focus and self.scope.focus not in index.entities:
            self.scope = replace(self.scope, focus=index.members.get(self.scope.focus, ""))
        self.refresh()
        self.set_current(self.map.current_id)

    def set_current(self, entity: str) -> None:
        """Tell everybody which entity is chosen."""
        if self._index is not None and entity in self._index.entities:
            self.table.choose(entity)
        self.current_changed.emit(entity)

    def refresh(self, *, fit: bool = False) -> None:
        """Choose again what is shown, have it laid out, and fill the table."""
        self._fits_next = self._fits_next or fit
        index = self._index
        if index is None or not index.view.entities:
            return
        filters = self._filters()
        self._shown = choose_shown(index, filters, self.scope)
        self.scope_changed.emit(self.scope)
        self._fill_table(index, filters)
        if not self._shown.entities:
            self.say_empty(tr("Nothing fits these filters."))
            return
        request = layout_request(index, self._shown, self._state.places, self.scope.pinned)
        self._asks.lay_out(request, functools.partial(self._on_cells, index, self._shown))

    def _on_cells(self, index: GraphIndex, shown: Shown, cells: tuple[Cell, ...]) -> None:
        if index is not self._index or shown is not self._shown:
            return
        self._state.remember_places(ids_on_map(shown), cells)
        self.map.show_data(make_map(index, shown, cells, self.scope.pinned), fit=self._fits_next)
        self._fits_next = False
        self.map.light(self._lit)
        self.setCurrentWidget(self.table if self._is_table else self.map)
        self._count()
        if not self.map.current_id and self.scope.focus:
            self.map.choose(self.scope.focus)

    def _fill_table(self, index: GraphIndex, filters: Filters) -> None:
        touched = {end for one in allowed_relations(index, filters) for end in (one.subject, one.object)}
        self.table.show_entities(index, list(allowed_entities(index, filters, touched).values()))

    def _count(self) -> None:
        parts = [
            tr("{n} of {all} entities on the map").format(n=len(self._shown.entities), all=self._shown.allowed),
            plural(len(self._shown.relations), "{n} relation", "{n} relations"),
        ]
        if self.map.edges.drawn < self.map.edges.total:
            parts.append(tr("{n} lines drawn: go nearer for more").format(n=self.map.edges.drawn))
        parts.append(tr("solid: written by you, dashed: inferred, pale: no note of its own"))
        self.counted.emit("  ·  ".join(parts))

    def say_empty(self, text: str, *, can_retry: bool = False) -> None:
        """Say why nothing is shown, in place of it."""
        self.empty.setText(text)
        self.retry.setVisible(can_retry)
        self.setCurrentIndex(2)
        self.counted.emit("")

    @property
    def grouped(self) -> tuple[str, ...]:
        """Ids of the daily notes that are shown as one."""
        return self._shown.grouped

    def show_table(self, is_table: bool) -> None:
        """Show the table in place of the map, or the map again."""
        self._is_table = is_table
        if self.currentIndex() < 2:
            self.setCurrentWidget(self.table if is_table else self.map)
            (self.table.view if is_table else self.map).setFocus()

    def set_flat(self, is_flat: bool) -> None:
        self._state.is_flat = is_flat
        self.map.set_flat(is_flat)

    # --- ways from one part to the next ------------------------------------------------------------------------------

    def go_to(self, entity: str) -> None:
        """Show the neighbourhood of an entity, with it chosen."""
        if self._index is None or entity not in self._index.entities:
            return
        self._go(replace(self.scope, focus=entity, hidden=self.scope.hidden - {entity}, expanded=frozenset()), fit=True)
        self.set_current(entity)

    def find_entity(self, entity: str) -> None:
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
        self._go(Scope(most=self.scope.most, depth=self.scope.depth, pinned=self.scope.pinned), fit=True)

    def show_scope(self, scope: Scope) -> None:
        """A part that was kept before; what is pinned now stays so."""
        self._go(replace(scope, pinned=self.scope.pinned), fit=True)
        self.set_current(scope.focus)

    def expand(self, entity: str) -> None:
        """Add the neighbours of an entity, or take them away again."""
        self._go(replace(self.scope, expanded=self.scope.expanded ^ {entity}))

    def hide_entity(self, entity: str) -> None:
        self._go(replace(self.scope, hidden=self.scope.hidden | {entity}))

    def _go(self, scope: Scope, *, fit: bool = False) -> None:
        self._trail = [*self._trail[-LONGEST_TRAIL:], self.scope]
        self.scope = scope
        self.refresh(fit=fit)

    def back(self) -> None:
        if self._trail:
            self.scope = replace(self._trail.pop(), pinned=self.scope.pinned)
            self.refresh(fit=True)

    def reach(self, *, depth: int = 0, most: int = 0) -> None:
        """Show so many steps around the middle, or so many of the best connected."""
        self.scope = replace(self.scope, depth=depth or self.scope.depth, most=most or self.scope.most)
        self.refresh(fit=True)

    def pin(self, entity: str) -> None:
        """Pin an entity to its place, or let it go."""
        self.scope = replace(self.scope, pinned=self.scope.pinned ^ {entity})
        self._state.pinned = set(self.scope.pinned)
        self.refresh()

    def light(self, ids: Sequence[str]) -> None:
        """Show entities on the map, bringing those there that are not on it."""
        index = self._index
        if index is None:
            return
        known = [one for one in ids if one in index.entities]
        missing = [one for one in known if one not in self.map.data.positions]
        self._lit = tuple(known)
        if missing:
            self.scope = replace(self.scope, also=frozenset(known), hidden=self.scope.hidden - frozenset(known))
            self.refresh(fit=True)
        else:
            self.map.light(known)
            self.map.reveal(known)

    def darken(self) -> None:
        """Light nothing any more."""
        self._lit = ()
        self.map.light(())

    def step(self, by: int) -> None:
        """Choose the next neighbour of the middle of the map, around the clock."""
        data = self.map.data
        if self.map.current_id not in data.positions:
            return
        near = self._neighbours(self.scope.focus if self.scope.focus in data.positions else self.map.current_id)
        here = near.index(self.map.current_id) if self.map.current_id in near else -1 if by > 0 else 0
        if near:
            self.map.choose(near[(here + by) % len(near)])

    def _neighbours(self, entity: str) -> list[str]:
        data = self.map.data
        at = data.positions[entity]
        ends = {int(b if a == at else a) for a, b in data.edges.tolist() if at in (a, b)}
        return [data.structures[one].id for one in sorted(ends, key=lambda one: data.structures[one].name.casefold())]

    # --- inside ------------------------------------------------------------------------------------------------------

    def _wire(self) -> None:
        self.map.chosen.connect(self.set_current)
        self.map.activated.connect(self.go_to)
        self.map.rested.connect(self._count)
        self.table.entity_chosen.connect(lambda one: self.map.choose(one, quietly=True))
        self.table.entity_chosen.connect(self.set_current)
        self.table.entity_activated.connect(self.go_to)
        self.table.left.connect(self.left)

    def _lay_out(self) -> None:
        page = QWidget()
        middle = QVBoxLayout(page)
        middle.addStretch(1)
        middle.addWidget(self.empty)
        middle.addWidget(self.retry, 0, Qt.AlignmentFlag.AlignHCenter)
        middle.addStretch(1)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for side in (self.map, self.table, page):
            self.addWidget(side)
        self.setCurrentIndex(2)
