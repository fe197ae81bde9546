"""Actions that reach the library, one method each: it names the lane, the verb, and what success looks like. What is
searched and read has a module of its own, and so have the runs of indexing, what other programs do, and the graphs that
are brought up to date.

Answers leave as signals on the main thread; what a verb changed is broadcast as ``changed``. No widgets.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from engine import model
from engine.errors import in_words
from engine.job import Job, Progress
from engine.model import Changed, SourceId, SourceKind
from engine.settings import Settings
from gui import tr
from gui.asking import Asking
from gui.automatic import Automatic, is_followed, wait_text
from gui.feed import Feed, ended_before, ended_now
from gui.freshening import Freshening
from gui.index_runs import IndexRuns
from gui.messages import Message, from_error
from gui.others import Others
from gui.reading import Reading
from gui.tasks import Tasks, while_there

if TYPE_CHECKING:
    from engine.model import (
        Changes,
        ModelInfo,
        NoteStatus,
        PowerState,
        Problem,
        Release,
        Run,
        Source,
        SourceOptions,
        SourceStatus,
    )
    from gui.library_like import LibraryLike

T = TypeVar("T")

LOCKED = "passphraseneeded"
"""State of a source."""
FOCUS_SECONDS = 30.0
"""Graphs and what is on this machine are looked at again when the window is turned to, at most this often."""


class Ops(QObject):
    opened = Signal()
    sources_listed = Signal(object)
    """tuple of ``SourceStatus``."""
    discovered = Signal(object)
    """tuple of ``Discovered``."""
    quick_asked = Signal(str)
    """Another process asks for quick search. Comes from another thread."""
    changed = Signal(object)
    """``Changes``."""
    said = Signal(object)
    """``Message`` for the person."""
    refreshed = Signal(object)
    """``SearchAge``: whether a graph is up to date, and why not."""
    locked = Signal()
    """The index is protected by a passphrase that nobody has given."""
    waiting = Signal(str)
    """Why sources that changed are not indexed now; empty when none waits."""

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._asking = Asking(tasks, self)
        self._asking.said.connect(self.said)
        self._asking.locked.connect(self.locked)
        self.reading = Reading(self._asking, lambda: self._statuses, self)
        self._settings = Settings()
        self._advised: set[str] = set()
        """What was said already of where notes lie."""
        self._statuses: tuple[SourceStatus, ...] = ()
        self._looked_at = 0.0
        self.feed = Feed(self)
        self.automatic = Automatic(tasks, self._ask_power, self)
        self.automatic.round_begun.connect(self.check_behind)
        self.runs = IndexRuns(tasks, self.feed, self.automatic, lambda: self._asking.library, self)
        self.runs.wrote.connect(self._broadcast)
        self.runs.said.connect(self.said)
        self.runs.locked.connect(self.locked)
        self.automatic.waits.connect(lambda wait: self.waiting.emit(wait_text(*wait)))
        self._others = Others(self._asking, self.feed, lambda: self._statuses, lambda: self.runs.is_running, self)
        self._others.changed.connect(self._on_told)
        self._others.wrote.connect(self._broadcast)
        self._others.differs.connect(self._on_differs)
        self._freshening = Freshening(self._asking, self.feed, self)
        self._freshening.refreshed.connect(self.refreshed)
        self._freshening.wrote.connect(self._broadcast)

    # --- the library ---------------------------------------------------------------------------------------------

    def open(self, open_library: Callable[[], LibraryLike]) -> None:
        def opened(_job: Job) -> tuple[LibraryLike, bool, Settings, tuple[str, ...]]:
            library = open_library()
            tells = library.follow(self._others.told.emit, self._others.told_moved.emit)
            # Read here: where another process hosts the library, each of them is a question to it.
            return library, tells, library.settings, library.notices

        def done(answer: tuple[LibraryLike, bool, Settings, tuple[str, ...]]) -> None:
            self._asking.library, tells, self._settings, notices = answer
            self.automatic.settings = self._settings
            if not tells:
                self._others.watch()
            for notice in notices:
                self.said.emit(Message(notice, tone="info"))
            self.opened.emit()
            self.list_sources()
            self.check_behind()
            self.automatic.start()
            self.turned_to()

        self._tasks.run("library", opened, done, self._asking.failing(tr("The notes could not be opened.")))

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def statuses(self) -> tuple[SourceStatus, ...]:
        """The sources as they were listed last."""
        return self._statuses

    @property
    def is_open(self) -> bool:
        return self._asking.library is not None

    def close(self) -> None:
        """Stop all work, wait for it, close the library."""
        self.automatic.stop()
        self._others.stop()
        self._tasks.close()
        if self._asking.library is not None:
            self._asking.library.close()
            self._asking.library = None

    def unlock(self, passphrase: str, done: Callable[[], None], failed: Callable[[str], None]) -> None:
        """Open what the passphrase protects; ``failed`` gets the reason why it does not."""

        def unlocked(changes: Changes) -> None:
            done()
            self._broadcast(changes)
            self.check_behind()

        self._give(lambda library: library.unlock(passphrase), unlocked, failed)

    def choose_passphrase(self, passphrase: str, done: Callable[[], None], failed: Callable[[str], None]) -> None:
        """Before the settings say that index files are protected by a passphrase."""
        chosen = while_there(done)
        self._give(lambda library: library.choose_passphrase(passphrase), lambda _: chosen(), failed)

    def _give(self, verb: Callable[[LibraryLike], T], done: Callable[[T], None], failed: Callable[[str], None]) -> None:
        library = self._asking.library
        refused = while_there(failed)  # The dialog that is told may have been closed meanwhile.
        if library is not None:
            self._tasks.run("library", lambda _job: verb(library), done, lambda error: refused(in_words(error).message))

    # --- sources -------------------------------------------------------------------------------------------------

    def list_sources(self) -> None:
        self._asking.ask(
            "library",
            lambda library, _job: tuple(library.sources()),
            self._listed,
            tr("The sources could not be listed."),
        )

    def _listed(self, statuses: tuple[SourceStatus, ...]) -> None:
        self._statuses = statuses
        for advice in [one.advice for one in statuses if one.advice and one.advice not in self._advised]:
            self._advised.add(advice)
            self.said.emit(Message(advice, tone="info"))
        self.automatic.follow(statuses)
        self.sources_listed.emit(statuses)
        if any(status.state == LOCKED for status in statuses):
            self.locked.emit()

    def check_behind(self) -> None:
        """Compare the indexes with their files: those that are to follow them are indexed, the others say how far."""

        def done(_notes: int) -> None:
            self._asking.ask("library", lambda library, _job: tuple(library.sources()), follow, on_failure)

        def follow(statuses: tuple[SourceStatus, ...]) -> None:
            self._listed(statuses)
            self.automatic.gather((s for s in statuses if s.behind_by and is_followed(s)), is_round=True)

        on_failure = tr("The sources could not be listed.")
        self._asking.ask("watch", lambda library, job: library.behind(job=job), done, on_failure)

    def discover(self) -> None:
        self._asking.ask(
            "refresh",  # Roam may be slow to answer.
            lambda library, _job: tuple(library.discover()),
            self.discovered.emit,
            tr("This machine could not be searched for notes."),
        )

    def size_up(self, location: str, done: Callable[[int, int], None]) -> None:
        """Hand over how many notes and bytes there are at a place; nothing when nobody can tell."""
        library = self._asking.library
        if library is not None:
            self._tasks.run(
                "house",
                lambda job: library.size_up(location, job),
                lambda size: done(*size),
                lambda _error: None,
            )

    def ask_for_update(self, done: Callable[[Release], None]) -> None:
        """Hand over a newer release. No answer is no news: the next time will do, and the ledger has it."""
        library = self._asking.library
        if library is not None and self._settings.update_check:
            self._tasks.run(
                "house",
                library.newer_release,
                lambda release: done(release) if release is not None else None,
                lambda _error: None,
            )

    def add(self, locations: dict[str, str]) -> None:
        """Register each location under its name (empty: its own) and index it. If one fails, the others go on."""
        for location, name in locations.items():
            self._add(location, name)
        self.list_sources()

    def _add(self, location: str, name: str) -> None:
        self._asking.ask(
            "library",
            lambda library, _job: library.add(location, name=name),
            self._added,
            tr("{name} could not be added.").format(name=Path(location).name or location),
        )

    def remove(self, source: SourceId) -> None:
        self.runs.forget(source)
        self._asking.ask(
            "library",
            lambda library, _job: library.remove(source),
            self._broadcast,
            tr("The source could not be removed."),
        )

    def configure(self, source: Source, options: SourceOptions) -> None:
        """Change what was chosen for a source, and index it by the new choice."""

        def done(changed: Source) -> None:
            self._broadcast(model.Changes(frozenset({Changed.SOURCES}), frozenset({changed.id})))
            self.runs.index(changed.id, changed.name)

        self._asking.ask(
            "library",
            lambda library, _job: library.configure(source.id, options),
            done,
            tr("The options of {name} could not be changed.").format(name=source.name),
        )

    def count_notes(self, source: SourceId, options: SourceOptions, done: Callable[[int], None]) -> None:
        """Hand to ``done`` how many notes the source would hold with ``options``; a newer question replaces it."""
        self._asking.ask(
            "help",
            lambda library, job: library.count_notes(source, options, job),
            done,
            tr("The notes could not be counted."),
        )

    def ask_token(self, source: SourceId, verb: str, token: str, done: Callable[[str], None]) -> None:
        """Import, request, keep or forget the token of a graph; ``done`` gets what to tell the person. The token itself
        goes to the library and nowhere else."""
        verbs: dict[str, Callable[[LibraryLike, Job], str]] = {
            "import": lambda library, _job: library.import_token(source),
            "request": lambda library, job: library.request_token(source, job),
            "keep": lambda library, _job: library.keep_token(source, token),
            "forget": lambda library, _job: library.forget_token(source),
        }
        library = self._asking.library
        if library is not None:
            self._tasks.run(
                "house", lambda job: verbs[verb](library, job), done, lambda error: done(from_error(error, "").text)
            )

    def list_models(self, done: Callable[[list[ModelInfo]], None]) -> None:
        self._asking.ask("library", lambda library, _job: library.models(), done, tr("The models could not be listed."))

    def list_past(self, done: Callable[[], None]) -> None:
        """Let the feed know what ran before this start."""

        def recall(runs: list[Run]) -> None:
            self.feed.recall(map(ended_before, runs))
            done()

        self._asking.ask("house", lambda library, _job: library.history(), recall, tr("The report could not be read."))

    def list_notes(self, source: SourceId, done: Callable[[list[NoteStatus]], None]) -> None:
        """Hand the state of every note of a source to ``done``."""
        on_failure = tr("The report could not be read.")
        self._asking.ask("house", lambda library, job: library.note_statuses(source, job), done, on_failure)

    def read_problems(self, source: SourceId, done: Callable[[list[Problem]], None]) -> None:
        """Hand the notes that were skipped, failed or odd to ``done``."""
        self._asking.ask(
            "library", lambda library, _job: library.problems(source), done, tr("The report could not be read.")
        )

    def change_settings(self, settings: Settings) -> None:
        def done(changes: Changes) -> None:
            self._take_settings(settings)
            self.changed.emit(changes)

        self._asking.ask(
            "library",
            lambda library, _job: library.change_settings(settings),
            done,
            tr("The settings could not be saved."),
        )

    def index_asked(self, status: SourceStatus, *, full: bool = False) -> None:
        """Index because the person wants it now. Where Roam may open a window for it, that is said first."""
        source = status.source

        def warned(warning: str) -> None:
            if warning:
                self.said.emit(Message(warning, tone="info"))
            self.runs.index(source.id, source.name, full=full)

        if source.kind is SourceKind.ROAM_LOCAL:
            on_failure = tr("{name} could not be indexed.").format(name=source.name)
            self._asking.ask("refresh", lambda library, _job: library.index_warning(source.id), warned, on_failure)
        else:
            self.runs.index(source.id, source.name, full=full)

    def _added(self, source: Source) -> None:
        self._broadcast(model.Changes(frozenset({Changed.SOURCES}), frozenset({source.id})))
        self.runs.index(source.id, source.name)

    # --- what others do, and what nobody asked for -------------------------------------------------------------------

    def read_settings(self) -> None:
        """Take over settings that were changed without asking here."""

        def done(settings: Settings) -> None:
            self._take_settings(settings)
            self.changed.emit(model.Changes(frozenset({Changed.SETTINGS})))

        self._asking.ask("library", lambda library, _job: library.settings, done, tr("The settings could not be read."))

    def _on_told(self, changes: Changes) -> None:
        """Another process has changed something: what is shown follows."""
        if Changed.SETTINGS in changes.kinds:
            self.read_settings()
        if Changed.DECISIONS in changes.kinds:
            self.reading.list_saved()
        if changes.kinds & {Changed.SOURCES, Changed.NOTES}:
            self._broadcast(changes)

    def _on_differs(self, settings: Settings) -> None:
        self._take_settings(settings)
        self.reading.list_saved()
        self._broadcast(model.Changes(frozenset({Changed.SOURCES, Changed.NOTES, Changed.SETTINGS})))

    def _take_settings(self, settings: Settings) -> None:
        self._settings = self.automatic.settings = settings
        self.automatic.look()

    def _ask_power(self, done: Callable[[PowerState], None]) -> None:
        library = self._asking.library
        if library is not None:
            # What it does not tell counts as plugged in; that it cannot be asked is no news for the person.
            self._tasks.run("power", lambda _job: library.power(), done, lambda _error: done(model.PowerState()))

    def turned_to(self) -> None:
        """The window has been turned to: graphs whose index is older than their limit are brought up to date, and what
        is on this machine is looked at again."""
        now = time.monotonic()
        if self._asking.library is None or now - self._looked_at < FOCUS_SECONDS:
            return
        self._looked_at = now
        self.discover()
        self._freshening.freshen_all()

    # --- how verbs are asked ----------------------------------------------------------------------------------------

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
        library = self._asking.library
        if library is None:
            return None
        failing = failed or self._asking.failing(on_failure)
        return self._tasks.run(lane, lambda job: verb(library, job), done, failing, progress=progress)

    def work(
        self,
        title: str,
        verb: Callable[[Any, Job], T],
        done: Callable[[T], None],
        say: Callable[[T], str],
        on_failure: str,
    ) -> None:
        """Something that takes its time and is shown in the activity list: a download, taking in a model."""
        library = self._asking.library
        if library is None:
            return

        def finished(value: T) -> None:
            self.feed.end(key, ended_now(title, text=say(value)))
            done(value)

        def failed(error: Exception) -> None:
            message = from_error(error, on_failure)
            self.said.emit(message)
            self.feed.end(key, ended_now(title, error=message.text))

        job = self._tasks.run(
            "download",
            lambda job: verb(library, job),
            finished,
            failed,
            cancelled=lambda: self.feed.end(key, ended_now(title, text=tr("cancelled; what was done is kept"))),
            progress=lambda progress: self.feed.move(key, progress),
        )
        key = self.feed.begin(title, job)

    def _broadcast(self, changes: Changes) -> None:
        self.changed.emit(changes)
        self.list_sources()
