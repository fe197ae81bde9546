"""Vaults and graphs on this machine that could be added, and the links that open a passage in its home app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.job import Job
from engine.model import Anchor, Discovered, Source, SourceKind, SourceOptions, SourceStatus
from engine.net.client import Client
from engine.sources import obsidian_links, roam_links
from engine.sources.obsidian import ObsidianReader
from engine.sources.roam_registry import graph_at
from engine.sources.vaults import find_vaults, vault_id


def discover(registered: Sequence[SourceStatus], client: Client) -> tuple[list[Discovered], tuple[str, ...]]:
    """Vaults that Obsidian lists and graphs that Roam or its tools know, and notices about what was not understood.

    Opens nothing: no vault is read and no window of Roam appears.
    """
    from engine.sources.roam_graphs import discover_graphs, local_api

    vaults = {Path(s.source.location): s for s in registered if s.source.kind is SourceKind.OBSIDIAN}
    found = [
        Discovered(
            SourceKind.OBSIDIAN,
            vault.path.name,
            str(vault.path),
            registered=vault.path.resolve() in vaults,
            detail=index_words(vaults.get(vault.path.resolve())),
            indexed=_indexed(vaults.get(vault.path.resolve())),
        )
        for vault in find_vaults()
    ]
    graphs, notices = discover_graphs([s.source for s in registered], local_api(client))
    known = {s.source.location: s for s in registered if s.source.kind is SourceKind.ROAM_LOCAL}
    for graph in graphs:
        status = known.get(graph.location)
        found.append(replace(graph, detail=f"{index_words(status)}, {graph.detail}", indexed=_indexed(status)))
    return found, notices


def size_up(location: str, job: Job) -> tuple[int, int]:
    """(notes, bytes of them) of a vault's folder, or the bytes of an export whose notes nobody has counted. Reads no
    note. Raises ``SourceOffline``."""
    path = Path(location)
    if path.is_file():
        return 0, path.stat().st_size
    refs = ObsidianReader(path, SourceOptions(), _no_spans).scan(job).refs
    return len(refs), sum(ref.size for ref in refs)


def _no_spans(_texts: Sequence[str]) -> list[NDArray[np.int32]]:
    """A scan cuts nothing."""
    return []


def index_words(status: SourceStatus | None) -> str:
    """``indexed (n)`` or ``not indexed``."""
    count = _indexed(status)
    return "not indexed" if count is None else f"indexed ({count:,})"


def _indexed(status: SourceStatus | None) -> int | None:
    """Notes in the index; None when there is none."""
    return status.notes if status is not None and status.indexed_at is not None else None


def home_link(source: Source, anchor: Anchor) -> str:
    """The ``obsidian://`` or ``roam://`` address of a passage; of its page when Roam gave the block no uid."""
    if source.kind is SourceKind.OBSIDIAN:
        root = Path(source.location)
        return obsidian_links.open_url(root, anchor, vault_id(root, find_vaults()))
    uid = anchor.note if not anchor.uid or roam_links.is_synthetic(anchor.uid) else anchor.uid
    if source.kind is SourceKind.ROAM_EXPORT:
        from engine.sources.roam_export import graph_name

        return roam_links.open_url(graph_name(Path(source.location)), uid)
    graph = graph_at(source.location)
    return roam_links.open_url(graph.name, uid, offline=graph.type == "offline")
