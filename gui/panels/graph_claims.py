"""A tree of claims: each relation in words, beneath it every quote that proves it. Enter on a quote opens its block,
Enter on a relation goes to the entity at its other end."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from engine.model import Evidence, Relation
from gui import plural
from gui.item_models import Index
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_text import quote_text, relation_origin_text, where_text
from gui.theme import RADIUS, UNIT, Theme, font

EVIDENCE = int(Qt.ItemDataRole.UserRole) + 1
ENTITY = int(Qt.ItemDataRole.UserRole) + 2
_ACCESSIBLE = int(Qt.ItemDataRole.AccessibleTextRole)
OPEN_AT_ONCE = 25
"""Claims up to which all quotes are shown from the start."""


class ClaimDelegate(QStyledItemDelegate):
    """A row of as many lines as its text takes; what stands after the first line break is small and muted."""

    def __init__(self, theme: Theme, view: QTreeWidget) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        depth, above = 1, index.parent()
        while above.isValid():
            depth, above = depth + 1, above.parent()
        width = self._view.viewport().width() - depth * self._view.indentation()
        return QSize(max(40, width), self._parts(index, width)[-1].bottom() + UNIT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        roles = self._theme.roles
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(roles.selection))
            painter.drawRoundedRect(option.rect.adjusted(0, 1, -2, -1), RADIUS, RADIUS)
        tones = (roles.on_selection, roles.muted_on_selection) if is_selected else (roles.text, roles.muted)
        boxes = self._parts(index, option.rect.width())
        for text, box, face, tone in zip(_two(index), boxes, _faces(index), tones, strict=True):
            painter.setFont(face)
            painter.setPen(QColor(tone))
            painter.drawText(box.translated(option.rect.topLeft()), _WRAPPED, text)
        painter.restore()

    @staticmethod
    def _parts(index: Index, width: int) -> list[QRect]:
        """Where the two parts stand, from the corner of the row."""
        boxes, top = [], UNIT // 2 + 1
        for text, face in zip(_two(index), _faces(index), strict=True):
            room = QRect(UNIT // 2, top, max(40, width - UNIT), 10_000)
            height = QFontMetrics(face).boundingRect(room, _WRAPPED, text).height() if text else 0
            boxes.append(QRect(room.left(), top, room.width(), height))
            top += height + 1
        return boxes


def _two(index: Index) -> tuple[str, str]:
    first, _, second = str(index.data()).partition("\n")
    return first, second


def _faces(index: Index) -> tuple[QFont, QFont]:
    return index.data(Qt.ItemDataRole.FontRole) or font("body"), font("small")


_WRAPPED = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft)


class ClaimTree(QTreeWidget):
    block_opened = Signal(object)
    """``Evidence``."""
    home_requested = Signal(object)
    """``Evidence``: open it in its own app."""
    entity_opened = Signal(str)
    left = Signal()

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("claims")
        self.setAccessibleName(name)
        self.setHeaderHidden(True)
        self.setWordWrap(True)
        self.setUniformRowHeights(False)
        self.setIndentation(16)
        self.setItemDelegate(ClaimDelegate(theme, self))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        theme.changed.connect(self.viewport().update)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemActivated.connect(self._open)

    def add_claim(
        self, index: GraphIndex, relation: Relation, text: str, other: str, parent: QTreeWidgetItem | None = None
    ) -> QTreeWidgetItem:
        """A relation with its quotes. Solid or dashed is said in words here."""
        origin = relation_origin_text(relation)
        row = QTreeWidgetItem([f"{text}\n{origin}"])
        row.setData(0, ENTITY, other)
        proofs = plural(len(relation.evidence), "{n} quote", "{n} quotes")
        row.setData(0, _ACCESSIBLE, f"{text}, {origin}, {proofs}")
        row.setFont(0, font("body", bold=True))
        for proof in relation.evidence:
            row.addChild(self.proof_row(index, proof))
        self._add(row, parent)
        return row

    def proof_row(self, index: GraphIndex, proof: Evidence) -> QTreeWidgetItem:
        quote, where = quote_text(proof.quote), where_text(index, proof)
        row = QTreeWidgetItem([f"{quote}\n{where}"])
        row.setData(0, EVIDENCE, proof)
        row.setData(0, _ACCESSIBLE, f"{quote}. {where}")
        return row

    def add_line(
        self, text: str, below: str, parent: QTreeWidgetItem, place: Evidence | None = None
    ) -> QTreeWidgetItem:
        """Two lines that are no claim; with a place, Enter opens it."""
        row = QTreeWidgetItem([f"{text}\n{below}"])
        row.setData(0, EVIDENCE, place)
        row.setData(0, _ACCESSIBLE, f"{text}, {below}")
        self._add(row, parent)
        return row

    def add_heading(self, text: str) -> QTreeWidgetItem:
        row = QTreeWidgetItem([text])
        row.setFont(0, font("small", bold=True))
        self.addTopLevelItem(row)
        row.setExpanded(True)
        return row

    @property
    def current_evidence(self) -> Evidence | None:
        item = self.currentItem()
        while item is not None and item.data(0, EVIDENCE) is None and item.childCount():
            item = item.child(0)
        return item.data(0, EVIDENCE) if item is not None else None

    def choose_first(self) -> None:
        first = self.topLevelItem(0)
        if first is not None:
            self.setCurrentItem(first)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        has_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and has_control and self.current_evidence:
            self.home_requested.emit(self.current_evidence)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentItem())
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.text() == "/":
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _open(self, item: QTreeWidgetItem | None) -> None:
        if item is None:
            return
        evidence, entity = item.data(0, EVIDENCE), item.data(0, ENTITY)
        if evidence is not None:
            self.block_opened.emit(evidence)
        elif entity:
            self.entity_opened.emit(entity)
        else:
            item.setExpanded(not item.isExpanded())

    def _add(self, row: QTreeWidgetItem, parent: QTreeWidgetItem | None) -> None:
        if parent is None:
            self.addTopLevelItem(row)
        else:
            parent.addChild(row)
