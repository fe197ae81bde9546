"""Passages made of sections: their breadcrumbs."""

from __future__ import annotations

from engine.inference.fake import FakeEmbedder
from engine.model import NoteKey
from engine.text.markdown import parse_note
from engine.text.markdown_passages import Frame, build_passages


def test_a_first_heading_that_repeats_the_title_is_said_once() -> None:
    sections = parse_note("# Note\n\nText.\n\n## Part\n\nMore.\n").sections
    passages, _ = build_passages(sections, Frame(NoteKey("Note.md"), "Note"), FakeEmbedder().token_spans)
    assert [p.breadcrumb for p in passages] == [("Note",), ("Note", "Part")]
    assert [p.anchor.headings for p in passages] == [("Note",), ("Note", "Part")]
    assert passages[0].embed_input == "Note › Text."
