"""Tries a built program the way a person would: offline, encrypted, searched, its window opened and closed.

    .venv/bin/python packaging/smoke.py dist/lamplight

Fails with what went wrong. On Linux it brings its own keychain and its own screen, and cuts the network off, where the
machine has the programs for that (gnome-keyring, dbus, Xvfb, util-linux); it says what it could not try.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

NOTES = {
    "Bienen im März.md": "# Swarm\n\nA brown beard of insects hung in the pear tree until evening.\n",
    "Bread.md": "# Rye starter\n\nFed at noon, doubled by four. [[Bienen im März]]\n",
}
KEYCHAIN = 'printf "try\\n" | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "$@"'


class Failed(Exception):
    """The program did not do what it should; the text says what."""


def try_out(folder: Path) -> None:
    program = folder / ("lamplight.exe" if os.name == "nt" else "lamplight")
    with tempfile.TemporaryDirectory(prefix="lamplight-try-", ignore_cleanup_errors=True) as place:
        home = Path(place)
        _try_commands(program, home)
        _try_many_notes(program, home)
        _try_without_streams(program, home)
        _try_window(program, home)


def _try_commands(program: Path, home: Path) -> None:
    version, took = _run([program, "--version"], home)
    _expect("(build " in version, f"--version names no build: {version!r}")
    print(f"  {version.strip()}, {took:.2f} s")
    vault = home / "vault with spaces"
    vault.mkdir()
    for name, text in NOTES.items():
        (vault / name).write_text(text, "utf-8")
    keychain = shutil.which("gnome-keyring-daemon") and shutil.which("dbus-run-session")
    wrapped = ["dbus-run-session", "--", "bash", "-c", KEYCHAIN, "_"] if keychain else []
    # Both in one session: the key that the first makes is in the keychain of that session.
    words = f'"{program}" add "{vault}" && "{program}" search --json colony of bees && "{program}" doctor'
    command = [*_offline(), *wrapped, "bash", "-c", words] if os.name != "nt" else None
    if command is None:
        _run([program, "add", vault], home)
        found, took = _run([program, "search", "--json", "colony of bees"], home)
    else:
        found, took = _run(command, home)
    _expect("Bienen im März" in found, f"the note was not found: {found[-2000:]}")
    print(f"  added, searched and examined{' offline' if _offline() else ''}, {took:.1f} s")
    if keychain or os.name == "nt" or sys.platform == "darwin":
        headers = [file.read_bytes()[:21] for file in (home / "lamplight").rglob("*.duckdb")]
        is_encrypted = bool(headers) and all(header[20] & 1 for header in headers)
        _expect(is_encrypted and "beard" not in _all_bytes(home / "lamplight"), "the index is not encrypted")
        print("  the index is encrypted with a key from the keychain")
    else:
        print("  no keychain here: encryption was not tried")


def _try_many_notes(program: Path, home: Path) -> None:
    """So many that they are read in a process of their own, which is the program once more."""
    vault = home / "many"
    vault.mkdir()
    for number in range(120):
        (vault / f"{number}.md").write_text(f"The keeper of lamp {number} lit it.\n", "utf-8")
    environment = _environment(home / "of many")
    done = subprocess.run([program, "add", vault], env=environment, capture_output=True, timeout=300, check=False)
    said = (done.stdout + done.stderr).decode("utf-8", errors="replace")
    _expect(done.returncode == 0 and "120 new" in said, f"120 notes were not indexed: {said}")
    _expect("read here" not in said, f"no process of its own read the notes: {said}")
    print("  many notes are read in a process of their own")


def _all_bytes(folder: Path) -> str:
    return "".join(file.read_bytes().decode("latin-1") for file in folder.rglob("*") if file.is_file())


def _try_without_streams(program: Path, home: Path) -> None:
    """As started from a menu of Windows: no stdout, no stderr."""
    if os.name == "nt":
        subprocess.run([program.with_name("lamplight-window.exe"), "--version"], env=_environment(home), check=True)
        return
    code = subprocess.run(["bash", "-c", f'"{program}" sources >&- 2>&-'], env=_environment(home), check=False)
    _expect(code.returncode == 0, f"without output it ends with {code.returncode}")
    print("  runs with its output closed")


def _try_window(program: Path, home: Path) -> None:
    """Linux only: the window appears on a screen of its own, and goes when it is closed."""
    if not all(map(shutil.which, ("Xvfb", "xdotool", "openbox"))):
        print("  no Xvfb, openbox and xdotool here: the window was not tried")
        return
    with _screen() as display:
        environment = {**_environment(home), "DISPLAY": display}
        for round_name in ("first", "warm"):
            started = time.monotonic()
            window = subprocess.Popen([program], env=environment, stderr=subprocess.PIPE)
            try:
                find = ["xdotool", "search", "--sync", "--onlyvisible", "--name", "Lamplight"]
                found = subprocess.run(find, env=environment, capture_output=True, text=True, timeout=60, check=False)
                took = time.monotonic() - started
                _expect(found.returncode == 0, "no window appeared")
                # The last of a start: the library is open when the data folder has its lock.
                _wait(lambda: (home / "lamplight" / "data" / "library.lock").exists(), "the library was not opened")
                subprocess.run(
                    ["xdotool", "windowactivate", "--sync", found.stdout.split()[0]], env=environment, check=True
                )
                subprocess.run(["xdotool", "key", "ctrl+q"], env=environment, check=True)
                code = window.wait(timeout=60)
            finally:
                window.kill()
                _, said = window.communicate()
            _expect(code == 0, f"the window ended with {code}: {said.decode(errors='replace')[-2000:]}")
            print(f"  window shown ({round_name}) {took:.2f} s after the start, and closed")


@contextlib.contextmanager
def _screen() -> Iterator[str]:
    """An X server with a window manager; the server chooses a free number."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as answer:
        display = f":{answer.readline().strip()}"
    manager = subprocess.Popen(["openbox"], env={**os.environ, "DISPLAY": display}, stderr=subprocess.DEVNULL)
    try:
        yield display
    finally:
        manager.terminate()
        manager.wait()
        server.terminate()
        server.wait()


def _offline() -> list[str]:
    """A prefix that takes the network away, where this person may do that."""
    if shutil.which("unshare") is None:
        return []
    is_allowed = subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode == 0
    return ["unshare", "-rn"] if is_allowed else []


def _environment(home: Path) -> dict[str, str]:
    # XDG_DATA_HOME for the keychain's own files, so that it is not this person's.
    return {**os.environ, "LAMPLIGHT_HOME": str(home / "lamplight"), "XDG_DATA_HOME": str(home / "share")}


def _run(command: list[str | Path], home: Path) -> tuple[str, float]:
    started = time.monotonic()
    answer = subprocess.run(
        [str(part) for part in command], env=_environment(home), capture_output=True, timeout=300, check=False
    )
    text = answer.stdout.decode("utf-8", errors="replace")
    _expect(
        answer.returncode == 0, f"{command} ended with {answer.returncode}: {text[-1000:]}{answer.stderr[-2000:]!r}"
    )
    return text, time.monotonic() - started


def _wait(is_so: object, otherwise: str, seconds: float = 30) -> None:
    assert callable(is_so)
    until = time.monotonic() + seconds
    while not is_so():
        _expect(time.monotonic() < until, otherwise)
        time.sleep(0.05)


def _expect(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise Failed(otherwise)


if __name__ == "__main__":
    try:
        try_out(Path(sys.argv[1]).resolve())
    except Failed as reason:
        sys.exit(f"smoke test failed: {reason}")
