"""The foot of the window: the run in progress with rate and time left, or how old the index is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QToolButton, QWidget

from engine.job import Progress
from gui import plural, tr
from gui.messages import duration_text, progress_text
from gui.panels.widgets import icon_button, label, set_icon
from gui.theme import UNIT, Theme

if TYPE_CHECKING:
    from engine.model import SourceStatus


class StatusBar(QFrame):
    pause_requested = Signal()
    cancel_requested = Signal()
    index_requested = Signal()
    """All that have changed since they were indexed."""
    protection_requested = Signal()
    """How index files are protected is to be seen, or chosen."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._theme = theme
        self._waiting = ""
        self._text = label(tone="small")
        self._text.setAccessibleName(tr("Indexing"))
        self._text.setMinimumWidth(1)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(20 * UNIT)
        self._bar.setAccessibleName(tr("Progress of indexing"))
        self._pause = icon_button(theme, "pause", tr("Pause indexing"))
        self._cancel = icon_button(theme, "close", tr("Cancel indexing"))
        self._age = label(tone="small")
        self._behind = QToolButton()
        self._behind.setObjectName("mode")
        self._behind.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._behind.clicked.connect(self.index_requested)
        self._plain = QToolButton()
        self._plain.setObjectName("mode")
        self._plain.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._plain.setText(tr("Not encrypted"))
        self._plain.setAccessibleName(tr("Not encrypted"))
        self._plain.setToolTip(tr("Whoever can read your files can read the text of your notes in the index."))
        self._plain.clicked.connect(self.protection_requested)
        self._pause.clicked.connect(self.pause_requested)
        self._cancel.clicked.connect(self.cancel_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * UNIT, 2, 2 * UNIT, 2)
        layout.setSpacing(UNIT)
        layout.addWidget(self._bar)
        layout.addWidget(self._pause)
        layout.addWidget(self._cancel)
        layout.addWidget(self._text, 1)
        layout.addStretch()
        layout.addWidget(self._age)
        layout.addWidget(self._behind)
        layout.addWidget(self._plain)
        self._plain.hide()
        self.setFixedHeight(4 * UNIT + 2)
        self.show_idle()

    def show_run(self, name: str, progress: Progress, waiting: int, held: str = "") -> None:
        """``held``: why the run rests, when nobody paused it."""
        for piece in (self._bar, self._pause, self._cancel):
            piece.show()
        self._bar.setRange(0, progress.total)
        self._bar.setValue(min(progress.done, progress.total))
        action = tr("Go on indexing") if progress.is_paused else tr("Pause indexing")
        set_icon(self._pause, self._theme, "play" if progress.is_paused else "pause")
        self._pause.setAccessibleName(action)
        self._pause.setToolTip(action)
        self._text.setText(run_text(name, progress, waiting, held))
        self._text.setToolTip(progress.detail)

    def show_idle(self) -> None:
        for piece in (self._bar, self._pause, self._cancel):
            piece.hide()
        self._text.setText(self._waiting)

    def show_waiting(self, why: str) -> None:
        """Why sources that changed are not indexed now; empty when none waits."""
        self._waiting = tr("Changed notes: {why}").format(why=why) if why else ""
        if self._bar.isHidden():
            self._text.setText(self._waiting)

    def show_sources(self, statuses: tuple[SourceStatus, ...]) -> None:
        self._age.setText(age_text(statuses, time.time()))
        behind = sum(status.behind_by for status in statuses)
        text = plural(behind, "Behind by {n} note: index now", "Behind by {n} notes: index now")
        self._behind.setText(text)
        self._behind.setAccessibleName(text)
        self._behind.setVisible(behind > 0)
        self._plain.setVisible(any(is_unprotected(status) for status in statuses))


def is_unprotected(status: SourceStatus) -> bool:
    """Whether text of notes stands in a file that is not encrypted."""
    return status.passages > 0 and not status.encrypted


def run_text(name: str, progress: Progress, waiting: int, held: str = "") -> str:
    """``Demo vault: embedding 120 / 600 · 45 a second · 11 s left · 2 more waiting``."""
    parts = [f"{name}: {progress_text(progress, held)}"]
    if waiting:
        parts.append(plural(waiting, "{n} more source waits", "{n} more sources wait"))
    return " · ".join(parts)


def age_text(statuses: tuple[SourceStatus, ...], now: float) -> str:
    """Totals, and the age of the oldest index."""
    if not statuses:
        return ""
    notes = sum(status.notes for status in statuses)
    passages = sum(status.passages for status in statuses)
    missing = passages - sum(status.vectors for status in statuses)
    parts = [plural(notes, "{n} note", "{n} notes"), plural(passages, "{n} passage", "{n} passages")]
    if missing > 0:
        parts.append(plural(missing, "{n} found by words only so far", "{n} found by words only so far"))
    times = [status.indexed_at for status in statuses if status.indexed_at]
    if times:
        age = now - min(times)
        parts.append(tr("indexed just now") if age < 60 else tr("indexed {time} ago").format(time=_age(age)))
    return " · ".join(parts)


def _age(seconds: float) -> str:
    if seconds < 86_400:
        return duration_text(seconds)
    return plural(int(seconds // 86_400), "{n} day", "{n} days")
