"""Opening files by name: only ordinary ones, only as much as is wanted, and only whole.

A pipe in the place of a file would block for ever, a device would never end, a file that is a thousand times larger
than it should be would fill the memory, and one that is written while it is read would be torn.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

TYPE_CHECKING = False  # see ``engine.paths``
if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

LARGEST_SETTINGS = 16 * 1024 * 1024
"""Bytes of a settings file or list of another program; larger ones are something else."""

TRIES = 3
"""Times a file is read that changes meanwhile."""

_COMMON = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def open_ordinary(path: Path | str, *, follow: bool = True) -> BinaryIO:
    """``path`` for reading. Raises ``OSError`` also when it is no ordinary file, or a link and ``follow`` is false."""
    handle = _ordinary(path, os.O_RDONLY | (0 if follow else _NO_LINK))
    try:
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def open_private(path: Path, flags: int) -> int:
    """Handle of a file of the product's own, made for its owner alone. Raises ``OSError`` also when something else
    stands in its place."""
    handle = _ordinary(path, flags)
    if os.name == "posix":
        with contextlib.suppress(OSError):  # a file system that knows no such thing
            os.fchmod(handle, 0o600)
    return handle


def read_whole(path: Path | str, limit: int = LARGEST_SETTINGS, *, follow: bool = True) -> tuple[bytes, os.stat_result]:
    """All of a file, and what the system says about it.

    Raises ``OSError`` also when it is no ordinary file, is larger than ``limit`` bytes (E2BIG), or is written to each
    time it is read (EAGAIN).
    """
    for _ in range(TRIES):
        with open_ordinary(path, follow=follow) as file:
            info = os.fstat(file.fileno())
            data = file.read(limit + 1) if info.st_size <= limit else b""
            after = os.fstat(file.fileno())
        if len(data) > limit or after.st_size > limit:
            raise OSError(errno.E2BIG, "too large", str(path))
        if (after.st_size, after.st_mtime_ns) == (info.st_size, info.st_mtime_ns):
            return data, info
    raise OSError(errno.EAGAIN, "it is being written", str(path))


def read_ordinary(path: Path | str, limit: int = LARGEST_SETTINGS, *, follow: bool = True) -> bytes:
    """The bytes of ``read_whole``."""
    return read_whole(path, limit, follow=follow)[0]


def refuse_odd_files(folder: Path) -> None:
    """Raises ``OSError`` (EEXIST) when a pipe or a device stands in ``folder``, where whoever opens files by their
    names, as the database and Qt do, would wait for ever."""
    with os.scandir(folder) as found:
        for entry in found:
            if not entry.is_file() and not entry.is_dir() and not _may_stay(entry):
                raise _odd(entry.path)


def _may_stay(entry: os.DirEntry[str]) -> bool:
    """A socket, which cannot be opened at all, or a link to nothing."""
    try:
        return stat.S_ISSOCK(entry.stat().st_mode)
    except OSError:
        return True


def _ordinary(path: Path | str, flags: int) -> int:
    try:
        handle = os.open(path, flags | _COMMON, 0o600)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket, or a pipe that nobody reads
            raise _odd(path) from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise _odd(path)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _odd(path: Path | str) -> OSError:
    return OSError(errno.EEXIST, "not an ordinary file", str(path))
