"""On macOS the system hands over links and dropped files as events, not as words of the command line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Opened(QObject):
    """Asks for each event of the program, so it is only made where such events come."""

    received = Signal(list)
    """One word: a link, or the ``file:`` address of what was dropped on the icon."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QFileOpenEvent):
            return super().eventFilter(watched, event)
        self.received.emit([event.url().toString(event.url().ComponentFormattingOption.FullyEncoded)])
        return True
