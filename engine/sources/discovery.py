"""Vaults and graphs on this machine that could be added, and the links that open a passage in its home app."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.model import Anchor, Discovered, Source, SourceKind
from engine.sources import obsidian_links, roam_links
from engine.sources.vaults import find_vaults, vault_id


def discover(registered: Sequence[Source]) -> list[Discovered]:
    """Obsidian's own list of vaults; what is registered already is marked."""
    known = {Path(s.location) for s in registered if s.kind is SourceKind.OBSIDIAN}
    return [
        Discovered(SourceKind.OBSIDIAN, vault.path.name, str(vault.path), registered=vault.path.resolve() in known)
        for vault in find_vaults()
    ]


def home_link(source: Source, anchor: Anchor) -> str:
    """The ``obsidian://`` or ``roam://`` address of a passage."""
    if source.kind is SourceKind.OBSIDIAN:
        root = Path(source.location)
        return obsidian_links.open_url(root, anchor, vault_id(root, find_vaults()))
    graph = source.location
    if source.kind is SourceKind.ROAM_EXPORT:
        graph = roam_links.graph_of_file_name(Path(source.location).name)
    return roam_links.open_url(graph, anchor.uid or anchor.note)
