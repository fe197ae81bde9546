"""The real program on a library in memory, for tests that touch it from outside through an X server.

Prints what happens, a line each: ``ready``, ``tray X Y``, ``search TEXT``, ``add PATH``, ``open LINK``.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from engine.paths import Home
from gui.app import run

spec = importlib.util.spec_from_file_location("fake_library", Path(__file__).with_name("fake_library.py"))
assert spec is not None
assert spec.loader is not None
fake_library = importlib.util.module_from_spec(spec)
sys.modules["fake_library"] = fake_library
spec.loader.exec_module(fake_library)


def say(*words: object) -> None:
    print(*words, flush=True)


class SayingLibrary(fake_library.FakeLibrary):  # type: ignore[misc, name-defined]
    def add(self, location: str, *, name: str = "") -> object:
        say("add", location)
        return super().add(location, name=name)


def open_library(home: Home, _show_quick: Callable[[str], None]) -> object:
    from engine import settings

    library = SayingLibrary.with_notes()
    library.settings = settings.load(home)[0]
    library.on_search = lambda request, _job: request.typing or say("search", request.text)
    return library


places: list[QPoint] = []
"""Where the icon has stood: the tray moves it while it makes room."""


def watch_tray() -> None:
    icons = app.findChildren(QSystemTrayIcon) + [
        icon for widget in app.topLevelWidgets() for icon in widget.findChildren(QSystemTrayIcon)
    ]
    for icon in icons:
        middle = icon.geometry().center()
        if QSystemTrayIcon.isSystemTrayAvailable() and middle.x() > 0 and places[-1:] != [middle]:
            places.append(middle)
            say("tray", middle.x(), middle.y())


QDesktopServices.openUrl = lambda url: (say("open", url.toString()), True)[1]  # type: ignore[method-assign]
app = QApplication(sys.argv[:1])
timer = QTimer(interval=200)
timer.timeout.connect(watch_tray)
QTimer.singleShot(0, lambda: (say("ready"), timer.start()))
sys.exit(run(sys.argv, open_library))
