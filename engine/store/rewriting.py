"""Writing every database file again under another key, or under none.

Each file is copied beside itself, counted, and put in the old one's place in one step: whatever happens, a file is
whole and is either as it was or as it is to be. Must only run while nobody has the library open.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.errors import IndexDamaged, KeychainUnavailable, WrongKey, system_words
from engine.paths import Home
from engine.settings import load, save
from engine.store import decisions, passphrase
from engine.store.database import (
    copy_database,
    is_encrypted,
    make_private_file,
    opens_with,
    remove_files,
    sync_file,
)
from engine.store.protection import SUFFIX, IndexKeys, database_files, open_keys, passphrase_file


def protect(
    home: Home,
    mode: str,
    new_passphrase: str = "",
    *,
    discard: bool = False,
    report: Callable[[str], None] = lambda _: None,
) -> int:
    """Protect all files the way ``mode`` says and keep that as the setting. Returns the number of files rewritten.

    Broken off at any moment, the same call goes on from there. Raises ``KeychainUnavailable`` or ``WrongKey`` before
    anything is changed (with ``discard``, files that no key opens are put aside instead), and ``DiskFull`` with every
    file whole.
    """
    settings, _ = load(home)
    if settings.protection == "session":
        _forget_sessions(home)
    old = _old_keys(home, open_keys(home, settings.protection), discard=discard)
    if mode == "passphrase" and not passphrase_file(home).exists():
        passphrase.choose(passphrase_file(home), new_passphrase)
        passphrase.give(new_passphrase)
    new = IndexKeys(home, mode)
    key = new.key_of_new()
    if mode == "keychain" and key is None:
        raise KeychainUnavailable("There is no keychain that can be used.", "Nothing was changed.")
    save(home, dataclasses.replace(settings, protection=mode))
    if mode == "session":
        key = None
        for file in old.keys() & set(_rebuildable(home)):
            remove_files(file)
    count = sum(_rewrite_one(home, file, old.get(file), key, report) for file in _convertible(home))
    if mode != "passphrase":
        passphrase_file(home).unlink(missing_ok=True)
    return count


def _old_keys(home: Home, keys: IndexKeys, *, discard: bool) -> dict[Path, str | None]:
    """The key of each file as it is now. A file whose key cannot be had ends it, or is put aside."""
    found: dict[Path, str | None] = {}
    for file in _convertible(home):
        try:
            key = keys.key_for(file)
            if key is not None and not opens_with(file, key):
                raise WrongKey(f"No known key opens {file.name}.", "lamplight protect MODE --discard puts it aside.")
            found[file] = key
        except (KeychainUnavailable, WrongKey):
            if not discard:
                raise
            file.replace(file.with_name(file.name + ".locked"))
    return found


def _forget_sessions(home: Home) -> None:
    """Nobody has the keys of earlier sessions; what they opened can be made again."""
    for file in _rebuildable(home):
        if is_encrypted(file):
            remove_files(file)


def _rebuildable(home: Home) -> list[Path]:
    return [file for file in database_files(home) if file != home.decisions]


def _convertible(home: Home) -> list[Path]:
    return [*database_files(home), *decisions.backups(home.decisions)]


def _rewrite_one(home: Home, file: Path, old: str | None, new: str | None, report: Callable[[str], None]) -> bool:
    """Whether the file was rewritten. One that is damaged is dropped, unless it holds what the owner decided."""
    _drop_copies(file)
    if old == new:
        return False
    report(file.name)
    try:
        rewrite(file, old, new)
    except IndexDamaged:
        if file == home.decisions:
            raise
        remove_files(file)
    return True


def rewrite(path: Path, old: str | None, new: str | None) -> None:
    """Replace ``path`` by a copy under another key. The old file stands until the copy is counted and on the disk."""
    copy = path.with_name(path.name + SUFFIX)
    with system_words(path):
        try:
            copy.unlink(missing_ok=True)
            copy_database(path, old, copy, new)
            make_private_file(copy)
            sync_file(copy)
            os.replace(copy, path)  # noqa: PTH105 - overwrites on every system
            path.with_name(path.name + ".wal").unlink(missing_ok=True)
        finally:
            for left in path.parent.glob(f"{copy.name}*"):
                left.unlink(missing_ok=True)


def _drop_copies(path: Path) -> None:
    """Copies made before upgrades and damaged files hold text under the protection of before."""
    for file in _copies(path):
        file.unlink(missing_ok=True)


def _copies(path: Path) -> Iterator[Path]:
    for pattern in (".schema-*", ".damaged", ".wal.damaged"):
        yield from path.parent.glob(path.name + pattern)
