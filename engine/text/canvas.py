"""JSON Canvas files: the text of cards, and what they link to. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import NoteError
from engine.model import Link, LinkKind


@dataclass(frozen=True, slots=True)
class Card:
    """A text node. ``group`` is the label of the smallest group around it, empty without one."""

    id: str
    text: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Canvas:
    cards: tuple[Card, ...] = ()
    links: tuple[Link, ...] = ()


Node = dict[str, object]


def parse_canvas(text: str) -> Canvas:
    """An empty file is an empty canvas. Raises ``NoteError`` with the line where the JSON breaks."""
    if not text.strip():
        return Canvas()
    nodes = _nodes(text)
    groups = [node for node in nodes if node.get("type") == "group" and node.get("label")]
    cards = tuple(
        Card(_text(node, "id"), _text(node, "text"), _group(node, groups))
        for node in nodes
        if node.get("type") == "text"
    )
    links = [link for node in nodes if (link := _link(node)) is not None]
    return Canvas(cards, tuple(links))


def _nodes(text: str) -> list[Node]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise NoteError(f"Not a canvas: {error.msg}.", line=error.lineno) from error
    except (RecursionError, ValueError) as error:
        raise NoteError("Not a canvas: it is nested too deeply or holds a number that is too long.") from error
    nodes = data.get("nodes", []) if isinstance(data, dict) else None
    if not isinstance(nodes, list):
        raise NoteError("Not a canvas: it has no list of nodes.", line=1)
    return [node for node in nodes if isinstance(node, dict)]


def _text(node: Node, name: str) -> str:
    value = node.get(name)
    # A lone surrogate can be written in JSON and nowhere else.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _link(node: Node) -> Link | None:
    if node.get("type") == "file" and _text(node, "file"):
        return Link(LinkKind.EMBED, _text(node, "file"), _text(node, "subpath").removeprefix("#"))
    if node.get("type") == "link" and _text(node, "url"):
        return Link(LinkKind.URL, _text(node, "url"))
    return None


def _box(node: Node) -> tuple[float, float, float, float]:
    x, y, width, height = (_coordinate(node.get(name)) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def _coordinate(value: object) -> float:
    try:
        return float(value) if isinstance(value, int | float) else 0.0
    except OverflowError:
        return 0.0


def _group(node: Node, groups: Sequence[Node]) -> str:
    left, top, right, bottom = _box(node)
    x, y = (left + right) / 2, (top + bottom) / 2
    around = [
        ((box[2] - box[0]) * (box[3] - box[1]), _text(group, "label"))
        for group in groups
        if (box := _box(group))[0] <= x <= box[2] and box[1] <= y <= box[3]
    ]
    return min(around)[1] if around else ""
