"""What is dragged onto the window, to be searched, and out of its results, into other programs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDrag, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from gui.panels.drop_overlay import DropOverlay, Dropped
    from gui.theme import Theme


class DropTarget(QObject):
    """Takes folders and exports that are dropped on ``window``; ``registered`` are the places that it knows already."""

    dropped = Signal(list)
    """Places."""

    def __init__(self, window: QWidget, theme: Theme, registered: Callable[[], set[str]]) -> None:
        super().__init__(window)
        self._window, self._theme, self._registered = window, theme, registered
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    @functools.cached_property
    def overlay(self) -> DropOverlay:
        """Built when something is dragged over the window for the first time."""
        from gui.panels.drop_overlay import DropOverlay

        return DropOverlay(self._theme, self._window)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.DragEnter and isinstance(event, QDragEnterEvent):
            self._enter(event)
        elif kind == QEvent.Type.DragMove and isinstance(event, QDropEvent):
            event.setAccepted(bool(self._look_at(event).places))
        elif kind == QEvent.Type.DragLeave:
            self.overlay.hide()
        elif kind == QEvent.Type.Drop and isinstance(event, QDropEvent):
            self._drop(event)
        else:
            return False
        return True

    def _enter(self, event: QDragEnterEvent) -> None:
        """Taken even when nothing can be added, so that the person reads why."""
        is_ours = isinstance(event.source(), QWidget)
        event.setAccepted(event.mimeData().hasUrls() and not is_ours)
        if event.isAccepted():
            event.acceptProposedAction()
            self.overlay.offer(self._look_at(event))

    def _drop(self, event: QDropEvent) -> None:
        self.overlay.hide()
        places = self._look_at(event).places
        event.setAccepted(bool(places))
        if places:
            event.acceptProposedAction()
            self.dropped.emit(list(places))

    def _look_at(self, event: QDropEvent) -> Dropped:
        from gui.panels.drop_overlay import look_at

        return look_at(event.mimeData(), self._registered())


def drag_out(view: QWidget, links: list[str], files: list[str]) -> None:
    """Drag what the library has named, while the button is still held down."""
    if not QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton:
        return
    drag = QDrag(view)
    drag.setMimeData(dragged_data(links, files))
    drag.exec(Qt.DropAction.CopyAction | Qt.DropAction.LinkAction, Qt.DropAction.CopyAction)


def dragged_data(links: list[str], files: list[str]) -> QMimeData:
    """Files where there are some, for file managers and mail; the links as text, for notes."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(file) for file in files] or [QUrl(link) for link in links])
    data.setText("\n".join(links))
    return data
