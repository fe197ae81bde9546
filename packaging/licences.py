"""The page of third-party licences that every package carries, made from what the build has really collected.

Owns the texts that have to come along. Reads installed metadata and, on Debian, the system's copyright files; must
never need the network.
"""

from __future__ import annotations

import html
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path, PurePath

TEXTS = Path(__file__).with_name("licence-texts")

RELINKING = """
<p>Lamplight uses <b>Qt 6</b> and <b>Qt for Python</b> (PySide6, shiboken6) under the GNU Lesser General Public License,
version 3, and on Linux <b>python-xlib</b> under version 2.1 or later of the same. All three are used unchanged, except
that <i>pyi_generator</i>, a tool of shiboken6 for editors, is left out. Their sources are offered by the Qt Project
(the archive of official releases, folders <i>qt</i> and <i>QtForPython</i>, of the versions named below) and with
python-xlib's release on the Python Package Index.</p>
<p><b>You may use your own build of them.</b> They are files of their own in this installation and are linked when the
program starts: the folder <i>_internal/PySide6</i> and <i>_internal/shiboken6</i> (inside the app's <i>Contents</i> on
macOS) holds Qt's libraries and plugins, <i>_internal/Xlib</i> the sources of python-xlib. Replace them with your own
build of a compatible version, under the same file names, and remove <i>_internal/shiboken6/files.dir</i>, so that the
Python code in your build of shiboken6 is used and not the copy in the program; nothing in Lamplight checks for the
originals, and its own source, under the MIT licence, can be rebuilt with <code>python3 packaging/dev.py package</code>.
On macOS sign the changed app again for yourself: <code>codesign --force --deep --sign - Lamplight.app</code>. Reverse
engineering for finding faults in such a change is allowed.</p>
"""

STYLE = "body{font:15px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em} pre{white-space:pre-wrap}"


def page(modules: Iterable[str], libraries: Iterable[str] = ()) -> str:
    """The page for a build with these top-level ``modules`` and these ``libraries`` of the system (paths)."""
    parts = [_section(f"{d.metadata['Name']} {d.version}", _licence(d), _texts(d)) for d in distributions(modules)]
    parts += [_section(name, "system library", [text]) for name, text in _system_texts(libraries)]
    own = [_section(file.stem, "the text of the licence", [_read(file)]) for file in sorted(TEXTS.glob("*.txt"))]
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Licences in Lamplight</title>\n'
        f"<style>{STYLE}</style>\n<h1>What Lamplight is made of</h1>\n"
        "<p>Lamplight itself is under the MIT licence. This package also holds the following.</p>\n"
        f"<h2>Qt and the LGPL</h2>{RELINKING}\n{''.join(parts)}\n<h2>GNU licences</h2>\n{''.join(own)}</html>\n"
    )


def distributions(modules: Iterable[str]) -> list[metadata.Distribution]:
    """The installed distributions that ``modules`` come from, by name."""
    owners = metadata.packages_distributions()
    names = {name for module in modules for name in owners.get(module, ())}
    return sorted((metadata.distribution(name) for name in names), key=lambda d: d.metadata["Name"].casefold())


def _licence(distribution: metadata.Distribution) -> str:
    record = distribution.metadata
    short = record.get("License-Expression") or (record.get("License") or "").partition("\n")[0]
    classes = [c.rpartition(" :: ")[2] for c in record.get_all("Classifier") or () if c.startswith("License ::")]
    return short or ", ".join(classes) or "see its text"


def _texts(distribution: metadata.Distribution) -> list[str]:
    """The licence files that the distribution brought along, each text once."""
    found: dict[str, None] = {}
    for file in sorted(distribution.files or (), key=str):
        if _is_licence(PurePath(file)):
            path = Path(str(distribution.locate_file(file)))
            if path.is_file():
                found[_read(path)] = None
    return list(found)


def _is_licence(file: PurePath) -> bool:
    stem = file.name.casefold()
    has_name = any(word in stem for word in ("license", "licence", "copying", "notice", "authors"))
    return has_name and file.suffix.casefold() in ("", ".txt", ".md", ".rst", ".apache", ".bsd", ".mit")


def _read(file: Path) -> str:
    return file.read_text("utf-8", errors="replace").strip()


def _system_texts(libraries: Iterable[str]) -> list[tuple[str, str]]:
    """Debian package and copyright file of each system library; none where there is no Debian."""
    found: dict[str, str] = {}
    for library in libraries:
        for package in owners(Path(library)):
            copyright_file = Path("/usr/share/doc") / package / "copyright"
            if copyright_file.is_file():
                found[package] = _read(copyright_file)
    return sorted(found.items())


def owners(library: Path) -> list[str]:
    """The Debian packages that a library of the system belongs to; none where there is no Debian."""
    # Debian records a library below /lib or /usr/lib, whichever its package was built with.
    for name in (library, Path(str(library.resolve()).removeprefix("/usr")), library.resolve()):
        try:
            answer = subprocess.run(["dpkg", "-S", str(name)], capture_output=True, text=True, check=False)
        except OSError:
            return []
        if answer.returncode == 0:
            return [line.partition(":")[0] for line in answer.stdout.splitlines()]
    return []


def _section(name: str, licence: str, texts: list[str]) -> str:
    body = "".join(f"<pre>{html.escape(text)}</pre>" for text in texts)
    return f"<details><summary><b>{html.escape(name)}</b> · {html.escape(licence)}</summary>{body}</details>\n"
