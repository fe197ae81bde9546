"""What the machine runs on and for how long nobody has touched it: one question, an answer for each system.

Only reads. What a system does not tell is None, and counts as mains and as nobody there; never an error.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from engine.model import PowerState

SUPPLIES = Path("/sys/class/power_supply")
_TELL_SECONDS = 3
Ask = Callable[[Sequence[str]], str]
"""What a program of the system prints; empty when it cannot be run."""


def power_state(platform: str = sys.platform) -> PowerState:
    """Now; takes some milliseconds, so not for the window's own thread."""
    if platform == "linux":
        return PowerState(linux_battery(), x11_idle())
    if platform == "darwin":
        return PowerState(mac_battery(_ask), mac_idle(_ask))
    if platform == "win32":
        return PowerState(windows_battery(), windows_idle())
    return PowerState()


def linux_battery(supplies: Path = SUPPLIES) -> bool | None:
    """From the kernel's list of supplies. Batteries of mice and keyboards do not count."""
    folders = sorted(supplies.iterdir()) if supplies.is_dir() else []
    known = [folder for folder in folders if _read(folder / "scope") != "Device"]
    outside = [_read(f / "online") for f in known if _read(f / "type") in ("Mains", "USB")]
    batteries = [_read(f / "status") for f in known if _read(f / "type") == "Battery"]
    if "1" in outside:
        return False
    if "Discharging" in batteries:
        return True
    return False if outside or batteries else None


def _read(file: Path) -> str:
    try:
        return file.read_text("ascii", "replace").strip()
    except OSError:
        return ""


def mac_battery(ask: Ask) -> bool | None:
    """From the first line of ``pmset -g batt``: ``Now drawing from 'Battery Power'``."""
    found = re.search(r"drawing from '([^']*)'", ask(("pmset", "-g", "batt")))
    return None if found is None else "Battery" in found[1]


def mac_idle(ask: Ask) -> float | None:
    """From the registry of devices, in nanoseconds."""
    found = re.search(r'"HIDIdleTime" = (\d+)', ask(("ioreg", "-c", "IOHIDSystem", "-d", "4")))
    return None if found is None else int(found[1]) / 1e9


def _ask(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TELL_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


# --- Windows ------------------------------------------------------------------------------------------------------

_WINDOWS = getattr(ctypes, "windll", None)
"""There is one on Windows alone."""


class _PowerStatus(ctypes.Structure):
    _fields_ = (
        ("line", ctypes.c_ubyte),
        ("battery", ctypes.c_ubyte),
        ("percent", ctypes.c_ubyte),
        ("saver", ctypes.c_ubyte),
        ("seconds_left", ctypes.c_uint32),
        ("seconds_full", ctypes.c_uint32),
    )


class _LastInput(ctypes.Structure):
    _fields_ = (("size", ctypes.c_uint32), ("tick", ctypes.c_uint32))


def windows_battery() -> bool | None:
    status = _PowerStatus()
    if _WINDOWS is None or not _WINDOWS.kernel32.GetSystemPowerStatus(ctypes.byref(status)):
        return None
    return battery_of_line(status.line)


def battery_of_line(line: int) -> bool | None:
    """0: not on mains; 1: on mains; anything else: not known."""
    return {0: True, 1: False}.get(line)


def windows_idle() -> float | None:
    last = _LastInput(ctypes.sizeof(_LastInput), 0)
    if _WINDOWS is None or not _WINDOWS.user32.GetLastInputInfo(ctypes.byref(last)):
        return None
    return idle_of_ticks(_WINDOWS.kernel32.GetTickCount(), last.tick)


def idle_of_ticks(now: int, last: int) -> float:
    """Seconds between two counts of milliseconds that begin anew after 2**32."""
    return ((now - last) & 0xFFFFFFFF) / 1000


# --- X11 ----------------------------------------------------------------------------------------------------------


class _ScreenSaver(ctypes.Structure):
    _fields_ = (
        ("window", ctypes.c_ulong),
        ("state", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("until_or_since", ctypes.c_ulong),
        ("idle", ctypes.c_ulong),
        ("events", ctypes.c_ulong),
    )


def x11_idle(environ: Mapping[str, str] = os.environ) -> float | None:
    """From the extension that screen savers ask. Under Wayland nobody tells."""
    if not environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"):
        return None
    try:
        x11, saver = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXss.so.1")
    except OSError:
        return None
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = x11.XOpenDisplay(None)
    if not display:
        return None
    display = ctypes.c_void_p(display)
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    found = _ScreenSaver()
    try:
        root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
        is_told = saver.XScreenSaverQueryInfo(display, root, ctypes.byref(found))
    finally:
        x11.XCloseDisplay(display)
    return found.idle / 1000 if is_told else None
