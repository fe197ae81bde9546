"""Vaults and graphs on this machine that are no sources yet: a quiet group in the sidebar, until it is dismissed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from engine.model import Discovered, SourceKind
from gui import plural, tr
from gui.panels.widgets import icon_button, label
from gui.theme import UNIT, Theme

MOST_ROWS = 4
"""Without scrolling."""
_PLACE = Qt.ItemDataRole.UserRole
_ADDRESS = Qt.ItemDataRole.UserRole + 1


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


class _Places(QListWidget):
    chosen = Signal(str)
    dismissed = Signal(str)
    """Location of the row."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("saved")
        self.setAccessibleName(tr("Found on this machine"))
        self.setAccessibleDescription(tr("Enter adds it, Delete hides it."))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setWordWrap(False)
        self.itemActivated.connect(lambda item: self.chosen.emit(str(item.data(_ADDRESS))))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() == Qt.Key.Key_Delete and item is not None:
            self.dismissed.emit(str(item.data(_PLACE)))
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
        self.list = _Places()
        self._places: tuple[Discovered, ...] = ()
        title = label(tr("Found on this machine"), "section")
        title.setBuddy(self.list)
        close = icon_button(theme, "close", tr("Hide what was found"))
        close.clicked.connect(lambda: self.dismissed.emit([place.location for place in self._places]))
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

    def show_places(self, places: tuple[Discovered, ...]) -> None:
        """Those that may be added; none hides the group."""
        self._places = places
        row = self.list.currentRow()
        self.list.clear()
        for place in places:
            kind = tr("vault") if place.kind is SourceKind.OBSIDIAN else tr("graph")
            item = QListWidgetItem(f"{place.name}\n{kind} · {found_text(place)}")
            item.setData(_PLACE, place.location)
            item.setData(_ADDRESS, place.address)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{place.name}, {kind}, {found_text(place)}")
            item.setToolTip(place.location)
            self.list.addItem(item)
        self.list.setCurrentRow(min(row, len(places) - 1))
        height = self.list.sizeHintForRow(0) if places else 0
        self.list.setFixedHeight(min(len(places), MOST_ROWS) * height + UNIT)
        self.setVisible(bool(places))
