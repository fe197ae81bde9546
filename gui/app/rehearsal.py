"""One row and one note, drawn where nobody sees them.

Python makes each class of Qt when it is first named, and Qt each font when it is first drawn: 80 ms together, which
would otherwise come with the person's first key.
"""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from engine.model import Anchor, Hit, Leg, NoteHits, NoteKey, PassageKind, SourceId, SourceKind
from gui.item_models import ResultsModel
from gui.panels.preview import NoteBrowser
from gui.panels.results import HitsView
from gui.theme import Theme

TEXT = "A lamp, lit."


def rehearse(theme: Theme, window: QWidget) -> None:
    """In two turns of the event loop, so that keys are served between them."""
    QTimer.singleShot(0, window, lambda: _draw_row(theme))
    QTimer.singleShot(0, window, _draw_note)


def _draw_row(theme: Theme) -> None:
    anchor = Anchor(NoteKey(""))
    legs = (Leg("word", 1, 1.0, 0.5), Leg("meaning", 1, 1.0, 0.5))
    source, kind = SourceId(""), SourceKind.OBSIDIAN
    hit = Hit(source, "", kind, 0, PassageKind.SECTION, anchor, TEXT, (TEXT,), TEXT, TEXT, ((2, 6),), 1.0, legs)
    model = ResultsModel()
    model.show([NoteHits(source, NoteKey(""), TEXT, 1.0, (hit,))])
    view = HitsView(theme, model)
    model.setParent(view)
    view.resize(400, 200)
    view.grab()
    view.deleteLater()


def _draw_note() -> None:
    browser = NoteBrowser()
    browser.setHtml(f"<h1>{TEXT}</h1><p>{TEXT} <a href='note:'>{TEXT}</a></p><ul><li>{TEXT}</li></ul>")
    browser.resize(400, 200)
    browser.grab()
    browser.deleteLater()
