"""What the graph remembers between runs: places on the map, pins, what was put off, questions, saved views. A JSON file
beside the settings; names of entities are not in it, only their ids."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.files import open_private, read_ordinary
from engine.model import Cell, Origin, SourceId
from gui.panels.graph_index import Filters, Scope

MOST_PLACES = 30_000
MOST_QUESTIONS = 50


@dataclass
class GraphState:
    file: Path | None = None
    places: dict[str, Cell] = field(default_factory=dict)
    pinned: set[str] = field(default_factory=set)
    later: set[str] = field(default_factory=set)
    """Proposals that were put off."""
    questions: list[str] = field(default_factory=list)
    """Newest first."""
    views: dict[str, tuple[Filters, Scope]] = field(default_factory=dict)
    is_flat: bool = False

    @classmethod
    def load(cls, file: Path) -> GraphState:
        """What ``file`` says; a missing or unreadable one is a fresh start."""
        state = cls(file)
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            kept = json.loads(read_ordinary(file))
            state.places = {str(one): (int(x), int(y)) for one, (x, y) in kept["places"].items()}
            state.pinned, state.later = set(kept["pinned"]), set(kept["later"])
            state.questions = [str(one) for one in kept["questions"]]
            state.is_flat = bool(kept["is_flat"])
            state.views = {str(name): (_filters(one["filters"]), _scope(one["scope"]))
                           for name, one in kept["views"].items()}  # fmt: skip
        return state

    def save(self) -> None:
        if self.file is None:
            return
        newest = dict([*self.places.items()][-MOST_PLACES:])
        kept = {
            "places": newest,
            "pinned": sorted(self.pinned),
            "later": sorted(self.later),
            "questions": self.questions,
            "is_flat": self.is_flat,
            "views": {
                name: {"filters": _plain(asdict(filters)), "scope": _plain(asdict(scope))}
                for name, (filters, scope) in self.views.items()
            },
        }
        # A full disk or a folder that is read-only costs the memory, not the map.
        with contextlib.suppress(OSError):
            temporary = self.file.with_name(f".{self.file.name}.part")
            handle = open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(json.dumps(kept))
            temporary.replace(self.file)

    def remember_places(self, ids: tuple[str, ...], cells: tuple[Cell, ...]) -> None:
        """What was placed last is kept longest. A place that somebody else stood on before is taken from that one."""
        for one, cell in zip(ids, cells, strict=True):
            self.places.pop(one, None)
            self.places[one] = cell

    def remember_question(self, question: str) -> None:
        self.questions = [question, *(one for one in self.questions if one != question)][:MOST_QUESTIONS]


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {name: sorted(one) if isinstance(one, frozenset) else one for name, one in values.items()}


def _filters(kept: dict[str, Any]) -> Filters:
    return Filters(
        origin=Origin(kept["origin"]) if kept["origin"] else None,
        without_kinds=frozenset(kept["without_kinds"]),
        predicates=frozenset(kept["predicates"]),
        sources=frozenset(SourceId(one) for one in kept["sources"]),
        folder=kept["folder"],
        tag=kept["tag"],
        since=kept["since"],
        until=kept["until"],
        community=kept["community"],
        daily=kept["daily"],
        days=kept.get("days"),
    )


def _scope(kept: dict[str, Any]) -> Scope:
    sets = {name: frozenset(kept[name]) for name in ("expanded", "hidden", "pinned", "also")}
    return Scope(kept["focus"], int(kept["depth"]), int(kept["most"]), **sets)
