"""Keys under Wayland: asked for at the desktop's portal, which may show the person a dialog of its own.

Everything is answered by signals on the session bus, whose descriptor Qt watches; nothing here waits. See the
documentation of ``org.freedesktop.portal.GlobalShortcuts``.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier

from gui import tr
from gui.app.hotkeys import Hotkey, not_usable, split_keys

SHORTCUT = "quick-search"
_SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
_REQUEST = "org.freedesktop.portal.Request"
_MODIFIERS = {"Ctrl": "CTRL", "Alt": "ALT", "Shift": "SHIFT", "Meta": "LOGO"}


def trigger(keys: str) -> str:
    """``keys`` as the portal writes them: ``CTRL+ALT+space``; empty when they cannot be used."""
    modifiers, key = split_keys(keys)
    if not key:
        return ""
    name = key.lower() if len(key) == 1 or key == "Space" else key
    return "+".join([*(_MODIFIERS[m] for m in _MODIFIERS if m in modifiers), name])


def open_bus() -> Any:
    """A connection to the session bus. Raises ``OSError`` or ``KeyError`` when there is none."""
    from jeepney.io.blocking import open_dbus_connection

    return open_dbus_connection(bus="SESSION")


class PortalHotkey(Hotkey):
    def __init__(self, parent: QObject | None = None, connect: Callable[[], Any] = open_bus) -> None:
        super().__init__(parent)
        self._connect = connect
        self._bus: Any = None
        self._notifier: QSocketNotifier | None = None
        self._waiting: dict[str, Callable[[dict[str, Any]], None]] = {}
        """Path of each request that has not been answered, and what comes next."""
        self._trigger = ""

    def register(self, keys: str) -> str:
        self.release()
        self._trigger = trigger(keys)
        if not self._trigger:
            return not_usable(keys)
        try:
            self._bus = self._connect()
        except Exception as reason:  # noqa: BLE001 - a missing bus has many names; each means: no keys here
            return tr("The desktop's portal does not answer: {reason}").format(reason=reason)
        self._notifier = QSocketNotifier(self._bus.sock.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)
        for interface in (_REQUEST, _SHORTCUTS):
            self._listen(interface)
        token = secrets.token_hex(8)
        self._ask("CreateSession", "a{sv}", ({"session_handle_token": ("s", token)},), self._bind)
        return ""

    def release(self) -> None:
        self._waiting.clear()
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier.deleteLater()
            self._notifier = None
        if self._bus is not None:
            self._bus.close()
            self._bus = None

    def _bind(self, results: dict[str, Any]) -> None:
        session = results["session_handle"][1]
        wish = {"description": ("s", tr("Show quick search")), "preferred_trigger": ("s", self._trigger)}
        self._ask("BindShortcuts", "oa(sa{sv})sa{sv}", (session, [(SHORTCUT, wish)], "", {}), lambda _results: None)

    def _ask(self, method: str, signature: str, body: tuple[Any, ...], then: Callable[[dict[str, Any]], None]) -> None:
        """Call ``method`` with a token of ours among its options (its last argument); ``then`` gets the answer."""
        from jeepney import DBusAddress, new_method_call

        token = secrets.token_hex(8)
        sender = str(self._bus.unique_name)[1:].replace(".", "_")
        self._waiting[f"/org/freedesktop/portal/desktop/request/{sender}/{token}"] = then
        options = {**body[-1], "handle_token": ("s", token)}
        portal = DBusAddress("/org/freedesktop/portal/desktop", "org.freedesktop.portal.Desktop", _SHORTCUTS)
        self._bus.send(new_method_call(portal, method, signature, (*body[:-1], options)))

    def _listen(self, interface: str) -> None:
        from jeepney import MatchRule, message_bus

        self._bus.send(message_bus.AddMatch(MatchRule(type="signal", interface=interface)))

    def _read(self) -> None:
        while self._bus is not None:
            try:
                message = self._bus.receive(timeout=0)
            except TimeoutError:
                return
            except Exception as reason:  # noqa: BLE001 - whatever broke the connection, the keys are gone
                self._fail(str(reason))
                return
            self._on_message(message)

    def _on_message(self, message: Any) -> None:
        from jeepney import HeaderFields, MessageType

        fields = message.header.fields
        if message.header.message_type is MessageType.error:
            if str(fields.get(HeaderFields.error_name)) != "org.freedesktop.DBus.Error.MatchRuleInvalid":
                self._fail(str(message.body[0]) if message.body else str(fields.get(HeaderFields.error_name)))
        elif message.header.message_type is MessageType.signal:
            member = fields.get(HeaderFields.member)
            if member == "Response":
                self._on_response(fields.get(HeaderFields.path), *message.body)
            elif member == "Activated" and message.body[1] == SHORTCUT:
                self.activated.emit()

    def _on_response(self, path: str, code: int, results: dict[str, Any]) -> None:
        then = self._waiting.pop(path, None)
        if then is None:
            return
        if code:
            self._fail(tr("it was declined"))
        else:
            then(results)

    def _fail(self, reason: str) -> None:
        self.release()
        text = tr("The desktop did not grant the keys ({reason}). Bind “lamplight quick” in its settings instead.")
        self.refused.emit(text.format(reason=reason))
