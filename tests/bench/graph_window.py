"""How long a frame of the map takes while it is moved: ``python tests/bench/graph_window.py``.

Made-up graphs of 5,000 entities with 15,000 relations and of 20,000 with 60,000, all of them on the map. Prints a table
and one line of JSON: 50th and 95th percentile of a frame in milliseconds, wall clock and processor time of the process
(which other programs on the machine do not disturb), for panning, zooming and the work at rest.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

SIZES = ((5_000, 15_000), (20_000, 60_000))
FRAMES = 120


def made_up(entities: int, relations: int) -> object:
    from engine.knowledge.layout import lay_out
    from engine.model import LayoutRequest
    from gui.scene.map_data import Line, Structure, map_data

    chance = random.Random(3)
    kinds = ("note", "page", "tag", "person", "place", "concept", "event", "project")
    ends = [
        (int(entities * chance.random() ** 3), int(entities * chance.random()))
        for _ in range(relations)
    ]  # fmt: skip
    ends = [(a, b) for a, b in ends if a != b]
    degrees = [0] * entities
    for one, other in ends:
        degrees[one] += 1
        degrees[other] += 1
    groups = tuple(chance.randrange(entities // 100) for _ in range(entities))
    cells = lay_out(LayoutRequest((None,) * entities, tuple(ends), groups))
    structures = [
        Structure(f"e{at}", f"Entity number {at}", kinds[at % len(kinds)], degrees[at], chance.random() > 0.2)
        for at in range(entities)
    ]
    return map_data(structures, cells, [Line(a, b, chance.random() > 0.2) for a, b in ends])


def measured(times: list[tuple[float, float]]) -> dict[str, float]:
    result = {}
    for name, column in (("wall", 0), ("cpu", 1)):
        ordered = sorted(one[column] * 1000 for one in times)
        result[f"{name}_p50"] = round(ordered[len(ordered) // 2], 1)
        result[f"{name}_p95"] = round(ordered[int(len(ordered) * 0.95)], 1)
    return result


def frames(widget: object, move: Callable[[int], None]) -> dict[str, float]:
    from PySide6.QtWidgets import QApplication

    from gui.scene.map_widget import GraphMap

    assert isinstance(widget, GraphMap)
    times = []
    for at in range(FRAMES):
        QApplication.processEvents()
        wall, cpu = time.perf_counter(), time.process_time()
        move(at)
        widget.repaint()
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    return measured(times)


def bench(entities: int, relations: int, picture: str) -> dict[str, object]:
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from gui.scene.map_data import MapData
    from gui.scene.map_widget import GraphMap
    from gui.theme import Theme

    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    data = made_up(entities, relations)
    assert isinstance(data, MapData)
    widget = GraphMap(Theme(app, "light"))
    widget.resize(1200, 800)
    widget.show()
    QTest.qWaitForWindowExposed(widget)
    started, cpu = time.perf_counter(), time.process_time()
    done: list[float] = []
    widget.rested.connect(lambda: done.append(time.perf_counter() - started))
    widget.show_data(data, fit=True)
    while not done:
        QApplication.processEvents()
    result: dict[str, object] = {"entities": entities, "relations": relations, "platform": app.platformName()}
    result["rest"] = {"wall_ms": round(done[0] * 1000), "cpu_ms": round((time.process_time() - cpu) * 1000)}
    if picture:
        widget.grab().save(f"{picture}-{entities}.png")
    result["pan whole map"] = frames(widget, lambda at: widget.pan(6 if at % 40 < 20 else -6, 3))
    result["zoom"] = frames(widget, lambda at: widget.zoom(1.04 if at % 60 < 30 else 1 / 1.04))
    widget.fit()
    widget.zoom(6)
    widget.settle()
    result["pan near"] = frames(widget, lambda at: widget.pan(8, 4 if at % 20 < 10 else -4))
    if picture:
        widget.settle()
        QTest.qWait(1500)
        widget.grab().save(f"{picture}-{entities}-near.png")
    widget.close()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="", help="also save what is shown, under names that begin with this")
    picture = parser.parse_args().picture
    results = [bench(*size, picture) for size in SIZES]
    for one in results:
        print(f"\n{one['entities']:,} entities, {one['relations']:,} relations, drawn by {one['platform']}")
        print(f"  {'at rest':<14} {one['rest']}")
        for name in ("pan whole map", "pan near", "zoom"):
            print(f"  {name:<14} {one[name]}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
