"""What the owner chooses for one source. How many notes the patterns choose is counted while they are typed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from engine.model import ModelInfo, Source, SourceKind, SourceOptions
from gui import plural, tr
from gui.dialogs.roam_token import Ask, TokenRow
from gui.theme import UNIT

PAUSE_MS = 300
FILE_AGES = ((3600, "As soon as they change"), (-1, "Only when I ask"))
GRAPH_AGES = (
    (0, "Before every search"),
    (600, "When older than 10 minutes"),
    (3600, "When older than an hour"),
    (86_400, "When older than a day"),
    (-1, "Only when I ask"),
)


Count = Callable[[SourceOptions, Callable[[int], None]], None]
"""Counts the notes that options choose, and hands the number over later."""
Models = Callable[[Callable[[list[ModelInfo]], None]], None]
"""Hands the embedding models over later."""


class SourceOptionsDialog(QDialog):
    def __init__(
        self,
        source: Source,
        count_notes: Count,
        list_models: Models,
        parent: QWidget,
        ask_token: Ask = lambda _verb, _token, _done: None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Options of {name}").format(name=source.name))
        self.setMinimumWidth(64 * UNIT)
        self._source, self._count_notes = source, count_notes
        self.include = _globs(tr("Only notes that fit one of these"), source.options.include)
        self.exclude = _globs(tr("Leave out notes that fit one of these"), source.options.exclude)
        self.count = _hint("")
        self.daily = _box(tr("Include daily notes"), source.options.daily_notes)
        self.by_default = _box(tr("Search in it when all sources are searched"), source.options.search_by_default)
        self.open_only = _box(tr("Refresh only while its window is open in Roam"), source.options.require_open_window)
        self.token = TokenRow(source.kind, ask_token)
        self.age = QComboBox()
        self.model = QComboBox()
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._lay_out()
        self._pause.timeout.connect(self._count)
        for field in (self.include, self.exclude):
            field.textChanged.connect(self._pause.start)
        self.daily.toggled.connect(self._pause.start)
        list_models(self._show_models)
        self._count()

    @property
    def _is_live(self) -> bool:
        return self._source.kind in (SourceKind.ROAM_LOCAL, SourceKind.ROAM_CLOUD)

    @property
    def options(self) -> SourceOptions:
        """The options as chosen now."""
        return dataclasses.replace(
            self._source.options,
            daily_notes=self.daily.isChecked(),
            include=_lines(self.include),
            exclude=_lines(self.exclude),
            search_by_default=self.by_default.isChecked(),
            model=str(self.model.currentData()),
            max_age_seconds=int(self.age.currentData()),
            require_open_window=self.open_only.isChecked(),
        )

    def _count(self) -> None:
        if self._is_live:  # Asking a graph how much it holds makes Roam open its window.
            return
        self.count.setText(tr("Counting…"))
        self._count_notes(self.options, self._show_count)

    def _show_count(self, notes: int) -> None:
        self.count.setText(plural(notes, "{n} note is chosen", "{n} notes are chosen"))

    def _show_models(self, models: list[ModelInfo]) -> None:
        chosen = self._source.options.model
        for model in models:
            if model.is_here and self.model.findData(model.id) < 0:
                self.model.addItem(model.name, model.id)
        self.model.setCurrentIndex(max(self.model.findData(chosen), 0))

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setVerticalSpacing(UNIT + 2)
        is_vault = self._source.kind is SourceKind.OBSIDIAN
        for field in (self.include, self.exclude):
            form.addRow(field.accessibleName(), field)
            form.setRowVisible(field, is_vault)
        hint = _hint(tr("One pattern a line, such as Projects/** or *.canvas"))
        form.addRow("", hint)
        form.setRowVisible(hint, is_vault)
        form.addRow("", self.count)
        form.setRowVisible(self.count, not self._is_live)
        form.addRow(tr("Token"), self.token)
        form.setRowVisible(self.token, self._is_live)
        form.addRow("", self.daily)
        form.addRow("", self.by_default)
        self._fill_ages(is_graph=self._is_live)
        form.addRow(tr("Bring up to date"), self.age)
        form.addRow("", self.open_only)
        form.setRowVisible(self.open_only, self._source.kind is SourceKind.ROAM_LOCAL)
        self.model.addItem(tr("The model that comes with Lamplight"), "")
        if self._source.options.model:
            self.model.addItem(self._source.options.model, self._source.options.model)
            self.model.setCurrentIndex(1)
        form.addRow(tr("Model"), self.model)
        form.addRow("", _hint(tr("Another model means that every note is read anew.")))
        for editor, name in ((self.age, tr("Bring up to date")), (self.model, tr("Model"))):
            editor.setAccessibleName(name)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, 2 * UNIT)
        layout.setSpacing(2 * UNIT)
        layout.addLayout(form)
        layout.addWidget(self._buttons())

    def _fill_ages(self, *, is_graph: bool) -> None:
        for seconds, text in GRAPH_AGES if is_graph else FILE_AGES:
            self.age.addItem(tr(text), seconds)
        now = self._source.options.max_age_seconds
        if not is_graph:
            now = FILE_AGES[0][0] if now >= 0 else now
        elif self.age.findData(now) < 0:
            self.age.addItem(plural(now // 60, "When older than {n} minute", "When older than {n} minutes"), now)
        self.age.setCurrentIndex(self.age.findData(now))

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText(tr("Save"))
        buttons.button(QDialogButtonBox.StandardButton.Cancel).setText(tr("Cancel"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        return buttons


def _globs(name: str, patterns: tuple[str, ...]) -> QPlainTextEdit:
    field = QPlainTextEdit("\n".join(patterns))
    field.setAccessibleName(name)
    field.setTabChangesFocus(True)
    field.setFixedHeight(8 * UNIT)
    return field


def _hint(text: str) -> QLabel:
    result = QLabel(text)
    result.setProperty("tone", "small")
    result.setWordWrap(True)
    return result


def _box(text: str, is_on: bool) -> QCheckBox:
    box = QCheckBox(text)
    box.setAccessibleName(text)
    box.setChecked(is_on)
    return box


def _lines(field: QPlainTextEdit) -> tuple[str, ...]:
    return tuple(line.strip() for line in field.toPlainText().splitlines() if line.strip())
