"""Quick search: a small window over whatever the person is doing. Type, choose, open; it goes when it loses the focus.

Built once and kept, so that it is on the screen within a frame or two of the key.
"""

from __future__ import annotations

import functools

from PySide6.QtCore import QEvent, QItemSelectionModel, QObject, Qt, Signal
from PySide6.QtGui import QCursor, QGuiApplication, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from engine.model import Hit, SearchResult
from gui import tr
from gui.item_models import ResultsModel
from gui.panels.results import HitsView
from gui.panels.search_box import SearchBox
from gui.panels.widgets import label
from gui.theme import UNIT, Theme

WIDTH, HEIGHT = 84 * UNIT, 64 * UNIT
MOST_NUMBERED = 9


class QuickSearch(QFrame):
    typed = Signal(str)
    settled = Signal(str)
    open_requested = Signal(object)
    """A ``Hit``, to be opened in its own app."""
    link_requested = Signal(object)
    window_requested = Signal(str)
    """The text, to be searched in the main window."""

    def __init__(self, theme: Theme, pause_ms: int, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint)
        self.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)
        self.setObjectName("quick")
        self.setWindowTitle(tr("Quick search"))
        self.setAccessibleName(tr("Quick search"))
        self._model = ResultsModel(self)
        self.box = SearchBox(theme, pause_ms)
        self.view = HitsView(theme, self._model)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._hint = label(tone="small", wrap=True)
        self._shown_text = ""
        self._opens_first = False
        """Enter came before the answer."""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(UNIT + 4, UNIT + 4, UNIT + 4, UNIT)
        layout.setSpacing(UNIT)
        layout.addWidget(self.box)
        layout.addWidget(self.view, 1)
        layout.addWidget(self._hint)
        self._wire()
        self._show_rows(False)

    def _wire(self) -> None:
        self.box.typed.connect(self._on_typed)
        self.box.settled.connect(self._on_settled)
        self.box.submitted.connect(self._open_current)
        self.box.moved.connect(self.view.keyPressEvent)
        self.box.left.connect(self.hide)
        self.box.installEventFilter(self)
        self.view.clicked.connect(lambda _index: self._open_current())
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, self._go_to_window)
        for number in range(1, MOST_NUMBERED + 1):
            QShortcut(QKeySequence(f"Ctrl+{number}"), self, functools.partial(self._open_row, number - 1))

    def appear(self, text: str = "") -> None:
        """Come up on the screen where the pointer is; with ``text``, search for it."""
        screen = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
        room = screen.availableGeometry()
        self.resize(min(WIDTH, room.width()), self.height())
        self.move(room.center().x() - self.width() // 2, room.top() + room.height() // 6)
        self.show()
        self.raise_()
        self.activateWindow()
        self.box.setFocus(Qt.FocusReason.ActiveWindowFocusReason)
        if text:
            self.box.set_query(text)
        self.box.selectAll()

    def toggle(self) -> None:
        if self.isVisible() and self.isActiveWindow():
            self.hide()
        else:
            self.appear()

    def show_result(self, text: str, result: SearchResult) -> None:
        if text != self.box.text():
            return
        self._shown_text = text
        self._model.show(result.rows)
        self._show_rows(True)
        if not result.rows:
            self._hint.setText(tr("Nothing found"))
        else:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.view.selectionModel().setCurrentIndex(self._model.index(0, 0), flags)
            self.view.scrollToTop()
        if self._opens_first:
            self._open_current()

    @property
    def current_hit(self) -> Hit | None:
        return self._model.hit(self.view.currentIndex())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ctrl+C copies the link of the row, unless text is selected in the box."""
        is_key = event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
        if is_key and isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy):
            hit = self.current_hit
            if hit is not None and not self.box.hasSelectedText():
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    self.link_requested.emit(hit)
                    self._hint.setText(tr("The link was copied."))
                return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.hide()

    def _on_typed(self, text: str) -> None:
        self._opens_first = False
        if text.strip():
            self.typed.emit(text)
        else:
            self._shown_text = ""
            self._model.show(())
            self._show_rows(False)

    def _on_settled(self, text: str) -> None:
        if text.strip():
            self.settled.emit(text)

    def _open_current(self) -> None:
        if self._shown_text != self.box.text():
            self._opens_first = bool(self.box.text().strip())
            return
        self._opens_first = False
        self._open(self.current_hit)

    def _open_row(self, row: int) -> None:
        self._open(self._model.hit(self._model.index(row, 0)))

    def _open(self, hit: Hit | None) -> None:
        if hit is not None:
            self.hide()
            self.open_requested.emit(hit)

    def _go_to_window(self) -> None:
        self.hide()
        self.window_requested.emit(self.box.text())

    def _show_rows(self, has_rows: bool) -> None:
        self.view.setVisible(has_rows)
        self._hint.setText(
            tr("Enter opens it in its own app, Ctrl+Enter searches in the window, Ctrl+1 to 9 opens a row, Esc leaves")
        )
        self.setFixedHeight(HEIGHT if has_rows else self.minimumSizeHint().height())
