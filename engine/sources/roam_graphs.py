"""Joins the parts of the live roads to Roam: finds graphs on this machine, opens readers, asks the window gate."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from engine.errors import EngineError
from engine.keychain import TIME_LIMIT as KEYCHAIN_SECONDS
from engine.model import Discovered, Source, SourceKind
from engine.net.client import Client
from engine.net.policy import ROAM_CLOUD
from engine.net.roam_api import READ_SECONDS, STATUS_SECONDS, GraphRef, LocalApi
from engine.net.secrets import Secret
from engine.sources.roam_live import RoamReader, cloud_reader, local_reader
from engine.sources.roam_registry import (
    Entry,
    Registry,
    find_entry,
    graph_at,
    location_of,
    read_port,
    read_registry,
)
from engine.sources.roam_tokens import TokenStore
from engine.sources.roam_windows import WindowState, graphs_with_window, state_among, window_state

LOCAL, CLOUD = "roam", "roam-cloud"
"""What stands before the colon where a graph is named as a place: ``roam:NAME``."""


def local_api(client: Client, folder: Path | None = None) -> LocalApi:
    """Roam Desktop on this machine, at the port that it wrote down last in ``folder`` (the home folder)."""
    return LocalApi(client, lambda: read_port(folder))


def open_local_reader(source: Source, client: Client, tokens: TokenStore, *, limit: float | None = None) -> RoamReader:
    """A reader whose scan waits ``limit`` seconds at most for Roam."""
    return local_reader(
        graph_at(source.location),
        lambda: tokens.find(source.kind, source.location, limit or KEYCHAIN_SECONDS),
        local_api(client),
        source.options,
        limit=limit or READ_SECONDS,
    )


def open_cloud_reader(source: Source, client: Client, tokens: TokenStore, *, limit: float | None = None) -> RoamReader:
    return cloud_reader(
        source.location,
        lambda: tokens.find(source.kind, source.location, limit or KEYCHAIN_SECONDS),
        client,
        source.options,
        limit=limit,
    )


def gate(source: Source, client: Client, limit: float = STATUS_SECONDS) -> WindowState:
    """Whether the window of a local graph is open; asks without opening one, within ``limit`` seconds."""
    api = local_api(client)
    return window_state(graph_at(source.location), lambda: api.open_graphs(limit=min(limit, STATUS_SECONDS)))


def unlock_warning(source: Source, client: Client) -> str:
    """What the person should know before a run that they ask for; empty when no window can appear."""
    if source.kind is not SourceKind.ROAM_LOCAL or gate(source, client) is WindowState.OPEN:
        return ""
    graph = graph_at(source.location)
    return f"Roam may open a window for {graph}, and ask there for the password of an encrypted graph."


def find_graph(name: str, client: Client, folder: Path | None = None) -> tuple[str, str]:
    """(location, nickname) of the graph with this nickname or canonical name, as Roam or its tools know it.

    Raises ``UnknownSource`` with the names that there are.
    """
    registry = read_registry(folder)
    known = {entry.graph for entry in registry.entries}
    more = [Entry(graph, graph.name, Secret("")) for graph in _graphs_of_roam(local_api(client, folder))]
    entry = find_entry([*registry.entries, *(entry for entry in more if entry.graph not in known)], name)
    return location_of(entry.graph), entry.nickname


def cloud_graph(name: str, client: Client) -> tuple[str, str]:
    """(location, name) of a graph on Roam's servers. Raises ``NotAllowed`` while the service is off, ``BadRequest``."""
    client.policy.require(ROAM_CLOUD.name)
    return graph_at(name).name, f"{name} (cloud)"


def _graphs_of_roam(api: LocalApi) -> list[GraphRef]:
    """Graphs with a window, and all of the account while Roam tells them."""
    found = list(graphs_with_window(api.open_graphs) or ())
    with contextlib.suppress(EngineError):
        found += api.available_graphs()
    return list(dict.fromkeys(found))


def discover_graphs(
    registered: Iterable[Source], api: LocalApi, folder: Path | None = None, config_file: Path | None = None
) -> tuple[list[Discovered], tuple[str, ...]]:
    """Graphs that Roam's tools know or that have a window now, and notices about the registry. Opens nothing."""
    registry = read_registry(folder)
    windows = graphs_with_window(api.open_graphs, config_file)
    known = {source.location for source in registered if source.kind is SourceKind.ROAM_LOCAL}

    found = [
        Discovered(
            SourceKind.ROAM_LOCAL,
            _name(graph, registry),
            location_of(graph),
            location_of(graph) in known,
            f"window {state_among(graph, windows)}" + ("" if _has_token(graph, registry) else ", no token yet"),
            window=state_among(graph, windows).value,
            has_token=_has_token(graph, registry),
        )
        for graph in dict.fromkeys([*(entry.graph for entry in registry.entries), *(windows or ())])
    ]
    return found, registry.notices


def _name(graph: GraphRef, registry: Registry) -> str:
    return next((entry.nickname for entry in registry.entries if entry.graph == graph), str(graph))


def _has_token(graph: GraphRef, registry: Registry) -> bool:
    return any(entry.graph == graph and not entry.is_revoked for entry in registry.entries)
