"""What the window remembers between runs: geometry, splitters, the last query. An ini file beside the settings."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QRect, QSettings
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QSplitter

HISTORY_LENGTH = 50


class State:
    def __init__(self, folder: Path) -> None:
        self._ini = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)

    @property
    def query(self) -> str:
        return str(self._ini.value("search/query", ""))

    @query.setter
    def query(self, text: str) -> None:
        self._ini.setValue("search/query", text)

    @property
    def history(self) -> list[str]:
        """Queries, newest first."""
        stored = self._ini.value("search/history", [])
        # A list of one comes back from an ini file as a bare string.
        return [str(item) for item in stored] if isinstance(stored, list) else [str(stored)] if stored else []

    def remember_query(self, text: str) -> None:
        text = text.strip()
        if text:
            kept = [old for old in self.history if old.casefold() != text.casefold()]
            self._ini.setValue("search/history", [text, *kept][:HISTORY_LENGTH])

    def forget_history(self) -> None:
        self._ini.remove("search/history")
        self._ini.remove("search/query")

    def save(self, window: QMainWindow, splitters: dict[str, QSplitter]) -> None:
        self._ini.setValue("window/geometry", window.saveGeometry())
        for name, splitter in splitters.items():
            self._ini.setValue(f"splitters/{name}", splitter.saveState())
        self._ini.sync()

    def restore(self, window: QMainWindow, splitters: dict[str, QSplitter]) -> None:
        geometry = self._ini.value("window/geometry")
        if isinstance(geometry, QByteArray):
            window.restoreGeometry(geometry)
            _keep_on_screen(window)
        for name, splitter in splitters.items():
            stored = self._ini.value(f"splitters/{name}")
            if isinstance(stored, QByteArray):
                splitter.restoreState(stored)


def _keep_on_screen(window: QMainWindow) -> None:
    screen = QGuiApplication.screenAt(window.frameGeometry().center()) or QGuiApplication.primaryScreen()
    window.setGeometry(clamp(window.geometry(), screen.availableGeometry()))


def clamp(wanted: QRect, available: QRect) -> QRect:
    """``wanted`` moved, then shrunk, until it lies inside ``available``."""
    width, height = min(wanted.width(), available.width()), min(wanted.height(), available.height())
    left = max(available.left(), min(wanted.left(), available.left() + available.width() - width))
    top = max(available.top(), min(wanted.top(), available.top() + available.height() - height))
    return QRect(left, top, width, height)
