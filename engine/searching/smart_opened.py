"""The plugin's indexes of a library's vaults: each is opened once, when it is first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from engine.model import Source, SourceId, SourceKind
from engine.paths import Home
from engine.searching.smart_tools import SmartTools, has_index


class OpenedTools:
    """Safe from any thread. ``threads`` is how many a model may use."""

    def __init__(self, home: Home, threads: Callable[[], int]) -> None:
        self._home, self._threads = home, threads
        self._lock = threading.Lock()
        self._tools: dict[SourceId, SmartTools] = {}

    def of(self, source: Source) -> SmartTools | None:
        """For a vault that the plugin has indexed."""
        root = Path(source.location)
        with self._lock:
            if source.id not in self._tools and source.kind is SourceKind.OBSIDIAN and has_index(root):
                self._tools[source.id] = SmartTools(root, self._home, threads=self._threads())
            return self._tools.get(source.id)

    def forget(self, source: Source) -> None:
        with self._lock:
            self._tools.pop(source.id, None)
