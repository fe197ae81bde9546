"""Keys under macOS: ``RegisterEventHotKey`` of Carbon, which asks for no permission. Written from the documentation;
not yet tried on a real machine."""

from __future__ import annotations

import ctypes
import ctypes.util
from typing import Any

from PySide6.QtCore import QObject

from gui.app.hotkeys import Hotkey, is_taken, not_usable, split_keys

_MODIFIERS = {"Meta": 0x1000, "Ctrl": 0x100, "Shift": 0x200, "Alt": 0x800}
"""As Qt uses the words there: Ctrl is the command key, Meta the control key."""
_KEYS = {
    **dict(zip("ASDFHGZXCV", range(10), strict=True)), "B": 11, "Q": 12, "W": 13, "E": 14, "R": 15, "Y": 16, "T": 17,
    "1": 18, "2": 19, "3": 20, "4": 21, "6": 22, "5": 23, "9": 25, "7": 26, "8": 28, "0": 29, "O": 31, "U": 32,
    "I": 34, "P": 35, "L": 37, "J": 38, "K": 40, "N": 45, "M": 46, "Space": 49, "Return": 36, "Tab": 48, "Esc": 53,
    "F1": 122, "F2": 120, "F3": 99, "F4": 118, "F5": 96, "F6": 97, "F7": 98, "F8": 100, "F9": 101, "F10": 109,
    "F11": 103, "F12": 111,
}  # fmt: skip


def _four(letters: str) -> int:
    return int.from_bytes(letters.encode("ascii"), "big")


class _KeyId(ctypes.Structure):
    _fields_ = (("signature", ctypes.c_uint32), ("id", ctypes.c_uint32))


class _EventType(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_uint32), ("number", ctypes.c_uint32))


_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def key_code(key: str) -> int | None:
    return _KEYS.get(key.upper() if len(key) == 1 or key[:1] in "fF" else key)


class MacHotkey(Hotkey):
    def __init__(self, parent: QObject | None = None, carbon: Any = None) -> None:
        super().__init__(parent)
        self._carbon = carbon or ctypes.CDLL(ctypes.util.find_library("Carbon"))
        self._carbon.GetApplicationEventTarget.restype = ctypes.c_void_p
        self._handler: Any = None
        """Kept: the system calls it for as long as the program runs."""
        self._key = ctypes.c_void_p()

    def register(self, keys: str) -> str:
        self.release()
        modifiers, key = split_keys(keys)
        code = key_code(key) if key else None
        if code is None:
            return not_usable(keys)
        target = ctypes.c_void_p(self._carbon.GetApplicationEventTarget())
        self._listen(target)
        mask = sum(_MODIFIERS[name] for name in modifiers)
        found = ctypes.c_void_p()
        ours = _KeyId(_four("Lamp"), 1)
        failed = self._carbon.RegisterEventHotKey(code, mask, ours, target, 0, ctypes.byref(found))
        if failed:
            return is_taken(keys)
        self._key = found
        return ""

    def release(self) -> None:
        if self._key:
            self._carbon.UnregisterEventHotKey(self._key)
            self._key = ctypes.c_void_p()

    def _listen(self, target: ctypes.c_void_p) -> None:
        if self._handler is None:
            self._handler = _HANDLER(self._pressed)
            pressed = _EventType(_four("keyb"), 5)
            self._carbon.InstallEventHandler(target, self._handler, 1, ctypes.byref(pressed), None, None)

    def _pressed(self, _next: Any, _event: Any, _data: Any) -> int:
        self.activated.emit()
        return 0
