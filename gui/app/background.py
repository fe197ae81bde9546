"""What goes on while the window is away: quick search, the tray icon and the keys that call them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QIcon

import resources
from engine.model import Hit, Mode, SearchRequest, SearchResult
from engine.settings import Settings
from gui import tr
from gui.app.hotkeys import Hotkey, make_hotkey
from gui.app.tray import Tray
from gui.messages import Message
from gui.ops import Ops
from gui.panels.note_pane import render
from gui.panels.quick import QuickSearch
from gui.theme import Theme
from gui.window import MainWindow

QUICK_LIMIT = 20
LOOK_MS = 5_000
"""While the window is hidden, the tray is looked for this often: without one, nobody could get at it."""


class Background(QObject):
    """Built after the first paint. ``keys`` listens; tests give their own."""

    def __init__(
        self, ops: Ops, theme: Theme, window: MainWindow, settings: Settings, keys: Hotkey | None = None
    ) -> None:
        super().__init__(window)
        self._ops, self._window, self._theme = ops, window, theme
        self._settings = Settings(quick_keys="")
        self.quick = QuickSearch(theme, settings.typing_pause_ms)
        self.tray = Tray(QIcon(str(resources.path("icons", "lamplight.svg"))), self)
        self._keys = keys or make_hotkey(self)
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self._return_without_tray)
        self._wire()
        self.apply(settings)

    def _wire(self) -> None:
        quick, ops = self.quick, self._ops
        quick.typed.connect(lambda text: ops.reading.search_quickly(self._request(text, typing=True)))
        quick.settled.connect(lambda text: ops.reading.search_quickly(self._request(text)))
        quick.open_requested.connect(lambda hit: ops.reading.make_links([hit], "open"))
        quick.link_requested.connect(lambda hit: ops.reading.make_links([hit], "copy"))
        quick.preview_wanted.connect(self._read)
        ops.reading.quick_note_read.connect(quick.show_note)
        quick.window_requested.connect(self._search_in_window)
        ops.reading.quick_found.connect(self._on_found)
        ops.quick_asked.connect(self.show_quick, Qt.ConnectionType.QueuedConnection)
        ops.changed.connect(lambda _changes: self.apply(ops.settings))
        ops.runs.moved.connect(lambda run: self.tray.say(tr("Indexing {name}").format(name=run.name) if run else ""))
        self.tray.quick_requested.connect(quick.toggle)
        self.tray.window_requested.connect(self._window.come_to_front)
        self.tray.quit_requested.connect(self._window.do_quit)
        self._keys.activated.connect(quick.toggle)
        self._keys.refused.connect(lambda why: self._window.say(Message(why, tone="info")))
        self._window.quick_requested.connect(self.show_quick)
        self._window.keeps_running = self._keeps_running

    def apply(self, settings: Settings) -> None:
        """Take over the keys that were chosen; what stands in their way is told."""
        before, self._settings = self._settings, settings
        if settings.quick_keys == before.quick_keys:
            return
        if not settings.quick_keys:
            self._keys.release()
        elif why := self._keys.register(settings.quick_keys):
            self._window.say(Message(why, tone="info"))

    def show_quick(self, text: str = "") -> None:
        self.quick.appear(text)

    def close(self) -> None:
        self._keys.release()
        self._look.stop()
        self.tray.hide()
        self.quick.hide()
        self.quick.deleteLater()

    def _request(self, text: str, *, typing: bool = False) -> SearchRequest:
        mode = Mode.WORD if typing else Mode.BOTH
        return SearchRequest(text, limit=QUICK_LIMIT, mode=mode, typing=typing)

    def _on_found(self, request: SearchRequest, result: SearchResult) -> None:
        self.quick.show_result(request.text, result)

    def _read(self, hit: Hit) -> None:
        roles, anchor = self._theme.roles, hit.anchor
        self._ops.reading.read_quickly(hit, lambda view: render(view, roles, anchor.first_line, anchor.uid))

    def _search_in_window(self, text: str) -> None:
        self._window.come_to_front()
        if text.strip():
            self._window.search_for(text)

    def _keeps_running(self) -> bool:
        """Whether closing the window only hides it. Asked once; never without a tray to come back from."""
        if not self.tray.exists or self._settings.close_to_tray == "quit":
            return False
        if self._settings.close_to_tray == "ask" and not self._ask():
            return False
        self._look.start()
        return True

    def _ask(self) -> bool:
        from gui.dialogs.questions import keep_running

        stays = keep_running(self._window)
        self._ops.change_settings(replace(self._ops.settings, close_to_tray="tray" if stays else "quit"))
        return stays

    def _return_without_tray(self) -> None:
        if self._window.isVisible():
            self._look.stop()
        elif not self.tray.exists:
            self._window.come_to_front()
