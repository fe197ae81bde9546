"""``lamplight doctor``: what this installation is made of, whether it works, and what to do where it does not.

Reads and reports; repairs nothing, and reads no note.
"""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine import __version__, keychain
from engine.errors import EngineError, KeychainUnavailable
from engine.frontends import attach, protocol, render
from engine.model import SourceStatus
from engine.upkeep import synced

if TYPE_CHECKING:
    from engine.frontends.attach import AnyLibrary

State = Literal["ok", "note", "bad"]
_LEAST_FREE = 500_000_000
_LIBRARIES = ("duckdb", "numpy", "onnxruntime", "mcp", "PySide6-Essentials")


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: State
    found: str
    remedy: str = ""


def examine(library: AnyLibrary) -> list[Check]:
    """Every check, in the order in which trouble should be put right. A check that fails is a finding, not an error."""
    checks: list[Check] = []
    for look in (_versions, _folders, _host, _settings, _keychain, _encryption, _models, _sources, _services):
        checks += _safely(look, library)
    return checks


def _safely(look: Callable[[AnyLibrary], Iterator[Check]], library: AnyLibrary) -> list[Check]:
    name = look.__name__.strip("_")
    try:
        return list(look(library))
    except EngineError as error:
        return [Check(name, "bad", error.message, error.remedy)]
    except OSError as error:
        return [Check(name, "bad", f"This could not be looked at: {error}")]


def _versions(library: AnyLibrary) -> Iterator[Check]:
    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield Check("version", "ok", f"Lamplight {__version__}, {python}")
    missing = []
    found = []
    for name in _LIBRARIES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    # A packaged program carries its libraries without their records.
    is_packaged = bool(getattr(sys, "frozen", False))
    if missing and not is_packaged:
        yield Check("libraries", "bad", f"Not installed: {', '.join(missing)}", "Install Lamplight again.")
    yield Check("libraries", "ok", ", ".join(found) or "part of the program")


def _folders(library: AnyLibrary) -> Iterator[Check]:
    data = library.home.data
    free = shutil.disk_usage(data).free
    remedy = "" if free >= _LEAST_FREE else "Make room: an index that cannot be written is not brought up to date."
    yield Check("disk", "bad" if remedy else "ok", f"{render.size_words(free)} free at {data}", remedy)
    if warning := synced.data_warning(data):
        yield Check("folders", "bad", warning, "Move it out: set LAMPLIGHT_HOME to a folder elsewhere.")
    for status in library.sources():
        if status.advice:
            yield Check("folders", "note", status.advice)
    if sys.platform != "win32":
        yield from _modes([data, library.home.config, library.home.logs])


def _modes(folders: list[Path]) -> Iterator[Check]:
    for folder in folders:
        if folder.stat().st_mode & 0o077:
            yield Check("folders", "bad", f"Others can look into {folder}.", f"chmod 700 '{folder}'")


def _host(library: AnyLibrary) -> Iterator[Check]:
    address = protocol.read_address(library.home)
    if isinstance(library, attach.RemoteLibrary) and address is not None:
        yield Check("host", "ok", f"Process {address.pid} has the library open and answers.")
    else:
        yield Check("host", "ok", "No other process has the library open.")


def _settings(library: AnyLibrary) -> Iterator[Check]:
    for notice in library.notices:
        yield Check("settings", "note", notice)


def _keychain(library: AnyLibrary) -> Iterator[Check]:
    words = {
        "plain": "Indexes are not encrypted, as the settings say.",
        "passphrase": "Indexes are protected by a passphrase.",
        "session": "Indexes are made anew at every start, with a key that is never kept.",
    }
    if (mode := library.settings.protection) in words:
        yield Check("keychain", "note" if mode == "plain" else "ok", words[mode])
        return
    try:
        key = keychain.index_key(create=False)
    except KeychainUnavailable as error:
        # Lamplight works without one; the index is then readable by whoever can read the person's files.
        yield Check("keychain", "note", f"{error.message} New indexes are not encrypted.", error.remedy)
        return
    yield Check("keychain", "ok", "It holds the key of the indexes." if key else "It can be used; there is no key yet.")


def _encryption(library: AnyLibrary) -> Iterator[Check]:
    from engine.store.database import extension_file

    file = extension_file()
    if file.is_file():
        yield Check("encryption", "ok", "The part of DuckDB that encrypts is there.")
    else:
        yield Check("encryption", "bad", f"{file} is missing.", "Install Lamplight again.")


def _models(library: AnyLibrary) -> Iterator[Check]:
    for model in library.models():
        if model.is_here:
            yield Check("model", "ok", f"{model.id}: here, {model.dimensions} numbers")
        elif model.used_by:
            yield Check("model", "bad", f"{model.id} is not here, but used by {', '.join(model.used_by)}.", model.note)


def _sources(library: AnyLibrary) -> Iterator[Check]:
    statuses = library.sources()
    if not statuses:
        yield Check("sources", "note", "No source is registered yet.", "lamplight add PATH")
    for status in statuses:
        yield _source(status)


_REMEDIES = {
    "new": "lamplight index '{name}'",
    "partial": "lamplight index '{name}'",
    "offline": "Bring the drive or the app back, then: lamplight index '{name}'",
    "braked": "Many notes are gone at once. If that is right: lamplight index --full '{name}'",
}


def _source(status: SourceStatus) -> Check:
    name = status.source.name
    found = f"{name}: {status.state}, {status.notes:,} notes, {status.failed:,} failed, {status.detail}".rstrip(", ")
    if status.state == "indexed":
        remedy = f"lamplight status '{name}' --problems" if status.failed else ""
        return Check("source", "note" if status.failed else "ok", found, remedy)
    if status.state in _REMEDIES:
        return Check("source", "note", found, _REMEDIES[status.state].format(name=name))
    return Check("source", "bad", found, f"lamplight index --full '{name}' builds it anew; the notes are not touched.")


def _services(library: AnyLibrary) -> Iterator[Check]:
    on = [service.title for service in library.services() if service.is_on]
    yield Check("network", "ok", f"Services switched on: {', '.join(on)}." if on else "No service is switched on.")
