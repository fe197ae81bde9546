"""Completions with counts, the operators of a query, links of a note, saved searches: over a real small library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import NoteKey, SourceOptions
from engine.paths import Home
from engine.searching.completion import complete, parts

NOTES = {
    "Projects/Lamp/Oil.md": "---\ntags: [garden/bees]\nstatus: open\n---\n# Idea\nFeed it. See [[Log]].\n",
    "Projects/Lamp/Log.md": "#garden/herbs The log of [[Oil]].\n",
    "Diary/May Day.md": "---\nstatus: done\n---\n#garden/herbs Nothing.\n",
}


@pytest.fixture
def library(tmp_path: Path, home: Home) -> Iterator[Library]:
    for name, text in NOTES.items():
        (tmp_path / "My notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "My notes" / name).write_text(text, "utf-8")
    with Library.open(home, embedder=FakeEmbedder()) as opened:
        opened.add(str(tmp_path / "My notes"))
        opened.index("My notes", Job())
        yield opened


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tag:her", [("garden/herbs", 2)]),
        ("lamp #bee", [("garden/bees", 1)]),
        ("-tag:garden", [("garden/herbs", 2), ("garden/bees", 1)]),
        ("folder:", [("Projects", 2), ("Projects/Lamp", 2), ("Diary", 1)]),
        ("source:my", [('"My notes"', 3)]),
        ('page:"may', [('"May Day"', 1)]),
        ("(file:oi", [("Oil", 1)]),
        ("[stat", [("status:", 2)]),
        ("mode:w", [("word", 0)]),
        ("title:log", []),
        ("fol", [("folder:", 0)]),
        ("f", []),
        ("nothing:x", []),
        ("tag:herbs done ", []),
    ],
)
def test_what_may_follow_is_offered_with_its_count(library: Library, text: str, expected: list[object]) -> None:
    found = library.query_help(text, len(text)).completions
    assert [(one.text, one.count) for one in found] == expected


def test_a_completion_replaces_only_what_was_begun(library: Library) -> None:
    text = "lamp tag:her oil"
    (one,) = library.query_help(text, 12).completions
    assert text[: one.start] + one.text + text[one.end :] == "lamp tag:garden/herbs oil"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('lamp tag:a -folder:"b c" "said so"', ["tag:a", '-folder:"b c"']),
        ("#herbs [status:open] -[status]", ["#herbs", "[status:open]", "-[status]"]),
        ("http://x.org note:9 tag: plain", []),
        ("dir:a in:b", ["dir:a", "in:b"]),
        ("", []),
    ],
)
def test_the_operators_of_a_query_are_found_as_written(text: str, expected: list[str]) -> None:
    found = parts(text)
    assert [part.text for part in found] == expected
    assert all(text[part.start : part.end] == part.text for part in found)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet='ab:#[]"-() ', max_size=30), st.integers(0, 30))
def test_no_text_stops_the_help(text: str, cursor: int) -> None:
    complete(text, min(cursor, len(text)), [], [])
    assert all(part.text for part in parts(text))


def test_links_of_a_note_go_both_ways(library: Library) -> None:
    links = library.links("My notes", NoteKey("Projects/Lamp/Oil.md"))
    assert [(link.title, link.is_incoming) for link in links] == [("Log", False), ("Log", True)]
    assert library.links("My notes", NoteKey("No such.md")) == ()


def test_saved_searches_are_kept_replaced_and_removed(library: Library) -> None:
    library.save_search("Herbs", "tag:herbs")
    library.save_search("Herbs", "tag:garden/herbs")
    assert library.saved_searches() == {"Herbs": "tag:garden/herbs"}
    library.save_search("Herbs", "")
    assert library.saved_searches() == {}


def test_notes_are_counted_as_other_options_would_choose_them(library: Library) -> None:
    assert library.count_notes("My notes", SourceOptions(), Job()) == 3
    assert library.count_notes("My notes", SourceOptions(exclude=("Diary/**",)), Job()) == 2
    assert library.count_notes("My notes", SourceOptions(include=("Diary/**",)), Job()) == 1


def test_what_there_is_to_browse_is_counted(library: Library) -> None:
    held = library.contents()
    assert held.folders == (("Diary", 1), ("Projects", 2), ("Projects/Lamp", 2))
    assert held.tags == (("garden/herbs", 2), ("garden/bees", 1))
    assert held.pages == ()
    assert dict(held.collections) == {"tasks": 0, "daily": 0, "modified": 3, "created": 0}


def test_pages_of_a_graph_are_counted_by_their_blocks(tmp_path: Path, home: Home) -> None:
    blocks = [{"uid": f"abcdefg{n:02}", "string": text} for n, text in enumerate(["{{[[TODO]]}} oil", "wick", "glass"])]
    graph = [{"title": "Lamp", "uid": "abcdefghi", "children": blocks}, {"title": "Sea", "uid": "abcdefghj"}]
    (tmp_path / "brain.json").write_text(json.dumps(graph), "utf-8")
    with Library.open(home, embedder=FakeEmbedder()) as opened:
        opened.add(str(tmp_path / "brain.json"))
        opened.index("brain", Job())
        held = opened.contents(("brain",))
    assert next(iter(held.pages))[0] == "Lamp"
    assert dict(held.pages)["Lamp"] > dict(held.pages).get("Sea", 0)
    assert dict(held.collections)["tasks"] == 1
    assert held.folders == ()
