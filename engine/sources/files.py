"""Opening files that others wrote: only ordinary ones, and only as much as is wanted.

A pipe in the place of a file would block for ever, a device would never end, and a file that is a thousand times larger
than it should be would fill the memory. Never writes.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

LARGEST_SETTINGS = 16 * 1024 * 1024
"""Bytes of a settings file or list of another program; larger ones are something else."""

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def open_ordinary(path: Path, *, follow: bool = True) -> BinaryIO:
    """``path`` for reading. Raises ``OSError`` also when it is no ordinary file, or a link and ``follow`` is false."""
    handle = os.open(path, _FLAGS if follow else _FLAGS | _NO_LINK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not an ordinary file", str(path))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_ordinary(path: Path, limit: int = LARGEST_SETTINGS, *, follow: bool = True) -> bytes:
    """All of a file. Raises ``OSError`` also when it is no ordinary file, or larger than ``limit`` bytes."""
    with open_ordinary(path, follow=follow) as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise OSError(errno.EFBIG, "too large", str(path))
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, "too large", str(path))
    return data
