"""The query box: every key is a word search, a pause in typing is a full one; arrows move in the results from here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from gui import tr
from gui.theme import Theme

if TYPE_CHECKING:
    from PySide6.QtGui import QInputMethodEvent

_MOVES = {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}


class SearchBox(QLineEdit):
    typed = Signal(str)
    """At every change, while the person is still typing."""
    settled = Signal(str)
    """When typing pauses, or at once on Enter."""
    submitted = Signal()
    """Enter."""
    history_wanted = Signal()
    """Down in an empty box."""
    moved = Signal(QKeyEvent)
    """A key that belongs to the results."""
    left = Signal()
    """Esc in an empty box."""

    def __init__(self, theme: Theme, pause_ms: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("query")
        self.setPlaceholderText(tr("Search your notes by words or by meaning"))
        self.setAccessibleName(tr("Search your notes"))
        self.setAccessibleDescription(tr("Results appear while you type. Up and Down move in them."))
        self.setClearButtonEnabled(True)
        # Files dropped here belong to the window, which registers them as sources.
        self.setAcceptDrops(False)
        clear = self.findChild(QAction)
        if clear is not None:
            clear.setText(tr("Clear the search"))
        self._glass = QAction(tr("Search"), self)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self._theme = theme
        theme.changed.connect(self._tint)
        self._tint()
        self._is_composing = False
        self._pause = QTimer(self, singleShot=True)
        self.set_pause(pause_ms)
        self._pause.timeout.connect(self._settle)
        self.textChanged.connect(self._on_changed)

    @property
    def pause(self) -> int:
        """Milliseconds without a key after which the person is taken to have finished."""
        return self._pause.interval()

    def set_pause(self, milliseconds: int) -> None:
        self._pause.setInterval(milliseconds)

    @property
    def resting_ms(self) -> int:
        """What must pass without a key before a note is read: while keys follow one another it would be gone again."""
        return self.pause if self.is_typing else 0

    @property
    def is_typing(self) -> bool:
        """Whether the last key is so recent that another one may follow."""
        return self._pause.isActive()

    def set_query(self, text: str) -> None:
        """Put a whole query in and search for it at once."""
        self.setText(text)
        self._pause.stop()
        self._settle()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        is_plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if self._is_composing:
            # While an input method composes, Enter and Esc belong to it alone.
            if key not in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
                super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and is_plain:
            self._pause.stop()
            self._settle()
            self.submitted.emit()
        elif key == Qt.Key.Key_Escape:
            self._on_escape()
        elif key == Qt.Key.Key_Down and is_plain and not self.text():
            self.history_wanted.emit()
        elif (key in _MOVES and is_plain) or (
            key in (Qt.Key.Key_Home, Qt.Key.Key_End) and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        ):
            self.moved.emit(event)
        else:
            super().keyPressEvent(event)

    def _on_escape(self) -> None:
        if self.text():
            self.clear()
        else:
            self.left.emit()

    def _on_changed(self, text: str) -> None:
        self._pause.start()
        self.typed.emit(text)

    def _settle(self) -> None:
        self.settled.emit(self.text())

    def _tint(self) -> None:
        self._glass.setIcon(self._theme.icon("search"))
