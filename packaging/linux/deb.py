"""Builds the Debian package from the built folder. Needs only dpkg-deb.

Owns where files go. Has no maintainer scripts: menus, icons and link handlers are noticed by the system's own triggers,
so removing the package leaves nothing of it behind, and what a person made with Lamplight is never touched.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from email.utils import formatdate
from pathlib import Path

LINUX = Path(__file__).resolve().parent
ROOT = LINUX.parent.parent
ICONS = ROOT / "resources" / "icons"
MAINTAINER = "The Lamplight authors <lamplight@users.noreply.github.com>"

# What the bundle takes from the system: the libraries that fit its graphics drivers, fonts and settings.
DEPENDS = (
    "libc6 (>= 2.36), libstdc++6, libgcc-s1, zlib1g, libegl1, libgl1, libglib2.0-0, libfontconfig1, libfreetype6, "
    "libexpat1, libdbus-1-3, libx11-6, libx11-xcb1, libxau6, libxcb1, libxcb-glx0, libxdmcp6, libxext6, libxkbcommon0, "
    "libwayland-client0, libwayland-cursor0, libwayland-egl1, libbrotli1, libgssapi-krb5-2"
)

CONTROL = """Package: lamplight
Version: {version}
Section: text
Priority: optional
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {depends}
Recommends: gnome-keyring | kwalletmanager, xdg-utils
Homepage: https://github.com/lamplight-app/lamplight
Description: search of notes by meaning and by word
 Lamplight finds what you have written in Obsidian vaults and Roam graphs,
 even when you no longer know which words you used. It searches all of them
 together and leads you back to the very section or block.
 .
 Everything happens on your own machine: the language model is included,
 there is no account, and notes are only ever read.
"""

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: lamplight
Source: https://github.com/lamplight-app/lamplight
Comment: The parts by others in /usr/lib/lamplight, Qt under the LGPL among them, are listed with their licences in
 /usr/share/doc/lamplight/licences.html.

Files: *
Copyright: {holder}
License: Expat
{text}
"""


def build(folder: Path, target: Path, version: str, environment: Mapping[str, str]) -> Path:
    """``target``/lamplight_VERSION_ARCH.deb out of the built ``folder``."""
    architecture = subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()
    root = target / "deb"
    shutil.rmtree(root, ignore_errors=True)
    _lay_out(folder, root, version, int(environment["SOURCE_DATE_EPOCH"]))
    _tidy(root)
    size = sum(file.lstat().st_size for file in root.rglob("*") if file.is_file()) // 1024
    control = root / "DEBIAN"
    control.mkdir()
    text = CONTROL.format(version=version, architecture=architecture, maintainer=MAINTAINER, size=size, depends=DEPENDS)
    (control / "control").write_text(text, "utf-8")
    (control / "md5sums").write_text("".join(_sums(root)), "utf-8")
    for file in (*control.iterdir(), control):
        file.chmod(0o755 if file.is_dir() else 0o644)
    package = target / f"lamplight_{version}_{architecture}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z9", "--build", str(root), str(package)]
    subprocess.run(command, env=dict(environment), check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(root)
    return package


def _lay_out(folder: Path, root: Path, version: str, when: int) -> None:
    shutil.copytree(folder, root / "usr/lib/lamplight", symlinks=True)
    program = root / "usr/bin/lamplight"
    program.parent.mkdir(parents=True)
    program.symlink_to("../lib/lamplight/lamplight")
    share = root / "usr/share"
    _put(LINUX / "lamplight.desktop", share / "applications/lamplight.desktop")
    _put(LINUX / "lamplight-mime.xml", share / "mime/packages/lamplight.xml")
    for file in LINUX.glob("*.metainfo.xml"):
        _put(file, share / "metainfo" / file.name)
    _put(ICONS / "lamplight.svg", share / "icons/hicolor/scalable/apps/lamplight.svg")
    for file in ICONS.glob("lamplight-*.png"):
        size = file.stem.removeprefix("lamplight-")
        _put(file, share / f"icons/hicolor/{size}x{size}/apps/lamplight.png")
    doc = share / "doc/lamplight"
    _put(LINUX / "lamplight-autostart.desktop", doc / "examples/lamplight-autostart.desktop")
    _put(folder / "_internal/resources/licences.html", doc / "licences.html")
    (doc / "copyright").write_text(_copyright(), "utf-8")
    _put(LINUX / "lintian-overrides", share / "lintian/overrides/lamplight")
    _compress((LINUX / "lamplight.1").read_bytes(), share / "man/man1/lamplight.1.gz")
    date = formatdate(when, usegmt=True).replace("GMT", "+0000")
    change = f"lamplight ({version}) stable; urgency=medium\n\n  * Release {version}.\n\n -- {MAINTAINER}  {date}\n"
    _compress(change.encode(), doc / "changelog.gz")


def _copyright() -> str:
    """Debian's form of the licence: a space before each line, a dot for an empty one."""
    lines = (ROOT / "LICENSE").read_text("utf-8").strip().splitlines()
    holder = next(line for line in lines if line.startswith("Copyright")).removeprefix("Copyright (c) ")
    text = "\n".join(f" {line}" if line.strip() else " ." for line in lines if not line.startswith("Copyright"))
    return COPYRIGHT.format(holder=holder, text=text)


def _put(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _compress(data: bytes, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    # Without a time inside, the same text gives the same bytes.
    target.write_bytes(gzip.compress(data, 9, mtime=0))


def _tidy(root: Path) -> None:
    """Rights as Debian wants them, whatever the umask: programs run, the rest is read."""
    for path in (root, *root.rglob("*")):
        if path.is_symlink():
            continue
        is_program = path.is_dir() or path == root / "usr/lib/lamplight/lamplight"
        path.chmod(0o755 if is_program else 0o644)


def _sums(root: Path) -> Iterator[str]:
    for file in sorted(root.rglob("*")):
        name = os.fspath(file.relative_to(root))
        if file.is_file() and not file.is_symlink() and not name.startswith("DEBIAN"):
            yield f"{hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()}  {name}\n"
