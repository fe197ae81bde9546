"""Builds the application and passes everything to everything; opens the library once the window has been painted."""

from __future__ import annotations

import faulthandler
import functools
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLocale, QObject, QTimer, QTranslator
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QWidget

import resources
from engine import settings as settings_file
from engine.errors import EngineError
from engine.model import NoteKey, SourceId
from engine.paths import Home, find_home, open_log, prepare_home
from gui import autostart, tr
from gui.app.instance import Instance
from gui.messages import Message
from gui.ops import Ops
from gui.state import State
from gui.tasks import Tasks
from gui.theme import Theme
from gui.window import MainWindow

if TYPE_CHECKING:
    from gui.app.background import Background
    from gui.library_like import LibraryLike


UNSEEN_MS = 1_000


def demo_locations() -> dict[str, str]:
    """The bundled notes, where they are installed, and what they are called."""
    places = {resources.path("demo", "vault"): "Demo vault", resources.path("demo", "graph.json"): "Demo graph"}
    return {str(place): name for place, name in places.items() if place.exists()}


def install_language(app: QApplication, choice: str) -> None:
    """The texts in ``choice`` (``system``, ``en``, ``de``); English where there is no translation."""
    language = QLocale.system().name()[:2] if choice == "system" else choice
    file = resources.path("translations", f"lamplight_{language}.qm")
    if choice != "system":
        QLocale.setDefault(QLocale(language))
    if not file.exists():
        return
    from PySide6.QtCore import QLibraryInfo

    # Qt's own words first: the names of keys, the menus of text fields.
    own = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath), f"qtbase_{language}.qm")
    for words in (own, file):
        translator = QTranslator(app)
        if translator.load(str(words)):
            app.installTranslator(translator)


def calm_collector() -> None:
    """Let the collector of cycles work again (see ``gui.__main__``), but seldom walk everything: each of its full
    walks stops the window, and what is loaded by now stays."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


class _FirstPaint(QObject):
    """Calls ``then`` when ``window`` has been painted for the first time: what is slow begins only then.

    X shows a window some time after it was told to. One that nobody sees is not painted, and waited for no longer than
    ``UNSEEN_MS``.
    """

    def __init__(self, window: QWidget, then: Callable[[], None]) -> None:
        super().__init__(window)
        self._window, self._then = window, then
        window.installEventFilter(self)
        QTimer.singleShot(UNSEEN_MS, self, self._go_on)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self, self._go_on)  # When all that the window holds is painted, too.
        return False

    def _go_on(self) -> None:
        self._window.removeEventFilter(self)
        then, self._then = self._then, lambda: None
        then()


Opener = Callable[[Home, Callable[[str], None]], "LibraryLike"]
"""Opens the library, on a worker; given the home and what to call, from any thread, when quick search is asked for."""


class App:
    """The parts of one running window, in the order in which they are built and taken down."""

    def __init__(self, app: QApplication, home: Home, opener: Opener) -> None:
        prepare_home(home)
        settings, _ = settings_file.load(home)
        self._settings = settings
        self._open = functools.partial(opener, home)
        self.background: Background | None = None
        install_language(app, settings.language)
        self.theme = Theme(app, settings.theme)
        self.tasks = Tasks()
        self.ops = Ops(self.tasks)
        self.state = State(home.config)
        self.window = MainWindow(self.ops, self.theme, self.state, settings, home, demo_locations())
        self.theme.apply()
        self._links: list[str] = []
        self._places: list[str] = []
        self._quick_text: str | None = None
        """What quick search was asked for before it was built."""
        self.ops.opened.connect(calm_collector)  # The engine, numpy and DuckDB have been loaded by now.
        self.ops.opened.connect(self._open_links)
        self.ops.opened.connect(self.tasks.warm_up)

    def start(self, *, is_hidden: bool = False, painted: Callable[[], object] = lambda: None) -> None:
        """``is_hidden``: in the tray alone, and where there is none (or none yet) as small as a window can be.
        ``painted`` is called when the window has been painted."""
        self._painted = painted
        _FirstPaint(self.window, self._after_first_paint)
        if not is_hidden:
            self.window.show()
            return
        from PySide6.QtWidgets import QSystemTrayIcon

        if not QSystemTrayIcon.isSystemTrayAvailable():
            self.window.showMinimized()

    def _after_first_paint(self) -> None:
        calm_collector()
        self._painted()
        self.ops.open(functools.partial(self._open, self.ops.quick_asked.emit))
        # What the first paint does not show is built when the person's first keys have been served.
        QTimer.singleShot(0, self.window, self._complete)

    def _complete(self) -> None:
        from gui.app.background import Background
        from gui.app.news import News
        from gui.app.rehearsal import rehearse

        rehearse(self.theme, self.window)
        self.background = Background(self.ops, self.theme, self.window, self._settings)
        News(self.ops, self.window)
        self._show_quick()

    def show_words(self, words: list[str]) -> None:
        """Quick search for ``quick``; else come to the front, show what the links among ``words`` name, and add the
        folders and exports among them, which were dropped on the icon."""
        if words[:1] == ["quick"]:
            self._quick_text = " ".join(words[1:])
            self._show_quick()
            return
        self.window.come_to_front()
        self._links += [word for word in words if word.startswith("lamplight:")]
        if words:
            from gui.app.links import dropped_place

            self._places += filter(None, map(dropped_place, words))
        if self.ops.is_open:
            self._open_links()

    def _show_quick(self) -> None:
        if self.background is not None and self._quick_text is not None:
            self.background.show_quick(self._quick_text)
            self._quick_text = None

    def _open_links(self) -> None:
        places, self._places = self._places, []
        if places:
            self.window.add_locations(places)
        links, self._links = self._links, []
        for text in links:
            self._follow(text)

    def _follow(self, text: str) -> None:
        from gui.app.links import EntityLink, OpenLink, PathLink, SearchLink, parse_link

        link = parse_link(text)
        if isinstance(link, SearchLink):
            self.window.search_for(link.text, link.source)
        elif isinstance(link, OpenLink):
            self.window.open_note(SourceId(link.source), NoteKey(link.note))
        elif isinstance(link, EntityLink):
            self.window.show_in_graph(link.name)
        elif isinstance(link, PathLink):
            self.window.show_in_graph(link.start, link.end)
        else:
            said = tr("This link is not one that Lamplight knows.")
            self.window.say(Message(said, text[:200], "info"))

    def close(self) -> None:
        if self.background is not None:
            self.background.close()
        self.ops.close()


def run(argv: list[str], open_library: Opener) -> int:
    """Run the window until it is closed. ``argv`` begins with the program's name."""
    # Chosen with words: what ``setStyle`` gives back would load every enumeration of a style before the first paint.
    app = QApplication.instance() or QApplication([*argv[:1], "-style", "fusion"])
    assert isinstance(app, QApplication)
    app.setApplicationName("lamplight")
    app.setApplicationDisplayName("Lamplight")
    app.setDesktopFileName("lamplight")
    app.setWindowIcon(QIcon(str(resources.path("icons", "lamplight.svg"))))
    home = find_home()
    try:
        prepare_home(home)
        crash_log = open_log(home.crash_log)
    except EngineError as error:
        return _refuse_to_start(error)
    with crash_log:
        faulthandler.enable(crash_log)
        sys.excepthook = _log_uncaught
        code = _run_window(app, home, argv[1:], open_library)
        faulthandler.disable()
    return code


def _refuse_to_start(error: EngineError) -> int:
    from PySide6.QtWidgets import QMessageBox  # Only for a start that fails.

    sys.stderr.write(f"lamplight: {error}\n")
    QMessageBox.critical(None, "Lamplight", str(error))
    return 1


def _run_window(app: QApplication, home: Home, words: list[str], open_library: Opener) -> int:
    is_hidden = words[:1] == [autostart.HIDDEN]
    words = words[is_hidden:]
    instance = Instance(home, app)
    if not instance.claim():
        if is_hidden or instance.hand_over(words):
            return 0
        sys.stderr.write("Lamplight is running already, but its window does not answer.\n")
        return 1
    parts = App(app, home, open_library)
    app.setQuitOnLastWindowClosed(False)  # Hidden in the tray, it goes on.
    # Not ``quit``, which first closes every window and goes on when one of them stays.
    parts.window.closed.connect(lambda: app.exit(0))
    instance.received.connect(parts.show_words)
    if sys.platform == "darwin":
        from gui.app.opened import Opened

        opened = Opened(app)
        opened.received.connect(parts.show_words)

    def painted() -> None:
        from gui.app.system_signals import end_on_signals

        instance.listen()
        end_on_signals(parts.window.do_quit, app)

    parts.start(is_hidden=is_hidden, painted=painted)
    if not is_hidden:
        parts.show_words(words)
    code = app.exec()
    parts.close()
    instance.release()
    return code


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: object) -> None:
    """An error in a slot is written down; the window stays."""
    import logging  # Takes longer to load than most of what the first paint needs.

    logging.getLogger(__name__).error("uncaught error", exc_info=error)
