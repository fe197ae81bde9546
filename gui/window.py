"""The main window: it places the panels, wires them to the operations, and nothing else. One method per action."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, QUrl, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDesktopServices,
    QGuiApplication,
    QKeyEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QMainWindow,
    QMenu,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.model import Changed, Mode, NoteKey, SourceId
from engine.paths import Home
from engine.settings import Settings
from gui import actions, tr
from gui.actions import Needs
from gui.adding import Adding
from gui.copying import Form
from gui.dialogs.opened import Dialogs
from gui.dragging import DropTarget, drag_out
from gui.freshening import refresh_text
from gui.index_runs import IndexState
from gui.item_models import Grouping
from gui.messages import Message
from gui.ops import Ops
from gui.panels.message_bar import MessageBar
from gui.panels.note_pane import NotePane
from gui.panels.query_bar import QueryBar, operator_value
from gui.panels.results import ResultsPanel
from gui.panels.search_box import SearchBox
from gui.panels.sidebar import Sidebar
from gui.panels.status_bar import StatusBar, is_unprotected
from gui.querying import Querying
from gui.state import State
from gui.theme import UNIT, Theme

if TYPE_CHECKING:
    from engine.model import (
        Changes,
        Hit,
        SearchRequest,
        SearchResult,
        SourceStatus,
    )
    from gui.panels.graph import GraphPanel

_SOURCE_MENU = ("index_source", "source_options", "rebuild_source", "problems", "open_source", "remove_source")
_HIT_MENU = ("open_home", "copy_link", "copy_text", "copy_markdown", "copy_csv", "copy_json")


class MainWindow(QMainWindow):
    closed = Signal()
    quick_requested = Signal()

    def __init__(
        self, ops: Ops, theme: Theme, state: State, settings: Settings, home: Home, demo: dict[str, str]
    ) -> None:
        super().__init__()
        self._ops, self._theme, self._state, self.settings = ops, theme, state, settings
        self._home = home
        self.statuses: tuple[SourceStatus, ...] = ()
        self._met: frozenset[Needs] | None = None
        self._has_warned = False
        self.keeps_running: Callable[[], bool] = lambda: False
        """Whether closing only hides the window; set by whoever can bring it back."""
        self.setWindowTitle("Lamplight")
        self.resize(160 * UNIT, 100 * UNIT)
        self.setMinimumSize(80 * UNIT, 60 * UNIT)
        self.sidebar = Sidebar(theme)
        self.search_box = SearchBox(theme, settings.typing_pause_ms)
        self.query_bar = QueryBar(self.search_box)
        self.results = ResultsPanel(theme)
        self.note_pane = NotePane(ops.reading, theme, state)
        self.preview = self.note_pane.preview
        self.message_bar = MessageBar(theme)
        self._notices: tuple[str, ...] = ()
        self.status_bar = StatusBar(theme)
        self.dialogs = Dialogs(self, ops, state, home)
        self.querying = Querying(self, ops, state)
        self.adding = Adding(self, ops, theme, state, demo)
        self.drop_target = DropTarget(self, theme, lambda: self.adding.registered)
        self.pages = QStackedWidget()
        self._outer = QSplitter(Qt.Orientation.Horizontal)
        self._inner = QSplitter(Qt.Orientation.Horizontal)
        self._lay_out()
        self.entries = actions.build(self, self.menuBar(), self._action)
        if keys := state.keys:
            actions.rebind(self.entries, keys)
        self._wire_panels()
        self._wire_ops()
        self._update_actions()
        state.restore(self, self._splitters)
        self._restore_choices()
        self.results.show_loading()
        self.search_box.setText(state.query)
        self.search_box.selectAll()
        self.search_box.setFocus()

    def _action(self, name: str) -> Callable[[], None]:
        """What the action of that name in the table does."""
        found: Callable[[], None] = getattr(self.dialogs, name, None) or getattr(self, f"do_{name}")
        return found

    # --- layout and wiring -------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self._header = QFrame()
        self._header.setObjectName("header")
        head = QVBoxLayout(self._header)
        head.setContentsMargins(2 * UNIT, UNIT + 4, 2 * UNIT, UNIT + 4)
        head.setSpacing(UNIT)
        head.addWidget(self.search_box)
        head.addWidget(self.query_bar)
        self._inner.addWidget(self.results)
        self._inner.addWidget(self.note_pane)
        self._inner.setSizes([60 * UNIT, 66 * UNIT])
        self._inner.setChildrenCollapsible(False)
        self.pages.addWidget(self._inner)
        main = QWidget()
        column = QVBoxLayout(main)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for piece in (self._header, self.message_bar):
            column.addWidget(piece)
        column.addWidget(self.pages, 1)
        self._outer.addWidget(self.sidebar)
        self._outer.addWidget(main)
        self._outer.setSizes([30 * UNIT, 130 * UNIT])
        self._outer.setStretchFactor(1, 1)
        self._outer.setChildrenCollapsible(False)
        self.results.setMinimumWidth(36 * UNIT)
        self.preview.setMinimumWidth(30 * UNIT)
        self.sidebar.setMinimumWidth(20 * UNIT)
        for splitter in self._splitters.values():
            splitter.setHandleWidth(1)
        central = QWidget()
        rows = QVBoxLayout(central)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self._outer, 1)
        rows.addWidget(self.status_bar)
        self.setCentralWidget(central)
        order = (self.search_box, self.results.view, self.preview.browser, self.sidebar.view, self.sidebar.browse)
        for before, after in itertools.pairwise(order):
            QWidget.setTabOrder(before, after)

    @property
    def _splitters(self) -> dict[str, QSplitter]:
        return {"outer": self._outer, "inner": self._inner, "reading": self.note_pane}

    def _restore_choices(self) -> None:
        names = {grouping.value: grouping for grouping in Grouping}
        self.results.group_by(names.get(self._state.grouping, Grouping.NONE))
        if (opened := self._state.opened) is not None:
            self.sidebar.browse.remember_opened(opened)

    def _wire_panels(self) -> None:
        self.search_box.typed.connect(self.querying.typed)
        self.search_box.settled.connect(lambda _text: self.querying.search())
        self.search_box.submitted.connect(self.querying.submitted)
        self.search_box.moved.connect(self.results.move_cursor)
        self.results.hit_selected.connect(self._on_hit_selected)
        self.results.hit_activated.connect(lambda _hit: self.preview.browser.setFocus())
        self.results.mode_chosen.connect(lambda _mode: self.querying.search())
        self.results.order_chosen.connect(lambda order: self.query_bar.set_operator("sort", order))
        self.results.grouping_chosen.connect(self._on_grouping)
        self.results.drag_begun.connect(lambda: self._ops.reading.make_drag(self.results.selected_hits))
        self.results.menu_requested.connect(lambda where: self._popup(_HIT_MENU, where))
        self.results.left.connect(self.querying.focus)
        self.search_box.history_wanted.connect(self.querying.show_history)
        self.search_box.textChanged.connect(lambda text: self.results.show_order(operator_value(text, "sort")))
        self.query_bar.help_wanted.connect(self._ops.reading.help_query)
        self.query_bar.parts_changed.connect(self.sidebar.browse.mark)
        self.drop_target.dropped.connect(self.adding.add)
        self.note_pane.shown.connect(self._update_actions)
        self.note_pane.query_wanted.connect(self.search_box.set_query)
        self.preview.open_requested.connect(self.do_open_home)
        self.preview.left.connect(self.results.view.setFocus)
        self.sidebar.source_selected.connect(self._on_source_selected)
        self.sidebar.search_chosen.connect(self.search_for)
        self.sidebar.part_chosen.connect(self._on_part_chosen)
        self.sidebar.graph_requested.connect(self.do_graph)
        self.sidebar.search_removed.connect(lambda name: self._ops.reading.save_search(name, ""))
        self.sidebar.add_requested.connect(self.adding.ask)
        self.sidebar.place_chosen.connect(lambda place: self.adding.add([place]))
        self.sidebar.places_dismissed.connect(self.adding.dismiss)
        self.sidebar.menu_requested.connect(lambda where: self._popup(_SOURCE_MENU, where))
        self.sidebar.view.selectionModel().currentChanged.connect(lambda *_: self._update_actions())
        self.status_bar.pause_requested.connect(self.do_pause_indexing)
        self.status_bar.index_requested.connect(self._index_behind)
        self.status_bar.protection_requested.connect(lambda: self.dialogs.settings("privacy"))
        self.status_bar.cancel_requested.connect(self.do_cancel_indexing)

    @functools.cached_property
    def graph(self) -> GraphPanel:
        """Built when it is first shown."""
        from gui.panels.graph import GraphPanel
        from gui.panels.graph_asks import GraphAsks
        from gui.panels.graph_state import GraphState

        page = GraphPanel(
            self._theme, GraphAsks(self._ops.ask_graph), GraphState.load(self._home.config / "graph.json")
        )
        page.left.connect(self.show_results_page)
        page.said.connect(self.say)
        page.link_ready.connect(lambda link: self._on_link_ready("open", link))
        page.settings_changed.connect(self._ops.read_settings)
        self._ops.runs.ended.connect(lambda _ended: page.reload())
        self._ops.sources_listed.connect(page.show_sources)
        page.show_sources(self.statuses)
        self.pages.addWidget(page)
        self.pages.currentChanged.connect(self._on_page)
        return page

    def _on_page(self) -> None:
        """The graph has a search of its own and takes the room of the sources."""
        is_graph = self.pages.currentWidget() is self.graph
        self._header.setVisible(not is_graph)
        self.sidebar.setVisible(not is_graph)
        self.graph.save()

    def _wire_ops(self) -> None:
        ops = self._ops
        ops.opened.connect(self._on_opened)
        ops.sources_listed.connect(self._on_sources)
        ops.discovered.connect(self.adding.show_discovered)
        ops.reading.found.connect(self._on_found)
        ops.reading.help_ready.connect(self.query_bar.show_help)
        ops.reading.saved_listed.connect(self.sidebar.show_saved)
        ops.reading.contents_listed.connect(self.sidebar.browse.show_contents)
        ops.reading.drag_ready.connect(functools.partial(drag_out, self.results.view))
        ops.runs.moved.connect(self._on_indexing)
        ops.runs.braked.connect(self.dialogs.remove_vanished)
        ops.changed.connect(self._on_changed)
        ops.said.connect(self.say)
        ops.reading.link_ready.connect(self._on_link_ready)
        ops.refreshed.connect(lambda age: self.sidebar.show_refresh(age.source, refresh_text(age), age.detail))
        ops.waiting.connect(self.status_bar.show_waiting)
        ops.runs.ended.connect(lambda ended: self.sidebar.show_refresh(ended.source, "", ""))

    # --- what the operations answer ----------------------------------------------------------------------------------

    def say(self, message: Message) -> None:
        self.message_bar.say(message.title, message.text, message.tone, message.button, message.act)

    def _on_opened(self) -> None:
        self._ops.reading.list_saved()
        self._ops.reading.list_contents(self.sidebar.chosen)
        self.dialogs.refresh_activity()
        if self.search_box.text():
            self.querying.search()
        else:
            self.results.show_idle()

    def _on_sources(self, statuses: tuple[SourceStatus, ...]) -> None:
        was_empty = not self.statuses
        self.statuses = statuses
        self.sidebar.show_sources(statuses)
        self.status_bar.show_sources(statuses)
        self._warn_of_plain_files(statuses)
        self.adding.offer()
        self._update_actions()
        if not statuses:
            self.adding.show_page()
            self.sidebar.hide()
            self._header.hide()
        elif was_empty and not self._is_graph_shown:
            self.sidebar.show()
            self._header.show()
            self.show_results_page()

    def _on_found(self, request: SearchRequest, result: SearchResult) -> None:
        keep_place, self.note_pane.question = request.text == self.note_pane.question, request.text
        self.results.show_result(result, keep_place=keep_place, is_provisional=request.typing)
        self.show_notices(result.notices if result.rows else ())

    def show_notices(self, notices: tuple[str, ...]) -> None:
        """What is to be said of the query that was answered last, and no longer of the one before."""
        before, self._notices = self._notices, notices
        for notice in before:
            if notice not in notices:
                self.message_bar.take_back(notice)
        for notice in notices:
            if notice not in before:
                self.say(Message(notice, tone="info"))

    def _on_indexing(self, run: IndexState | None) -> None:
        self.sidebar.show_busy(run.source if run else "")
        if run is None:
            self.status_bar.show_idle()
        else:
            self.status_bar.show_run(run.name, run.progress, run.waiting, run.held)
        self._update_actions()

    def _on_changed(self, changes: Changes) -> None:
        """Results follow what is indexed, without losing the place."""
        if Changed.SETTINGS in changes.kinds:
            self._apply_settings()
        if Changed.SOURCES in changes.kinds:
            self._ops.reading.list_contents(self.sidebar.chosen)
        if changes.kinds != {Changed.DECISIONS}:
            self.querying.search()

    def _on_link_ready(self, purpose: str, text: str) -> None:
        if purpose == "copy":
            QGuiApplication.clipboard().setText(text)
        elif not QDesktopServices.openUrl(QUrl(text)):
            said = tr("Nothing on this machine opens {link}.").format(link=text)
            self.say(Message(said, tr("Is Obsidian or the Roam app installed?")))

    # --- searching -----------------------------------------------------------------------------------------------

    def _on_source_selected(self, _status: SourceStatus | None) -> None:
        self._update_actions()
        self._ops.reading.list_contents(self.sidebar.chosen)
        self.querying.search()

    def _on_part_chosen(self, part: str) -> None:
        self.show_results_page()
        self.query_bar.toggle(part)

    def _on_grouping(self, grouping: Grouping) -> None:
        self._state.grouping = grouping.value

    def search_for(self, text: str, source: str = "") -> None:
        """Search as if ``text`` had been typed; with ``source``, in the one of that name or id alone."""
        self.show_results_page()
        self.sidebar.choose_named(source)
        self.search_box.set_query(text)

    # --- reading -------------------------------------------------------------------------------------------------

    def _on_hit_selected(self, hit: Hit | None) -> None:
        self._update_actions()
        self.note_pane.select(hit, self.search_box.resting_ms)

    def open_note(self, source: SourceId, key: NoteKey) -> None:
        """Show a note without a search."""
        self.note_pane.open_note(source, key)

    # --- adding --------------------------------------------------------------------------------------------------

    def show_results_page(self) -> None:
        self.pages.setCurrentWidget(self._inner)
        self.querying.focus()

    # --- actions: one method each, named as in the table --------------------------------------------------------------

    def do_index_all(self) -> None:
        for status in self.statuses:
            self._ops.index_asked(status)

    def _index_behind(self) -> None:
        for status in self.statuses:
            if status.behind_by:
                self._ops.index_asked(status)

    def do_index_source(self) -> None:
        if (status := self.sidebar.current) is not None:
            self._ops.index_asked(status)

    def do_rebuild_source(self) -> None:
        if (status := self.sidebar.current) is not None:
            self._ops.index_asked(status, full=True)

    def do_open_source(self) -> None:
        status = self.sidebar.current
        if status is not None:
            place = Path(status.source.location)
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(place if place.is_dir() else place.parent)))

    def do_pause_indexing(self) -> None:
        self._ops.runs.pause()

    def do_cancel_indexing(self) -> None:
        self._ops.runs.cancel()

    def do_quit(self) -> None:
        """Also when the window is hidden, or never was shown: Qt tells such a one nothing of being closed."""
        self._remember()
        self.hide()
        self.closed.emit()

    def add_locations(self, locations: list[str]) -> None:
        self.adding.add(locations)

    def do_add_source(self) -> None:
        self.adding.ask()

    def do_focus_query(self) -> None:
        self.querying.focus()

    def do_clear_query(self) -> None:
        self.querying.clear()

    def do_history(self) -> None:
        self.querying.show_history()

    def do_older_query(self) -> None:
        self.querying.recall(+1)

    def do_newer_query(self) -> None:
        self.querying.recall(-1)

    def do_forget_history(self) -> None:
        self._state.forget_history()

    def do_mode_both(self) -> None:
        self.results.choose_mode(Mode.BOTH)

    def do_mode_word(self) -> None:
        self.results.choose_mode(Mode.WORD)

    def do_mode_meaning(self) -> None:
        self.results.choose_mode(Mode.MEANING)

    def do_open_home(self) -> None:
        if (hit := self.results.current_hit) is not None:
            self._ops.reading.make_links([hit], "open")

    def do_copy_link(self) -> None:
        cursor = self.preview.browser.textCursor()
        if self.preview.browser.hasFocus() and cursor.hasSelection() and self.preview.mark_position < 0:
            self.preview.browser.copy()
        elif self.search_box.hasFocus() and self.search_box.hasSelectedText():
            self.search_box.copy()
        else:
            self._ops.reading.make_links(self.results.selected_hits, "copy")

    def do_copy_text(self) -> None:
        texts = [hit.text for hit in self.results.selected_hits]
        QGuiApplication.clipboard().setText("\n\n".join(texts))

    def do_copy_markdown(self) -> None:
        self._ops.reading.make_links(self.results.selected_hits, "copy", Form.MARKDOWN)

    def do_copy_csv(self) -> None:
        self._ops.reading.make_links(self.results.selected_hits, "copy", Form.CSV)

    def do_copy_json(self) -> None:
        self._ops.reading.make_links(self.results.selected_hits, "copy", Form.JSON)

    def do_back(self) -> None:
        self.note_pane.go_back()

    def do_forward(self) -> None:
        self.note_pane.go_forward()

    def do_next_hit(self) -> None:
        self.preview.next_mark()

    def do_previous_hit(self) -> None:
        self.preview.previous_mark()

    def do_next_pane(self) -> None:
        self._go_to_pane(+1)

    def do_previous_pane(self) -> None:
        self._go_to_pane(-1)

    def _go_to_pane(self, step: int) -> None:
        panes: list[QWidget] = [self.search_box, self.results.view, self.preview.browser, self.sidebar.view]
        panes.append(self.sidebar.browse)
        if self.note_pane.has_aside:
            panes.insert(3, self.note_pane.aside.currentWidget())
        panes = [pane for pane in panes if pane.isVisible()]
        place = next((i for i, pane in enumerate(panes) if pane.hasFocus()), -1 if step > 0 else 0)
        panes[(place + step) % len(panes)].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def do_toggle_sidebar(self) -> None:
        self.sidebar.setVisible(not self.sidebar.isVisible())

    def do_toggle_preview(self) -> None:
        self.note_pane.setVisible(not self.note_pane.isVisible())

    def do_toggle_aside(self) -> None:
        self.note_pane.toggle_aside()

    def do_quick_search(self) -> None:
        self.quick_requested.emit()

    def _warn_of_plain_files(self, statuses: tuple[SourceStatus, ...]) -> None:
        """Once, where there is no keychain, until the owner has chosen; the mark in the foot stays in any case."""
        has_chosen = self._ops.settings.protection != "keychain"
        if self._has_warned or has_chosen or not any(is_unprotected(status) for status in statuses):
            return
        self._has_warned = True
        text = tr("There is, or was, no keychain to keep its key in. You choose how it is protected.")
        choose = functools.partial(self.dialogs.settings, "privacy")
        self.say(Message(tr("The index is not encrypted."), text, "info", tr("Choose…"), choose))

    def _apply_settings(self) -> None:
        self.settings = self._ops.settings
        self.search_box.set_pause(self.settings.typing_pause_ms)
        self._theme.choose(self.settings.theme)

    @property
    def _is_graph_shown(self) -> bool:
        return "graph" in self.__dict__ and self.pages.currentWidget() is self.graph

    def do_graph(self) -> None:
        """Show the graph, or go back to the results."""
        if self._is_graph_shown:
            self.show_results_page()
        else:
            self.pages.setCurrentWidget(self.graph)
            self.graph.focus_first()

    def show_in_graph(self, *names: str) -> None:
        """Show one entity of the graph, or the paths between two, by their names or ids."""
        self.pages.setCurrentWidget(self.graph)
        self.graph.show_named(names)

    # --- the window itself -----------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        from PySide6.QtWidgets import QAbstractSpinBox  # Its kinds of steps are not for the first paint.

        focused = QApplication.focusWidget()
        if event.text() == "/" and not isinstance(focused, QLineEdit | QAbstractSpinBox):
            self.querying.focus()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self._ops.turned_to()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.keeps_running():
            self._remember()
            event.ignore()
            self.hide()
        else:
            super().closeEvent(event)
            self.do_quit()

    def _remember(self) -> None:
        if "graph" in self.__dict__:
            self.graph.save()
        self._state.query = self.search_box.text()
        self._state.opened = sorted(self.sidebar.browse.opened)
        self._state.save(self, self._splitters)

    def come_to_front(self) -> None:
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def _popup(self, names: tuple[str, ...], where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in names:
            menu.addAction(self.entries[name])
        menu.popup(where)

    def _update_actions(self) -> None:
        available = {
            Needs.HIT: self.results.current_hit is not None,
            Needs.SOURCE: self.sidebar.current is not None,
            Needs.INDEXING: self._ops.runs.is_running,
        }
        met = frozenset(need for need, is_met in available.items() if is_met)
        if met != self._met:
            self._met = met
            actions.enable(self.entries, met)
