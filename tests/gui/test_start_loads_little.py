"""What the window does not load before its first paint: each of these was once a tenth of the start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = """
import json, linecache, os, sys
from gui.__main__ import lighten_start, main
lighten_start()
import gui.app
def painted(self):
    from PySide6 import QtWidgets
    loaded = {"modules": sys.modules, "widgets": vars(QtWidgets), "sources": linecache.cache}
    print(json.dumps({kind: sorted(names) for kind, names in loaded.items()}), flush=True)
    os._exit(0)
gui.app.App._after_first_paint = painted
main([])
"""
HEAVY = {
    "numpy", "duckdb", "onnxruntime", "tokenizers", "httpx", "keyring", "markdown_it", "pygments", "watchfiles",
    "asyncio", "plistlib", "xml", "tomlkit", "Xlib", "PySide6.QtSvgWidgets", "PySide6.QtPrintSupport",
    "engine.library", "gui.app.background", "gui.panels.aside", "gui.panels.graph", "gui.panels.quick",
}  # fmt: skip


def test_the_first_paint_needs_no_engine_and_few_of_qts_classes(tmp_path: Path) -> None:
    surroundings = os.environ | {"LAMPLIGHT_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    ran = subprocess.run(
        [sys.executable, "-c", START], cwd=ROOT, env=surroundings, check=True, stdout=subprocess.PIPE, text=True
    )
    loaded = json.loads(ran.stdout)
    assert not HEAVY & set(loaded["modules"])
    # Python makes a class of Qt, with its enumerations, when it is first asked for. ``QStyle`` has a dozen long ones.
    assert "QStyle" not in loaded["widgets"]
    # A widget that Qt hands out untyped (``viewport()``) makes it know every kind; nothing here uses this one.
    assert "QDial" not in loaded["widgets"]
    # Qt for Python would read what it imports, and keep it.
    assert not [file for file in loaded["sources"] if file.startswith(str(ROOT / "gui"))]
