"""The sources: what is registered, how much it holds and how it fares; beneath, what there is to browse."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListView,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui import tr
from gui.delegates import SourceDelegate
from gui.item_models import Role, SourcesModel
from gui.panels.browse import Browse
from gui.panels.found_here import FoundHere, window_text
from gui.panels.widgets import icon_button, label, set_icon
from gui.theme import UNIT, Theme

if TYPE_CHECKING:
    from engine.model import Discovered, SourceStatus


class _List(QListView):
    menu_requested = Signal(QPoint)

    def repaint_rows(self) -> None:
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text() == "/":
            event.ignore()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        where = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard and self.currentIndex().isValid():
            where = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).center())
        self.menu_requested.emit(where)


class _Saved(QListWidget):
    """Names of saved searches; Enter or a click searches, Delete forgets."""

    chosen = Signal(str)
    removed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("saved")
        self.setAccessibleName(tr("Saved searches"))
        self.setAccessibleDescription(tr("Enter searches again, Delete forgets it."))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemClicked.connect(self._choose)
        self.itemActivated.connect(self._choose)

    def show_searches(self, searches: dict[str, str]) -> None:
        self.clear()
        for name, text in searches.items():
            item = QListWidgetItem(name)
            item.setData(Qt.ItemDataRole.UserRole, text)
            item.setToolTip(text)
            self.addItem(item)
        self.setFixedHeight(min(len(searches), 6) * (self.sizeHintForRow(0) if searches else 0) + UNIT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() == Qt.Key.Key_Delete and item is not None:
            self.removed.emit(item.text())
        elif event.text() == "/":
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(str(item.data(Qt.ItemDataRole.UserRole)))


class Sidebar(QFrame):
    source_selected = Signal(object)
    """The ``SourceStatus`` under the cursor, or None: search in all."""
    add_requested = Signal()
    menu_requested = Signal(QPoint)
    search_chosen = Signal(str)
    """The text of a saved search."""
    search_removed = Signal(str)
    """Its name."""
    part_chosen = Signal(str)
    """An operator that the query is to have, or not to have any more."""
    graph_requested = Signal()
    place_chosen = Signal(str)
    """Location of what was found on this machine, to be added."""
    places_dismissed = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self._model = SourcesModel(self)
        self.view = _List()
        self.view.setObjectName("sources")
        self.view.setAccessibleName(tr("Sources"))
        self.view.setAccessibleDescription(tr("Choosing one searches in it alone; choosing it again searches in all."))
        self.view.setModel(self._model)
        self.view.setItemDelegate(SourceDelegate(theme, self.view))
        self.view.setMouseTracking(True)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setAcceptDrops(False)
        theme.changed.connect(self.view.repaint_rows)
        self._scope = label(tone="small", wrap=True)
        self._chosen = ""
        self._saved_title = label(tr("Saved searches"), "section")
        self.saved = _Saved()
        self.saved.chosen.connect(self.search_chosen)
        self.saved.removed.connect(self.search_removed)
        self.found = FoundHere(theme)
        self.found.chosen.connect(self.place_chosen)
        self.found.dismissed.connect(self.places_dismissed)
        self.browse = Browse(theme)
        self.browse.part_chosen.connect(self.part_chosen)
        self._graph = QToolButton()
        self._graph.setObjectName("graph")
        self._graph.setText(tr("Graph of connections"))
        self._graph.setAccessibleName(tr("Graph of connections"))
        self._graph.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._graph.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._graph.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        set_icon(self._graph, theme, "graph")
        self._graph.clicked.connect(self.graph_requested)
        self._lay_out(theme)
        self.show_saved({})
        self.view.clicked.connect(self._toggle)
        self.view.activated.connect(self._toggle)
        self.view.menu_requested.connect(self.menu_requested)

    def show_sources(self, statuses: tuple[SourceStatus, ...]) -> None:
        under = self.current
        self._model.show(statuses)
        self._put_cursor(under)
        self._fit_sources()
        if self._chosen and self._chosen not in {s.source.id for s in statuses}:
            self._choose(None)
        self._describe_scope()

    def _put_cursor(self, status: SourceStatus | None) -> None:
        """Back to the source under the cursor, where the list was made anew."""
        if status is not None and not self.view.currentIndex().isValid():
            ids = [one.source.id for one in self._model.statuses]
            if status.source.id in ids:
                index = self._model.index(ids.index(status.source.id))
                self.view.setCurrentIndex(index)
                if status.source.id != self._chosen:
                    self.view.clearSelection()

    def show_found(self, places: tuple[Discovered, ...], dismissed: Collection[str]) -> None:
        """What is on this machine: the state of the graphs among the sources, and what could be added."""
        self._model.set_windows({place.location: window_text(place.window) for place in places if place.window})
        known = {status.source.location for status in self._model.statuses}
        new = [p for p in places if not p.registered and p.location not in known and p.location not in dismissed]
        self.found.show_places(tuple(new))

    def show_refresh(self, source_id: str, words: str, why: str) -> None:
        """Whether a graph is up to date."""
        self._model.set_refresh(source_id, words, why)

    def _fit_sources(self) -> None:
        """As high as the sources are, up to a third of the room; the rest is for browsing."""
        rows = self._model.rowCount()
        height = rows * max(self.view.sizeHintForRow(0), 0) + 2 * self.view.frameWidth() + UNIT // 2
        self.view.setFixedHeight(min(height, max(self.height() // 3, 24 * UNIT)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_sources()

    def show_saved(self, searches: dict[str, str]) -> None:
        self.saved.show_searches(searches)
        self._saved_title.setVisible(bool(searches))
        self.saved.setVisible(bool(searches))

    def show_busy(self, source_id: str) -> None:
        self._model.set_busy(source_id)

    @property
    def current(self) -> SourceStatus | None:
        """The source that actions are about: the one under the cursor."""
        index = self.view.currentIndex()
        return index.data(Role.STATUS) if index.isValid() else None

    @property
    def chosen(self) -> str:
        """Id of the only source to search in; empty means all."""
        return self._chosen

    def choose_named(self, name: str) -> None:
        """Choose the source of this name or id; an empty or unknown one means all."""
        for row, status in enumerate(self._model.statuses):
            if name and name.casefold() in (status.source.name.casefold(), status.source.id.casefold()):
                self.view.setCurrentIndex(self._model.index(row))
                self._choose(status)
                return
        if self._chosen:
            self._choose(None)

    def _toggle(self, index: QModelIndex) -> None:
        status: SourceStatus = index.data(Role.STATUS)
        self._choose(None if status.source.id == self._chosen else status)

    def _choose(self, status: SourceStatus | None) -> None:
        self._chosen = status.source.id if status else ""
        if status is None:
            self.view.clearSelection()
        self._describe_scope()
        self.source_selected.emit(status)

    def _describe_scope(self) -> None:
        names = {s.source.id: s.source.name for s in self._model.statuses}
        name = names.get(self._chosen)  # type: ignore[call-overload]
        self._scope.setText(
            tr("Searching in {name} only. Choose it again to search in all.").format(name=name)
            if name
            else tr("Searching in all sources")
            if names
            else tr("No sources yet")
        )

    def _lay_out(self, theme: Theme) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(2 * UNIT, UNIT, UNIT, UNIT // 2)
        title = label(tr("Sources"), "section")
        title.setBuddy(self.view)
        head.addWidget(title, 1)
        add = icon_button(theme, "add", tr("Add a source"))
        add.clicked.connect(self.add_requested)
        head.addWidget(add)
        foot = QHBoxLayout()
        foot.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, UNIT)
        foot.addWidget(self._scope)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, UNIT // 2, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.view)
        layout.addWidget(self.found)
        layout.addWidget(self.browse, 1)
        self._saved_title.setContentsMargins(2 * UNIT, UNIT, UNIT, UNIT // 2)
        layout.addWidget(self._saved_title)
        layout.addWidget(self.saved)
        layout.addWidget(self._graph)
        layout.addLayout(foot)
