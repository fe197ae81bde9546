"""From what is typed to a search: what each key, each pause and each choice beside the query asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from engine import model
from engine.model import Mode

if TYPE_CHECKING:
    from engine.model import SearchRequest
    from gui.ops import Ops
    from gui.state import State
    from gui.window import MainWindow


class Querying:
    def __init__(self, window: MainWindow, ops: Ops, state: State) -> None:
        self._window, self._ops, self._state = window, ops, state
        self._history_place = -1

    def typed(self, text: str) -> None:
        """By words alone with each key; by meaning, too, when typing rests."""
        window = self._window
        if window.note_pane.is_waiting:
            window.note_pane.put_off(window.search_box.resting_ms)
        self._history_place = -1 if text not in self._state.history else self._history_place
        if not text.strip():
            self._ops.reading.stop_search()
            window.note_pane.question = ""
            window.show_notices(())
            if self._ops.is_open:
                window.results.show_idle()
        elif window.results.mode is not Mode.MEANING:
            self._ops.reading.search(self._request(text, Mode.WORD, typing=True))

    def submitted(self) -> None:
        window = self._window
        self._state.remember_query(window.search_box.text())
        if window.results.current_hit is not None:
            window.preview.browser.setFocus()

    def search(self) -> None:
        """For what stands in the box, as it is chosen beside it."""
        text = self._window.search_box.text()
        if text.strip():
            self._ops.reading.search(self._request(text, self._window.results.mode))

    def _request(self, text: str, mode: Mode, *, typing: bool = False) -> SearchRequest:
        chosen = self._window.sidebar.chosen
        limit = self._window.settings.results
        sources = (chosen,) if chosen else ()
        return model.SearchRequest(text, sources=sources, limit=limit, mode=mode, typing=typing, explain=not typing)

    def focus(self) -> None:
        box = self._window.search_box
        box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        box.selectAll()

    def clear(self) -> None:
        self._window.search_box.clear()
        self._window.search_box.setFocus()

    def recall(self, step: int) -> None:
        """The query ``step`` before the one of the history that is shown."""
        history = self._state.history
        place = self._history_place + step
        if 0 <= place < len(history):
            self._window.search_box.set_query(history[place])
            self._history_place = place

    def show_history(self) -> None:
        self._window.search_box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._window.query_bar.show_history(self._state.history)
