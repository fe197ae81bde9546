"""Damage, full disks, lost permissions and hostile files: said in words, the decisions kept, the index made anew."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import dataclasses
import functools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engine import settings
from engine.errors import DiskFull, EngineError
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import NoteKey, Outcome, SearchRequest
from engine.paths import Home, find_home
from engine.store import passphrase, registry
from engine.store.database import is_encrypted
from engine.store.protection import database_files
from engine.store.rewriting import protect
from tests.journeys import faults

CHECKOUT = Path(__file__).resolve().parents[2]
NOTES = 20


@pytest.fixture
def indexed(home: Home, tmp_path: Path) -> Home:
    fill_home(home, tmp_path / "vault")
    return home


@functools.cache
def template() -> Path:
    """A vault and the home of a library that has indexed it, made once."""
    root = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, root)
    (root / "vault").mkdir()
    for i in range(NOTES):
        (root / "vault" / f"n{i:02}.md").write_text(f"# One\nAbout word{i} and bees.\n")
    with Library(find_home(root / "home"), FakeEmbedder()) as library:
        # Chosen, so that there is nothing to tell but faults.
        library.change_settings(dataclasses.replace(library.settings, protection="plain"))
        library.add(str(root / "vault"), name="vault")
        library.index("vault", Job())
        library.save_search("kept", "bees")
    return root


def fill_home(home: Home, vault: Path) -> None:
    """A copy of the template at these places."""
    shutil.copytree(template() / "vault", vault)
    shutil.copytree(template() / "home", home.data.parent, dirs_exist_ok=True)
    text = home.sources_file.read_text("utf-8")
    home.sources_file.write_text(text.replace(str(template() / "vault"), str(vault)), "utf-8")


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
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("hello " * 5000),
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


@pytest.mark.parametrize("kind", ["cut"])
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


class Disk:
    """A small file system of its own, mounted for a test."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "none", str(path)], capture_output=True)
        if done.returncode:
            pytest.skip("nothing may be mounted here")

    def fill(self) -> None:
        with contextlib.suppress(OSError), (self.path / "fill").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    def make_room(self) -> None:
        (self.path / "fill").unlink()

    def allow_writing(self, is_allowed: bool) -> None:
        mode = "rw" if is_allowed else "ro"
        subprocess.run(["mount", "-o", f"remount,{mode}", str(self.path)], check=True)

    def unmount(self) -> None:
        subprocess.run(["umount", "-l", str(self.path)], check=False)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if shutil.which("mount") is None or sys.platform != "linux":
        pytest.skip("needs file systems of Linux")
    mounted = Disk(tmp_path / "disk")
    yield mounted
    mounted.unmount()


@pytest.fixture
def indexed_disk(disk: Disk, tmp_path: Path) -> Home:
    home = find_home(disk.path / "home")
    fill_home(home, tmp_path / "vault")
    change_vault(tmp_path / "vault")
    return home


def change_vault(vault: Path) -> None:
    for i in range(NOTES):
        (vault / f"n{i:02}.md").write_text(f"# One\nAbout word{i} and bees. " + "honey " * i)


def as_before(home: Home) -> None:
    """Nothing is lost, and everything works again."""
    with Library(home, FakeEmbedder()) as library:
        assert library.saved_searches()["kept"] == "bees"
        assert library.index("vault", Job()).outcome is Outcome.COMPLETE
        status = library.status("vault")
        assert (status.notes, status.vectors, status.failed) == (NOTES, status.passages, 0)
        assert "honey honey" in library.note("vault", NoteKey("n07.md")).markdown
        assert library.search(SearchRequest("word7 mode:word")).rows[0].title == "n07"
        assert library.notices == ()


READS = {"sources", "status", "search", "note", "related", "behind", "saved searches", "export"}


def test_on_a_full_disk_reading_goes_on_and_writing_says_why_not(indexed_disk: Home, disk: Disk) -> None:
    disk.fill()
    with Library(indexed_disk, FakeEmbedder()) as library:
        found = faults.try_all(library)
        assert {name for name, said in found.items() if said == "fine"} >= READS
        said = {said for name, said in found.items() if name not in READS and said != "fine"}
        assert len(said) >= 5
        assert all(one.startswith("DiskFull") and "disk is full" in one for one in said), said
        disk.make_room()
        assert faults.try_all(library)["index"] == "fine", "the open library goes on when there is room"
    as_before(indexed_disk)


def test_a_disk_that_becomes_full_half_way_loses_nothing(indexed_disk: Home, disk: Disk, tmp_path: Path) -> None:
    for i in range(NOTES, 4 * NOTES):
        (tmp_path / "vault" / f"n{i:02}.md").write_text("\n\n".join(f"# {i} {j}\nword{i} honey {j}" for j in range(60)))
    with Library(indexed_disk, FakeEmbedder()) as library:
        disk.fill()
        with (disk.path / "fill").open("rb+") as file:
            file.truncate(file.seek(0, 2) - 1_500_000)
        with pytest.raises(DiskFull):
            library.index("vault", Job())
        assert library.search(SearchRequest("word7 mode:word")).rows[0].title == "n07"
        before = library.status("vault").vectors
        disk.make_room()
        assert library.index("vault", Job()).outcome is Outcome.COMPLETE
        assert library.status("vault").notes == 4 * NOTES
        assert before < library.status("vault").vectors == library.status("vault").passages
        rows = library.search(SearchRequest(f"word{3 * NOTES} mode:word")).rows
        assert rows[0].title == f"n{3 * NOTES}", "what was written while the disk was full is in memory too"


def test_on_a_read_only_disk_everything_is_said_and_nothing_changes(indexed_disk: Home, disk: Disk) -> None:
    disk.allow_writing(False)
    with Library(indexed_disk, FakeEmbedder()) as library:
        found = faults.try_all(library)
    disk.allow_writing(True)
    assert found["sources"] == "fine"
    said = {said for said in found.values() if said != "fine"}
    assert len(said) >= 5
    assert all(one.startswith("NotAllowed") and "read-only" in one for one in said), said
    as_before(indexed_disk)


def test_protection_on_a_full_disk_leaves_every_file_whole(indexed_disk: Home, disk: Disk) -> None:
    passphrase.give("four quiet words here")
    disk.fill()
    with pytest.raises(DiskFull):
        protect(indexed_disk, "passphrase", "four quiet words here")
    disk.make_room()
    protect(indexed_disk, "passphrase", "four quiet words here")
    assert {is_encrypted(file) for file in database_files(indexed_disk)} == {True}
    as_before(indexed_disk)
    passphrase.give(None)


def lamplight_process(home: Home, *words: str, **more: Any) -> dict[str, dict[str, str]]:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=CHECKOUT,
        env=os.environ | {"LAMPLIGHT_HOME": str(home.data.parent), "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **more,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_where_files_may_not_grow_it_is_said_and_nothing_is_lost(indexed: Home, tmp_path: Path) -> None:
    change_vault(tmp_path / "vault")
    found = lamplight_process(indexed, "-m", "tests.journeys.faults", "0", "300000")
    for outcomes in found.values():
        said = {said for said in outcomes.values() if said != "fine"}
        assert said
        assert all(one.startswith("DiskFull") for one in said), said
    as_before(indexed)


DENIED = """
import json, sys
from pathlib import Path
from engine.inference.fake import FakeEmbedder
from engine.library import Library
from tests.journeys import faults
found = {}
for name in sys.argv[1:]:
    place = Path(name)
    before = place.stat().st_mode
    place.chmod(0)
    with Library.open(embedder=FakeEmbedder()) as library:
        found[name] = faults.try_all(library)
    place.chmod(before)
sys.stdout.write(json.dumps(found))
"""


def without_power() -> None:
    """Give up what lets an administrator read what nobody may: file modes then count for it too."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities of Linux")
def test_a_permission_that_is_lost_is_said_and_nothing_is_lost(indexed: Home, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    change_vault(vault)
    indexed.settings_file.write_text('[search]\nresults = 30\n[privacy]\nprotection = "plain"\n')
    # The owner's own folder is opened again at the start, and a source that is away is an outcome, no error.
    places = {
        indexed.indexes: False,
        index_file(indexed): True,
        indexed.decisions: True,
        indexed.settings_file: True,
        vault / "n07.md": False,
        vault: False,
    }
    found = lamplight_process(indexed, "-c", DENIED, *map(str, places), preexec_fn=without_power)
    for place, is_said in places.items():
        said = {said for said in found[str(place)].values() if said != "fine"}
        assert all(one.startswith("NotAllowed") and "permission is denied" in one for one in said), said
        assert bool(said) is is_said, place
    assert settings.load(indexed)[0].results == 50, "the file was not replaced by one without what it held"
    as_before(indexed)


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
