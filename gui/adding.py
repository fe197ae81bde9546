"""What is searched, and what could be: notes that were found on this machine, and the page on which they are chosen.

Owns that page; what is chosen on it is passed on to the operations.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.model import Discovered
    from gui.ops import Ops
    from gui.panels.first_start import FirstStart
    from gui.state import State
    from gui.theme import Theme
    from gui.window import MainWindow


class Adding:
    """``demo`` has the places of the bundled notes, and what they are called."""

    def __init__(self, window: MainWindow, ops: Ops, theme: Theme, state: State, demo: Mapping[str, str]) -> None:
        self._window, self._ops, self._theme, self._state, self._demo = window, ops, theme, state, demo
        self._discovered: tuple[Discovered, ...] = ()

    @functools.cached_property
    def page(self) -> FirstStart:
        """Built when it is first shown, after the first paint."""
        from gui.panels.first_start import FirstStart

        page = FirstStart(self._theme, tuple(self._demo))
        page.chosen.connect(self.add)
        page.size_wanted.connect(lambda place: self._ops.size_up(place, functools.partial(page.show_size, place)))
        page.folder_requested.connect(self._window.dialogs.choose_folder)
        page.file_requested.connect(self._window.dialogs.choose_exports)
        page.left.connect(self._window.show_results_page)
        self._window.pages.addWidget(page)
        return page

    @property
    def registered(self) -> set[str]:
        """Places that are sources already."""
        return {status.source.location for status in self._window.statuses}

    def add(self, locations: list[str]) -> None:
        self._ops.add({location: self._demo.get(location, "") for location in locations})
        if self._window.statuses:  # The first source that is listed turns the page by itself.
            self._window.show_results_page()

    def show_page(self) -> None:
        self.page.greet(is_first=not self._window.statuses)
        self._show_found()
        self._window.pages.setCurrentWidget(self.page)

    def ask(self) -> None:
        """Show the page, and look anew for what there is."""
        self.show_page()
        self.page.focus_first()
        self._ops.discover()

    def show_discovered(self, found: tuple[Discovered, ...]) -> None:
        self._discovered = found
        self.offer()
        if "page" in self.__dict__ and self._window.pages.currentWidget() is self.page:
            self._show_found()
            self.page.focus_first()

    def offer(self) -> None:
        """In the sidebar, what was found and neither added nor turned down."""
        self._window.sidebar.show_found(self._discovered, self._state.dismissed)

    def dismiss(self, locations: list[str]) -> None:
        self._state.dismissed = sorted({*self._state.dismissed, *locations})
        self.offer()

    def _show_found(self) -> None:
        self.page.show_found(self._discovered, frozenset(self.registered))
