"""Beneath the search box: the operators of the query as chips that can be taken out; and the list of what may follow
at the cursor."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtWidgets
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from gui import plural, tr
from gui.panels.search_box import SearchBox
from gui.panels.widgets import label
from gui.theme import UNIT

if TYPE_CHECKING:
    from PySide6.QtCore import QStringListModel
    from PySide6.QtWidgets import QAbstractItemView, QCompleter

    from engine.model import Completion, QueryHelp

MOST_CHIPS = 8
MOST_RECENT = 12


class QueryBar(QFrame):
    parts_changed = Signal(list)
    """The operators that the query has now."""
    help_wanted = Signal(str, int)
    """The query and the place of the cursor in it."""

    def __init__(self, box: SearchBox, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._box = box
        self._choices: dict[str, Completion] = {}
        self._chips = QHBoxLayout(self)
        self._chips.setContentsMargins(0, 0, 0, 0)
        self._chips.setSpacing(UNIT // 2)
        self._lead = label(tr("Filtered by"), "small")
        self._chips.addWidget(self._lead)
        self._chips.addStretch()
        box.textEdited.connect(lambda _text: self._ask())
        box.textChanged.connect(self._on_text)
        self.hide()

    @functools.cached_property
    def _completer(self) -> QCompleter:
        """Built when there is something to offer, after the first paint."""
        completer = QtWidgets.QCompleter(self)
        completer.setModel(QtCore.QStringListModel(completer))
        completer.setCompletionMode(QtWidgets.QCompleter.CompletionMode.UnfilteredPopupCompletion)
        completer.setWidget(self._box)
        popup = completer.popup()
        assert popup is not None  # There is none only where a completer completes inline.
        popup.setObjectName("choices")
        # A completer's own delegate knows nothing of the heights and paddings of the style sheet.
        popup.setItemDelegate(QtWidgets.QStyledItemDelegate(popup))
        popup.setAccessibleName(tr("What may follow"))
        popup.installEventFilter(self)
        popup.ensurePolished()  # Rows are as high as the style says from the first time on.
        completer.activated[str].connect(self._take)  # type: ignore[index]
        return completer

    @property
    def _popup(self) -> QAbstractItemView:
        popup = self._completer.popup()
        assert popup is not None
        return popup

    @property
    def _texts(self) -> QStringListModel:
        texts = self._completer.model()
        assert isinstance(texts, QtCore.QStringListModel)
        return texts

    def _hide_choices(self) -> None:
        if "_completer" in self.__dict__:
            self._popup.hide()

    @property
    def chips(self) -> list[QToolButton]:
        return [chip for chip in self.findChildren(QToolButton) if not chip.property("gone")]

    @property
    def choices(self) -> list[str]:
        """What is offered at the cursor now, as shown."""
        is_shown = "_completer" in self.__dict__ and self._popup.isVisible()
        return self._texts.stringList() if is_shown else []

    def show_help(self, text: str, advice: QueryHelp) -> None:
        """Chips for ``text``; and the list, while the person types in the box."""
        if text != self._box.text():
            return
        self._show_chips([part.text for part in advice.parts])
        self._choices = {_choice_text(one): one for one in advice.completions}
        if self._choices and self._box.hasFocus() and self._box.isModified():
            self._texts.setStringList(list(self._choices))
            self._completer.complete()
            self._popup.setCurrentIndex(self._texts.index(-1))
        else:
            self._hide_choices()

    def show_history(self, queries: Sequence[str]) -> None:
        """Offer earlier searches in the same list, newest first."""
        self._choices = {}
        if queries:
            self._texts.setStringList(list(queries)[:MOST_RECENT])
            self._completer.complete()
            self._popup.setCurrentIndex(self._popup.model().index(0, 0))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tab takes the first of the list, as people know it from editors; Enter without a choice searches."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            has_choice = self._popup.currentIndex().isValid()
            if event.key() == Qt.Key.Key_Tab:
                first = self._popup.currentIndex() if has_choice else self._texts.index(0)
                self._popup.hide()
                self._take(str(first.data()))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                chosen = str(self._popup.currentIndex().data() or "")
                self._popup.hide()
                if chosen:
                    self._take(chosen)
                else:
                    self._box.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    def _ask(self) -> None:
        self._box.setModified(True)
        self.help_wanted.emit(self._box.text(), self._box.cursorPosition())

    def _on_text(self, text: str) -> None:
        if not text:
            self._hide_choices()
            self._show_chips([])
        elif not self._box.isModified():
            self.help_wanted.emit(text, len(text))

    def _take(self, shown: str) -> None:
        choice = self._choices.get(shown)
        if choice is None:
            self._box.set_query(shown)  # An earlier search.
            return
        text = self._box.text()
        goes_on = choice.text.endswith(":")
        before = text[: choice.start] + choice.text + ("" if goes_on else " ")
        self._box.setText(before + text[choice.end :].lstrip())
        self._box.setCursorPosition(len(before))
        self._ask()

    def _show_chips(self, texts: list[str]) -> None:
        if [chip.property("part") for chip in self.chips] == texts[:MOST_CHIPS]:
            return
        for chip in self.chips:
            chip.setProperty("gone", True)
            chip.hide()
            chip.deleteLater()
        for place, text in enumerate(texts[:MOST_CHIPS]):
            self._chips.insertWidget(place + 1, self._chip(text))
        self.setVisible(bool(texts))
        self.parts_changed.emit(texts)

    def _chip(self, text: str) -> QToolButton:
        chip = QToolButton()
        chip.setObjectName("chip")
        chip.setProperty("part", text)
        chip.setText(f"{text}  ✕")
        name = tr("Take {part} out of the search").format(part=text)
        chip.setAccessibleName(name)
        chip.setToolTip(name)
        chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        chip.clicked.connect(functools.partial(self._remove, text))
        return chip

    def set_operator(self, name: str, value: str) -> None:
        """Give the operator ``name`` the ``value`` that it is to have alone; none takes it out."""
        kept = " ".join(_pattern(name).sub(" ", self._box.text()).split())
        self._box.set_query(f"{kept} {name}:{value}".strip() if value else kept)

    def toggle(self, part: str) -> None:
        """Put ``part`` into the query, in place of another folder or page, or take it out when it is there. Tags add
        up."""
        name, _, value = part.partition(":")
        if re.search(rf"(?:^|(?<=\s)){re.escape(part)}(?=\s|$)", self._box.text()):
            self._remove(part)
        elif name == "tag":
            self._box.set_query(f"{self._box.text()} {part}".strip())
        else:
            self.set_operator(name, value)

    def _remove(self, part: str) -> None:
        left = self._box.text().replace(part, " ", 1)
        self._box.set_query(" ".join(left.split()))
        self._box.setFocus()


def operator_value(text: str, name: str) -> str:
    """The value that the operator ``name`` has in a query; empty where it is not there."""
    found = _pattern(name).search(text)
    return found[1].strip('"') if found else ""


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf'(?:^|(?<=\s)){re.escape(name)}:("[^"]*"|\S+)', re.IGNORECASE)


def _choice_text(choice: Completion) -> str:
    if not choice.count:
        return choice.text
    return f"{choice.text}   ·   {plural(choice.count, '{n} note', '{n} notes')}"
