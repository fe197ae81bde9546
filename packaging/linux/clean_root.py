"""A fresh Debian in a folder: made by debootstrap, entered by chroot, listed before and after.

Owns the folder and nothing outside it. Needs root, and runs only inside a mount namespace of its own, so that whatever
it mounts is gone when it ends, however that happens. Must never be pointed at the machine's own root.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

PERSON = "ann"
HOME = f"home/{PERSON}"
RUNTIME = f"run/user/{PERSON}"
DISPLAY = ":96"
BUS = f"unix:path=/{RUNTIME}/bus"

Listing = dict[str, str]
"""Path below the root -> kind, rights and content of what is there."""


class Failed(Exception):
    """Something did not go as it should; the text says what."""


def expect(is_so: object, otherwise: str) -> None:
    if not is_so:
        raise Failed(otherwise)


def bootstrap(root: Path, suite: str, mirror: str, packages: tuple[str, ...]) -> None:
    """A minimal ``suite`` with ``packages`` in ``root``; one that was finished before is kept as it is."""
    stamp = root.with_name(root.name + ".packages")
    wanted = " ".join((suite, *packages))
    if root.is_dir() and stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return
    shutil.rmtree(root, ignore_errors=True)
    stamp.unlink(missing_ok=True)
    root.parent.mkdir(parents=True, exist_ok=True)
    command = [
        "debootstrap",
        "--variant=minbase",
        "--include=ca-certificates",
        suite,
        str(root),
        *([mirror] if mirror else []),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    # No service is started inside: there is no init to start it.
    (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n", "utf-8")
    (root / "usr/sbin/policy-rc.d").chmod(0o755)
    as_root(root, f"useradd --create-home --shell /bin/bash {PERSON}")
    if packages:
        install(root, packages)
    stamp.write_text(wanted, "utf-8")


def copy(source: Path, target: Path) -> None:
    """A root to try something in, thrown away by the next copy."""
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", str(source), str(target)], check=True)


def mount(root: Path) -> None:
    """What programs expect beneath a root; seen by this mount namespace alone."""
    expect(root.resolve() != Path("/"), "this is the machine's own root")
    subprocess.run(["mount", "-t", "proc", "proc", str(root / "proc")], check=True)
    (root / "dev/shm").mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(root / "dev/shm")], check=True)
    # The display is reached by a file of /tmp, which X makes only where this folder stands.
    (root / "tmp/.X11-unix").mkdir(mode=0o1777, exist_ok=True)
    (root / "tmp/.X11-unix").chmod(0o1777)


def install(root: Path, packages: tuple[str, ...]) -> str:
    """apt's account of what it did."""
    words = "apt-get install -y --no-install-recommends"
    return as_root(root, f"apt-get update -q && {words} {' '.join(packages)}")


def as_root(root: Path, command: str, *, seconds: float = 900) -> str:
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    return _run(["/usr/sbin/chroot", str(root), "sh", "-c", command], environment, command, seconds)


def as_person(root: Path, command: str, *, seconds: float = 60) -> str:
    """What ``command`` prints, run by the person in a session of theirs."""
    words = ["/usr/sbin/chroot", f"--userspec={PERSON}:{PERSON}", str(root), "sh", "-c", f"cd && {command}"]
    return _run(words, session(), command, seconds)


def start(root: Path, command: str) -> subprocess.Popen[bytes]:
    """A program of the person's that goes on; what it says goes to a file of its name in their home."""
    said = Path(root / HOME / f"{command.split()[0]}.said")
    words = ["/usr/sbin/chroot", f"--userspec={PERSON}:{PERSON}", str(root), "sh", "-c", f"cd && exec {command}"]
    with said.open("ab") as output:
        return subprocess.Popen(
            words, env=session(), stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )


def session() -> dict[str, str]:
    """The environment of a desktop session, and nothing of the caller's."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": f"/{HOME}",
        "USER": PERSON,
        "LANG": "C.UTF-8",
        "DISPLAY": DISPLAY,
        "XDG_RUNTIME_DIR": f"/{RUNTIME}",
        "DBUS_SESSION_BUS_ADDRESS": BUS,
    }


def _run(words: list[str], environment: dict[str, str], command: str, seconds: float) -> str:
    answer = subprocess.run(
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=seconds,
        check=False,
    )
    text = answer.stdout.decode("utf-8", errors="replace")
    expect(answer.returncode == 0, f"'{command}' ended with {answer.returncode}:\n{text[-3000:]}")
    return text


def listing(root: Path) -> Listing:
    """Every file of the root by content; what only exists while the system runs is left out."""
    found = {}
    for place, folders, files in os.walk(root):
        folder = Path(place)
        folders[:] = [name for name in folders if folder != root or name not in ("proc", "dev", "sys")]
        for name in (*folders, *files):
            found[str((folder / name).relative_to(root))] = _describe(folder / name)
    return found


def _describe(path: Path) -> str:
    status = path.lstat()
    if path.is_symlink():
        return f"link to {path.readlink()}"
    if not path.is_file():
        return f"{status.st_mode:o}"
    with path.open("rb") as file:
        return f"{status.st_mode:o} {hashlib.file_digest(file, 'sha256').hexdigest()}"


def differences(before: Listing, after: Listing, *, but: tuple[str, ...]) -> list[str]:
    """What was added (+), changed (*) or lost (-), apart from all that is beneath the folders and files ``but``."""
    lines = []
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) == after.get(path) or any(path == b or path.startswith(b + "/") for b in but):
            continue
        lines.append(f"{'+' if path not in before else '-' if path not in after else '*'} {path}")
    return lines
