"""Pages of the settings that only show: the ledger of connections, the keychain, the data folder, diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.errors import EngineError
from engine.model import KeychainEntry, LedgerLine, Source
from engine.paths import Home
from gui import autostart, tr
from gui.dialogs.tables import as_list
from gui.messages import size_text
from gui.theme import UNIT

SECRETS = ("Key of the index files", "Key for OpenRouter", "Token of {name}")
"""What the library calls the entries of the keychain; listed here so that they are translated."""

LoadLedger = Callable[[Callable[[list[LedgerLine]], None]], None]
LoadKeychain = Callable[[Callable[[list[KeychainEntry]], None]], None]
LoadText = Callable[[Callable[[str], None]], None]
"""Each hands what it has read over later."""


class PrivacyPage(QWidget):
    """What the keychain holds, and every connection that was made."""

    def __init__(self, load_ledger: LoadLedger, load_keychain: LoadKeychain, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.keychain = QLabel(tr("Asking the keychain…"))
        self.keychain.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.keychain.setWordWrap(True)
        headers = (tr("When"), tr("Service"), tr("Host"), tr("Why"), tr("Outcome"), tr("Sent"), tr("Received"))
        self.ledger = _table(tr("Connections"), headers, wide=3)
        self.ledger.setMinimumHeight(24 * UNIT)
        self._hint = _small(tr("Every connection, newest first. Addresses of notes, tokens and texts are never kept."))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(_heading(tr("Keychain")))
        layout.addWidget(self.keychain)
        layout.addWidget(_heading(tr("Connections")))
        layout.addWidget(self._hint)
        layout.addWidget(self.ledger, 1)
        load_ledger(self._show_ledger)
        load_keychain(self._show_keychain)

    def _show_ledger(self, lines: Sequence[LedgerLine]) -> None:
        if not lines:
            self._hint.setText(tr("Lamplight has made no connection yet."))
        self.ledger.setRowCount(len(lines))
        for row, one in enumerate(lines):
            when = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(one.time)), QLocale.FormatType.ShortFormat)
            sizes = (size_text(one.sent), size_text(one.received))
            for column, text in enumerate((when, one.service, one.host, one.why, one.outcome, *sizes)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.ledger.setItem(row, column, item)

    def _show_keychain(self, entries: Sequence[KeychainEntry]) -> None:
        states = {True: tr("present"), False: tr("absent"), None: tr("not known")}
        lines = [f"{tr(entry.title).format(name=entry.name)}: {states[entry.is_present]}" for entry in entries]
        why = next((entry.detail for entry in entries if entry.detail), "")
        self.keychain.setText("\n".join([*lines, *([why] if why else [])]))


class MachinePage(QWidget):
    """Start at login, where the data lies, and the diagnostics."""

    def __init__(
        self,
        home: Home,
        load_diagnostics: LoadText,
        list_sources: Callable[[], Iterable[Source]] = tuple,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._home, self._load, self._list_sources = home, load_diagnostics, list_sources
        self.login = QCheckBox(tr("Start Lamplight at login, without its window"))
        self.login.setChecked(autostart.is_on())
        self.login.clicked.connect(self._on_login)
        self.login.setEnabled(autostart.is_possible())
        folder = QLabel(str(home.data))
        folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        folder.setWordWrap(True)
        self.show_folder = QPushButton(tr("Open the folder"))
        self.show_folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(home.data))))
        self.diagnostics = QPushButton(tr("Show diagnostics…"))
        self.diagnostics.clicked.connect(self._on_diagnostics)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(self.login)
        layout.addSpacing(UNIT)
        layout.addWidget(_heading(tr("Data folder")))
        layout.addWidget(folder)
        layout.addWidget(
            _small(tr("It holds the indexes and what you decided. Set LAMPLIGHT_HOME to keep it elsewhere."))
        )
        layout.addWidget(self.show_folder, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addSpacing(UNIT)
        layout.addWidget(_heading(tr("Diagnostics")))
        hint = tr("Versions, counts, timings and errors, without a word of your notes. You read it before you save it.")
        layout.addWidget(_small(hint))
        layout.addWidget(self.diagnostics, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch()
        for button in (self.show_folder, self.diagnostics):
            button.setAutoDefault(False)

    def _on_login(self, is_on: bool) -> None:
        if why := autostart.switch(is_on):
            self.login.setChecked(autostart.is_on())
            QMessageBox.information(self, tr("Start at login"), why)

    def _on_diagnostics(self) -> None:
        dialog = DiagnosticsDialog(self._load, self._list_sources, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


class DiagnosticsDialog(QDialog):
    """The report as it would be saved; nothing is written before the person has seen it."""

    def __init__(self, load: LoadText, list_sources: Callable[[], Iterable[Source]], parent: QWidget) -> None:
        super().__init__(parent)
        self._list_sources = list_sources
        self.setWindowTitle(tr("Diagnostics"))
        self.resize(100 * UNIT, 76 * UNIT)
        self.text = QPlainTextEdit(tr("Collecting…"))
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("Diagnostics"))
        self.save, self.copy = QPushButton(tr("Save as a file…")), QPushButton(tr("Copy"))
        close = QPushButton(tr("Close"))
        self.save.clicked.connect(self._on_save)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        close.clicked.connect(self.reject)
        foot = QHBoxLayout()
        foot.addStretch()
        for button in (self.copy, self.save, close):
            button.setAutoDefault(False)
            foot.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, 2 * UNIT)
        layout.addWidget(
            _small(tr("Read it before you hand it to anybody. It holds no text, title or path of a note."))
        )
        layout.addWidget(self.text, 1)
        layout.addLayout(foot)
        for button in (self.save, self.copy):
            button.setEnabled(False)
        load(self._show)

    def _show(self, text: str) -> None:
        self.text.setPlainText(text)
        for button in (self.save, self.copy):
            button.setEnabled(True)

    def _on_save(self) -> None:
        file, _ = QFileDialog.getSaveFileName(self, tr("Save the diagnostics"), "lamplight-diagnostics.txt")
        if not file:
            return
        from engine.library import write_files  # It has been loaded by now.

        try:
            write_files([(Path(file), self.text.toPlainText().encode())], self._list_sources())
        except EngineError as error:
            QMessageBox.warning(self, tr("Diagnostics"), tr("It could not be saved: {why}").format(why=error))


def _heading(text: str) -> QLabel:
    result = QLabel(text)
    result.setProperty("tone", "section")
    return result


def _small(text: str) -> QLabel:
    result = QLabel(text)
    result.setProperty("tone", "small")
    result.setWordWrap(True)
    return result


def _table(name: str, headers: Sequence[str], wide: int) -> QTableWidget:
    table = QTableWidget()
    header = as_list(table, name, headers)
    header.setSectionResizeMode(wide, QHeaderView.ResizeMode.Stretch)
    for column in range(len(headers)):
        if column != wide:
            table.setColumnWidth(column, 13 * UNIT)
    return table
