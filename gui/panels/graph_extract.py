"""Lets a language model read more out of the notes: what is to be read and by which model, what that would take, then
how far it is, what it has cost and what did not work. Nothing is asked before the estimate was seen, nothing leaves the
machine before the owner has agreed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from engine.job import Job, Progress
from engine.model import Anchor, Evidence, NoteKey, Origin, SourceId, SourceStatus
from gui import plural, tr
from gui.messages import from_error
from gui.panels.graph_asks import Document, GraphAsks
from gui.panels.graph_claims import ClaimTree
from gui.panels.graph_extract_choice import Choices
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_text import number
from gui.panels.widgets import button, label
from gui.theme import UNIT, Theme

SPENT_SECONDS = 1.0
"""So often the cost so far is asked for while a model reads."""


class ExtractTab(QFrame):
    finished = Signal()
    """The graph may hold more now."""
    block_opened = Signal(object)
    """``Evidence``: a passage that no answer came for."""
    left = Signal()

    def __init__(self, theme: Theme, asks: GraphAsks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asks = asks
        self._job: Job | None = None
        self._estimated: dict[str, Any] | None = None
        """The options that the estimate on the screen is for."""
        self._options: dict[str, Any] = {}
        self._chosen: tuple[dict[str, Any] | None, str] = None, ""
        self._before: Document = {}
        self._asked_spent = 0.0
        self._notes: dict[tuple[str, str], NoteKey] = {}
        self.choices = Choices(asks)
        self.choices.changed.connect(self._on_choice)
        self.estimate = button(tr("Estimate"))
        self.estimate.clicked.connect(self.ask_estimate)
        self.go = button(tr("Start reading"), primary=True)
        self.go.clicked.connect(self.begin)
        self.pause = button(tr("Pause"))
        self.pause.clicked.connect(self.toggle_pause)
        self.stop = button(tr("Stop"))
        self.stop.clicked.connect(self.cancel)
        self.again = button(tr("Try again"))
        self.again.clicked.connect(self.retry)
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Passages read"))
        self.bar.setTextVisible(False)
        self.state = label(wrap=True)
        self.cost = label(tone="small", wrap=True)
        self.failures = ClaimTree(tr("What did not work"), theme)
        self.failures.left.connect(self.left)
        self.failures.block_opened.connect(self.block_opened)
        self._lay_out()
        self._show_running(False)
        self._on_choice()

    def set_index(self, index: GraphIndex) -> None:
        self._notes = {(source, title): key for (source, key), title in index.titles.items()}
        self.choices.set_index(index)

    def show_sources(self, statuses: Sequence[SourceStatus]) -> None:
        self.choices.show_sources(statuses)

    # --- before ------------------------------------------------------------------------------------------------------

    def _on_choice(self) -> None:
        """What was estimated, or told of the last run, is no longer what is chosen."""
        chosen = self.choices.options, self.choices.hint
        is_other, self._chosen = chosen != self._chosen, chosen
        if self._job is None and is_other:
            self._estimated = None
            self.state.setText(self.choices.hint)
            self.cost.setText("")
            self.again.hide()
        self._update_buttons()

    def ask_estimate(self) -> None:
        """Ask what reading would take. A local model that was never measured reads a few passages for it."""
        options = self.choices.options
        if options is None:
            return
        self.state.setText(tr("Counting…"))
        self.estimate.setEnabled(False)

        def done(document: Document) -> None:
            self._update_buttons()
            if options == self.choices.options:
                self._estimated = options
                self.state.setText(estimate_text(document["reports"]))
                self._update_buttons()
                (self.go if self.go.isEnabled() else self.choices.agreed).setFocus()

        asked = {**options, "dry_run": True}
        self._asks.extract(asked, done, self._on_estimate_failed, self._on_measuring)

    def _on_measuring(self, progress: Progress) -> None:
        if progress.stage == "measure":
            self.state.setText(tr("The model reads a few passages, to see how long it takes…"))

    def _on_estimate_failed(self, error: Exception) -> None:
        message = from_error(error, tr("There is no estimate."))
        self.state.setText(f"{message.title}\n{message.text}")
        self._update_buttons()

    # --- while a model reads -----------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start what was estimated."""
        if self._estimated is not None and self.go.isEnabled():
            self._run(self._estimated)

    def retry(self) -> None:
        """The same again: passages with an answer cost nothing, so only those without one are asked about."""
        if self._options and self._job is None:
            self._run(self._options)

    def _run(self, options: dict[str, Any]) -> None:
        self._options = options
        self.failures.clear()
        self.failures.hide()
        self.state.setText(tr("The model is reading…"))
        self.cost.setText("")
        self.bar.setRange(0, 0)

        def start(before: Document) -> None:
            self._before = before
            self._job = self._asks.extract(options, self._on_report, self._on_failed, self._on_progress)
            self._show_running(self._job is not None)
            self.pause.setFocus()

        self._asks.command("spent", {"model": options["model"]}, start)

    def toggle_pause(self) -> None:
        if self._job is None:
            return
        if self._job.is_paused:
            self._job.resume()
        else:
            self._job.pause()
        self._show_pause()

    def cancel(self) -> None:
        """Stop after the passage that is being read; what has been answered is kept."""
        if self._job is not None:
            self._job.cancel()
            self.state.setText(tr("Stopping…"))
            self.stop.setEnabled(False)

    def _show_pause(self) -> None:
        is_paused = self._job is not None and self._job.is_paused
        self.pause.setText(tr("Go on") if is_paused else tr("Pause"))
        self.pause.setAccessibleName(self.pause.text())
        if is_paused:
            self.state.setText(tr("Paused. Nothing is asked until it goes on."))

    def _on_progress(self, progress: Progress) -> None:
        if self._job is None or progress.stage != "extract":
            return
        self.bar.setRange(0, max(1, progress.total))
        self.bar.setValue(progress.done)
        if not progress.is_paused and not progress.is_cancelled:
            left = tr("{time} left").format(time=time_text(progress.seconds_left)) if progress.seconds_left else ""
            counted = tr("{n} of {all} passages").format(n=number(progress.done), all=number(progress.total))
            self.state.setText(" · ".join(one for one in (counted, left, progress.detail) if one))
        self._ask_spent()

    def _ask_spent(self, *, now: bool = False) -> None:
        if now or time.monotonic() - self._asked_spent > SPENT_SECONDS:
            self._asked_spent = time.monotonic()
            self._asks.command("spent", {"model": self._options["model"]}, self._on_spent, failed=lambda _error: None)

    def _on_spent(self, total: Document) -> None:
        calls, tokens_in, tokens_out = (total[one] - self._before[one] for one in ("calls", "tokens_in", "tokens_out"))
        said = tr("So far: {calls}, {tokens_in} tokens in, {tokens_out} out").format(
            calls=plural(calls, "{n} call", "{n} calls"), tokens_in=number(tokens_in), tokens_out=number(tokens_out)
        )
        price = self.choices.price_of(self._options["model"], tokens_in, tokens_out)
        if price is not None:
            said += ", " + tr("about {price}").format(price=dollars(price))
        self.cost.setText(said)

    # --- after -------------------------------------------------------------------------------------------------------

    def _on_report(self, document: Document) -> None:
        self._job = None
        self._ask_spent(now=True)
        self._show_running(False)
        reports = document.get("reports", ())
        self.state.setText(report_text(reports) if reports else tr("Stopped. What was answered is kept."))
        self._show_failures(reports)
        is_whole = bool(reports) and all(one["outcome"] == "complete" for one in reports)
        self.again.setText(tr("Try again") if is_whole else tr("Go on"))
        self.again.setVisible(any(one["problems"] for one in reports) or not is_whole)
        self.finished.emit()

    def _on_failed(self, error: Exception) -> None:
        self._job = None
        self._ask_spent(now=True)
        self._show_running(False)
        message = from_error(error, tr("The model could not go on reading."))
        self.state.setText(f"{message.title}\n{message.text}\n{tr('What was answered is kept.')}")
        self.again.setText(tr("Try again"))
        self.again.show()
        self.again.setFocus()
        self.finished.emit()

    def _show_failures(self, reports: Sequence[Document]) -> None:
        self.failures.clear()
        failed = [(one["source"], problem) for one in reports for problem in one["problems"]]
        if failed:
            heading = self.failures.add_heading(
                plural(len(failed), "{n} passage without an answer", "{n} passages without an answer")
            )
            for source, one in failed:
                line = tr("line {n}").format(n=one["line"]) if one["line"] else ""
                where = " · ".join(part for part in (one["note"], line) if part)
                self.failures.add_line(where, one["reason"], heading, self._place(source, one))
        counts: Counter[str] = Counter()
        for report in reports:
            counts.update(report["refused"])
        if counts:
            heading = self.failures.add_heading(tr("Claims of the model that were not taken"))
            for reason, count in counts.most_common():
                self.failures.add_line(reason, plural(count, "{n} claim", "{n} claims"), heading)
        self.failures.setVisible(bool(failed or counts))
        self.failures.choose_first()

    def _place(self, source: str, problem: Document) -> Evidence | None:
        """Where a passage stands that got no answer."""
        key = self._notes.get((source, problem["note"]))
        if key is None:
            return None
        anchor = Anchor(key, first_line=problem["line"], last_line=problem["line"])
        return Evidence(SourceId(source), key, anchor, problem["note"], Origin.WRITTEN)

    # --- the page ----------------------------------------------------------------------------------------------------

    def _update_buttons(self) -> None:
        options, is_idle = self.choices.options, self._job is None
        self.estimate.setEnabled(is_idle and options is not None)
        is_seen = self._estimated is not None and self._estimated == options
        self.go.setEnabled(is_idle and is_seen and self.choices.may_begin)

    def _show_running(self, is_running: bool) -> None:
        self.bar.setVisible(is_running)
        for piece in (self.pause, self.stop):
            piece.setVisible(is_running)
        for piece in (self.estimate, self.go):
            piece.setVisible(not is_running)
        self.stop.setEnabled(True)
        self.choices.setEnabled(not is_running)
        self.again.hide()
        self._show_pause()
        if not is_running:
            self._estimated = None
        self._update_buttons()

    def _lay_out(self) -> None:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(2 * UNIT, UNIT + 4, 2 * UNIT, UNIT)
        column.setSpacing(UNIT)
        column.addWidget(label(tr("Let a model read your notes"), "heading"))
        told = tr(
            "Links, tags and attributes are in the graph already. A language model reads more out of the text, each "
            "claim with the words that prove it. Your notes are not changed."
        )
        column.addWidget(label(told, "small", wrap=True))
        column.addWidget(self.choices)
        row = QHBoxLayout()
        for piece in (self.estimate, self.go, self.pause, self.stop, self.again):
            row.addWidget(piece)
        row.addStretch(1)
        column.addLayout(row)
        for below in (self.bar, self.state, self.cost):
            column.addWidget(below)
        column.addWidget(self.failures, 1)
        column.addStretch(0)
        self.failures.hide()
        self.failures.setMinimumHeight(22 * UNIT)
        scroll = QScrollArea()
        scroll.setWidget(inner)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)
        self.setFocusProxy(self.choices.source)


def estimate_text(reports: Sequence[Document]) -> str:
    """Calls, tokens, and money or time, over all sources."""
    calls, cached, tokens_in, tokens_out = (
        sum(one[name] for one in reports) for name in ("calls", "cached", "tokens_in", "tokens_out")
    )
    if not calls:
        return tr("Nothing is left to ask: {n} passages, all answered before.").format(n=number(cached))
    lines = [
        plural(calls, "{n} call", "{n} calls")
        + (", " + plural(cached, "{n} passage answered before", "{n} passages answered before") if cached else ""),
        tr("about {tokens_in} tokens in and {tokens_out} out").format(
            tokens_in=number(tokens_in), tokens_out=number(tokens_out)
        ),
    ]
    prices = [one["price"] for one in reports if one["price"] is not None]
    times = [one["seconds"] for one in reports if one["seconds"] is not None]
    if prices:
        price = dollars(sum(prices))
        lines.append(tr("about {price} by the provider's price list of this moment").format(price=price))
    if times:
        sample = max(one["sample"] for one in reports)
        measured = plural(sample, "{n} answer", "{n} answers")
        lines.append(tr("about {time}, measured on {answers}").format(time=time_text(sum(times)), answers=measured))
    if not prices and not times:
        lines.append(tr("neither price nor time is known"))
    return "\n".join(lines)


def report_text(reports: Sequence[Document]) -> str:
    called, cached, facts = (sum(one[name] for one in reports) for name in ("called", "cached", "facts"))
    is_whole = all(one["outcome"] == "complete" for one in reports)
    parts = [
        tr("Done.") if is_whole else tr("Stopped. What was answered is kept."),
        plural(called, "{n} passage read", "{n} passages read"),
        plural(cached, "{n} passage answered before", "{n} passages answered before") if cached else "",
        plural(facts, "{n} claim in the graph", "{n} claims in the graph"),
    ]
    return "  ·  ".join(part for part in parts if part)


def dollars(price: float) -> str:
    return f"${price:.2f}" if price >= 0.01 else f"${price:.4f}"


def time_text(seconds: float) -> str:
    if seconds >= 5400:
        return tr("{n} h").format(n=f"{seconds / 3600:.1f}")
    if seconds >= 90:
        return tr("{n} min").format(n=round(seconds / 60))
    return tr("{n} s").format(n=max(1, round(seconds)))
