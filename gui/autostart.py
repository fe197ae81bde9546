"""Starting at login: an entry in the place that each system looks at. Off until the person switches it on."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HIDDEN = "--hidden"
"""The word with which the entry starts the program: in the tray where there is one."""
_RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"
_NAME = "Lamplight"


def command() -> list[str]:
    """How this very program is started."""
    if getattr(sys, "frozen", False):
        # An AppImage runs from a folder that is gone after it ends; the file itself stays.
        return [os.environ.get("APPIMAGE") or sys.executable, HIDDEN]
    return [sys.executable, "-P", "-m", "gui", HIDDEN]  # No module of the folder it happens to be started in.


def is_possible(platform: str = sys.platform) -> bool:
    """Not in a sandbox, whose entries nobody would look at."""
    return platform == "win32" or not Path("/.flatpak-info").exists()


def entry_file(platform: str = sys.platform, environ: Mapping[str, str] = os.environ, home: Path | None = None) -> Path:
    """The file of the entry, on systems where it is one."""
    home = home or Path.home()
    if platform == "darwin":
        return home / "Library" / "LaunchAgents" / "lamplight.plist"
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    return config / "autostart" / "lamplight.desktop"


def entry_text(words: Sequence[str], platform: str = sys.platform) -> bytes:
    if platform == "darwin":
        import plistlib  # It loads an XML parser, which only this system needs.

        return plistlib.dumps({"Label": "lamplight", "ProgramArguments": list(words), "RunAtLoad": True})
    line = " ".join(_quoted(word) for word in words)
    rows = ("[Desktop Entry]", "Type=Application", f"Name={_NAME}", f"Exec={line}", "Terminal=false", "")
    return "\n".join(rows).encode()


def _quoted(word: str) -> str:
    """As the standard of desktop entries quotes: its own escapes on top of the shell's."""
    import shlex

    if shlex.quote(word) == word:
        return word.replace("%", "%%")
    inside = word.replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`").replace("$", "\\$")
    return f'"{inside}"'.replace("\\", "\\\\").replace("%", "%%")


def is_on() -> bool:
    if sys.platform == "win32":
        return _registry_value() is not None
    return entry_file().exists()


def switch(is_wanted: bool) -> str:
    """Make or remove the entry. Returns why it did not work, or an empty string."""
    try:
        if sys.platform == "win32":
            _set_registry_value(is_wanted)
        elif is_wanted:
            file = entry_file()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(entry_text(command()))
        else:
            entry_file().unlink(missing_ok=True)
    except OSError as error:
        return str(error.strerror or error)
    return ""


def _registry() -> Any:
    import winreg  # Only Windows has it.

    return winreg


def _registry_value() -> str | None:
    registry = _registry()
    try:
        with registry.OpenKey(registry.HKEY_CURRENT_USER, _RUN_KEY) as key:
            return str(registry.QueryValueEx(key, _NAME)[0])
    except OSError:
        return None


def _set_registry_value(is_wanted: bool) -> None:
    import subprocess

    registry = _registry()
    with registry.CreateKey(registry.HKEY_CURRENT_USER, _RUN_KEY) as key:
        if is_wanted:
            registry.SetValueEx(key, _NAME, 0, registry.REG_SZ, subprocess.list2cmdline(command()))
        elif _registry_value() is not None:
            registry.DeleteValue(key, _NAME)
