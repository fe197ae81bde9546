"""All commands, found by typing; and the list of keys. Both are made from the table of actions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui import tr
from gui.actions import ACTIONS, NAVIGATION
from gui.theme import UNIT

ROWS = 14


class Palette(QDialog):
    """A box and the commands that hold every word typed. Enter runs the chosen one after the dialog is gone."""

    def __init__(self, entries: dict[str, QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("All commands"))
        self.setFixedWidth(64 * UNIT)
        self._box = QLineEdit()
        self._box.setPlaceholderText(tr("Type what you want to do"))
        self._box.setAccessibleName(tr("Find a command"))
        self._list = QTreeWidget()
        self._list.setColumnCount(2)
        self._list.setHeaderHidden(True)
        self._list.setRootIsDecorated(False)
        self._list.setUniformRowHeights(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setAccessibleName(tr("Commands"))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(UNIT, UNIT, UNIT, UNIT)
        layout.addWidget(self._box)
        layout.addWidget(self._list, 1)
        for action in ACTIONS:
            entry = entries[action.id]
            if entry.isEnabled() and action.id != "palette":
                keys = entry.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
                item = QTreeWidgetItem([entry.text().rstrip("…"), keys])
                item.setData(0, Qt.ItemDataRole.UserRole, action.id)
                self._list.addTopLevelItem(item)
        self._list.header().setStretchLastSection(False)
        self._list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        # Whole rows only: a row cut in half looks like a mistake.
        self._list.ensurePolished()
        self._list.setFixedHeight(ROWS * self._list.sizeHintForRow(0) + 2 * self._list.frameWidth())
        self._box.textChanged.connect(self._filter)
        self._list.itemClicked.connect(self.accept)
        self._filter("")

    @property
    def chosen(self) -> str:
        """Id of the chosen action, or empty."""
        item = self._list.currentItem()
        return str(item.data(0, Qt.ItemDataRole.UserRole)) if item is not None and not item.isHidden() else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self._list.keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.chosen:
                self.accept()
        else:
            super().keyPressEvent(event)

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        wanted = []
        for row in range(self._list.topLevelItemCount()):
            item = self._list.topLevelItem(row)
            if item is not None:
                item.setHidden(not all(word in item.text(0).casefold() for word in words))
                wanted += [] if item.isHidden() else [item]
        if wanted:
            self._list.setCurrentItem(wanted[0])


def key_list(entries: dict[str, QAction], parent: QWidget) -> QDialog:
    dialog = QDialog(parent)
    dialog.setWindowTitle(tr("Keyboard keys"))
    dialog.resize(76 * UNIT, 70 * UNIT)
    rows = [(_keys(entries[action.id]), entries[action.id].text().rstrip("…")) for action in ACTIONS]
    rows = [row for row in rows if row[0]] + [(tr(keys), tr(text)) for keys, text in NAVIGATION]
    table = QTableWidget(len(rows), 2)
    table.setAccessibleName(tr("Keyboard keys"))
    table.setHorizontalHeaderLabels([tr("Keys"), tr("What they do")])
    table.verticalHeader().hide()
    table.setShowGrid(False)
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            table.setItem(row, column, QTableWidgetItem(text))
    header = table.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
    table.setCurrentCell(0, 0)
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(UNIT, UNIT, UNIT, UNIT)
    layout.addWidget(table)
    return dialog


def _keys(entry: QAction) -> str:
    return ", ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in entry.shortcuts())
