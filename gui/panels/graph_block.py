"""The block of a proof in its note, beside the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from engine.model import Anchor, Evidence, Hit, NoteView, PassageKind
from gui.panels.graph_asks import GraphAsks
from gui.panels.preview import PreviewPanel
from gui.theme import Roles, Theme

if TYPE_CHECKING:  # Loaded with the first block.
    from gui.panels.note_html import RenderedNote


class ProofBlock(PreviewPanel):
    proof_shown = Signal()

    def __init__(self, theme: Theme, asks: GraphAsks, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._asks = asks
        self.proof: Evidence | None = None
        """The last that was to be shown."""

    def show_proof(self, proof: Evidence) -> None:
        """Read its note, and show that as soon as it is there."""
        self.proof = proof
        roles, anchor = self._theme.roles, proof.anchor
        self._asks.note(proof.source, proof.note, lambda view: _render(view, roles, anchor), self._on_read)

    def _on_read(self, page: object) -> None:
        from gui.panels.note_html import RenderedNote

        assert isinstance(page, RenderedNote)
        if self.proof is not None:
            self.show_note(page, _as_hit(self.proof, page))
            self.proof_shown.emit()


def _render(view: NoteView, roles: Roles, anchor: Anchor) -> object:
    """On the worker, which also loads the renderer."""
    from gui.panels.note_html import render

    return render(view, roles, anchor.first_line, anchor.uid)


def _as_hit(proof: Evidence, page: RenderedNote) -> Hit:
    """A proof as the preview takes it: the passage at its anchor, with the quote marked."""
    source = page.view.source
    quote = proof.quote.strip()
    return Hit(
        source=source.id,
        source_name=source.name,
        source_kind=source.kind,
        passage_id=0,
        kind=PassageKind.BLOCK if proof.anchor.uid else PassageKind.SECTION,
        anchor=proof.anchor,
        title=page.view.title,
        breadcrumb=(page.view.title, *proof.anchor.headings),
        text=quote,
        snippet=quote,
        spans=((0, len(quote)),),
        score=0.0,
        legs=(),
    )
