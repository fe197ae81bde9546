"""Exports go where a person says, but never over a note, an export that is a source, or what is no regular file."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.errors import BadRequest, DiskFull, NotAllowed
from engine.frontends import cli
from engine.frontends.host import HostedLibrary
from engine.model import Source, SourceId, SourceKind
from engine.sources.export_files import write_files

EXPORTS = (["export", "Notes"], ["graph", "export", "--form", "json"], ["graph", "export", "--form", "csv"])


def content(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("words", EXPORTS)
@pytest.mark.parametrize("name", ["Bees.md", "new.json", "deep/../Bread.md"])
def test_no_export_is_written_into_a_vault(
    hosted: HostedLibrary, vault: Path, capsys: pytest.CaptureFixture[str], words: list[str], name: str
) -> None:
    before = content(vault)
    assert cli.main([*words, str(vault / name)]) == 1
    assert "never writes into a source" in capsys.readouterr().err
    assert content(vault) == before


@pytest.mark.parametrize("words", EXPORTS)
def test_an_export_elsewhere_is_written(hosted: HostedLibrary, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "out").mkdir()
    assert cli.main([*words, str(tmp_path / "out" / "file")]) == 0
    assert all(content(tmp_path / "out").values())
    assert not list((tmp_path / "out").glob(".*"))


def test_an_empty_name_is_refused(
    hosted: HostedLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in EXPORTS:
        assert cli.main([*words, ""]) != 0
        assert "Give the name of a file" in capsys.readouterr().err


def sources_at(vault: Path, export: Path) -> list[Source]:
    return [
        Source(SourceId("v"), SourceKind.OBSIDIAN, "Vault", str(vault)),
        Source(SourceId("e"), SourceKind.ROAM_EXPORT, "Export", str(export)),
        Source(SourceId("r"), SourceKind.ROAM_LOCAL, "Graph", "roam:graph"),
    ]


@pytest.fixture
def known(tmp_path: Path) -> list[Source]:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Note.md").write_text("kept")
    (tmp_path / "roam.json").write_text("kept")
    return sources_at(tmp_path / "vault", tmp_path / "roam.json")


def test_an_export_file_that_is_a_source_stays(tmp_path: Path, known: list[Source]) -> None:
    with pytest.raises(NotAllowed, match="source 'Export'"):
        write_files([(tmp_path / "roam.json", b"new")], known)
    assert (tmp_path / "roam.json").read_text() == "kept"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there, and there are no pipes with names")
def test_links_devices_and_pipes(tmp_path: Path, known: list[Source]) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "vault" / "Note.md")
    (tmp_path / "folder").symlink_to(tmp_path / "vault")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "device").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link.json", "folder/new.json"):
        with pytest.raises(NotAllowed, match="source 'Vault'"):
            write_files([(tmp_path / name, b"new")], known)
    for name in ("device", "pipe"):
        with pytest.raises(NotAllowed, match="not a regular file"):
            write_files([(tmp_path / name, b"new")], known)
    with pytest.raises(BadRequest):
        write_files([(tmp_path / "loop", b"new")], known)
    assert (tmp_path / "vault" / "Note.md").read_text() == "kept"
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "fine.json").symlink_to(tmp_path / "real.json")
    write_files([(tmp_path / "fine.json", b"new")], known)
    assert (tmp_path / "fine.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "new"


def test_a_failed_export_leaves_what_was_there(
    tmp_path: Path, known: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(number: int) -> Any:
        raise OSError(errno.ENOSPC, "full")

    (tmp_path / "out.json").write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull):
        write_files([(tmp_path / "out.json", b"new")], known)
    assert (tmp_path / "out.json").read_text() == "old"
    assert not list(tmp_path.glob(".*"))


def test_all_places_are_looked_at_before_one_is_written(tmp_path: Path, known: list[Source]) -> None:
    with pytest.raises(NotAllowed):
        write_files([(tmp_path / "a.csv", b"a"), (tmp_path / "vault" / "b.csv", b"b")], known)
    assert not (tmp_path / "a.csv").exists()
