"""One machine to a data folder: what a sync service or a shared drive brings to a second machine is refused there.

The lock of ``frontends/lock.py`` holds between programs of one machine. Between machines there is no lock that can be
trusted, so the folder carries the mark of the machine that uses it, and only its owner moves it to another one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.errors import EngineError, NotAllowed
from engine.files import read_ordinary
from engine.paths import Home, write_atomically

_FILE = "machine.json"
_PATTERN = "machine*.json"
"""Sync services put a copy of each version beside the file when two machines have written it."""


def claim(home: Home) -> None:
    """Note that this machine uses the data folder. Raises ``NotAllowed`` when another one does.

    Does nothing on a system that does not tell machines apart (a container).
    """
    mine = machine_id()
    if not mine:
        return
    found = list(_marks(home.data))
    for file, machine, name in found:
        if machine != mine:
            raise NotAllowed(
                f"The data folder {home.data} is used by another machine, '{name}'. Two machines that share one "
                "damage it.",
                f"Give this machine its own folder (set LAMPLIGHT_HOME). If '{name}' does not use it any more, delete "
                f"{file.name} in it and start again.",
            )
    if not found:
        with contextlib.suppress(EngineError):  # a disk that cannot be written to is no reason not to search
            write_atomically(home.data / _FILE, json.dumps({"machine": mine, "name": platform.node()}).encode())


def _marks(folder: Path) -> Iterator[tuple[Path, str, str]]:
    """(file, machine, its name). A mark that cannot be read says nothing."""
    for file in sorted(folder.glob(_PATTERN)):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            mark = json.loads(read_ordinary(file))
            yield file, str(mark["machine"]), str(mark["name"])[:100]


def machine_id() -> str:
    """Stands for this machine and installation of its system; of no use elsewhere. Empty where there is none."""
    found = _of_windows() if sys.platform == "win32" else _of_mac() if sys.platform == "darwin" else _of_linux()
    return hashlib.sha256(f"lamplight\0{found}".encode()).hexdigest()[:16] if found else ""


def _of_linux() -> str:
    for file in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if text := Path(file).read_text("ascii").strip():
                return text
    return ""


if sys.platform == "win32":

    def _of_windows() -> str:
        import winreg

        with (
            contextlib.suppress(OSError),
            winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SOFTWARE\Microsoft\Cryptography") as key,
        ):
            return str(winreg.QueryValueEx(key, "MachineGuid")[0])
        return ""

else:

    def _of_windows() -> str:
        return ""


def _of_mac() -> str:
    import ctypes

    class Seconds(ctypes.Structure):
        _fields_ = (("whole", ctypes.c_long), ("nano", ctypes.c_long))

    found = ctypes.create_string_buffer(16)
    with contextlib.suppress(OSError, AttributeError):
        if ctypes.CDLL(None).gethostuuid(found, ctypes.byref(Seconds(1, 0))) == 0:
            return found.raw.hex()
    return ""
