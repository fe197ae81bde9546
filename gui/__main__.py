"""The program ``lamplight``: the window without words, with ``quick``, a ``lamplight://`` link or a path; otherwise the
command line.

Imports nothing heavy: a command must not pay for Qt, nor the window for the command line.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # see ``engine.paths``
if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.paths import Home
    from gui.library_like import LibraryLike


HIDDEN = "--hidden"
"""What the entry of ``gui.autostart`` adds: in the tray alone."""


def main(argv: list[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["quick"] and {"-h", "--help"} & set(words):
        return _command_line(words)
    if words[:1] == ["quick"] and _shown_by_running_window(" ".join(words[1:])):
        return 0
    if not words or words[0] in ("quick", HIDDEN) or _is_handed_over(words[0]):
        if words != [HIDDEN] and _taken_by_running_window(words):
            return 0
        from gui.display import why_none

        if why := why_none():
            sys.stderr.write(f"lamplight: {why} In a terminal, use: lamplight search WORDS (or: lamplight --help)\n")
            return 1
        lighten_start()
        from gui.app import run

        return run([sys.argv[0], *words], open_library)
    return _command_line(words)


def lighten_start() -> None:
    """Leave out what makes loading the window slow; to be called before anything of Qt is loaded."""
    # A fifth of the start would go into looking for garbage among what has just been loaded.
    gc.disable()
    # Qt's libraries call some ten thousand functions of each other: each is looked up when it is first called.
    if sys.platform != "win32":
        sys.setdlopenflags(os.RTLD_LAZY)
    import builtins

    import PySide6.QtCore  # noqa: F401

    # Qt for Python reads the source of every module that is imported, for the case that it asks for other names of
    # methods (``from __feature__ import``). None does.
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


def _command_line(words: list[str]) -> int:
    # Of what a command loads nothing is garbage: looking for it less often saves a tenth of a short one.
    gc.set_threshold(20_000)
    from engine.frontends.cli import main as command_line

    return command_line(words)


def _is_handed_over(word: str) -> bool:
    """Whether the system gave it: a link, or what was dropped on the icon. No command looks like either."""
    return word.startswith(("lamplight:", "file:")) or os.path.isabs(word)  # noqa: PTH117 - light


def _taken_by_running_window(words: list[str]) -> bool:
    from engine.paths import find_home
    from gui.handover import hand_over

    return hand_over(find_home(), words)


def open_library(home: Home, show_quick_search: Callable[[str], None]) -> LibraryLike:
    """Opened here and hosted for the command line and for language models, or attached where another process hosts it.

    Runs on a worker, after the first paint: numpy, DuckDB and the model are loaded here. ``show_quick_search`` is
    called from another thread when one of those asks for the window's quick search.
    """
    from engine import memory

    memory.keep_little()
    from engine.frontends import attach

    library = attach.open_library(home)
    if not isinstance(library, attach.RemoteLibrary):
        library.on_quick_search = show_quick_search
        library.warm_up()
    return library


def _shown_by_running_window(text: str) -> bool:
    """Quick search in the window that hosts the library: asked without loading Qt, so that it is there at once."""
    from engine.errors import EngineError
    from engine.frontends import attach
    from engine.paths import find_home

    remote = attach.connect(find_home())
    if remote is None:
        return False
    try:
        remote.show_quick_search(text)
    except EngineError:  # Its host has no window, or has just ended.
        return False
    return True


if __name__ == "__main__":
    if "pyi_rth_multiprocessing" in sys.modules:  # One that reads notes, in a package (``packaging/start_hook.py``).
        import multiprocessing

        multiprocessing.freeze_support()
    sys.exit(main())
