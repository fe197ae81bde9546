"""The note under the cursor, or one that a link led to: its text, and beneath it what belongs to it.

Owns which note is shown, the way back through those that were, and the pause before the next is read.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QSplitter

from engine.model import NoteKey, SourceId
from gui.panels.preview import PreviewPanel, note_target
from gui.state import Place, State, Trail
from gui.theme import UNIT, Roles, Theme

if TYPE_CHECKING:
    from engine.model import Hit, NoteView
    from gui.panels.aside import Aside
    from gui.panels.note_html import RenderedNote
    from gui.reading import AboutNote, Reading

PREVIEW_PAUSE_MS = 40
"""Holding an arrow key down passes many rows; only the one it rests on is read."""


class NotePane(QSplitter):
    shown = Signal()
    query_wanted = Signal(str)
    """What a link names that is no note: a tag, or the title of a note that is not there yet."""

    def __init__(self, reading: Reading, theme: Theme, state: State) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._reading, self._theme, self._state = reading, theme, state
        self.preview = PreviewPanel(theme)
        self.question = ""
        """What the row was found by."""
        self._hit: Hit | None = None
        self._trail = Trail()
        self._is_stepping = False
        self._pause = QTimer(self, singleShot=True)
        self.addWidget(self.preview)
        self.setChildrenCollapsible(False)
        self._wire()

    def _wire(self) -> None:
        self._pause.timeout.connect(self._read_current)
        self._theme.changed.connect(self._read_current)
        self.preview.back_requested.connect(self.go_back)
        self.preview.forward_requested.connect(self.go_forward)
        self.preview.link_clicked.connect(self._follow)
        self._reading.note_read.connect(self._on_note)
        self._reading.note_missing.connect(
            lambda name: self.query_wanted.emit(name.rpartition("/")[2].removesuffix(".md"))
        )
        self._reading.note_known.connect(self._on_note_known)
        self._reading.sentence_found.connect(self.preview.mark_sentence)
        self._reading.note_failed.connect(lambda message: self.preview.show_problem(f"{message.title}\n{message.text}"))

    @functools.cached_property
    def aside(self) -> Aside:
        """Built with the first note that is shown."""
        from gui.panels.aside import Aside

        aside = Aside()
        aside.note_requested.connect(lambda source, note: self.open_note(SourceId(source), NoteKey(note)))
        aside.left.connect(self.preview.browser.setFocus)
        self.addWidget(aside)
        aside.setVisible(self._state.shows_aside)
        self.setStretchFactor(0, 1)
        self.setSizes([60 * UNIT, 24 * UNIT])
        self._state.restore_splitter("reading", self)
        return aside

    @property
    def has_aside(self) -> bool:
        return "aside" in self.__dict__

    def select(self, hit: Hit | None, resting_ms: int) -> None:
        """Show the note of ``hit`` when no other has come for ``resting_ms`` and a short pause; nothing for None."""
        self._hit = hit
        if hit is not None:
            self.put_off(resting_ms)
            return
        self._pause.stop()
        self.preview.clear()
        if self.has_aside:
            self.aside.hide()

    def put_off(self, resting_ms: int) -> None:
        self._pause.start(resting_ms + PREVIEW_PAUSE_MS)

    @property
    def is_waiting(self) -> bool:
        return self._pause.isActive()

    def _read_current(self) -> None:
        if self._hit is not None:
            self.preview.show_loading(self._hit)
            self._is_stepping = False
            self._read(self._hit)

    def _read(self, hit: Hit) -> None:
        roles, anchor = self._theme.roles, hit.anchor
        self._reading.read(hit, lambda view: render(view, roles, anchor.first_line, anchor.uid))

    def open_note(self, source: SourceId, key: NoteKey) -> None:
        """Show a note without a search."""
        roles = self._theme.roles
        self._reading.read_note(source, key, lambda view: render(view, roles))

    def _follow(self, url: QUrl) -> None:
        """Links to the web leave; links between notes are followed here."""
        if url.scheme() in ("http", "https", "mailto"):
            QDesktopServices.openUrl(url)
        elif url.scheme() in ("note", ""):
            self._open_named(note_target(url) if url.scheme() else url.path())
        elif url.scheme() == "tag":
            self.query_wanted.emit(note_target(url) or url.toString().partition(":")[2])

    def _open_named(self, name: str) -> None:
        note, roles = self.preview.note, self._theme.roles
        if note is not None and name:
            self._reading.read_named(note.view.source.id, name, lambda view: render(view, roles))

    def go_back(self) -> None:
        self._step(-1)

    def go_forward(self) -> None:
        self._step(+1)

    def _step(self, by: int) -> None:
        place = self._trail.step(by)
        if place is None:
            return
        self._is_stepping = True
        if place.hit is not None:
            self._read(place.hit)
        else:
            self.open_note(place.source, place.note)

    def _on_note(self, page: RenderedNote, hit: Hit | None) -> None:
        self.preview.show_note(page, hit)
        view = page.view
        if not self._is_stepping:
            self._trail.visit(Place(view.source.id, view.key, hit))
        self._is_stepping = False
        self.preview.show_reach(*self._trail.reach)
        self.aside.setVisible(self._state.shows_aside)
        if self._state.shows_aside:
            self._reading.tell_about(view.source.id, view.key, hit)
        if hit is not None and any(leg.name == "meaning" for leg in hit.legs):
            self._reading.find_sentence(hit, self.question)
        self.shown.emit()

    def _on_note_known(self, about: AboutNote) -> None:
        note = self.preview.note
        if note is not None and (note.view.source.id, note.view.key) == (about.source, about.note):
            self.aside.show_note(about.source, about.hit, about.related, about.links, about.why)

    def toggle_aside(self) -> None:
        self._state.shows_aside = not self._state.shows_aside
        note = self.preview.note
        self.aside.setVisible(self._state.shows_aside and note is not None)
        if self._state.shows_aside and note is not None:
            self._reading.tell_about(note.view.source.id, note.view.key, self._hit)


def render(view: NoteView, roles: Roles, first_line: int = 0, uid: str = "") -> RenderedNote:
    """On the worker, which also loads the renderer."""
    from gui.panels import note_html

    return note_html.render(view, roles, first_line, uid)
