"""Quick search: a small window over whatever the person is doing. Type, choose, open; it goes when it loses the focus.

Built once and kept, so that it is on the screen within a frame or two of the key.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QGuiApplication, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from engine.model import Hit, SearchResult
from gui import tr
from gui.item_models import ResultsModel
from gui.panels.preview import PreviewPanel
from gui.panels.results import HitsView
from gui.panels.search_box import SearchBox
from gui.panels.widgets import label
from gui.theme import UNIT, Theme

if TYPE_CHECKING:  # Loaded with the first note.
    from gui.panels.note_html import RenderedNote

WIDTH, HEIGHT = 84 * UNIT, 64 * UNIT
PREVIEW_WIDTH = 60 * UNIT
PREVIEW_PAUSE_MS = 60
MOST_NUMBERED = 9


class QuickSearch(QFrame):
    typed = Signal(str)
    settled = Signal(str)
    open_requested = Signal(object)
    """A ``Hit``, to be opened in its own app."""
    link_requested = Signal(object)
    window_requested = Signal(str)
    """The text, to be searched in the main window."""
    preview_wanted = Signal(object)
    """A ``Hit`` whose note is to be shown beside the rows."""

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
        self._theme = theme
        self._shows_preview = False
        self._preview_pause = QTimer(self, singleShot=True, interval=PREVIEW_PAUSE_MS)
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(UNIT + 4, UNIT + 4, UNIT + 4, UNIT)
        layout.setSpacing(UNIT)
        layout.addWidget(self.box)
        self._panes = QHBoxLayout()
        self._panes.setSpacing(UNIT)
        self._panes.addWidget(self.view, 1)
        layout.addLayout(self._panes, 1)
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
        self._preview_pause.timeout.connect(self._ask_preview)
        self.view.selectionModel().currentChanged.connect(lambda *_: self._preview_pause.start())
        QShortcut(QKeySequence("Ctrl+Space"), self, self.toggle_preview)
        self.view.clicked.connect(lambda _index: self._open_current())
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, self._go_to_window)
        for number in range(1, MOST_NUMBERED + 1):
            QShortcut(QKeySequence(f"Ctrl+{number}"), self, functools.partial(self._open_row, number - 1))

    @functools.cached_property
    def preview(self) -> PreviewPanel:
        """Built when it is first asked for."""
        preview = PreviewPanel(self._theme)
        preview.browser.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        preview.setFixedWidth(PREVIEW_WIDTH)
        preview.open_requested.connect(self._open_current)
        preview.left.connect(self.box.setFocus)
        self._panes.addWidget(preview)
        return preview

    def toggle_preview(self) -> None:
        """Show or hide the note of the row beside the rows; the middle of the window stays where it is."""
        self._shows_preview = not self._shows_preview
        self._fit()
        self._centre()
        self._ask_preview()

    def show_note(self, note: RenderedNote, hit: Hit | None) -> None:
        """The answer to ``preview_wanted``."""
        if self._shows_preview and hit == self.current_hit:
            self.preview.show_note(note, hit)

    def _ask_preview(self) -> None:
        if self._shows_preview and self.isVisible() and (hit := self.current_hit) is not None:
            self.preview_wanted.emit(hit)

    def _fit(self) -> None:
        """The size for the panes that are shown."""
        is_wide = self._shows_preview and not self.view.isHidden()
        if "preview" in self.__dict__ or is_wide:
            self.preview.setVisible(is_wide)
        room = _room()
        width = min(WIDTH + (PREVIEW_WIDTH if is_wide else 0), room.width())
        height = HEIGHT if not self.view.isHidden() else self._layout.totalHeightForWidth(width)
        self.setFixedHeight(min(height, room.height()))
        self.resize(width, self.height())

    def _centre(self) -> None:
        room = _room()
        self.move(room.center().x() - self.width() // 2, room.top() + room.height() // 6)

    def appear(self, text: str = "") -> None:
        """Come up on the screen where the pointer is; with ``text``, search for it."""
        self._fit()
        self._centre()
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
        # The fuller answer to the same text must not take the person away from the row they have gone to; who has gone
        # nowhere waits for the best.
        before = self.current_hit if text == self._shown_text and self.view.is_chosen else None
        self.view.is_chosen = before is not None
        self._shown_text = text
        self._model.show(result.rows)
        self._show_rows(True)
        if not result.rows:
            self._hint.setText(tr("Nothing found"))
        else:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
            place = self._model.find(before.passage_id, before.source) if before else QModelIndex()
            self.view.selectionModel().setCurrentIndex(place if place.isValid() else self._model.index(0, 0), flags)
            self.view.scrollTo(self.view.currentIndex())
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
            tr(
                "Enter opens it in its own app · Ctrl+Enter searches in the window · Ctrl+1 to 9 opens a row · "
                "Ctrl+C copies the link · Ctrl+Space shows the note · Esc clears, then leaves"
            )
        )
        self._fit()


def _room() -> QRect:
    """Of the screen where the pointer is."""
    screen = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
    return screen.availableGeometry()
