"""Where wikilinks lead."""

from __future__ import annotations

import pytest

from engine.model import NoteKey
from engine.text.links import LinkState, Resolution, index_paths, resolve

NOTES = [
    "Home.md",
    "a/Index.md",
    "b/Index.md",
    "b/deep/Plan.md",
    "ab/note.md",
    "b/note.md",
    "v1.2 notes.md",
    "Board.canvas",
    "Cafe\u0301.md",
    "x/Twin.md",
    "x/twin.md",
    "root.md",
    "b/root.md",
]


@pytest.mark.parametrize(
    ("target", "source", "state", "note"),
    [
        ("Home", "a/Index.md", "resolved", "Home.md"),
        ("home", "a/Index.md", "resolved", "Home.md"),
        ("Home.md", "a/Index.md", "resolved", "Home.md"),
        ("", "a/Index.md", "resolved", "a/Index.md"),
        ("Nobody", "Home.md", "unresolved", None),
        ("Plan", "Home.md", "resolved", "b/deep/Plan.md"),
        ("deep/Plan", "Home.md", "resolved", "b/deep/Plan.md"),
        ("b/deep/plan.MD", "Home.md", "resolved", "b/deep/Plan.md"),
        ("wrong/Plan", "Home.md", "unresolved", None),
        ("/Home", "a/Index.md", "resolved", "Home.md"),
        ("/Plan", "a/Index.md", "unresolved", None),
        ("./Index", "b/note.md", "resolved", "b/Index.md"),
        ("../a/Index", "b/note.md", "resolved", "a/Index.md"),
        ("../../Home", "b/deep/Plan.md", "resolved", "Home.md"),
        ("../../../Home", "b/deep/Plan.md", "unresolved", None),
        ("Index", "b/note.md", "ambiguous", "b/Index.md"),
        ("Index", "Home.md", "ambiguous", "a/Index.md"),
        ("b/note", "Home.md", "resolved", "b/note.md"),
        ("v1.2 notes", "Home.md", "resolved", "v1.2 notes.md"),
        ("Board.canvas", "Home.md", "resolved", "Board.canvas"),
        ("Board", "Home.md", "unresolved", None),
        ("Caf\u00e9", "Home.md", "resolved", "Cafe\u0301.md"),
        ("twin", "Home.md", "ambiguous", "x/Twin.md"),
        ("root", "a/Index.md", "ambiguous", "root.md"),
    ],
)
def test_resolve(target: str, source: str, state: str, note: str | None) -> None:
    found = resolve(target, NoteKey(source), index_paths(map(NoteKey, NOTES)))
    assert (found.state, found.note) == (state, note)


def test_suffixes_match_as_plain_text() -> None:
    index = index_paths([NoteKey("ab/note.md"), NoteKey("c/b/note.md")])
    found = resolve("b/note", NoteKey("x.md"), index)
    assert found == Resolution(
        LinkState.AMBIGUOUS, NoteKey("ab/note.md"), (NoteKey("ab/note.md"), NoteKey("c/b/note.md"))
    )
