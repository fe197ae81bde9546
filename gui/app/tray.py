"""The icon in the system's tray, where there is one: quick search at a click, and what runs in its tool tip."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from gui import tr


class Tray(QObject):
    quick_requested = Signal()
    window_requested = Signal()
    quit_requested = Signal()

    def __init__(self, icon: QIcon, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._menu = QMenu()
        for text, signal in (
            (tr("Quick search"), self.quick_requested),
            (tr("Open the window"), self.window_requested),
            (tr("Quit"), self.quit_requested),
        ):
            self._menu.addAction(text).triggered.connect(signal)
        self._icon = QSystemTrayIcon(icon, self)
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._on_activated)
        self.say("")
        self._icon.show()

    @property
    def exists(self) -> bool:
        """Whether the person can see it: a tray may come and go while we run, and Qt calls the icon visible anyway."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    @property
    def menu(self) -> QMenu:
        return self._menu

    def say(self, text: str) -> None:
        self._icon.setToolTip(f"Lamplight\n{text}".strip())

    def hide(self) -> None:
        self._icon.hide()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick):
            self.quick_requested.emit()
