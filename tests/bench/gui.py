"""The window's own speed: first paint, quick search, the event loop while notes are indexed, memory, a second start.

``python tests/bench/gui.py [PART ...] [--passages N] [--seconds S] [--times N]`` prints a table and one line of JSON.
Parts: ``paint``, ``popup``, ``gaps``, ``memory``, ``handover``; all of them without a word. Times are in milliseconds
on the clock, memory in MB. Every part runs in a new process. With ``DISPLAY`` set, what is painted is measured on the
X server as well as on Qt's ``offscreen`` platform; the figure's name says which.

First paint is that of the real program, from before the interpreter starts until the event that paints the window is
done. It is *warm*: one start that is not counted leaves the program's files and their bytecode in the caches, as the
first start of the day does. So it is with the event loop: to compile a large module holds every thread for 70 ms.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from gui.app import App

PARTS = ("paint", "popup", "gaps", "memory", "handover")
TICK_MS = 5
KEY_MS = 120
POPUPS = 50
IDLE_SECONDS = 6.0
TEXT = "lamp harbour keeper oil wick rock fog bell tide stone letter winter glass"
WORDS = TEXT.split()
QUERY = "the light that keeps ships from the rocks "

STARTS = """
import sys, time
from gui.__main__ import lighten_start, main
lighten_start()
import gui.app
def painted(self):
    print((time.time() - float(sys.argv[1])) * 1000, time.process_time() * 1000, flush=True)
    self.window.do_quit()
gui.app.App._after_first_paint = painted
main([])
"""


def write_vault(folder: Path, passages: int) -> None:
    """Notes of five sections each, of plain words; enough text for a real load."""
    folder.mkdir()
    for note in range(passages // 5):
        sections = []
        for section in range(5):
            text = " ".join(WORDS[(note * 7 + section * 3 + i * (1 + section)) % len(WORDS)] for i in range(60))
            sections.append(f"## Part {section} of {note}\n\n{text}.\n")
        (folder / f"Note {note}.md").write_text(f"# Note {note}\n\n" + "\n".join(sections), "utf-8")


class QuickEmbedder:
    """The built-in model's name, size and tokenizer with random vectors: a home is filled in seconds."""

    def __init__(self) -> None:
        import numpy as np

        from engine.inference.catalog import open_embedder
        from engine.paths import find_home

        self._model = open_embedder("", find_home(Path("/nowhere")))
        self._random = np.random.default_rng(1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def embed_documents(self, texts: list[str]) -> Any:
        rows = self._random.standard_normal((len(texts), self._model.dimensions)).astype("float32")
        return rows / (rows * rows).sum(axis=1, keepdims=True) ** 0.5


def fill_home(folder: Path, passages: int) -> None:
    """In a process of its own: a home with one indexed vault."""
    from engine.job import Job
    from engine.library import Library
    from engine.paths import find_home

    write_vault(folder / "vault", passages)
    with Library.open(find_home(folder / "home"), embedder=QuickEmbedder()) as library:
        library.index(library.add(str(folder / "vault")).id, Job())


# --- inside the window's process -----------------------------------------------------------------------------------


class Sitting:
    """One running window and a person's steps in it, as a generator that yields the milliseconds to wait."""

    def __init__(self, home: Path) -> None:
        from gui.__main__ import lighten_start, open_library

        lighten_start()
        from PySide6.QtCore import Qt, QTimer
        from PySide6.QtWidgets import QApplication

        from engine.paths import find_home
        from gui.app import App

        self.app = QApplication([])
        self.app.setQuitOnLastWindowClosed(False)
        self.parts: App = App(self.app, find_home(home), open_library)
        self._next = QTimer(singleShot=True)
        self._next.setTimerType(Qt.TimerType.PreciseTimer)

    def run(self, steps: Callable[[Sitting], Any]) -> None:
        walk = steps(self)

        def step() -> None:
            try:
                self._next.start(int(next(walk)))
            except StopIteration:
                self.app.quit()

        self._next.timeout.connect(step)
        self.parts.start()
        self._next.start(1)
        self.app.exec()
        self.parts.close()

    def type(self, widget: Any, text: str) -> None:
        from PySide6.QtTest import QTest

        QTest.keyClicks(widget, text)

    def opened(self) -> Any:
        """Wait until the library is open and the sources are listed."""
        while not self.parts.ops.is_open or self.parts.ops._tasks.is_busy("library"):
            yield 50


def popup(folder: Path, _options: argparse.Namespace) -> dict[str, float]:
    """From the call to the end of the popup's paint, with a home of notes open."""
    from PySide6.QtCore import QEvent, QObject, QTimer

    sitting = Sitting(folder / "home")
    shown: list[float] = []
    began = 0.0

    class Watch(QObject):
        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            nonlocal began
            if began and event.type() in (QEvent.Type.UpdateRequest, QEvent.Type.Paint):
                QTimer.singleShot(0, done)
            return False

    def done() -> None:
        nonlocal began
        if began:
            shown.append((time.perf_counter() - began) * 1000)
            began = 0.0

    def steps(sitting: Sitting) -> Any:
        nonlocal began
        yield from sitting.opened()
        while sitting.parts.background is None:
            yield 50
        quick = sitting.parts.background.quick
        watch = Watch()
        quick.installEventFilter(watch)
        yield 1500
        for _ in range(POPUPS):
            began = time.perf_counter()
            quick.appear()
            yield 150
            quick.hide()
            yield 60

    sitting.run(steps)
    return {
        "popup_first": shown[0],
        "popup_p50": statistics.median(shown),
        "popup_p95": statistics.quantiles(shown, n=20)[18],
        "popups": len(shown),
    }


def gaps(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    """How late a 5 ms timer comes while a vault is indexed and keys are pressed in the query box.

    Without what a virtual machine's host took: it stops all processors of a guest that has used up its share, for a
    tenth of a second. Their sum, and the worst gap with them, are told beside. Under ``own``, also without the time in
    which the window's thread was ready and other threads, even those of other programs, had the processors (Linux):
    what is left on a busy machine of what a quiet one would show.
    """
    from PySide6.QtCore import Qt, QTimer

    write_vault(folder / "new vault", options.passages)
    sitting = Sitting(folder / "new home")
    late: list[float] = []
    own: list[float] = []
    taken: list[float] = []
    at: list[float] = []
    began = time.perf_counter()
    last, waited, lost = time.perf_counter(), queued(), stolen()

    def tick() -> None:
        nonlocal last, waited, lost
        now, queue, gone = time.perf_counter(), queued(), stolen()
        passed = (now - last) * 1000 - TICK_MS
        taken.append(min(max(passed, 0.0), max((b - a for a, b in zip(lost, gone, strict=True)), default=0.0)))
        late.append(passed - taken[-1])
        own.append(late[-1] - (queue - waited))
        at.append(now - began)
        last, waited, lost = now, queue, gone

    def steps(sitting: Sitting) -> Any:
        nonlocal last, waited, lost, began
        yield from sitting.opened()
        ended = []
        sitting.parts.ops.runs.ended.connect(ended.append)
        yield 500
        box = sitting.parts.window.search_box
        sitting.parts.window.add_locations([str(folder / "new vault")])
        last, waited, lost = time.perf_counter(), queued(), stolen()
        began = last
        timer.start()
        until = time.perf_counter() + options.seconds
        typed = 0
        while not ended and time.perf_counter() < until:
            if typed % len(QUERY) == 0:
                box.clear()
            sitting.type(box, QUERY[typed % len(QUERY)])
            typed += 1
            yield KEY_MS
        timer.stop()
        figures["keys_pressed"] = typed
        figures["passages_embedded"] = _embedded(sitting.parts)

    figures: dict[str, float] = {}
    timer = QTimer(interval=TICK_MS)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    sitting.run(steps)
    parts, own_parts = statistics.quantiles(late, n=1000), statistics.quantiles(own, n=1000)
    found = {"gap_p50": parts[499], "gap_p99": parts[989], "gap_worst": max(late)}
    found |= {"gaps_over_50": sum(gap > 50 for gap in late), "gap_worst_after_s": at[late.index(max(late))]}
    found |= {"gap_own_p99": own_parts[989], "gap_own_worst": max(own)}
    found |= {"gap_worst_with_stolen": max(map(sum, zip(late, taken, strict=True))), "stolen": sum(taken)}
    return found | {"gaps_measured": len(late)} | figures


def queued() -> float:
    """Milliseconds that this thread has waited for a processor since it began (Linux)."""
    file = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
    return int(file.read_text("ascii").split()[1]) / 1e6 if file.exists() else 0.0


def stolen() -> list[float]:
    """Milliseconds that the host of this virtual machine has taken from each processor since the start (Linux)."""
    file = Path("/proc/stat")
    lines = file.read_text("ascii").splitlines() if file.exists() else []
    ticks = [int(line.split()[8]) for line in lines if re.match(r"cpu\d", line)]
    return [1000 * count / os.sysconf("SC_CLK_TCK") for count in ticks]


def _embedded(parts: App) -> float:
    library = parts.ops._asking.library
    return sum(status.vectors for status in library.sources()) if library is not None else 0


def memory(folder: Path, _options: argparse.Namespace) -> dict[str, float]:
    """Resident memory with a home of notes open: as it is opened, after searches by words and by meaning, and idle
    again, when the model's weights have been let go of (after a shorter rest than a person's two minutes)."""
    from engine.inference import onnx

    onnx.REST_SECONDS = IDLE_SECONDS / 2
    figures: dict[str, float] = {}

    def steps(sitting: Sitting) -> Any:
        figures["memory_painted"] = resident()
        yield from sitting.opened()
        yield IDLE_SECONDS * 1000
        figures["memory_opened"] = resident()
        box = sitting.parts.window.search_box
        for key in QUERY[:9]:
            sitting.type(box, key)
            yield KEY_MS / 2
        sitting.parts.ops._tasks.drop("search")
        yield 100
        figures["memory_words"] = resident()
        for key in QUERY[9:]:
            sitting.type(box, key)
            yield KEY_MS
        yield 1000
        figures["memory_meaning"] = resident()
        yield 2 * IDLE_SECONDS * 1000
        figures["memory_idle"] = resident()
        figures["memory_idle_of_files"] = resident("RssFile")

    Sitting(folder / "home").run(steps)
    return figures | {"memory_of_model": model_memory(folder)}


def resident(line: str = "VmRSS") -> float:
    """MB of this process, of the named kind (Linux)."""
    for text in Path("/proc/self/status").read_text("ascii").splitlines():
        if text.startswith(f"{line}:"):
            return int(text.split()[1]) / 1024
    return 0.0


def model_memory(folder: Path) -> float:
    """What loading the model and embedding one query adds to a process that has numpy already."""
    code = (
        "import sys; sys.path[:0] = ['.', 'tests/bench']\nimport numpy\nfrom gui import tr\n"
        "import runpy; bench = runpy.run_path('tests/bench/gui.py')\n"
        "from engine.inference.catalog import open_embedder\nbefore = bench['resident']()\n"
        "from engine.paths import find_home\nopen_embedder('', find_home()).embed_query('light')\n"
        "print(bench['resident']() - before)"
    )
    return float(run([sys.executable, "-c", code], environment(folder)).strip())


# --- from outside -----------------------------------------------------------------------------------------------


def paint(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    """Starts of the real program, one after the other."""
    found = []
    for _ in range(options.times + 1):
        words = run([sys.executable, "-c", STARTS, str(time.time())], environment(folder)).split()
        found.append((float(words[0]), float(words[1])))
    warm = found[1:]
    return {
        "first_paint_median": statistics.median(wall for wall, _ in warm),
        "first_paint_best": min(warm)[0],
        "first_paint_worst": max(warm)[0],
        "first_paint_cpu": statistics.median(cpu for _, cpu in warm),
    }


def handover(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    """A second start while the window runs: from before the interpreter starts to its end."""
    surroundings = environment(folder)
    window = subprocess.Popen([sys.executable, "-m", "gui"], cwd=ROOT, env=surroundings)
    figures = {}
    try:
        time.sleep(4)  # Until it has opened its library.
        for name, words in {"handover": [], "handover_link": ["lamplight://search?q=tide"]}.items():
            times = []
            for _ in range(options.times):
                began = time.perf_counter()
                run([sys.executable, "-m", "gui", *words], surroundings)
                times.append((time.perf_counter() - began) * 1000)
            figures[f"{name}_median"] = statistics.median(times)
    finally:
        window.terminate()
        window.wait()
    return figures


def environment(folder: Path, platform: str = "") -> dict[str, str]:
    """A home of its own, and bytecode kept as Python keeps it for everybody who does not forbid it."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    kept |= {"LAMPLIGHT_HOME": str(folder / "home")}
    return kept | ({"QT_QPA_PLATFORM": platform} if platform else {})


def run(words: list[str], surroundings: dict[str, str]) -> str:
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=surroundings).stdout


def measure(part: str, folder: Path, platform: str, options: argparse.Namespace) -> dict[str, float]:
    """Run one part in a process of its own; its last line is JSON."""
    words = [sys.executable, __file__, "--inside", part, "--folder", str(folder), "--times", str(options.times)]
    words += ["--passages", str(options.passages), "--seconds", str(options.seconds)]
    printed = run(words, environment(folder, platform)).strip().splitlines()
    figures: dict[str, float] = json.loads(printed[-1])
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("parts", nargs="*", choices=(*PARTS, []), default=[])
    options.add_argument("--passages", type=int, default=10_000)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--times", type=int, default=9)
    options.add_argument("--inside", help=argparse.SUPPRESS)
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.inside == "fill":
        fill_home(chosen.folder, chosen.passages)
        print("{}")
    elif chosen.inside:
        print(json.dumps(globals()[chosen.inside](chosen.folder, chosen)))
    else:
        measure_all(chosen)


def measure_all(chosen: argparse.Namespace) -> None:
    platforms = ["offscreen", *(["xcb"] if os.environ.get("DISPLAY") else [])]
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure("fill", folder, "offscreen", chosen)
        for part in chosen.parts or PARTS:
            if part == "gaps":
                with tempfile.TemporaryDirectory() as rehearsal:
                    measure(part, Path(rehearsal), "offscreen", argparse.Namespace(**{**vars(chosen), "seconds": 8.0}))
            for platform in platforms if part in ("paint", "popup") else platforms[:1]:
                found = measure(part, folder, platform, chosen)
                figures |= {f"{key}_{platform}" if len(platforms) > 1 else key: value for key, value in found.items()}
    for key, value in figures.items():
        print(f"{key:34} {value:10.1f}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
