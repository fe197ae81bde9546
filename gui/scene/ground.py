"""The ground that structures of one community share: a pale tint beneath them, so that it is seen what belongs
together."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.scene.camera import Camera
from gui.scene.looks import mixed
from gui.scene.map_data import Floats, MapData
from gui.theme import Roles

MOST = 800
"""Of more in view, nobody sees the tints, and they take long."""
HALF = 0.8
"""Of a tile, in cells: those of neighbours meet."""
_CORNERS = np.array([(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)])
_TURN = 137.5
"""Degrees between the hues of one community and the next: none come near each other soon."""


def tint(group: int, roles: Roles) -> QColor:
    """Of a community; it says nothing by itself, so it may come again."""
    hue = QColor.fromHsv(int(group * _TURN) % 360, 150, 200 if roles.is_dark else 210)
    return mixed(QColor(roles.window), hue, 0.16 if roles.is_dark else 0.13)


def draw_ground(
    painter: QPainter, data: MapData, camera: Camera, points: Floats, size: tuple[float, float], roles: Roles
) -> None:
    """Beneath the structures that stand in the picture; ``points`` is where, in its pixels."""
    reach = 2 * camera.cell
    seen = (points > -reach).all(1) & (points < np.array(size) + reach).all(1)
    shown = np.flatnonzero(seen & (data.groups >= 0))
    groups, counts = np.unique(data.groups[shown], return_counts=True)
    together = set(groups[counts > 1].tolist())
    if len(shown) > MOST or not together:
        return
    corners = _CORNERS @ (camera.axes * camera.cell)
    painter.setPen(Qt.PenStyle.NoPen)
    for group in sorted(together):
        painter.setBrush(tint(group, roles))
        for x, y in points[shown[data.groups[shown] == group]].tolist():
            painter.drawPolygon([QPointF(x + dx, y + dy) for dx, dy in corners.tolist()])
