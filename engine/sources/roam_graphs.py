"""Joins the parts of the live roads to Roam: finds graphs on this machine, opens readers, asks the window gate."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.model import Discovered, Source, SourceKind
from engine.net.client import Client
from engine.net.roam_api import READ_SECONDS, GraphRef, LocalApi
from engine.sources.roam_cloud import RoamCloudReader
from engine.sources.roam_local import RoamLocalReader
from engine.sources.roam_registry import Registry, graph_at, location_of, read_port, read_registry
from engine.sources.roam_tokens import TokenStore
from engine.sources.roam_windows import WindowState, graphs_with_window, state_among, window_state


def local_api(client: Client, folder: Path | None = None) -> LocalApi:
    """Roam Desktop on this machine, at the port that it wrote down last in ``folder`` (the home folder)."""
    return LocalApi(client, lambda: read_port(folder))


def open_local_reader(
    source: Source, client: Client, tokens: TokenStore, *, limit: float = READ_SECONDS
) -> RoamLocalReader:
    """A reader whose scan waits ``limit`` seconds at most for Roam."""
    return RoamLocalReader(
        graph_at(source.location),
        lambda: tokens.find(SourceKind.ROAM_LOCAL, source.location),
        local_api(client),
        source.options,
        limit=limit,
    )


def open_cloud_reader(source: Source, client: Client, tokens: TokenStore) -> RoamCloudReader:
    return RoamCloudReader(
        source.location, lambda: tokens.find(SourceKind.ROAM_CLOUD, source.location), client, source.options
    )


def gate(source: Source, client: Client) -> WindowState:
    """Whether the window of a local graph is open; asks without opening one, within three seconds."""
    return window_state(graph_at(source.location), local_api(client).open_graphs)


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
        )
        for graph in dict.fromkeys([*(entry.graph for entry in registry.entries), *(windows or ())])
    ]
    return found, registry.notices


def _name(graph: GraphRef, registry: Registry) -> str:
    return next((entry.nickname for entry in registry.entries if entry.graph == graph), str(graph))


def _has_token(graph: GraphRef, registry: Registry) -> bool:
    return any(entry.graph == graph and not entry.is_revoked for entry in registry.entries)
