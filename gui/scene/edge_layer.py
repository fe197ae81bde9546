"""The lines between structures and the ground beneath them, painted into a picture while the view rests, a slice at a
time; moving only shifts it.

Lines are what makes a map slow and unreadable: at most ``MOST`` are drawn, those that matter most; the others appear
as one goes nearer.
"""

from __future__ import annotations

import time

import numpy as np
from PySide6.QtCore import QLineF, QObject, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from gui.scene.camera import Camera
from gui.scene.ground import draw_ground
from gui.scene.looks import mixed
from gui.scene.map_data import Flags, Floats, Ints, MapData
from gui.theme import Roles

MOST = 1_500
SMOOTH = 700
"""Up to so many lines are drawn with smooth edges and dashes."""
SLICE = 100
SLICE_SECONDS = 0.006
MARGIN = 0.3
"""Beyond each side of the view, as part of it, so that a short way uncovers nothing."""


class EdgeLayer(QObject):
    ready = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[QPixmap, Camera, QSize] | None = None
        self._fresh: tuple[QPixmap, Camera, QSize] | None = None
        self._lines: list[tuple[bool, list[QLineF]]] = []
        self._pens: tuple[QPen, QPen] = (QPen(), QPen())
        self._is_smooth = False
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._slice)
        self.drawn = self.total = 0
        """Lines in the picture, and in its part of the map."""

    def forget(self) -> None:
        self._timer.stop()
        self._shown = None

    def stop(self) -> None:
        self._timer.stop()

    def begin(self, data: MapData, camera: Camera, size: QSize, ratio: float, roles: Roles) -> None:
        """Paint anew what ``camera`` sees; ``ready`` when it is done."""
        left, top = size.width() * MARGIN, size.height() * MARGIN
        picture = QPixmap(QSize(round((size.width() + 2 * left) * ratio), round((size.height() + 2 * top) * ratio)))
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(roles.window))
        points = camera.moved(left, top).to_screen(data.places)
        whole = size.width() + 2 * left, size.height() + 2 * top
        painter = QPainter(picture)
        draw_ground(painter, data, camera, points, whole, roles)
        painter.end()
        chosen = visible_lines(points, data.edges, *whole)
        self.total = len(chosen)
        chosen = chosen[:MOST]
        self.drawn = len(chosen)
        self._is_smooth = len(chosen) <= SMOOTH
        self._pens = line_pens(roles, len(chosen))
        self._lines = _sliced(points, data.edges[chosen], data.inferred[chosen])
        self._fresh = picture, camera, size
        self._timer.start()

    def draw(self, painter: QPainter, camera: Camera) -> None:
        if self._shown is None:
            return
        picture, seen, size = self._shown
        factor = camera.cell / seen.cell
        left = camera.left - (seen.left + size.width() * MARGIN) * factor
        top = camera.top - (seen.top + size.height() * MARGIN) * factor
        whole = picture.deviceIndependentSize()
        if factor == 1.0:
            painter.drawPixmap(QPointF(round(left), round(top)), picture)
        else:
            target = QRectF(left, top, whole.width() * factor, whole.height() * factor)
            painter.drawPixmap(target, picture, QRectF(picture.rect()))

    def _slice(self) -> None:
        if self._fresh is None:
            self._timer.stop()
            return
        painter = QPainter(self._fresh[0])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self._is_smooth)
        until = time.monotonic() + SLICE_SECONDS
        while self._lines and time.monotonic() < until:
            is_inferred, lines = self._lines.pop()
            painter.setPen(self._pens[is_inferred])
            painter.drawLines(lines)
        painter.end()
        if not self._lines:
            self._timer.stop()
            self._shown, self._fresh = self._fresh, None
            self.ready.emit()


def visible_lines(points: Floats, edges: Ints, width: float, height: float) -> Ints:
    """Positions of the lines that may cross the picture."""
    one, other = points[edges[:, 0]], points[edges[:, 1]]
    low, high = np.minimum(one, other), np.maximum(one, other)
    crossing = (high[:, 0] >= 0) & (low[:, 0] <= width) & (high[:, 1] >= 0) & (low[:, 1] <= height)
    if crossing.sum() > MOST:  # Then those that only pass through say nothing about what is seen.
        size = (width, height)
        ends = [((end >= 0) & (end <= size)).all(1) for end in (one, other)]
        both, either = crossing & ends[0] & ends[1], crossing & (ends[0] ^ ends[1])
        return np.concatenate([np.flatnonzero(both), np.flatnonzero(either)])
    return np.flatnonzero(crossing)


def line_pens(roles: Roles, count: int) -> tuple[QPen, QPen]:
    """For what was written and what was inferred; paler the more there are. Opaque: see-through lines are slow."""
    strength = 0.62 if count <= SMOOTH // 3 else 0.4 if count <= SMOOTH else 0.22
    written = QPen(mixed(QColor(roles.window), QColor(roles.muted), strength), 1.3 if count <= SMOOTH else 1.5)
    inferred = QPen(written)
    if count <= SMOOTH:
        inferred.setStyle(Qt.PenStyle.CustomDashLine)
        inferred.setDashPattern([4, 3.5])
    else:
        inferred.setColor(mixed(QColor(roles.window), QColor(roles.muted), strength / 2))
    return written, inferred


def as_lines(points: Floats, edges: Ints) -> list[QLineF]:
    ends = np.concatenate([points[edges[:, 0]], points[edges[:, 1]]], 1).tolist()
    return [QLineF(*end) for end in ends]


def _sliced(points: Floats, edges: Ints, inferred: Flags) -> list[tuple[bool, list[QLineF]]]:
    """Taken from the end: the lines that matter most are painted last, over the others."""
    slices = []
    for kind in (False, True):
        lines = as_lines(points, edges[inferred == kind])
        slices += [(kind, lines[at : at + SLICE]) for at in range(0, len(lines), SLICE)]
    return slices
