"""The window gate: whether a graph's window is open in Roam Desktop, asked without opening one.

A request about a closed graph makes Roam open its window, and an encrypted one then waits for its password. So
refreshes that nobody asked for go ahead only when the window is open already. Open is necessary, not sufficient: an
open window may still be locked.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from urllib.parse import unquote

from engine.errors import EngineError
from engine.files import read_ordinary
from engine.net.roam_api import GraphRef
from engine.sources import edn

_WINDOWS = ":roam/windows"
_URL = ":window/url"
_GRAPH = re.compile(r"#/(app|offline)/([^/?#\"\s]+)")
_LARGEST = 1 << 22


class WindowState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"
    UNKNOWN = "unknown"


def window_state(
    graph: GraphRef, open_graphs: Callable[[], Sequence[GraphRef]], config_file: Path | None = None
) -> WindowState:
    """What Roam says (``LocalApi.open_graphs``), else what its list of windows to restore says.

    Names are compared without case. ``config_file`` is the system's place by default.
    """
    return state_among(graph, graphs_with_window(open_graphs, config_file))


def graphs_with_window(
    open_graphs: Callable[[], Sequence[GraphRef]], config_file: Path | None = None
) -> Sequence[GraphRef] | None:
    """Graphs with a window; ``None`` when neither Roam nor its list tells."""
    try:
        return open_graphs()
    except EngineError:
        return restored_graphs(config_file or config_path())


def state_among(graph: GraphRef, windows: Sequence[GraphRef] | None) -> WindowState:
    """The state of one graph, given the graphs with a window."""
    if windows is None:
        return WindowState.UNKNOWN
    name = graph.name.casefold()
    is_open = any(other.name.casefold() == name and other.type == graph.type for other in windows)
    return WindowState.OPEN if is_open else WindowState.CLOSED


def config_path(
    platform: str = sys.platform, environ: Mapping[str, str] = os.environ, home: Path | None = None
) -> Path:
    """Where Roam Desktop keeps ``user-config.edn`` on this system."""
    home = home or Path.home()
    if platform == "darwin":
        base = home / "Library" / "Application Support"
    elif platform == "win32":
        base = Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        base = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    return base / "Roam Research" / "user-config.edn"


def restored_graphs(path: Path) -> tuple[GraphRef, ...] | None:
    """Graphs in the list of windows, in its order, doubles kept; ``None`` when there is no legible list."""
    try:
        values = edn.loads(read_ordinary(path, _LARGEST).decode("utf-8"))
    except (OSError, UnicodeDecodeError, EngineError):
        return None
    windows = values.get(_WINDOWS) if isinstance(values, dict) else None
    if not isinstance(windows, tuple):
        return None
    return tuple(graph for window in windows if (graph := _graph(window)) is not None)


def _graph(window: object) -> GraphRef | None:
    url = window.get(_URL) if isinstance(window, dict) else None
    found = _GRAPH.search(url) if isinstance(url, str) else None
    if found is None:
        return None
    return GraphRef(unquote(found[2]), "offline" if found[1] == "offline" else "hosted")
