"""What every test gets: a home of its own, no network beyond this machine, repeatable random cases."""

from __future__ import annotations

import ipaddress
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from engine.paths import Home, find_home, prepare_home

# Window tests without an X server of their own draw off the screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")

settings.register_profile(
    "lamplight", max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("lamplight")

CHECKOUT = Path(__file__).resolve().parent.parent


class NetworkReached(AssertionError):
    """A test tried to leave this machine."""


def is_local(family: int, address: object) -> bool:
    """Whether a socket of ``family`` connecting to ``address`` stays on this machine."""
    if family not in (socket.AF_INET, socket.AF_INET6):
        return True
    host = str(address[0]) if isinstance(address, tuple) else str(address)
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return host == "localhost"


@pytest.fixture(autouse=True)
def network_trap(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Refuse every connection that is not to this machine, and fail the test that tried, even if it hid the error."""
    tried: list[str] = []

    def guarded(name: str):
        real = getattr(socket.socket, name)

        def call(self: socket.socket, address: object, *rest: object):
            if not is_local(self.family, address):
                tried.append(f"{name} to {address}")
                raise NetworkReached(tried[-1])
            return real(self, address, *rest)

        return call

    def resolve(host: object, *args: object, **kwargs: object):
        text = host.decode() if isinstance(host, bytes) else host
        if text and not is_local(socket.AF_INET, (text, 0)):
            tried.append(f"look-up of {text}")
            raise NetworkReached(tried[-1])
        return real_resolve(host, *args, **kwargs)

    real_resolve = socket.getaddrinfo
    monkeypatch.setattr(socket.socket, "connect", guarded("connect"))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded("connect_ex"))
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    yield tried
    if tried:
        pytest.fail("the network was reached: " + "; ".join(tried))


@pytest.fixture(autouse=True)
def private_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``LAMPLIGHT_HOME`` of this test: an empty folder, so that nothing of the person's own is read or written."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("LAMPLIGHT_HOME", str(folder))
    return folder


@pytest.fixture
def home(private_home: Path) -> Home:
    """The home of this test with its folders made."""
    places = find_home(private_home)
    prepare_home(places)
    return places


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real vaults, exports and test sets beside the checkout; the test is skipped where they are absent."""
    folder = CHECKOUT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real test data is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def x_server() -> Iterator[str]:
    """The name of a running X display with a window manager, for programs started by the test."""
    program = shutil.which("Xvfb")
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("Xvfb is not installed; packaging/dev.py test installs it")
        pytest.skip("Xvfb is not installed")
    read, write = os.pipe()
    server = subprocess.Popen(
        [program, "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=(write,),
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        # The server writes the number of the free display it took once it is ready.
        number = pipe.readline().strip()
    display = f":{number}"
    manager = None
    try:
        if not number:
            pytest.fail("Xvfb did not start")
        if shutil.which("openbox"):
            manager = subprocess.Popen(
                ["openbox"], env=os.environ | {"DISPLAY": display}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            wait_for_window_manager(display)
        yield display
    finally:
        for process in (manager, server):
            if process is not None:
                process.terminate()
                process.wait(10)


def wait_for_window_manager(display: str, seconds: float = 10) -> None:
    """Return when the root window names its window manager, or after ``seconds``."""
    if not shutil.which("xprop"):
        return
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = subprocess.run(
            ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"],
            env=os.environ | {"DISPLAY": display},
            capture_output=True,
            text=True,
            check=False,
        )
        if "window id" in answer.stdout:
            return
        time.sleep(0.05)
