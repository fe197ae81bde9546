"""Records of a Smart Connections index in one shape, whatever version wrote them. Pure but for iterating logs.

Only what Lamplight uses is kept; a value of an unexpected type counts as absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

SOURCES, BLOCKS = "smart_sources", "smart_blocks"
_LEGACY = {"SmartSource": SOURCES, "SmartNote": SOURCES, "SmartBlock": BLOCKS}


@dataclass(frozen=True, slots=True)
class Ref:
    """Where one vector of one item is: a row of a file, or here."""

    group: str
    """Fingerprint (packed) or model key (older): vectors of different groups are never compared."""
    file: str = ""
    row: int | None = None
    vector: NDArray[np.float32] | None = None
    read_hash: str = ""
    """Hash of the text that was embedded; empty when not recorded."""


@dataclass(frozen=True, slots=True)
class BlockRecord:
    key: str
    """The block's name after the path, ``#`` first."""
    first: int = 0
    """1-based; 0 when not recorded."""
    last: int = 0
    """Inclusive; 0 when not recorded or without an end."""
    should_embed: bool = True
    read_hash: str = ""
    refs: tuple[Ref, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class SourceRecord:
    path: str
    read_hash: str = ""
    size: int = 0
    """Bytes when the plugin last read the file; 0 when not recorded."""
    modified: float = 0.0
    """Milliseconds since the epoch, as ``size``."""
    refs: tuple[Ref, ...] = ()
    blocks: tuple[BlockRecord, ...] = ()
    hidden: frozenset[str] = frozenset()
    """Paths that the owner hid from this note's connections."""
    pinned: frozenset[str] = frozenset()
    failed: bool = False
    lines: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Older formats: line ranges by block key, for blocks whose own record has none."""


def kind_and_name(key: str) -> tuple[str, str, bool]:
    """(collection, item name, whether lines count from 0) of a record's key; no collection for other records."""
    prefix, colon, name = key.partition(":")
    if colon and prefix in (SOURCES, BLOCKS):
        return prefix, name, False
    if colon and prefix in _LEGACY:
        return _LEGACY[prefix], name, True
    return "", name, False


def packed_source(path: str, value: Mapping[str, Any]) -> SourceRecord:
    """A source record of the packed format, its blocks within."""
    blocks = _mapping(value.get("blocks_data"))
    feedback = _mapping(value.get("connections"))
    imported = _mapping(value.get("last_import"))
    return SourceRecord(
        path,
        read_hash_of(value),
        _whole(imported.get("size")) or 0,
        _number(imported.get("mtime")),
        packed_refs(value),
        tuple(_packed_block(key, block) for key, block in blocks.items()),
        _marked(feedback, "hidden"),
        _marked(feedback, "pinned"),
        failed_to_embed(value),
    )


def _packed_block(key: str, value: object) -> BlockRecord:
    if isinstance(value, list):
        return BlockRecord(key, *line_range(value), should_embed=False)
    block = _mapping(value)
    return BlockRecord(
        key,
        *line_range(block.get("lines")),
        block.get("should_embed") is True,
        read_hash_of(block),
        packed_refs(block),
        failed_to_embed(block),
    )


def packed_refs(value: Mapping[str, Any]) -> tuple[Ref, ...]:
    """The pointers of an item, by fingerprint; of the older shape with a single pointer too."""
    embedding = _mapping(value.get("embedding"))
    pointers = _mapping(embedding.get("default"))
    if isinstance(pointers.get("file"), str):
        history = embedding.get("history")
        newest = _mapping(history[-1]) if isinstance(history, list) and history else {}
        pointers = {str(newest.get("model_fingerprint") or pointers["file"]): pointers}
    return tuple(
        _packed_ref(mark, pointer)
        for mark, pointer in pointers.items()
        if isinstance(pointer, dict) and isinstance(pointer.get("file"), str)
    )


def _packed_ref(mark: str, pointer: Mapping[str, Any]) -> Ref:
    group = mark if mark.startswith("mf_") else f"mf_{mark}"
    return Ref(group, pointer["file"], _whole(pointer.get("file_i")), None, _text(pointer.get("read_hash")))


def inline_refs(value: Mapping[str, Any], group: str = "") -> tuple[Ref, ...]:
    """The vectors of an item that stand in its own record. ``group`` names the model where the record does not."""
    current = _text(_mapping(value.get("last_embed")).get("hash"))
    found = [_inline_ref(model, entry, current) for model, entry in _mapping(value.get("embeddings")).items()]
    if group:
        found.append(_inline_ref(group, value.get("embedding"), current))
    return tuple(ref for ref in found if ref is not None)


def _inline_ref(model: str, entry: object, current: str) -> Ref | None:
    values = _mapping(entry)
    vector = values.get("vec")
    if not isinstance(vector, list) or not vector:
        return None
    try:
        row = np.array(vector, np.float32)
    except (TypeError, ValueError):
        return None
    read_hash = _text(_mapping(values.get("last_embed")).get("hash")) or current
    return Ref(model, vector=row, read_hash=read_hash) if row.ndim == 1 else None


def read_hash_of(value: Mapping[str, Any]) -> str:
    """Hash of the text when the plugin last read it."""
    return _text(_mapping(value.get("last_read")).get("hash"))


def failed_to_embed(value: Mapping[str, Any]) -> bool:
    return bool(_mapping(value.get("embedding")).get("error"))


def line_range(value: object, *, from_zero: bool = False) -> tuple[int, int]:
    """(first, last), 1-based and inclusive; 0 for what is not given."""
    if not isinstance(value, list) or len(value) != 2:
        return 0, 0
    first, last = _whole(value[0]), _whole(value[1])
    shift = 1 if from_zero else 0
    return (first + shift if first is not None else 0), (last + shift if last is not None else 0)


def _marked(feedback: Mapping[str, Any], name: str) -> frozenset[str]:
    marked = (key for key, marks in feedback.items() if _mapping(marks).get(name))
    return frozenset(kind_and_name(key)[1] if kind_and_name(key)[0] else key for key in marked)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or value < 0:
        return None
    return int(value) if value == int(min(value, 2**53)) else None


def _number(value: object) -> float:
    try:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
    except OverflowError:
        return 0.0
