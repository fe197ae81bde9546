"""What the window remembers: between runs its geometry, splitters and queries, in an ini file beside the settings; and,
while it runs, the notes that were shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QByteArray, QRect, QSettings, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QSplitter

if TYPE_CHECKING:
    from engine.model import Hit, NoteKey, SourceId


HISTORY_LENGTH = 50

FRAME = QSize(16, 40)
"""As much as the frame of a window and its title take, on any desktop."""


class Place(NamedTuple):
    """A note that was shown, at a passage or as a whole."""

    source: SourceId
    note: NoteKey
    hit: Hit | None = None


class Trail:
    """The notes shown one after another. Rows that are only passed in the results leave no trace."""

    def __init__(self) -> None:
        self._places: list[Place] = []
        self._at = -1

    def visit(self, place: Place) -> None:
        here = self._places[self._at] if self._at >= 0 else None
        if here == place:
            return
        if here is not None and here.hit is not None and place.hit is not None:
            self._at -= 1
        del self._places[self._at + 1 :]
        self._places.append(place)
        self._at += 1

    def step(self, by: int) -> Place | None:
        """Go ``by`` places back (-1) or forward (1); None when there is none."""
        if not 0 <= self._at + by < len(self._places):
            return None
        self._at += by
        return self._places[self._at]

    @property
    def reach(self) -> tuple[bool, bool]:
        """Whether there is a way back, and forward."""
        return self._at > 0, self._at < len(self._places) - 1


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
    def shows_aside(self) -> bool:
        """Whether related notes and details stand beneath the note."""
        return str(self._ini.value("window/aside", "true")) == "true"

    @shows_aside.setter
    def shows_aside(self, is_shown: bool) -> None:
        self._ini.setValue("window/aside", "true" if is_shown else "false")

    @property
    def grouping(self) -> str:
        """How the results are grouped; a value of ``item_models.Grouping``."""
        return str(self._ini.value("window/grouping", "none"))

    @grouping.setter
    def grouping(self, name: str) -> None:
        self._ini.setValue("window/grouping", name)

    @property
    def opened(self) -> list[str] | None:
        """What is unfolded for browsing; None before anything was."""
        stored = self._ini.value("window/opened")
        return None if stored is None else [str(name) for name in stored] if isinstance(stored, list) else [str(stored)]

    @opened.setter
    def opened(self, names: list[str]) -> None:
        # An empty list would come back as nothing at all.
        self._ini.setValue("window/opened", [*names, ""])

    @property
    def dismissed(self) -> list[str]:
        """Places on this machine that are not to be offered as sources."""
        return self._texts("sources/dismissed")

    @dismissed.setter
    def dismissed(self, locations: list[str]) -> None:
        self._ini.setValue("sources/dismissed", locations)

    @property
    def keys(self) -> dict[str, str]:
        """Action -> the keys that the person gave it, with ``; `` between; empty: none."""
        self._ini.beginGroup("keys")
        found = {name: str(self._ini.value(name, "")) for name in self._ini.childKeys()}
        self._ini.endGroup()
        return found

    @keys.setter
    def keys(self, keys: dict[str, str]) -> None:
        self._ini.remove("keys")
        for name, pressed in keys.items():
            self._ini.setValue(f"keys/{name}", pressed)

    def _texts(self, name: str) -> list[str]:
        stored = self._ini.value(name, [])
        # A list of one comes back from an ini file as a bare string.
        return [str(item) for item in stored] if isinstance(stored, list) else [str(stored)] if stored else []

    @property
    def history(self) -> list[str]:
        """Queries, newest first."""
        return self._texts("search/history")

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
            if splitter.count() > 1:  # One whose second pane was not needed keeps what it had.
                self._ini.setValue(f"splitters/{name}", splitter.saveState())
        self._ini.sync()

    def restore(self, window: QMainWindow, splitters: dict[str, QSplitter]) -> None:
        geometry = self._ini.value("window/geometry")
        if isinstance(geometry, QByteArray):
            window.restoreGeometry(geometry)
            _keep_on_screen(window)
        else:
            _shrink_to_screen(window)
        for name, splitter in splitters.items():
            self.restore_splitter(name, splitter)

    def restore_splitter(self, name: str, splitter: QSplitter) -> None:
        """Again for one that has got its last pane later."""
        stored = self._ini.value(f"splitters/{name}")
        if isinstance(stored, QByteArray):
            splitter.restoreState(stored)


def _shrink_to_screen(window: QMainWindow) -> None:
    """For its first start: where it goes is not known yet, nor how wide the frame around it will be."""
    room = QGuiApplication.primaryScreen().availableGeometry().size() - FRAME
    window.resize(window.size().boundedTo(room))


def _keep_on_screen(window: QMainWindow) -> None:
    screen = QGuiApplication.screenAt(window.frameGeometry().center()) or QGuiApplication.primaryScreen()
    window.setGeometry(clamp(window.geometry(), screen.availableGeometry()))


def clamp(wanted: QRect, available: QRect) -> QRect:
    """``wanted`` moved, then shrunk, until it lies inside ``available``."""
    width, height = min(wanted.width(), available.width()), min(wanted.height(), available.height())
    left = max(available.left(), min(wanted.left(), available.left() + available.width() - width))
    top = max(available.top(), min(wanted.top(), available.top() + available.height() - height))
    return QRect(left, top, width, height)
