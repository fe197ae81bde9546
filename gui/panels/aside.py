"""Beside the note: the notes related to it, and the details: why it was found, and its links in and out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTabWidget, QTreeWidget, QTreeWidgetItem, QWidget

from engine.model import Hit, NoteKey, NoteLink, RelatedNote, SourceId
from gui import tr
from gui.item_models import leg_name, strength_text
from gui.theme import UNIT

_NOTE = Qt.ItemDataRole.UserRole
FIELDS = (
    ("text", "text"),
    ("breadcrumb", "headings above"),
    ("concepts", "pages and tags in it"),
    ("tags", "tags"),
    ("context", "blocks below"),
)
"""Fields of the word index, as the person would call them."""


class _Tree(QTreeWidget):
    """Rows that may stand for a note; Enter or a double click opens it."""

    note_requested = Signal(str, str)
    """Source id and note key."""
    left = Signal()
    """Esc."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(2 * UNIT)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.itemActivated.connect(self._on_activated)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.text() == "/":
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        place = item.data(0, _NOTE)
        if place:
            self.note_requested.emit(*place)


class Aside(QTabWidget):
    note_requested = Signal(str, str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.tabBar().setDrawBase(False)
        self.setAccessibleName(tr("About this note"))
        self.related = _Tree(tr("Related notes"))
        self.details = _Tree(tr("Details"))
        for tree, title in ((self.related, tr("Related")), (self.details, tr("Details"))):
            tree.note_requested.connect(self.note_requested)
            tree.left.connect(self.left)
            self.addTab(tree, title)
        self.clear_note()

    def clear_note(self) -> None:
        self.related.clear()
        self.details.clear()

    def show_note(
        self, source: SourceId, hit: Hit | None, related: Sequence[RelatedNote], links: Sequence[NoteLink], why: str
    ) -> None:
        """``why`` says why nothing can be related, where that is so."""
        self.related.clear()
        for near in related:
            best = near.row.hits[0]
            marks = [best.source_name] if best.source != source else []
            marks += [tr("linked already")] if near.is_linked else []
            marks += [tr("pinned")] if near.is_pinned else []
            self._add(self.related, near.row.title, marks, (near.row.source, near.row.note), best.snippet)
        if not related:
            self._add(self.related, why or tr("Nothing is near to this note."), [], None)
        self.details.clear()
        if hit is not None:
            self._group(tr("Why it was found"), [(text, None) for text in reasons(hit)])
        outgoing = [(link.title, link.note) for link in links if not link.is_incoming]
        incoming = [(link.title, link.note) for link in links if link.is_incoming]
        for title, notes in ((tr("Links to"), outgoing), (tr("Linked from"), incoming)):
            self._group(f"{title} ({len(notes)})", [(text, (source, key)) for text, key in notes])

    def _group(self, title: str, rows: Sequence[tuple[str, tuple[SourceId, NoteKey] | None]]) -> None:
        group = QTreeWidgetItem([title])
        group.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        self.details.addTopLevelItem(group)
        for text, place in rows:
            item = QTreeWidgetItem([text])
            item.setData(0, _NOTE, place)
            item.setToolTip(0, text)
            group.addChild(item)
        group.setExpanded(True)

    def _add(
        self, tree: QTreeWidget, title: str, marks: list[str], place: tuple[SourceId, NoteKey] | None, tip: str = ""
    ) -> None:
        item = QTreeWidgetItem(["  ·  ".join([title, *marks])])
        item.setData(0, _NOTE, place)
        item.setToolTip(0, tip)
        tree.addTopLevelItem(item)


def reasons(hit: Hit) -> list[str]:
    """Why ``hit`` stands where it stands, a line each."""
    if not hit.is_ranked:
        return [tr("It meets the conditions of the search.")]
    lines = [strength_text(hit).capitalize()]
    for leg in sorted(hit.legs, key=lambda leg: leg.rank):
        text = tr("By {leg}: rank {rank}, {share} % of the score")
        lines.append(text.format(leg=leg_name(leg.name), rank=leg.rank, share=round(100 * leg.share)))
    if hit.explanation is None:
        return lines
    fields = {name: tr(text) for name, text in FIELDS}
    for word, field, part in sorted(hit.explanation.matched, key=lambda match: -match[2]):
        lines.append(tr("“{word}” in {field}: {n}").format(word=word, field=fields.get(field, field), n=f"{part:.2f}"))
    if hit.explanation.missing:
        words = ", ".join(f"“{word}”" for word in hit.explanation.missing)
        lines.append(tr("Not in it: {words}").format(words=words))
    return lines
