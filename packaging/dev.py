#!/usr/bin/env python3
"""One program that takes a fresh machine to a running Lamplight, and runs what CI checks.

    python3 packaging/dev.py run [WORDS]   set up if needed, then start Lamplight (WORDS are passed on)
    python3 packaging/dev.py test [WORDS]  set up, then check everything (WORDS are passed to pytest)
    python3 packaging/dev.py bench NAME    run tests/bench/NAME.py
    python3 packaging/dev.py package [WORDS]  build this system's package into dist/ and try it (packaging/package.py)
    python3 packaging/dev.py lock          rebuild packaging/requirements.lock from pyproject.toml

Needs only the standard library. Everything it makes is in .venv; on Debian and Ubuntu it also installs the system
libraries that Qt needs, when it may, and otherwise prints the command. It can be interrupted and started again.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
VENV = CHECKOUT / ".venv"
LOCK = CHECKOUT / "packaging" / "requirements.lock"
STAMP = VENV / "lamplight-installed"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")

OLDEST, NEWEST = (3, 11), (3, 14)

SYSTEM_PYTHON = "/usr/bin/python3"

STUB_MAKER = "shibokensupport/signature/lib/pyi_generator.py"

# What Qt's wheels link to and do not bring along: Debian's package -> a library of it.
QT_LIBRARIES = {
    "libegl1": "libEGL.so.1",
    "libgl1": "libGL.so.1",
    "libxkbcommon0": "libxkbcommon.so.0",
    "libdbus-1-3": "libdbus-1.so.3",
    "libfontconfig1": "libfontconfig.so.1",
    "libglib2.0-0": "libglib-2.0.so.0",
    "libbrotli1": "libbrotlidec.so.1",
    "libxkbcommon-x11-0": "libxkbcommon-x11.so.0",
    "libxcb-cursor0": "libxcb-cursor.so.0",
    "libxcb-icccm4": "libxcb-icccm.so.4",
    "libxcb-keysyms1": "libxcb-keysyms.so.1",
    "libxcb-shape0": "libxcb-shape.so.0",
}

# What tests on a real X server use: Debian's package -> a program of it.
TEST_PROGRAMS = {"xvfb": "Xvfb", "openbox": "openbox", "xdotool": "xdotool", "x11-utils": "xprop"}

# What further tests use: a host of tray icons, the bus of screen readers, and what checks the files that packages are
# made of; Debian's package -> a program of it. Installed where that is allowed; without one, its tests are skipped.
USEFUL_PROGRAMS = {
    "trayer": "trayer",
    "at-spi2-core": "/usr/libexec/at-spi-bus-launcher",
    "dbus": "dbus-run-session",
    "desktop-file-utils": "desktop-file-validate",
    "appstream": "appstreamcli",
    "mandoc": "mandoc",
    "nsis": "makensis",
    "lintian": "lintian",
}


class Stop(Exception):
    """The work cannot go on; the text says what to do."""


def say(text: str) -> None:
    print(f"lamplight: {text}", flush=True)


def run(command: list[str | Path], **more: object) -> int:
    """Run ``command`` in the checkout without standard input; its exit code."""
    options: dict[str, Any] = {"cwd": CHECKOUT, "stdin": subprocess.DEVNULL, **more}
    return subprocess.call([str(part) for part in command], **options)


# --- Python and its packages ------------------------------------------------------------------------------------


def find_python() -> list[str]:
    """The command of a Python that Lamplight runs on: this one if it fits, else the newest on the path.

    Before one that a version manager compiled without measuring itself first comes the system's own: with that, the
    window is there in three quarters of the time, and indexing is faster too.
    """
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return [SYSTEM_PYTHON] if is_slow_build() and runs([SYSTEM_PYTHON]) else [sys.executable]
    versions = [f"3.{minor}" for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
    commands = [["py", f"-{v}"] for v in versions] if os.name == "nt" else [[f"python{v}"] for v in versions]
    if sys.platform.startswith("linux"):  # On a new Mac what stands there only asks for Apple's tools.
        commands.insert(0, [SYSTEM_PYTHON])
    for command in commands:
        # A launcher may be on the path while the version behind it is not installed.
        if runs(command, needs="sys"):
            return list(command)
    raise Stop(f"Lamplight needs Python 3.{OLDEST[1]} to 3.{NEWEST[1]}; this is {sys.version.split()[0]}. Install one.")


def is_slow_build() -> bool:
    """Whether this Python was compiled for this machine alone and without a profile. Distributions and installers give
    theirs one; of others it is known by what they were configured with."""
    options = sysconfig.get_config_var("CONFIG_ARGS") or ""
    return sys.platform.startswith("linux") and sys.base_prefix != "/usr" and "--enable-optimizations" not in options


def runs(python: Sequence[str | Path], needs: str = "ensurepip, venv") -> bool:
    """Whether there is such a Python, of a version that Lamplight runs on and with the modules that it ``needs``."""
    fits = f"import sys, {needs}; sys.exit(not {OLDEST} <= sys.version_info[:2] <= {NEWEST})"
    try:
        return bool(shutil.which(python[0])) and run([*python, "-c", fits], stderr=subprocess.DEVNULL) == 0
    except OSError:  # It is there, and no program that this machine can run.
        return False


def make_venv() -> None:
    if runs([PYTHON], needs="pip"):
        return
    python = find_python()
    say(f"making {VENV.name} with {' '.join(python)}")
    make: list[str | Path] = [*python, "-m", "venv", "--clear", VENV]
    # Debian keeps the part of Python that makes environments in a package of its own.
    if run(make) != 0 and not (install_packages(["python3-venv"]) and run(make) == 0):
        raise Stop(f"{VENV} could not be made. On Debian and Ubuntu: sudo apt-get install python3-venv")


def install_dependencies() -> None:
    say("installing the locked dependencies (the first time this takes a few minutes)")
    pip: list[str | Path] = [PYTHON, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-input"]
    if run([*pip, "--require-hashes", "--no-deps", "-r", LOCK]) != 0:
        raise Stop("the dependencies could not be installed; the reason is above. Start again to go on from there.")


def unpack_qt_support() -> None:
    """Let Shiboken's own Python modules stand in files, as it offers: from the archive in its library Python compiles
    them anew at every start, which is a tenth of the time until the window is painted.

    One of them takes nearly as long again: it describes libraries for editors, with patterns that are compiled when it
    is loaded, as it is by the others. It is emptied. Nothing depends on either.
    """
    run([PYTHON, "-c", "import shiboken6.Shiboken"], env={**os.environ, "SBK_EMBED": "0"}, stderr=subprocess.DEVNULL)
    for place in VENV.glob(f"**/shiboken6/files.dir/{STUB_MAKER}"):
        place.write_text('"""Emptied by Lamplight, which never uses it."""\n', encoding="ascii")


def make_importable() -> None:
    """Let the environment's Python find the checkout from any folder, and make the ``lamplight`` program.

    It is called in any folder, notes of others among them: ``-P``, so that no module that lies there is taken for one.
    """
    where = [str(PYTHON), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.check_output(where, text=True).strip())
    (packages / "lamplight.pth").write_text(f"{CHECKOUT}\n", encoding="utf-8")
    if os.name == "nt":
        (BIN / "lamplight.cmd").write_text('@"%~dp0python.exe" -P -m gui %*\n', encoding="ascii")
        return
    program = BIN / "lamplight"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(str(PYTHON))} -P -m gui "$@"\n', encoding="utf-8")
    program.chmod(0o755)


def set_up() -> None:
    """Bring ``.venv`` to the state of the lock file, as this file does it. The stamp is written last, so a broken
    set-up is repeated."""
    wanted = hashlib.sha256(LOCK.read_bytes() + str(CHECKOUT).encode() + Path(__file__).read_bytes()).hexdigest()
    if PYTHON.exists() and STAMP.exists() and STAMP.read_text("ascii").strip() == wanted:
        return
    STAMP.unlink(missing_ok=True)
    make_venv()
    install_dependencies()
    unpack_qt_support()
    make_importable()
    STAMP.write_text(wanted + "\n", encoding="ascii")
    say("set up")


# --- the system's packages --------------------------------------------------------------------------------------


def is_loadable(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def install_packages(packages: list[str]) -> bool:
    """Install Debian packages if this machine and this person may; whether it was done."""
    root: list[str] = []
    if shutil.which("apt-get") is None:
        return False
    if os.geteuid() != 0:
        root = ["sudo", "-n"]
        if shutil.which("sudo") is None or run([*root, "true"], stderr=subprocess.DEVNULL) != 0:
            return False
    say(f"installing {' '.join(packages)}")
    quiet = {"env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, "stdout": subprocess.DEVNULL}
    run([*root, "apt-get", "update", "-qq"], **quiet)
    return run([*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], **quiet) == 0


def ensure_system(*, tests: bool) -> None:
    """See to what Qt, and with ``tests`` the tests on a real X server, need of a Linux system."""
    if not sys.platform.startswith("linux"):
        return

    def missing() -> list[str]:
        found = [package for package, library in QT_LIBRARIES.items() if not is_loadable(library)]
        return found + [p for p, program in TEST_PROGRAMS.items() if tests and shutil.which(program) is None]

    useful = [p for p, program in USEFUL_PROGRAMS.items() if tests and shutil.which(program) is None]
    packages = missing()
    for some in (packages, useful):  # Apart: one name that this system does not know would keep all others out.
        if some:
            install_packages(some)
    packages = missing()
    if packages and shutil.which("apt-get"):
        raise Stop(
            "some system packages are missing. Run this, then start again:\n"
            f"  sudo apt-get install --no-install-recommends {' '.join(packages)}"
        )
    if packages:
        needs = [{**QT_LIBRARIES, **TEST_PROGRAMS}[package] for package in packages]
        raise Stop(f"this system lacks {', '.join(needs)}. Install the packages that hold them, then start again.")


# --- the commands -----------------------------------------------------------------------------------------------


def command_run(words: list[str]) -> int:
    set_up()
    if not words and sys.platform.startswith("linux"):
        if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            say("there is no display here for the window, so this is the demo search in the terminal")
            words = ["demo"]
        else:
            ensure_system(tests=False)
    command = [str(PYTHON), "-m", "gui", *words]
    if os.name != "nt":
        os.execv(command[0], command)
    return subprocess.call(command)


def command_test(words: list[str]) -> int:
    set_up()
    ensure_system(tests=True)
    checks: dict[str, list[str | Path]] = {
        "ruff check": [PYTHON, "-m", "ruff", "check", "--quiet", "."],
        "ruff format": [PYTHON, "-m", "ruff", "format", "--check", "--quiet", "."],
        "mypy": [PYTHON, "-m", "mypy"],
        "import contracts": [BIN / "lint-imports", "--no-cache"],
    }
    failed = []
    for name, command in checks.items():
        started = time.monotonic()
        if run(command) != 0:
            failed.append(name)
        outcome = "FAILED" if name in failed else "passed"
        say(f"{name}: {outcome} ({time.monotonic() - started:.0f} s)")
    # Last, so that its closing line ends the output. -v undoes the -q of the configuration.
    if run([PYTHON, "-m", "pytest", "-v", "--tb=short", "--durations=10", *(words or ["--no-header"])]) != 0:
        failed.append("pytest")
    if failed:
        say(f"FAILED: {', '.join(failed)}")
    return 1 if failed else 0


def command_bench(words: list[str]) -> int:
    folder = CHECKOUT / "tests" / "bench"
    names = sorted(file.stem for file in folder.glob("*.py"))
    if not words or words[0] not in names:
        raise Stop(f"say which: {', '.join(names)}")
    set_up()
    return run([PYTHON, folder / f"{words[0]}.py", *words[1:]])


def command_package(words: list[str]) -> int:
    set_up()
    return run([PYTHON, CHECKOUT / "packaging" / "package.py", *words])


def command_lock(words: list[str]) -> int:
    """Write the lock anew; WORDS go to uv (``--upgrade`` takes newer versions than the lock has)."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / BIN.relative_to(VENV) / PYTHON.name
        run([*find_python(), "-m", "venv", folder])
        if run([python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "uv"]) != 0:
            raise Stop("uv, which writes the lock, could not be installed")
        options = "--extra dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url"
        options += " --no-emit-find-links --no-annotate --no-header --quiet"
        uv: list[str | Path] = [python, "-m", "uv", "pip", "compile", "pyproject.toml", *options.split()]
        return run([*uv, *words, "-o", LOCK.relative_to(CHECKOUT)], env={**os.environ, **uv_index(python)})


def uv_index(python: Path) -> dict[str, str]:
    """The package index that pip is set up with, for uv, which does not read pip's configuration."""
    ask = [str(python), "-m", "pip", "config", "get", "global.index-url"]
    index = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip()
    index = os.environ.get("PIP_INDEX_URL", index)
    return {"UV_DEFAULT_INDEX": index} if index else {}


COMMANDS = {
    "run": command_run,
    "test": command_test,
    "bench": command_bench,
    "package": command_package,
    "lock": command_lock,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("words", nargs=argparse.REMAINDER, help="passed on")
    arguments = parser.parse_args()
    try:
        return COMMANDS[arguments.command](arguments.words)
    except Stop as reason:
        say(str(reason))
        return 1
    except KeyboardInterrupt:
        say("stopped; start again to go on")
        return 130


if __name__ == "__main__":
    sys.exit(main())
