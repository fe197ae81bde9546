"""Whether there is a display for a window: Qt, without one, ends the process with words of its own."""

from __future__ import annotations

import os
import re
import sys

WAIT_SECONDS = 5.0


def why_none() -> str:
    """Why no window can be shown, in a sentence; empty where one can be, or only Qt would know."""
    if sys.platform in ("win32", "darwin"):
        return ""
    display, platform = os.environ.get("DISPLAY", ""), os.environ.get("QT_QPA_PLATFORM", "")
    if os.environ.get("WAYLAND_DISPLAY") or platform.partition(":")[0] not in ("", "xcb"):
        return ""
    if not display:
        return "There is no display for a window."
    local = re.fullmatch(r"(?:unix)?:(\d+)(?:\.\d+)?", display)
    if local is None or _answers(f"/tmp/.X11-unix/X{local[1]}"):
        return ""
    return f"Nothing answers at the display '{display}', so there can be no window."


def _answers(path: str) -> bool:
    """Whether an X server listens there, at the file or at the name that Linux knows without one."""
    import socket

    for address in (path, f"\0{path}"):
        with socket.socket(socket.AF_UNIX) as server:
            server.settimeout(WAIT_SECONDS)
            try:
                server.connect(address)
            except OSError:
                continue
            return True
    return False
