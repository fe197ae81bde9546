"""Keys that show quick search while another program has the focus: one interface, a module for each system.

Only the keys asked for are ever seen. Where a system allows none, ``register`` says so, and ``lamplight quick``, bound
in the desktop's own settings, does the same.
"""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from gui import tr


class Hotkey(QObject):
    activated = Signal()
    refused = Signal(str)
    """Why the keys do not work, where the system answers later than ``register`` returns."""

    def register(self, keys: str) -> str:
        """Listen for ``keys`` ("Ctrl+Alt+Space") instead of those before; returns why not, or an empty string."""
        return tr("This desktop lets no program listen for keys. Bind the command “lamplight quick” in its settings.")

    def release(self) -> None:
        """Listen for nothing any more."""


def make_hotkey(parent: QObject | None = None) -> Hotkey:
    """The one for this system; each loads what it needs only here."""
    if sys.platform == "win32":
        from gui.app.hotkeys.windows import WindowsHotkey

        return WindowsHotkey(parent)
    if sys.platform == "darwin":
        from gui.app.hotkeys.macos import MacHotkey

        return MacHotkey(parent)
    if QGuiApplication.platformName() == "xcb" and os.environ.get("XDG_SESSION_TYPE") != "wayland":
        from gui.app.hotkeys.x11 import X11Hotkey

        return X11Hotkey(parent)
    if os.environ.get("WAYLAND_DISPLAY"):
        from gui.app.hotkeys.portal import PortalHotkey

        return PortalHotkey(parent)
    return Hotkey(parent)


MODIFIERS = ("Ctrl", "Alt", "Shift", "Meta")


def split_keys(keys: str) -> tuple[frozenset[str], str]:
    """("Ctrl+Alt+Space") -> modifiers and the key itself; an empty key when it is not one that can be used."""
    *before, key = keys.split("+") if keys and not keys.endswith("+") else ["", ""]
    modifiers = frozenset(word.strip().capitalize() for word in before)
    is_fine = modifiers <= set(MODIFIERS) and (modifiers - {"Shift"} or key.upper().startswith("F"))
    return (modifiers, key.strip()) if is_fine else (frozenset(), "")


def not_usable(keys: str) -> str:
    return tr("{keys} cannot be used: choose a key together with Ctrl, Alt or Meta.").format(keys=keys)


def is_taken(keys: str) -> str:
    return tr("Another program has {keys} already. Choose others in the settings.").format(keys=keys)
