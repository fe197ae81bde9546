"""What other programs do with the library: told where this process hosts it, looked for where another one does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from engine import model
from engine.job import Job, Progress
from engine.model import Changed, SourceId
from gui import tr
from gui.asking import Asking
from gui.feed import Feed, ended_before
from gui.index_runs import RENEW_SECONDS

if TYPE_CHECKING:
    from engine.model import Run, SourceStatus
    from engine.settings import Settings
    from gui.library_like import LibraryLike

NEWS_MS = 4_000
"""Where another process hosts the library, its sources are compared with what is shown this often."""


class Others(QObject):
    told = Signal(object)
    """``Changes`` that another process made through the library we host. Comes from another thread, like the next."""
    told_moved = Signal(str, object)
    """Source id and ``Progress`` of a run for another process; None when it is over."""
    changed = Signal(object)
    """``Changes`` that we were told of."""
    wrote = Signal(object)
    """``Changes`` of the index that a run for another process has made by now."""
    differs = Signal(object)
    """Sources, searches or settings are not what they were at the last look. ``Settings`` as they are now."""

    def __init__(
        self,
        asking: Asking,
        feed: Feed,
        statuses: Callable[[], tuple[SourceStatus, ...]],
        is_indexing: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._asking, self._feed, self._statuses, self._is_indexing = asking, feed, statuses, is_indexing
        self._works: dict[str, int] = {}
        """Source id -> its number in the feed."""
        self._renewed = 0.0
        self._seen: tuple[object, Settings] | None = None
        self._news = QTimer(self, interval=NEWS_MS)
        self._news.timeout.connect(self._look)
        self.told.connect(self.changed, Qt.ConnectionType.QueuedConnection)
        self.told_moved.connect(self._on_moved, Qt.ConnectionType.QueuedConnection)

    def watch(self) -> None:
        """Look from time to time, because nobody tells."""
        self._news.start()

    def stop(self) -> None:
        self._news.stop()

    def _on_moved(self, source: str, progress: Progress | None) -> None:
        if progress is None:
            self._on_ended(source)
            return
        if source not in self._works:
            name = next((s.source.name for s in self._statuses() if s.source.id == source), source)
            note = tr("for another program")
            self._works[source] = self._feed.begin(tr("Indexing {name}").format(name=name), note=note)
        self._feed.move(self._works[source], progress)
        now = time.monotonic()
        if now - self._renewed > RENEW_SECONDS:
            self._renewed = now
            self.wrote.emit(model.Changes(frozenset({Changed.NOTES}), frozenset({SourceId(source)})))

    def _on_ended(self, source: str) -> None:
        def remember(runs: list[Run]) -> None:
            for run in [run for run in runs if run.source == source][:1]:
                self._feed.remember(ended_before(run))

        self._feed.end(self._works.pop(source, 0), None)
        self._asking.ask(
            "house", lambda library, _job: library.history(10), remember, tr("The report could not be read.")
        )

    def _look(self) -> None:
        def look(library: LibraryLike, _job: Job) -> tuple[object, Settings]:
            statuses = [(s.source, s.state, s.notes, s.passages, s.indexed_at) for s in library.sources()]
            return (statuses, library.saved_searches()), library.settings

        def compare(found: tuple[object, Settings]) -> None:
            seen, self._seen = self._seen, found
            if seen is not None and seen != found:
                self.differs.emit(found[1])

        library = self._asking.library
        if library is not None and not self._is_indexing():
            # A host that has just ended is not worth a message: the next question is answered by another.
            self._asking.tasks.run("news", lambda job: look(library, job), compare, lambda _error: None)
