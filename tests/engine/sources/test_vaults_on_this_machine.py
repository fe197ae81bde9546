"""Finding vaults through Obsidian's own list, wherever Obsidian was installed from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.sources.vaults import find_vaults, is_vault, vault_id


def write_list(file: Path, vaults: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"vaults": vaults}), encoding="utf-8")


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, ".config/obsidian"),
        ("linux", {"XDG_CONFIG_HOME": "{home}/xdg"}, "xdg/obsidian"),
        ("linux", {}, ".var/app/md.obsidian.Obsidian/config/obsidian"),
        ("linux", {}, "snap/obsidian/current/.config/obsidian"),
        ("darwin", {}, "Library/Application Support/obsidian"),
        ("win32", {"APPDATA": "{home}/Roaming"}, "Roaming/obsidian"),
        ("win32", {}, "AppData/Roaming/obsidian"),
    ],
)
def test_every_way_of_installing(tmp_path: Path, platform: str, environment: dict[str, str], folder: str) -> None:
    vault = tmp_path / "My Vault"
    vault.mkdir()
    write_list(tmp_path / folder / "obsidian.json", {"0123456789abcdef": {"path": str(vault), "ts": 1700000000000}})
    environment = {name: value.format(home=tmp_path) for name, value in environment.items()}
    (found,) = find_vaults(home=tmp_path, environment=environment, platform=platform)
    assert (found.id, found.name, found.path, found.opened) == ("0123456789abcdef", "My Vault", vault, 1700000000.0)


def test_odd_entries_are_passed_over_and_the_latest_comes_first(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name / ".obsidian").mkdir(parents=True)
    entries = {
        "1": {"path": str(tmp_path / "old"), "ts": 1000},
        "2": {"path": str(tmp_path / "new"), "ts": 2000, "open": True},
        "3": {"path": str(tmp_path / "gone")},
        "4": {"path": 7},
        "5": None,
        "6": {"path": "relative"},
        "7": {"path": "nul\0"},
    }
    write_list(tmp_path / ".config" / "obsidian" / "obsidian.json", entries)
    write_list(
        tmp_path / "snap/obsidian/current/.config/obsidian/obsidian.json",
        {"9": {"path": str(tmp_path / "new"), "ts": 500}},
    )
    found = find_vaults(home=tmp_path, environment={}, platform="linux")
    assert [vault.id for vault in found] == ["2", "1"]
    assert vault_id(tmp_path / "old", found) == "1"
    assert vault_id(tmp_path / "elsewhere", found) == ""
    assert is_vault(tmp_path / "new")
    assert not is_vault(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"vaults": []}', '{"vaults": null}', "[" * 100_000])
def test_a_broken_list_is_an_empty_one(tmp_path: Path, content: str) -> None:
    file = tmp_path / ".config" / "obsidian" / "obsidian.json"
    file.parent.mkdir(parents=True)
    file.write_text(content, encoding="utf-8")
    assert find_vaults(home=tmp_path, environment={}, platform="linux") == []
