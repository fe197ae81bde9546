"""What the keys do, where nothing is shown yet: two columns of words, painted, for they are in the first paint."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui import tr
from gui.theme import UNIT, Theme, font

HINTS = (
    ("↑ ↓", "move in the results"),
    ("Enter", "read the note here"),
    ("Ctrl+Enter", "open it in its own app"),
    ("F1", "all keys"),
)


class KeyHints(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows = [(keys, tr(text)) for keys, text in HINTS]
        self.setAccessibleName(", ".join(f"{keys}: {text}" for keys, text in self._rows))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        keys, words, height = self._measures()
        return QSize(keys + 2 * UNIT + words, height * len(self._rows))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _measures(self) -> tuple[int, int, int]:
        """Widths of the two columns, and the height of a row."""
        bold, plain = QFontMetrics(font(bold=True)), QFontMetrics(font())
        keys = max(bold.horizontalAdvance(keys) for keys, _ in self._rows)
        return keys, max(plain.horizontalAdvance(text) for _, text in self._rows), plain.height() + UNIT

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QColor(self._theme.roles.muted))
        keys, words, height = self._measures()
        gap = 2 * UNIT
        left = (self.width() - keys - gap - words) // 2
        top = (self.height() - height * len(self._rows)) // 2
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        first, second = (words + gap, 0) if is_mirrored else (0, keys + gap)
        inner, outer = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        middle = Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        for row, (name, text) in enumerate(self._rows):
            line = top + row * height
            painter.setFont(font(bold=True))
            side = inner if is_mirrored else outer
            painter.drawText(QRect(left + first, line, keys, height), int(side | middle), name)
            painter.setFont(font())
            side = outer if is_mirrored else inner
            painter.drawText(QRect(left + second, line, words, height), int(side | middle), text)
