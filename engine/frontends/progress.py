"""A job as a terminal shows it, and as Ctrl-C stops it."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections.abc import Iterator

from engine.frontends import render
from engine.job import Job


class TerminalJob(Job):
    """A job that shows its progress on stderr when that is a terminal, at most ten times a second."""

    def __init__(self) -> None:
        super().__init__()
        self._shown = 0.0
        self._is_terminal = sys.stderr.isatty()

    def report(self, stage: str, done: int, total: int = 0, detail: str = "") -> None:
        super().report(stage, done, total, detail)
        if self._is_terminal and time.monotonic() - self._shown >= 0.1:
            self._shown = time.monotonic()
            render.clear_line()
            sys.stderr.write(render.progress_line(self.snapshot()))
            sys.stderr.flush()

    def finish(self) -> None:
        if self._is_terminal and self._shown:
            render.clear_line()


@contextlib.contextmanager
def stoppable(job: Job) -> Iterator[None]:
    """Let Ctrl-C cancel the job instead of breaking off in the middle."""
    previous = signal.signal(signal.SIGINT, lambda *_: job.cancel())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
