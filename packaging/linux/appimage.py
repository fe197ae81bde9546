"""Builds an AppImage from the built folder: one file that runs where it lies, installed by nothing.

Needs mksquashfs, and the runtime of AppImage's second type, a small program that mounts what follows it: a file named
by APPIMAGE_RUNTIME, because no distribution packages it. A link handler and a menu entry come only by what the person
integrates AppImages with.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

LINUX = Path(__file__).resolve().parent
ICONS = LINUX.parent.parent / "resources" / "icons"


def build(folder: Path, target: Path, version: str, environment: Mapping[str, str]) -> Path:
    """``target``/Lamplight-VERSION-MACHINE.AppImage out of the built ``folder``."""
    runtime = Path(environment.get("APPIMAGE_RUNTIME") or "")
    if not runtime.is_file():
        raise SystemExit("Set APPIMAGE_RUNTIME to the runtime-MACHINE file of the AppImage project.")
    root, image = target / "AppDir", target / "AppDir.squashfs"
    shutil.rmtree(root, ignore_errors=True)
    image.unlink(missing_ok=True)
    lay_out(folder, root)
    # gzip: every runtime reads it. The times come from SOURCE_DATE_EPOCH.
    command = [
        "mksquashfs",
        str(root),
        str(image),
        "-root-owned",
        "-noappend",
        "-no-progress",
        "-quiet",
        "-comp",
        "gzip",
    ]
    subprocess.run(command, env=dict(environment), check=True)
    package = target / f"Lamplight-{version}-{os.uname().machine}.AppImage"
    with package.open("wb") as out:
        for part in (runtime, image):
            with part.open("rb") as data:
                shutil.copyfileobj(data, out)
    package.chmod(0o755)
    image.unlink()
    shutil.rmtree(root)
    return package


def lay_out(folder: Path, root: Path) -> None:
    shutil.copytree(folder, root / "usr/lib/lamplight", symlinks=True)
    (root / "AppRun").symlink_to("usr/lib/lamplight/lamplight")
    shutil.copyfile(LINUX / "lamplight.desktop", root / "lamplight.desktop")
    shutil.copyfile(ICONS / "lamplight-256.png", root / "lamplight.png")
    (root / ".DirIcon").symlink_to("lamplight.png")
    for file in LINUX.glob("*.metainfo.xml"):
        place = root / "usr/share/metainfo" / file.name
        place.parent.mkdir(parents=True)
        shutil.copyfile(file, place)
