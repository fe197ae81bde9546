"""Which names are shown on the map: the best connected first, none over another."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from gui.scene.map_data import Floats, MapData
from gui.theme import Roles

LONGEST = 26
MOST = 90
FAR_CELL, FAR_MOST = 14.0, 36
"""From far away only landmarks are named."""
PADDING = 3.0


def short_name(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def choose_labels(
    data: MapData, tops: Floats, order: Iterable[int], first: Iterable[int], metrics: QFontMetricsF, cell: float
) -> list[int]:
    """Positions of the structures that get a label: ``first`` in any case, then ``order`` as far as there is room."""
    limit = MOST if cell >= FAR_CELL else FAR_MOST
    taken: dict[tuple[int, int], list[QRectF]] = {}
    chosen: list[int] = []
    forced = set(first)
    for at in (*sorted(forced), *order):
        if len(chosen) >= limit or (at in forced and at in chosen):
            continue
        box = label_box(data.structures[at].name, tops[at], metrics).adjusted(-4, -2, 4, 2)
        cells = [(x, y) for x in _span(box.left(), box.right()) for y in _span(box.top(), box.bottom())]
        if at not in forced and any(box.intersects(one) for place in cells for one in taken.get(place, ())):
            continue
        chosen.append(at)
        for place in cells:
            taken.setdefault(place, []).append(box)
    return chosen


def label_box(name: str, top: Floats, metrics: QFontMetricsF) -> QRectF:
    """Above the structure whose upper end is at ``top``."""
    width, height = metrics.horizontalAdvance(short_name(name)) + 2 * PADDING, metrics.height()
    return QRectF(float(top[0]) - width / 2, float(top[1]) - height - 2, width, height)


def draw_label(
    painter: QPainter, name: str, top: Floats, metrics: QFontMetricsF, roles: Roles, *, is_chosen: bool = False
) -> None:
    """On a plate of its own: text over lines and walls is hard to read."""
    box = label_box(name, top, metrics)
    painter.fillRect(box, QColor(roles.selection if is_chosen else roles.window))
    painter.setPen(QColor(roles.on_selection if is_chosen else roles.text))
    painter.drawText(QPointF(box.left() + PADDING, box.top() + metrics.ascent()), short_name(name))


def _span(low: float, high: float) -> range:
    return range(int(low // 64), int(high // 64) + 1)
