"""From records to vectors: pointers resolved into matrices, one group per model, and the choice among groups.

Vectors of different groups are never mixed. A pointer that leads nowhere is counted, never guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.files import open_ordinary
from engine.sources.smart_models import SmartModel, model_of_key
from engine.sources.smart_records import BLOCKS, SOURCES, Ref, SourceRecord
from engine.sources.smart_text import FRONT_MATTER

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that has a vector: a note, or a block of one."""

    path: str
    block: str = ""
    """Key after the path; empty for the note itself."""
    first: int = 0
    last: int = 0
    """Lines at the time of embedding, 1-based and inclusive; 0 when not known."""
    read_hash: str = ""
    """Hash of the text that was embedded."""
    is_stale: bool = False
    """The plugin has read a newer text than it embedded."""

    @property
    def is_note(self) -> bool:
        return not self.block

    @property
    def is_front_matter(self) -> bool:
        return self.block == FRONT_MATTER


@dataclass(frozen=True, slots=True)
class Group:
    """The vectors of one model: row i of ``vectors`` belongs to item i."""

    name: str
    model: SmartModel
    items: tuple[Item, ...]
    vectors: Matrix
    unresolvable: int = 0
    """Pointers that lead nowhere: no such file, no such row, or numbers that are no vector."""
    files: tuple[str, ...] = ()

    @property
    def fresh(self) -> int:
        return sum(not item.is_stale for item in self.items)


def pointers(records: Iterable[SourceRecord]) -> Iterator[tuple[str, Item, Ref]]:
    """(collection, item, ref) of everything that the plugin wants embedded and has a vector for."""
    for record in records:
        for ref in record.refs:
            yield SOURCES, _item(record.path, "", (0, 0), ref, record.read_hash), ref
        for block in record.blocks:
            if block.should_embed:
                lines = (block.first, block.last) if block.first else record.lines.get(block.key, (0, 0))
                for ref in block.refs:
                    yield BLOCKS, _item(record.path, block.key, lines, ref, block.read_hash), ref


def _item(path: str, block: str, lines: tuple[int, int], ref: Ref, current: str) -> Item:
    is_stale = bool(ref.read_hash and current and ref.read_hash != current)
    return Item(path, block, *lines, ref.read_hash or current, is_stale)


def resolve_packed(
    records: Iterable[SourceRecord], folder: Path, models: Mapping[str, SmartModel]
) -> tuple[Group, ...]:
    """Groups of the packed format, by fingerprint. ``models`` says how wide the rows of each are."""
    by_file: dict[str, dict[tuple[str, str], list[tuple[Item, int | None]]]] = {}
    for collection, item, ref in pointers(records):
        by_file.setdefault(ref.group, {}).setdefault((collection, ref.file), []).append((item, ref.row))
    return tuple(_packed_group(name, files, folder, models.get(name)) for name, files in by_file.items())


def _packed_group(
    name: str,
    files: Mapping[tuple[str, str], Sequence[tuple[Item, int | None]]],
    folder: Path,
    model: SmartModel | None,
) -> Group:
    items: list[Item] = []
    parts: list[Matrix] = []
    used: list[str] = []
    dimensions = model.dimensions if model else 0
    # The two collections have files of one name: the collection is part of the place.
    for (collection, file), wanted in files.items():
        rows = _read_rows(folder / collection, file, dimensions)
        inside = [(item, row) for item, row in wanted if row is not None and row < len(rows)]
        chosen = rows[[row for _, row in inside]]
        good = _are_vectors(chosen)
        if good.any():
            used.append(f"{collection}/{file}")
        parts.append(chosen[good])
        items += [item for (item, _), is_good in zip(inside, good, strict=True) if is_good]
    total = sum(len(wanted) for wanted in files.values())
    matrix = np.concatenate(parts) if dimensions else np.zeros((0, 0), np.float32)
    return Group(name, model or SmartModel("", 0), tuple(items), matrix, total - len(items), tuple(sorted(used)))


def _read_rows(folder: Path, file: str, dimensions: int) -> Matrix:
    """Rows of a vector file, shape (rows, dimensions); a torn last row is left out. No rows when there is no file."""
    if not dimensions or Path(file).name != file or "\\" in file:
        return np.zeros((0, dimensions), np.float32)
    try:
        with open_ordinary(folder / file) as opened:
            numbers = np.fromfile(opened, "<f4")
    except FileNotFoundError:
        return np.zeros((0, dimensions), np.float32)
    whole = len(numbers) // dimensions
    return numbers[: whole * dimensions].reshape(whole, dimensions).astype(np.float32, copy=False)


def _are_vectors(rows: Matrix) -> NDArray[np.bool_]:
    """Which rows are finite and not all zero."""
    good: NDArray[np.bool_] = np.logical_and(np.isfinite(rows).all(axis=1), rows.any(axis=1))
    return good


def resolve_inline(records: Iterable[SourceRecord]) -> tuple[Group, ...]:
    """Groups of the formats that keep vectors in their records, by model key."""
    by_model: dict[str, list[tuple[Item, Matrix]]] = {}
    for _, item, ref in pointers(records):
        if ref.vector is not None:
            by_model.setdefault(ref.group, []).append((item, ref.vector))
    return tuple(_inline_group(name, found) for name, found in by_model.items())


def _inline_group(name: str, found: Sequence[tuple[Item, Matrix]]) -> Group:
    widths = Counter(len(vector) for _, vector in found)
    model = model_of_key(name, widths.most_common(1)[0][0])
    fitting = [(item, vector) for item, vector in found if len(vector) == model.dimensions]
    matrix = np.array([vector for _, vector in fitting], np.float32).reshape(-1, model.dimensions)
    good = _are_vectors(matrix)
    items = tuple(item for (item, _), is_good in zip(fitting, good, strict=True) if is_good)
    return Group(name, model, items, matrix[good], len(found) - len(items))


def choose(groups: Sequence[Group], configured: str) -> Group | None:
    """The group with most fresh vectors; when they are level, that of the plugin's own setting."""
    usable = [group for group in groups if group.items]
    return max(usable, key=lambda g: (g.fresh, g.model.key == configured, len(g.items), g.name), default=None)
