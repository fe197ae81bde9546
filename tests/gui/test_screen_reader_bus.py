"""What a screen reader is told of the real program over the accessibility bus (AT-SPI), asked as one would ask."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LAUNCHER = Path("/usr/libexec/at-spi-bus-launcher")
HERE = Path(__file__).parent

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.skipif(sys.platform != "linux", reason="AT-SPI"),
    pytest.mark.skipif(not (LAUNCHER.exists() and shutil.which("dbus-run-session")), reason="at-spi2-core and dbus"),
]

ASK = """
import subprocess, sys, time
from jeepney import DBusAddress, Properties, new_method_call
from jeepney.io.blocking import open_dbus_connection

launcher = subprocess.Popen([sys.argv[1], "--launch-immediately"], stderr=subprocess.DEVNULL)
program = subprocess.Popen([sys.executable, sys.argv[2], "lamplight://search?q=sourdough"], stdout=subprocess.DEVNULL)
KIND = "org.a11y.atspi.Accessible"

def ask(bus, sender, path, verb, *arguments, interface=KIND):
    place = DBusAddress(path, bus_name=sender, interface=interface)
    return bus.send_and_get_reply(new_method_call(place, verb, *arguments), timeout=10).body[0]

def walk(bus, sender, path, names, depth=0):
    place = DBusAddress(path, bus_name=sender, interface=KIND)
    names.append(bus.send_and_get_reply(Properties(place).get("Name"), timeout=10).body[0][1])
    if depth < 14:
        for owner, child in ask(bus, sender, path, "GetChildren"):
            if not child.endswith("/null"):
                walk(bus, owner, child, names, depth + 1)

try:
    session = open_dbus_connection("SESSION")
    address = ask(session, "org.a11y.Bus", "/org/a11y/bus", "GetAddress", interface="org.a11y.Bus")
    bus, names, until = open_dbus_connection(address), [], time.monotonic() + 40
    while time.monotonic() < until and not any(name.startswith("Sourdough. ") for name in names):
        time.sleep(0.3)
        names = []
        for owner, path in ask(bus, "org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root", "GetChildren"):
            try:
                walk(bus, owner, path, names)
            except Exception as error:  # Parts of a window that is still being built come and go.
                names.append(repr(error))
    print("\\n".join(name for name in names if name))
finally:
    program.terminate()
    program.wait(10)
    launcher.terminate()
    launcher.wait(10)
"""


def test_rows_and_controls_are_read_over_the_bus(x_server: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = os.environ | {
        "DISPLAY": x_server,
        "QT_QPA_PLATFORM": "xcb",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "LAMPLIGHT_HOME": str(home),
        "PYTHONPATH": str(HERE.parents[1]),
        "XDG_RUNTIME_DIR": str(tmp_path),
    }
    words = ["dbus-run-session", "--", sys.executable, "-c", ASK, str(LAUNCHER), str(HERE / "real_screen_app.py")]
    answer = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=90, check=False)
    names = answer.stdout.splitlines()
    assert any(name.startswith("Sourdough. Starter. Feed the sourdough starter every morning") for name in names), (
        answer.stdout[-2000:] + answer.stderr[-2000:]
    )
    for control in ("Search your notes", "Results", "Note", "Sources", "Next highlight", "Open in its own app"):
        assert control in names
