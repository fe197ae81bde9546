"""What the owner said about the notes that are related to one: pinned and hidden, here and in the plugin."""

from __future__ import annotations

from engine.model import NoteKey, SourceId
from engine.searching.smart_tools import NoteIds, SmartTools, feedback
from engine.store.decisions import DecisionStore, MarkKind


def pins_and_hides(
    decisions: DecisionStore, tools: SmartTools | None, source: SourceId, note: NoteKey
) -> tuple[NoteIds, NoteIds]:
    """(pinned, hidden). What is pinned here is not hidden because the plugin hides it."""
    pinned, hidden = (
        {(m.source, m.note) for m in decisions.marks(k) if not m.uid} for k in (MarkKind.PIN, MarkKind.HIDE)
    )
    plugin_pinned, plugin_hidden = feedback(tools, source, note)
    return pinned | plugin_pinned, hidden | (plugin_hidden - pinned)
