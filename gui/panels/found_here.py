"""Vaults and graphs on this machine that are no sources yet: a quiet group in the sidebar, until it is dismissed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtWidgets
from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QVBoxLayout,
    QWidget,
)

from engine.model import SourceKind
from gui import plural, tr
from gui.panels.widgets import icon_button, label
from gui.theme import RADIUS, UNIT, Theme, font

if TYPE_CHECKING:
    from engine.model import Discovered

if TYPE_CHECKING:  # As in ``gui.delegates``.
    from PySide6.QtWidgets import QStyleOptionViewItem

MOST_ROWS = 4
"""Without scrolling."""
_PLACE = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex


def window_text(window: str) -> str:
    """Of a graph: whether its window is open in Roam."""
    return {
        "open": tr("window open"),
        "closed": tr("window closed"),
        "unknown": tr("window not known"),
    }.get(window, "")


def found_text(place: Discovered) -> str:
    """``not indexed · window open``."""
    state = (
        tr("not indexed")
        if place.indexed is None
        else plural(place.indexed, "indexed ({n} note)", "indexed ({n} notes)")
    )
    token = "" if place.has_token else tr("no token yet")
    return " · ".join(part for part in (state, window_text(place.window), token) if part)


class _PlaceDelegate(QStyledItemDelegate):
    """Icon and name; below, the state."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        height = QFontMetricsF(font("body")).height() + QFontMetricsF(font("small")).height() + UNIT
        return QSize(option.rect.width(), int(height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        place: Discovered = index.data(_PLACE)
        roles = self._theme.roles
        is_selected = bool(option.state & QtWidgets.QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if is_selected or option.state & QtWidgets.QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(roles.selection if is_selected else roles.hover))
            painter.drawRoundedRect(QRectF(option.rect).adjusted(UNIT / 2, 1, -UNIT / 2, -1), RADIUS, RADIUS)
        room = QtWidgets.QStyle.visualRect(
            option.direction, option.rect, option.rect.adjusted(2 * UNIT, UNIT // 2, -UNIT, 0)
        )
        is_mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        left = room.right() - 17 if is_mirrored else room.left()
        icon = self._theme.icon("vault" if place.kind is SourceKind.OBSIDIAN else "graph", "muted")
        icon.paint(painter, QRect(left, room.top() + 2, 18, 18))
        room = room.adjusted(0, 0, -18 - UNIT, 0) if is_mirrored else room.adjusted(18 + UNIT, 0, 0, 0)
        muted = roles.muted_on_selection if is_selected else roles.muted
        colours = (roles.on_selection if is_selected else roles.text, muted)
        for text, size, colour in zip((place.name, found_text(place)), ("body", "small"), colours, strict=True):
            metrics = QFontMetricsF(font(size))
            painter.setFont(font(size))
            painter.setPen(QColor(colour))
            side = Qt.AlignmentFlag.AlignRight if is_mirrored else Qt.AlignmentFlag.AlignLeft
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, int(side | Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignAbsolute), shown)
            room = room.adjusted(0, int(metrics.height()) + 1, 0, 0)
        painter.restore()


class _Places(QListWidget):
    chosen = Signal(str)
    dismissed = Signal(str)
    """Location of the row."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setItemDelegate(_PlaceDelegate(theme, self))
        self.setMouseTracking(True)
        theme.changed.connect(self._repaint)
        self.setObjectName("saved")
        self.setAccessibleName(tr("Found on this machine"))
        self.setAccessibleDescription(tr("Enter adds it, Delete hides it."))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setWordWrap(False)
        self.itemActivated.connect(lambda item: self.chosen.emit(item.data(_PLACE).address))

    def _repaint(self) -> None:
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() == Qt.Key.Key_Delete and item is not None:
            self.dismissed.emit(item.data(_PLACE).location)
        elif event.text() == "/":
            event.ignore()
        else:
            super().keyPressEvent(event)


class FoundHere(QWidget):
    chosen = Signal(str)
    """What to add."""
    dismissed = Signal(list)
    """Locations that are not to be offered again."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = _Places(theme)
        self._places: tuple[Discovered, ...] = ()
        title = label(tr("Found on this machine"), "section")
        title.setBuddy(self.list)
        close = icon_button(theme, "close", tr("Hide what was found"))
        close.clicked.connect(self._dismiss_all)
        head = QHBoxLayout()
        head.setContentsMargins(2 * UNIT, UNIT, UNIT, UNIT // 2)
        head.addWidget(title, 1)
        head.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.list)
        self.list.chosen.connect(self.chosen)
        self.list.dismissed.connect(lambda location: self.dismissed.emit([location]))
        self.hide()

    def _dismiss_all(self) -> None:
        self.dismissed.emit([place.location for place in self._places])

    def show_places(self, places: tuple[Discovered, ...]) -> None:
        """Those that may be added; none hides the group."""
        self._places = places
        row = self.list.currentRow()
        self.list.clear()
        for place in places:
            kind = tr("vault") if place.kind is SourceKind.OBSIDIAN else tr("graph")
            item = QListWidgetItem(place.name)
            item.setData(_PLACE, place)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{place.name}, {kind}, {found_text(place)}")
            item.setToolTip(place.location)
            self.list.addItem(item)
        self.list.setCurrentRow(min(row, len(places) - 1))
        height = self.list.sizeHintForRow(0) if places else 0
        self.list.setFixedHeight(min(len(places), MOST_ROWS) * height + UNIT)
        self.setVisible(bool(places))
