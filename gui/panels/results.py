"""The ranked results: one row per note, its further passages beneath, and the states when there is nothing to show."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from PySide6 import QtCore
from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QMenu,
    QStackedWidget,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from engine.model import LegState, Mode
from gui import plural, tr
from gui.delegates import Index, ResultDelegate
from gui.item_models import Grouping, ResultsModel, Role, leg_name
from gui.panels.widgets import ElidedLabel, label
from gui.theme import UNIT, Theme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.model import Hit, SearchResult

MODES = ((Mode.BOTH, "Words and meaning"), (Mode.WORD, "Words only"), (Mode.MEANING, "Meaning only"))
ORDERS = (
    ("", "Best first"),
    ("modified", "Last changed first"),
    ("-modified", "Longest unchanged first"),
    ("created", "Newest first"),
    ("-created", "Oldest first"),
    ("title", "By title, A to Z"),
    ("-title", "By title, Z to A"),
)
"""Values of ``sort:``, as they are offered."""
ROWS_AT_FIRST, ROWS_IN_VIEW, REST_MS = 3, 8, 150
"""Notes shown at once, those that follow as soon as they are measured, and how long no other result has come before all
the others are: a key must not wait for them."""
GROUPINGS = (
    (Grouping.NONE, "No groups"),
    (Grouping.SOURCE, "Group by source"),
    (Grouping.FOLDER, "Group by folder"),
    (Grouping.DATE, "Group by date"),
)


class HitsView(QTreeView):
    menu_requested = Signal(QPoint)
    left = Signal()
    """Esc."""
    drag_begun = Signal()

    def __init__(self, theme: Theme, model: ResultsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_new = True
        """Some of what is shown has never been painted."""
        self.is_chosen = False
        """Whether the person has gone to the current row, which is the first by itself. For others to take back."""
        self.setObjectName("hits")
        self.setAccessibleName(tr("Results"))
        self.setModel(model)
        self._delegate = ResultDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setExpandsOnDoubleClick(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setAcceptDrops(False)
        theme.changed.connect(self._repaint)

    def _repaint(self) -> None:
        # Not connected itself: to ask for it, before anything is shown, makes Python know every kind of widget (50 ms).
        self.viewport().update()

    def reset(self) -> None:
        self._is_new = True
        super().reset()

    def rowsInserted(self, parent: Index, start: int, end: int) -> None:
        self._is_new = True
        super().rowsInserted(parent, start, end)

    def paintEvent(self, event: QPaintEvent) -> None:
        """New rows in turns; all at once when that is over, for whoever wants a picture of the whole."""
        if self._is_new:
            self._delegate.begin_turn()
        super().paintEvent(event)
        left = self._delegate.end_turn()
        self._is_new = bool(left)
        if left:
            QTimer.singleShot(0, self.viewport(), functools.partial(self.viewport().update, left))

    def measure(self, hits: Iterable[Hit]) -> bool:
        """See ``ResultDelegate.measure``."""
        return self._delegate.measure(hits, self.viewport().width(), self.layoutDirection())

    def startDrag(self, _actions: Qt.DropAction) -> None:
        """What is dragged are links and files, which the library knows."""
        self.drag_begun.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.is_chosen = True
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        self.is_chosen = self.is_chosen or key != Qt.Key.Key_Escape
        if key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.activated.emit(self.currentIndex())
        elif event.text().isprintable() and event.text().strip():
            event.ignore()  # Letters are no search among the rows; the window knows what "/" means.
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab walks through the passages of the note, and only then to the next pane."""
        target = self._next_passage() if forward else self._previous_passage()
        if target is None:
            return super().focusNextPrevChild(forward)
        self.is_chosen = True
        self.setCurrentIndex(target)
        return True

    def _next_passage(self) -> QModelIndex | None:
        current = self.currentIndex()
        if not current.isValid():
            return None
        note = current.parent() if current.parent().isValid() else current
        following = current.row() + 1 if current.parent().isValid() else 0
        if following >= self.model().rowCount(note):
            return None
        self.expand(note)
        return self.model().index(following, 0, note)

    def _previous_passage(self) -> QModelIndex | None:
        current = self.currentIndex()
        note = current.parent()
        if not note.isValid():
            return None
        return self.model().index(current.row() - 1, 0, note) if current.row() else note

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        where = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard and self.currentIndex().isValid():
            where = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).center())
        self.menu_requested.emit(where)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            # Heights depend on how the snippets wrap.
            self.scheduleDelayedItemsLayout()


class ResultsPanel(QFrame):
    hit_selected = Signal(object)
    """The ``Hit`` under the cursor, or None."""
    hit_activated = Signal(object)
    mode_chosen = Signal(object)
    order_chosen = Signal(str)
    """A value for ``sort:``; empty means the best first."""
    grouping_chosen = Signal(object)
    menu_requested = Signal(QPoint)
    drag_begun = Signal()
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("results")
        self._model = ResultsModel(self)
        self.view = HitsView(theme, self._model, self)
        self._summary = ElidedLabel("small")
        self._summary.setAccessibleName(tr("Summary of the results"))
        self._result: SearchResult | None = None
        self._is_provisional = False
        self._mode, self._order, self._grouping = Mode.BOTH, "", Grouping.NONE
        self._mode_button = _menu_button(self._mode_menu())
        self._order_button = _menu_button(self._order_menu())
        self.choose_mode(Mode.BOTH)
        self._show_order()
        self._title = label(tone="title", wrap=True)
        self._hint = label(tone="muted", wrap=True)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._empty_page())
        self._lay_out()
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self._show_more)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self.view.activated.connect(self._on_activated)
        self.view.doubleClicked.connect(self._on_activated)
        self.view.clicked.connect(self._on_clicked)
        self.view.menu_requested.connect(self.menu_requested)
        self.view.drag_begun.connect(self.drag_begun)
        self.view.left.connect(self.left)
        self.show_idle()

    @property
    def mode(self) -> Mode:
        return self._mode

    def choose_mode(self, mode: Mode) -> None:
        text = tr(dict(MODES)[mode])
        self._mode_button.setText(f"{text}  ▾")
        self._mode_button.setAccessibleName(tr("Search by: {mode}").format(mode=text))
        if mode is not self._mode:
            self._mode = mode
            self.mode_chosen.emit(mode)

    def _mode_menu(self) -> QMenu:
        menu = QMenu(self)
        for mode, text in MODES:
            menu.addAction(tr(text), functools.partial(self.choose_mode, mode))
        return menu

    def show_order(self, order: str) -> None:
        """Tell which ``sort:`` the query holds."""
        if order != self._order:
            self._order = order
            self._show_order()

    @property
    def grouping(self) -> Grouping:
        return self._grouping

    def group_by(self, grouping: Grouping) -> None:
        if grouping is self._grouping:
            return
        self._grouping = grouping
        self._show_order()
        self.grouping_chosen.emit(grouping)
        result = self._result
        if result is not None and result.rows:
            self._result = None  # The same rows, in another order.
            self.show_result(result, keep_place=True)

    def _show_order(self) -> None:
        texts = [tr(dict(ORDERS).get(self._order, "Best first"))]
        if self._grouping is not Grouping.NONE:
            texts.append(tr(dict(GROUPINGS)[self._grouping]))
        self._order_button.setText("  ·  ".join(texts) + "  ▾")
        self._order_button.setAccessibleName(tr("Order and groups: {order}").format(order=", ".join(texts)))
        for action in self._order_button.menu().actions():
            if not action.isSeparator():
                action.setChecked(action.data() in (self._order, self._grouping))

    def _order_menu(self) -> QMenu:
        menu = QMenu(self)
        for order, text in ORDERS:
            action = menu.addAction(tr(text), functools.partial(self.order_chosen.emit, order))
            action.setData(order)
        menu.addSeparator()
        for grouping, text in GROUPINGS:
            action = menu.addAction(tr(text), functools.partial(self.group_by, grouping))
            action.setData(grouping)
        for action in menu.actions():
            action.setCheckable(not action.isSeparator())
        return menu

    @property
    def current_hit(self) -> Hit | None:
        return self._model.hit(self.view.currentIndex()) if self._stack.currentIndex() == 0 else None

    @property
    def selected_hits(self) -> list[Hit]:
        """All selected rows, in the order shown; the current one when none is selected."""
        indexes = sorted(self.view.selectedIndexes(), key=lambda i: self.view.visualRect(i).top())
        hits = [hit for hit in map(self._model.hit, indexes) if hit is not None]
        return hits or [hit for hit in (self.current_hit,) if hit is not None]

    def show_result(self, result: SearchResult, *, keep_place: bool, is_provisional: bool = False) -> None:
        """Show ``result``; with ``keep_place`` the same passage stays selected where it is still found.

        ``is_provisional``: the words' answer, which comes while one types. When the whole one follows it, the best row
        of that is selected, unless the person has gone to another.
        """
        is_same = self._result is not None and result.rows == self._result.rows
        stays = keep_place and (self.view.is_chosen or not self._is_provisional)
        self._result, self._is_provisional = result, is_provisional
        if keep_place and result.rows and is_same:
            self._summary.setText(summary(result))
            return
        before = self.current_hit if stays else None
        self.view.is_chosen = stays and self.view.is_chosen
        opened = (
            {self._key(row) for row in range(self._model.rowCount()) if self._is_open(row)} if keep_place else set()
        )
        scroll = self.view.verticalScrollBar().value()
        at_first = ROWS_IN_VIEW if keep_place else ROWS_AT_FIRST  # What stands there already is measured already.
        self._model.show(result.rows, self._grouping, at_first=None if scroll or opened else at_first)
        self._rest.start(0)
        for row in range(self._model.rowCount()):
            if self._key(row) in opened:
                self.view.expand(self._model.index(row, 0))
        if not self._model.rowCount():
            self._show_nothing(result)
            return
        self._stack.setCurrentIndex(0)
        self._summary.setText(summary(result))
        place = self._model.find(before.passage_id, before.source) if before else QModelIndex()
        flags = QtCore.QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.view.selectionModel().setCurrentIndex(place if place.isValid() else self._model.index(0, 0), flags)
        if place.isValid():
            self.view.verticalScrollBar().setValue(scroll)
        else:
            self.view.scrollToTop()

    def _show_more(self) -> None:
        """Measure the next rows, turn by turn, and show them all at once: each time paints the whole list."""
        shown = self._model.rowCount()
        upto = ROWS_IN_VIEW if shown < ROWS_IN_VIEW else len(self._model.rows)
        if not self.view.measure(row.hits[0] for row in self._model.rows[shown:upto]):
            self._rest.start(0)
        elif self._model.show_more(upto - shown):
            self._rest.start(REST_MS)

    def show_idle(self) -> None:
        self._result = None
        self._model.show(())
        self._summary.setText("")
        self._say(
            tr("What are you looking for?"),
            tr("Type a few words, or describe it in your own: notes are found by what they mean, too."),
        )

    def show_loading(self) -> None:
        self._say(tr("Opening your notes…"), tr("The index is being read. You can type already."))

    def move_cursor(self, event: QKeyEvent) -> None:
        """Carry out a cursor key that was pressed in the search box."""
        if self._stack.currentIndex() == 0:
            self.view.keyPressEvent(event)

    def _show_nothing(self, result: SearchResult) -> None:
        self._summary.setText("")
        hint = tr("Try fewer or other words, or describe what the note says.")
        if result.hidden and result.hidden.passages:
            hint = plural(
                result.hidden.passages,
                "{n} passage was kept out by the filters in your search.",
                "{n} passages were kept out by the filters in your search.",
            )
        self._say(tr("Nothing found"), "\n".join([*result.notices, hint]))

    def _say(self, title: str, hint: str) -> None:
        self._title.setText(title)
        self._hint.setText(hint)
        self._stack.setCurrentIndex(1)
        self.hit_selected.emit(None)

    def _key(self, row: int) -> tuple[str, str]:
        note = self._model.rows[row]
        return note.source, note.note

    def _is_open(self, row: int) -> bool:
        return self.view.isExpanded(self._model.index(row, 0))

    def _on_current(self, current: QModelIndex) -> None:
        self.hit_selected.emit(self._model.hit(current))

    def _on_activated(self, index: QModelIndex) -> None:
        hit = self._model.hit(index)
        if hit is not None:
            self.hit_activated.emit(hit)

    def _on_clicked(self, index: QModelIndex) -> None:
        """A click on the selected note's foot shows or hides its further passages."""
        rect = self.view.visualRect(index)
        where = self.view.viewport().mapFromGlobal(self.cursor().pos())
        if index.data(Role.MORE) and where.y() > rect.bottom() - 4 * UNIT:
            self.view.setExpanded(index, not self.view.isExpanded(index))

    def _empty_page(self) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(4 * UNIT, 4 * UNIT, 4 * UNIT, 4 * UNIT)
        layout.setSpacing(UNIT)
        layout.addStretch(2)
        for piece in (self._title, self._hint):
            piece.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            layout.addWidget(piece)
        layout.addStretch(3)
        return page

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(2 * UNIT, UNIT // 2, UNIT, UNIT // 2)
        head.addWidget(self._summary, 1)
        head.addWidget(self._order_button)
        head.addWidget(self._mode_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._stack, 1)


def _menu_button(menu: QMenu) -> QToolButton:
    result = QToolButton()
    result.setObjectName("mode")
    result.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    result.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    result.setMenu(menu)
    return result


def summary(result: SearchResult) -> str:
    """What was found, how the legs fared, and what was searched instead of what was typed."""
    parts = [
        plural(len(result.rows), "{n} note", "{n} notes"),
        tr("{n} ms").format(n=max(1, round(result.seconds * 1000))),
    ]
    parts += [
        tr("“{typed}” searched as “{instead}”").format(typed=typed, instead=instead)
        for typed, instead in result.corrected
    ]
    parts += [
        tr("without {leg}: {why}").format(leg=leg_name(leg.name), why=leg.why)
        for leg in result.legs
        if leg.state is LegState.FAILED
    ]
    if result.nothing_relevant:
        parts.append(tr("nothing close"))
    return " · ".join(parts)
