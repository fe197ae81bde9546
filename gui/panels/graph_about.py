"""What the graph holds, where it comes from, and how the map is read."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QFrame, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from engine.model import Origin
from gui import plural, tr
from gui.panels.graph_asks import Document, GraphAsks
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_text import number, predicate_text
from gui.panels.widgets import label
from gui.scene.ground import tint
from gui.scene.looks import kind_name, look_of, paint_structure, shape_name
from gui.theme import UNIT, Theme, font

ICON = 30
MOST_ROWS = 12


class AboutTab(QFrame):
    def __init__(self, theme: Theme, asks: GraphAsks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._asks = theme, asks
        self._index: GraphIndex | None = None
        self._covered: GraphIndex | None = None
        """The graph that the coverage on the screen is of."""
        self._coverage: QTreeWidgetItem | None = None
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(tr("About the graph"))
        self.tree.setHeaderHidden(True)
        self.tree.setColumnCount(2)
        # Names of models and sources may be long: they take a second line before they are cut.
        self.tree.setWordWrap(True)
        head = self.tree.header()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.setIconSize(QSize(ICON, ICON))
        self.tree.setObjectName("facts")
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT + 4, UNIT, 0)
        column.addWidget(label(tr("About this graph"), "heading"))
        column.addWidget(self.tree, 1)
        self.setFocusProxy(self.tree)
        theme.changed.connect(self._on_theme)

    def set_index(self, index: GraphIndex) -> None:
        self._index = index
        self.tree.clear()
        self._section(tr("What it holds"), _counts(index))
        self._section(tr("Said by"), _authors(index))
        self._coverage = self._section(tr("Coverage"), [(tr("Counting…"), "")])
        self._covered = None
        kinds = self._section(tr("Types, and how they look"), [])
        for kind, count in index.kinds.items():
            row = QTreeWidgetItem([f"{kind_name(kind)} ({shape_name(kind)})", number(count)])
            row.setIcon(0, self._icon(kind))
            kinds.addChild(row)
        predicates = list(index.predicates.items())[:MOST_ROWS]
        self._section(tr("Relations"), [(predicate_text(one), number(count)) for one, count in predicates])
        reading = self._section(tr("How to read the map"), [])
        for text, icon in self._legend():
            row = QTreeWidgetItem([text])
            row.setIcon(0, icon)
            reading.addChild(row)
            row.setFirstColumnSpanned(True)
        self._section(tr("Keys on the map"), _keys())
        if self.isVisible():
            self.ensure_read()

    def ensure_read(self) -> None:
        """Count how much of the notes the graph covers, which reads them all; once for a graph."""
        index = self._index
        if index is None or self._covered is index:
            return
        self._covered = index

        def done(document: Document) -> None:
            if index is self._index and self._coverage is not None:
                self._coverage.takeChildren()
                for row in _coverage(document):
                    self._coverage.addChild(QTreeWidgetItem(list(row)))

        self._asks.command("coverage", {}, done, failed=lambda _error: None)

    def _on_theme(self) -> None:
        if self._index is not None:
            self.set_index(self._index)

    def _section(self, title: str, rows: list[tuple[str, str]]) -> QTreeWidgetItem:
        head = QTreeWidgetItem([title])
        head.setFont(0, font("small", bold=True))
        self.tree.addTopLevelItem(head)
        head.setFirstColumnSpanned(True)
        for row in rows:
            head.addChild(QTreeWidgetItem(list(row)))
        head.setExpanded(True)
        return head

    def _legend(self) -> list[tuple[str, QIcon]]:
        return [
            (tr("Higher: more relations; in the flat map, larger"), self._icon("note", level=3)),
            (tr("Solid outline: written by you"), self._icon("note")),
            (tr("Dashed outline: inferred by a model"), self._icon("person", is_written=False)),
            (tr("Pale: a name without a note of its own"), self._icon("note", is_bare=True)),
            (tr("Daily notes stand together as one"), self._icon("daily")),
            (tr("Tinted ground: what belongs together"), self._icon("note", ground=tint(0, self._theme.roles))),
        ]

    def _icon(
        self, kind: str, *, level: int = 1, is_written: bool = True, is_bare: bool = False, ground: QColor | None = None
    ) -> QIcon:
        ratio = 2
        picture = QPixmap(ICON * ratio, ICON * ratio)
        picture.fill(ground or Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        cell = ICON * ratio * (0.44 if level > 1 else 0.62)
        foot = QPointF(ICON * ratio / 2, ICON * ratio * 0.7)
        look = look_of(kind)
        roles = self._theme.roles
        paint_structure(painter, foot, cell, look, level, roles, is_flat=False, is_written=is_written, is_bare=is_bare)
        painter.end()
        picture.setDevicePixelRatio(ratio)
        return QIcon(picture)


def _counts(index: GraphIndex) -> list[tuple[str, str]]:
    view = index.view
    own = sum(one.is_written for one in view.entities)
    written = sum(any(p.origin is Origin.WRITTEN for p in one.evidence) for one in view.relations)
    merged = sum(len(one.members) - 1 for one in view.entities if one.members)
    rows = [
        (tr("Entities"), len(view.entities)),
        (tr("of them with a note of their own"), own),
        (tr("daily notes"), sum(one.is_daily for one in view.entities)),
        (tr("names merged into others"), merged),
        (tr("Relations"), len(view.relations)),
        (tr("of them written by you"), written),
        (tr("only inferred by a model"), len(view.relations) - written),
        (tr("Quotes that prove them"), sum(len(one.evidence) for one in view.relations)),
        (tr("Communities"), len(view.community_labels)),
    ]
    return [(name, number(count)) for name, count in rows]


def _authors(index: GraphIndex) -> list[tuple[str, str]]:
    """Who said how much: the owner, and each model with the version of its prompt."""
    said = Counter(
        tr("you, in your notes") if one.origin is Origin.WRITTEN else f"{one.model}, {one.prompt_version}"
        for relation in index.view.relations
        for one in relation.evidence
    )
    return [(who, plural(count, "{n} claim", "{n} claims")) for who, count in said.most_common()]


def _coverage(document: Document) -> list[tuple[str, str]]:
    """Of each source, the notes in the graph and the passages that a model has read."""
    rows = []
    for one in document["sources"]:
        for name, some, every in (
            (tr("{source}: notes whose links are read"), one["parsed"], one["notes"]),
            (tr("{source}: passages a model has read"), one["read"], one["passages"]),
        ):
            counted = tr("{n} of {all}").format(n=number(some), all=number(every))
            rows.append((name.format(source=one["name"]), counted))
    return rows


def _keys() -> list[tuple[str, str]]:
    return [
        (tr("Arrow keys"), tr("to the next structure in this direction")),
        ("N, B", tr("next and previous neighbour")),
        ("Enter", tr("show its neighbourhood")),
        ("Backspace", tr("back to what was shown before")),
        ("E, H, P", tr("add neighbours, hide, pin")),
        ("+, −, 0", tr("nearer, farther, the whole map")),
        ("Ctrl+T", tr("the same as a table")),
        ("/, Alt+1 … Alt+6", tr("find an entity; the tabs")),
    ]
