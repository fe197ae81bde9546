"""Pipes, sockets, devices and links where files are expected: nothing blocks, nothing outside is read."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import EngineError, NoteError
from engine.files import read_ordinary
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.model import NoteKey, NoteRef, SourceOptions
from engine.sources import roam_registry
from engine.sources.obsidian import ObsidianReader
from engine.sources.roam_export import looks_like_roam_export, read_export
from engine.sources.roam_windows import restored_graphs
from engine.sources.smart_index import SmartVault
from engine.sources.vault_rules import ignore_filter, read_rules
from engine.sources.vaults import find_vaults
from fixtures.smart_connections import generate

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files in a folder")


def socket_at(path: Path) -> None:
    # Its path may be short only, so it is made from within the folder.
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)


MAKERS: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "socket": socket_at,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to(path.name),
    "secret": lambda path: path.symlink_to("/etc/passwd"),
}


@pytest.fixture(params=MAKERS)
def special(request: pytest.FixtureRequest) -> Callable[[Path], Path]:
    """Puts a file of one odd kind at a path."""

    def put(path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        MAKERS[request.param](path)
        return path

    return put


def reader(vault: Path) -> ObsidianReader:
    return ObsidianReader(vault, SourceOptions(), FakeEmbedder().token_spans)


def test_a_vault_of_odd_files_yields_its_notes_alone(tmp_path: Path, special: Callable[[Path], Path]) -> None:
    (tmp_path / "note.md").write_text("A plain note.")
    special(tmp_path / "odd.md")
    special(tmp_path / "odd.canvas")
    special(tmp_path / ".obsidian" / "app.json")
    special(tmp_path / ".obsidian" / "daily-notes.json")
    found = reader(tmp_path).scan(Job())
    assert [ref.key for ref in found.refs] == ["note.md"]


def test_a_note_that_became_something_else_is_not_read(tmp_path: Path, special: Callable[[Path], Path]) -> None:
    """Between the look at the folder and the reading of the file."""
    special(tmp_path / "note.md")
    with pytest.raises(NoteError):
        reader(tmp_path).read(NoteRef(NoteKey("note.md"), ""))


def test_exports_and_lists_of_other_programs(tmp_path: Path, special: Callable[[Path], Path]) -> None:
    for name in ("g.json", "g.edn", "g.zip"):
        odd = special(tmp_path / name)
        assert not looks_like_roam_export(odd)
        if not odd.is_file():
            with pytest.raises(EngineError):
                read_export(odd)
    special(tmp_path / ".config" / "obsidian" / "obsidian.json")
    assert find_vaults(home=tmp_path, environment={}, platform="linux") == []
    for name in (*roam_registry.REGISTRY_FILES, roam_registry.PORT_FILE):
        special(tmp_path / name)
    assert roam_registry.read_registry(tmp_path).entries == ()
    assert roam_registry.read_port(tmp_path) == roam_registry.DEFAULT_PORT
    assert restored_graphs(special(tmp_path / "user-config.edn")) is None


@pytest.mark.parametrize(
    "file",
    [
        ".smart-env/smart_env.json",
        ".smart-env/embedding_models/embedding_models.ajson",
        ".smart-env/smart_sources/smart_sources.ajson",
        ".smart-env/smart_sources/mf_ccarbz",
    ],
)
def test_files_of_the_plugin(tmp_path: Path, special: Callable[[Path], Path], file: str) -> None:
    generate.write_packed(tmp_path, {"a.md": "# H\ntext\n"})
    special(tmp_path / file)
    with contextlib.suppress(EngineError):
        assert "root:" not in str(SmartVault(tmp_path, pause=lambda _: None).index())


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(1 << 40)  # a hole: it takes no room on the disk
    with pytest.raises(OSError, match="too large"):
        read_ordinary(tmp_path / "large")
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "large").rename(tmp_path / ".obsidian" / "app.json")
    assert read_rules(tmp_path, SourceOptions()).ignored == ()


@pytest.mark.parametrize("pattern", ["/(a+)+$/", "/(a|a)*b/", "/(.*)*x/", "/^(([a-z])+.)+[A-Z]([a-z])+$/"])
def test_a_pattern_of_the_vault_that_takes_years_fits_nothing(pattern: str) -> None:
    matches = ignore_filter(pattern)
    assert matches is not None
    assert not matches("a" * 60 + "!")


@pytest.mark.parametrize(
    "pattern", ["/(?:a{1000}){1000}/", "/a{1000000000}/", "/a{0,00000000000099999999}/", "/a{,99999}/"]
)
def test_a_pattern_that_takes_gigabytes_is_no_pattern(pattern: str) -> None:
    assert ignore_filter(pattern) is None


def test_counted_repeats_of_people_stay_patterns() -> None:
    fits = ignore_filter(r"/^daily\/\d{4}-\d{2}-\d{2}/")
    assert fits is not None
    assert (fits("daily/2026-01-02.md"), fits("daily/x.md")) == (True, False)
