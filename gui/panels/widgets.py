"""Small widgets that several panels use, so that spacing, names and roles are set in one way."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from gui.theme import Theme, direction_of


def label(text: str = "", tone: str = "body", *, wrap: bool = False) -> QLabel:
    result = QLabel(text)
    result.setProperty("tone", tone)
    result.setTextFormat(Qt.TextFormat.PlainText)
    result.setWordWrap(wrap)
    return result


class ElidedLabel(QLabel):
    """One line that is shortened in the middle or at the end instead of pushing its neighbours away."""

    def __init__(self, tone: str, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__()
        self.setProperty("tone", tone)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._mode = mode

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(self.text(), self._mode, self.width())
        is_mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if is_mirrored else Qt.AlignmentFlag.AlignLeft
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.setLayoutDirection(direction_of(shown))
        flags = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(self.rect(), int(flags), shown)


class _Button(QPushButton):
    """Enter presses it where it has the focus, as Space does; by itself Qt lets it do so in dialogs alone."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


def button(text: str, *, primary: bool = False) -> QPushButton:
    result = _Button(text)
    result.setAccessibleName(text)
    result.setAutoDefault(False)
    if primary:
        result.setProperty("kind", "primary")
    return result


def icon_button(theme: Theme, icon: str, name: str, parent: QWidget | None = None) -> QToolButton:
    """A button that shows only a picture: its name is spoken and shown as a tool tip."""
    result = QToolButton(parent)
    result.setAccessibleName(name)
    result.setToolTip(name)
    result.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    set_icon(result, theme, icon)
    return result


def set_icon(target: QToolButton, theme: Theme, icon: str) -> None:
    """Give ``target`` an icon that follows the colours."""
    target.setProperty("picture", icon)
    target.setIcon(theme.icon(icon))
    if not target.property("follows"):
        target.setProperty("follows", True)
        theme.changed.connect(_Follower(target, theme).tint)


class _Follower(QObject):
    """Owned by its button, so that the connection ends with it."""

    def __init__(self, target: QToolButton, theme: Theme) -> None:
        super().__init__(target)
        self._target, self._theme = target, theme

    def tint(self) -> None:
        self._target.setIcon(self._theme.icon(str(self._target.property("picture"))))
