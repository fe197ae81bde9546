"""The whole product, run as its own processes, tries nothing beyond this machine: no connection, no look-up of a name.

Three nets, as far as the system has them: a network namespace that holds the loopback device alone, an audit hook in
every Python process (connections, datagrams, look-ups), and strace for what native code does (DuckDB, Qt, the model).
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.paths import find_home

CHECKOUT = Path(__file__).resolve().parents[2]

HOOK = """
import os, sys

def _write(kind, address):
    with open(os.environ["LAMPLIGHT_TRAP"], "a", encoding="utf-8") as file:
        file.write(f"{kind}\\t{address}\\n")

def _hook(event, args):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        if getattr(args[0], "family", 1) != 1:
            _write(event, args[1][0] if isinstance(args[1], tuple) else args[1])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        _write(event, args[0])

sys.addaudithook(_hook)
"""
LOCAL = re.compile(r"127\.\d+\.\d+\.\d+|::1|localhost|None|")
TRACED = re.compile(r"(\w+)\(.*sa_family=AF_INET6?, .*?(?:inet_addr\(\"([^\"]+)\"\)|inet_pton\(AF_INET6, \"([^\"]+)\")")

SILENCING = ("GITHUB_ACTIONS", "TF_BUILD", "ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED")


class Watched:
    """Runs programs in the nets and reads what the nets caught."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "hook").mkdir()
        (folder / "hook" / "sitecustomize.py").write_text(HOOK)
        self._caught = folder / "caught.txt"
        self._caught.touch()
        self.home = find_home(folder / "home")
        # Libraries that report their use keep still where they believe to be tested.
        plain = {name: value for name, value in os.environ.items() if name not in ("CI", *SILENCING)}
        self.environment = plain | {
            "LAMPLIGHT_HOME": str(folder / "home"),
            "LAMPLIGHT_TRAP": str(self._caught),
            "PYTHONPATH": f"{folder / 'hook'}{os.pathsep}{CHECKOUT}",
            "QT_QPA_PLATFORM": "offscreen",
            # A proxy is a way out, too; none may be asked.
            "https_proxy": "http://192.0.2.1:3128",
            "http_proxy": "http://192.0.2.1:3128",
        }

    def command(self, *words: str) -> list[str]:
        return [*isolation(), *self._tracer(), sys.executable, *words]

    def _tracer(self) -> list[str]:
        if not can_trace():
            return []
        calls = "trace=connect,sendto,sendmsg,sendmmsg"
        return [
            "strace",
            "-f",
            "-qq",
            "--seccomp-bpf",
            "-e",
            calls,
            "-o",
            str(self._folder / f"{time.time_ns()}.trace"),
        ]

    def run(self, *words: str, text: str = "", timeout: float = 180) -> str:
        done = subprocess.run(
            self.command(*words),
            env=self.environment,
            cwd=CHECKOUT,
            input=text,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def attempts(self) -> list[tuple[str, str]]:
        """Every connection, datagram and look-up that was tried with an address of the network."""
        found = [tuple(line.split("\t", 1)) for line in self._caught.read_text("utf-8").splitlines()]
        for trace in self._folder.glob("*.trace"):
            for call, four, six in TRACED.findall(trace.read_text("utf-8", "replace")):
                found.append((call, four or six))
        return found  # type: ignore[return-value]

    def beyond(self) -> list[tuple[str, str]]:
        return [one for one in self.attempts() if not LOCAL.fullmatch(one[1])]


@functools.cache
def isolation() -> list[str]:
    """The words before a command that leave it the loopback device alone; none where the system does not allow it."""
    words = ["unshare", "--net", "--map-root-user", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if not shutil.which("unshare") or not shutil.which("ip"):
        return []
    return words if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0 else []


@functools.cache
def can_trace() -> bool:
    words = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=connect", "-o", os.devnull, "true"]
    return bool(shutil.which("strace")) and subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs processes of POSIX")
def test_no_program_tries_to_leave(watched: Watched, tmp_path: Path) -> None:
    """Commands, the window, the tools for language models, and a language model on loopback; updates are off."""
    used = json.loads(watched.run(str(CHECKOUT / "tests" / "journeys" / "whole_product.py"), str(tmp_path / "vault")))
    assert used["model_calls"] >= 3
    assert used["commands"] >= 30
    tried = watched.attempts()
    assert ("socket.connect", "127.0.0.1") in tried, "the nets are open: the model was reached unseen"
    print(f"{used}: {len(tried)} attempts seen, {len(watched.beyond())} beyond this machine")
    assert watched.beyond() == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs processes of POSIX")
def test_the_bundled_notes_are_searched_without_leaving(watched: Watched) -> None:
    watched.run("-m", "gui", "demo")
    assert watched.beyond() == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs processes of POSIX")
def test_the_nets_catch(watched: Watched) -> None:
    """Each net that this system has catches an attempt of Python, and strace one of a foreign program."""
    watched.run(
        "-c",
        "import contextlib, socket\n"
        "with contextlib.suppress(OSError): socket.create_connection(('192.0.2.1', 9), timeout=0.1)\n"
        "with contextlib.suppress(OSError): socket.getaddrinfo('name.invalid', 80)\n",
    )
    caught = watched.beyond()
    assert ("socket.connect", "192.0.2.1") in caught
    assert ("socket.getaddrinfo", "name.invalid") in caught
    if can_trace():
        assert ("connect", "192.0.2.1") in caught
