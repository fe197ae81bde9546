"""One line above the results for what went wrong or is worth knowing. Never a modal window; stays until dismissed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gui import tr
from gui.panels.widgets import button, icon_button, label
from gui.theme import UNIT, Theme


class MessageBar(QFrame):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self._theme = theme
        self._icon = QLabel()
        self._title = label(wrap=True)
        self._title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text = label(tone="small", wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._button = button(tr("Decide…"))
        self._button.clicked.connect(self._on_button)
        self._act: Callable[[], object] = lambda: None
        close = icon_button(theme, "close", tr("Dismiss this message"))
        close.clicked.connect(self.hide)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._title)
        words.addWidget(self._text)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * UNIT, UNIT, UNIT, UNIT)
        layout.setSpacing(UNIT + 4)
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, 1)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        theme.changed.connect(self._tint)
        self.hide()

    @property
    def text(self) -> str:
        return f"{self._title.text()} {self._text.text()}".strip()

    def say(self, title: str, text: str, tone: str, action: str = "", act: Callable[[], object] = lambda: None) -> None:
        """``action`` names the button that calls ``act``; without one there is no button."""
        self._act = act
        if action:
            self._button.setText(action)
            self._button.setAccessibleName(action)
        self._button.setVisible(bool(action))
        self.setProperty("tone", tone)
        self._title.setText(title)
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.setAccessibleName(self.text)
        self._tint()
        self.style().unpolish(self)
        self.style().polish(self)
        self.show()
        # Eight enumerations come with it, which a start without a message does not need.
        from PySide6.QtGui import QAccessible, QAccessibleEvent

        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def take_back(self, title: str) -> None:
        """Hide the message of this title, if it is the one that is shown."""
        if self._title.text() == title:
            self.hide()

    def _on_button(self) -> None:
        self.hide()
        self._act()

    def _tint(self) -> None:
        is_bad = self.property("tone") == "bad"
        icon: QIcon = self._theme.icon("alert" if is_bad else "info", "bad" if is_bad else "link")
        self._icon.setPixmap(icon.pixmap(20, 20))
