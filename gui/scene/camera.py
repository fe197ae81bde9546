"""From cells to pixels and back: isometric (two to one) or flat, moved and zoomed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QSizeF

from gui.scene.map_data import Floats

ISOMETRIC = np.array([[0.9, 0.45], [-0.9, 0.45]])
FLAT = np.array([[1.0, 0.0], [0.0, 1.0]])
NEAREST, FARTHEST = 110.0, 1.2
"""Pixels of a cell at most and at least."""


@dataclass(frozen=True, slots=True)
class Camera:
    cell: float = 30.0
    """Pixels of one cell."""
    left: float = 0.0
    top: float = 0.0
    """Where the cell (0, 0) is, in pixels."""
    is_flat: bool = False

    @property
    def axes(self) -> Floats:
        return FLAT if self.is_flat else ISOMETRIC

    def to_screen(self, places: Floats) -> Floats:
        """(n, 2) pixels of the ground of each cell."""
        return np.asarray(places @ (self.axes * self.cell) + (self.left, self.top))

    def to_cell(self, point: QPointF) -> tuple[float, float]:
        x, y = np.linalg.solve(self.axes.T * self.cell, (point.x() - self.left, point.y() - self.top))
        return float(x), float(y)

    def moved(self, dx: float, dy: float) -> Camera:
        return replace(self, left=self.left + dx, top=self.top + dy)

    def zoomed(self, factor: float, about: QPointF) -> Camera:
        """Nearer or farther, with what is at ``about`` staying there."""
        cell = min(NEAREST, max(FARTHEST, self.cell * factor))
        factor = cell / self.cell
        left, top = about.x() + (self.left - about.x()) * factor, about.y() + (self.top - about.y()) * factor
        return replace(self, cell=cell, left=left, top=top)

    def fitted(self, places: Floats, size: QSizeF, nearest: float = 56.0) -> Camera:
        """All places in view, with room for labels around."""
        if not len(places):
            return replace(self, cell=30.0, left=size.width() / 2, top=size.height() / 2)
        spread = places @ self.axes
        low, high = spread.min(0), spread.max(0)
        room = np.maximum((size.width() - 140, size.height() - 130), 60)
        cell = float(min(nearest, max(FARTHEST, (room / np.maximum(high - low, 1e-6)).min())))
        left, top = (size.width(), size.height() + 30) - (low + high) * cell
        return replace(self, cell=cell, left=float(left) / 2, top=float(top) / 2)

    def centred(self, place: Floats, size: QSizeF) -> Camera:
        x, y = place @ (self.axes * self.cell)
        return replace(self, left=size.width() / 2 - float(x), top=size.height() / 2 - float(y))
