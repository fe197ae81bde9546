"""The graph as tables: the same that the map shows, row by row, for the keyboard and the screen reader. No widgets."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from engine.model import Entity
from gui import tr
from gui.item_models import Index
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_text import entity_line
from gui.scene.looks import kind_name

ID_ROLE = int(Qt.ItemDataRole.UserRole) + 1


class EntitiesModel(QAbstractTableModel):
    """Name, type, relations, origin and community of entities; sorted by a click on a column."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Entity] = []
        self._index: GraphIndex | None = None
        self._sorted = (2, Qt.SortOrder.DescendingOrder)

    def show(self, index: GraphIndex, rows: Sequence[Entity]) -> None:
        self.beginResetModel()
        self._index, self._rows = index, list(rows)
        self._order()
        self.endResetModel()

    def entity(self, row: int) -> Entity:
        return self._rows[row]

    def row_of(self, entity: str) -> int:
        return next((row for row, one in enumerate(self._rows) if one.id == entity), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 5

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (tr("Name"), tr("Type"), tr("Relations"), tr("Origin"), tr("Belongs with"))[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or self._index is None:
            return None
        one = self._rows[index.row()]
        if role == ID_ROLE:
            return one.id
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(one, index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return f"{one.name}, {entity_line(self._index, one).replace(' · ', ', ')}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return ", ".join((one.name, *one.aliases))
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == 2:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        self._sorted = column, order
        self._order()
        self.layoutChanged.emit()

    def _order(self) -> None:
        column, order = self._sorted
        self._rows.sort(key=lambda one: (one.name.casefold(), one.id))
        if column:
            is_number = column == 2
            keys = {one.id: one.degree if is_number else str(self._cell(one, column)).casefold() for one in self._rows}
            self._rows.sort(key=lambda one: keys[one.id], reverse=order is Qt.SortOrder.DescendingOrder)
        elif order is Qt.SortOrder.DescendingOrder:
            self._rows.reverse()

    def _cell(self, one: Entity, column: int) -> object:
        assert self._index is not None
        if column == 0:
            return one.name
        if column == 1:
            return kind_name(one.type)
        if column == 2:
            return one.degree
        if column == 3:
            return tr("written by you") if self._index.is_written(one) else tr("inferred by a model")
        group = self._index.groups.get(one.id, -1)
        return self._index.view.community_labels[group] if group >= 0 else ""
