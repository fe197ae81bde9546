"""Odd input on the command line is answered in words: no place, no text, nothing to undo, files that are no JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from engine.errors import BadRequest, NotASource
from engine.frontends import attach, cli
from engine.frontends.host import HostedLibrary
from engine.job import Job
from engine.model import NoteKey
from engine.paths import Home
from engine.store.decisions import Mark, MarkKind

from .conftest import NOTES, write_vault

Said = pytest.CaptureFixture[str]


@pytest.mark.parametrize("words", [["related", "\udcff"], ["why", "\udcff", "x"], ["why", "Bees", "\udcff"]])
def test_bytes_that_are_no_text(shared_home: Home, capsys: Said, words: list[str]) -> None:
    cli.main(words)
    said = "".join(capsys.readouterr())
    assert said
    assert "Something went wrong" not in said


@pytest.mark.parametrize("words", [["add", ""], ["add", " "]])
def test_nothing_is_no_place(
    hosted: HostedLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(words) == 1
    assert "No place was given" in capsys.readouterr().err
    assert len(hosted.registered()) == 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only where the system has these folders")
@pytest.mark.parametrize("place", ["/proc", "/proc/self", "/dev", "/sys/kernel"])
def test_folders_of_the_system_are_no_vaults(hosted: HostedLibrary, place: str) -> None:
    with pytest.raises(NotASource, match="the system's own"):
        hosted.add(place)


def test_files_that_cannot_be_imported(shared_home: Home, tmp_path: Path, capsys: Said) -> None:
    assert cli.main(["import", "Notes", str(tmp_path / "none.json")]) == 1
    assert "There is no file" in capsys.readouterr().err
    (tmp_path / "deep.json").write_text("[" * 200_000)
    assert cli.main(["import", "Notes", str(tmp_path / "deep.json")]) == 1
    assert "nested too deeply" in capsys.readouterr().err
    assert cli.main(["import", "Notes", str(tmp_path)]) == 1
    assert "Errno" not in capsys.readouterr().err


def test_decisions_hold_text_that_can_be_written(hosted: HostedLibrary, tmp_path: Path) -> None:
    document = {"format": "lamplight-decisions", "version": 1}
    searches = [{"name": "a\ud800", "request": {"text": "b\ud800"}}]
    feedback = [{"query": "q\ud800", "note": "Bees.md", "uid": "\ud800", "is_useful": True}]
    hosted.import_decisions("Notes", {**document, "searches": searches, "feedback": feedback})
    assert cli.main(["export", "Notes", str(tmp_path / "out.json")]) == 0
    written = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert written["searches"][0]["name"] == "a\ufffd"
    assert written["feedback"][0]["query"] == "q\ufffd"


@pytest.mark.skipif(sys.platform == "win32", reason="there any half of a pair may stand in a name")
def test_a_key_that_no_file_can_have_is_refused(hosted: HostedLibrary) -> None:
    mark = {"kind": "pin", "note": "\ud800", "uid": ""}
    with pytest.raises(BadRequest, match="not text"):
        hosted.import_decisions("Notes", {"format": "lamplight-decisions", "version": 1, "marks": [mark]})


def test_a_pin_on_a_file_whose_name_is_no_text_goes_out_and_in(hosted: HostedLibrary, tmp_path: Path) -> None:
    mark = Mark(MarkKind.PIN, hosted.find("Notes").id, NoteKey("caf\udce9.md"))
    hosted._held.files.decisions().set_mark(mark)
    assert cli.main(["export", "Notes", str(tmp_path / "out.json")]) == 0
    hosted._held.files.decisions().set_mark(mark, on=False)
    assert cli.main(["import", "Notes", str(tmp_path / "out.json")]) == 0
    assert [one.note for one in hosted._held.files.decisions().marks(MarkKind.PIN)] == ["caf\udce9.md"]


def test_duplicates_name_their_sources(shared_home: Home, capsys: Said, tmp_path: Path) -> None:
    with attach.open_library(shared_home) as library:
        library.add(str(write_vault(tmp_path / "Twins", {"Copy.md": NOTES["deep/Lens.md"]})), name="Twins")
        library.index("Twins", Job())
    assert cli.main(["duplicates"]) == 0
    said = capsys.readouterr().out
    assert "[Twins] Copy.md" in said
    assert "[Notes] deep/Lens.md" in said


def test_a_skipped_note_is_not_called_unknown(hosted: HostedLibrary, vault: Path, capsys: Said) -> None:
    write_vault(vault, {"node_modules/Read.md": "Text.\n"})
    hosted.index("Notes", Job())
    assert cli.main(["why", "node_modules", "x"]) == 1
    said = capsys.readouterr().out
    assert "node_modules: Folders of this name" in said
    assert "No source has a note of this name" not in said


def test_undoing_twice_says_so(hosted: HostedLibrary, capsys: Said) -> None:
    assert cli.main(["graph", "merges", "same", "Bees", "Bread", "--json"]) == 0
    number = str(json.loads(capsys.readouterr().out)["decided"]["id"])
    for action, first, second in (
        ("undo", "Undone", "Was undone already"),
        ("redo", "Valid again", "Was valid already"),
    ):
        for words in (first, second):
            assert cli.main(["graph", "merges", action, number]) == 0
            assert capsys.readouterr().out == f"{words}: {number}\n"
    assert cli.main(["graph", "merges", "undo"]) == 2
    assert "needs the number" in capsys.readouterr().err
