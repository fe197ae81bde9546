"""A note as HTML for Qt's rich text: Obsidian Markdown and Roam outlines. Pure functions, run on a worker.

Raw HTML in a note is shown as text and never interpreted. Every block of Markdown is preceded by an anchor
``L<line>`` and every Roam block by its uid, so that the preview can find and mark the passage.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.model import NoteView
from gui.panels.markdown_html import markdown_html
from gui.panels.roam_html import outline_html
from gui.theme import Roles


@dataclass(frozen=True, slots=True)
class RenderedNote:
    view: NoteView
    html: str
    folder: Path | None
    """The only folder that images may come from; None allows none."""


def render(view: NoteView, roles: Roles, first_line: int = 0, uid: str = "") -> RenderedNote:
    """``view`` as HTML, the part around ``first_line`` or ``uid`` when the note is very long."""
    if view.outline:
        body, folder = outline_html(view, roles, uid), None
    else:
        folder = _vault_of(view)
        body = markdown_html(view, roles, first_line, folder)
    return RenderedNote(view, f"<html><body>{body}</body></html>", folder)


def _vault_of(view: NoteView) -> Path | None:
    return Path(view.source.location) if view.path and not view.source.kind.is_roam else None
