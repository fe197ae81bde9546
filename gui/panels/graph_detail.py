"""One entity: what it says, what is said of it, its other names, each claim with its quote; or the same by time."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from engine.model import Anchor, Entity, Evidence, Origin, Relation
from gui import plural, tr
from gui.item_models import date_text
from gui.panels.graph_claims import EVIDENCE, OPEN_AT_ONCE, ClaimTree
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_text import claim_text, entity_line, seen_from
from gui.panels.widgets import label
from gui.theme import UNIT, Theme

COMMANDS = ("focus", "expand", "pin", "hide", "path_from", "path_to", "open_note", "same_as", "split")


class DetailTab(QFrame):
    entity_opened = Signal(str)
    block_opened = Signal(object)
    home_requested = Signal(object)
    command = Signal(str, str)
    """One of ``COMMANDS``, and the id of the entity."""
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._index: GraphIndex | None = None
        self._entity: Entity | None = None
        self._group: tuple[str, ...] = ()
        self._name = label(tone="heading", wrap=True)
        self._line = label(tone="small", wrap=True)
        self._aliases = label(tone="muted", wrap=True)
        self.order = QComboBox()
        self.order.setAccessibleName(tr("Order"))
        self.order.addItems([tr("By relation"), tr("By time")])
        self.order.currentIndexChanged.connect(self._fill)
        self.actions_button = QToolButton()
        self.actions_button.setText(tr("Actions"))
        self.actions_button.setAccessibleName(tr("What can be done with this entity"))
        self.actions_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.actions_menu = QMenu(self.actions_button)
        self.actions_button.setMenu(self.actions_menu)
        self.actions_menu.aboutToShow.connect(lambda: self.fill_menu(self.actions_menu))
        self.tree = ClaimTree(tr("What is said"), theme)
        self.tree.entity_opened.connect(self.entity_opened)
        self.tree.block_opened.connect(self.block_opened)
        self.tree.home_requested.connect(self.home_requested)
        self.tree.left.connect(self.left)
        self._lay_out()
        self.clear()

    @property
    def entity(self) -> Entity | None:
        return self._entity

    def clear(self) -> None:
        self._entity, self._group = None, ()
        self._name.setText(tr("Nothing chosen"))
        self._line.setText(tr("Choose a structure on the map, or find an entity by its name."))
        self._aliases.hide()
        self._show_controls(False)
        self.tree.clear()

    def show_entity(self, index: GraphIndex, entity: Entity) -> None:
        self._index, self._entity, self._group = index, entity, ()
        self._name.setText(entity.name)
        group = index.groups.get(entity.id, -1)
        belongs = tr("Belongs with {names}").format(names=index.view.community_labels[group]) if group >= 0 else ""
        self._line.setText("\n".join(one for one in (entity_line(index, entity), belongs) if one))
        also = tr("Also called {names}").format(names=", ".join(entity.aliases)) if entity.aliases else ""
        self._aliases.setText(also)
        self._aliases.setVisible(bool(also))
        self._show_controls(True)
        self._fill()

    def show_group(self, index: GraphIndex, ids: Iterable[str]) -> None:
        """The daily notes that the map shows as one, in order of their dates."""
        self._index, self._entity = index, None
        self._group = tuple(ids)
        self._name.setText(tr("Daily notes"))
        self._line.setText(plural(len(self._group), "{n} daily note", "{n} daily notes"))
        self._aliases.hide()
        self._show_controls(False)
        self.tree.clear()
        for entity in sorted((index.entities[one] for one in self._group), key=lambda one: _day(index, one)):
            row = self.tree.add_heading(entity.name)
            for relation in index.touching.get(entity.id, ()):
                other = index.other(relation, entity.id).id
                self.tree.add_claim(index, relation, seen_from(index, relation, entity.id), other, row)
            row.setExpanded(False)
        self.tree.choose_first()

    def fill_menu(self, menu: QMenu) -> None:
        menu.clear()
        if self._entity is None:
            return
        texts = {
            "focus": tr("Show its neighbourhood"), "expand": tr("Add its neighbours to the map"),
            "pin": tr("Pin or unpin its place"), "hide": tr("Hide it on the map"),
            "path_from": tr("Path from here…"), "path_to": tr("Path to here"),
            "open_note": tr("Open its note in its own app"), "same_as": tr("It is the same as…"),
            "split": tr("Take what was merged apart"),
        }  # fmt: skip
        for name in COMMANDS:
            action = menu.addAction(texts[name])
            action.setEnabled(self._can(name))
            action.triggered.connect(lambda _=False, name=name: self._say(name))

    def _can(self, name: str) -> bool:
        assert self._entity is not None
        return {"open_note": bool(self._entity.notes), "split": bool(self._entity.members)}.get(name, True)

    def _say(self, name: str) -> None:
        if self._entity is not None:
            self.command.emit(name, self._entity.id)

    @staticmethod
    def own_block(entity: Entity) -> Evidence | None:
        """The beginning of the entity's own note, as a place to open."""
        if not entity.notes:
            return None
        source, key = entity.notes[0]
        return Evidence(source, key, Anchor(key), entity.name, Origin.WRITTEN)

    def _show_controls(self, is_shown: bool) -> None:
        self.order.setVisible(is_shown)
        self.actions_button.setVisible(is_shown)

    def _fill(self) -> None:
        if self._entity is None or self._index is None:
            return
        self.tree.clear()
        if self.order.currentIndex() == 1:
            self._fill_by_time(self._index, self._entity)
        else:
            self._fill_by_relation(self._index, self._entity)
        self.tree.choose_first()

    def _fill_by_relation(self, index: GraphIndex, entity: Entity) -> None:
        relations = index.touching.get(entity.id, ())
        says = [one for one in relations if one.subject == entity.id]
        said = [one for one in relations if one.object == entity.id]
        for title, found in ((tr("It says ({n})"), says), (tr("Said of it ({n})"), said)):
            if not found:
                continue
            heading = self.tree.add_heading(title.format(n=len(found)))
            for relation in sorted(found, key=lambda one: self._sorting(index, one, entity)):
                other = index.other(relation, entity.id)
                row = self.tree.add_claim(index, relation, seen_from(index, relation, entity.id), other.id, heading)
                row.setExpanded(len(relations) <= OPEN_AT_ONCE)
            heading.setExpanded(True)
        if not relations:
            self.tree.add_heading(tr("Nothing is said about it."))

    @staticmethod
    def _sorting(index: GraphIndex, relation: Relation, entity: Entity) -> tuple[bool, str, str]:
        """What says more than a mention comes first."""
        return relation.predicate == "mentions", relation.predicate, index.other(relation, entity.id).name.casefold()

    def _fill_by_time(self, index: GraphIndex, entity: Entity) -> None:
        moments = [(one.at, one, r) for r in index.touching.get(entity.id, ()) for one in r.evidence]
        moments.sort(key=lambda moment: (moment[0] is None, moment[0] or 0.0, moment[2].id))
        day, heading = "-", None
        for at, proof, relation in moments:
            if heading is None or date_text(at) != day:
                day = date_text(at)
                heading = self.tree.add_heading(day or tr("No date"))
            row = self.tree.proof_row(index, proof)
            row.setText(0, f"{row.text(0)} · {claim_text(index, relation)}")
            row.setData(0, EVIDENCE, proof)
            heading.addChild(row)
            heading.setExpanded(True)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT + 4, UNIT, 0)
        column.setSpacing(UNIT // 2)
        for piece in (self._name, self._line, self._aliases):
            column.addWidget(piece)
        row = QHBoxLayout()
        row.addWidget(self.order)
        row.addStretch(1)
        row.addWidget(self.actions_button)
        column.addLayout(row)
        column.addWidget(self.tree, 1)
        self._line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)


def _day(index: GraphIndex, entity: Entity) -> tuple[float, str]:
    """When a daily note is first spoken in; those without a date by name."""
    times = [proof.at for one in index.touching.get(entity.id, ()) for proof in one.evidence if proof.at]
    return (min(times) if times else 0.0), entity.name
