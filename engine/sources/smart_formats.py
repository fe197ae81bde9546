"""The formats of a Smart Connections index: where each is found, and its records read into one shape. Read-only.

Packed (4.7 and later), ``multi`` folders (2.1 to 4.6) and single logs (2.0). Version 1 is recognised and refused.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from engine.errors import NotASource
from engine.sources.smart_log import Tally, read_lines, read_stream
from engine.sources.smart_models import MODELS
from engine.sources.smart_records import (
    BLOCKS,
    SOURCES,
    BlockRecord,
    SourceRecord,
    failed_to_embed,
    inline_refs,
    kind_and_name,
    line_range,
    packed_source,
    read_hash_of,
)
from engine.sources.smart_settings import SETTINGS_FILE

_SHARD = re.compile(r"smart_sources(?:_(\d+))?\.ajson")
_SINGLE_LOG = re.compile(r"smart_(notes|blocks)-(.+)\.ajson")
_OLD_FOLDERS = (".smart-connections", ".obsidian/.smart-connections")
_PASSING = (".tmp", ".bak", ".backup")


class Format(StrEnum):
    PACKED = "packed"
    MULTI = "multi"
    SINGLE = "single"
    VERSION_1 = "version 1"
    INTERRUPTED = "interrupted"
    """On the way to the packed format, and nothing older is left."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the index of a vault is, and in which format."""

    folder: Path
    format: Format
    notice: str = ""
    """What is odd about it."""


def find_place(vault: Path) -> Place | None:
    """The index that the plugin would use; ``None`` when the vault has none."""
    places = [place for folder in _data_folders(vault) for place in _formats_in(folder)]
    order = list(Format)
    return min(places, key=lambda place: order.index(place.format), default=None)


def _data_folders(vault: Path) -> list[Path]:
    """The plugin's data folder (it takes any folder of the vault that holds its settings; most files win), old ones."""
    try:
        with os.scandir(vault) as entries:
            own = [vault / e.name for e in entries if e.is_dir() and (vault / e.name / SETTINGS_FILE).is_file()]
    except OSError:
        own = []
    own.sort(key=lambda folder: (-_count_files(folder), folder.name))
    usual = vault / ".smart-env"
    named = own[:1] or ([usual] if usual.is_dir() else [])
    return [*named, *(vault / old for old in _OLD_FOLDERS if (vault / old).is_dir())]


def _count_files(folder: Path) -> int:
    return sum(len(files) for _, _, files in os.walk(folder))


def _formats_in(folder: Path) -> Iterator[Place]:
    shards = [number for number, _ in _shards(folder)]
    if 0 in shards:
        yield Place(folder, Format.PACKED)
        return
    broken = "Smart Connections was interrupted while it moved to its newer format; the older index is used."
    notice = broken if shards else ""
    if any((folder / "multi").glob("*.ajson")):
        yield Place(folder, Format.MULTI, notice)
    elif any(_SINGLE_LOG.fullmatch(name) for name in _names(folder)):
        yield Place(folder, Format.SINGLE, notice)
    elif any(re.fullmatch(r"embeddings(-\d)?\.json", name) for name in _names(folder)):
        yield Place(folder, Format.VERSION_1)
    elif shards:
        yield Place(folder, Format.INTERRUPTED)


def _shards(folder: Path) -> list[tuple[int, Path]]:
    """(number, file) in the order in which they are replayed: 2 comes before 10."""
    found = ((_SHARD.fullmatch(name), name) for name in _names(folder / SOURCES))
    return sorted((int(match[1] or 0), folder / SOURCES / name) for match, name in found if match)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return []


Stamp = tuple[str, int, int]
"""(file below the data folder, bytes, time of change in nanoseconds)."""


def signature(place: Place) -> tuple[Stamp, ...]:
    """Names, sizes and times of every file that a read depends on. Equal before and after: nothing moved meanwhile."""
    if place.format is Format.PACKED:
        folders = [SOURCES, BLOCKS, "embedding_models", ""]
    else:
        folders = ["multi" if place.format is Format.MULTI else "", ""]
    stamps = {stamp for folder in folders for stamp in _stamps(place.folder / folder, folder)}
    return tuple(sorted(stamps))


def _stamps(folder: Path, name: str) -> Iterator[Stamp]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(_PASSING) and (info := _stat_of_file(entry)) is not None:
                    yield f"{name}/{entry.name}", info.st_size, info.st_mtime_ns
    except FileNotFoundError:
        # Gone between listing and looking, which the second look will tell from the first.
        yield f"{name}/", -1, -1


def _stat_of_file(entry: os.DirEntry[str]) -> os.stat_result | None:
    """None for what is no file, and for a link that leads nowhere or in a circle."""
    try:
        return entry.stat() if entry.is_file() else None
    except OSError:
        return None


def read_records(place: Place, tally: Tally) -> dict[str, SourceRecord]:
    """Every note that the plugin knows, by path. Raises ``NotASource`` when the format cannot be
    read, and ``OSError``."""
    match place.format:
        case Format.PACKED:
            return _read_packed(place.folder, tally)
        case Format.MULTI:
            files = sorted((place.folder / "multi").glob("*.ajson"))
            return _joined(_merged(_last_ones(read_lines(file, tally), tally, _older_record) for file in files))
        case Format.SINGLE:
            return _joined(_merged(_read_single(place.folder, tally)))
        case Format.INTERRUPTED:
            raise NotASource(
                f"The Smart Connections index in {place.folder.name} was interrupted on its way to a newer format.",
                "Let Obsidian finish, or let Lamplight index the vault itself.",
            )
    raise NotASource(
        "The Smart Connections index of this vault is of version 1 (before February 2024). Its vectors were made by "
        "a paid online service, so no question can be compared with them here.",
        "Update the plugin and let it embed again, or let Lamplight index the vault itself.",
    )


def _read_packed(folder: Path, tally: Tally) -> dict[str, SourceRecord]:
    records: dict[str, SourceRecord] = {}
    for _, shard in _shards(folder):
        for key, value in read_lines(shard, tally):
            collection, path, _ = kind_and_name(key)
            if collection != SOURCES:
                tally.ignored += 1
            elif value is None:
                tally.tombstones += 1
                records.pop(path, None)
            elif isinstance(value, dict):
                records[path] = packed_source(path, value)
            else:
                tally.malformed += 1
    return records


# --- older formats ------------------------------------------------------------------------------------------------

_Records = dict[tuple[str, str], SourceRecord | BlockRecord]
"""By (collection, item name)."""
_Maker = Callable[[str, dict[str, Any]], tuple[tuple[str, str], SourceRecord | BlockRecord] | None]


def _last_ones(lines: Iterable[tuple[str, object]], tally: Tally, make: _Maker) -> _Records:
    """The last record of each item in one file; deletions count within the file alone."""
    records: _Records = {}
    for key, value in lines:
        if isinstance(value, dict):
            made = make(key, value)
            if made is None:
                tally.ignored += 1
            else:
                records[made[0]] = made[1]
        elif value is None:
            tally.tombstones += 1
            collection, name, _ = kind_and_name(key)
            records.pop((collection or (BLOCKS if "#" in name else SOURCES), name), None)
        else:
            tally.malformed += 1
    return records


def _merged(files: Iterable[_Records]) -> _Records:
    merged: _Records = {}
    for records in files:
        merged |= records
    return merged


def _older_record(key: str, value: dict[str, Any]) -> tuple[tuple[str, str], SourceRecord | BlockRecord] | None:
    # The file's name says nothing: different paths share one. The key is the item.
    collection, name, from_zero = kind_and_name(key)
    return ((collection, name), _older(collection, name, value, from_zero=from_zero)) if collection else None


def _older(
    collection: str, name: str, value: dict[str, Any], *, from_zero: bool, group: str = ""
) -> SourceRecord | BlockRecord:
    refs = inline_refs(value, group)
    if collection == SOURCES:
        ranges = value.get("blocks")
        blocks = ranges.items() if isinstance(ranges, dict) else ()
        lines = {sub: line_range(pair, from_zero=from_zero) for sub, pair in blocks}
        return SourceRecord(name, read_hash_of(value), refs=refs, lines=lines, failed=failed_to_embed(value))
    first, last = line_range(value.get("lines"), from_zero=from_zero)
    wanted = value.get("should_embed") is not False
    sub_key = "#" + name.partition("#")[2]
    return BlockRecord(sub_key, first, last, wanted, read_hash_of(value), refs, failed_to_embed(value))


def _read_single(folder: Path, tally: Tally) -> Iterator[_Records]:
    for name in _names(folder):
        match = _SINGLE_LOG.fullmatch(name)
        if match is None or match[2] == "None":
            continue
        collection = SOURCES if match[1] == "notes" else BLOCKS
        model = _model_in_name(match[2])

        def make(
            key: str, value: dict[str, Any], collection: str = collection, model: str = model
        ) -> tuple[tuple[str, str], SourceRecord | BlockRecord]:
            return (collection, key), _older(collection, key, value, from_zero=True, group=model)

        yield _last_ones(read_stream(folder / name, tally), tally, make)


def _model_in_name(name: str) -> str:
    """The model key that a file name spells with other marks in place of ``/``."""
    plain = re.sub(r"\W|_", "", name).lower()
    return next((model.key for model in MODELS if re.sub(r"\W|_", "", model.key).lower() == plain), name)


def _joined(records: _Records) -> dict[str, SourceRecord]:
    """Notes with their blocks, which have records of their own in the older formats."""
    blocks: dict[str, list[BlockRecord]] = {}
    for (_, name), record in records.items():
        if isinstance(record, BlockRecord):
            blocks.setdefault(name.partition("#")[0], []).append(record)
    notes = {record.path: record for record in records.values() if isinstance(record, SourceRecord)}
    for path in blocks:
        notes.setdefault(path, SourceRecord(path))
    return {path: dataclasses.replace(note, blocks=tuple(blocks.get(path, ()))) for path, note in notes.items()}
