"""Folders that a service copies elsewhere are named, and a data folder belongs to one machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import NotAllowed
from engine.frontends import doctor, render
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.paths import Home, find_home
from engine.store import one_machine
from engine.upkeep import synced


@pytest.mark.parametrize(
    ("place", "service"),
    [
        ("Dropbox/notes", "Dropbox"),
        ("Dropbox (Personal)/a/b", "Dropbox"),
        ("OneDrive - Example Ltd/vault", "OneDrive"),
        ("Library/Mobile Documents/iCloud~md~obsidian/Documents/vault", "iCloud Drive"),
        ("Library/CloudStorage/GoogleDrive-me@example.org/My Drive/vault", "Google Drive"),
        ("Google Drive/vault", "Google Drive"),
        ("Nextcloud/vault", "Nextcloud"),
        ("Syncthing/vault", "Syncthing"),
        ("Dropboxes of mine/vault", ""),
        ("notes/vault", ""),
    ],
)
def test_services_are_known_by_the_names_of_their_folders(tmp_path: Path, place: str, service: str) -> None:
    assert synced.synced_by(tmp_path / place) == service


@pytest.mark.parametrize(
    ("mark", "service"),
    [(".stfolder", "Syncthing"), (".dropbox.cache", "Dropbox"), (".tmp.drivedownload", "Google Drive")],
)
def test_services_are_known_by_what_they_leave(tmp_path: Path, mark: str, service: str) -> None:
    (tmp_path / "shared" / "vault").mkdir(parents=True)
    (tmp_path / "shared" / mark).mkdir()
    assert synced.synced_by(tmp_path / "shared" / "vault") == service
    assert synced.synced_by(tmp_path) == ""


def test_a_link_and_the_variable_of_windows_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Dropbox").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "Dropbox")
    assert synced.synced_by(tmp_path / "link" / "vault") == "Dropbox"
    monkeypatch.setenv("OneDriveCommercial", str(tmp_path / "work"))
    assert synced.synced_by(tmp_path / "work" / "vault") == "OneDrive"


def test_it_is_said_by_doctor_status_and_notices(tmp_path: Path) -> None:
    vault = tmp_path / "Dropbox" / "vault"
    vault.mkdir(parents=True)
    (vault / "a.md").write_text("bees")
    with Library(find_home(tmp_path / "Nextcloud" / "home"), FakeEmbedder()) as library:
        library.add(str(vault), name="vault")
        assert "Nextcloud copies to other machines" in library.notices[0]
        assert "LAMPLIGHT_HOME" in library.notices[0]
        for _ in range(2):  # before the first run, and after
            status = library.status("vault")
            assert "in a folder of Dropbox" in status.advice
            assert status.advice in render.status_text(status)
            library.index("vault", Job())
        found = {check.found: check.state for check in doctor.examine(library) if check.name == "folders"}  # type: ignore[arg-type]
        assert [state for words, state in found.items() if "Nextcloud" in words] == ["bad"]
        assert [state for words, state in found.items() if "Dropbox" in words] == ["note"]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The machine that programs believe to be on, to be changed."""
    now = ["first"]
    monkeypatch.setattr(one_machine, "machine_id", lambda: now[0])
    return now


def test_a_second_machine_is_refused_until_the_owner_moves_the_folder(home: Home, machine: list[str]) -> None:
    Library(home, FakeEmbedder()).close()
    Library(home, FakeEmbedder()).close()
    machine[0] = "second"
    with pytest.raises(NotAllowed, match="used by another machine") as caught:
        Library(home, FakeEmbedder())
    assert "delete machine.json" in caught.value.remedy
    (home.data / "machine.json").unlink()
    Library(home, FakeEmbedder()).close()
    machine[0] = "first"
    with pytest.raises(NotAllowed):
        Library(home, FakeEmbedder())


def test_a_machine_that_comes_while_a_library_is_open_stops_its_runs(
    home: Home, tmp_path: Path, machine: list[str]
) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("bees")
    with Library(home, FakeEmbedder()) as library:
        library.add(str(tmp_path / "vault"), name="vault")
        library.index("vault", Job())
        copy = home.data / "machine (laptop's conflicted copy).json"
        copy.write_text(json.dumps({"machine": "third", "name": "laptop"}))
        with pytest.raises(NotAllowed, match="'laptop'"):
            library.index("vault", Job())


@pytest.mark.parametrize("text", ["", "[]", "{", '{"machine": 3}', "[" * 100_000])
def test_a_mark_that_makes_no_sense_says_nothing(home: Home, machine: list[str], text: str) -> None:
    (home.data / "machine.json").write_text(text)
    one_machine.claim(home)
    machine[0] = "second"
    with pytest.raises(NotAllowed):
        one_machine.claim(home)


def test_a_system_that_tells_no_machines_apart_is_left_alone(home: Home, machine: list[str]) -> None:
    machine[0] = ""
    one_machine.claim(home)
    assert not list(home.data.glob("machine*"))


def test_this_machine_has_one_mark() -> None:
    assert one_machine.machine_id() == one_machine.machine_id()
    assert len(one_machine.machine_id()) in (0, 16)
