"""Ctrl+C in a terminal, or the system's request to end, reach a window in which nothing happens."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication

if os.name != "posix":
    pytest.skip("Windows closes windows in another way", allow_module_level=True)

from gui.app.system_signals import ENDING, end_on_signals


@pytest.fixture
def ready(qapp: QApplication) -> Iterator[QApplication]:
    before = [signal.getsignal(one) for one in ENDING]
    end_on_signals(lambda: qapp.exit(0), qapp)
    yield qapp
    writing = signal.set_wakeup_fd(-1)
    for notifier in qapp.findChildren(QSocketNotifier):
        os.close(notifier.socket())
        notifier.deleteLater()
    os.close(writing)
    for one, handler in zip(ENDING, before, strict=True):
        signal.signal(one, handler)


@pytest.mark.parametrize("sent", ENDING)
def test_it_ends_in_order(ready: QApplication, sent: signal.Signals) -> None:
    begun, begin = os.pipe()
    pid = os.fork()
    if not pid:  # From outside, once the window waits: this process runs no Python then.
        os.read(begun, 1)
        os.kill(os.getppid(), sent)
        os._exit(0)
    QTimer.singleShot(0, lambda: os.write(begin, b"x"))
    guard = QTimer(singleShot=True, interval=20_000)
    guard.timeout.connect(lambda: ready.exit(9))
    guard.start()
    assert ready.exec() == 0
    os.waitpid(pid, 0)
    os.close(begun)
    os.close(begin)
