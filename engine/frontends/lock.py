"""The lock on a library: one process at a time may open its files. The system lets go of it when the process dies."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from engine.errors import system_words
from engine.files import open_private
from engine.paths import make_private_folder


class LibraryLock:
    """Held from construction until ``release``."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def take(cls, path: Path) -> LibraryLock | None:
        """The lock, or None while another process holds it. The file itself is left behind: it says nothing."""
        make_private_folder(path.parent)
        with system_words(path):
            handle = open_private(path, os.O_RDWR | os.O_CREAT)
        try:
            _lock(handle)
        except OSError:
            os.close(handle)
            return None
        return cls(handle)

    def release(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
