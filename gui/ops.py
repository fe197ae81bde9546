"""Every action that reaches the library is one method here. It names the lane, the verb, and what success looks like.

Answers leave as signals on the main thread; what a verb changed is broadcast as ``changed``. No widgets.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from engine.job import Job, Progress
from engine.model import (
    Anchor,
    Changed,
    Changes,
    Discovered,
    Hit,
    IndexReport,
    NoteKey,
    NoteView,
    Problem,
    SearchRequest,
    SearchResult,
    Source,
    SourceId,
    SourceStatus,
)
from engine.settings import Settings
from gui import tr
from gui.messages import Ended, Message, from_error, from_report
from gui.tasks import Tasks

T = TypeVar("T")

RENEW_SECONDS = 2.0
"""While a run writes, sources and results are refreshed this often, and whenever it comes to its next stage."""


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
    indexing = Signal(object)
    """``IndexState``, or None when nothing runs."""
    indexed = Signal(object)
    """``Ended``: a run that is over, however it ended."""
    changed = Signal(object)
    """``Changes``."""
    said = Signal(object)
    """``Message`` for the person."""
    link_ready = Signal(str, str)
    """Purpose (``open`` or ``copy``) and the link or links, one a line."""

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._library: LibraryLike | None = None
        self._settings = Settings()
        self._queue: deque[_Run] = deque()
        self._run: _Run | None = None
        self._job: Job | None = None
        self._stage, self._renewed = "", 0.0

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

        self._tasks.run("library", opened, done, self._failing(tr("The notes could not be opened.")))

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def is_open(self) -> bool:
        return self._library is not None

    def close(self) -> None:
        """Stop all work, wait for it, close the library."""
        self._tasks.close()
        if self._library is not None:
            self._library.close()
            self._library = None

    # --- sources -------------------------------------------------------------------------------------------------

    def list_sources(self) -> None:
        self._ask(
            "library",
            lambda library, _job: tuple(library.sources()),
            self.sources_listed.emit,
            tr("The sources could not be listed."),
        )

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

    def make_links(self, hits: list[Hit], purpose: str) -> None:
        def links(library: LibraryLike, _job: Job) -> str:
            return "\n".join(library.home_link(hit.source, hit.anchor) for hit in hits)

        self._ask("library", links, lambda text: self.link_ready.emit(purpose, text), tr("The link could not be made."))

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
