"""The settings, built from their typed declarations: one row each, the limits from the table."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QKeySequenceEdit,
    QLabel,
    QScrollArea,
    QSpinBox,
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
}  # fmt: skip


class SettingsDialog(QDialog):
    def __init__(self, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Settings"))
        self.resize(84 * UNIT, 72 * UNIT)
        self._before = settings
        self._editors: dict[str, QWidget] = {}
        page = QWidget()
        form = QFormLayout(page)
        form.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, UNIT)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setVerticalSpacing(UNIT + 2)
        form.setHorizontalSpacing(3 * UNIT)
        section = ""
        for name, declaration in declarations().items():
            if declaration.section != section:
                section = declaration.section
                form.addRow(_heading(tr(section.capitalize())))
            self._add_row(form, name, declaration)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(page)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText(tr("Save"))
        buttons.button(QDialogButtonBox.StandardButton.Cancel).setText(tr("Cancel"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(UNIT, UNIT, UNIT, 2 * UNIT)
        layout.addWidget(area, 1)
        layout.addWidget(buttons)

    @property
    def settings(self) -> Settings:
        """The settings as chosen now."""
        values = {name: _value(editor) for name, editor in self._editors.items()}
        return dataclasses.replace(self._before, **cast(Any, values))

    def editor(self, name: str) -> QWidget:
        return self._editors[name]

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
            form.addRow(hint)


def _heading(text: str) -> QLabel:
    result = QLabel(text)
    result.setProperty("tone", "title")
    result.setContentsMargins(0, UNIT, 0, 0)
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
        choice.setCurrentIndex(declaration.choices.index(str(value)))
        return choice
    if isinstance(value, str):
        return _key_editor(value)
    low, high = declaration.low or 0, declaration.high if declaration.high is not None else 1_000_000
    if isinstance(value, float):
        number = QDoubleSpinBox()
        number.setRange(low, high)
        number.setSingleStep(0.05)
        number.setValue(value)
        return number
    whole = QSpinBox()
    whole.setRange(int(low), int(high))
    whole.setValue(cast(int, value))
    return whole


def _key_editor(keys: str) -> QKeySequenceEdit:
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
