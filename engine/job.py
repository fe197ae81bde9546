"""``Job``: one argument that carries cancel, pause and progress through a long engine function.

The engine calls ``check()`` between steps and ``report()`` as it goes; whoever started the work polls
``snapshot()``. No threads here, only the primitives that make the calls safe from another thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine.errors import Cancelled


@dataclass(frozen=True, slots=True)
class Progress:
    """The latest state of a job. ``total`` is 0 while unknown."""

    stage: str = ""
    done: int = 0
    total: int = 0
    detail: str = ""
    rate: float = 0.0
    """Items per second over this stage."""
    seconds_left: float | None = None
    is_paused: bool = False
    is_cancelled: bool = False


class Job:
    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._cancelled = threading.Event()
        self._running = threading.Event()
        self._running.set()
        self._lock = threading.Lock()
        self._progress = Progress()
        self._stage_started = clock()
        self._stage_base = 0
        self._interrupts: list[Callable[[], None]] = []
        self._watchers: list[Callable[[bool], None]] = []

    def cancel(self) -> None:
        """Ask the work to stop; also interrupts the database cursor in use. Never blocks."""
        self._cancelled.set()
        self._running.set()
        with self._lock:
            interrupts = list(self._interrupts)
        for interrupt in interrupts:
            interrupt()

    def pause(self) -> None:
        self._running.clear()
        self._tell_watchers(True)

    def resume(self) -> None:
        self._running.set()
        self._tell_watchers(False)

    def _tell_watchers(self, is_paused: bool) -> None:
        with self._lock:
            watchers = list(self._watchers)
        for watcher in watchers:
            watcher(is_paused)

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def is_paused(self) -> bool:
        return not self._running.is_set()

    def check(self) -> None:
        """Wait while paused, then raise ``Cancelled`` if asked to stop."""
        self._running.wait()
        if self._cancelled.is_set():
            raise Cancelled

    @contextmanager
    def interruptible(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Let ``cancel`` call ``interrupt`` while the body runs (a cursor's ``interrupt``, a client's ``close``)."""
        self.check()
        with self._lock:
            self._interrupts.append(interrupt)
        try:
            yield
        finally:
            with self._lock:
                self._interrupts.remove(interrupt)

    @contextmanager
    def watched(self, watcher: Callable[[bool], None]) -> Iterator[None]:
        """Let ``pause`` and ``resume`` tell ``watcher`` while the body runs: the work goes on in another process."""
        with self._lock:
            self._watchers.append(watcher)
        if self.is_paused:
            watcher(True)
        try:
            yield
        finally:
            with self._lock:
                self._watchers.remove(watcher)

    def report(self, stage: str, done: int, total: int = 0, detail: str = "") -> None:
        now = self._clock()
        with self._lock:
            if stage != self._progress.stage:
                self._stage_started = now
                self._stage_base = done
            elapsed = now - self._stage_started
            moved = done - self._stage_base
            rate = moved / elapsed if elapsed > 0 and moved > 0 else 0.0
            left = (total - done) / rate if rate > 0 and total >= done else None
            self._progress = Progress(stage, done, total, detail, rate, left)

    def snapshot(self) -> Progress:
        with self._lock:
            p = self._progress
        return Progress(p.stage, p.done, p.total, p.detail, p.rate, p.seconds_left, self.is_paused, self.is_cancelled)
