"""The runs that bring indexes up to date: one at a time, the others wait in a queue. What is asked for goes before what
happens by itself, and is not held up by the battery."""

from __future__ import annotations

import functools
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from engine import model
from engine.errors import PassphraseNeeded
from engine.job import Job, Progress
from engine.model import Changed, Outcome
from gui import tr
from gui.automatic import Automatic, Wait, wait_text
from gui.feed import Feed
from gui.messages import Ended, from_error, from_report
from gui.tasks import Tasks

if TYPE_CHECKING:
    from engine.model import IndexReport, SourceId, SourceStatus
    from gui.library_like import LibraryLike

RENEW_SECONDS = 2.0
"""While a run writes, sources and results are refreshed this often, and whenever it comes to a stage that follows one
that writes."""
FIRST_STAGES = frozenset({"", "reading Roam", "scanning", "scan", "reading"})
"""Nothing is written before these begin. A stage may begin and end between two looks, so what counts is where a run has
come to and not what it was seen to leave."""


class IndexState(NamedTuple):
    """The run in progress, for the status bar."""

    source: SourceId
    name: str
    progress: Progress
    waiting: int
    """Runs queued behind it."""
    held: str = ""
    """Why it rests, when it is not the person who paused it."""


class _Run(NamedTuple):
    source: SourceId
    name: str
    full: bool
    by_itself: bool = False
    """Nobody asked for it."""
    without_brake: bool = False
    """The person has decided that what is gone may be removed."""


class IndexRuns(QObject):
    moved = Signal(object)
    """``IndexState``, or None when nothing runs."""
    ended = Signal(object)
    """``Ended``: a run that is over, however it ended."""
    braked = Signal(str, str, str)
    """Source id, name and detail of a run that waits for the person's decision, who has asked to decide."""
    wrote = Signal(object)
    """``Changes`` of the index that a run has made by now."""
    said = Signal(object)
    """``Message`` for the person."""
    locked = Signal()
    """A run needs a passphrase that nobody has given."""

    def __init__(
        self,
        tasks: Tasks,
        feed: Feed,
        automatic: Automatic,
        library: Callable[[], LibraryLike | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._tasks, self._feed, self._automatic, self._library = tasks, feed, automatic, library
        self._queue: deque[_Run] = deque()
        self._run: _Run | None = None
        self._job: Job | None = None
        self._stage, self._renewed = "", 0.0
        self._held, self._work = "", 0
        automatic.due.connect(self._index_due)
        automatic.holds.connect(self._hold)

    def index(
        self,
        source: SourceId,
        name: str,
        *,
        full: bool = False,
        by_itself: bool = False,
        without_brake: bool = False,
    ) -> None:
        """Queue a run; a source that waits already is not queued twice. What is asked for takes the place of what was
        to happen by itself, and is not held up by the battery."""
        run = _Run(source, name, full, by_itself, without_brake)
        if not by_itself:
            self._queue = deque(one for one in self._queue if one != run._replace(by_itself=True))
            if self._run is not None and self._run.source == source:
                self._claim_run()
        if run not in self._queue and (not by_itself or run._replace(by_itself=False) not in self._queue):
            self._queue.append(run)
        if self._job is not None:
            self._on_progress(self._job.snapshot())
        self.start_next()

    def pause(self) -> None:
        """Pause the run, or let it go on."""
        if self._job is not None:
            if self._held:
                self._claim_run()
            elif self._job.is_paused:
                self._job.resume()
            else:
                self._job.pause()
            self._on_progress(self._job.snapshot())

    def forget(self, source: SourceId) -> None:
        """The source is to be removed."""
        self._queue = deque(run for run in self._queue if run.source != source)
        if self._run is not None and self._run.source == source:
            self.cancel()

    def cancel(self) -> None:
        """Stop the run and forget those that wait; what is done is kept."""
        self._queue.clear()
        if self._job is not None:
            self._job.cancel()

    @property
    def is_running(self) -> bool:
        return self._run is not None

    def start_next(self) -> None:
        """Begin the next run that waits, when none goes on and the library is open."""
        library = self._library()
        if self._run is not None or library is None or not self._queue:
            return
        run = self._run = self._queue.popleft()
        self._stage, self._renewed = "", time.monotonic()

        def failed(error: Exception) -> None:
            message = from_error(error, tr("{name} could not be indexed.").format(name=run.name))
            self.said.emit(message)
            self._ended(run, error=message.text)
            if isinstance(error, PassphraseNeeded):
                self.locked.emit()

        self._job = self._tasks.run(
            "index",
            lambda job: library.index(run.source, job, full=run.full, without_brake=run.without_brake),
            self._on_indexed,
            failed,
            cancelled=lambda: self._ended(run),
            progress=self._on_progress,
        )
        self._work = self._feed.begin(tr("Indexing {name}").format(name=run.name), self._job, pause=self.pause)
        self._automatic.run_begun(by_itself=run.by_itself)
        self._on_progress(Progress())

    def _index_due(self, statuses: tuple[SourceStatus, ...]) -> None:
        for status in statuses:
            self.index(status.source.id, status.source.name, by_itself=True)

    def _hold(self, wait: Wait) -> None:
        """Let the run that nobody asked for rest, or go on."""
        if self._job is None or self._run is None or not self._run.by_itself:
            return
        why = wait_text(wait, 1)
        if why and not self._held and not self._job.is_paused:
            self._job.pause()
        elif self._held and not why:
            self._job.resume()
        else:
            return
        self._held = why
        self._on_progress(self._job.snapshot())

    def _claim_run(self) -> None:
        """The person wants the run that goes on by itself: nothing holds it up from now on."""
        if self._run is not None and self._run.by_itself:
            self._run = self._run._replace(by_itself=False)
            self._automatic.run_ended()
        if self._held and self._job is not None:
            self._held = ""
            self._job.resume()

    def _on_progress(self, progress: Progress) -> None:
        if self._run is None:
            return
        self.moved.emit(IndexState(self._run.source, self._run.name, progress, len(self._queue), self._held))
        self._feed.move(self._work, progress, self._held)
        now, before, self._stage = time.monotonic(), self._stage, progress.stage
        has_written = progress.stage != before and progress.stage not in FIRST_STAGES
        if has_written or now - self._renewed > RENEW_SECONDS:
            self._renewed = now
            self.wrote.emit(model.Changes(frozenset({Changed.NOTES}), frozenset({self._run.source})))

    def _on_indexed(self, report: IndexReport) -> None:
        run = self._run
        if run is None:
            return
        message = from_report(report, run.name)
        if message is not None and report.outcome is Outcome.BRAKED:
            ask = functools.partial(self.braked.emit, run.source, run.name, report.detail)
            message = message._replace(button=tr("Decide…"), act=ask)
        if message is not None:
            self.said.emit(message)
        self._ended(run, report)

    def _ended(self, run: _Run, report: IndexReport | None = None, error: str = "") -> None:
        self._run = self._job = None
        self._held = ""
        self._automatic.run_ended()
        ended = Ended(run.source, run.name, time.time(), report, error)
        self._feed.end(self._work, ended)
        self.ended.emit(ended)
        self.moved.emit(None)
        self.wrote.emit(model.Changes(frozenset({Changed.NOTES, Changed.SOURCES}), frozenset({run.source})))
        self.start_next()
