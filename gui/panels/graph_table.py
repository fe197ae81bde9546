"""The twin of the map for the keyboard and the screen reader: every entity that the filters let through, in a table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QVBoxLayout, QWidget

from engine.model import Entity
from gui import tr
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_models import EntitiesModel
from gui.theme import UNIT


class _Table(QTableView):
    opened = Signal(QModelIndex)
    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.currentIndex())
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.text() == "/":
            event.ignore()
        else:
            super().keyPressEvent(event)


class EntityTable(QFrame):
    entity_chosen = Signal(str)
    entity_activated = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = EntitiesModel(self)
        self.view = _Table()
        self.view.setModel(self.model)
        self.view.setAccessibleName(tr("Entities"))
        self.view.setAccessibleDescription(tr("Enter shows the neighbourhood of an entity on the map."))
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setSortingEnabled(True)
        self.view.sortByColumn(2, Qt.SortOrder.DescendingOrder)
        self.view.setShowGrid(False)
        self.view.setTabKeyNavigation(False)
        self.view.verticalHeader().hide()
        header = self.view.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for at, width in ((3, 18 * UNIT), (4, 28 * UNIT)):
            self.view.setColumnWidth(at, width)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.view.opened.connect(lambda at: self.entity_activated.emit(self.model.entity(at.row()).id))
        self.view.doubleClicked.connect(lambda at: self.entity_activated.emit(self.model.entity(at.row()).id))
        self.view.left.connect(self.left)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)
        self.setFocusProxy(self.view)

    def show_entities(self, index: GraphIndex, rows: Sequence[Entity]) -> None:
        self.model.show(index, rows)

    def choose(self, entity: str) -> None:
        row = self.model.row_of(entity)
        if row >= 0 and row != self.view.currentIndex().row():
            blocked = self.view.selectionModel().blockSignals(True)
            self.view.selectRow(row)
            self.view.selectionModel().blockSignals(blocked)

    def _on_row(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.entity_chosen.emit(self.model.entity(now.row()).id)
