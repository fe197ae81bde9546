"""Keys under Windows: ``RegisterHotKey``, whose message comes to this thread. Written from the documentation; not yet
tried on a real machine."""

from __future__ import annotations

import ctypes
import ctypes.util
from typing import Any

from PySide6.QtCore import QAbstractNativeEventFilter, QByteArray, QCoreApplication, QObject

from gui.app.hotkeys import Hotkey, is_taken, not_usable, split_keys

WM_HOTKEY = 0x0312
_ID = 0x4C41
_NO_REPEAT = 0x4000
_MODIFIERS = {"Alt": 0x1, "Ctrl": 0x2, "Shift": 0x4, "Meta": 0x8}
_KEYS = {
    "Space": 0x20, "Return": 0x0D, "Enter": 0x0D, "Tab": 0x09, "Esc": 0x1B, "Backspace": 0x08, "Ins": 0x2D,
    "Del": 0x2E, "Home": 0x24, "End": 0x23, "PgUp": 0x21, "PgDown": 0x22, "Left": 0x25, "Up": 0x26, "Right": 0x27,
    "Down": 0x28,
}  # fmt: skip


def virtual_key(key: str) -> int:
    """The code of a key as Qt names it; 0 for one that is not known here."""
    if len(key) == 1 and key.isascii() and key.isalnum():
        return ord(key.upper())
    if key[:1] in "Ff" and key[1:].isdigit() and 1 <= int(key[1:]) <= 24:
        return 0x6F + int(key[1:])
    return _KEYS.get(key, 0)


class _Message(ctypes.Structure):
    """The start of ``MSG``."""

    _fields_ = (("window", ctypes.c_void_p), ("message", ctypes.c_uint), ("word", ctypes.c_size_t))


class WindowsHotkey(Hotkey):
    def __init__(self, parent: QObject | None = None, user32: Any = None) -> None:
        super().__init__(parent)
        self._user32 = user32 or ctypes.CDLL("user32")
        self._filter = _Filter(self)
        self._is_registered = False

    def register(self, keys: str) -> str:
        self.release()
        modifiers, key = split_keys(keys)
        code = virtual_key(key) if key else 0
        if not code:
            return not_usable(keys)
        mask = sum(_MODIFIERS[name] for name in modifiers) | _NO_REPEAT
        if not self._user32.RegisterHotKey(None, _ID, mask, code):
            return is_taken(keys)
        self._is_registered = True
        app = QCoreApplication.instance()
        if app is not None:
            app.installNativeEventFilter(self._filter)
        return ""

    def release(self) -> None:
        if self._is_registered:
            self._is_registered = False
            self._user32.UnregisterHotKey(None, _ID)
            app = QCoreApplication.instance()
            if app is not None:
                app.removeNativeEventFilter(self._filter)


class _Filter(QAbstractNativeEventFilter):
    def __init__(self, owner: WindowsHotkey) -> None:
        super().__init__()
        self._owner = owner

    def nativeEventFilter(self, kind: QByteArray | bytes | bytearray | memoryview, message: int) -> object:
        if bytes(kind) == b"windows_generic_MSG":  # type: ignore[arg-type]
            seen = _Message.from_address(int(message))
            if seen.message == WM_HOTKEY and seen.word == _ID:
                self._owner.activated.emit()
                return True, 0
        return False, 0
