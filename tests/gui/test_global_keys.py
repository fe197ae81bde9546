"""Keys from anywhere: what each system is asked, and that refusals become words. X11 runs against a real server."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from gui.app.hotkeys import Hotkey, split_keys
from gui.app.hotkeys.macos import MacHotkey, key_code
from gui.app.hotkeys.portal import PortalHotkey, trigger
from gui.app.hotkeys.windows import WindowsHotkey, virtual_key
from gui.app.hotkeys.x11 import X11Hotkey, keysym_name


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("Ctrl+Alt+Space", ({"Ctrl", "Alt"}, "Space")),
        ("Meta+K", ({"Meta"}, "K")),
        ("F9", (set(), "F9")),
        ("Shift+F9", ({"Shift"}, "F9")),
        ("K", (set(), "")),
        ("Shift+K", (set(), "")),
        ("Hyper+K", (set(), "")),
        ("", (set(), "")),
        ("Ctrl++", (set(), "")),
    ],
)
def test_only_keys_that_do_not_get_in_the_way_of_writing_are_taken(keys: str, expected: tuple[set[str], str]) -> None:
    modifiers, key = split_keys(keys)
    assert (set(modifiers), key) == expected


def test_each_system_knows_the_keys_by_its_own_names() -> None:
    assert (virtual_key("Space"), virtual_key("k"), virtual_key("F12"), virtual_key("Möp")) == (0x20, 0x4B, 0x7B, 0)
    assert (key_code("Space"), key_code("a"), key_code("f1"), key_code("F20")) == (49, 0, 122, None)
    assert (keysym_name("Space"), keysym_name("K"), keysym_name("PgUp"), keysym_name("F5")) == (
        "space",
        "k",
        "Prior",
        "F5",
    )
    assert (trigger("Ctrl+Alt+Space"), trigger("Meta+F5"), trigger("K")) == ("CTRL+ALT+space", "LOGO+F5", "")


def test_where_no_system_is_known_the_command_is_named() -> None:
    assert "lamplight quick" in Hotkey().register("Ctrl+Alt+Space")


class User32:
    def __init__(self, answer: int) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.answer = answer

    def RegisterHotKey(self, *given: Any) -> int:
        self.calls.append(given)
        return self.answer

    def UnregisterHotKey(self, *given: Any) -> int:
        self.calls.append(("un", *given))
        return 1


def test_windows_is_asked_for_the_keys_once_and_gives_them_back(qapp: object) -> None:
    system = User32(1)
    hotkey = WindowsHotkey(user32=system)
    assert hotkey.register("Ctrl+Alt+Space") == ""
    assert system.calls[0][2:] == (0x4000 | 1 | 2, 0x20)
    hotkey.release()
    hotkey.release()
    assert [call[0] for call in system.calls] == [None, "un"]


def test_windows_says_when_another_program_has_the_keys(qapp: object) -> None:
    assert "Ctrl+Alt+Space" in WindowsHotkey(user32=User32(0)).register("Ctrl+Alt+Space")


class Carbon:
    def __init__(self, failed: int) -> None:
        self.failed = failed
        self.asked: list[tuple[Any, ...]] = []
        self.GetApplicationEventTarget = type("Call", (), {"restype": None, "__call__": lambda _self: 7})()

    def InstallEventHandler(self, *_given: Any) -> int:
        return 0

    def RegisterEventHotKey(self, *given: Any) -> int:
        self.asked.append(given[:2])
        return self.failed


def test_macos_is_asked_for_the_keys(qapp: object) -> None:
    carbon = Carbon(0)
    assert MacHotkey(carbon=carbon).register("Ctrl+Alt+Space") == ""
    assert carbon.asked == [(49, 0x100 | 0x800)]
    assert MacHotkey(carbon=Carbon(-9878)).register("Ctrl+Alt+Space")


class Bus:
    """The session bus as the portal's client sees it: what is sent, and what is handed out when Qt wakes it."""

    unique_name = ":1.42"

    def __init__(self) -> None:
        self.sock, self.far = socket.socketpair()
        self.sent: list[Any] = []
        self.inbox: list[Any] = []

    def send(self, message: Any) -> None:
        self.sent.append(message)

    def receive(self, timeout: float) -> Any:
        if not self.inbox:
            raise TimeoutError
        return self.inbox.pop(0)

    def arrive(self, message: Any) -> None:
        self.inbox.append(message)
        self.far.send(b"x")

    def calls(self) -> list[Any]:
        from jeepney import HeaderFields

        return [m for m in self.sent if str(m.header.fields[HeaderFields.member]) != "AddMatch"]

    def close(self) -> None:
        self.sock.close()
        self.far.close()


def answer(call: Any, code: int, results: dict[str, Any]) -> Any:
    """The portal's response to the request that ``call`` made."""
    from jeepney import DBusAddress, new_signal

    path = f"/org/freedesktop/portal/desktop/request/1_42/{call.body[-1]['handle_token'][1]}"
    emitter = DBusAddress(path, interface="org.freedesktop.portal.Request")
    return new_signal(emitter, "Response", "ua{sv}", (code, results))


def test_the_portal_is_asked_for_a_session_then_for_the_keys_and_tells_when_they_are_pressed(qtbot: QtBot) -> None:
    from jeepney import DBusAddress, new_signal

    bus = Bus()
    hotkey = PortalHotkey(connect=lambda: bus)
    assert hotkey.register("Ctrl+Alt+Space") == ""
    bus.arrive(answer(bus.calls()[0], 0, {"session_handle": ("s", "/session/1")}))
    qtbot.waitUntil(lambda: len(bus.calls()) == 2)
    session, shortcuts, _window, _options = bus.calls()[1].body
    assert session == "/session/1"
    assert shortcuts[0][1]["preferred_trigger"] == ("s", "CTRL+ALT+space")
    portal = DBusAddress("/org/freedesktop/portal/desktop", interface="org.freedesktop.portal.GlobalShortcuts")
    with qtbot.waitSignal(hotkey.activated):
        bus.arrive(new_signal(portal, "Activated", "osta{sv}", ("/session/1", "quick-search", 1, {})))
    hotkey.release()


def test_a_portal_that_declines_is_told_with_the_way_that_always_works(qtbot: QtBot) -> None:
    bus = Bus()
    hotkey = PortalHotkey(connect=lambda: bus)
    hotkey.register("Ctrl+Alt+Space")
    with qtbot.waitSignal(hotkey.refused) as refused:
        bus.arrive(answer(bus.calls()[0], 1, {}))
    assert "lamplight quick" in refused.args[0]


def test_a_session_without_a_bus_is_said(qtbot: QtBot) -> None:
    def fail() -> None:
        raise OSError("no bus here")

    assert "no bus here" in PortalHotkey(connect=fail).register("Ctrl+Alt+Space")


@pytest.mark.xvfb
@pytest.mark.skipif(sys.platform != "linux", reason="X11")
def test_keys_pressed_anywhere_arrive_and_a_second_program_is_refused(
    qtbot: QtBot, x_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("xdotool") is None:
        pytest.skip("xdotool is not installed")
    monkeypatch.setenv("DISPLAY", x_server)
    first, second = X11Hotkey(), X11Hotkey()
    assert first.register("Ctrl+Shift+Space") == ""
    with qtbot.waitSignal(first.activated):
        subprocess.run(["xdotool", "key", "ctrl+shift+space"], check=True)
    assert "Ctrl+Shift+Space" in second.register("Ctrl+Shift+Space")
    first.release()
    assert second.register("Ctrl+Shift+Space") == ""
    second.release()
    assert second.register("Ctrl+Nonsense")
