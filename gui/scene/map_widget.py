"""The map: moves, zooms, lets structures be pointed at and walked with the keyboard. Signals what was chosen.

A frame is a shifted picture of the lines, copies of the sprites, and some labels; everything slow waits for the view
to rest. A screen reader gets the chosen structure as the description of the widget; the table beside says the rest.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from gui import plural, tr
from gui.scene.camera import Camera
from gui.scene.edge_layer import EdgeLayer, as_lines
from gui.scene.labels import choose_labels, draw_label
from gui.scene.looks import flat_scale, height_of, kind_name, mixed
from gui.scene.map_data import LEVELS, Flags, Floats, Ints, MapData, Structure
from gui.scene.sprites import Sprite, Sprites
from gui.theme import Theme, font

REST_MS = 130
DIMMED = 0.22
MOST_SPOKEN_LINES = 400
"""Lines of the chosen structure that are drawn while moving."""
_UP = np.array([height_of(level) for level in range(LEVELS)])
_FLAT_UP = np.array([0.42 * flat_scale(level) for level in range(LEVELS)])
_DIRECTIONS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}


class GraphMap(QWidget):
    chosen = Signal(str)
    """Id of the structure that is chosen now; empty for none."""
    activated = Signal(str)
    """Double click or Enter: go there."""
    menu_requested = Signal(str, QPoint)
    command = Signal(str)
    """A key that is for the panel: ``expand``, ``hide``, ``pin``, ``next``, ``previous``, ``back``."""
    rested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.camera = Camera()
        self.data = MapData()
        self._order: Ints = np.zeros(0, np.int64)
        self._which: Ints = np.zeros(0, np.int64)
        self._kinds: list[Sprite] = []
        self._lit: Flags | None = None
        self._lit_lines: Ints = np.zeros((0, 2), np.int64)
        self._sprites: Sprites | None = None
        self._labels: list[int] = []
        self._current = self._hovered = -1
        self._dragged: QPointF | None = None
        self._pressed = QPointF()
        self.edges = EdgeLayer(self)
        self.edges.ready.connect(self._on_edges)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self.settle)
        self.setObjectName("map")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(240, 200)
        self.setAccessibleName(tr("Map of the graph"))
        theme.changed.connect(self._on_theme)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_data(self, data: MapData, *, fit: bool) -> None:
        kept = self.current_id
        self.data = data
        # Farther ones first; in the flat map nothing hides anything, so the same order serves.
        self._order = np.argsort(data.places.sum(1), kind="stable") if len(data) else np.zeros(0, np.int64)
        looks = [
            Sprite(one.kind, int(level), one.is_written, one.is_bare)
            for one, level in zip(data.structures, data.levels, strict=True)
        ]
        self._kinds = list(dict.fromkeys(looks))
        numbers = {look: at for at, look in enumerate(self._kinds)}
        self._which = np.array([numbers[look] for look in looks], np.int64)
        self._sprites = None
        self._lit, self._lit_lines, self._hovered = None, np.zeros((0, 2), np.int64), -1
        self._current = data.positions.get(kept, -1)
        self.edges.forget()
        if fit:
            self.camera = self.camera.fitted(data.places, QSizeF(self.size()))
        self.settle()
        self._describe()

    def light(self, ids: Iterable[str]) -> None:
        """Show these and the lines between them, dim the rest; none lights all."""
        lit = np.zeros(len(self.data), bool)
        lit[[self.data.positions[one] for one in ids if one in self.data.positions]] = True
        self._lit = lit if lit.any() else None
        edges = self.data.edges
        self._lit_lines = edges[lit[edges[:, 0]] & lit[edges[:, 1]]] if self._lit is not None else edges[:0]
        self._choose_labels()
        self.update()

    def reveal(self, ids: Iterable[str]) -> None:
        """Show the whole map when some of these are out of view."""
        at = [self.data.positions[one] for one in ids if one in self.data.positions]
        points = self.camera.to_screen(self.data.places[at])
        if len(at) and not ((points > 0) & (points < (self.width(), self.height()))).all():
            self.fit()

    @property
    def current_id(self) -> str:
        return self.data.structures[self._current].id if 0 <= self._current < len(self.data) else ""

    def choose(self, entity: str, *, quietly: bool = False) -> None:
        """Make a structure the chosen one and bring it into view."""
        at = self.data.positions.get(entity, -1)
        if at == self._current:
            return
        self._current = at
        if at >= 0:
            self._bring_into_view(at)
        self._describe()
        self._choose_labels()
        self.update()
        if not quietly:
            self.chosen.emit(self.current_id)

    def set_flat(self, is_flat: bool) -> None:
        if is_flat != self.camera.is_flat:
            self.camera = Camera(is_flat=is_flat).fitted(self.data.places, QSizeF(self.size()))
            self._sprites = None
            self.edges.forget()
            self.settle()

    def fit(self) -> None:
        self.camera = self.camera.fitted(self.data.places, QSizeF(self.size()))
        self._moved()

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        self.camera = self.camera.zoomed(factor, about or QPointF(self.rect().center()))
        self._moved()

    def pan(self, dx: float, dy: float) -> None:
        self.camera = self.camera.moved(dx, dy)
        self._moved()

    def settle(self) -> None:
        """What is only done at rest: the lines and the choice of labels."""
        self._rest.stop()
        if self._sprites is not None and self._sprites.cell != self.camera.cell * self.devicePixelRatioF():
            self._sprites = None
        self._choose_labels()
        self.edges.begin(self.data, self.camera, self.size(), self.devicePixelRatioF(), self._theme.roles)
        self.update()

    def _moved(self) -> None:
        self.edges.stop()
        self._rest.start()
        self.update()

    def _on_edges(self) -> None:
        self.update()
        self.rested.emit()

    def _on_theme(self) -> None:
        self._sprites = None
        self.edges.forget()
        self.settle()

    def _bring_into_view(self, at: int) -> None:
        x, y = self.camera.to_screen(self.data.places[at : at + 1])[0]
        if not QRectF(self.rect()).adjusted(50, 70, -50, -40).contains(QPointF(float(x), float(y))):
            self.camera = self.camera.centred(self.data.places[at], QSizeF(self.size()))
            self._moved()

    def _describe(self) -> None:
        words = tr("Nothing is chosen. Arrow keys choose.")
        if self._current >= 0:
            words = spoken_structure(self.data.structures[self._current])
        self.setAccessibleDescription(words)

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        roles = self._theme.roles
        painter.fillRect(self.rect(), QColor(roles.window))
        if self._lit is None:
            self.edges.draw(painter, self.camera)
        points = self.camera.to_screen(self.data.places)
        self._draw_lit_lines(painter, points)
        self._draw_structures(painter, points)
        self._draw_labels(painter, points)
        if self.hasFocus():
            painter.setPen(QPen(QColor(roles.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    def _draw_lit_lines(self, painter: QPainter, points: Floats) -> None:
        roles = self._theme.roles
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if len(self._lit_lines):
            painter.setPen(QPen(QColor(roles.accent), 2))
            painter.drawLines(as_lines(points, self._lit_lines[:MOST_SPOKEN_LINES]))
        at = self._hovered if self._hovered >= 0 else self._current
        if at >= 0 and (self._lit is None or at == self._hovered):
            edges = self.data.edges
            own = edges[(edges[:, 0] == at) | (edges[:, 1] == at)][:MOST_SPOKEN_LINES]
            if len(own):
                colour = QColor(roles.accent if at == self._current else roles.muted)
                painter.setPen(QPen(mixed(colour, QColor(roles.window), 0.2), 1.8))
                painter.drawLines(as_lines(points, own))
        if self._current >= 0:
            self._draw_ring(painter, points[self._current])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _draw_ring(self, painter: QPainter, point: Floats) -> None:
        cell = max(self.camera.cell, 12.0)
        wide = cell * (
            0.62 if not self.camera.is_flat else 0.5 * flat_scale(int(self.data.levels[self._current])) + 0.2
        )
        ring = QRectF(float(point[0]) - wide, 0, 2 * wide, wide * (2 if self.camera.is_flat else 1.05))
        ring.moveCenter(QPointF(float(point[0]), float(point[1])))
        painter.setPen(QPen(QColor(self._theme.roles.focus), 2.2))
        painter.setBrush(QColor(self._theme.roles.selection))
        painter.drawEllipse(ring)

    def _draw_structures(self, painter: QPainter, points: Floats) -> None:
        sprites, scale = self._sprites_now()
        reach = self.camera.cell * 4.5 + 8
        ordered = points[self._order]
        inside = (
            (ordered[:, 0] > -reach)
            & (ordered[:, 0] < self.width() + reach)
            & (ordered[:, 1] > -reach)
            & (ordered[:, 1] < self.height() + reach)
        )
        shown = self._order[inside]
        opacity = np.ones(len(shown)) if self._lit is None else np.where(self._lit[shown], 1.0, DIMMED)
        sprites.draw(painter, ordered[inside], self._which[shown], scale, opacity)

    def _sprites_now(self) -> tuple[Sprites, float]:
        """The sprites and their scale: painted in the right size at rest, copied larger or smaller while zooming."""
        cell = self.camera.cell * self.devicePixelRatioF()
        if self._sprites is None or not 0.5 < cell / self._sprites.cell < 2:
            self._sprites = Sprites(self._kinds, cell, self._theme.roles, is_flat=self.camera.is_flat)
        return self._sprites, self.camera.cell / self._sprites.cell

    def _tops(self, points: Floats) -> Floats:
        """Upper end of each structure in pixels."""
        up = (_FLAT_UP if self.camera.is_flat else _UP)[self.data.levels] * self.camera.cell
        if not self.camera.is_flat:
            up = up + 0.3 * self.camera.cell
        return np.asarray(points - np.stack([np.zeros(len(up)), up], 1))

    def _choose_labels(self) -> None:
        if not len(self.data):
            self._labels = []
            return
        points = self.camera.to_screen(self.data.places)
        tops = self._tops(points)
        inside = (points[:, 0] > 0) & (points[:, 0] < self.width()) & (tops[:, 1] > 0) & (points[:, 1] < self.height())
        if self._lit is not None:
            inside &= self._lit
        # Wider than what can be shown, so that many short of room do not hide the rest.
        order = [int(at) for at in np.argsort(-self.data.levels, kind="stable") if inside[at]][:600]
        first = [self._current] if self._current >= 0 else []
        metrics = QFontMetricsF(font("small"))
        self._labels = choose_labels(self.data, tops, order, first, metrics, self.camera.cell)

    def _draw_labels(self, painter: QPainter, points: Floats) -> None:
        tops = self._tops(points)
        painter.setFont(font("small"))
        metrics = QFontMetricsF(painter.font())
        shown = [at for at in self._labels if at != self._current]
        if self._hovered >= 0 and self._hovered != self._current:
            shown = [*(at for at in shown if at != self._hovered), self._hovered]
        for at in shown:
            draw_label(painter, self.data.structures[at].name, tops[at], metrics, self._theme.roles)
        if self._current >= 0:
            name = self.data.structures[self._current].name
            draw_label(painter, name, tops[self._current], metrics, self._theme.roles, is_chosen=True)

    # --- pointing ----------------------------------------------------------------------------------------------------

    def structure_at(self, point: QPointF) -> int:
        """Position of the structure under a point, the nearest to the eye; -1 for none."""
        points = self.camera.to_screen(self.data.places)
        if not len(points):
            return -1
        cell = max(self.camera.cell, 8.0)
        tops = self._tops(points)
        over = (
            (np.abs(points[:, 0] - point.x()) < 0.5 * cell)
            & (tops[:, 1] - 2 < point.y())
            & (points[:, 1] + 0.4 * cell > point.y())
        )
        found = np.flatnonzero(over)
        return int(found[np.argmax(points[found, 1])]) if len(found) else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._dragged = self._pressed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is not None:
            step = event.position() - self._dragged
            self._dragged = event.position()
            self.pan(step.x(), step.y())
            return
        hovered = self.structure_at(event.position())
        if hovered != self._hovered:
            self._hovered = hovered
            self.setCursor(Qt.CursorShape.PointingHandCursor if hovered >= 0 else Qt.CursorShape.ArrowCursor)
            self.setToolTip(spoken_structure(self.data.structures[hovered]) if hovered >= 0 else "")
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged is None:
            return
        self._dragged = None
        if (event.position() - self._pressed).manhattanLength() < 5:
            at = self.structure_at(event.position())
            if at != self._current:
                self.choose(self.data.structures[at].id if at >= 0 else "")

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = self.structure_at(event.position())
        if at >= 0:
            self.activated.emit(self.data.structures[at].id)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() or event.angleDelta().x()
        self.zoom(1.0015**turned, event.position())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            at = self.structure_at(QPointF(event.pos()))
            if at >= 0:
                self.choose(self.data.structures[at].id)
            where = event.globalPos()
        else:
            at = self._current
            centre = self.camera.to_screen(self.data.places[at : at + 1])[0] if at >= 0 else (0, 0)
            where = self.mapToGlobal(QPoint(int(centre[0]), int(centre[1])))
        if at >= 0:
            self.menu_requested.emit(self.data.structures[at].id, where)

    # --- keys --------------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        has_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        commands = {
            Qt.Key.Key_E: "expand", Qt.Key.Key_H: "hide", Qt.Key.Key_Delete: "hide", Qt.Key.Key_P: "pin",
            Qt.Key.Key_N: "next", Qt.Key.Key_B: "previous", Qt.Key.Key_Backspace: "back", Qt.Key.Key_Escape: "leave",
        }  # fmt: skip
        if key in _DIRECTIONS and has_control:
            dx, dy = _DIRECTIONS[key]
            self.pan(-80.0 * dx, -80.0 * dy)
        elif key in _DIRECTIONS and not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self._walk(*_DIRECTIONS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current >= 0 and not has_control:
            self.activated.emit(self.current_id)
        elif event.text() in ("+", "=", "-", "0"):
            self.fit() if event.text() == "0" else self.zoom(0.8 if event.text() == "-" else 1.25)
        elif key in commands and not has_control:
            self.command.emit(commands[key])
        else:
            super().keyPressEvent(event)

    def _walk(self, dx: int, dy: int) -> None:
        """To the nearest structure in a direction, as it looks on the screen."""
        if not len(self.data):
            return
        points = self.camera.to_screen(self.data.places)
        if self._current < 0:
            middle = np.array([self.width() / 2, self.height() / 2])
            self.choose(self.data.structures[int(np.argmin(((points - middle) ** 2).sum(1)))].id)
            return
        way = points - points[self._current]
        along = way[:, 0] * dx + way[:, 1] * dy
        across = np.abs(way[:, 0] * dy) + np.abs(way[:, 1] * dx)
        cost = np.where(along > 1e-6, along + 2.5 * across, np.inf)
        nearest = int(np.argmin(cost))
        if np.isfinite(cost[nearest]):
            self.choose(self.data.structures[nearest].id)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.oldSize().width() <= 0 or not self.isVisible():
            self.fit()
        else:
            grown = event.size() - event.oldSize()
            self.pan(grown.width() / 2, grown.height() / 2)


def spoken_structure(one: Structure) -> str:
    """Name, type, number of relations and origin, as a screen reader says it."""
    parts = [
        one.name,
        kind_name(one.kind),
        plural(one.degree, "{n} relation", "{n} relations"),
        tr("written by you") if one.is_written else tr("inferred by a model"),
        tr("no note of its own") if one.is_bare else "",
        tr("pinned") if one.is_pinned else "",
    ]
    return ", ".join(part for part in parts if part)
