"""The passphrase that protects the index: asked for once it is needed, or chosen. Never shown, never kept."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from gui import tr
from gui.theme import UNIT


class PassphraseDialog(QDialog):
    """Stays open until what it was given is the right one, which whoever listens to ``given`` finds out."""

    given = Signal(str)

    def __init__(self, parent: QWidget, *, is_new: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Choose a passphrase") if is_new else tr("Unlock your notes"))
        self.words, self.again = QLineEdit(), QLineEdit()
        self.said = QLabel()
        self.said.setProperty("tone", "small")
        self.said.setWordWrap(True)
        self.said.setMinimumHeight(5 * UNIT)
        form = QFormLayout()
        form.setVerticalSpacing(UNIT + 2)
        form.setHorizontalSpacing(2 * UNIT)
        for field, text in ((self.words, tr("Passphrase")), (self.again, tr("Once more")))[: 1 + is_new]:
            field.setEchoMode(QLineEdit.EchoMode.Password)
            field.setAccessibleName(text)
            field.setMinimumWidth(40 * UNIT)
            form.addRow(text, field)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._accept = self.buttons.addButton(
            tr("Choose it") if is_new else tr("Unlock"), QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.buttons.accepted.connect(self._on_accepted)
        self.buttons.rejected.connect(self.reject)
        explained = (
            tr(
                "Index files that are made from the next start on are encrypted with it. Lamplight asks for it when it "
                "starts. If you forget it, they can only be made anew."
            )
            if is_new
            else tr("The index of your notes is protected by a passphrase.")
        )
        purpose = QLabel(explained)
        purpose.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * UNIT, 2 * UNIT, 3 * UNIT, 2 * UNIT)
        layout.setSpacing(2 * UNIT)
        layout.addWidget(purpose)
        layout.addLayout(form)
        layout.addWidget(self.said)
        layout.addWidget(self.buttons)
        self._is_new = is_new

    def refuse(self, why: str) -> None:
        self.said.setText(why)
        self._accept.setEnabled(True)
        self.words.setEnabled(True)
        self.words.setFocus()
        self.words.selectAll()

    def _on_accepted(self) -> None:
        words = self.words.text()
        if self._is_new and words != self.again.text():
            self.refuse(tr("The two are not the same."))
            return
        if words:
            self.said.setText(tr("One moment…"))
            self._accept.setEnabled(False)
            self.words.setEnabled(False)
            self.given.emit(words)
