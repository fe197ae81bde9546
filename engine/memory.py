"""What is freed goes back to the system: a window that is kept open all day must not keep what one search needed.

The C library of Linux would keep it, in as many heaps as there are threads. Elsewhere there is nothing to do.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys

_MMAP_THRESHOLD = -3
"""``M_MMAP_THRESHOLD`` of the C library."""
_LARGE = 256 * 1024


def map_large_blocks() -> None:
    """From now on a block of more than 256 KB is a mapping of its own, which goes when it is freed. By itself the C
    library raises that limit to 32 MB as soon as one such block was freed; kept, a search by meaning takes 90 MB
    less."""
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):  # Another C library.
            ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)


def give_back() -> None:
    """What lies free in the heaps, at once."""
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)
