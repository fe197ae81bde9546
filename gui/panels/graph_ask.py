"""A question to the notes: the answer as it comes, with numbered citations that open their blocks.

Without a model the answer is made of the notes' own sentences. When the notes do not say enough, that is the answer.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QFrame, QHBoxLayout, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from engine.job import Job, Progress
from gui import plural, tr
from gui.messages import from_error
from gui.panels.graph_asks import Document, GraphAsks
from gui.panels.graph_claims import EVIDENCE, ClaimTree
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_text import evidence_of, quote_text
from gui.panels.widgets import button, label
from gui.theme import UNIT, Theme, font

LONGEST = 500


class AskTab(QFrame):
    entity_opened = Signal(str)
    block_opened = Signal(object)
    home_requested = Signal(object)
    lit = Signal(object)
    """Ids of the entities that the answer used."""
    asked = Signal(str)
    left = Signal()

    def __init__(self, theme: Theme, asks: GraphAsks, questions: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._asks = theme, asks
        self._index: GraphIndex | None = None
        self._job: Job | None = None
        self._answer: Document = {}
        self._questions = list(questions)
        self.question = QLineEdit()
        self.question.setMaxLength(LONGEST)
        self.question.setPlaceholderText(tr("Ask your notes…"))
        self.question.setAccessibleName(tr("Question"))
        self.question.returnPressed.connect(self.ask)
        self._completer = QCompleter(self._questions, self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.question.setCompleter(self._completer)
        self.model = QComboBox()
        self.model.setAccessibleName(tr("Who puts it into words"))
        self.model.addItem(tr("Without a model: the notes' own sentences"), None)
        self.go = button(tr("Ask"), primary=True)
        self.go.clicked.connect(self.ask)
        self.stop = button(tr("Stop"))
        self.stop.clicked.connect(self.cancel)
        self.stop.hide()
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.setAccessibleName(tr("Answer"))
        self.text.setTabChangesFocus(True)
        self.text.anchorClicked.connect(self._on_anchor)
        self.citations = ClaimTree(tr("Citations"), theme)
        self.citations.block_opened.connect(self.block_opened)
        self.citations.home_requested.connect(self.home_requested)
        self.citations.left.connect(self.question.setFocus)
        self._state = label(tone="small", wrap=True)
        self._lay_out()
        self._show_idle()
        theme.changed.connect(self._on_theme)

    def _on_theme(self) -> None:
        if self._answer:
            self._show(self._answer)

    def set_index(self, index: GraphIndex) -> None:
        self._index = index

    def show_models(self, offers: Sequence[tuple[str, str, str]]) -> None:
        """Offer models, each as text, server and name; the one that was chosen stays chosen where it is still there."""
        kept = self.model.currentData()
        while self.model.count() > 1:
            self.model.removeItem(1)
        for text, server, name in offers:
            self.model.addItem(text, (server, name))
        at = next((at for at in range(1, self.model.count()) if self.model.itemData(at) == kept), 0)
        self.model.setCurrentIndex(at)

    def ask(self) -> None:
        question = " ".join(self.question.text().split())
        if not question:
            return
        self._remember(question)
        options: dict[str, Any] = {"question": question}
        if self.model.currentData():
            server, options["model"] = self.model.currentData()
            options |= {"server": server} if server else {}
        self._answer = {}
        self.citations.clear()
        self.text.setPlainText(tr("Looking in your notes…"))
        self._state.setText("")
        self._job = self._asks.answer(options, self._on_answer, self._on_failed, self._on_progress)
        self._show_running(self._job is not None)

    def cancel(self) -> None:
        """Stop; what has been written stays to be read."""
        if self._job is not None:
            self._job.cancel()
        self._show_running(False)
        self._state.setText(tr("Stopped. What stands here is not checked."))

    def _on_progress(self, progress: Progress) -> None:
        if progress.stage == "answer" and progress.detail:
            self.text.setPlainText(progress.detail)
            self._state.setText(tr("The model is writing…"))

    def _on_failed(self, error: Exception) -> None:
        self._show_running(False)
        message = from_error(error, tr("The question could not be answered."))
        self.text.setPlainText(f"{message.title}\n\n{message.text}")

    def _on_answer(self, answer: Document) -> None:
        self._show_running(False)
        self._answer = answer
        self._show(answer)
        self.lit.emit([one["id"] for one in answer["entities"]])
        (self.citations if self.citations.topLevelItemCount() else self.text).setFocus()

    def _show(self, answer: Document) -> None:
        self.text.document().setDefaultFont(font("body"))
        self.text.setHtml(_answer_html(answer) if answer["sufficient"] else _insufficient_html(answer))
        self.citations.clear()
        shown = answer["citations"] if answer["sufficient"] else answer["evidence"][:8]
        for one in shown:
            self._add_citation(one)
        self.citations.choose_first()
        by = tr("Put into words by {model}").format(model=answer["model"]) if answer["model"] else (
            tr("From the notes' own sentences, without a model")
        )  # fmt: skip
        invented = answer["invalid_citations"]
        extra = plural(len(invented), "{n} citation led nowhere", "{n} citations led nowhere") if invented else ""
        self._state.setText("\n".join(one for one in (*answer["notices"], by, extra) if one))

    def _add_citation(self, one: Document) -> None:
        evidence = evidence_of(one)
        said = f" · {one['statement']}" if one["statement"] else ""
        row = self.citations.add_heading(f"[{one['number']}] {quote_text(one['quote'])}\n{one['title']}{said}")
        row.setFont(0, font("body"))
        row.setData(0, EVIDENCE, evidence)
        spoken = tr("Citation {n}").format(n=one["number"])
        row.setData(0, int(Qt.ItemDataRole.AccessibleTextRole), f"{spoken}: {one['quote']}. {one['title']}{said}")

    def _on_anchor(self, link: QUrl) -> None:
        number = link.toString().removeprefix("cite:")
        for one in self._answer.get("citations", ()):
            if str(one["number"]) == number:
                self.block_opened.emit(evidence_of(one))

    def _remember(self, question: str) -> None:
        self.asked.emit(question)
        self._questions = [question, *(one for one in self._questions if one != question)]
        self._completer = QCompleter(self._questions, self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.question.setCompleter(self._completer)

    def _show_running(self, is_running: bool) -> None:
        self.go.setVisible(not is_running)
        self.stop.setVisible(is_running)
        if not is_running:
            self._job = None

    def _show_idle(self) -> None:
        self.text.setPlainText(
            tr(
                "Ask in your own words. The answer is made of what your notes say, with a number behind every "
                "sentence that opens the block it comes from. What your notes do not say is not answered."
            )
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancel() if self._job is not None else self.left.emit()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.addWidget(self.model, 1)
        row.addWidget(self.go)
        row.addWidget(self.stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT + 4, UNIT, UNIT)
        column.addWidget(self.question)
        column.addLayout(row)
        column.addWidget(self.text, 3)
        column.addWidget(self._state)
        column.addWidget(self.citations, 4)
        self.setFocusProxy(self.question)


def _answer_html(answer: Document) -> str:
    parts = []
    for one in answer["sentences"]:
        marks = "".join(f' <a href="cite:{n}">[{n}]</a>' for n in one["citations"])
        doubt = "" if one["supported"] else f" <i>({html.escape(tr('not supported by the notes'))})</i>"
        parts.append(html.escape(one["text"]) + marks + doubt)
    return f"<p>{' '.join(parts)}</p>"


def _insufficient_html(answer: Document) -> str:
    looked = ", ".join(html.escape(one) for one in answer["looked_for"])
    lines = [f"<h3>{html.escape(tr('Not enough in your notes'))}</h3>", f"<p>{html.escape(answer['missing'])}</p>"]
    if looked:
        lines.append(f"<p>{html.escape(tr('Looked for:'))} {looked}</p>")
    if answer["evidence"]:
        lines.append(f"<p>{html.escape(tr('What comes nearest stands below.'))}</p>")
    return "".join(lines)
