"""The only file with threads. Plain values cross; a widget or a QObject never leaves the main thread.

Work runs in named lanes with one thread each. In a *newest wins* lane a new task cancels the one before and late
results are dropped; in the other lanes tasks queue. Results wait in an inbox and one payload-free signal wakes the
main thread; progress is polled from the running jobs.
"""

from __future__ import annotations

import os
import random
import sys
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import Shiboken

from engine.backoff import BackOff
from engine.errors import Cancelled
from engine.job import Job, Progress

if TYPE_CHECKING:
    import logging
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")

POLL_MS = 100
SWITCH_SECONDS = 0.0001
"""Python's default of 5 ms lets a busy worker hold the window for several frames."""

WATCH_PAUSE_MS = 1_000
"""Files are left alone until nothing has changed for about so long: apps save in several steps."""

WATCH_AGAIN = BackOff(5.0, 600.0)
"""Rests before folders are watched again that the system would not watch."""


class Lane(NamedTuple):
    newest_wins: bool = False
    niceness: int = 0
    """Added to the thread's priority value where threads have one of their own (Linux)."""


LANES = {
    "library": Lane(),
    "search": Lane(newest_wins=True),
    "quick": Lane(newest_wins=True),
    "quick note": Lane(newest_wins=True),
    "preview": Lane(newest_wins=True),
    "aside": Lane(newest_wins=True, niceness=5),
    "sentence": Lane(newest_wins=True, niceness=5),
    "help": Lane(newest_wins=True),
    "contents": Lane(newest_wins=True, niceness=5),
    "graph": Lane(),
    "map": Lane(newest_wins=True),
    "ask": Lane(newest_wins=True),
    "extract": Lane(niceness=5),
    "index": Lane(niceness=10),
    "watch": Lane(newest_wins=True, niceness=10),
    "refresh": Lane(niceness=10),
    "power": Lane(newest_wins=True, niceness=5),
    "news": Lane(newest_wins=True, niceness=10),
    "house": Lane(niceness=5),
    "download": Lane(niceness=10),
}

KEY_LANES = ("search", "help", "preview", "aside", "sentence")


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
        self._inbox: deque[tuple[_Task | _Watcher, Callable[[], None]]] = deque()
        self._executors: dict[str, ThreadPoolExecutor] = {}
        self._current: dict[str, list[_Task]] = {name: [] for name in LANES}
        self._is_closed = False
        self._watcher: _Watcher | None = None
        self._watchers: list[_Watcher] = []
        """Those that were stopped end by themselves a little later."""
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._deliver)
        self._woken.connect(self._next.start, Qt.ConnectionType.QueuedConnection)
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
        told = while_there(progress) if progress is not None else None
        task = _Task(lane, Job(), while_there(done), while_there(failed), while_there(cancelled), told)
        if self._is_closed:
            task.job.cancel()
            return task.job
        self._current[lane].append(task)
        self._executor(lane).submit(self._work, task, work)
        if progress is not None and not self._timer.isActive():
            self._timer.start()
        return task.job

    def warm_up(self) -> None:
        """Start the threads that follow every key, from one that runs already: to start one makes the caller wait."""
        executors = [self._executor(name) for name in KEY_LANES]
        self._executor("house").submit(lambda: [executor.submit(bool) for executor in executors])

    def _executor(self, lane: str) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor  # The first paint needs no thread.

        if lane not in self._executors:
            self._executors[lane] = ThreadPoolExecutor(
                1, f"lamplight-{lane}", initializer=_lower_priority, initargs=(LANES[lane].niceness,)
            )
        return self._executors[lane]

    def watch(self, folders: Collection[str], changed: Callable[[frozenset[str]], None]) -> None:
        """Call ``changed`` on the main thread with the paths that change below ``folders``, instead of those before."""
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None
        if folders and not self._is_closed:
            watcher = self._watcher = _Watcher(sorted(folders), lambda paths: self._arrive(watcher, changed, paths))
            self._watchers.append(watcher)

    def _arrive(self, watcher: _Watcher, changed: Callable[[frozenset[str]], None], paths: frozenset[str]) -> None:
        """From the watcher's thread."""
        self._inbox.append((watcher, lambda: changed(paths)))
        self._woken.emit()

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
        self.watch((), lambda _paths: None)
        for watcher in self._watchers:
            watcher.join()
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
            _log().debug("task in lane %s failed", task.lane, exc_info=True)
            outcome = _call(task.failed, error)
        else:
            outcome = _call(task.done, value)
        self._inbox.append((task, outcome))
        if not self._is_closed:
            self._woken.emit()

    def _deliver(self) -> None:
        """One outcome that is still wanted; keys and paint have their turn before the next."""
        while self._inbox and not self._is_closed:
            task, outcome = self._inbox.popleft()
            if isinstance(task, _Watcher):
                is_wanted = task is self._watcher
            else:
                is_wanted = task in self._current[task.lane]
                if is_wanted:
                    self._current[task.lane].remove(task)
            if is_wanted:
                try:
                    outcome()
                finally:
                    self._next.start()
                return

    def _poll(self) -> None:
        watched = [task for tasks in self._current.values() for task in tasks if task.progress is not None]
        if not watched:
            self._timer.stop()
        for task in watched:
            now = task.job.snapshot()
            if now != task.shown and task.progress is not None:
                task.shown = now
                task.progress(now)


class _Watcher:
    """A thread that waits for files to change. Hidden folders (an app's own settings, a trash) do not count."""

    def __init__(self, folders: Sequence[str], changed: Callable[[frozenset[str]], None]) -> None:
        self._folders, self._changed = folders, changed
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="lamplight-files", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()

    def join(self) -> None:
        self._thread.join()

    def _watch(self) -> None:
        failures = 0
        while not self._stopped.wait(WATCH_AGAIN.seconds(failures, random.random()) if failures else 0):
            try:
                for paths in self._batches():
                    failures = 0
                    self._changed(paths)
                return
            except (OSError, RuntimeError) as error:
                # The system watches no more folders, or one has gone; the scan every few minutes goes on meanwhile.
                failures += 1
                _log().warning("files are not watched for a while: %s", error)

    def _batches(self) -> Iterator[frozenset[str]]:
        """What changes, until the watcher is stopped."""
        from watchfiles import watch  # Loads a library of its own; nothing of it is needed at the start.

        for batch in watch(
            *self._folders,
            watch_filter=lambda _change, path: not self._is_hidden(path),
            debounce=WATCH_PAUSE_MS,
            step=WATCH_PAUSE_MS // 4,
            rust_timeout=WATCH_PAUSE_MS // 2,
            stop_event=self._stopped,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            yield frozenset(path for _, path in batch)

    def _is_hidden(self, path: str) -> bool:
        inside = next((path[len(folder) :] for folder in self._folders if path.startswith(folder)), path)
        return any(part.startswith(".") for part in inside.replace("\\", "/").split("/"))


def while_there(callback: Callable[..., None]) -> Callable[..., None]:
    """``callback``, which does nothing any more when the widget whose method it is has been deleted."""
    owner = getattr(callback, "__self__", None)
    if not isinstance(owner, QObject):
        return callback

    def call(*values: Any) -> None:
        if Shiboken.isValid(owner):
            callback(*values)

    return call


def _log() -> logging.Logger:
    import logging  # For what goes wrong; the first paint does not wait for it.

    return logging.getLogger(__name__)


def _call(callback: Callable[[Any], None], value: Any) -> Callable[[], None]:
    return lambda: callback(value)


def _lower_priority(niceness: int) -> None:
    if niceness and sys.platform == "linux":
        thread = threading.get_native_id()
        # Never below what the whole program was started with: that would be refused.
        os.setpriority(os.PRIO_PROCESS, thread, min(19, os.getpriority(os.PRIO_PROCESS, thread) + niceness))
