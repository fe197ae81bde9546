"""Keys under X11: grabbed on a connection of our own, whose descriptor Qt watches. No thread; no other key is seen."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier

from gui import tr
from gui.app.hotkeys import Hotkey, is_taken, not_usable, split_keys

_NAMES = {
    "Esc": "Escape", "Enter": "Return", "Ins": "Insert", "Del": "Delete", "PgUp": "Prior", "PgDown": "Next",
    ",": "comma", ".": "period", "/": "slash", ";": "semicolon", "'": "apostrophe", "-": "minus", "=": "equal",
    "`": "grave", "[": "bracketleft", "]": "bracketright", "\\": "backslash",
}  # fmt: skip
"""Where Qt and X name a key differently."""


def keysym_name(key: str) -> str:
    return _NAMES.get(key) or (key.lower() if len(key) == 1 or key == "Space" else key)


class X11Hotkey(Hotkey):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._display: Any = None
        self._notifier: QSocketNotifier | None = None

    def register(self, keys: str) -> str:
        # Loaded here: it takes up to 80 ms, and only who has chosen keys needs it.
        from Xlib import XK, X, display, error

        self.release()
        modifiers, key = split_keys(keys)
        symbol = XK.string_to_keysym(keysym_name(key)) if key else 0
        if not symbol:
            return not_usable(keys)
        try:
            self._display = display.Display()
        except (error.DisplayError, OSError) as reason:
            return tr("The X server does not answer: {reason}").format(reason=reason)
        masks = {"Ctrl": X.ControlMask, "Alt": X.Mod1Mask, "Shift": X.ShiftMask, "Meta": X.Mod4Mask}
        mask = sum(masks[name] for name in modifiers)
        code = self._display.keysym_to_keycode(symbol)
        refused = error.CatchError(error.BadAccess)
        for lock in (0, X.LockMask, X.Mod2Mask, X.LockMask | X.Mod2Mask):  # With and without Caps and Num Lock.
            self._display.screen().root.grab_key(
                code, mask | lock, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused
            )
        self._display.sync()
        if not code or refused.get_error():
            self.release()
            return is_taken(keys)
        self._notifier = QSocketNotifier(self._display.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)
        self._read()
        return ""

    def release(self) -> None:
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier.deleteLater()
            self._notifier = None
        if self._display is not None:
            self._display.close()
            self._display = None

    def _read(self) -> None:
        from Xlib import X

        while self._display is not None and self._display.pending_events():
            if self._display.next_event().type == X.KeyPress:
                self.activated.emit()
