"""What the window does not load before its first paint: each of these was once a tenth of the start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = """
import json, os, sys
import gui.app
def painted(self):
    from PySide6 import QtWidgets
    print(json.dumps({"modules": sorted(sys.modules), "widgets": sorted(vars(QtWidgets))}), flush=True)
    os._exit(0)
gui.app.App._after_first_paint = painted
from gui.__main__ import main
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
