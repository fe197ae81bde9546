"""What of the graph is looked at: one row of choices, each a condition; together they must all be met."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from engine.model import Origin, SourceId, SourceStatus
from gui import plural, tr
from gui.panels.graph_index import Filters, GraphIndex
from gui.panels.graph_text import predicate_text
from gui.panels.widgets import button, label
from gui.scene.looks import kind_name
from gui.theme import UNIT

DAY = 86_400.0
MOST_CHOICES = 300


class FilterBar(QFrame):
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filters")
        self._without: set[str] = set()
        self._is_filling = False
        self.origin = _combo(tr("Origin"))
        self.relation = _combo(tr("Relation"))
        self.source = _combo(tr("Source"))
        self.folder = _combo(tr("Folder"))
        self.tag = _combo(tr("Tag"))
        self.time = _combo(tr("Time"))
        self.community = _combo(tr("Belongs with"))
        self.daily = _combo(tr("Daily notes"))
        self.kinds = QToolButton()
        self.kinds.setAccessibleName(tr("Types"))
        self.kinds.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._kinds_menu = QMenu(self.kinds)
        self.kinds.setMenu(self._kinds_menu)
        self._clear = button(tr("Clear filters"))
        self._clear.clicked.connect(self.clear)
        for combo in self._combos:
            combo.currentIndexChanged.connect(self._on_change)
        self._lay_out()

    @property
    def _combos(self) -> tuple[QComboBox, ...]:
        return (
            self.origin, self.relation, self.source, self.folder, self.tag, self.time, self.community, self.daily
        )  # fmt: skip

    @property
    def filters(self) -> Filters:
        days = self.time.currentData()
        relation, source = self.relation.currentData(), self.source.currentData()
        return Filters(
            origin=Origin(self.origin.currentData()) if self.origin.currentData() else None,
            without_kinds=frozenset(self._without),
            predicates=frozenset({relation} if relation else ()),
            sources=frozenset({SourceId(source)} if source else ()),
            folder=self.folder.currentData() or "",
            tag=self.tag.currentData() or "",
            since=time.time() - days * DAY if days else None,
            community=self.community.currentData(),
            daily=self.daily.currentData() or "grouped",
            days=days,
        )

    def fill(self, index: GraphIndex, sources: Sequence[SourceStatus]) -> None:
        """Offer what there is in the graph; what was chosen stays chosen where it is still there."""
        kept = self.filters
        self._is_filling = True
        tags = sorted((one for one in index.view.entities if one.type == "tag"), key=lambda one: -one.degree)
        _offer(self.origin, tr("All"), [(tr("Written by you"), "written"), (tr("Inferred"), "inferred")])
        _offer(self.relation, tr("All"), [(f"{predicate_text(one)} ({n})", one) for one, n in index.predicates.items()])
        _offer(self.source, tr("All"), [(one.source.name, one.source.id) for one in sources])
        _offer(self.folder, tr("All"), [(one, one) for one in index.folders])
        _offer(self.tag, tr("All"), [(one.name, one.id) for one in tags])
        _offer(
            self.time,
            tr("Any time"),
            [(tr("Last week"), 7), (tr("Last month"), 31), (tr("Last three months"), 92), (tr("Last year"), 366)],
        )
        _offer(self.community, tr("All"), [(one, at) for at, one in enumerate(index.view.community_labels)])
        daily = [(tr("As one"), "grouped"), (tr("One by one"), "single"), (tr("Hidden"), "hidden")]
        _offer(self.daily, "", daily)
        self._fill_kinds(index)
        self._is_filling = False
        self.show_filters(kept)

    def show_filters(self, filters: Filters) -> None:
        """Choose these, for one that was saved."""
        self._is_filling = True
        self._without = set(filters.without_kinds)
        values: list[tuple[QComboBox, object]] = [
            (self.origin, filters.origin.value if filters.origin else None),
            (self.relation, next(iter(filters.predicates), None)),
            (self.source, next(iter(filters.sources), None)),
            (self.folder, filters.folder or None),
            (self.tag, filters.tag or None),
            (self.time, filters.days),
            (self.community, filters.community),
            (self.daily, filters.daily),
        ]
        for combo, value in values:
            combo.setCurrentIndex(max(0, combo.findData(value)))
        for action in self._kinds_menu.actions():
            action.setChecked(action.data() not in self._without)
        self._is_filling = False
        self._show_kinds()

    def clear(self) -> None:
        self.show_filters(Filters())
        self.changed.emit()

    def _fill_kinds(self, index: GraphIndex) -> None:
        self._kinds_menu.clear()
        for kind, count in index.kinds.items():
            action = QAction(f"{kind_name(kind)} ({count})", self._kinds_menu)
            action.setCheckable(True)
            action.setChecked(kind not in self._without)
            action.setData(kind)
            action.toggled.connect(self._on_kinds)
            self._kinds_menu.addAction(action)

    def _on_kinds(self) -> None:
        if not self._is_filling:
            self._without = {str(one.data()) for one in self._kinds_menu.actions() if not one.isChecked()}
            self._show_kinds()
            self.changed.emit()

    def _show_kinds(self) -> None:
        left_out = len(self._without)
        self.kinds.setText(plural(left_out, "{n} type left out", "{n} types left out") if left_out else tr("All types"))

    def _on_change(self) -> None:
        if not self._is_filling:
            self.changed.emit()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, UNIT)
        grid.setHorizontalSpacing(UNIT)
        grid.setVerticalSpacing(UNIT // 2)
        pieces: list[QWidget] = [_named(combo) for combo in self._combos]
        kinds = QWidget()
        column = QVBoxLayout(kinds)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(label(tr("Types"), "small"))
        column.addWidget(self.kinds)
        pieces.insert(1, kinds)
        for at, piece in enumerate((*pieces, self._clear)):
            grid.addWidget(piece, at // 5, at % 5)


def _combo(name: str) -> QComboBox:
    result = QComboBox()
    result.setAccessibleName(name)
    result.setMinimumContentsLength(9)
    result.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return result


def _offer(combo: QComboBox, everything: str, choices: Sequence[tuple[str, object]]) -> None:
    combo.clear()
    if everything:
        combo.addItem(everything, None)
    for text, value in choices[:MOST_CHOICES]:
        combo.addItem(text, value)


def _named(combo: QComboBox) -> QWidget:
    piece = QWidget()
    column = QVBoxLayout(piece)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    name = label(combo.accessibleName(), "small")
    name.setBuddy(combo)
    column.addWidget(name)
    column.addWidget(combo)
    return piece
