"""Damage, full disks, lost permissions and hostile files: said in words, the decisions kept, the index made anew."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from engine import settings
from engine.errors import EngineError
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import Outcome, SearchRequest
from engine.paths import Home
from engine.store import registry

CHECKOUT = Path(__file__).resolve().parents[2]
NOTES = 30


@pytest.fixture
def indexed(home: Home, tmp_path: Path) -> Home:
    vault = tmp_path / "vault"
    vault.mkdir()
    for i in range(NOTES):
        (vault / f"n{i:02}.md").write_text(f"# One\nAbout word{i} and bees.\n")
    with Library(home, FakeEmbedder()) as library:
        library.add(str(vault), name="vault")
        library.index("vault", Job())
        library.save_search("kept", "bees")
    return home


def index_file(home: Home) -> Path:
    return next(home.indexes.glob("*.duckdb"))


def other_schema(path: Path) -> None:
    path.unlink()
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE notes (x INTEGER)")
        connection.execute("CREATE VIEW passages AS SELECT * FROM read_text('/etc/passwd')")


def noise(path: Path, start: int, length: int) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:start] + random.Random(1).randbytes(length) + data[start + length :])


DAMAGES = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "stump": lambda path: path.write_bytes(path.read_bytes()[:64]),
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("hello " * 5000),
    "noise": lambda path: path.write_bytes(random.Random(2).randbytes(300_000)),
    "headers": lambda path: noise(path, 4096, 8192),
    "rows": lambda path: noise(path, 12_288, path.stat().st_size - 12_288),
    "schema": other_schema,
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_index_is_made_anew_and_decisions_stay(indexed: Home, kind: str) -> None:
    DAMAGES[kind](index_file(indexed))
    with Library(indexed, FakeEmbedder()) as library:
        library.sources()  # says what it finds, and never fails
        report = library.index("vault", Job(), full=kind == "schema")
        assert (report.outcome, report.added) == (Outcome.COMPLETE, NOTES)
        assert library.search(SearchRequest("word7 mode:word")).rows[0].title == "n07"
        assert library.saved_searches() == {"kept": "bees"}
        if kind != "empty":
            assert any("made anew" in notice for notice in library.notices)
            assert list(indexed.indexes.glob("*.damaged"))


@pytest.mark.parametrize("kind", ["cut", "text", "noise", "headers"])
def test_damaged_decisions_come_back_from_their_copy(indexed: Home, kind: str) -> None:
    DAMAGES[kind](indexed.decisions)
    with Library(indexed, FakeEmbedder()) as library:
        assert library.saved_searches() == {"kept": "bees"}


HOSTILE_TOML = (
    "\x00\x01",
    "a" * 100_000,
    "[" * 5_000,
    "x = " + "[" * 5_000,
    "x = " + "{a=" * 3_000,
    "search = 3\n",
    "[search]\nresults = 1e400\n",
    "[search]\nresults = -99999999999999999999999\n",
    "[[source]]\nid = '../../etc'\n",
    "[[sources]]\nid = '../../../outside'\nkind = 'obsidian'\nname = 'x'\nlocation = '/'\n",
    "sources = 'x'\n",
    "[privacy]\nprotection = 'none'\n",
)


@pytest.mark.parametrize("text", HOSTILE_TOML, ids=range(len(HOSTILE_TOML)))
def test_hostile_settings_and_sources_are_a_notice(home: Home, text: str) -> None:
    home.settings_file.write_text(text, "utf-8")
    home.sources_file.write_text(text, "utf-8")
    chosen, _ = settings.load(home)
    assert chosen == settings.Settings()
    found, _ = registry.load(home)
    assert all(home.index_file(source.id).parent == home.indexes for source in found)
    assert all(".." not in source.id for source in found)
    with Library(home, FakeEmbedder()) as library:
        library.sources()


FULL = """
import resource, sys
from pathlib import Path
from engine.errors import EngineError
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
library = Library.open(embedder=FakeEmbedder())
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
try:
    library.index("vault", Job(), full=True)
    print("fine")
except EngineError as error:
    print(type(error).__name__, error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
library.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("room", [0, 20_000, 300_000])
def test_a_full_disk_is_said_and_nothing_is_lost(indexed: Home, tmp_path: Path, room: int) -> None:
    for i in range(NOTES, 6 * NOTES):
        (tmp_path / "vault" / f"n{i:02}.md").write_text(f"# One\nAbout word{i} and bees. " + "honey " * i)
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(room)],
        cwd=CHECKOUT,
        env=os.environ | {"LAMPLIGHT_HOME": str(indexed.data.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("DiskFull"), done.stdout
    with Library(indexed, FakeEmbedder()) as library:
        assert library.search(SearchRequest("word7 mode:word")).rows[0].title == "n07"
        assert library.saved_searches() == {"kept": "bees"}
        assert library.index("vault", Job()).outcome is Outcome.COMPLETE
        assert library.status("vault").notes == 6 * NOTES


def test_a_vault_that_is_gone_or_half_there_loses_nothing(indexed: Home, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    for change in ("gone", "emptied"):
        vault.rename(tmp_path / f"elsewhere-{change}")
        if change == "emptied":
            vault.mkdir()
            for i in range(3):
                (vault / f"n{i:02}.md").write_text("# One\nhalf synced\n")
        with Library(indexed, FakeEmbedder()) as library:
            report = library.index("vault", Job())
            assert report.outcome in (Outcome.OFFLINE, Outcome.BRAKED)
            assert library.search(SearchRequest("word7 mode:word")).rows[0].title == "n07"
        if change == "gone":
            (tmp_path / "elsewhere-gone").rename(vault)


@pytest.mark.skipif(sys.platform == "win32", reason="files of POSIX")
def test_files_that_are_no_files_neither_hang_nor_lead_out(indexed: Home, tmp_path: Path) -> None:
    vault, secret = tmp_path / "vault", tmp_path / "secret"
    secret.mkdir()
    (secret / "key.md").write_text("the xylophone password")
    os.mkfifo(vault / "pipe.md")
    (vault / "link.md").symlink_to(secret / "key.md")
    (vault / "zero.md").symlink_to("/dev/zero")
    (vault / "loop").symlink_to(vault)
    (vault / ".hidden").mkdir()
    (vault / ".hidden" / "note.md").write_text("the xylophone password")
    (vault / "n00.md").unlink()
    (vault / "n00.md").mkdir()
    with Library(indexed, FakeEmbedder()) as library:
        report = library.index("vault", Job())
        assert report.outcome is Outcome.COMPLETE
        assert library.search(SearchRequest("xylophone mode:word")).rows == ()
        assert {p.code for p in report.problems} >= {"symlink", "not-a-file"}
        for key in ("../secret/key.md", "/etc/passwd", ".hidden/note.md", "link.md"):
            with pytest.raises(EngineError):
                library.note("vault", key)  # type: ignore[arg-type]


def test_a_clock_that_jumps_changes_no_outcome(indexed: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for when in (0.0, 4_102_444_800.0, 1_000_000_000.0):
        monkeypatch.setattr("time.time", lambda when=when: when)
        os.utime(tmp_path / "vault" / "n05.md", (when + 1, when + 1))
        with Library(indexed, FakeEmbedder()) as library:
            report = library.index("vault", Job())
            assert (report.outcome, report.changed, report.removed) == (Outcome.COMPLETE, 1, 0)
            library.save_search("later", "x")
    with Library(indexed, FakeEmbedder()) as library:
        assert library.saved_searches() == {"kept": "bees", "later": "x"}
