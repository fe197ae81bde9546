"""What the person searches, reads, copies and drags, as questions to the library. Answers leave as signals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from engine.errors import UserError
from engine.model import SourceId, SourceKind
from gui import tr
from gui.asking import Asking
from gui.copying import Form, as_text
from gui.messages import from_error

if TYPE_CHECKING:
    from engine.job import Job
    from engine.model import Hit, NoteKey, NoteLink, NoteView, RelatedNote, SearchRequest, SourceStatus
    from gui.library_like import LibraryLike


class AboutNote(NamedTuple):
    """What stands beside a note."""

    source: SourceId
    note: NoteKey
    hit: Hit | None
    related: tuple[RelatedNote, ...]
    links: tuple[NoteLink, ...]
    why: str = ""
    """Why nothing can be related."""


class Reading(QObject):
    found = Signal(object, object)
    """``SearchRequest``, ``SearchResult``."""
    quick_found = Signal(object, object)
    """The same for quick search."""
    quick_note_read = Signal(object, object)
    """What the renderer made of the note of a row of quick search, and its ``Hit``."""
    note_read = Signal(object, object)
    """What the renderer made of the note, and the ``Hit`` or None."""
    note_failed = Signal(object)
    """``Message``."""
    note_missing = Signal(str)
    """The name in a link that no note has."""
    note_known = Signal(object)
    """``AboutNote``."""
    sentence_found = Signal(object, str)
    """``Hit``, and the sentence of it that answers best."""
    help_ready = Signal(str, object)
    """The query, and ``QueryHelp`` for it."""
    saved_listed = Signal(object)
    """Name -> query of the saved searches."""
    contents_listed = Signal(object)
    """``Contents`` of what is searched in."""
    drag_ready = Signal(list, list)
    """The links and the files that are dragged."""
    link_ready = Signal(str, str)
    """Purpose (``open`` or ``copy``) and the text: the links, one a line, or another form."""

    def __init__(
        self, asking: Asking, statuses: Callable[[], tuple[SourceStatus, ...]], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._asking, self._statuses = asking, statuses

    def search(self, request: SearchRequest) -> None:
        self._asking.ask(
            "search",
            lambda library, job: library.search(request, job),
            lambda result: self.found.emit(request, result),
            tr("The search did not work."),
        )

    def search_quickly(self, request: SearchRequest) -> None:
        self._asking.ask(
            "quick",
            lambda library, job: library.search(request, job),
            lambda result: self.quick_found.emit(request, result),
            tr("The search did not work."),
        )

    def stop_search(self) -> None:
        self._asking.tasks.drop("search")

    def read(self, hit: Hit, render: Callable[[NoteView], object]) -> None:
        """Read the note of ``hit`` and let ``render`` make the page of it, both on the worker."""
        self._read(hit.source, hit.anchor.note, render, hit)

    def read_quickly(self, hit: Hit, render: Callable[[NoteView], object]) -> None:
        self._asking.ask(
            "quick note",
            lambda library, _job: render(library.note(hit.source, hit.anchor.note)),
            lambda page: self.quick_note_read.emit(page, hit),
            tr("The note could not be read."),
        )

    def read_note(self, source: SourceId, key: NoteKey, render: Callable[[NoteView], object]) -> None:
        self._read(source, key, render, None)

    def _read(self, source: SourceId, key: NoteKey, render: Callable[[NoteView], object], hit: Hit | None) -> None:
        def failed(error: Exception) -> None:
            self.note_failed.emit(from_error(error, tr("The note could not be read.")))

        library = self._asking.library
        if library is not None:
            self._asking.tasks.run(
                "preview",
                lambda _job: render(library.note(source, key)),
                lambda page: self.note_read.emit(page, hit),
                failed,
            )

    def read_named(self, source: SourceId, name: str, render: Callable[[NoteView], object]) -> None:
        """Read the note that a link names by title, path, alias or uid."""

        def read(library: LibraryLike, _job: Job) -> object:
            try:
                key = library.find_note(source, name)
            except UserError:
                return None
            return render(library.note(source, key))

        def done(page: object) -> None:
            if page is None:
                self.note_missing.emit(name)
            else:
                self.note_read.emit(page, None)

        self._asking.ask("preview", read, done, tr("The note could not be read."))

    def tell_about(self, source: SourceId, key: NoteKey, hit: Hit | None) -> None:
        """Related notes and links of the note that is shown."""

        def know(library: LibraryLike, job: Job) -> AboutNote:
            links = library.links(source, key)
            job.check()
            try:
                return AboutNote(source, key, hit, library.related(source, key), links)
            except UserError as error:  # No vectors yet, for one.
                return AboutNote(source, key, hit, (), links, error.message)

        self._asking.ask("aside", know, self.note_known.emit, tr("The note's relations could not be read."))

    def find_sentence(self, hit: Hit, query: str) -> None:
        self._asking.ask(
            "sentence",
            lambda library, _job: library.nearest_sentence(hit.source, query, hit.text),
            lambda sentence: self.sentence_found.emit(hit, sentence),
            tr("The search did not work."),
        )

    def help_query(self, text: str, cursor: int) -> None:
        self._asking.ask(
            "help",
            lambda library, _job: library.query_help(text, cursor),
            lambda advice: self.help_ready.emit(text, advice),
            tr("The search did not work."),
        )

    def list_saved(self) -> None:
        self._asking.ask(
            "library",
            lambda library, _job: library.saved_searches(),
            self.saved_listed.emit,
            tr("The saved searches could not be read."),
        )

    def save_search(self, name: str, text: str) -> None:
        """Keep ``text`` under ``name``; an empty text removes it."""
        self._asking.ask(
            "library",
            lambda library, _job: library.save_search(name, text),
            lambda _changes: self.list_saved(),
            tr("The search could not be saved."),
        )

    def make_links(self, hits: list[Hit], purpose: str, form: Form = Form.LINKS) -> None:
        """The links of ``hits``, a line each, or all about them in another form."""

        def make(library: LibraryLike, _job: Job) -> str:
            return as_text(hits, [library.home_link(hit.source, hit.anchor) for hit in hits], form)

        self._asking.ask(
            "library", make, lambda text: self.link_ready.emit(purpose, text), tr("The link could not be made.")
        )

    def make_drag(self, hits: list[Hit]) -> None:
        """What is dragged out of the window: the links, and the files where the notes are files."""
        folders = {s.source.id: s.source.location for s in self._statuses() if s.source.kind is SourceKind.OBSIDIAN}

        def make(library: LibraryLike, _job: Job) -> tuple[list[str], list[str]]:
            links = [library.home_link(hit.source, hit.anchor) for hit in hits]
            files = [str(Path(folders[h.source], h.anchor.note)) for h in hits if h.source in folders]
            return links, list(dict.fromkeys(files))

        self._asking.ask("library", make, lambda made: self.drag_ready.emit(*made), tr("The link could not be made."))

    def list_contents(self, source: str) -> None:
        """What there is to browse in ``source``, or in all."""
        self._asking.ask(
            "contents",
            lambda library, _job: library.contents((source,) if source else ()),
            self.contents_listed.emit,
            tr("The folders and tags could not be listed."),
        )
