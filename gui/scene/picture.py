"""The map as a file: PNG at twice its size, or SVG with every shape and name as such."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRect, QSize, QSizeF
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPaintDevice, QPainter

from gui import tr
from gui.scene.camera import Camera
from gui.scene.edge_layer import MOST, as_lines, line_pens
from gui.scene.ground import draw_ground
from gui.scene.labels import choose_labels, draw_label
from gui.scene.looks import flat_scale, height_of, look_of, paint_structure
from gui.scene.map_data import MapData
from gui.theme import Roles, font

if TYPE_CHECKING:
    from engine.model import Source

SIZE = QSize(1600, 1100)


def save_picture(place: Path, data: MapData, roles: Roles, sources: Iterable[Source], *, is_flat: bool) -> None:
    """Write the whole map to ``place``, as its ending says. Raises an ``EngineError`` when that cannot be, or lies in
    one of ``sources``."""
    from engine.library import write_files  # It has been loaded by now.

    content = _svg(data, roles, is_flat) if place.suffix.casefold() == ".svg" else _png(data, roles, is_flat)
    write_files([(place, content)], sources)


def _png(data: MapData, roles: Roles, is_flat: bool) -> bytes:
    image = QImage(SIZE * 2, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(2)
    _paint(image, data, roles, is_flat)
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(content.data())


def _svg(data: MapData, roles: Roles, is_flat: bool) -> bytes:
    # QtSvg takes 20 ms to load; only an export needs it.
    from PySide6.QtSvg import QSvgGenerator

    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(SIZE)
    generator.setViewBox(QRect(0, 0, SIZE.width(), SIZE.height()))
    generator.setTitle(tr("Map of the graph"))
    _paint(generator, data, roles, is_flat)
    return bytes(content.data())


def _paint(device: QPaintDevice, data: MapData, roles: Roles, is_flat: bool) -> None:
    painter = QPainter(device)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRect(0, 0, SIZE.width(), SIZE.height()), QColor(roles.window))
    camera = Camera(is_flat=is_flat).fitted(data.places, QSizeF(SIZE))
    points = camera.to_screen(data.places)
    draw_ground(painter, data, camera, points, (SIZE.width(), SIZE.height()), roles)
    edges, inferred = data.edges[:MOST], data.inferred[:MOST]
    for kind, pen in zip((False, True), line_pens(roles, len(edges)), strict=True):
        painter.setPen(pen)
        painter.drawLines(as_lines(points, edges[inferred == kind]))
    for at in np.argsort(data.places.sum(1), kind="stable").tolist():
        one = data.structures[at]
        paint_structure(
            painter,
            QPointF(*points[at].tolist()),
            camera.cell,
            look_of(one.kind),
            int(data.levels[at]),
            roles,
            is_flat=is_flat,
            is_written=one.is_written,
            is_bare=one.is_bare,
        )
    _paint_labels(painter, data, camera, roles)
    painter.end()


def _paint_labels(painter: QPainter, data: MapData, camera: Camera, roles: Roles) -> None:
    points = camera.to_screen(data.places)
    high = [0.42 * flat_scale(int(n)) if camera.is_flat else height_of(int(n)) + 0.3 for n in data.levels]
    tops = points - np.stack([np.zeros(len(data)), np.array(high) * camera.cell], 1)
    painter.setFont(font("small"))
    metrics = QFontMetricsF(painter.font())
    order = [int(at) for at in np.argsort(-data.levels, kind="stable")]
    for at in choose_labels(data, tops, order, (), metrics, camera.cell):
        draw_label(painter, data.structures[at].name, tops[at], metrics, roles)
