"""What is freed goes back to the system: a window that is kept open all day must not keep what one search needed.

The C library of Linux would keep it, in as many heaps as there are threads. Elsewhere there is nothing to do.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys

_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
"""``M_MMAP_THRESHOLD`` and ``M_ARENA_MAX`` of the C library."""
_LARGE = 256 * 1024
_HEAPS = 2


def keep_little() -> None:
    """From now on a block of more than 256 KB is a mapping of its own, which goes when it is freed, and threads that
    begin share two heaps. By itself the C library raises that limit to 32 MB as soon as one such block was freed (kept,
    a search by meaning takes 90 MB less), and makes eight heaps for each processor (6 MB more in a window that rests).
    """
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):  # Another C library.
            ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
            ctypes.CDLL(None).mallopt(_ARENA_MAX, _HEAPS)


def give_back() -> None:
    """What lies free in the heaps, at once."""
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)
