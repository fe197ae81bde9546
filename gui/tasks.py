"""The only file with threads. Plain values cross; a widget or a QObject never leaves the main thread.

Work runs in named lanes with one thread each. In a *newest wins* lane a new task cancels the one before and late
results are dropped; in the other lanes tasks queue. Results wait in an inbox and one payload-free signal wakes the
main thread; progress is polled from the running jobs.
"""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from engine.errors import Cancelled
from engine.job import Job, Progress

T = TypeVar("T")

POLL_MS = 100
SWITCH_SECONDS = 0.0005
"""Python's default of 5 ms lets a busy worker hold the window for several frames."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lane:
    newest_wins: bool = False
    niceness: int = 0
    """Added to the thread's priority value where threads have one of their own (Linux)."""


LANES = {
    "library": Lane(),
    "search": Lane(newest_wins=True),
    "quick": Lane(newest_wins=True),
    "preview": Lane(newest_wins=True),
    "graph": Lane(),
    "map": Lane(newest_wins=True),
    "ask": Lane(newest_wins=True),
    "index": Lane(niceness=10),
}


@dataclass(slots=True, eq=False)
class _Task:
    lane: str
    job: Job
    done: Callable[[Any], None]
    failed: Callable[[Exception], None]
    cancelled: Callable[[], None]
    progress: Callable[[Progress], None] | None
    shown: Progress = field(default_factory=Progress)


class Tasks(QObject):
    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        sys.setswitchinterval(SWITCH_SECONDS)
        self._inbox: queue.SimpleQueue[tuple[_Task, Callable[[], None]]] = queue.SimpleQueue()
        self._executors = {
            name: ThreadPoolExecutor(1, f"lamplight-{name}", initializer=_lower_priority, initargs=(lane.niceness,))
            for name, lane in LANES.items()
        }
        self._current: dict[str, list[_Task]] = {name: [] for name in LANES}
        self._is_closed = False
        self._woken.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._poll)

    def run(
        self,
        lane: str,
        work: Callable[[Job], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        *,
        cancelled: Callable[[], None] = lambda: None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Job:
        """Run ``work`` in ``lane``; exactly one of the callbacks is called later, on the main thread.

        None is called for a task that a newer one replaced, nor after ``close``.
        """
        if LANES[lane].newest_wins:
            self.drop(lane)
        task = _Task(lane, Job(), done, failed, cancelled, progress)
        if self._is_closed:
            task.job.cancel()
            return task.job
        self._current[lane].append(task)
        self._executors[lane].submit(self._work, task, work)
        if progress is not None and not self._timer.isActive():
            self._timer.start()
        return task.job

    def drop(self, lane: str) -> None:
        """Cancel what runs in ``lane`` and deliver nothing of it."""
        for task in self._current[lane]:
            task.job.cancel()
        self._current[lane].clear()

    def is_busy(self, lane: str) -> bool:
        return bool(self._current[lane])

    def close(self) -> None:
        """Cancel everything and wait for the threads to end."""
        self._is_closed = True
        self._timer.stop()
        for lane in LANES:
            self.drop(lane)
        for executor in self._executors.values():
            executor.shutdown(wait=True, cancel_futures=True)

    def _work(self, task: _Task, work: Callable[[Job], Any]) -> None:
        outcome: Callable[[], None]
        try:
            task.job.check()
            value = work(task.job)
        except Cancelled:
            outcome = task.cancelled
        except Exception as error:  # noqa: BLE001 - whatever a worker raises is shown, never lost with its thread
            _log.debug("task in lane %s failed", task.lane, exc_info=True)
            outcome = _call(task.failed, error)
        else:
            outcome = _call(task.done, value)
        self._inbox.put((task, outcome))
        if not self._is_closed:
            self._woken.emit()

    def _deliver(self) -> None:
        while not self._is_closed:
            try:
                task, outcome = self._inbox.get_nowait()
            except queue.Empty:
                return
            if task in self._current[task.lane]:
                self._current[task.lane].remove(task)
                outcome()

    def _poll(self) -> None:
        watched = [task for tasks in self._current.values() for task in tasks if task.progress is not None]
        if not watched:
            self._timer.stop()
        for task in watched:
            now = task.job.snapshot()
            if now != task.shown and task.progress is not None:
                task.shown = now
                task.progress(now)


def _call(callback: Callable[[Any], None], value: Any) -> Callable[[], None]:
    return lambda: callback(value)


def _lower_priority(niceness: int) -> None:
    if niceness and sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
