"""``lamplight graph`` over a small library: text for people, one document for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.frontends.cli import build_parser, main
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.paths import find_home

NOTES = {
    "Lamp.md": "---\nauthor: '[[Ann Lee]]'\naliases: [Lantern]\n---\nNeeds [[Oil]].",
    "Oil.md": "From [[Tin]].",
    "Ann Lee.md": "A. Lee met [[Bo]] and [[Lantern]].",
    "A. Lee.md": "[[Wick]]",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library with one indexed vault; indexing has parsed its graph."""
    place = tmp_path / "home"
    monkeypatch.setenv("LAMPLIGHT_HOME", str(place))
    for name, text in NOTES.items():
        (tmp_path / "vault").mkdir(exist_ok=True)
        (tmp_path / "vault" / name).write_text(text, encoding="utf-8")
    with Library.open(find_home(place), embedder=FakeEmbedder()) as library:
        library.add(str(tmp_path / "vault"), name="Notes")
        library.index("Notes", Job())
        assert library.graph().find("Lamp")
    return place


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["graph", *words]) == 0
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    return json.loads(said(capsys, *words, "--json"))


def test_building_again_changes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert document(capsys, "parse")["reports"][0]["parsed"] == 0
    assert document(capsys, "parse", "--full")["reports"][0]["parsed"] == len(NOTES)
    # Looking at the graph has joined what is certainly one thing: a note and its alias.
    assert [entry["why"] for entry in document(capsys, "merges")["merges"]] == ["alias"]
    assert document(capsys, "resolve")["added"] == []
    assert "Every relation cites its block." in said(capsys, "assemble")
    assert document(capsys, "stats")["sources"][0]["notes"] == len(NOTES)


def test_looking_around(home: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "Lamp" in said(capsys, "pages", "lant")
    names = [one["name"] for one in document(capsys, "pages", "--unresolved")["entities"]]
    assert sorted(names) == ["Bo", "Tin", "Wick"]
    path = document(capsys, "path", "Bo", "Tin")["paths"][0]
    assert [one["name"] for one in path["entities"]] == ["Bo", "Ann Lee", "Lamp", "Oil", "Tin"]
    assert "“Needs Oil.” Lamp.md:5" in said(capsys, "path", "lamp", "oil")
    assert "No path" in said(capsys, "path", "Lamp", "Oil", "--predicate", "author")
    assert "Lamp --author--> Ann Lee (written)" in said(capsys, "near", "Ann Lee")
    assert "author Ann Lee: “author: '[[Ann Lee]]'” Lamp.md:2" in said(capsys, "timeline", "Lamp")
    assert document(capsys, "communities")["hubs"][0]["name"] == "Ann Lee"
    assert said(capsys, "export", str(tmp_path / "g.json"), "--form", "json").strip() == str(tmp_path / "g.json")


def test_deciding_and_undoing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Ann Lee (note in Notes) ~ A. Lee (note in Notes)" in said(capsys, "merges", "--proposed")
    decided = document(capsys, "merges", "same", "Ann Lee", "A. Lee")["decided"]
    assert document(capsys, "pages", "a. lee")["entities"][0]["name"] == "Ann Lee"
    assert "Undone" in said(capsys, "merges", "undo", str(decided["id"]))
    assert len(document(capsys, "pages", "lee")["entities"]) == 2
    assert [entry["why"] for entry in document(capsys, "merges")["merges"]] == ["alias"]
    assert len(document(capsys, "merges", "--all")["merges"]) == 2


def test_the_ledger_names_the_sources_of_its_names(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "merges")
    assert "Lantern (note in Notes)" in text
    assert "Lamp (note in Notes)" in text
    assert "Ann Lee (note in Notes) = A. Lee (note in Notes)" in said(capsys, "merges", "same", "Ann Lee", "A. Lee")


def test_a_date_that_is_only_the_file_s_is_called_that(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in {
        "Lit.md": "---\ncreated: 2020-03-04\n---\nA [[Wick]].",
        "2021-05-06.md": "Cut the [[Wick]].",
    }.items():
        (home.parent / "vault" / name).write_text(text, encoding="utf-8")
    with Library.open(find_home(home), embedder=FakeEmbedder()) as library:
        library.index("Notes", Job())
    moments = document(capsys, "timeline", "Wick")["moments"]
    assert [(one["at"][:10], one["dated_by"]) for one in moments[:2]] == [
        ("2020-03-04", "property"),
        ("2021-05-06", "day"),
    ]
    assert [one["dated_by"] for one in moments[2:]] == ["file"]
    lines = said(capsys, "timeline", "Wick").splitlines()[1:]
    assert ["(file date)" in line for line in lines] == [False, False, True]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["path", "Lamp", "Nowhere"], "no entity 'Nowhere'"),
        (["merges", "undo", "x"], "'x' is not the number"),
        (["merges", "same", "Lamp"], "two different"),
    ],
)
def test_mistakes_are_explained(home: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    assert main(["graph", *words]) == 2
    assert says in capsys.readouterr().err


def test_every_command_has_help() -> None:
    with pytest.raises(SystemExit) as end:
        build_parser().parse_args(["graph", "--help"])
    assert end.value.code == 0
