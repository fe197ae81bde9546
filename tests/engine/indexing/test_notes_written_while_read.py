"""A note or an export that is written while it is read is never taken for what stands on the disk."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import engine.files
from engine.errors import SourceOffline
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import Freshness, NoteKey, Outcome, SearchRequest, SourceOptions
from engine.paths import Home
from engine.sources.roam_export import RoamExportReader
from tests.written_files import WhileRead

OLD, NEW = "The lamp burns oil.", "The harbour is closed. Nobody rings the bell."


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text(OLD)
    return folder


def while_read(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """An editor that writes longer and longer texts, ending with the new one; ``times`` times over."""
    texts = [f"{NEW[:9]}{'.' * number}" for number in range(1, times)] + [NEW]
    opener = WhileRead("a.md", times, lambda path: path.write_text(texts.pop(0)))
    monkeypatch.setattr(engine.files, "open_ordinary", opener)


def texts(library: Library) -> set[str]:
    return {hit.text for row in library.search(SearchRequest("harbour lamp")).rows for hit in row.hits}


def test_a_note_that_settles_is_read_whole(home: Home, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Library(home, FakeEmbedder()) as library:
        library.add(str(vault), name="vault")
        while_read(monkeypatch, 1)
        report = library.index("vault", Job())
        assert (report.failed, report.outcome) == (0, Outcome.COMPLETE)
        assert texts(library) == {NEW}
        assert library.note("vault", NoteKey("a.md")).freshness is Freshness.CURRENT


def test_a_note_that_does_not_keeps_its_old_text_until_it_rests(
    home: Home, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Library(home, FakeEmbedder()) as library:
        library.add(str(vault), name="vault")
        library.index("vault", Job())
        (vault / "a.md").write_text(NEW)
        while_read(monkeypatch, engine.files.TRIES)
        report = library.index("vault", Job())
        assert [(one.note, one.reason) for one in report.problems] == [
            ("a.md", "The note is being written. It is read at the next run.")
        ]
        assert texts(library) == {OLD}
        again = library.index("vault", Job())
        assert (again.changed, again.problems) == (1, ())
        assert texts(library) == {NEW}


@pytest.mark.parametrize("name", ["graph.json", "graph.zip"])
def test_an_export_that_is_being_written_is_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    file = tmp_path / name
    text = json.dumps([{"title": "A", "uid": "u1", "children": [{"string": "x", "uid": "u2"}]}])
    if name.endswith(".zip"):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("graph.json", text)
    else:
        file.write_text(text)
    reader = RoamExportReader(file, SourceOptions())
    really = engine.files.open_ordinary
    growing = WhileRead(name, engine.files.TRIES, lambda path: path.write_bytes(path.read_bytes() + b" "))
    monkeypatch.setattr(engine.files, "open_ordinary", growing)
    with pytest.raises(SourceOffline, match="is being written"):
        reader.scan(Job())
    monkeypatch.setattr(engine.files, "open_ordinary", really)
    assert [ref.key for ref in reader.scan(Job()).refs] == ["u1"]
