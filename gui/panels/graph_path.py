"""How two entities are connected: the shortest way and the next ones, each step with the block that says so."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from engine.model import Route
from gui import plural, tr
from gui.panels.graph_asks import GraphAsks
from gui.panels.graph_claims import ClaimTree
from gui.panels.graph_head import EntityBox
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_text import claim_text
from gui.panels.widgets import button, label
from gui.theme import UNIT, Theme


class PathTab(QFrame):
    entity_opened = Signal(str)
    block_opened = Signal(object)
    home_requested = Signal(object)
    lit = Signal(object)
    """Ids of the entities on the way that is looked at."""
    left = Signal()

    def __init__(self, theme: Theme, asks: GraphAsks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asks = asks
        self._index: GraphIndex | None = None
        self._ends = ["", ""]
        self._routes: tuple[Route, ...] = ()
        self.start = EntityBox(tr("From…"))
        self.end = EntityBox(tr("To…"))
        self.start.entity_chosen.connect(lambda one: self._choose(0, one))
        self.end.entity_chosen.connect(lambda one: self._choose(1, one))
        self._swap = button(tr("Swap"))
        self._swap.clicked.connect(self._on_swap)
        self._state = label(tone="muted", wrap=True)
        self._note = label(
            tr("Paths go through all that is known, written and inferred, whatever filters the map has."),
            "small",
            wrap=True,
        )
        self.tree = ClaimTree(tr("Paths"), theme)
        self.tree.entity_opened.connect(self.entity_opened)
        self.tree.block_opened.connect(self.block_opened)
        self.tree.home_requested.connect(self.home_requested)
        self.tree.left.connect(self.left)
        self.tree.currentItemChanged.connect(lambda *_: self._light())
        self._lay_out()
        self._say(tr("Choose two entities."))

    def set_index(self, index: GraphIndex) -> None:
        self._index = index
        for box in (self.start, self.end):
            box.set_names(index)

    def set_end(self, at: int, entity: str) -> None:
        """Choose the start (0) or the end (1) from elsewhere."""
        if self._index is not None:
            (self.start, self.end)[at].show_entity(self._index, entity)
            self._choose(at, entity)

    def _choose(self, at: int, entity: str) -> None:
        self._ends[at] = entity
        if at == 0 and not self._ends[1]:
            self.end.setFocus()
        if all(self._ends):
            self._say(tr("Looking for paths…"))
            start, end = self._ends
            self._asks.routes(start, end, lambda routes: self._show((start, end), routes))

    def _on_swap(self) -> None:
        self._ends.reverse()
        texts = self.start.text(), self.end.text()
        self.end.setText(texts[0])
        self.start.setText(texts[1])
        if all(self._ends):
            self._choose(0, self._ends[0])

    def _show(self, ends: tuple[str, ...], routes: tuple[Route, ...]) -> None:
        index = self._index
        if index is None or ends != tuple(self._ends):
            return
        self._routes = routes
        if not routes:
            same = self._ends[0] == self._ends[1]
            self._say(tr("These are the same.") if same else tr("Nothing in your notes connects these two."))
            return
        self._say(plural(len(routes), "{n} path, the shortest first", "{n} paths, the shortest first"))
        self.tree.clear()
        for number, route in enumerate(routes):
            self._add(index, number, route)
        self.tree.choose_first()
        self.tree.setFocus()

    def _add(self, index: GraphIndex, number: int, route: Route) -> None:
        names = " › ".join(index.entities[one].name for one in route.entities)
        steps = plural(len(route.hops), "{n} step", "{n} steps")
        heading = self.tree.add_heading(f"{number + 1}. {names}\n{steps}")
        for hop, place in zip(route.hops, route.entities[1:], strict=True):
            for relation in hop[:3]:
                claim = index.view.relations[relation]
                row = self.tree.add_claim(index, claim, claim_text(index, claim), place, heading)
                row.setExpanded(number == 0)
        heading.setExpanded(number == 0)

    def _light(self) -> None:
        item = self.tree.currentItem()
        while item is not None and item.parent() is not None:
            item = item.parent()
        at = self.tree.indexOfTopLevelItem(item) if item is not None else -1
        if 0 <= at < len(self._routes):
            self.lit.emit(self._routes[at].entities)

    def _say(self, text: str) -> None:
        self._state.setText(text)
        self.tree.clear()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT + 4, UNIT, 0)
        for piece in (self.start, self.end):
            column.addWidget(piece)
        row = QHBoxLayout()
        row.addWidget(self._state, 1)
        row.addWidget(self._swap)
        column.addLayout(row)
        column.addWidget(self._note)
        column.addWidget(self.tree, 1)
        self.setFocusProxy(self.start)
