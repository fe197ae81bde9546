"""A whole note for the preview: read from its file now, or put together from the index (Roam)."""

from __future__ import annotations

from pathlib import Path

from engine.errors import UnknownNote
from engine.files import read_ordinary
from engine.model import Freshness, LinkKind, NoteKey, NoteView, OutlineBlock, PassageKind, SourceKind
from engine.sources import obsidian
from engine.sources.note_keys import note_path
from engine.store.index import NoteRow
from engine.store.live import LiveIndex


def note_view(live: LiveIndex, key: NoteKey) -> NoteView:
    """Raises ``UnknownNote`` when the index has no such note."""
    note = live.store.note(key)
    if note is None:
        raise UnknownNote(f"'{live.source.name}' has no note '{key}'.", "Index it again if it is new.")
    return _file_view(live, note) if live.source.kind is SourceKind.OBSIDIAN else _outline_view(live, note)


def freshness(live: LiveIndex, note: NoteRow) -> Freshness:
    """Whether the note's file is as it was when it was indexed. Graphs and exports are checked as a whole elsewhere."""
    if live.source.kind is not SourceKind.OBSIDIAN:
        return Freshness.UNKNOWN
    try:
        info = note_path(Path(live.source.location), note.key).stat()
    except FileNotFoundError:
        return Freshness.GONE
    except OSError:
        return Freshness.UNKNOWN
    return Freshness.CURRENT if obsidian.revision_of(info) == note.revision else Freshness.CHANGED


def _file_view(live: LiveIndex, note: NoteRow) -> NoteView:
    path = note_path(Path(live.source.location), note.key)
    state = freshness(live, note)
    try:
        markdown = obsidian.decode(read_ordinary(path, obsidian.MAX_BYTES, follow=False))[0]
    except OSError:
        # What was indexed is all that is left of it; the view says so by its freshness.
        markdown = "\n\n".join(row.passage.text for row in live.store.note_passages(note.key))
        state = Freshness.GONE
    return _view(live, note, state, markdown=markdown, path=str(path))


def _outline_view(live: LiveIndex, note: NoteRow) -> NoteView:
    blocks = [row for row in live.store.note_passages(note.key) if row.passage.kind is PassageKind.BLOCK]
    outline = tuple(
        OutlineBlock(row.passage.anchor.uid, row.passage.depth, row.passage.raw, row.passage.text) for row in blocks
    )
    return _view(live, note, Freshness.UNKNOWN, outline=outline, references=_references(live, note))


def _references(live: LiveIndex, note: NoteRow) -> dict[str, str]:
    """Text of every block that the page refers to."""
    uids = {link.target for link in live.store.links(note.key) if link.kind is LinkKind.BLOCK}
    ids = [number for uid in uids for number in live.store.passage_ids_of_uid(uid)[:1]]
    return {row.passage.anchor.uid: row.passage.text for row in live.store.passages(ids)}


def _view(
    live: LiveIndex,
    note: NoteRow,
    state: Freshness,
    *,
    markdown: str = "",
    outline: tuple[OutlineBlock, ...] = (),
    path: str = "",
    references: dict[str, str] | None = None,
) -> NoteView:
    return NoteView(
        source=live.source,
        key=note.key,
        title=note.title,
        markdown=markdown,
        outline=outline,
        path=path,
        freshness=state,
        tags=note.tags,
        aliases=note.aliases,
        created=note.created,
        modified=note.modified,
        references=references or {},
    )
