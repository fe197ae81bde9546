"""The graphs that Roam's own tools know on this machine: port, names, nicknames and tokens.

Reads Roam's files and never writes them. Every entry is checked by itself, so that a bad one hides no other. Tokens
leave this module as masked secrets only, and are used only when the owner asks to import them.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import BadRequest, UnknownSource
from engine.files import read_ordinary
from engine.net.roam_api import DEFAULT_PORT, GRAPH_NAME, GraphRef, GraphType
from engine.net.secrets import Secret

PORT_FILE = ".roam-local-api.json"
REGISTRY_FILES = (".roam-tools.json", ".roam-mcp.json")
"""The present name, then the one that early versions used."""
VERSION = 1
"""Newest layout of the registry that is understood."""
_LARGEST = 1 << 20
_TOKEN = re.compile(r"roam-graph-local-token-[A-Za-z0-9_-]{1,200}")
_OFFLINE = "?type=offline"


@dataclass(frozen=True, slots=True)
class Entry:
    """One graph of the registry."""

    graph: GraphRef
    nickname: str
    token: Secret
    access: str = ""
    is_revoked: bool = False
    """As last noticed by the tool that wrote the file; it may be wrong by now."""


@dataclass(frozen=True, slots=True)
class Registry:
    entries: tuple[Entry, ...] = ()
    notices: tuple[str, ...] = ()
    """What was left out or looks unsafe, one sentence each."""


def read_port(folder: Path | None = None) -> int:
    """The port that Roam wrote down at its last start; 3333 when there is no usable file."""
    try:
        values = _read_json((folder or Path.home()) / PORT_FILE)
    except (OSError, ValueError, RecursionError):
        return DEFAULT_PORT
    port = values.get("port") if isinstance(values, dict) else None
    return port if isinstance(port, int) and not isinstance(port, bool) and 0 < port < 65536 else DEFAULT_PORT


def read_registry(folder: Path | None = None) -> Registry:
    """All graphs of the registry files in ``folder`` (the home folder); missing files are simply empty."""
    entries: dict[GraphRef, Entry] = {}
    notices: list[str] = []
    for name in REGISTRY_FILES:
        path = (folder or Path.home()) / name
        for item in _read_entries(path, notices):
            known = next((e for e in entries.values() if e.nickname.casefold() == item.nickname.casefold()), None)
            if item.graph in entries:
                continue
            if known:
                notices.append(f"{name}: two graphs have the nickname '{item.nickname}'; use their full names.")
            entries[item.graph] = item
    return Registry(tuple(entries.values()), tuple(notices))


def find_entry(entries: Iterable[Entry], name: str) -> Entry:
    """The graph called ``name``: by nickname (case does not count), then by canonical name; hosted before offline.

    Raises ``UnknownSource`` with the names that there are.
    """
    entries = tuple(entries)
    wanted = name.casefold()
    nicknamed = [entry for entry in entries if entry.nickname.casefold() == wanted]
    exact = [entry for entry in entries if location_of(entry.graph) == name or entry.graph.name == name]
    alike = [entry for entry in entries if entry.graph.name.casefold() == wanted]
    for found in (nicknamed, exact, alike):
        names = {entry.graph.name for entry in found}
        if len(names) == 1:
            return min(found, key=lambda entry: entry.graph.type != "hosted")
        if names:
            raise UnknownSource(f"'{name}' could be {' or '.join(sorted(names))}.", "Use the full name of the graph.")
    if not entries:
        raise UnknownSource("No graph is connected to Roam's local API.", "Connect one in Roam Desktop first.")
    known = ", ".join(f"{entry.nickname} ({entry.graph})" for entry in entries)
    raise UnknownSource(f"There is no graph '{name}'.", f"Known graphs: {known}.")


def location_of(graph: GraphRef) -> str:
    """How a graph is written as the location of a source: its canonical name, and its type when offline."""
    return graph.name + (_OFFLINE if graph.type == "offline" else "")


def graph_at(location: str) -> GraphRef:
    """The graph that ``location_of`` wrote. Raises ``BadRequest`` for anything else."""
    kind: GraphType = "offline" if location.endswith(_OFFLINE) else "hosted"
    name = location.removesuffix(_OFFLINE)
    if not GRAPH_NAME.fullmatch(name):
        raise BadRequest(f"'{location}' is not the name of a graph.", "Use the name as it stands in Roam's address.")
    return GraphRef(name, kind)


def _read_json(path: Path) -> object:
    return json.loads(read_ordinary(path, _LARGEST))


def _read_entries(path: Path, notices: list[str]) -> list[Entry]:
    try:
        values = _read_json(path)
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError):
        notices.append(f"{path.name} could not be read as JSON; the graphs in it are not shown.")
        return []
    if not isinstance(values, dict) or not isinstance(values.get("graphs"), list):
        notices.append(f"{path.name} holds no list of graphs.")
        return []
    version = values.get("version", VERSION)
    if isinstance(version, int) and version > VERSION:
        notices.append(
            f"{path.name} was written by a newer version of Roam's tools (layout {version}, known here: {VERSION}); "
            "update Lamplight to see its graphs."
        )
        return []
    if _is_open_to_others(path):
        notices.append(f"{path.name} holds tokens and other users of this computer can read it; make it private.")
    return _check_entries(path.name, values["graphs"], notices)


def _check_entries(file: str, graphs: Iterable[object], notices: list[str]) -> list[Entry]:
    found: list[Entry] = []
    for position, value in enumerate(graphs, start=1):
        try:
            found.append(_entry(value))
        except ValueError as error:
            notices.append(f"{file}: graph {position} was left out because {error}.")
    return found


def _entry(value: object) -> Entry:
    """Raises ``ValueError`` with a reason that quotes nothing of the entry: a token may stand in any field."""
    if not isinstance(value, Mapping):
        raise ValueError("it is not an object")
    name, kind, token = value.get("name"), value.get("type", "hosted"), value.get("token")
    if not isinstance(name, str) or not GRAPH_NAME.fullmatch(name):
        raise ValueError("its name is missing or not a graph name")
    if kind not in ("hosted", "offline"):
        raise ValueError("its type is neither hosted nor offline")
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise ValueError("its token is missing or not a local API token")
    nickname = value.get("nickname")
    access = value.get("accessLevel")
    return Entry(
        GraphRef(name, "offline" if kind == "offline" else "hosted"),
        nickname.strip() if isinstance(nickname, str) and nickname.strip() else name,
        Secret(token),
        access if isinstance(access, str) else "",
        value.get("lastKnownTokenStatus") == "revoked",
    )


def _is_open_to_others(path: Path) -> bool:
    if os.name != "posix":
        return False
    try:
        return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
    except OSError:
        return False
