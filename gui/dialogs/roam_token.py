"""The token of a Roam graph: taken over from Roam's tools, asked of Roam, entered by hand, forgotten. Never shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QInputDialog, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from engine.model import SourceKind
from gui import tr
from gui.theme import UNIT

Ask = Callable[[str, str, Callable[[str], None]], None]
"""Does what is named (``import``, ``request``, ``keep``, ``forget``) with the token given, and hands over what came of
it."""


class TokenRow(QWidget):
    def __init__(self, kind: SourceKind, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ask = ask
        self.take_over = QPushButton(tr("Take over from Roam's tools"))
        self.request = QPushButton(tr("Ask Roam"))
        self.enter = QPushButton(tr("Enter…"))
        self.forget = QPushButton(tr("Forget"))
        self.said = QLabel(tr("Kept in the system's keychain; never shown."))
        self.said.setProperty("tone", "small")
        self.said.setWordWrap(True)
        # Room for what Roam answers: a dialog does not grow with its words.
        self.said.setMinimumHeight(6 * UNIT)
        self.said.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
        is_local = kind is SourceKind.ROAM_LOCAL
        self.take_over.setVisible(is_local)
        self.request.setVisible(is_local)
        line = QHBoxLayout()
        line.setSpacing(UNIT)
        for button in (self.take_over, self.request, self.enter, self.forget):
            button.setAutoDefault(False)
            line.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(line)
        layout.addWidget(self.said)
        self.take_over.clicked.connect(lambda: self._do("import"))
        self.request.clicked.connect(self._on_request)
        self.enter.clicked.connect(self._on_enter)
        self.forget.clicked.connect(lambda: self._do("forget"))

    def _do(self, verb: str, token: str = "") -> None:
        self._ask(verb, token, self.said.setText)

    def _on_request(self) -> None:
        self.said.setText(tr("Roam asks you now whether it may give Lamplight a read-only token…"))
        self._do("request")

    def _on_enter(self) -> None:
        label = tr("Token of the graph, made in Roam's settings")
        token, is_fine = QInputDialog.getText(self, tr("Token"), label, QLineEdit.EchoMode.Password)
        if is_fine and token.strip():
            self._do("keep", token.strip())
