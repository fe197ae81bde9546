"""Painters of rows: results and sources. They read item roles and colour roles, and ask nobody else for anything."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6 import QtGui, QtWidgets
from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QIcon, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate

from engine.model import Freshness
from gui import plural
from gui.item_models import (
    Role,
    breadcrumb_text,
    counts_text,
    date_text,
    freshness_text,
    leg_name,
    state_text,
    strength_text,
)
from gui.theme import RADIUS, UNIT, Theme, direction_of, font

if TYPE_CHECKING:
    from engine.model import Hit, SourceStatus

if TYPE_CHECKING:  # Two dozen enumerations come with these (20 ms), which are made when the first row is painted.
    from PySide6.QtGui import QTextLayout
    from PySide6.QtWidgets import QStyleOptionViewItem

Index = QModelIndex | QPersistentModelIndex

SNIPPET_LINES = 3
MAX_SNIPPETS = 1_000
TURN_SECONDS = 0.008
"""What is left when so much has passed is measured or painted in the next turn of the event loop: keys come between."""
CHILD_INDENT = 3 * UNIT


def utf16_spans(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Qt counts UTF-16 units: (start, length) pairs of Qt for [start, end) pairs of Python."""
    if text.isascii():
        return [(start, end - start) for start, end in spans]

    def units(upto: int) -> int:
        return len(text[:upto].encode("utf-16-le")) // 2

    return [(units(start), units(end) - units(start)) for start, end in spans]


class _Face:
    """A font with its measures, which take as long to make as a word to draw."""

    def __init__(self, face: QFont) -> None:
        self.font = face
        self.metrics = QFontMetricsF(face)
        self.height = self.metrics.height()


class _Fonts(NamedTuple):
    title: _Face
    name: _Face
    body: _Face
    small: _Face
    badge: _Face

    @classmethod
    def current(cls) -> _Fonts:
        faces = (
            font("title", bold=True),
            font("body", bold=True),
            font("body"),
            font("small"),
            font("small", bold=True),
        )
        return cls(*map(_Face, faces))


@functools.cache  # Qt's flags are joined by Python, as slowly as a word is drawn.
def _to_side(is_right: bool) -> int:
    side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)


class _Sheet:
    """Paints texts, badges and icons into places given as if everything ran from left to right."""

    def __init__(self, painter: QPainter, bounds: QRect, direction: Qt.LayoutDirection) -> None:
        self.painter = painter
        self._bounds = QRectF(bounds)
        self.is_mirrored = direction == Qt.LayoutDirection.RightToLeft

    def place(self, area: QRectF) -> QRectF:
        """Where ``area`` lies on the screen."""
        if not self.is_mirrored:
            return area
        left = self._bounds.left() + self._bounds.right() - area.right()
        return QRectF(left, area.top(), area.width(), area.height())

    def text(
        self,
        area: QRectF,
        text: str,
        face: _Face,
        colour: QColor,
        *,
        at_end: bool = False,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> float:
        """One line, shortened to fit; the width it took."""
        metrics = face.metrics
        shown = metrics.elidedText(text, elide, max(area.width(), 0))
        self.painter.setFont(face.font)
        self.painter.setPen(colour)
        self.painter.setLayoutDirection(direction_of(shown))
        self.painter.drawText(self.place(area), _to_side(at_end != self.is_mirrored), shown)
        return metrics.horizontalAdvance(shown)

    def badge(self, corner: QPointF, text: str, face: _Face, ground: str, ink: str) -> float:
        """The width it took."""
        width = face.metrics.horizontalAdvance(text) + 2 * UNIT - 4
        area = QRectF(corner.x(), corner.y(), width, face.height + 4)
        box = self.place(area)
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(QColor(ground))
        self.painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        self.painter.setFont(face.font)
        self.painter.setPen(QColor(ink))
        self.painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
        return box.width()

    def icon(self, icon: QIcon, area: QRectF) -> None:
        icon.paint(self.painter, self.place(area).toRect())


class ResultDelegate(QStyledItemDelegate):
    """The group's name above its first row; title and date, breadcrumb, highlighted snippet, then badges, strength and
    source."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fonts = _Fonts.current()
        self._snippets: dict[tuple[object, ...], _Snippet] = {}
        self._until: float | None = math.inf
        self._left = QRect()
        theme.changed.connect(self._on_theme)

    def begin_turn(self) -> None:
        """Paint rows for no longer than ``TURN_SECONDS``, but one at least."""
        self._until, self._left = None, QRect()

    def end_turn(self) -> QRect:
        """The place of the rows that were left, empty when all were painted."""
        self._until, left, self._left = math.inf, self._left, QRect()
        return left

    def measure(self, hits: Iterable[Hit], width: int, direction: Qt.LayoutDirection) -> bool:
        """Lay out ahead what rows of notes will show, ``TURN_SECONDS`` long; whether all is done."""
        until = time.perf_counter() + TURN_SECONDS
        for hit in hits:
            known = len(self._snippets)
            self._snippet(hit, _text_width(width, is_child=False), direction)
            if len(self._snippets) != known and time.perf_counter() > until:
                return False
        return True

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        hit: Hit | None = index.data(Role.HIT)
        if hit is None:
            return QSize()
        view = option.widget
        width = view.viewport().width() if isinstance(view, QAbstractItemView) else option.rect.width()
        is_child = index.parent().isValid()
        fonts, gap = self._fonts, UNIT / 2
        height = 1.5 * UNIT + self._snippet(hit, _text_width(width, is_child), option.direction).height
        if not is_child:
            height += fonts.title.height + gap
        if breadcrumb_text(hit):
            height += fonts.small.height + gap
        height += gap + fonts.badge.height + 4 + 1.5 * UNIT
        return QSize(width, int(height + self._heading_height(index)))

    def _heading_height(self, index: Index) -> float:
        return self._fonts.badge.height + 2 * UNIT if index.data(Role.HEADING) else 0.0

    def _on_theme(self) -> None:
        self._fonts = _Fonts.current()
        self._snippets.clear()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        hit: Hit | None = index.data(Role.HIT)
        if hit is None:
            return
        if self._until is None:
            self._until = time.perf_counter() + TURN_SECONDS
        elif time.perf_counter() > self._until:
            self._left |= option.rect
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_child = index.parent().isValid()
        sheet = _Sheet(painter, option.rect, option.direction)
        rect = QRectF(option.rect)
        if heading := str(index.data(Role.HEADING) or ""):
            self._paint_heading(sheet, rect, heading)
            rect.setTop(rect.top() + self._heading_height(index))
        self._paint_ground(sheet, rect, option, is_child)
        left = rect.left() + 2 * UNIT + (CHILD_INDENT if is_child else 0)
        area = QRectF(left, rect.top() + 1.5 * UNIT, _text_width(option.rect.width(), is_child), 0)
        self._paint_rows(sheet, option, area, hit, index)
        painter.restore()

    def _paint_heading(self, sheet: _Sheet, rect: QRectF, heading: str) -> None:
        face = self._fonts.badge
        height = face.height
        area = QRectF(rect.left() + 2 * UNIT, rect.top() + UNIT + 2, rect.width() - 4 * UNIT, height)
        taken = sheet.text(area, heading, face, QColor(self._theme.roles.muted))
        line = sheet.place(QRectF(area.left() + taken + UNIT, area.center().y(), area.width() - taken - UNIT, 0))
        sheet.painter.setPen(QPen(QColor(self._theme.roles.border), 1))
        sheet.painter.drawLine(line.topLeft(), line.topRight())

    def _paint_ground(self, sheet: _Sheet, rect: QRectF, option: QStyleOptionViewItem, is_child: bool) -> None:
        roles, painter = self._theme.roles, sheet.painter
        frame = rect.adjusted(UNIT / 2, 1, -UNIT / 2, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if option.state & QtWidgets.QStyle.StateFlag.State_Selected:
            painter.setBrush(QColor(roles.selection))
            painter.drawRoundedRect(frame, RADIUS, RADIUS)
            # A bar as well as a colour: the selection is seen without telling the two colours apart.
            painter.setBrush(QColor(roles.accent))
            bar = QRectF(frame.left(), frame.top() + UNIT, 3, frame.height() - 2 * UNIT)
            painter.drawRoundedRect(sheet.place(bar), 1.5, 1.5)
        elif option.state & QtWidgets.QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(roles.hover))
            painter.drawRoundedRect(frame, RADIUS, RADIUS)
        if is_child:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(roles.border))
            painter.drawRect(
                sheet.place(QRectF(rect.left() + 3 * UNIT - 1, rect.top() + UNIT, 2, rect.height() - 2 * UNIT))
            )

    def _paint_rows(self, sheet: _Sheet, option: QStyleOptionViewItem, area: QRectF, hit: Hit, index: Index) -> None:
        roles, fonts = self._theme.roles, self._fonts
        is_selected = bool(option.state & QtWidgets.QStyle.StateFlag.State_Selected)
        text = QColor(roles.on_selection if is_selected else roles.text)
        muted = QColor(roles.muted_on_selection if is_selected else roles.muted)
        top, gap = area.top(), UNIT / 2
        if not index.parent().isValid():
            height = fonts.title.height
            line = QRectF(area.left(), top, area.width(), height)
            date = date_text(hit.modified or hit.created)
            taken = sheet.text(line, date, fonts.small, muted, at_end=True) if date else 0.0
            sheet.text(line.adjusted(0, 0, -taken - UNIT, 0), hit.title, fonts.title, text)
            top += height + gap
        trail = breadcrumb_text(hit)
        if trail:
            height = fonts.small.height
            line = QRectF(area.left(), top, area.width(), height)
            sheet.text(line, trail, fonts.small, muted, elide=Qt.TextElideMode.ElideMiddle)
            top += height + gap
        snippet = self._snippet(hit, area.width(), option.direction)
        place = sheet.place(QRectF(area.left(), top, area.width(), snippet.height))
        sheet.painter.setPen(text)
        snippet.layout.draw(sheet.painter, place.topLeft())
        top += snippet.height + gap
        foot = QRectF(area.left(), top, area.width(), fonts.badge.height + 4)
        self._paint_foot(sheet, foot, hit, muted, index, bool(option.state & QtWidgets.QStyle.StateFlag.State_Open))

    def _paint_foot(self, sheet: _Sheet, foot: QRectF, hit: Hit, muted: QColor, index: Index, is_open: bool) -> None:
        fonts, x = self._fonts, self._paint_badges(sheet, foot, hit)
        more = int(index.data(Role.MORE))
        note = [strength_text(hit)]
        if hit.freshness in (Freshness.CHANGED, Freshness.GONE):
            note.append(freshness_text(hit.freshness))
        if more:
            closed = "◂" if sheet.is_mirrored else "▸"
            mark = "▾" if is_open else closed
            note.append(f"{mark} {plural(more, '{n} more passage', '{n} more passages')}")
        rest = QRectF(x, foot.top(), foot.right() - x, foot.height())
        taken = sheet.text(rest, "  ·  ".join(part for part in note if part), fonts.small, muted)
        if not index.parent().isValid() and rest.width() - taken > 6 * UNIT:
            rest.setLeft(rest.left() + taken + 2 * UNIT)
            icon = self._theme.icon("graph" if hit.source_kind.is_roam else "vault", "muted")
            name_width = sheet.text(rest, hit.source_name, fonts.small, muted, at_end=True)
            size = int(fonts.small.height) - 1
            left = rest.right() - name_width - size - UNIT / 2
            if left > rest.left() - UNIT:
                sheet.icon(icon, QRectF(left, foot.center().y() - size / 2, size, size))

    def _paint_badges(self, sheet: _Sheet, foot: QRectF, hit: Hit) -> float:
        """A badge for each leg; where they end."""
        roles, x = self._theme.roles, foot.left()
        legs = hit.legs if hit.is_ranked else ()
        for leg in sorted(legs, key=lambda leg: _LEG_ORDER.get(leg.name, 9)):
            ground, ink = (roles.word, roles.on_word) if leg.name == "word" else (roles.meaning, roles.on_meaning)
            text = f"{leg_name(leg.name)} {leg.rank}"
            x += sheet.badge(QPointF(x, foot.top()), text, self._fonts.badge, ground, ink) + UNIT / 2
        return x + UNIT / 2 if legs else x

    def _snippet(self, hit: Hit, width: float, direction: Qt.LayoutDirection) -> _Snippet:
        """Laid out once for measuring and painting."""
        key = (hit.source, hit.passage_id, hit.snippet, hit.spans, width, direction)
        known = self._snippets.get(key)
        if known is None:
            if len(self._snippets) > MAX_SNIPPETS:
                self._snippets.clear()
            known = self._snippets[key] = self._lay_out(hit, width, direction)
        return known

    def _lay_out(self, hit: Hit, width: float, direction: Qt.LayoutDirection) -> _Snippet:
        text = hit.snippet.translate(_ONE_LINE)
        look = QtGui.QTextCharFormat()
        look.setBackground(QColor(self._theme.roles.highlight))
        look.setForeground(QColor(self._theme.roles.on_highlight))
        formats = []
        for start, length in utf16_spans(text, hit.spans):
            piece = QtGui.QTextLayout.FormatRange()
            piece.start, piece.length, piece.format = start, length, look
            formats.append(piece)
        return _Snippet(text, self._fonts.body.font, width, formats, direction)


_LEG_ORDER = {"word": 0, "meaning": 1, "note": 2}
_ONE_LINE = str.maketrans({"\n": " ", "\r": " ", "\t": " ", "\u2028": " ", "\u2029": " "})


class _Snippet:
    """At most ``SNIPPET_LINES`` lines of text, laid out; the direction follows the text."""

    def __init__(
        self,
        text: str,
        face: QFont,
        width: float,
        formats: list[QTextLayout.FormatRange],
        direction: Qt.LayoutDirection,
    ) -> None:
        self.layout = QtGui.QTextLayout(text, face)
        # Here, not when it is drawn: there, each one would draw its line once more.
        self.layout.setFormats(formats)
        option = QtGui.QTextOption()
        option.setWrapMode(QtGui.QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        if direction == Qt.LayoutDirection.RightToLeft:
            option.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.layout.setTextOption(option)
        shown = self._break(width)
        units = text.encode("utf-16-le", "surrogatepass")
        if 2 * shown < len(units):
            units = units[: 2 * max(shown - 2, 0)]
            self.layout.setText(units.decode("utf-16-le", "ignore").rstrip() + "…")
            self.layout.setFormats(formats)
            self._break(width)

    def _break(self, width: float) -> int:
        """Fill the lines; the UTF-16 units that found room."""
        self.height, shown = 0.0, 0
        self.layout.beginLayout()
        for _ in range(SNIPPET_LINES):
            line = self.layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(max(width, 1.0))
            line.setPosition(QPointF(0, self.height))
            self.height += line.height() + 1
            shown = line.textStart() + line.textLength()
        self.layout.endLayout()
        return shown


def _text_width(width: int, is_child: bool) -> float:
    return max(width - 4 * UNIT - (CHILD_INDENT if is_child else 0), 10 * UNIT)


class SourceDelegate(QStyledItemDelegate):
    """Icon and name; below, a dot whose shape and word say the state, and the count."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fonts = _Fonts.current()
        theme.changed.connect(self._on_theme)

    def _on_theme(self) -> None:
        self._fonts = _Fonts.current()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        height = self._fonts.body.height + self._fonts.small.height + 2.5 * UNIT
        return QSize(option.rect.width(), int(height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        status: SourceStatus = index.data(Role.STATUS)
        is_busy = bool(index.data(Role.IS_BUSY))
        roles = self._theme.roles
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_selected = bool(option.state & QtWidgets.QStyle.StateFlag.State_Selected)
        painter.setPen(Qt.PenStyle.NoPen)
        if is_selected or option.state & QtWidgets.QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(roles.selection if is_selected else roles.hover))
            painter.drawRoundedRect(QRectF(option.rect).adjusted(UNIT / 2, 1, -UNIT / 2, -1), RADIUS, RADIUS)
        sheet = _Sheet(painter, option.rect, option.direction)
        text = QColor(roles.on_selection if is_selected else roles.text)
        muted = QColor(roles.muted_on_selection if is_selected else roles.muted)
        icon = self._theme.icon("graph" if status.source.kind.is_roam else "vault", "muted")
        icon_box = QRectF(option.rect.left() + 2 * UNIT, option.rect.top() + UNIT + 2, 18, 18)
        sheet.icon(icon, icon_box)
        left = icon_box.right() + UNIT
        width = option.rect.right() - left - 1.5 * UNIT
        top = option.rect.top() + UNIT
        name_height = self._fonts.body.height
        sheet.text(QRectF(left, top, width, name_height), status.source.name, self._fonts.name, text)
        line = QRectF(left, top + name_height + 2, width, self._fonts.small.height)
        colour = QColor(text if is_selected else getattr(roles, _state_role(status.state, is_busy)))
        dot = sheet.place(QRectF(left, line.top(), 8, line.height()))
        _dot(painter, dot.center(), status.state, is_busy, colour)
        live = str(index.data(Role.LIVE) or "")
        is_well = status.state == "indexed" and not is_busy and not status.behind_by
        # There is room for one word more; the dot says already that all is indexed.
        state = live if live and is_well else state_text(status, is_busy)
        words = " · ".join(part for part in (counts_text(status), state) if part)
        sheet.text(line.adjusted(UNIT + 6, 0, 0, 0), words, self._fonts.small, muted)
        painter.restore()


_BROKEN = frozenset({"indexdamaged", "wrongkey", "passphraseneeded", "keychainunavailable"})


def _state_role(state: str, is_busy: bool) -> str:
    if is_busy:
        return "accent"
    if state in _BROKEN:
        return "bad"
    return {"indexed": "good", "new": "muted"}.get(state, "warn")


def _dot(painter: QPainter, centre: QPointF, state: str, is_busy: bool, colour: QColor) -> None:
    """Filled when all is indexed, a ring when something is missing, a square when it is broken."""
    is_full = state == "indexed" and not is_busy
    painter.setPen(QPen(colour, 1.6))
    painter.setBrush(colour if is_full else Qt.BrushStyle.NoBrush)
    if state in _BROKEN:
        painter.drawRect(QRectF(centre.x() - 3, centre.y() - 3, 6, 6))
    else:
        painter.drawEllipse(centre, 3.2, 3.2)
