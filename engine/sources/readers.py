"""Which reader reads which source, and what a path that a person gives is."""

from __future__ import annotations

from pathlib import Path

from engine.errors import BugError, NotASource
from engine.model import Source, SourceKind
from engine.sources.base import SourceReader, TokenSpanner

EXPORT_SUFFIXES = (".json", ".edn", ".zip")


def recognise(location: str) -> tuple[SourceKind, Path]:
    """The kind of source at a path and its absolute path. Raises ``NotASource`` with what would do."""
    from engine.sources.roam_export import looks_like_roam_export

    path = Path(location).expanduser()
    try:
        path = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise NotASource(f"There is no file or folder '{location}'.", "Check the spelling of the path.") from error
    if path.is_dir():
        return SourceKind.OBSIDIAN, path
    if path.suffix.lower() in EXPORT_SUFFIXES and looks_like_roam_export(path):
        return SourceKind.ROAM_EXPORT, path
    raise NotASource(
        f"'{path.name}' is neither a folder of notes nor a Roam export.",
        "Give the folder of an Obsidian vault, or the .json, .edn or .zip file that Roam exported.",
    )


def open_reader(source: Source, token_spans: TokenSpanner) -> SourceReader:
    """A reader for one registered source. Imported by kind: a vault never loads the Roam client."""
    match source.kind:
        case SourceKind.OBSIDIAN:
            from engine.sources.obsidian import ObsidianReader

            return ObsidianReader(Path(source.location), source.options, token_spans)
        case SourceKind.ROAM_EXPORT:
            from engine.sources.roam_export import RoamExportReader

            return RoamExportReader(Path(source.location), source.options)
        case _:
            raise BugError(f"No reader for sources of kind '{source.kind}'.")
