"""The real program on an X server with a window manager and a tray, touched from outside by mouse, keys and drags."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SECONDS = 30.0

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.skipif(sys.platform != "linux", reason="X11"),
    pytest.mark.skipif(not (shutil.which("xdotool") and shutil.which("openbox")), reason="xdotool and openbox"),
]


class Program:
    """A program of the tests, and the lines it prints."""

    def __init__(self, words: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))

    def line(self, start: str) -> str:
        """The next line that begins so; the others are passed over."""
        deadline = time.monotonic() + SECONDS
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except queue.Empty:
                break
            if line.startswith(start):
                return line
        pytest.fail(f"the program did not say '{start}'")

    def newest(self, start: str, known: str) -> str:
        """The newest line that begins so and has been said by now, else the one ``known``; the others are lost."""
        while not self._lines.empty():
            line = self._lines.get()
            known = line if line.startswith(start) else known
        return known

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(SECONDS)
        self._reader.join(SECONDS)


class Screen:
    def __init__(self, display: str, home: Path) -> None:
        self.environment = os.environ | {
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "LAMPLIGHT_HOME": str(home),
            "XDG_RUNTIME_DIR": str(home),
            "PYTHONPATH": str(HERE.parents[1]),
            "WAYLAND_DISPLAY": "",
        }
        self._programs: list[Program] = []

    def start(self, name: str, *words: str) -> Program:
        program = Program([str(HERE / name), *words], self.environment)
        self._programs.append(program)
        return program

    def do(self, *words: object) -> str:
        command = ["xdotool", *map(str, words)]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False).stdout

    def windows(self, name: str) -> list[str]:
        return self.do("search", "--onlyvisible", "--name", name).split()

    def until(self, condition: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + SECONDS
        while not condition():
            if time.monotonic() > deadline:
                pytest.fail(f"on the screen it did not come to this: {what}")
            threading.Event().wait(0.05)

    def patiently(self, act: Callable[[], object], condition: Callable[[], object]) -> bool:
        """Act, and again after some seconds without effect."""
        for _ in range(5):
            act()
            deadline = time.monotonic() + SECONDS / 6
            while time.monotonic() < deadline:
                if condition():
                    return True
                threading.Event().wait(0.05)
        return False

    def end(self) -> None:
        for program in reversed(self._programs):
            program.end()


@pytest.fixture
def screen(x_server: str, tmp_path: Path) -> Iterator[Screen]:
    home = tmp_path / "home"
    (home / "config").mkdir(parents=True)
    made = Screen(x_server, home)
    try:
        yield made
    finally:
        made.end()


@pytest.fixture
def tray(x_server: str) -> Iterator[None]:
    if shutil.which("trayer") is None:
        pytest.skip("trayer, a host of tray icons, is not installed")
    words = ["trayer", "--edge", "bottom", "--align", "right", "--widthtype", "request", "--height", "32"]
    host = subprocess.Popen(words, env=os.environ | {"DISPLAY": x_server}, stderr=subprocess.DEVNULL)
    yield
    host.terminate()
    host.wait(10)


def test_a_click_on_the_tray_icon_shows_quick_search_and_escape_hides_it(screen: Screen, tray: None) -> None:
    program = screen.start("real_screen_app.py")
    place = program.line("tray")

    def click() -> None:
        nonlocal place
        place = program.newest("tray", place)
        screen.do("mousemove", *place.split()[1:], "click", 1)

    # The tray moves the icon while it makes room: a click may come before the icon stands where it says.
    assert screen.patiently(click, lambda: screen.windows("Quick search")), "quick search is not shown"
    quick = screen.windows("Quick search")[0]
    screen.until(lambda: screen.do("getactivewindow").strip() == quick, "quick search has the keys")
    screen.do("type", "hive")
    program.line("search hive")
    screen.do("key", "Escape")
    screen.do("key", "Escape")
    screen.until(lambda: not screen.windows("Quick search"), "quick search is gone")


def test_the_keys_quit_also_after_the_window_was_hidden_in_the_tray(screen: Screen, tray: None) -> None:
    from engine.paths import find_home, prepare_home
    from engine.settings import Settings, save

    home = find_home(Path(screen.environment["LAMPLIGHT_HOME"]))
    prepare_home(home)
    save(home, Settings(close_to_tray="tray"))
    program = screen.start("real_screen_app.py")
    program.line("tray")
    for _ in range(2):
        screen.until(lambda: screen.windows("^Lamplight$"), "the window is shown")
        screen.do("windowactivate", "--sync", screen.windows("^Lamplight$")[0])
        hidden = screen.patiently(lambda: screen.do("key", "alt+F4"), lambda: not screen.windows("^Lamplight$"))
        assert hidden, "the window is not hidden"
        assert not program.has_ended
        words = [sys.executable, str(HERE / "real_screen_app.py")]
        subprocess.run(words, env=screen.environment, stdout=subprocess.DEVNULL, timeout=SECONDS, check=True)
    screen.until(lambda: screen.windows("^Lamplight$"), "the window is shown again")
    screen.do("windowactivate", "--sync", screen.windows("^Lamplight$")[0])
    assert screen.patiently(lambda: screen.do("key", "ctrl+q"), lambda: program.has_ended), "it goes on"


def test_a_second_start_hands_its_link_over_and_ends(screen: Screen) -> None:
    first = screen.start("real_screen_app.py")
    screen.until(lambda: screen.windows("Lamplight"), "the window is shown")
    words = [sys.executable, str(HERE / "real_screen_app.py"), "lamplight://search?q=plum%20tree"]
    second = subprocess.run(words, env=screen.environment, stdout=subprocess.DEVNULL, timeout=SECONDS, check=False)
    assert second.returncode == 0
    first.line("search plum tree")
    assert len(screen.windows("^Lamplight$")) == 1


def test_keys_pressed_over_another_program_show_quick_search_and_open_a_note(screen: Screen, tmp_path: Path) -> None:
    from engine.paths import find_home, prepare_home
    from engine.settings import Settings, save

    home = find_home(tmp_path / "home")
    prepare_home(home)
    save(home, Settings(quick_keys="Ctrl+Alt+Space"))
    program = screen.start("real_screen_app.py")
    screen.start("drag_source.py", str(tmp_path))
    screen.until(lambda: screen.windows("Drag source") and screen.windows("Lamplight"), "both programs are shown")
    screen.do("windowactivate", "--sync", screen.windows("Drag source")[0])

    def pressed() -> bool:
        screen.do("key", "ctrl+alt+space")
        threading.Event().wait(0.3)
        return bool(screen.windows("Quick search"))

    screen.until(pressed, "the keys show quick search")
    screen.do("type", "hive")
    program.line("search hive")
    screen.do("key", "Return")
    assert "Bees" in program.line("open")


def test_a_folder_dragged_from_another_program_is_added(screen: Screen, tmp_path: Path) -> None:
    vault = tmp_path / "Ünlü notes"
    vault.mkdir()
    program = screen.start("real_screen_app.py")
    screen.start("drag_source.py", str(vault))
    screen.until(lambda: screen.windows("Drag source") and screen.windows("Lamplight"), "both programs are shown")
    window, source = screen.windows("^Lamplight")[0], screen.windows("Drag source")[0]
    screen.do("windowmove", "--sync", window, 20, 40)
    screen.do("windowactivate", "--sync", source)
    screen.do("mousemove", "--window", source, 60, 60, "mousedown", 1)
    for step in range(12):
        # The other side answers each movement before it takes the next.
        screen.do("mousemove", 1300 - 80 * step, 120 + 20 * step)
        threading.Event().wait(0.08)
    screen.do("mouseup", 1)
    assert program.line("add") == f"add {vault}"
