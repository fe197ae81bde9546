"""Tells of a newer Lamplight: asked for at the start, once a day, and when the owner allows it; never otherwise."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, QUrl
from PySide6.QtGui import QDesktopServices

from engine import __version__
from engine.model import Release
from gui import tr
from gui.messages import Message
from gui.ops import Ops
from gui.window import MainWindow

DAY_MS = 86_400_000


class News(QObject):
    def __init__(self, ops: Ops, window: MainWindow) -> None:
        super().__init__(window)
        self._ops, self._window = ops, window
        self._is_allowed = False
        self._daily = QTimer(self, interval=DAY_MS)
        self._daily.timeout.connect(self._ask)
        ops.opened.connect(self.look)
        ops.changed.connect(lambda _changes: self.look())
        self.look()

    def look(self) -> None:
        """Begin when it is allowed, end when it no longer is."""
        was_allowed = self._is_allowed
        self._is_allowed = self._ops.is_open and self._ops.settings.update_check
        if not self._is_allowed:
            self._daily.stop()
        elif not was_allowed:
            self._daily.start()
            self._ask()

    def _ask(self) -> None:
        self._ops.ask_for_update(self._tell)

    def _tell(self, release: Release) -> None:
        title = tr("Lamplight {version} is there.").format(version=release.version)
        text = tr("This is {version}. Nothing is fetched by itself.").format(version=__version__)
        self._window.say(Message(title, text, "info", tr("Read about it"), lambda: open_page(release.page)))


def open_page(page: str) -> None:
    QDesktopServices.openUrl(QUrl(page))
