"""A second start hands its words to the window that runs, before Qt is loaded: a link is shown in a tenth of the time.

Where it cannot (Windows, whose pipes Qt opens), or nobody answers, the start goes on and finds out for itself.
"""

from __future__ import annotations

import os
from pathlib import Path

from engine.paths import Home

WAIT_SECONDS = 2.0


def socket_name(home: Home) -> str:
    """What the window of ``home`` listens under, in the system's folder for temporary files."""
    import hashlib  # The first start needs neither this nor JSON before its first paint.

    return "lamplight-" + hashlib.sha256(str(home.data).encode()).hexdigest()[:16]


def lock_file(home: Home) -> Path:
    """There while a window runs, and after one that was killed."""
    return home.data / "window.lock"


def written(words: list[str]) -> bytes:
    """The line that carries ``words``."""
    import json

    return json.dumps(words).encode() + b"\n"


def hand_over(home: Home, words: list[str]) -> bool:
    """Give ``words`` to the window that has ``home``; False when none is known to have taken them."""
    if not lock_file(home).exists():
        return False
    path = Path(os.environ.get("TMPDIR") or "/tmp", socket_name(home))
    if not _is_ours(path):
        return False
    import socket  # The first start has nobody to talk to.

    try:
        with socket.socket(socket.AF_UNIX) as window:
            window.settimeout(WAIT_SECONDS)
            window.connect(str(path))
            window.sendall(written(words))
            return bool(window.recv(16))
    except OSError:  # Left by a process that was killed, or too long a path for a socket.
        return False


def _is_ours(path: Path) -> bool:
    """Whether this person's own process has made it: anybody may put files there."""
    try:
        return os.name == "posix" and path.stat().st_uid == os.getuid()
    except OSError:
        return False
