"""How each type of entity looks: a colour role and a ground plan, so that colour is never the only difference.

One painter of a structure serves the sprites of the map, the legend and the exported picture.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui import tr
from gui.scene.camera import FLAT, ISOMETRIC
from gui.theme import Roles

Plan = tuple[tuple[float, float], ...]


def _regular(corners: int, radius: float, turn: float = 0.0) -> Plan:
    steps = (turn + 2 * math.pi * at / corners for at in range(corners))
    return tuple((radius * math.cos(angle), radius * math.sin(angle)) for angle in steps)


@dataclass(frozen=True, slots=True)
class Look:
    role: str
    """Colour role of the theme."""
    plan: Plan
    """Corners of the ground plan around (0, 0), in cells."""
    shape: str
    """The plan in words."""


ROUND = 12
"""A plan with so many corners is meant to be round."""
_SQUARE: Plan = ((-0.34, -0.34), (0.34, -0.34), (0.34, 0.34), (-0.34, 0.34))
_LOOKS = {
    "note": Look("on_word", _SQUARE, "square"),
    "page": Look("on_word", _SQUARE, "square"),
    "tag": Look("on_meaning", _regular(4, 0.4), "diamond"),
    "person": Look("accent", _regular(16, 0.36), "circle"),
    "org": Look("warn", _regular(6, 0.4), "hexagon"),
    "project": Look("good", ((-0.46, -0.24), (0.46, -0.24), (0.46, 0.24), (-0.46, 0.24)), "long block"),
    "place": Look("good", _regular(3, 0.46, 0.4), "triangle"),
    "event": Look("bad", _regular(5, 0.4), "pentagon"),
    "tool": Look("link", ((-0.2, -0.44), (0.2, -0.44), (0.2, 0.44), (-0.2, 0.44)), "bar"),
    "source": Look("link", ((-0.44, -0.3), (0.2, -0.3), (0.44, 0.3), (-0.2, 0.3)), "slanted block"),
    "daily": Look("muted", _SQUARE, "stack"),
}
_OTHER = Look("muted", _regular(8, 0.36, math.pi / 8), "octagon")


def look_of(kind: str) -> Look:
    return _LOOKS.get(kind, _OTHER)


def kind_name(kind: str) -> str:
    """The type in words; one that is not known is shown as it is."""
    names = {
        "note": tr("note"), "page": tr("page"), "tag": tr("tag"), "person": tr("person"), "org": tr("organisation"),
        "project": tr("project"), "place": tr("place"), "concept": tr("concept"), "event": tr("event"),
        "tool": tr("tool"), "source": tr("published source"), "daily": tr("daily notes"),
    }  # fmt: skip
    return names.get(kind, kind)


def shape_name(kind: str) -> str:
    names = {
        "square": tr("square"), "diamond": tr("diamond"), "circle": tr("circle"), "hexagon": tr("hexagon"),
        "long block": tr("long block"), "triangle": tr("triangle"), "pentagon": tr("pentagon"), "bar": tr("bar"),
        "slanted block": tr("slanted block"), "stack": tr("square"), "octagon": tr("octagon"),
    }  # fmt: skip
    return names[look_of(kind).shape]


def height_of(level: int) -> float:
    """Of a structure, in cells."""
    return 0.28 + 0.36 * level


def flat_scale(level: int) -> float:
    """In the flat map, size stands for what height does."""
    return 0.72 + 0.13 * level


def paint_structure(
    painter: QPainter,
    ground: QPointF,
    cell: float,
    look: Look,
    level: int,
    roles: Roles,
    *,
    is_flat: bool,
    is_written: bool = True,
    is_bare: bool = False,
) -> None:
    """A structure that stands at ``ground``: solid outline for what was written, dashed for what was inferred, pale
    for a name without a note."""
    ink = QColor(getattr(roles, look.role))
    paper = QColor(roles.surface)
    body = mixed(ink, paper, 0.8 if is_bare else 0.3 if roles.is_dark else 0.38)
    pen = QPen(mixed(ink, QColor(roles.text), 0.25), max(0.8, min(1.8, cell / 26)))
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    if not is_written:
        pen.setDashPattern([2.2, 1.8])
    painter.setPen(pen)
    if is_flat:
        painter.setBrush(body)
        painter.drawPolygon(_outline(look.plan, ground, cell * flat_scale(level), FLAT.tolist(), 0))
        return
    base = _outline(look.plan, ground, cell, ISOMETRIC.tolist(), 0)
    roof = _outline(look.plan, ground, cell, ISOMETRIC.tolist(), height_of(level) * cell)
    walls = _walls(look.plan)
    painter.setPen(pen if len(look.plan) < ROUND else Qt.PenStyle.NoPen)
    for one, other, shade in walls:
        painter.setBrush(mixed(body, QColor(0, 0, 0), shade * (0.75 if is_bare else 1.0)))
        painter.drawPolygon([base[one], base[other], roof[other], roof[one]])
    painter.setPen(pen)
    if len(look.plan) >= ROUND:
        _draw_round_wall(painter, base, roof, sorted({corner for one, other, _ in walls for corner in (one, other)}))
    painter.setBrush(body)
    painter.drawPolygon(roof)


def _draw_round_wall(painter: QPainter, base: list[QPointF], roof: list[QPointF], seen: list[int]) -> None:
    """The outline of a wall without corners: both sides and the foot."""
    foot = sorted((base[at] for at in seen), key=lambda point: point.x())
    sides = sorted((roof[at] for at in seen), key=lambda point: point.x())
    painter.drawPolyline([sides[0], *foot, sides[-1]])


def mixed(one: QColor, other: QColor, part: float) -> QColor:
    """``one`` with ``part`` of ``other``."""
    pairs = zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(a + (b - a) * part) for a, b in pairs))


def _outline(plan: Plan, ground: QPointF, cell: float, axes: Sequence[Sequence[float]], up: float) -> list[QPointF]:
    (ax, ay), (bx, by) = axes
    points = (((x * ax + y * bx) * cell, (x * ay + y * by) * cell) for x, y in plan)
    return [QPointF(ground.x() + x, ground.y() + y - up) for x, y in points]


@functools.cache
def _walls(plan: Plan) -> tuple[tuple[int, int, float], ...]:
    """Pairs of corners whose wall faces the eye, the farther ones first, and how dark each is."""
    found = []
    for at, (x, y) in enumerate(plan):
        other = (at + 1) % len(plan)
        out_x, out_y = plan[other][1] - y, x - plan[other][0]
        if out_x + out_y > 1e-9:
            length = math.hypot(out_x, out_y)
            depth = x + y + plan[other][0] + plan[other][1]
            found.append((depth, at, other, 0.16 + 0.2 * max(0.0, out_x / length)))
    return tuple((one, other, shade) for _, one, other, shade in sorted(found))
