"""What waits for a decision: names that may be one thing, links that are missing, notes that say nearly the same.
Accept, reject or later, by keyboard; every decision can be undone. Nothing is ever written into the notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTreeWidgetItem, QVBoxLayout, QWidget

from engine.model import DuplicatePair
from gui import plural, tr
from gui.panels.graph_asks import Document, GraphAsks
from gui.panels.graph_claims import ENTITY, EVIDENCE, ClaimTree
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_proposals import (
    SORTS,
    Call,
    Decision,
    Proposal,
    alike_proposals,
    decisions,
    heading_text,
    link_proposals,
    merge_proposals,
    said_of,
    undo_of,
)
from gui.panels.graph_text import where_text
from gui.panels.widgets import button, label
from gui.scene.looks import kind_name
from gui.theme import UNIT, Theme, font

PROPOSAL = int(Qt.ItemDataRole.UserRole) + 5
DECISION = int(Qt.ItemDataRole.UserRole) + 6
_SORT = int(Qt.ItemDataRole.UserRole) + 7
_ACCESSIBLE = int(Qt.ItemDataRole.AccessibleTextRole)


class ReviewTree(ClaimTree):
    """Adds the keys of the review: A accept, R reject, L later, U or Ctrl+Z undo."""

    pressed_key = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {Qt.Key.Key_A: "accept", Qt.Key.Key_R: "reject", Qt.Key.Key_L: "later", Qt.Key.Key_U: "undo"}
        modifiers = event.modifiers()
        if event.key() == Qt.Key.Key_Z and modifiers & Qt.KeyboardModifier.ControlModifier:
            self.pressed_key.emit("undo")
        elif event.key() in keys and not modifiers & Qt.KeyboardModifier.ControlModifier:
            self.pressed_key.emit(keys[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)


class ReviewTab(QFrame):
    entity_opened = Signal(str)
    block_opened = Signal(object)
    home_requested = Signal(object)
    decided = Signal()
    """The graph is another one now."""
    link_copied = Signal(str)
    """Text for the clipboard."""
    put_off = Signal()
    left = Signal()

    def __init__(self, theme: Theme, asks: GraphAsks, later: set[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asks, self._later = asks, later
        self._index: GraphIndex | None = None
        self._merges: Document = {}
        self._links: Document = {}
        self._pairs: Sequence[DuplicatePair] = ()
        self._undo: list[Callable[[], None]] = []
        self._is_read = False
        self._reading = 0
        self._said = ""
        """What was decided last."""
        self.tree = ReviewTree(tr("What waits for a decision"), theme)
        self.tree.entity_opened.connect(self.entity_opened)
        self.tree.block_opened.connect(self.block_opened)
        self.tree.home_requested.connect(self.home_requested)
        self.tree.left.connect(self.left)
        self.tree.pressed_key.connect(self.decide)
        self.tree.currentItemChanged.connect(lambda *_: self._update_buttons())
        self._state = label(tone="small", wrap=True)
        self._state.setMinimumHeight(5 * UNIT)
        self.accept = button(tr("Accept (A)"))
        self.reject = button(tr("Reject (R)"))
        self.postpone = button(tr("Later (L)"))
        self.undo = button(tr("Undo (U)"))
        pairs = ((self.accept, "accept"), (self.reject, "reject"), (self.postpone, "later"), (self.undo, "undo"))
        for piece, name in pairs:
            piece.clicked.connect(lambda _=False, name=name: self.decide(name))
        self._lay_out()
        self._update_buttons()

    def set_index(self, index: GraphIndex) -> None:
        self._index = index
        if self._is_read or self.isVisible():
            self.read()

    def ensure_read(self) -> None:
        if not self._is_read and self._index is not None:
            self.read()

    # --- what waits --------------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Look anew for what waits; each sort is shown as it is found."""
        self._is_read = True
        self._reading = 3
        if not self.tree.topLevelItemCount():
            self._state.setText(tr("Looking for what could be decided…"))
        self._asks.command("merges", {"proposed": True}, self._on_merges, failed=self._on_failed)
        self._asks.command("links", {}, self._on_links, failed=self._on_failed)
        self._asks.duplicates(self._on_pairs)

    def _on_merges(self, document: Document) -> None:
        self._merges = document
        self._on_found()

    def _on_links(self, document: Document) -> None:
        self._links = document
        self._on_found()

    def _on_pairs(self, pairs: Sequence[DuplicatePair]) -> None:
        self._pairs = pairs
        self._on_found()

    def _on_failed(self, _error: Exception) -> None:
        """The other sorts can still be decided."""
        self._on_found()

    def _on_found(self) -> None:
        self._reading = max(0, self._reading - 1)
        self._show()

    def _proposals(self) -> list[Proposal]:
        found = merge_proposals(self._merges) if self._merges else []
        found += link_proposals(self._links) if self._links else []
        return found + alike_proposals(self._pairs, self._links.get("decided", ()), self._index)

    def _show(self) -> None:
        place = self._place()
        self.tree.clear()
        found = self._proposals()
        waiting = [one for one in found if one.key not in self._later]
        for sort in SORTS:
            self._add_proposals(sort, [one for one in waiting if one.sort == sort])
        self._add_proposals("later", [one for one in found if one.key in self._later])
        self._add_decisions(decisions(self._merges, self._links, self._index))
        if not self._reading:
            total = len(waiting)
            said = plural(total, "{n} decision waits", "{n} decisions wait") if total else tr("Nothing waits for you.")
            self._state.setText("\n".join(one for one in (self._said, said) if one))
        self._go_to(place)

    def _add_proposals(self, sort: str, proposals: Sequence[Proposal]) -> None:
        if not proposals:
            return
        heading = self._heading(sort, len(proposals))
        for one in proposals:
            row = QTreeWidgetItem([f"{one.title}\n{one.below}"])
            row.setFont(0, font("body", bold=True))
            row.setData(0, PROPOSAL, one)
            row.setData(0, _ACCESSIBLE, one.spoken)
            heading.addChild(row)
            self._add_parts(row, one)

    def _heading(self, sort: str, count: int) -> QTreeWidgetItem:
        heading = self.tree.add_heading(heading_text(sort, count))
        heading.setData(0, _SORT, sort)
        heading.setExpanded(sort in SORTS)
        return heading

    def _add_parts(self, row: QTreeWidgetItem, one: Proposal) -> None:
        """What is to be looked at before deciding: Enter opens it."""
        index = self._index
        for place in one.places:
            child = QTreeWidgetItem([f"{place.quote}\n{where_text(index, place) if index is not None else place.note}"])
            child.setData(0, EVIDENCE, place)
            row.addChild(child)
        for number in one.entities if not one.places or one.link else ():
            entity = index.entities.get(index.members.get(number, number)) if index is not None else None
            if entity is not None:
                child = QTreeWidgetItem([f"{entity.name}\n{kind_name(entity.type)}"])
                child.setData(0, ENTITY, entity.id)
                row.addChild(child)

    def _add_decisions(self, found: Sequence[Decision]) -> None:
        if not found:
            return
        heading = self._heading("decided", len(found))
        for one in found:
            row = QTreeWidgetItem([f"{one.text}\n{one.below}"])
            row.setData(0, DECISION, one)
            row.setData(0, _ACCESSIBLE, f"{one.text}, {one.below}")
            heading.addChild(row)

    # --- deciding ----------------------------------------------------------------------------------------------------

    def decide(self, what: str) -> None:
        """``accept``, ``reject``, ``later`` what is chosen, or ``undo`` the chosen decision, else the last one."""
        if what == "undo":
            self._take_back()
            return
        proposal = self._proposal
        if proposal is None:
            return
        if what == "later":
            self._put_off(proposal)
        elif what == "reject" or proposal.accept is not None:
            call = proposal.reject if what == "reject" else proposal.accept
            assert call is not None
            self._asks.command(*call, lambda document: self._on_decided(proposal, document))

    def _on_decided(self, proposal: Proposal, document: Document) -> None:
        said = said_of(proposal, document)
        self._later.discard(proposal.key)
        if document.get("verdict") == "accepted":
            self.link_copied.emit(proposal.link)
        self._remember(said, undo_of(proposal, document))
        self._remove_current()
        if "decided" in document:
            self.decided.emit()
        else:
            self._asks.command("links", {}, self._on_links)

    def offer_undo(self, said: str, number: str) -> None:
        """Let a decision that was made elsewhere be taken back here."""
        self._remember(said, ("merges", {"action": "undo", "names": [number]}))

    def _remember(self, said: str, undo: Call) -> None:
        def take_back() -> None:
            self._asks.command(*undo, lambda _document: self._undone())

        self._undo.append(take_back)
        self._say(said)
        self._update_buttons()

    def _say(self, said: str) -> None:
        self._said = said
        self._state.setText(said)

    def _undone(self) -> None:
        self._say(tr("Undone."))
        self.read()
        self.decided.emit()

    def _put_off(self, proposal: Proposal) -> None:
        """Put off, or bring back what was."""
        changed = {proposal.key}

        def turn() -> None:
            self._later.symmetric_difference_update(changed)
            self.put_off.emit()
            self._show()

        self._said = tr("Back among what waits.") if proposal.key in self._later else tr("Put off.")
        turn()
        self._undo.append(turn)
        self._update_buttons()

    def _take_back(self) -> None:
        decision = self._decision
        if decision is not None:
            self._asks.command(*decision.undo, lambda _document: self._undone())
        elif self._undo:
            self._said = tr("Undone.")
            self._undo.pop()()
        self._update_buttons()

    # --- the tree ----------------------------------------------------------------------------------------------------

    @property
    def _proposal(self) -> Proposal | None:
        item = self._row()
        return item.data(0, PROPOSAL) if item is not None else None

    @property
    def _decision(self) -> Decision | None:
        item = self._row()
        return item.data(0, DECISION) if item is not None else None

    def _row(self) -> QTreeWidgetItem | None:
        """The proposal or decision that the cursor is on or in."""
        item: QTreeWidgetItem | None = self.tree.currentItem()
        while item is not None and item.data(0, PROPOSAL) is None and item.data(0, DECISION) is None:
            item = item.parent()
        return item

    def _remove_current(self) -> None:
        """Take the row away at once; the cursor goes to the next one."""
        item = self._row()
        heading = item.parent() if item is not None else None
        if item is not None and heading is not None:
            place = self._place()
            heading.removeChild(item)
            if not heading.childCount():
                self.tree.takeTopLevelItem(self.tree.indexOfTopLevelItem(heading))
            self._go_to(place)
        self._update_buttons()

    def _place(self) -> tuple[str, int]:
        """Sort and number of the row with the cursor."""
        item = self._row()
        heading = item.parent() if item is not None else None
        if item is None or heading is None:
            return "", 0
        return heading.data(0, _SORT), heading.indexOfChild(item)

    def _go_to(self, place: tuple[str, int]) -> None:
        headings = [self.tree.topLevelItem(at) for at in range(self.tree.topLevelItemCount())]
        known = [one for one in headings if one is not None]
        heading = next((one for one in known if one.data(0, _SORT) == place[0]), known[0] if known else None)
        if heading is not None and (heading.isExpanded() or place[0]):
            self.tree.setCurrentItem(heading.child(min(place[1], heading.childCount() - 1)) or heading)
        elif heading is not None:
            self.tree.setCurrentItem(heading)

    def _update_buttons(self) -> None:
        proposal = self._proposal
        is_link = proposal is not None and bool(proposal.link)
        self.accept.setText(tr("Copy link (A)") if is_link else tr("Accept (A)"))
        self.accept.setAccessibleName(self.accept.text())
        self.accept.setEnabled(proposal is not None and proposal.accept is not None)
        self.reject.setEnabled(proposal is not None)
        self.postpone.setEnabled(proposal is not None)
        is_put_off = proposal is not None and proposal.key in self._later
        self.postpone.setText(tr("Bring back (L)") if is_put_off else tr("Later (L)"))
        self.postpone.setAccessibleName(self.postpone.text())
        self.undo.setEnabled(bool(self._undo) or self._decision is not None)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT + 4, UNIT, UNIT)
        told = tr("Your notes are not changed by any of this: the text of a link is copied for you to paste.")
        column.addWidget(label(told, "small", wrap=True))
        column.addWidget(self.tree, 1)
        column.addWidget(self._state)
        row = QHBoxLayout()
        row.setSpacing(UNIT // 2)
        for piece in (self.accept, self.reject, self.postpone, self.undo):
            row.addWidget(piece)
        column.addLayout(row)
        self.setFocusProxy(self.tree)
