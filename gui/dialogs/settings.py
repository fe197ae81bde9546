"""The settings: pages built from their typed declarations, and what stands beside them: models, ledger, keys."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, cast

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.settings import Declaration, Settings, declarations
from gui import tr
from gui.theme import UNIT

CHOICE_TEXTS = {
    "system": "As the system", "light": "Light", "dark": "Dark", "en": "English", "de": "Deutsch",
    "ask": "Ask me", "tray": "Keep running in the tray", "quit": "Quit",
    "keychain": "A key in the system's keychain", "passphrase": "A passphrase", "plain": "Not encrypted",
    "session": "A key that lasts until Lamplight ends",
    "auto": "By how far each can be trusted", "rrf": "By rank alone",
    "reduce": "Less often", "always": "As ever", "pause": "Not until plugged in",
}  # fmt: skip

PAGES = (
    ("search", "Search", ("search",)),
    ("indexing", "Indexing", ("indexing",)),
    ("models", "Models", ()),
    ("privacy", "Privacy", ("privacy", "services")),
    ("keyboard", "Keyboard", ("keyboard",)),
    ("appearance", "Appearance", ("appearance",)),
    ("machine", "This machine", ()),
)
"""Id, title, and the sections of the declarations on each page."""

Extras = Mapping[str, Callable[[], QWidget]]
"""Page -> what is shown beneath its settings, built when the page is first opened."""


class SettingsDialog(QDialog):
    def __init__(self, settings: Settings, parent: QWidget, extras: Extras | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Settings"))
        self.resize(128 * UNIT, 80 * UNIT)
        self._before = settings
        self._editors: dict[str, QWidget] = {}
        self._extras = dict(extras or {})
        self._columns: list[tuple[str, QVBoxLayout]] = []
        self.pages = QListWidget()
        self.pages.setObjectName("saved")
        self.pages.setAccessibleName(tr("Pages of the settings"))
        self.pages.setFixedWidth(22 * UNIT)
        self._stack = QStackedWidget()
        for page, title, sections in PAGES:
            if sections or page in self._extras:
                self._add_page(page, title, sections)
        self.pages.currentRowChanged.connect(self._show_page)
        self._lay_out()
        self.pages.setCurrentRow(0)

    @property
    def settings(self) -> Settings:
        """The settings as chosen now."""
        values = {name: _value(editor) for name, editor in self._editors.items()}
        return dataclasses.replace(self._before, **cast(Any, values))

    def editor(self, name: str) -> QWidget:
        return self._editors[name]

    def open_page(self, page: str) -> None:
        self.pages.setCurrentRow([name for name, _ in self._columns].index(page))

    def _show_page(self, row: int) -> None:
        page, column = self._columns[row]
        build = self._extras.pop(page, None)
        if build is not None:
            column.insertWidget(column.count() - 1, build(), 1)
        self._stack.setCurrentIndex(row)

    def _add_page(self, page: str, title: str, sections: tuple[str, ...]) -> None:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setVerticalSpacing(UNIT + 2)
        form.setHorizontalSpacing(3 * UNIT)
        for name, declaration in declarations().items():
            if declaration.section in sections:
                self._add_row(form, name, declaration)
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(2 * UNIT, 0, 2 * UNIT, UNIT)
        column.setSpacing(2 * UNIT)
        column.addWidget(heading(tr(title)))
        column.addLayout(form)
        column.addStretch()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(holder)
        self._columns.append((page, column))
        item = QListWidgetItem(tr(title))
        item.setSizeHint(QSize(0, 4 * UNIT))
        self.pages.addItem(item)
        self._stack.addWidget(area)

    def _add_row(self, form: QFormLayout, name: str, declaration: Declaration) -> None:
        text = tr(declaration.text)
        editor = _editor(getattr(self._before, name), declaration, text)
        editor.setAccessibleName(text)
        editor.setMinimumHeight(4 * UNIT)
        editor.setAccessibleDescription(tr(declaration.help) if declaration.help else "")
        self._editors[name] = editor
        if isinstance(editor, QCheckBox):
            form.addRow(editor)
        else:
            title = QLabel(text)
            title.setBuddy(editor)
            form.addRow(title, editor)
        if declaration.help:
            hint = QLabel(tr(declaration.help))
            hint.setProperty("tone", "small")
            hint.setWordWrap(True)
            hint.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
            form.addRow(hint)

    def _lay_out(self) -> None:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText(tr("Save"))
        buttons.button(QDialogButtonBox.StandardButton.Cancel).setText(tr("Cancel"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        middle = QHBoxLayout()
        middle.setSpacing(UNIT)
        middle.addWidget(self.pages)
        middle.addWidget(self._stack, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(UNIT, 2 * UNIT, UNIT, 2 * UNIT)
        layout.addLayout(middle, 1)
        layout.addWidget(buttons)


def heading(text: str) -> QLabel:
    result = QLabel(text)
    result.setProperty("tone", "title")
    return result


def _editor(value: object, declaration: Declaration, text: str) -> QWidget:
    if isinstance(value, bool):
        box = QCheckBox(text)
        box.setChecked(value)
        return box
    if declaration.choices:
        choice = QComboBox()
        for option in declaration.choices:
            choice.addItem(tr(CHOICE_TEXTS.get(option, option)), option)
        # However narrow the page: a choice that cannot be read whole is none.
        choice.setMinimumContentsLength(max(len(choice.itemText(row)) for row in range(choice.count())))
        choice.setCurrentIndex(declaration.choices.index(str(value)))
        return choice
    if isinstance(value, str):
        return key_editor(value)
    low, high = declaration.low or 0, declaration.high if declaration.high is not None else 1_000_000
    if isinstance(value, float):
        number = QDoubleSpinBox()
        number.setRange(low, high)
        number.setSingleStep(0.05)
        number.setValue(value)
        number.lineEdit().setTextMargins(UNIT, 0, 0, 0)
        return number
    whole = QSpinBox()
    whole.setRange(int(low), int(high))
    whole.setValue(cast(int, value))
    whole.lineEdit().setTextMargins(UNIT, 0, 0, 0)
    return whole


def key_editor(keys: str) -> QKeySequenceEdit:
    """The only settings of free text are keys: they are pressed, not written."""
    editor = QKeySequenceEdit(QKeySequence(keys))
    editor.setMaximumSequenceLength(1)
    editor.setClearButtonEnabled(True)
    return editor


def _value(editor: QWidget) -> object:
    if isinstance(editor, QKeySequenceEdit):
        return editor.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
    if isinstance(editor, QCheckBox):
        return editor.isChecked()
    if isinstance(editor, QComboBox):
        return editor.currentData()
    return cast(QSpinBox | QDoubleSpinBox, editor).value()
