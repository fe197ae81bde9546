"""Every action that reaches the library is one method here. It names the lane, the verb, and what success looks like.

Answers leave as signals on the main thread; what a verb changed is broadcast as ``changed``. No widgets.
"""

from __future__ import annotations

import functools
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from engine.errors import UserError
from engine.job import Job, Progress
from engine.model import (
    Anchor,
    Changed,
    Changes,
    Contents,
    Discovered,
    Hit,
    IndexReport,
    ModelInfo,
    NoteKey,
    NoteLink,
    NoteView,
    Outcome,
    Problem,
    QueryHelp,
    RelatedNote,
    SearchRequest,
    SearchResult,
    Source,
    SourceId,
    SourceKind,
    SourceOptions,
    SourceStatus,
)
from engine.settings import Settings
from gui import tr
from gui.copying import Form, as_text
from gui.messages import Ended, Message, from_error, from_report
from gui.tasks import Tasks

T = TypeVar("T")

RENEW_SECONDS = 2.0
"""While a run writes, sources and results are refreshed this often, and whenever it comes to its next stage."""


SCAN_MS = 600_000
"""Besides watching, files are compared with their index this often: some file systems tell nobody of a change."""


class LibraryLike(Protocol):
    """The verbs of ``engine.library.Library`` that the window uses, here or in the process that hosts it."""

    @property
    def settings(self) -> Settings: ...
    @property
    def notices(self) -> tuple[str, ...]: ...
    def sources(self) -> list[SourceStatus]: ...
    def discover(self) -> list[Discovered]: ...
    def add(self, location: str, *, name: str = "") -> Source: ...
    def remove(self, source: str) -> Changes: ...
    def index(self, source: str, job: Job, *, full: bool = False) -> IndexReport: ...
    def search(self, request: SearchRequest, job: Job | None = None) -> SearchResult: ...
    def note(self, source: str, key: NoteKey) -> NoteView: ...
    def find_note(self, source: str, note: str) -> NoteKey: ...
    def links(self, source: str, note: NoteKey) -> tuple[NoteLink, ...]: ...
    def related(self, source: str, note: str) -> tuple[RelatedNote, ...]: ...
    def nearest_sentence(self, source: str, query: str, text: str) -> str: ...
    def query_help(self, text: str, cursor: int, sources: tuple[str, ...] = ()) -> QueryHelp: ...
    def contents(self, sources: tuple[str, ...] = ()) -> Contents: ...
    def saved_searches(self) -> dict[str, str]: ...
    def save_search(self, name: str, text: str) -> Changes: ...
    def configure(self, source: str, options: SourceOptions) -> Source: ...
    def count_notes(self, source: str, options: SourceOptions, job: Job) -> int: ...
    def behind(self, sources: tuple[str, ...] = (), job: Job | None = None) -> int: ...
    def models(self) -> list[ModelInfo]: ...
    def home_link(self, source: str, anchor: Anchor) -> str: ...
    def problems(self, source: str) -> list[Problem]: ...
    def change_settings(self, settings: Settings) -> Changes: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class IndexState:
    """The run in progress, for the status bar."""

    source: SourceId
    name: str
    progress: Progress
    waiting: int
    """Runs queued behind it."""


@dataclass(frozen=True, slots=True)
class AboutNote:
    """What stands beside a note."""

    source: SourceId
    note: NoteKey
    hit: Hit | None
    related: tuple[RelatedNote, ...]
    links: tuple[NoteLink, ...]
    why: str = ""
    """Why nothing can be related."""


@dataclass(frozen=True, slots=True)
class _Run:
    source: SourceId
    name: str
    full: bool


class Ops(QObject):
    opened = Signal()
    sources_listed = Signal(object)
    """tuple of ``SourceStatus``."""
    discovered = Signal(object)
    """tuple of ``Discovered``."""
    found = Signal(object, object)
    """``SearchRequest``, ``SearchResult``."""
    quick_found = Signal(object, object)
    """The same for quick search."""
    quick_asked = Signal(str)
    """Another process asks for quick search. The only signal that comes from another thread."""
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
    indexing = Signal(object)
    """``IndexState``, or None when nothing runs."""
    indexed = Signal(object)
    """``Ended``: a run that is over, however it ended."""
    braked = Signal(str, str, str)
    """Source id, name and detail of a run that waits for the person's decision, who has asked to decide."""
    changed = Signal(object)
    """``Changes``."""
    said = Signal(object)
    """``Message`` for the person."""
    contents_listed = Signal(object)
    """``Contents`` of what is searched in."""
    drag_ready = Signal(list, list)
    """The links and the files that are dragged."""
    link_ready = Signal(str, str)
    """Purpose (``open`` or ``copy``) and the text: the links, one a line, or another form."""

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._library: LibraryLike | None = None
        self._settings = Settings()
        self._queue: deque[_Run] = deque()
        self._run: _Run | None = None
        self._job: Job | None = None
        self._stage, self._renewed = "", 0.0
        self._statuses: tuple[SourceStatus, ...] = ()
        self._watched: set[str] = set()
        self._scan = QTimer(self, interval=SCAN_MS)
        self._scan.timeout.connect(self.check_behind)

    # --- the library ---------------------------------------------------------------------------------------------

    def open(self, open_library: Callable[[], LibraryLike]) -> None:
        def opened(_job: Job) -> tuple[LibraryLike, Settings, tuple[str, ...]]:
            library = open_library()
            # Read here: where another process hosts the library, each of them is a question to it.
            return library, library.settings, library.notices

        def done(answer: tuple[LibraryLike, Settings, tuple[str, ...]]) -> None:
            self._library, self._settings, notices = answer
            for notice in notices:
                self.said.emit(Message(notice, tone="info"))
            self.opened.emit()
            self.list_sources()
            self.check_behind()
            self._scan.start()

        self._tasks.run("library", opened, done, self._failing(tr("The notes could not be opened.")))

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def is_open(self) -> bool:
        return self._library is not None

    def close(self) -> None:
        """Stop all work, wait for it, close the library."""
        self._scan.stop()
        self._tasks.close()
        if self._library is not None:
            self._library.close()
            self._library = None

    # --- sources -------------------------------------------------------------------------------------------------

    def list_sources(self) -> None:
        self._ask(
            "library",
            lambda library, _job: tuple(library.sources()),
            self._listed,
            tr("The sources could not be listed."),
        )

    def _listed(self, statuses: tuple[SourceStatus, ...]) -> None:
        self._statuses = statuses
        folders = {s.source.location for s in statuses if _is_watched(s) and Path(s.source.location).is_dir()}
        if folders != self._watched:
            self._watched = folders
            self._tasks.watch(folders, self._on_files_changed)
        self.sources_listed.emit(statuses)

    def _on_files_changed(self, paths: frozenset[str]) -> None:
        for status in self._statuses:
            if any(Path(path).is_relative_to(status.source.location) for path in paths):
                self.index(status.source.id, status.source.name)

    def check_behind(self) -> None:
        """Compare the indexes with their files: those that are to follow them are indexed, the others say how far."""

        def done(_notes: int) -> None:
            self._ask("library", lambda library, _job: tuple(library.sources()), follow, on_failure)

        def follow(statuses: tuple[SourceStatus, ...]) -> None:
            self._listed(statuses)
            for status in statuses:
                if status.behind_by and _is_watched(status):
                    self.index(status.source.id, status.source.name)

        on_failure = tr("The sources could not be listed.")
        self._ask("watch", lambda library, job: library.behind(job=job), done, on_failure)

    def discover(self) -> None:
        self._ask(
            "library",
            lambda library, _job: tuple(library.discover()),
            self.discovered.emit,
            tr("This machine could not be searched for notes."),
        )

    def add(self, locations: dict[str, str]) -> None:
        """Register each location under its name (empty: its own) and index it. If one fails, the others go on."""
        for location, name in locations.items():
            self._add(location, name)
        self.list_sources()

    def _add(self, location: str, name: str) -> None:
        self._ask(
            "library",
            lambda library, _job: library.add(location, name=name),
            self._added,
            tr("{name} could not be added.").format(name=Path(location).name or location),
        )

    def remove(self, source: SourceId) -> None:
        self._queue = deque(run for run in self._queue if run.source != source)
        if self._run is not None and self._run.source == source:
            self.cancel_indexing()
        self._ask(
            "library",
            lambda library, _job: library.remove(source),
            self._broadcast,
            tr("The source could not be removed."),
        )

    def configure(self, source: Source, options: SourceOptions) -> None:
        """Change what was chosen for a source, and index it by the new choice."""

        def done(changed: Source) -> None:
            self._broadcast(Changes(frozenset({Changed.SOURCES}), frozenset({changed.id})))
            self.index(changed.id, changed.name)

        self._ask(
            "library",
            lambda library, _job: library.configure(source.id, options),
            done,
            tr("The options of {name} could not be changed.").format(name=source.name),
        )

    def count_notes(self, source: SourceId, options: SourceOptions, done: Callable[[int], None]) -> None:
        """Hand to ``done`` how many notes the source would hold with ``options``; a newer question replaces it."""
        self._ask(
            "help",
            lambda library, job: library.count_notes(source, options, job),
            done,
            tr("The notes could not be counted."),
        )

    def list_models(self, done: Callable[[list[ModelInfo]], None]) -> None:
        self._ask("library", lambda library, _job: library.models(), done, tr("The models could not be listed."))

    def read_problems(self, source: SourceId, done: Callable[[list[Problem]], None]) -> None:
        """Hand the notes that were skipped, failed or odd to ``done``."""
        self._ask("library", lambda library, _job: library.problems(source), done, tr("The report could not be read."))

    def change_settings(self, settings: Settings) -> None:
        def done(changes: Changes) -> None:
            self._settings = settings
            self.changed.emit(changes)

        self._ask(
            "library",
            lambda library, _job: library.change_settings(settings),
            done,
            tr("The settings could not be saved."),
        )

    def _added(self, source: Source) -> None:
        self._broadcast(Changes(frozenset({Changed.SOURCES}), frozenset({source.id})))
        self.index(source.id, source.name)

    # --- searching and reading -----------------------------------------------------------------------------------

    def search(self, request: SearchRequest) -> None:
        self._ask(
            "search",
            lambda library, job: library.search(request, job),
            lambda result: self.found.emit(request, result),
            tr("The search did not work."),
        )

    def search_quickly(self, request: SearchRequest) -> None:
        self._ask(
            "quick",
            lambda library, job: library.search(request, job),
            lambda result: self.quick_found.emit(request, result),
            tr("The search did not work."),
        )

    def stop_search(self) -> None:
        self._tasks.drop("search")

    def read(self, hit: Hit, render: Callable[[NoteView], object]) -> None:
        """Read the note of ``hit`` and let ``render`` make the page of it, both on the worker."""
        self._read(hit.source, hit.anchor.note, render, hit)

    def read_note(self, source: SourceId, key: NoteKey, render: Callable[[NoteView], object]) -> None:
        self._read(source, key, render, None)

    def _read(self, source: SourceId, key: NoteKey, render: Callable[[NoteView], object], hit: Hit | None) -> None:
        def failed(error: Exception) -> None:
            self.note_failed.emit(from_error(error, tr("The note could not be read.")))

        library = self._library
        if library is not None:
            self._tasks.run(
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

        self._ask("preview", read, done, tr("The note could not be read."))

    def tell_about(self, source: SourceId, key: NoteKey, hit: Hit | None) -> None:
        """Related notes and links of the note that is shown."""

        def know(library: LibraryLike, job: Job) -> AboutNote:
            links = library.links(source, key)
            job.check()
            try:
                return AboutNote(source, key, hit, library.related(source, key), links)
            except UserError as error:  # No vectors yet, for one.
                return AboutNote(source, key, hit, (), links, error.message)

        self._ask("aside", know, self.note_known.emit, tr("The note's relations could not be read."))

    def find_sentence(self, hit: Hit, query: str) -> None:
        self._ask(
            "sentence",
            lambda library, _job: library.nearest_sentence(hit.source, query, hit.text),
            lambda sentence: self.sentence_found.emit(hit, sentence),
            tr("The search did not work."),
        )

    def help_query(self, text: str, cursor: int) -> None:
        self._ask(
            "help",
            lambda library, _job: library.query_help(text, cursor),
            lambda advice: self.help_ready.emit(text, advice),
            tr("The search did not work."),
        )

    def list_saved(self) -> None:
        self._ask(
            "library",
            lambda library, _job: library.saved_searches(),
            self.saved_listed.emit,
            tr("The saved searches could not be read."),
        )

    def save_search(self, name: str, text: str) -> None:
        """Keep ``text`` under ``name``; an empty text removes it."""
        self._ask(
            "library",
            lambda library, _job: library.save_search(name, text),
            lambda _changes: self.list_saved(),
            tr("The search could not be saved."),
        )

    def make_links(self, hits: list[Hit], purpose: str, form: Form = Form.LINKS) -> None:
        """The links of ``hits``, a line each, or all about them in another form."""

        def make(library: LibraryLike, _job: Job) -> str:
            return as_text(hits, [library.home_link(hit.source, hit.anchor) for hit in hits], form)

        self._ask("library", make, lambda text: self.link_ready.emit(purpose, text), tr("The link could not be made."))

    def make_drag(self, hits: list[Hit]) -> None:
        """What is dragged out of the window: the links, and the files where the notes are files."""
        folders = {s.source.id: s.source.location for s in self._statuses if s.source.kind is SourceKind.OBSIDIAN}

        def make(library: LibraryLike, _job: Job) -> tuple[list[str], list[str]]:
            links = [library.home_link(hit.source, hit.anchor) for hit in hits]
            files = [str(Path(folders[h.source], h.anchor.note)) for h in hits if h.source in folders]
            return links, list(dict.fromkeys(files))

        self._ask("library", make, lambda made: self.drag_ready.emit(*made), tr("The link could not be made."))

    def list_contents(self, source: str) -> None:
        """What there is to browse in ``source``, or in all."""
        self._ask(
            "contents",
            lambda library, _job: library.contents((source,) if source else ()),
            self.contents_listed.emit,
            tr("The folders and tags could not be listed."),
        )

    # --- indexing ------------------------------------------------------------------------------------------------

    def index(self, source: SourceId, name: str, *, full: bool = False) -> None:
        """Queue a run; a source that waits already is not queued twice."""
        run = _Run(source, name, full)
        if run not in self._queue:
            self._queue.append(run)
        if self._job is not None:
            self._on_progress(self._job.snapshot())
        self._start_next()

    def pause_indexing(self) -> None:
        """Pause the run, or let it go on."""
        if self._job is not None:
            if self._job.is_paused:
                self._job.resume()
            else:
                self._job.pause()
            self._on_progress(self._job.snapshot())

    def cancel_indexing(self) -> None:
        """Stop the run and forget those that wait; what is done is kept."""
        self._queue.clear()
        if self._job is not None:
            self._job.cancel()

    @property
    def is_indexing(self) -> bool:
        return self._run is not None

    def _start_next(self) -> None:
        library = self._library
        if self._run is not None or library is None or not self._queue:
            return
        run = self._run = self._queue.popleft()
        self._stage, self._renewed = "", time.monotonic()

        def failed(error: Exception) -> None:
            message = from_error(error, tr("{name} could not be indexed.").format(name=run.name))
            self.said.emit(message)
            self._ended(run, error=message.text)

        self._job = self._tasks.run(
            "index",
            lambda job: library.index(run.source, job, full=run.full),
            self._on_indexed,
            failed,
            cancelled=lambda: self._ended(run),
            progress=self._on_progress,
        )
        self._on_progress(Progress())

    def _on_progress(self, progress: Progress) -> None:
        if self._run is None:
            return
        self.indexing.emit(IndexState(self._run.source, self._run.name, progress, len(self._queue)))
        now = time.monotonic()
        if progress.stage != self._stage or now - self._renewed > RENEW_SECONDS:
            self._stage, self._renewed = progress.stage, now
            self._broadcast(Changes(frozenset({Changed.NOTES}), frozenset({self._run.source})))

    def _on_indexed(self, report: IndexReport) -> None:
        run = self._run
        if run is None:
            return
        message = from_report(report, run.name)
        if message is not None and report.outcome is Outcome.BRAKED:
            ask = functools.partial(self.braked.emit, run.source, run.name, report.detail)
            message = replace(message, button=tr("Decide…"), act=ask)
        if message is not None:
            self.said.emit(message)
        self._ended(run, report)

    def _ended(self, run: _Run, report: IndexReport | None = None, error: str = "") -> None:
        self._run = self._job = None
        self.indexed.emit(Ended(run.source, run.name, time.time(), report, error))
        self.indexing.emit(None)
        self._broadcast(Changes(frozenset({Changed.NOTES, Changed.SOURCES}), frozenset({run.source})))
        self._start_next()

    # --- how verbs are asked ----------------------------------------------------------------------------------------

    def _ask(
        self, lane: str, verb: Callable[[LibraryLike, Job], T], done: Callable[[T], None], on_failure: str
    ) -> None:
        library = self._library
        if library is not None:
            self._tasks.run(lane, lambda job: verb(library, job), done, self._failing(on_failure))

    def ask_graph(
        self,
        lane: str,
        verb: Callable[[Any, Job], T],
        done: Callable[[T], None],
        on_failure: str,
        *,
        failed: Callable[[Exception], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Job | None:
        """Ask the library about the graph: ``panels/graph_asks.py`` has a method for each question. None while the
        library is not open."""
        library = self._library
        if library is None:
            return None
        failing = failed or self._failing(on_failure)
        return self._tasks.run(lane, lambda job: verb(library, job), done, failing, progress=progress)

    def _failing(self, doing: str) -> Callable[[Exception], None]:
        return lambda error: self.said.emit(from_error(error, doing))

    def _broadcast(self, changes: Changes) -> None:
        self.changed.emit(changes)
        self.list_sources()


def _is_watched(status: SourceStatus) -> bool:
    """Files are followed unless the owner wants to be asked; graphs are refreshed before a search instead."""
    source = status.source
    is_file = source.kind in (SourceKind.OBSIDIAN, SourceKind.ROAM_EXPORT)
    return is_file and source.options.max_age_seconds >= 0 and status.state in ("indexed", "partial")
