"""Paths: one override moves everything, folders and files are private, a failed write leaves the old file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from engine.errors import DiskFull, UserError
from engine.paths import find_home, make_private_folder, prepare_home, write_atomically

posix_only = pytest.mark.skipif(os.name != "posix", reason="Windows keeps other permissions")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_variable_moves_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMPLIGHT_HOME", str(tmp_path / "there"))
    home = find_home()
    places = [home.data, home.config, home.logs]
    places += [home.indexes, home.models, home.decisions, home.replies, home.sources_file, home.settings_file]
    places += [home.ledger, home.lock_file, home.index_file("s1")]
    assert all(place.is_relative_to(tmp_path / "there") for place in places)
    assert len(set(places)) == len(places)


def test_an_argument_beats_the_variable(tmp_path: Path) -> None:
    assert find_home(tmp_path / "here").data.is_relative_to(tmp_path / "here")


def test_a_relative_home_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAMPLIGHT_HOME", "near")
    assert find_home().data == tmp_path / "near" / "data"


def test_without_the_variable_the_systems_places_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAMPLIGHT_HOME")
    home = find_home()
    assert home.data.is_absolute()
    assert "lamplight" in str(home.data).lower()


def on_system(monkeypatch: pytest.MonkeyPatch, platform: str, **variables: str) -> None:
    monkeypatch.setattr("sys.platform", platform)
    for name in ("LAMPLIGHT_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


@posix_only
@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, ("/me/.local/share/lamplight", "/me/.config/lamplight", "/me/.local/state/lamplight/log")),
        (
            "linux",
            {"XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c/", "XDG_STATE_HOME": "/s"},
            ("/d/lamplight", "/c/lamplight", "/s/lamplight/log"),
        ),
        (
            "linux",
            {"XDG_DATA_HOME": "near", "XDG_CONFIG_HOME": "~/c"},
            ("/me/.local/share/lamplight", "/me/.config/lamplight", "/me/.local/state/lamplight/log"),
        ),
        (
            "darwin",
            {},
            (
                "/me/Library/Application Support/lamplight",
                "/me/Library/Application Support/lamplight",
                "/me/Library/Logs/lamplight",
            ),
        ),
        ("linux", {"LAMPLIGHT_HOME": "~/lamp"}, ("/me/lamp/data", "/me/lamp/config", "/me/lamp/logs")),
    ],
)
def test_the_places_of_each_system(
    monkeypatch: pytest.MonkeyPatch, platform: str, variables: dict[str, str], expected: tuple[str, ...]
) -> None:
    on_system(monkeypatch, platform, HOME="/me", **variables)
    home = find_home()
    assert tuple(map(str, (home.data, home.config, home.logs))) == expected


@posix_only
def test_a_system_that_does_not_say_whose_home_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    on_system(monkeypatch, "linux", LAMPLIGHT_HOME="~nobody-of-this-name/lamp")
    with pytest.raises(UserError, match="LAMPLIGHT_HOME"):
        find_home()


@posix_only
def test_folders_are_private_even_when_they_were_not(tmp_path: Path) -> None:
    home = find_home(tmp_path / "home")
    home.data.mkdir(parents=True, mode=0o755)
    prepare_home(home)
    assert {mode(folder) for folder in (home.data, home.config, home.logs, home.indexes)} == {0o700}
    assert (home.indexes / "CACHEDIR.TAG").read_text("ascii").startswith("Signature: 8a477f597d28d172789f06886806bc55")
    prepare_home(home)


@posix_only
def test_a_written_file_is_private_and_whole(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "file"
    write_atomically(file, b"one")
    write_atomically(file, b"two")
    assert file.read_bytes() == b"two"
    assert mode(file) == 0o600
    assert mode(file.parent) == 0o700
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    file = tmp_path / "file"
    write_atomically(file, b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(os if step == "fsync" else Path, step, fail)
    with pytest.raises(DiskFull, match=r"file could not be .* the disk is full"):
        write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_making_a_private_folder_twice_is_fine(tmp_path: Path) -> None:
    folder = make_private_folder(tmp_path / "a" / "b")
    (folder / "kept").touch()
    assert make_private_folder(folder) == folder
    assert (folder / "kept").exists()


@posix_only
def test_every_folder_on_the_way_is_private_whatever_the_mask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        prepare_home(find_home(tmp_path / "a" / "b"))
        write_atomically(tmp_path / "a" / "b" / "c" / "file", b"x")
    finally:
        os.umask(before)
    found = {path: mode(path) for path in (tmp_path / "a").rglob("*")} | {tmp_path / "a": mode(tmp_path / "a")}
    assert {path.name: bits for path, bits in found.items() if bits != (0o700 if path.is_dir() else 0o600)} == {}


def test_time_machine_is_told_to_leave_the_indexes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr("subprocess.run", lambda words, **_: asked.append(words))
    home = find_home(tmp_path / "home")
    for _ in range(2):
        prepare_home(home)
    assert asked == [["/usr/bin/tmutil", "addexclusion", str(home.indexes)]]
