"""What this is, which version, and where it keeps its data."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

import resources
from engine import __version__
from engine.paths import Home
from gui import tr
from gui.theme import UNIT


def about(home: Home, parent: QWidget) -> QDialog:
    dialog = QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(tr("About Lamplight"))
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(4 * UNIT, 4 * UNIT, 4 * UNIT, 2 * UNIT)
    layout.setSpacing(UNIT)
    picture = QLabel()
    picture.setPixmap(QIcon(str(resources.path("icons", "lamplight.svg"))).pixmap(64, 64))
    picture.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    layout.addWidget(picture)
    lines = (
        ("heading", f"Lamplight {__version__}"),
        ("body", tr("Finds anything you have written, by meaning and by word.")),
        ("muted", tr("Your notes and their index stay on this machine.")),
        *([("small", resources.build())] if resources.build() else []),
        ("small", tr("Index: {place}").format(place=home.data)),
        ("small", tr("Settings: {place}").format(place=home.config)),
    )
    for tone, text in lines:
        line = QLabel(text)
        line.setProperty("tone", tone)
        line.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(line)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.button(QDialogButtonBox.StandardButton.Close).setText(tr("Close"))
    buttons.rejected.connect(dialog.reject)
    layout.addSpacing(UNIT)
    layout.addWidget(buttons)
    return dialog
