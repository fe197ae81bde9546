"""One table of everything a person can do; menus, the command palette, shortcuts and the key list are built from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenuBar, QWidget

from gui import tr


class Needs(Enum):
    """When an action can be used."""

    NOTHING = "nothing"
    HIT = "hit"
    SOURCE = "source"
    INDEXING = "indexing"


class Action(NamedTuple):
    id: str
    """Also the name of the window's method: ``do_<id>``."""
    menu: str
    text: str
    keys: tuple[str, ...] = ()
    needs: Needs = Needs.NOTHING


MENUS = ("File", "Search", "Result", "View", "Help")

ACTIONS: tuple[Action, ...] = (
    Action("add_source", "File", "Add a source…", ("Ctrl+N",)),
    Action("index_all", "File", "Index all sources", ("Ctrl+Shift+I",)),
    Action("index_source", "File", "Index this source", ("Ctrl+I", "F5"), Needs.SOURCE),
    Action("rebuild_source", "File", "Rebuild this source's index", (), Needs.SOURCE),
    Action("source_options", "File", "Options of this source…", ("Alt+Return",), Needs.SOURCE),
    Action("problems", "File", "Notes and their state…", (), Needs.SOURCE),
    Action("open_source", "File", "Open this source's folder", (), Needs.SOURCE),
    Action("remove_source", "File", "Remove this source…", (), Needs.SOURCE),
    Action("pause_indexing", "File", "Pause or resume indexing", ("Ctrl+Shift+P",), Needs.INDEXING),
    Action("cancel_indexing", "File", "Cancel indexing", (), Needs.INDEXING),
    Action("settings", "File", "Settings…", ("Ctrl+,",)),
    Action("quit", "File", "Quit", ("Ctrl+Q",)),
    Action("focus_query", "Search", "Go to the search box", ("Ctrl+K", "Ctrl+L", "Ctrl+Shift+F")),
    Action("clear_query", "Search", "Clear the search"),
    Action("older_query", "Search", "Earlier search", ("Alt+Up",)),
    Action("newer_query", "Search", "Later search", ("Alt+Down",)),
    Action("history", "Search", "Recent searches…", ("Ctrl+H",)),
    Action("save_search", "Search", "Save this search…", ("Ctrl+S",)),
    Action("mode_both", "Search", "Search by words and meaning", ("Ctrl+Alt+1",)),
    Action("mode_word", "Search", "Search by words only", ("Ctrl+Alt+2",)),
    Action("mode_meaning", "Search", "Search by meaning only", ("Ctrl+Alt+3",)),
    Action("forget_history", "Search", "Forget earlier searches"),
    Action("open_home", "Result", "Open in its own app", ("Ctrl+Return", "Ctrl+Enter"), Needs.HIT),
    Action("copy_link", "Result", "Copy link", ("Ctrl+C",), Needs.HIT),
    Action("copy_text", "Result", "Copy text", ("Ctrl+Shift+C",), Needs.HIT),
    Action("copy_markdown", "Result", "Copy as Markdown", (), Needs.HIT),
    Action("copy_csv", "Result", "Copy as CSV", (), Needs.HIT),
    Action("copy_json", "Result", "Copy as JSON", (), Needs.HIT),
    Action("next_hit", "Result", "Next highlight", ("F3", "Ctrl+G"), Needs.HIT),
    Action("previous_hit", "Result", "Previous highlight", ("Shift+F3", "Ctrl+Shift+G"), Needs.HIT),
    Action("back", "Result", "Back to the note before", ("Alt+Left",)),
    Action("forward", "Result", "Forward again", ("Alt+Right",)),
    Action("next_pane", "View", "Next pane", ("F6",)),
    Action("previous_pane", "View", "Previous pane", ("Shift+F6",)),
    Action("toggle_sidebar", "View", "Show or hide the sources", ("Ctrl+B",)),
    Action("toggle_preview", "View", "Show or hide the preview", ("Ctrl+Space",)),
    Action("toggle_aside", "View", "Show or hide related notes and details", ("Ctrl+Shift+B",)),
    Action("quick_search", "View", "Quick search"),
    Action("graph", "View", "Graph of connections", ("Ctrl+Shift+M",)),
    Action("activity", "View", "Activity", ("Ctrl+J",)),
    Action("palette", "Help", "All commands…", ("Ctrl+P",)),
    Action("keys", "Help", "Keyboard keys", ("F1",)),
    Action("about", "Help", "About Lamplight"),
)

NAVIGATION: tuple[tuple[str, str], ...] = (
    ("Up, Down, Page Up, Page Down", "Move in the results without leaving the search box"),
    ("Ctrl+Home, Ctrl+End", "First and last result"),
    ("Right, Left", "Show or hide the further passages of a note (in the results)"),
    ("Tab, Shift+Tab", "Next and previous passage of a note, then the next pane"),
    ("Enter", "Read the note in the preview"),
    ("Esc", "Back to the search box; there: clear it"),
    ("/", "Go to the search box from anywhere but a text field"),
    ("Menu, Shift+F10", "What can be done with the row"),
)
"""Keys that belong to a pane rather than to an action, for the key list."""


def build(window: QWidget, bar: QMenuBar, handler: Callable[[str], Callable[[], None]]) -> dict[str, QAction]:
    """The actions as QActions on ``window``, sorted into the menus of ``bar``."""
    # Alt and the first letter open one; in every language each begins with another.
    menus = {name: bar.addMenu(f"&{tr(name)}") for name in MENUS}
    result: dict[str, QAction] = {}
    for action in ACTIONS:
        entry = QAction(tr(action.text), window)
        entry.setShortcuts([QKeySequence(key) for key in action.keys])
        entry.triggered.connect(_ignoring_checked(handler(action.id)))
        menus[action.menu].addAction(entry)
        window.addAction(entry)
        result[action.id] = entry
    return result


def default_keys(action: str) -> str:
    """The keys that an action has at first, ``; `` between."""
    return "; ".join(next(one.keys for one in ACTIONS if one.id == action))


def keys_of(action: str, overrides: Mapping[str, str]) -> str:
    return overrides.get(action, default_keys(action))


def rebind(entries: dict[str, QAction], overrides: Mapping[str, str]) -> None:
    """Give each action the keys that the person chose for it, or those it has at first."""
    for name, entry in entries.items():
        entry.setShortcuts([QKeySequence(key) for key in keys_of(name, overrides).split("; ") if key])


def enable(entries: dict[str, QAction], available: frozenset[Needs]) -> None:
    for action in ACTIONS:
        entries[action.id].setEnabled(action.needs is Needs.NOTHING or action.needs in available)


def _ignoring_checked(slot: Callable[[], None]) -> Callable[[bool], None]:
    def triggered(_checked: bool = False) -> None:
        slot()

    return triggered
