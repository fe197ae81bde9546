"""What is on the map, as columns: one row for each structure, one for each line between two. Values only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

LEVELS = 9
"""Heights that can be told apart; each stands for twice as many relations as the one below."""


@dataclass(frozen=True, slots=True)
class Structure:
    id: str
    name: str
    kind: str
    """Type of the entity; ``daily`` for the daily notes together."""
    degree: int
    is_written: bool = True
    """The owner wrote of it; False: a model inferred it."""
    is_bare: bool = False
    """Spoken of, without a note of its own."""
    is_pinned: bool = False
    group: int = -1
    """Number of the community that it belongs to; -1: to none."""


@dataclass(frozen=True, slots=True)
class Line:
    one: int
    other: int
    """Positions of the structures that it joins."""
    is_written: bool = True
    weight: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class MapData:
    structures: tuple[Structure, ...] = ()
    places: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """(n, 2) cells."""
    levels: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    edges: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    """(m, 2) positions, the lines that matter most first."""
    inferred: Flags = field(default_factory=lambda: np.zeros(0, bool))
    """(m) lines that only a model drew."""
    groups: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Number of the community of each; -1: none."""
    positions: Mapping[str, int] = field(default_factory=dict)
    """Id -> position."""

    def __len__(self) -> int:
        return len(self.structures)


def map_data(structures: Sequence[Structure], places: Sequence[tuple[int, int]], lines: Sequence[Line]) -> MapData:
    """Lines between what is better connected come first when only some can be drawn."""
    degrees = np.array([one.degree for one in structures], np.float64)
    edges = np.array([(one.one, one.other) for one in lines], np.int64).reshape(-1, 2)
    weights = np.array([one.weight for one in lines], np.float64)
    inferred = np.array([not one.is_written for one in lines], bool)
    if len(edges):
        # What is least connected would otherwise lose its only line to those among hubs.
        ends = np.log2(degrees[edges] + 1)
        order = np.argsort(-(weights + ends.max(1) / (1 + ends.min(1))), kind="stable")
        edges, inferred = edges[order], inferred[order]
    return MapData(
        tuple(structures),
        np.array(places, np.float64).reshape(-1, 2),
        np.minimum(LEVELS - 1, np.log2(np.maximum(degrees, 1)).astype(np.int64)),
        edges,
        inferred,
        np.array([one.group for one in structures], np.int64),
        {one.id: at for at, one in enumerate(structures)},
    )
