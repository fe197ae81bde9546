"""Obsidian vaults on this machine, from Obsidian's own list. Reads; never writes and never opens a note."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.files import read_ordinary


@dataclass(frozen=True, slots=True)
class Vault:
    id: str
    """Obsidian's own id, 16 hexadecimal digits."""
    path: Path
    opened: float = 0.0
    """When Obsidian last opened it, seconds since the epoch; 0 when unknown."""

    @property
    def name(self) -> str:
        return self.path.name


def find_vaults(
    *, home: Path | None = None, environment: Mapping[str, str] | None = None, platform: str = sys.platform
) -> list[Vault]:
    """Vaults whose folder exists, most recently opened first. Unreadable lists count as empty."""
    environment = os.environ if environment is None else environment
    found: dict[Path, Vault] = {}
    for file in config_files(home or Path.home(), environment, platform):
        for vault in _read_list(file):
            known = found.get(vault.path)
            if known is None or vault.opened > known.opened:
                found[vault.path] = vault
    return sorted(found.values(), key=lambda vault: (-vault.opened, str(vault.path)))


def vault_id(root: Path, vaults: list[Vault]) -> str:
    """Obsidian's id of the vault at ``root``; empty when Obsidian does not know it."""
    for vault in vaults:
        try:
            if vault.path == root or vault.path.samefile(root):
                return vault.id
        except OSError:
            continue
    return ""


def is_vault(folder: Path) -> bool:
    return (folder / ".obsidian").is_dir()


def config_files(home: Path, environment: Mapping[str, str], platform: str) -> Iterator[Path]:
    """Where Obsidian keeps its list, for each way of installing it."""
    if platform == "darwin":
        folders = [home / "Library" / "Application Support" / "obsidian"]
    elif platform == "win32":
        roaming = environment.get("APPDATA")
        folders = [(Path(roaming) if roaming else home / "AppData" / "Roaming") / "obsidian"]
    else:
        config = environment.get("XDG_CONFIG_HOME")
        folders = [
            (Path(config) if config else home / ".config") / "obsidian",
            home / ".var" / "app" / "md.obsidian.Obsidian" / "config" / "obsidian",
            home / "snap" / "obsidian" / "current" / ".config" / "obsidian",
        ]
    yield from (folder / "obsidian.json" for folder in folders)


def _read_list(file: Path) -> Iterator[Vault]:
    try:
        data = json.loads(read_ordinary(file))
    except (OSError, ValueError, RecursionError):
        return
    vaults = data.get("vaults") if isinstance(data, dict) else None
    for identity, entry in vaults.items() if isinstance(vaults, dict) else ():
        location = entry.get("path") if isinstance(entry, dict) else None
        if not isinstance(location, str) or not location or "\0" in location:
            continue
        path = Path(location)
        opened = entry.get("ts")
        try:
            is_there = path.is_absolute() and path.is_dir()
        except OSError:
            is_there = False
        if is_there:
            yield Vault(identity, path, opened / 1000 if isinstance(opened, int | float) else 0.0)
