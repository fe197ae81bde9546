"""Walking a vault's folders, fast and read-only: each folder once, whatever links point where."""

from __future__ import annotations

import errno
import os
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from engine.job import Job
from engine.sources.vault_rules import SKIPPED_FOLDERS

_DATALESS = 0x40000000
"""macOS: the file's content is in the cloud only."""
_RECALL = 0x00001000 | 0x00040000 | 0x00400000
"""Windows: offline, recall on open, recall on data access."""
NOT_DOWNLOADED = frozenset({errno.EDEADLK, errno.EIO})


class FoundFile(NamedTuple):
    """A named tuple: one is made of every file each time that a search counts what has changed."""

    path: str
    relative: str
    """Path below the root with ``/``, as the system spells it."""
    name: str
    info: os.stat_result | None
    """None for a symbolic link, which Obsidian does not follow to files."""


@dataclass(frozen=True, slots=True)
class FoundFolder:
    """A folder that was not entered: ``skipped`` by rule, or else unreadable."""

    relative: str
    skipped: bool
    reason: str = ""


def walk(root: Path, job: Job) -> Iterator[FoundFile | FoundFolder]:
    """Every file that is not in a dot-folder. Raises ``OSError`` when the root itself cannot be listed."""
    root_real = os.path.realpath(root)
    folders: deque[tuple[str, str]] = deque([(str(root), "")])
    links: deque[tuple[str, str]] = deque()
    seen: set[tuple[int, int] | str] = set()
    while folders or links:
        job.check()
        # Links last, so that a folder is known by its own path before any other.
        is_link = not folders
        path, relative = folders.popleft() if folders else links.popleft()
        if is_link and _holds(os.path.realpath(path), root_real):
            continue
        try:
            identity = _identity(path)
            entries = [] if identity in seen else _list(path)
        except OSError as error:
            if not relative:
                raise
            yield FoundFolder(relative, False, error.strerror or "cannot be read")
            continue
        seen.add(identity)
        for entry in entries:
            below = f"{relative}/{entry.name}" if relative else entry.name
            if _is_folder(entry):
                if entry.name.startswith("."):
                    continue
                if entry.name in SKIPPED_FOLDERS:
                    yield FoundFolder(below, True)
                    continue
                (links if entry.is_symlink() else folders).append((entry.path, below))
            else:
                yield FoundFile(entry.path, below, entry.name, _info(entry))


def _list(path: str) -> list[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _holds(folder: str, inner: str) -> bool:
    """Whether ``folder`` is ``inner`` or stands above it: entering it would read the vault again."""
    return inner == folder or inner.startswith(folder.rstrip(os.sep) + os.sep)


def _identity(path: str) -> tuple[int, int] | str:
    info = os.stat(path)  # noqa: PTH116 - a Path for each of ten thousand folders costs more than the call
    return (info.st_dev, info.st_ino) if info.st_ino else os.path.realpath(path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _info(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return None if entry.is_symlink() else entry.stat(follow_symlinks=False)
    except OSError:
        # Gone between listing and looking.
        return None


def is_in_the_cloud(path: str, info: os.stat_result) -> bool:
    """Whether the file's content is not on this machine. Never makes the system fetch it where that can be told.

    ``path`` is text: a ``Path`` for each of ten thousand files costs more than all else that is done for it."""
    if getattr(info, "st_flags", 0) & _DATALESS or getattr(info, "st_file_attributes", 0) & _RECALL:
        return True
    if not info.st_size or getattr(info, "st_blocks", True):
        return False
    if sys.platform == "darwin":
        return True
    # Small files may have no blocks of their own and be there all the same: look.
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            file.read(1)
    except OSError as error:
        return error.errno in NOT_DOWNLOADED
    return False
