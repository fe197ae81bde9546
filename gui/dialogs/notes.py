"""Every note of a source with its state and the reason, to be filtered and opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractTableModel, QDateTime, QLocale, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from engine.model import NoteState, NoteStatus
from gui import plural, tr
from gui.theme import UNIT

Index = QModelIndex | QPersistentModelIndex
Load = Callable[[Callable[[list[NoteStatus]], None]], None]
"""Hands the notes over later."""


def state_name(state: NoteState) -> str:
    return {
        NoteState.INDEXED: tr("indexed"),
        NoteState.STALE: tr("stale"),
        NoteState.SKIPPED: tr("skipped"),
        NoteState.FAILED: tr("failed"),
    }[state]


class _Notes(QAbstractTableModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._headers = (tr("State"), tr("Note"), tr("Reason"), tr("Changed"))
        self.rows: list[NoteStatus] = []

    def show(self, rows: list[NoteStatus]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(self._headers)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        is_shown = role == Qt.ItemDataRole.DisplayRole and orientation is Qt.Orientation.Horizontal
        return self._headers[section] if is_shown else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        texts = _texts(self.rows[index.row()])
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return texts[index.column()]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            # A screen reader reads the cell it stands on; the whole row is what is meant.
            return ", ".join(filter(None, texts)) if index.column() == 0 else texts[index.column()]
        return None


def _texts(note: NoteStatus) -> tuple[str, str, str, str]:
    when = QDateTime.fromSecsSinceEpoch(int(note.modified)) if note.modified else None
    date = QLocale().toString(when.date(), QLocale.FormatType.ShortFormat) if when else ""
    return state_name(note.state), note.label, note.reason, date


class _Table(QTableView):
    chosen = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


class NotesDialog(QDialog):
    opened = Signal(object)
    """``NoteStatus`` that the person wants to see."""

    def __init__(self, name: str, load: Load, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Notes of {name}").format(name=name))
        self.resize(110 * UNIT, 72 * UNIT)
        self._notes: list[NoteStatus] = []
        self.state = QComboBox()
        self.state.setAccessibleName(tr("State"))
        self.words = QLineEdit()
        self.words.setAccessibleName(tr("Part of a name or reason"))
        self.words.setPlaceholderText(tr("Part of a name or reason"))
        self.words.setClearButtonEnabled(True)
        self.summary = QLabel(tr("Looking…"))
        self.summary.setProperty("tone", "small")
        self.table = _Table()
        self.model = _Notes(self)
        self._open = QPushButton(tr("Open"))
        self._lay_out()
        self.state.currentIndexChanged.connect(self._filter)
        self.words.textChanged.connect(self._filter)
        self.table.chosen.connect(self._on_chosen)
        self.table.doubleClicked.connect(lambda index: self._on_chosen(index.row()))
        self._open.clicked.connect(lambda: self._on_chosen(self.table.currentIndex().row()))
        load(self.show_notes)

    def show_notes(self, notes: Sequence[NoteStatus]) -> None:
        self._notes = list(notes)
        counts = Counter(note.state for note in notes)
        self.state.clear()
        self.state.addItem(tr("All ({n})").format(n=QLocale().toString(len(notes))), None)
        for state in (NoteState.FAILED, NoteState.STALE, NoteState.SKIPPED, NoteState.INDEXED):
            count = QLocale().toString(counts[state])
            self.state.addItem(tr("{state} ({n})").format(state=state_name(state), n=count), state)
        self._filter()

    def _filter(self) -> None:
        state, words = self.state.currentData(), self.words.text().casefold().strip()
        rows = [
            note
            for note in self._notes
            if (state is None or note.state == state) and words in f"{note.label}\n{note.reason}".casefold()
        ]
        self.model.show(rows)
        self.summary.setText(plural(len(rows), "{n} note", "{n} notes"))
        self._open.setEnabled(bool(rows))
        if rows:
            self.table.setCurrentIndex(self.model.index(0, 1))

    def _on_chosen(self, row: int) -> None:
        if 0 <= row < len(self.model.rows):
            self.opened.emit(self.model.rows[row])

    def _lay_out(self) -> None:
        self.table.setModel(self.model)
        self.table.setAccessibleName(tr("Notes"))
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.setWordWrap(False)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        header.setHighlightSections(False)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        for column, width in ((0, 12), (1, 36), (3, 14)):
            self.table.setColumnWidth(column, width * UNIT)
        self._open.setAutoDefault(False)
        head = QHBoxLayout()
        head.addWidget(self.state)
        head.addWidget(self.words, 1)
        foot = QHBoxLayout()
        foot.addWidget(self.summary, 1)
        foot.addWidget(self._open)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, 2 * UNIT)
        layout.setSpacing(UNIT)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)
        layout.addLayout(foot)
