"""The structures, painted once into one picture, so that a frame only copies them: thousands in a few milliseconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPixmap
from shiboken6 import Shiboken

from gui.scene.looks import flat_scale, height_of, look_of, paint_structure
from gui.scene.map_data import Floats, Ints
from gui.theme import Roles

WIDTH = 2048
FIELDS = 10
"""Of a fragment: x, y, source left and top, width and height, scale x and y, rotation, opacity; all doubles."""


@dataclass(frozen=True, slots=True)
class Sprite:
    """What makes structures look the same."""

    kind: str
    level: int
    is_written: bool
    is_bare: bool


class Sprites:
    """``cell`` in device pixels; the frame scales what lies between two sizes."""

    def __init__(self, sprites: Sequence[Sprite], cell: float, roles: Roles, *, is_flat: bool) -> None:
        self.cell = cell
        boxes = [_box(one, cell, is_flat) for one in sprites]
        places, height = _shelves([(width, up + down) for width, up, down in boxes])
        self.rows: Floats = np.array(
            [(x, y, width, up + down, (up - down) / 2) for (x, y), (width, up, down) in zip(places, boxes, strict=True)]
        ).reshape(-1, 5)
        """Of each sprite: left, top, width, height, and how far its middle lies above the ground."""
        self.picture = QPixmap(WIDTH, max(1, height))
        self.picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(self.picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for one, (x, y), (width, up, _down) in zip(sprites, places, boxes, strict=True):
            paint_structure(
                painter,
                QPointF(x + width / 2, y + up),
                cell,
                look_of(one.kind),
                one.level,
                roles,
                is_flat=is_flat,
                is_written=one.is_written,
                is_bare=one.is_bare,
            )
        painter.end()

    def draw(self, painter: QPainter, at: Floats, which: Ints, scale: float, opacity: Floats) -> None:
        """Copy sprite ``which[i]`` with its ground at ``at[i]``, in this order."""
        if not len(at):
            return
        rows = self.rows[which]
        fields = np.empty((len(at), FIELDS))
        fields[:, 0] = at[:, 0]
        fields[:, 1] = at[:, 1] - rows[:, 4] * scale
        fields[:, 2:6] = rows[:, :4]
        fields[:, 6:8] = scale
        fields[:, 8] = 0.0
        fields[:, 9] = opacity
        # The array is alive until the call returns, and Qt keeps no part of it.
        first = cast(QPainter.PixmapFragment, Shiboken.wrapInstance(fields.ctypes.data, QPainter.PixmapFragment))
        painter.drawPixmapFragments(first, len(at), self.picture)


def _box(sprite: Sprite, cell: float, is_flat: bool) -> tuple[int, int, int]:
    """Width, and what lies above and below the ground point, in whole pixels."""
    if is_flat:
        half = math.ceil(0.5 * cell * flat_scale(sprite.level)) + 3
        return 2 * half, half, half
    up = math.ceil(cell * (height_of(sprite.level) + 0.45)) + 3
    return 2 * math.ceil(0.75 * cell) + 4, up, math.ceil(0.45 * cell) + 3


def _shelves(sizes: Sequence[tuple[int, int]]) -> tuple[list[tuple[int, int]], int]:
    """Left and top of each box on shelves of ``WIDTH``, and the height of all."""
    places, x, y, tallest = [], 0, 0, 0
    for width, height in sizes:
        if x + width > WIDTH:
            x, y, tallest = 0, y + tallest, 0
        places.append((x, y))
        x, tallest = x + width, max(tallest, height)
    return places, y + tallest
