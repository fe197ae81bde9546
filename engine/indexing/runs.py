"""The index runs of a library: one at a time for each source, and over a new file when the old one is damaged; and what
the next one would find.

What happens within one run is in ``run.py``, and which graphs are brought up to date before a search in ``refresh.py``.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from engine.errors import IndexDamaged, IndexTooNew, WrongKey, system_words
from engine.indexing.behind import count_behind
from engine.indexing.note_states import note_statuses
from engine.indexing.reading_process import can_read_apart, read_apart
from engine.indexing.refresh import Refresher, Window, window_closed
from engine.indexing.run import index_source
from engine.inference.guard import CrashMark
from engine.inference.loaded import LoadedModels
from engine.job import Job
from engine.model import IndexReport, NoteStatus, SearchAge, Source, SourceId
from engine.net.roam_api import STATUS_SECONDS
from engine.paths import Home
from engine.settings import Settings
from engine.sources.base import SourceReader
from engine.sources.readers import fingerprint
from engine.sources.roam_access import LIVE
from engine.sources.roam_windows import WindowState
from engine.store import one_machine
from engine.store.index import IndexStore
from engine.store.live import LiveIndex
from engine.store.open_files import OpenFiles

OpenReader = Callable[[Source, float | None], SourceReader]
"""A reader that waits so many seconds at most for an answer from outside; None: as long as its road takes."""


@dataclass(frozen=True, slots=True)
class _How:
    """What a run may do; see ``Library.index``."""

    full: bool = False
    without_brake: bool = False
    may_read_apart: bool = False
    limit: float | None = None
    """As of ``OpenReader``."""


class Runs:
    """Safe from any thread. ``then`` is done with an index at the end of each run."""

    def __init__(
        self,
        home: Home,
        files: OpenFiles,
        models: LoadedModels,
        mark: CrashMark,
        *,
        settings: Callable[[], Settings],
        open_reader: OpenReader,
        window: Window,
        then: Callable[[IndexStore, Source, Job], object],
    ) -> None:
        self._home, self._files, self._models, self._mark = home, files, models, mark
        self._settings, self._open_reader, self._window, self._then = settings, open_reader, window, then
        self._refresher = Refresher(window, self._run_if_free)
        self._lock = threading.Lock()
        self._under_way: dict[SourceId, threading.Lock] = {}

    def index(
        self,
        source: Source,
        job: Job,
        *,
        full: bool = False,
        require_open_window: bool = False,
        without_brake: bool = False,
        may_read_apart: bool = False,
    ) -> IndexReport:
        """Once no other run of this source is under way; see ``Library.index``. With ``may_read_apart``, many notes are
        read in a process of their own."""
        if require_open_window and (state := self._window(source, STATUS_SECONDS)) is not WindowState.OPEN:
            return window_closed(source, state)
        with self.under_way(source):
            return self._run(source, job, _How(full, without_brake, may_read_apart))

    def freshen(self, indexes: Sequence[LiveIndex], job: Job) -> tuple[SearchAge, ...]:
        """Bring up to date those that are older than their owner allows, within the limit that the owner has set."""
        return self._refresher.refresh(indexes, self._settings().refresh_seconds, job)

    def behind(self, sources: Sequence[Source], job: Job) -> int:
        """Notes that changed since the last runs; live graphs are not asked for it."""
        return sum(self._count_behind(source, job) for source in sources if source.kind not in LIVE)

    def _count_behind(self, source: Source, job: Job) -> int:
        live = self._files.index_if_made(source)
        if live is None:
            return 0
        with closing(self._open_reader(source, None)) as reader:
            return count_behind(live, reader, job)

    def count_notes(self, source: Source, job: Job) -> int:
        """How many notes a source holds now, indexed or not."""
        with closing(self._open_reader(source, None)) as reader:
            return len(reader.scan(job).refs)

    def note_statuses(self, source: Source, job: Job) -> list[NoteStatus]:
        """How every note stands, and why; live graphs are not asked what has changed."""
        live = self._files.index(source)
        if source.kind in LIVE:
            return note_statuses(live, None, job)
        with closing(self._open_reader(source, None)) as reader:
            return note_statuses(live, reader, job)

    def under_way(self, source: Source) -> threading.Lock:
        """Held while a run of this source is."""
        with self._lock:
            return self._under_way.setdefault(source.id, threading.Lock())

    def _run_if_free(self, source: Source, job: Job, limit: float) -> IndexReport | None:
        """Index within a limit, unless another run of this source is under way."""
        under_way = self.under_way(source)
        if not under_way.acquire(blocking=False):
            return None
        try:
            return self._run(source, job, _How(limit=limit))
        finally:
            under_way.release()

    def _run(self, source: Source, job: Job, how: _How) -> IndexReport:
        """One run; over a new file when the old one is damaged, or when a full one cannot open it."""
        one_machine.claim(self._home)  # another one may have come to the folder since
        try:
            with system_words():
                return self._run_once(source, job, how)
        except (IndexDamaged, IndexTooNew, WrongKey) as error:
            if not how.full and not isinstance(error, IndexDamaged):
                raise
            self._files.set_aside(source, error)
            return self._run_once(source, job, how)

    def _run_once(self, source: Source, job: Job, how: _How) -> IndexReport:
        live = self._files.index(source)
        embedder = self._models.get(source.options.model)
        with closing(self._open_reader(source, how.limit)) as reader:
            report = index_source(
                live,
                reader,
                embedder,
                job,
                full=how.full,
                brake_fraction=1.0 if how.without_brake else self._settings().brake_fraction,
                fingerprint=fingerprint(source),
                mark=self._mark,
                apart=functools.partial(read_apart, source, self._home)
                if how.may_read_apart and can_read_apart(source)
                else None,
            )
        self._then(live.store, source, job)
        return report
