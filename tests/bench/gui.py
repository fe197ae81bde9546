"""The window's own speed: time to the first paint, and how long the event loop is away while notes are indexed.

``python tests/bench/gui.py [--passages N] [--seconds S]`` prints a table and one line of JSON. Times are in
milliseconds. First paint is measured in new processes, from the start of the interpreter to the end of the first
paint of the window.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

TICK_MS = 5
KEY_MS = 120
WORDS = (
    "lamp",
    "harbour",
    "keeper",
    "oil",
    "wick",
    "rock",
    "fog",
    "bell",
    "tide",
    "stone",
    "letter",
    "winter",
    "glass",
)
QUERY = "the light that keeps ships from the rocks "


def first_paint() -> None:
    """In a process of its own: print the milliseconds from the given start to the first paint, then end."""
    gc.disable()  # As ``gui.__main__`` does.
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from engine.paths import find_home
    from gui.app import App

    app = QApplication([])
    home = find_home(Path(tempfile.mkdtemp()))
    parts = App(app, home, lambda _home, _show: None)  # type: ignore[arg-type, return-value]
    parts.window.show()
    started = float(sys.argv[2])
    QTimer.singleShot(0, lambda: print((time.time() - started) * 1000, time.process_time() * 1000, flush=True))
    QTimer.singleShot(1, lambda: os._exit(0))
    app.exec()


def measure_paint(times: int) -> list[tuple[float, float]]:
    """(time on the clock, time of the processor) of each start."""
    found = []
    for _ in range(times):
        words = [sys.executable, __file__, "--paint-since", str(time.time())]
        printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
        found.append((float(printed[0]), float(printed[1])))
    return found


def write_vault(folder: Path, passages: int) -> None:
    """Notes of five sections each, of plain words; enough text for a real load."""
    for note in range(passages // 5):
        sections = []
        for section in range(5):
            text = " ".join(WORDS[(note * 7 + section * 3 + i * (1 + section)) % len(WORDS)] for i in range(60))
            sections.append(f"## Part {section} of {note}\n\n{text}.\n")
        (folder / f"Note {note}.md").write_text(f"# Note {note}\n\n" + "\n".join(sections), "utf-8")


def measure_gaps(passages: int, seconds: float) -> tuple[list[float], int]:
    """How late a 5 ms timer comes while a vault is indexed and somebody types; and passages indexed meanwhile."""
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from engine.library import Library
    from engine.paths import find_home
    from gui.app import App

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    folder = Path(tempfile.mkdtemp())
    vault = folder / "vault"
    vault.mkdir()
    write_vault(vault, passages)
    parts = App(app, find_home(folder / "home"), lambda home, _show: Library.open(home))
    parts.start()
    late: list[float] = []
    last = time.perf_counter()
    typed = 0

    def tick() -> None:
        nonlocal last
        now = time.perf_counter()
        late.append((now - last) * 1000 - TICK_MS)
        last = now

    def begin() -> None:
        nonlocal last
        last = time.perf_counter()
        timer.start()
        keys.start()

    def type_key() -> None:
        nonlocal typed
        text = QUERY[: typed % len(QUERY) + 1]
        parts.window.search_box.setText(text)
        typed += 1

    timer = QTimer(interval=TICK_MS)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    keys = QTimer(interval=KEY_MS)
    keys.timeout.connect(type_key)
    parts.ops.opened.connect(lambda: parts.window.add_locations([str(vault)]))
    parts.ops.indexed.connect(lambda _: app.quit())
    QTimer.singleShot(1000, begin)
    QTimer.singleShot(int(seconds * 1000), app.quit)
    app.exec()
    timer.stop()
    keys.stop()
    library = parts.ops._library
    indexed = sum(status.passages for status in library.sources()) if library is not None else 0
    parts.window.close()
    parts.close()
    return late, indexed


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--passages", type=int, default=10_000)
    options.add_argument("--seconds", type=float, default=30.0)
    options.add_argument("--paints", type=int, default=7)
    options.add_argument("--paint-since", type=float)
    chosen = options.parse_args()
    if chosen.paint_since:
        first_paint()
        return
    paints = measure_paint(chosen.paints)
    late, indexed = measure_gaps(chosen.passages, chosen.seconds)
    quantiles = statistics.quantiles(late, n=1000)
    figures = {
        "first_paint_median": statistics.median(wall for wall, _ in paints),
        "first_paint_best": min(paints)[0],
        "first_paint_worst": max(paints)[0],
        "first_paint_cpu": statistics.median(cpu for _, cpu in paints),
        "gap_p50": quantiles[499],
        "gap_p99": quantiles[989],
        "gap_worst": max(late),
        "gaps_measured": len(late),
        "passages_indexed": indexed,
    }
    for name, value in figures.items():
        print(f"{name:20} {value:10.1f}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
