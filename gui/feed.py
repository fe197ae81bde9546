"""What runs and ran: index runs here and for other programs, refreshes, downloads. Values and signals, no widgets."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from engine.job import Job, Progress
from gui.messages import Ended

if TYPE_CHECKING:
    from engine.model import Run

MOST_ENDED = 200


class Work(NamedTuple):
    """Something that runs now."""

    key: int
    title: str
    progress: Progress = Progress()
    can_pause: bool = False
    can_cancel: bool = False
    note: str = ""
    """Why it rests, or who asked for it."""


class Feed(QObject):
    moved = Signal(object)
    """tuple of ``Work``: all that runs now, in the order in which it began."""
    ended = Signal(object)
    """``Ended``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = itertools.count(1)
        self._works: dict[int, tuple[Work, Job | None, Callable[[], object] | None]] = {}
        self._begun = time.time()
        self.past: list[Ended] = []
        """Newest first."""

    @property
    def works(self) -> tuple[Work, ...]:
        return tuple(work for work, _, _ in self._works.values())

    def begin(
        self, title: str, job: Job | None = None, *, note: str = "", pause: Callable[[], object] | None = None
    ) -> int:
        """Show something that runs, and hand over what to call it by. Without a job it runs in another program."""
        key = next(self._numbers)
        work = Work(key, title, can_pause=job is not None, can_cancel=job is not None, note=note)
        self._works[key] = (work, job, pause)
        self.moved.emit(self.works)
        return key

    def move(self, key: int, progress: Progress, note: str | None = None) -> None:
        if key in self._works:
            work, job, pause = self._works[key]
            changed = work._replace(progress=progress, note=work.note if note is None else note)
            self._works[key] = (changed, job, pause)
            self.moved.emit(self.works)

    def end(self, key: int, ended: Ended | None) -> None:
        """It is over; without ``ended`` there is nothing to remember."""
        if self._works.pop(key, None) is not None:
            self.moved.emit(self.works)
        if ended is not None:
            self.remember(ended)

    def remember(self, ended: Ended) -> None:
        self.past.insert(0, ended)
        del self.past[MOST_ENDED:]
        self.ended.emit(ended)

    def recall(self, ended: Iterable[Ended]) -> None:
        """Add what ended before this feed began."""
        older = [one for one in ended if one.at < self._begun]
        self.past = [one for one in self.past if one.at >= self._begun] + older
        del self.past[MOST_ENDED:]

    def pause(self, key: int) -> None:
        """Pause it, or let it go on."""
        work, job, pause = self._works.get(key, (None, None, None))
        if work is None or job is None:
            return
        if pause is not None:
            pause()
        elif job.is_paused:
            job.resume()
        else:
            job.pause()
        self.move(key, job.snapshot())

    def cancel(self, key: int) -> None:
        _, job, _ = self._works.get(key, (None, None, None))
        if job is not None:
            job.cancel()


def ended_now(title: str, *, text: str = "", error: str = "") -> Ended:
    """The record of something other than an index run that has just ended."""
    return Ended(None, title, time.time(), error=error, text=text)


def ended_before(run: Run) -> Ended:
    """A run of which the library remembers the end."""
    return Ended(run.source, run.name, run.finished_at, run.report)
