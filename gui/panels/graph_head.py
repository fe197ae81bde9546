"""The row above the map: find an entity, how much is shown, filters, map or table, export."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QSlider,
    QToolButton,
    QWidget,
)

from gui import tr
from gui.panels.graph_index import GraphIndex, Scope
from gui.panels.graph_text import number
from gui.panels.widgets import icon_button, label
from gui.scene.looks import kind_name
from gui.theme import UNIT, Theme

DEEPEST = 4
MOST = (60, 120, 300, 1_000, 5_000, 100_000)
FORMS = (("png", "Picture (PNG)"), ("svg", "Drawing (SVG)"))


class EntityBox(QLineEdit):
    """Finds an entity by part of its name or of another name of it."""

    entity_chosen = Signal(str)

    def __init__(self, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint.rstrip("…"))
        self.setClearButtonEnabled(True)
        self._ids: dict[str, str] = {}
        self._names = QStringListModel(self)
        completer = QCompleter(self._names, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setMaxVisibleItems(12)
        self._completer = completer
        self.setCompleter(completer)
        completer.activated.connect(self._choose)
        self.returnPressed.connect(self._on_return)

    def set_names(self, index: GraphIndex) -> None:
        self._ids = {}
        for one in sorted(index.view.entities, key=lambda one: -one.degree):
            for name in (one.name, *one.aliases):
                shown = name if name == one.name else f"{name} = {one.name}"
                if shown in self._ids:
                    shown = f"{shown} ({kind_name(one.type)})"
                self._ids.setdefault(shown, one.id)
        self._names.setStringList(list(self._ids))

    def show_entity(self, index: GraphIndex, entity: str) -> None:
        self.setText(index.entities[entity].name if entity in index.entities else "")

    def best_match(self, text: str) -> str:
        """Id of the entity whose name this is, begins with it or contains it; the best connected first."""
        wanted = " ".join(text.split()).casefold()
        if not wanted:
            return ""
        ranked = [(name.casefold() != wanted, not name.casefold().startswith(wanted), at, one)
                  for at, (name, one) in enumerate(self._ids.items()) if wanted in name.casefold()]  # fmt: skip
        return min(ranked)[3] if ranked else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text() == "/" and not self.text():
            return  # The key that leads here.
        super().keyPressEvent(event)

    def _choose(self, shown: str) -> None:
        if shown in self._ids:
            self.entity_chosen.emit(self._ids[shown])

    def _on_return(self) -> None:
        popup = self._completer.popup()
        if popup is not None and popup.isVisible():
            if popup.currentIndex().isValid():
                return  # The completer says it itself.
            popup.hide()
        found = self.best_match(self.text())
        if found:
            self.entity_chosen.emit(found)


class GraphHead(QFrame):
    entity_chosen = Signal(str)
    depth_chosen = Signal(int)
    most_chosen = Signal(int)
    top_requested = Signal()
    back_requested = Signal()
    export_requested = Signal(str)
    view_chosen = Signal(str)
    view_removed = Signal(str)
    keep_requested = Signal()
    """Keep what is shown as a view."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.search = EntityBox(tr("Find an entity…"))
        self.search.setMinimumWidth(18 * UNIT)
        self.search.entity_chosen.connect(self.entity_chosen)
        self.back = icon_button(theme, "back", tr("Back on the map (Backspace)"))
        self.back.clicked.connect(self.back_requested)
        self.top = QToolButton()
        self.top.setText(tr("Best connected"))
        self.top.setToolTip(tr("Show the best connected entities of all"))
        self.top.clicked.connect(self.top_requested)
        self.reach = QSlider(Qt.Orientation.Horizontal)
        self.reach.setAccessibleName(tr("Steps around the entity in the middle"))
        self.reach.setRange(1, DEEPEST)
        self.reach.setPageStep(1)
        self.reach.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.reach.setTickInterval(1)
        self.reach.setFixedWidth(11 * UNIT)
        self.reach.valueChanged.connect(self._on_depth)
        self._depth_text = label(tone="small")
        self._on_depth(1)
        self.most_box = QComboBox()
        self.most_box.setAccessibleName(tr("At most so many on the map"))
        for most in MOST:
            text = tr("up to {n}").format(n=number(most)) if most < MOST[-1] else tr("all of them")
            self.most_box.addItem(text, most)
        self.most_box.setCurrentIndex(MOST.index(Scope().most))
        self.most_box.activated.connect(lambda _at: self.most_chosen.emit(self.most_box.currentData()))
        self.views = QToolButton()
        self.views.setText(tr("Views"))
        self.views.setToolTip(tr("Keep what the map shows under a name, and come back to it"))
        self.views.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.views_menu = QMenu(self.views)
        self.views.setMenu(self.views_menu)
        self.show_views(())
        self.filters = _toggle(tr("Filters"))
        self.table = _toggle(tr("Table"), tr("Show the same as a table (Ctrl+T)"))
        self.flat = _toggle(tr("Flat"), tr("Show the map from above"))
        self.fit = QToolButton()
        self.fit.setText(tr("Fit"))
        self.fit.setToolTip(tr("Show the whole map (0)"))
        self.export = QToolButton()
        self.export.setText(tr("Export"))
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.export)
        for form, text in FORMS:
            menu.addAction(tr(text)).triggered.connect(lambda _=False, form=form: self.export_requested.emit(form))
        self.export.setMenu(menu)
        self._lay_out()

    def set_names(self, index: GraphIndex) -> None:
        self.search.set_names(index)

    def show_scope(self, scope: Scope, index: GraphIndex, conditions: int) -> None:
        """Say what is in the middle, and how many filters there are."""
        self.reach.setEnabled(bool(scope.focus))
        self.top.setEnabled(bool(scope.focus or scope.expanded or scope.hidden))
        self.reach.blockSignals(True)
        self.reach.setValue(scope.depth)
        self.reach.blockSignals(False)
        self._say_depth(scope.depth)
        self.most_box.setCurrentIndex(max(0, self.most_box.findData(scope.most)))
        if scope.focus and not self.search.hasFocus():
            self.search.show_entity(index, scope.focus)
        elif not scope.focus:
            self.search.clear()
        self.filters.setText(tr("Filters ({n})").format(n=conditions) if conditions else tr("Filters"))

    def show_views(self, names: Sequence[str]) -> None:
        """Offer the views that were kept, by name."""
        menu = self.views_menu
        menu.clear()
        for name in names:
            menu.addAction(name).triggered.connect(lambda _=False, name=name: self.view_chosen.emit(name))
        if names:
            menu.addSeparator()
        menu.addAction(tr("Keep this view…")).triggered.connect(lambda _=False: self.keep_requested.emit())
        if names:
            remove = menu.addMenu(tr("Remove a view"))
            for name in names:
                remove.addAction(name).triggered.connect(lambda _=False, name=name: self.view_removed.emit(name))

    def _on_depth(self, depth: int) -> None:
        self._say_depth(depth)
        self.depth_chosen.emit(depth)

    def _say_depth(self, depth: int) -> None:
        self._depth_text.setText(tr("1 step around") if depth == 1 else tr("{n} steps around").format(n=depth))

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, UNIT)
        row.setSpacing(UNIT // 2)
        row.addWidget(self.back)
        row.addWidget(self.search, 1)
        for piece in (
            self.top,
            self._depth_text,
            self.reach,
            self.most_box,
            self.filters,
            self.views,
            self.table,
            self.flat,
            self.fit,
            self.export,
        ):
            row.addWidget(piece)


def _toggle(text: str, tip: str = "") -> QToolButton:
    result = QToolButton()
    result.setText(text)
    result.setCheckable(True)
    result.setToolTip(tip)
    return result
