"""What waits for a decision: names that may be one thing, and notes that say nearly the same. Accept, reject or later,
by keyboard; every decision can be undone. Nothing is ever written into the notes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTreeWidgetItem, QVBoxLayout, QWidget

from engine.model import Anchor, DuplicatePair, Evidence, Origin
from gui import plural, tr
from gui.panels.graph_asks import Document, GraphAsks
from gui.panels.graph_claims import ENTITY, EVIDENCE, ClaimTree
from gui.panels.graph_index import GraphIndex
from gui.panels.widgets import button, label
from gui.scene.looks import kind_name
from gui.theme import UNIT, Theme, font

PROPOSAL = int(Qt.ItemDataRole.UserRole) + 5
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
    put_off = Signal(str)
    """Key of a proposal that is not to be shown again for now."""
    left = Signal()

    def __init__(self, theme: Theme, asks: GraphAsks, later: set[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asks, self._later = asks, later
        self._index: GraphIndex | None = None
        self._undo: list[tuple[str, Callable[[], None]]] = []
        self._is_read = False
        self.tree = ReviewTree(tr("What waits for a decision"), theme)
        self.tree.entity_opened.connect(self.entity_opened)
        self.tree.block_opened.connect(self.block_opened)
        self.tree.home_requested.connect(self.home_requested)
        self.tree.left.connect(self.left)
        self.tree.pressed_key.connect(self.decide)
        self.tree.currentItemChanged.connect(lambda *_: self._update_buttons())
        self._state = label(tone="small", wrap=True)
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

    def read(self) -> None:
        """Look anew for what waits."""
        self._is_read = True
        self._state.setText(self._state.text() or tr("Looking for what may be one thing…"))
        self._asks.command("merges", {"proposed": True}, self._show_proposals)

    def ensure_read(self) -> None:
        if not self._is_read and self._index is not None:
            self.read()

    def _show_proposals(self, document: Document) -> None:
        self._asks.duplicates(lambda pairs: self._show(document["proposals"], pairs))

    def _show(self, proposals: list[Document], pairs: tuple[DuplicatePair, ...]) -> None:
        place = self._place()
        self.tree.clear()
        waiting = [one for one in proposals if _proposal_key(one) not in self._later]
        alike = [one for one in pairs if _pair_key(one) not in self._later]
        if waiting:
            heading = self.tree.add_heading(tr("May be one thing ({n})").format(n=len(waiting)))
            for one in waiting:
                heading.addChild(self._proposal_row(one))
            heading.setExpanded(True)
        if alike:
            heading = self.tree.add_heading(tr("Say nearly the same ({n})").format(n=len(alike)))
            for pair in alike:
                heading.addChild(self._pair_row(pair))
            heading.setExpanded(True)
        total = len(waiting) + len(alike)
        said = plural(total, "{n} decision waits", "{n} decisions wait") if total else tr("Nothing waits for you.")
        self._state.setText(said)
        self._go_to(place)

    def _proposal_row(self, one: Document) -> QTreeWidgetItem:
        names = " = ".join(member["name"] for member in one["members"])
        kinds = ", ".join(kind_name(member["type"]) for member in one["members"])
        row = QTreeWidgetItem([f"{names}?\n{kinds} · {'; '.join(one['why'][:3])}"])
        row.setFont(0, font("body", bold=True))
        row.setData(0, PROPOSAL, one)
        row.setData(0, _ACCESSIBLE, tr("Are these one thing? {names}").format(names=names))
        for member in one["members"]:
            child = QTreeWidgetItem([f"{member['name']}\n{kind_name(member['type'])}"])
            child.setData(0, ENTITY, member["id"])
            row.addChild(child)
        return row

    def _pair_row(self, pair: DuplicatePair) -> QTreeWidgetItem:
        shared = tr("{n} % alike, {m} % of the words shared").format(
            n=round(100 * pair.cosine), m=round(100 * pair.shared_words)
        )
        row = QTreeWidgetItem([f"{pair.title} ≈ {pair.other_title}\n{shared}"])
        row.setFont(0, font("body", bold=True))
        row.setData(0, PROPOSAL, pair)
        row.setData(0, _ACCESSIBLE, f"{pair.title}, {pair.other_title}, {shared}")
        for source, note, title in (
            (pair.source, pair.note, pair.title),
            (pair.other_source, pair.other_note, pair.other_title),
        ):
            child = QTreeWidgetItem([f"{title}\n{note}"])
            child.setData(0, EVIDENCE, Evidence(source, note, Anchor(note), title, Origin.WRITTEN))
            row.addChild(child)
        return row

    # --- deciding ----------------------------------------------------------------------------------------------------

    def decide(self, what: str) -> None:
        """``accept``, ``reject``, ``later`` what is chosen, or ``undo`` the last decision."""
        if what == "undo":
            self._undo_last()
            return
        proposal = self._proposal()
        if proposal is None:
            return
        if isinstance(proposal, DuplicatePair) or what == "later":
            # The library keeps no decision about two notes: it is only not asked again.
            key = _pair_key(proposal) if isinstance(proposal, DuplicatePair) else _proposal_key(proposal)
            self._put_off(key)
        else:
            names = [member["id"] for member in proposal["members"]]
            action = "same" if what == "accept" else "never"
            self._asks.command("merges", {"action": action, "names": names}, self._on_decided)

    def _on_decided(self, document: Document) -> None:
        entry = document["decided"]
        names = ", ".join(member["name"] for member in entry["members"])
        is_merge = entry["kind"] == "merge"
        said = tr("One thing: {names}.") if is_merge else tr("Never one thing: {names}.")
        number = str(entry["id"])
        self.offer_undo(said.format(names=names), number)
        self._remove_current()
        self.decided.emit()

    def offer_undo(self, said: str, number: str) -> None:
        """Let a decision, also one made elsewhere, be taken back here."""

        def take_back() -> None:
            self._asks.command("merges", {"action": "undo", "names": [number]}, lambda _document: self._undone())

        self._undo.append((said, take_back))
        self._state.setText(said)
        self._update_buttons()

    def _undone(self) -> None:
        self._state.setText(tr("Undone."))
        self.read()
        self.decided.emit()

    def _put_off(self, key: str) -> None:
        def take_back() -> None:
            self._later.discard(key)
            self._undone()

        self._later.add(key)
        self.put_off.emit(key)
        self._undo.append((tr("Put off."), take_back))
        self._state.setText(tr("Put off."))
        self._remove_current()

    def _undo_last(self) -> None:
        if self._undo:
            self._undo.pop()[1]()
        self._update_buttons()

    def _proposal(self) -> Document | DuplicatePair | None:
        item = self._proposal_item()
        return item.data(0, PROPOSAL) if item is not None else None

    def _proposal_item(self) -> QTreeWidgetItem | None:
        item: QTreeWidgetItem | None = self.tree.currentItem()
        while item is not None and item.data(0, PROPOSAL) is None:
            item = item.parent()
        return item

    def _remove_current(self) -> None:
        """Take the row away at once; the cursor goes to the next one."""
        item = self._proposal_item()
        heading = item.parent() if item is not None else None
        if item is not None and heading is not None:
            place = self._place()
            heading.removeChild(item)
            if not heading.childCount():
                self.tree.takeTopLevelItem(self.tree.indexOfTopLevelItem(heading))
            self._go_to(place)
        self._update_buttons()

    def _place(self) -> tuple[int, int]:
        item = self._proposal_item()
        heading = item.parent() if item is not None else None
        if item is None or heading is None:
            return 0, 0
        return self.tree.indexOfTopLevelItem(heading), heading.indexOfChild(item)

    def _go_to(self, place: tuple[int, int]) -> None:
        heading = self.tree.topLevelItem(min(place[0], self.tree.topLevelItemCount() - 1))
        row = heading.child(min(place[1], heading.childCount() - 1)) if heading is not None else None
        if row is not None:
            self.tree.setCurrentItem(row)

    def _update_buttons(self) -> None:
        proposal = self._proposal()
        is_merge = proposal is not None and not isinstance(proposal, DuplicatePair)
        self.accept.setEnabled(is_merge)
        self.reject.setEnabled(proposal is not None)
        self.postpone.setEnabled(proposal is not None)
        self.undo.setEnabled(bool(self._undo))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT + 4, UNIT, UNIT)
        column.addWidget(label(tr("Your notes are not changed by any of this."), "small", wrap=True))
        column.addWidget(self.tree, 1)
        column.addWidget(self._state)
        row = QHBoxLayout()
        row.setSpacing(UNIT // 2)
        for piece in (self.accept, self.reject, self.postpone, self.undo):
            row.addWidget(piece)
        column.addLayout(row)
        self.setFocusProxy(self.tree)


def _proposal_key(one: Document) -> str:
    return "merge:" + ",".join(sorted(member["id"] for member in one["members"]))


def _pair_key(pair: DuplicatePair) -> str:
    return f"alike:{pair.source}:{pair.note}:{pair.other_source}:{pair.other_note}"
