"""What ran, how it ended, and which notes were left out and why."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLabel,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.model import IndexReport, Outcome, Problem, Severity
from gui import plural, tr
from gui.messages import Ended
from gui.theme import UNIT

MAX_PROBLEMS = 5_000
EMPTY_HINT = "Nothing has run since Lamplight was started."


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


def outcome_text(report: IndexReport | None, error: str) -> str:
    """How a run ended, in one line."""
    if error:
        return tr("failed: {why}").format(why=error)
    if report is None or report.outcome is Outcome.CANCELLED:
        return tr("cancelled; what was done is kept")
    if report.outcome is Outcome.OFFLINE:
        return tr("offline; the index is kept as it was")
    if report.outcome is Outcome.BRAKED:
        return tr("stopped before removing much; nothing was removed")
    parts = [tr(text).format(n=n) for name, text in COUNTS if (n := getattr(report, name))]
    return ", ".join(parts) or tr("nothing to do")


class ActivityDialog(QDialog):
    """Newest run first; below, the notes that the chosen run reported."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Activity"))
        self.resize(110 * UNIT, 64 * UNIT)
        self._ended: list[Ended] = []
        self._runs = _table(tr("Runs"), (tr("When"), tr("Source"), tr("Outcome"), tr("Took")), wide=2)
        self._problems = _table(tr("Notes left out or odd"), _problem_headers(), wide=2)
        self._hint = QLabel(tr(EMPTY_HINT))
        self._hint.setProperty("tone", "muted")
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.addWidget(self._runs)
        splitter.addWidget(self._problems)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(UNIT, UNIT, UNIT, UNIT)
        layout.addWidget(self._hint)
        layout.addWidget(splitter, 1)
        self._runs.currentCellChanged.connect(lambda row, *_: self._show_problems(row))

    def add(self, ended: Ended) -> None:
        self._hint.hide()
        self._ended.insert(0, ended)
        self._runs.insertRow(0)
        when = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(ended.at)), QLocale.FormatType.ShortFormat)
        took = tr("{n} s").format(n=f"{ended.report.seconds:.1f}") if ended.report else ""
        _fill(self._runs, 0, (when, ended.name, outcome_text(ended.report, ended.error), took))
        self._runs.setCurrentCell(0, 0)
        self._show_problems(0)

    @property
    def texts(self) -> list[str]:
        """Each run as one line, newest first."""
        return [f"{ended.name}: {outcome_text(ended.report, ended.error)}" for ended in self._ended]

    def _show_problems(self, row: int) -> None:
        if 0 <= row < len(self._ended):
            report = self._ended[row].report
            show_problems(self._problems, report.problems if report else ())


def problems_dialog(name: str, problems: Sequence[Problem], parent: QWidget) -> QDialog:
    dialog = QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(tr("Notes left out or odd in {name}").format(name=name))
    dialog.resize(100 * UNIT, 56 * UNIT)
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(UNIT, UNIT, UNIT, UNIT)
    text = plural(len(problems), "{n} line in the report", "{n} lines in the report")
    summary = QLabel(text if problems else tr("Every note was read without anything to report."))
    summary.setProperty("tone", "muted")
    layout.addWidget(summary)
    table = _table(tr("Notes left out or odd"), _problem_headers(), wide=2)
    show_problems(table, problems)
    layout.addWidget(table, 1)
    return dialog


def severity_text(severity: Severity) -> str:
    return {
        Severity.WARNING: tr("indexed, but odd"),
        Severity.SKIPPED: tr("skipped"),
        Severity.FAILED: tr("failed"),
    }[severity]


def show_problems(table: QTableWidget, problems: Sequence[Problem]) -> None:
    shown = sorted(problems, key=lambda p: (p.severity is Severity.WARNING, p.note))[:MAX_PROBLEMS]
    table.setRowCount(len(shown))
    for row, problem in enumerate(shown):
        where = f"{problem.note}:{problem.line}" if problem.line else problem.note
        _fill(table, row, (severity_text(problem.severity), where, problem.reason))


def _problem_headers() -> tuple[str, ...]:
    return tr("State"), tr("Note"), tr("Reason")


def _table(name: str, headers: Sequence[str], wide: int) -> QTableWidget:
    table = QTableWidget(0, len(headers))
    table.setAccessibleName(name)
    table.setHorizontalHeaderLabels(list(headers))
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
    for column in range(len(headers)):
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
    header.setSectionResizeMode(wide, QHeaderView.ResizeMode.Stretch)
    for column in range(len(headers)):
        if column != wide:
            table.setColumnWidth(column, 18 * UNIT)
    return table


def _fill(table: QTableWidget, row: int, texts: Sequence[str]) -> None:
    for column, text in enumerate(texts):
        item = QTableWidgetItem(text)
        item.setToolTip(text)
        table.setItem(row, column, item)
