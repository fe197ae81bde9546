"""The colours: readable in every scheme, named once, and followed live."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

import resources
from gui import theme
from gui.panels.widgets import icon_button

SCHEMES = {
    "light": theme.LIGHT,
    "dark": theme.DARK,
    "light contrast": theme.LIGHT_CONTRAST,
    "dark contrast": theme.DARK_CONTRAST,
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("text", "ground"), theme.READABLE)
def test_every_text_is_readable_on_its_background(scheme: str, text: str, ground: str) -> None:
    roles = SCHEMES[scheme]
    assert theme.contrast(getattr(roles, text), getattr(roles, ground)) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_focus_frame_stands_out(scheme: str) -> None:
    roles = SCHEMES[scheme]
    assert theme.contrast(roles.focus, roles.surface) >= 3
    assert theme.contrast(roles.focus, roles.window) >= 3


@pytest.mark.parametrize("strong", [theme.LIGHT_CONTRAST, theme.DARK_CONTRAST])
def test_high_contrast_is_higher(strong: theme.Roles) -> None:
    assert theme.contrast(strong.text, strong.surface) >= 15
    assert theme.contrast(strong.muted, strong.surface) >= 7


def test_contrast_is_that_of_the_standard() -> None:
    assert theme.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert theme.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_only_the_table_of_roles_names_a_colour() -> None:
    gui = Path(theme.__file__).parent
    named = {
        path.name
        for path in [*gui.rglob("*.py"), *(resources.path("themes")).glob("*.qss")]
        if re.search(r"#[0-9a-fA-F]{6}\b", path.read_text("utf-8"))
    }
    assert named == {"theme.py"}


def test_the_style_sheet_is_filled_completely(qapp: QApplication) -> None:
    sheet = theme.style_sheet(theme.DARK)
    assert "$" not in sheet
    assert theme.DARK.selection in sheet
    assert theme.LIGHT.surface not in sheet


def test_icons_and_palette_follow_the_scheme(qtbot: QtBot, qapp: QApplication) -> None:
    current = theme.Theme(qapp, "light")
    button: QToolButton = icon_button(current, "add", "Add")
    qtbot.addWidget(button)
    before = button.icon().pixmap(20, 20).toImage()
    with qtbot.waitSignal(current.changed):
        current.choose("dark")
    assert current.roles is theme.DARK
    assert qapp.palette().color(QPalette.ColorRole.Base).name() == theme.DARK.surface
    assert button.icon().pixmap(20, 20).toImage() != before
    current.choose("light")
    current.deleteLater()


def test_every_icon_takes_the_colour_it_is_given(qapp: QApplication) -> None:
    for path in resources.path("icons").glob("*.svg"):
        if path.stem == "lamplight":
            continue
        assert "currentColor" in path.read_text("utf-8"), path.name
        image = theme.tinted(path.stem, "#ff0000").pixmap(20, 20).toImage()
        colours = {
            image.pixelColor(x, y).name() for x in range(20) for y in range(20) if image.pixelColor(x, y).alpha()
        }
        assert colours, path.name
        assert all(colour.startswith("#f") for colour in colours), path.name
