"""German is complete, keeps every placeholder, and is compiled from what is in the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QApplication, QMenuBar, QWidget

import resources
from engine.settings import declarations
from gui import plural, tr
from gui.actions import MENUS, build
from resources.translations import update


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    translator = QTranslator()
    assert translator.load(str(resources.path("translations", "lamplight_de.qm")))
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


TRANSLATIONS = update.read(update.FOLDER / "lamplight_de.ts")
SETTINGS_TEXTS = {text for d in declarations().values() for text in (d.section.capitalize(), d.text, d.help)}


def test_every_text_of_the_window_is_translated() -> None:
    wanted = set(update.texts()) - SETTINGS_TEXTS
    assert wanted - {text for text, translation in TRANSLATIONS.items() if translation} == set()


def test_placeholders_are_kept() -> None:
    for text, translation in TRANSLATIONS.items():
        if translation:
            assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", translation)), text


def test_the_compiled_file_holds_what_the_source_says(german: None) -> None:
    for text, translation in TRANSLATIONS.items():
        if translation:
            assert tr(text) == translation


def test_counts_take_the_right_form(german: None) -> None:
    assert plural(1, "{n} note", "{n} notes") == "1 Notiz"
    assert plural(2, "{n} note", "{n} notes") == "2 Notizen"


def test_without_a_translation_the_text_itself_is_shown(qapp: QApplication) -> None:
    assert tr("Open in its own app") == "Open in its own app"


def test_no_two_menus_begin_with_one_letter(german: None) -> None:
    bar = QMenuBar()
    build(QWidget(), bar, lambda _action: lambda: None)
    opened_by = [entry.text()[:2] for entry in bar.actions()]
    assert opened_by[0] == "&D"
    assert len(set(opened_by)) == len(MENUS)
    assert len({name[0] for name in MENUS}) == len(MENUS)
