"""Which keys do what: every action can have others, and two actions with the same keys are shown as a conflict."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui import tr
from gui.actions import ACTIONS, default_keys, keys_of
from gui.dialogs.tables import as_list
from gui.theme import UNIT


class KeysPage(QWidget):
    changed = Signal(object)
    """Action -> its keys, for those that differ from what they are at first."""

    def __init__(self, overrides: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.keys = {action.id: keys_of(action.id, overrides) for action in ACTIONS}
        self.table = QTableWidget(len(ACTIONS), 3)
        self.editor = QKeySequenceEdit()
        self.editor.setMaximumSequenceLength(1)
        self.editor.setAccessibleName(tr("Press the new keys"))
        self.notice = QLabel()
        self.notice.setWordWrap(True)
        self.take = QPushButton()
        self.set = QPushButton(tr("Use these keys"))
        self.clear = QPushButton(tr("No keys"))
        self.reset = QPushButton(tr("As at first"))
        self._lay_out()
        self.table.currentCellChanged.connect(lambda *_: self._on_row())
        self.editor.keySequenceChanged.connect(lambda _keys: self._look())
        self.set.clicked.connect(self._on_set)
        self.take.clicked.connect(self._on_take)
        self.clear.clicked.connect(lambda: self._give(""))
        self.reset.clicked.connect(lambda: self._give(default_keys(self._current)))
        self._show()
        self.table.setCurrentCell(0, 0)

    @property
    def overrides(self) -> dict[str, str]:
        return {name: keys for name, keys in self.keys.items() if keys != default_keys(name)}

    @property
    def _current(self) -> str:
        return ACTIONS[max(self.table.currentRow(), 0)].id

    @property
    def _pressed(self) -> str:
        return self.editor.keySequence().toString(QKeySequence.SequenceFormat.PortableText)

    def conflicts(self, action: str, keys: str) -> list[str]:
        """Other actions that have one of these keys."""
        wanted = set(filter(None, keys.split("; ")))
        return [name for name, held in self.keys.items() if name != action and wanted & set(held.split("; "))]

    def _on_row(self) -> None:
        self.editor.setKeySequence(QKeySequence(self.keys[self._current].split("; ")[0]))
        self._look()

    def _look(self) -> None:
        """Say who else has the keys that were pressed."""
        keys = self._pressed
        others = self.conflicts(self._current, keys)
        names = ", ".join(_text(name) for name in others)
        self.notice.setText(tr("⚠ {keys} belongs to: {names}").format(keys=_native(keys), names=names) if names else "")
        self.take.setText(tr("Use them here instead"))
        self.take.setVisible(bool(others))
        self.set.setEnabled(bool(keys) and not others)

    def _on_set(self) -> None:
        self._give(self._pressed)

    def _on_take(self) -> None:
        pressed = self._pressed
        for name in self.conflicts(self._current, pressed):
            self.keys[name] = "; ".join(key for key in self.keys[name].split("; ") if key != pressed)
        self._give(pressed)

    def _give(self, keys: str) -> None:
        self.keys[self._current] = keys
        self._show()
        self._on_row()
        self.changed.emit(self.overrides)

    def _show(self) -> None:
        for row, action in enumerate(ACTIONS):
            others = ", ".join(_text(name) for name in self.conflicts(action.id, self.keys[action.id]))
            remark = tr("⚠ also: {names}").format(names=others) if others else ""
            if not remark and self.keys[action.id] != default_keys(action.id):
                remark = tr("changed")
            for column, text in enumerate((tr(action.text), _native(self.keys[action.id]), remark)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.table.setItem(row, column, item)

    def _lay_out(self) -> None:
        header = as_list(self.table, tr("Keys of every command"), [tr("Command"), tr("Keys"), tr("Remark")])
        self.table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.table.setMinimumHeight(36 * UNIT)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.setColumnWidth(1, 24 * UNIT)
        self.table.setColumnWidth(2, 18 * UNIT)
        line = QHBoxLayout()
        line.addWidget(self.editor, 1)
        for button in (self.take, self.set, self.clear, self.reset):
            button.setAutoDefault(False)
            line.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.table, 1)
        layout.addLayout(line)
        layout.addWidget(self.notice)
        hint = QLabel(tr("Keys count as soon as they are chosen."))
        hint.setProperty("tone", "small")
        layout.addWidget(hint)


def _text(action: str) -> str:
    return next(tr(one.text) for one in ACTIONS if one.id == action)


def _native(keys: str) -> str:
    """As the system writes them."""
    parts = [QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in keys.split("; ")]
    return "; ".join(filter(None, parts))
