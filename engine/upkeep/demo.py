"""The notes that ship with Lamplight, for whoever wants to try it before giving it notes of their own."""

from __future__ import annotations

import resources
from engine.paths import Home, find_home


def demo_home(home: Home | None = None) -> Home:
    """Where the demo keeps its index: apart from the person's own sources."""
    base = home or find_home()
    root = base.data / "demo"
    return Home(root / "data", root / "config", base.logs)


def demo_sources() -> list[tuple[str, str]]:
    """(path, name) of the notes that ship with Lamplight."""
    return [
        (str(resources.path("demo", "vault")), "Demo vault"),
        (str(resources.path("demo", "graph.json")), "Demo graph"),
    ]


def demo_queries() -> list[str]:
    """Questions that share no content word with the passages that answer them."""
    return resources.path("demo", "queries.txt").read_text("utf-8").splitlines()
