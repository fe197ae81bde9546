"""Ctrl+C in the terminal, and the system's request to end, close the window in order."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier

ENDING = (signal.SIGINT, signal.SIGTERM)


def end_on_signals(end: Callable[[], object], parent: QObject) -> None:
    """Python looks at signals only while it runs, and an idle window runs none of it: a byte in a pipe wakes it."""
    if sys.platform == "win32":
        return
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    notifier = QSocketNotifier(reading, QSocketNotifier.Type.Read, parent)
    notifier.activated.connect(lambda: os.read(reading, 64))
    signal.set_wakeup_fd(writing)
    for one in ENDING:
        signal.signal(one, lambda *_: end())
