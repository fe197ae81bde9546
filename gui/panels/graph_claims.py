"""A tree of claims: each relation in words, beneath it every quote that proves it. Enter on a quote opens its block,
Enter on a relation goes to the entity at its other end."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from engine.model import Evidence, Relation
from gui import plural
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_text import quote_text, relation_origin_text, where_text
from gui.theme import Theme, font

EVIDENCE = int(Qt.ItemDataRole.UserRole) + 1
ENTITY = int(Qt.ItemDataRole.UserRole) + 2
_ACCESSIBLE = int(Qt.ItemDataRole.AccessibleTextRole)
OPEN_AT_ONCE = 25
"""Claims up to which all quotes are shown from the start."""


class ClaimTree(QTreeWidget):
    block_opened = Signal(object)
    """``Evidence``."""
    home_requested = Signal(object)
    """``Evidence``: open it in its own app."""
    entity_opened = Signal(str)
    left = Signal()

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("claims")
        self.setAccessibleName(name)
        self.setHeaderHidden(True)
        self.setWordWrap(True)
        self.setUniformRowHeights(False)
        self.setIndentation(16)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemActivated.connect(self._open)

    def add_claim(
        self, index: GraphIndex, relation: Relation, text: str, other: str, parent: QTreeWidgetItem | None = None
    ) -> QTreeWidgetItem:
        """A relation with its quotes. Solid or dashed is said in words here."""
        origin = relation_origin_text(relation)
        row = QTreeWidgetItem([f"{text}\n{origin}"])
        row.setData(0, ENTITY, other)
        proofs = plural(len(relation.evidence), "{n} quote", "{n} quotes")
        row.setData(0, _ACCESSIBLE, f"{text}, {origin}, {proofs}")
        row.setFont(0, font("body", bold=True))
        for proof in relation.evidence:
            row.addChild(self.proof_row(index, proof))
        self._add(row, parent)
        return row

    def proof_row(self, index: GraphIndex, proof: Evidence) -> QTreeWidgetItem:
        quote, where = quote_text(proof.quote), where_text(index, proof)
        row = QTreeWidgetItem([f"{quote}\n{where}"])
        row.setData(0, EVIDENCE, proof)
        row.setData(0, _ACCESSIBLE, f"{quote}. {where}")
        return row

    def add_heading(self, text: str) -> QTreeWidgetItem:
        row = QTreeWidgetItem([text])
        row.setFont(0, font("small", bold=True))
        self.addTopLevelItem(row)
        row.setExpanded(True)
        return row

    @property
    def current_evidence(self) -> Evidence | None:
        item = self.currentItem()
        while item is not None and item.data(0, EVIDENCE) is None and item.childCount():
            item = item.child(0)
        return item.data(0, EVIDENCE) if item is not None else None

    def choose_first(self) -> None:
        if self.topLevelItemCount():
            self.setCurrentItem(self.topLevelItem(0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        has_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and has_control and self.current_evidence:
            self.home_requested.emit(self.current_evidence)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentItem() is not None:
            self._open(self.currentItem())
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.text() == "/":
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _open(self, item: QTreeWidgetItem) -> None:
        evidence, entity = item.data(0, EVIDENCE), item.data(0, ENTITY)
        if evidence is not None:
            self.block_opened.emit(evidence)
        elif entity:
            self.entity_opened.emit(entity)
        else:
            item.setExpanded(not item.isExpanded())

    def _add(self, row: QTreeWidgetItem, parent: QTreeWidgetItem | None) -> None:
        if parent is None:
            self.addTopLevelItem(row)
        else:
            parent.addChild(row)
