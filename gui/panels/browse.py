"""What there is to browse beneath the sources: collections, folders, pages and tags with their counts.

Each row stands for an operator of the query; choosing it again takes the operator out. It searches nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6 import QtWidgets
from PySide6.QtCore import QLocale, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QTreeWidget

from gui import plural, tr
from gui.theme import UNIT, Theme, font

if TYPE_CHECKING:
    from engine.model import Contents

if TYPE_CHECKING:  # As in ``gui.delegates``.
    from PySide6.QtWidgets import QStyleOptionViewItem, QTreeWidgetItem

_PART = Qt.ItemDataRole.UserRole
_GROUP = Qt.ItemDataRole.UserRole + 1
_COUNT = Qt.ItemDataRole.UserRole + 2

COLLECTIONS = (
    ("tasks", "task:todo", "Open tasks"),
    ("daily", "daily:yes", "Daily notes"),
    ("modified", "modified:<7d", "Changed this week"),
    ("created", "created:<7d", "Made this week"),
)
"""Name of the count, operator, text."""
CLOSED_AT_FIRST = frozenset({"pages", "tags"})


class _CountDelegate(QStyledItemDelegate):
    """The name, shortened to make room for the count at the end of the row."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        room = option.rect.width() - self._count_width(index) - UNIT
        option.text = QFontMetricsF(option.font).elidedText(option.text, Qt.TextElideMode.ElideRight, room)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        roles = self._theme.roles
        is_selected = bool(option.state & QtWidgets.QStyle.StateFlag.State_Selected)
        is_mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignLeft if is_mirrored else Qt.AlignmentFlag.AlignRight
        painter.save()
        painter.setFont(font("small"))
        painter.setPen(QColor(roles.muted_on_selection if is_selected else roles.muted))
        area = option.rect.adjusted(UNIT // 2, 0, -UNIT // 2, 0)
        flags = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area, int(flags), str(index.data(_COUNT) or ""))
        painter.restore()

    def _count_width(self, index: QModelIndex | QPersistentModelIndex) -> float:
        return QFontMetricsF(font("small")).horizontalAdvance(str(index.data(_COUNT) or ""))


class Browse(QTreeWidget):
    part_chosen = Signal(str)
    """An operator of the query, as ``folder:"My garden"``."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shown: Contents | None = None
        self._opened: set[str] | None = None
        self.setObjectName("browse")
        self.setAccessibleName(tr("Folders, pages and tags"))
        self.setAccessibleDescription(tr("Enter searches in one alone; a second time in all."))
        self.setItemDelegate(_CountDelegate(theme, self))
        self.setHeaderHidden(True)
        self.setIndentation(UNIT + 4)
        self.setViewportMargins(UNIT // 2, 0, UNIT, 0)
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setExpandsOnDoubleClick(False)
        self.itemClicked.connect(self._choose)
        theme.changed.connect(self._tint)

    @property
    def opened(self) -> set[str]:
        """Names of the groups and folders that are unfolded."""
        return {str(item.data(0, _GROUP)) for item in self._items() if item.isExpanded()}

    def remember_opened(self, names: Iterable[str]) -> None:
        """Unfold these, and no others, when the contents are shown."""
        self._opened = set(names)

    def show_contents(self, held: Contents) -> None:
        if held == self._shown:
            return
        if self._shown is not None:
            self._opened = self.opened
        self._shown = held
        self.clear()
        counts = dict(held.collections)
        standing = [(text, part, counts[name]) for name, part, text in COLLECTIONS if counts.get(name)]
        self._group("collections", tr("Collections"), ((tr(text), part, count) for text, part, count in standing))
        self._folders(held.folders)
        self._group("pages", tr("Pages"), ((name, _part("page", name), count) for name, count in held.pages))
        self._group("tags", tr("Tags"), ((f"#{name}", _part("tag", name), count) for name, count in held.tags))
        self._unfold()
        self._tint()

    def mark(self, parts: Iterable[str]) -> None:
        """Select the rows whose operators stand in the query."""
        wanted = set(parts)
        for item in self._items():
            item.setSelected(item.data(0, _PART) in wanted)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and item is not None:
            self._choose(item)
        elif event.text() == "/":
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _group(self, name: str, title: str, rows: Iterable[tuple[str, str, int]]) -> QTreeWidgetItem | None:
        children = [_row(text, part, count) for text, part, count in rows]
        if not children:
            return None
        group = QtWidgets.QTreeWidgetItem([title])
        group.setData(0, _GROUP, name)
        group.setFlags(Qt.ItemFlag.ItemIsEnabled)
        group.setFont(0, font("small", bold=True))
        group.addChildren(children)
        self.addTopLevelItem(group)
        return group

    def _folders(self, folders: tuple[tuple[str, int], ...]) -> None:
        """Folders inside the folders that hold them; they come sorted, the outer before the inner."""
        rows: dict[str, QTreeWidgetItem] = {}
        outer: list[tuple[str, str, int]] = [(p, _part("folder", p), n) for p, n in folders if "/" not in p]
        group = self._group("folders", tr("Folders"), outer)
        if group is None:
            return
        rows |= {child.text(0): child for child in _children(group)}
        for path, count in sorted(folders, key=lambda pair: pair[0].count("/")):
            parent = rows.get(path.rpartition("/")[0])
            if "/" in path and parent is not None:
                item = rows[path] = _row(path.rpartition("/")[2], _part("folder", path), count)
                item.setData(0, _GROUP, path)
                parent.addChild(item)
        for path, item in rows.items():
            item.setData(0, _GROUP, path)

    def _unfold(self) -> None:
        for item in self._items():
            name = str(item.data(0, _GROUP))
            is_group = item.parent() is None
            item.setExpanded(
                name in self._opened if self._opened is not None else is_group and name not in CLOSED_AT_FIRST
            )

    def _choose(self, item: QTreeWidgetItem) -> None:
        part = item.data(0, _PART)
        if part:
            self.part_chosen.emit(part)
        else:
            item.setExpanded(not item.isExpanded())

    def _tint(self) -> None:
        muted = QBrush(QColor(self._theme.roles.muted))
        for item in self._items():
            if item.parent() is None:
                item.setForeground(0, muted)

    def _items(self) -> list[QTreeWidgetItem]:
        found = [self.invisibleRootItem()]
        for item in found:  # The list grows while it is walked: every row comes after its parent.
            found += _children(item)
        return found[1:]


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    children = (item.child(at) for at in range(item.childCount()))
    return [child for child in children if child is not None]


def _row(text: str, part: str, count: int) -> QTreeWidgetItem:
    item = QtWidgets.QTreeWidgetItem([text])
    item.setData(0, _COUNT, QLocale().toString(count))
    item.setData(0, _PART, part)
    item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{text}, {plural(count, '{n} note', '{n} notes')}")
    item.setToolTip(0, part)
    return item


def _part(operator: str, value: str) -> str:
    needs_quotes = any(letter.isspace() or letter in '()"' for letter in value)
    return f'{operator}:"{value.replace(chr(34), "")}"' if needs_quotes else f"{operator}:{value}"
