"""Which reader reads which source, and what a place that a person gives is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.errors import NotASource
from engine.model import Source, SourceKind
from engine.net.client import Client
from engine.sources.base import SourceReader, TokenSpanner
from engine.sources.roam_tokens import TokenStore

EXPORT_SUFFIXES = (".json", ".edn", ".zip")
_OF_THE_SYSTEM = ("/proc", "/sys", "/dev")
"""What stands there is made up on reading, and some of it never ends."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a person's words for a source lead to."""

    kind: SourceKind
    location: str
    """As ``Source.location``."""
    name: str
    """A name for it, should the person give none."""


def recognise(location: str, client: Client) -> Place:
    """The vault or export at a path, or the graph of ``roam:NAME`` or ``roam-cloud:NAME``.

    Raises ``NotASource`` with what would do, ``UnknownSource`` for a graph that nobody knows, ``NotAllowed``.
    """
    from engine.sources import roam_graphs

    if not location.strip():
        raise NotASource("No place was given.", "Give the folder of a vault, the file of an export, or roam:GRAPH.")
    scheme, _, graph = location.partition(":")
    match scheme:
        case roam_graphs.LOCAL:
            return Place(SourceKind.ROAM_LOCAL, *roam_graphs.find_graph(graph, client))
        case roam_graphs.CLOUD:
            return Place(SourceKind.ROAM_CLOUD, *roam_graphs.cloud_graph(graph, client))
        case _:
            return _recognise_path(location)


def _recognise_path(location: str) -> Place:
    from engine.sources.roam_export import looks_like_roam_export

    path = Path(location).expanduser()
    try:
        path = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise NotASource(f"There is no file or folder '{location}'.", "Check the spelling of the path.") from error
    if any(path.is_relative_to(folder) for folder in _OF_THE_SYSTEM):
        raise NotASource(f"'{location}' is the system's own and holds no notes.", "Give the folder of a vault.")
    if path.is_dir():
        return Place(SourceKind.OBSIDIAN, str(path), path.stem)
    if path.suffix.lower() in EXPORT_SUFFIXES and looks_like_roam_export(path):
        return Place(SourceKind.ROAM_EXPORT, str(path), path.stem)
    raise NotASource(
        f"'{path.name}' is neither a folder of notes nor a Roam export.",
        "Give the folder of an Obsidian vault, the .json, .edn or .zip file that Roam exported, or roam:GRAPH.",
    )


def is_there(source: Source) -> bool:
    """Whether the folder or file of a source is there now. Graphs, which may have to be waited for, are not asked."""
    place = Path(source.location)
    match source.kind:
        case SourceKind.OBSIDIAN:
            return place.is_dir()
        case SourceKind.ROAM_EXPORT:
            return place.is_file()
        case _:
            return True


def fingerprint(source: Source) -> str:
    """What stands for all that a source holds, where a look at one file tells; empty where it does not."""
    if source.kind is not SourceKind.ROAM_EXPORT:
        return ""
    from engine.sources.roam_tree import FORMAT

    try:
        found = Path(source.location).stat()
    except OSError:
        return ""
    return f"{FORMAT}:{found.st_mtime_ns}:{found.st_size}:{source.options}"


def open_reader(
    source: Source, token_spans: TokenSpanner, client: Client, tokens: TokenStore, *, limit: float | None = None
) -> SourceReader:
    """A reader for one registered source. Imported by kind: a vault never loads the Roam client.

    ``limit`` is the longest wait in seconds for an answer from outside; without one, each road has its own.
    """
    match source.kind:
        case SourceKind.OBSIDIAN:
            from engine.sources.obsidian import ObsidianReader

            return ObsidianReader(Path(source.location), source.options, token_spans)
        case SourceKind.ROAM_EXPORT:
            from engine.sources.roam_export import RoamExportReader

            return RoamExportReader(Path(source.location), source.options)
        case SourceKind.ROAM_LOCAL:
            from engine.sources.roam_graphs import open_local_reader

            return open_local_reader(source, client, tokens, limit=limit)
        case SourceKind.ROAM_CLOUD:
            from engine.sources.roam_graphs import open_cloud_reader

            return open_cloud_reader(source, client, tokens, limit=limit)
