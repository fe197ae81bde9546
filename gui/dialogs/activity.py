"""The activity list: what runs, with its progress, and what ran, how it ended and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QDateTime, QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.model import IndexReport, Outcome, Problem, Severity, SourceId
from gui import tr
from gui.dialogs.tables import as_list
from gui.feed import Feed, Work
from gui.messages import Ended, progress_text
from gui.theme import UNIT

MAX_PROBLEMS = 5_000
EMPTY_HINT = "Nothing has run yet."

COUNTS = (
    ("added", "{n} new"),
    ("changed", "{n} changed"),
    ("moved", "{n} moved"),
    ("removed", "{n} removed"),
    ("unchanged", "{n} unchanged"),
    ("skipped", "{n} skipped"),
    ("failed", "{n} failed"),
)
"""What a report counts, in the order in which it is said."""

ReadProblems = Callable[[SourceId, Callable[[list[Problem]], None]], None]
"""Hands what a source's last run reported over later."""


def outcome_text(report: IndexReport | None, error: str, text: str = "") -> str:
    """How a run ended, in one line."""
    if error:
        return tr("failed: {why}").format(why=error)
    if text:
        return text
    if report is None or report.outcome is Outcome.CANCELLED:
        return tr("cancelled; what was done is kept")
    if report.outcome is Outcome.OFFLINE:
        return tr("offline; the index is kept as it was")
    if report.outcome is Outcome.BRAKED:
        return tr("stopped before removing much; nothing was removed")
    if report.outcome is Outcome.WINDOW_CLOSED:
        return tr("left alone: its window is not open")
    parts = [tr(one).format(n=n) for name, one in COUNTS if (n := getattr(report, name))]
    return ", ".join(parts) or tr("nothing to do")


def details_text(ended: Ended) -> str:
    """What to know and do about a run, beneath the list."""
    if ended.error or ended.report is None:
        return ended.error or ended.text
    return ended.report.detail


class _Running(QFrame):
    """One thing that runs now."""

    pause_requested = Signal(int)
    cancel_requested = Signal(int)

    def __init__(self, key: int) -> None:
        super().__init__()
        self.setObjectName("card")
        self._title, self._text = QLabel(), QLabel()
        self._text.setProperty("tone", "small")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self.pause = QPushButton()
        self.cancel = QPushButton(tr("Cancel"))
        self.pause.clicked.connect(lambda: self.pause_requested.emit(key))
        self.cancel.clicked.connect(lambda: self.cancel_requested.emit(key))
        words = QVBoxLayout()
        words.setSpacing(UNIT // 2)
        for piece in (self._title, self._bar, self._text):
            words.addWidget(piece)
        layout = QHBoxLayout(self)
        layout.addLayout(words, 1)
        for button in (self.pause, self.cancel):
            button.setAutoDefault(False)
            layout.addWidget(button)

    def show_work(self, work: Work) -> None:
        progress = work.progress
        text = progress_text(progress, work.note)
        if work.note and not progress.is_paused:
            text = f"{text} · {work.note}"
        self._title.setText(work.title)
        self._text.setText(text)
        self._text.setToolTip(progress.detail)
        self._bar.setRange(0, progress.total)
        self._bar.setValue(min(progress.done, progress.total))
        self._bar.setAccessibleName(tr("Progress of {name}").format(name=work.title))
        self._bar.setAccessibleDescription(text)
        self.pause.setText(tr("Go on") if progress.is_paused else tr("Pause"))
        for button, is_shown in ((self.pause, work.can_pause), (self.cancel, work.can_cancel)):
            button.setVisible(is_shown)
            button.setAccessibleName(f"{button.text()}: {work.title}")


class ActivityDialog(QDialog):
    """What runs on top, then what ran, newest first; below, the notes that the chosen run left out."""

    def __init__(self, feed: Feed, read_problems: ReadProblems, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Activity"))
        self.resize(110 * UNIT, 72 * UNIT)
        self._feed, self._read_problems = feed, read_problems
        self._rows: dict[int, _Running] = {}
        self._past = _table(tr("Runs"), (tr("When"), tr("What"), tr("Outcome"), tr("Took")), wide=2)
        self._details = QLabel()
        self._details.setWordWrap(True)
        self._details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._problems = _table(tr("Notes left out or odd"), (tr("State"), tr("Note"), tr("Reason")), wide=2)
        self._hint = QLabel(tr(EMPTY_HINT))
        self._hint.setProperty("tone", "muted")
        self._lay_out()
        self._past.currentCellChanged.connect(lambda row, *_: self._show_details(row))
        feed.moved.connect(self._show_works)
        feed.ended.connect(lambda _ended: self.show_past())
        self._show_works(feed.works)
        self.show_past()

    def _lay_out(self) -> None:
        self._running = QVBoxLayout()
        self._below = QWidget()
        column = QVBoxLayout(self._below)
        column.setContentsMargins(0, UNIT, 0, 0)
        column.addWidget(self._details)
        column.addWidget(self._problems, 1)
        column.addStretch()
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._past)
        splitter.addWidget(self._below)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, 2 * UNIT)
        layout.setSpacing(UNIT)
        layout.addLayout(self._running)
        layout.addWidget(self._hint)
        layout.addWidget(splitter, 1)

    @property
    def texts(self) -> list[str]:
        """Each ended run as one line, newest first."""
        return [f"{one.name}: {outcome_text(one.report, one.error, one.text)}" for one in self._feed.past]

    @property
    def running(self) -> list[_Running]:
        return list(self._rows.values())

    def show_past(self) -> None:
        past = self._feed.past
        self._hint.setVisible(not past)
        self._past.setRowCount(len(past))
        for row, one in enumerate(past):
            when = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(one.at)), QLocale.FormatType.ShortFormat)
            took = tr("{n} s").format(n=f"{one.report.seconds:.1f}") if one.report else ""
            _fill(self._past, row, (when, one.name, outcome_text(one.report, one.error, one.text), took))
        self._past.setCurrentCell(0 if past else -1, 0)
        self._show_details(self._past.currentRow())

    def _show_works(self, works: tuple[Work, ...]) -> None:
        for key in [key for key in self._rows if key not in {work.key for work in works}]:
            self._rows.pop(key).deleteLater()
        for work in works:
            row = self._rows.get(work.key)
            if row is None:
                row = self._rows[work.key] = _Running(work.key)
                row.pause_requested.connect(self._feed.pause)
                row.cancel_requested.connect(self._feed.cancel)
                self._running.addWidget(row)
            row.show_work(work)

    def _show_details(self, row: int) -> None:
        ended = self._feed.past[row] if 0 <= row < len(self._feed.past) else None
        text = details_text(ended) if ended else ""
        self._details.setText(text)
        self._details.setVisible(bool(text))
        self._show_problems(())
        if ended is None or ended.source is None:
            return
        if ended.report is not None and ended.report.problems:
            self._show_problems(ended.report.problems)
        elif ended is next((one for one in self._feed.past if one.source == ended.source), None):
            # What an earlier start reported is no longer in the record of the run, but with the notes.
            self._read_problems(ended.source, self._show_problems)

    def _show_problems(self, problems: Sequence[Problem]) -> None:
        shown = sorted(problems, key=lambda p: (p.severity is Severity.WARNING, p.note))[:MAX_PROBLEMS]
        self._problems.setRowCount(len(shown))
        self._problems.setVisible(bool(shown))
        self._below.setVisible(bool(shown or self._details.text()))
        for row, problem in enumerate(shown):
            where = f"{problem.note}:{problem.line}" if problem.line else problem.note
            _fill(self._problems, row, (severity_text(problem.severity), where, problem.reason))


def severity_text(severity: Severity) -> str:
    return {
        Severity.WARNING: tr("indexed, but odd"),
        Severity.SKIPPED: tr("skipped"),
        Severity.FAILED: tr("failed"),
    }[severity]


def _table(name: str, headers: Sequence[str], wide: int) -> QTableWidget:
    table = QTableWidget()
    header = as_list(table, name, headers)
    for column in range(len(headers)):
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
    header.setSectionResizeMode(wide, QHeaderView.ResizeMode.Stretch)
    for column in range(len(headers)):
        if column != wide:
            table.setColumnWidth(column, 20 * UNIT)
    return table


def _fill(table: QTableWidget, row: int, texts: Sequence[str]) -> None:
    for column, text in enumerate(texts):
        item = QTableWidgetItem(text)
        item.setToolTip(text)
        table.setItem(row, column, item)
