"""Builds the package for the system that this runs on, and tries it as built.

    python3 packaging/dev.py package [folder] [smoke] [deb] [zip] [appimage] [installer] [dmg] [sbom]
                                          [report]

Without words: ``folder``, ``smoke``, what the system's people install (``deb``, ``zip`` and ``installer``, or ``dmg``)
and ``report``, a table of sizes and start times (packaging/report.py). Results go to dist/.
The same commit gives the same bytes: times come from the commit, and hashing is not random. Needs the environment that
dev.py sets up; the programs that make a .deb, an installer or a disk image have to be on the machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

PACKAGING = Path(__file__).resolve().parent
ROOT = PACKAGING.parent
BUILD, DIST = ROOT / "build", ROOT / "dist"
FOLDER = DIST / "lamplight"
ICON = ROOT / "resources" / "icons" / "lamplight.ico"

SBOM = "sbom.cdx.json"

Entry = tuple[str, str, str]
"""As PyInstaller keeps a collected file: its name in the bundle, where it comes from, what kind it is."""


def git(*words: str) -> str:
    answer = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return answer.stdout.strip() if answer.returncode == 0 else ""


def commit() -> str:
    """The exact commit of the build, with a mark when files differ from it. CI may know it without a checkout."""
    found = git("rev-parse", "--short=12", "HEAD") or os.environ.get("GITHUB_SHA", "")[:12] or "unknown"
    return found + ("+changes" if git("status", "--porcelain", "--untracked-files=no") else "")


def environment() -> dict[str, str]:
    """That of a build that can be repeated: the time of the commit instead of now."""
    when = os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct") or "315532800"
    fixed = {"SOURCE_DATE_EPOCH": when, "PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    # Modules are stored: the package compresses all of them together to less, and a start has nothing to unpack.
    return {**os.environ, **fixed, "PYINSTALLER_ZLIB_COMPRESSION_LEVEL": "0"}


def made_files(
    build: Path, entries: Iterable[Entry], page: Callable[[Iterable[str], Iterable[str]], str]
) -> list[Entry]:
    """Write what only the build knows: its commit, and the licences and the list (SBOM) of what it collected.

    Called by the spec."""
    build.mkdir(exist_ok=True)
    modules, libraries = set(), set()
    for name, origin, kind in entries:
        modules.add(name.replace("\\", "/").partition("/")[0].partition(".")[0])
        if kind == "BINARY" and str(origin).startswith(("/lib/", "/usr/lib/")):
            libraries.add(str(origin))
    (build / "build.txt").write_text(commit() + "\n", "utf-8")
    (build / "licences.html").write_text(page(modules, sorted(libraries)), "utf-8")
    (build / SBOM).write_text(parts_list(modules, sorted(libraries)), "utf-8")
    return [(f"resources/{name}", str(build / name), "DATA") for name in ("build.txt", "licences.html", SBOM)]


def parts_list(modules: Iterable[str], libraries: Iterable[str]) -> str:
    """The CycloneDX document of a build with these top-level modules and libraries of the system (paths)."""
    sys.path.insert(0, str(PACKAGING))
    import licences
    import sbom

    owners = [owner for library in libraries for owner in licences.owners(Path(library))]
    epoch = int(environment()["SOURCE_DATE_EPOCH"])
    return sbom.document(licences.distributions(modules), owners, version(), epoch)


def write_sbom() -> Path:
    """dist/lamplight-VERSION.cdx.json: the list that the last build made, else one of the installed environment."""
    target = DIST / f"lamplight-{version()}.cdx.json"
    DIST.mkdir(exist_ok=True)
    built = FOLDER / "_internal" / "resources" / SBOM
    if built.is_file():
        shutil.copyfile(built, target)
    else:
        from importlib import metadata

        target.write_text(parts_list(metadata.packages_distributions(), ()), "utf-8")
    return target


def build_folder() -> Path:
    """dist/lamplight: the program and everything it needs."""
    words = ["--noconfirm", "--clean", "--log-level=WARN", f"--distpath={DIST}", f"--workpath={BUILD / 'pyinstaller'}"]
    command = [sys.executable, "-m", "PyInstaller", *words, str(PACKAGING / "lamplight.spec")]
    subprocess.run(command, cwd=ROOT, env=environment(), check=True, stdin=subprocess.DEVNULL)
    # Only Python's own library: 17 MB of names for debuggers. Others break when they are stripped.
    for library in FOLDER.glob("_internal/libpython*.so.*"):
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", str(library)], check=True)
    return FOLDER


def zip_folder() -> Path:
    """The portable package: unpack and start."""
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")
    target = DIST / f"lamplight-{version()}-{system}-portable.zip"
    stamp = time.gmtime(max(int(environment()["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(file for file in FOLDER.rglob("*") if file.is_file()):
            entry = zipfile.ZipInfo(f"lamplight/{file.relative_to(FOLDER).as_posix()}", stamp)
            entry.external_attr = (file.stat().st_mode & 0xFFFF) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    return target


def version() -> str:
    sys.path.insert(0, str(ROOT))
    from engine import __version__

    return __version__


def build_deb() -> Path:
    from linux.deb import build

    return build(FOLDER, DIST, version(), environment())


def build_appimage() -> Path:
    from linux.appimage import build

    return build(FOLDER, DIST, version(), environment())


def build_installer() -> Path:
    target = DIST / f"lamplight-{version()}-windows-setup.exe"
    script = PACKAGING / "windows" / "lamplight.nsi"
    defines = [f"-DVERSION={version()}", f"-DFOLDER={FOLDER}", f"-DICON={ICON}", f"-DOUTPUT={target}"]
    subprocess.run(["makensis", "-WX", "-V2", *defines, str(script)], check=True)
    return target


def build_dmg() -> Path:
    subprocess.run(["bash", str(PACKAGING / "macos" / "dmg.sh"), version()], cwd=ROOT, env=environment(), check=True)
    return DIST / f"Lamplight-{version()}.dmg"


def write_report() -> Path:
    from report import write

    return write(FOLDER, 15)


def try_folder() -> Path:
    from smoke import try_out

    try_out(FOLDER)
    return FOLDER


STEPS: dict[str, Callable[[], Path]] = {
    "folder": build_folder,
    "smoke": try_folder,
    "deb": build_deb,
    "zip": zip_folder,
    "appimage": build_appimage,
    "installer": build_installer,
    "dmg": build_dmg,
    "sbom": write_sbom,
    "report": write_report,
}

INSTALLED = {"win32": ["zip", "installer"], "darwin": ["dmg"]}.get(sys.platform, ["deb"])


def main(words: list[str]) -> int:
    unknown = [word for word in words if word not in STEPS]
    if unknown:
        print(f"{unknown[0]} is none of: {', '.join(STEPS)}", file=sys.stderr)
        return 2
    for word in words or ["folder", "smoke", *INSTALLED, "report"]:
        started = time.monotonic()
        made = STEPS[word]()
        files = [made] if made.is_file() else [file for file in made.rglob("*") if not file.is_symlink()]
        size = sum(file.stat().st_size for file in files if file.is_file())
        print(f"{word}: {made.relative_to(ROOT)}, {size / 1e6:.1f} MB, {time.monotonic() - started:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(PACKAGING))
    sys.exit(main(sys.argv[1:]))
