"""Where things stand on the map of the graph: each on a cell of its own, what is connected near each other. Pure.

The same request always gives the same places. What has a place keeps it while most of the map has one, so that a map
which grows does not jump; what is pinned never moves.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.model import Cell, LayoutRequest

FORCE_LIMIT = 400
"""Up to so many are placed one by one by their connections; larger maps are placed community by community."""
ROUNDS = 70
ROOM = 2.2
"""Distance between neighbours, in cells."""
GRAVITY = 1.1
"""Holds together what no relation holds."""
KEPT_PART = 0.5
"""With at least this part of the map placed before, only what is new is placed."""
_GOLDEN = math.pi * (3 - math.sqrt(5))

Points = NDArray[np.float64]


def lay_out(request: LayoutRequest) -> tuple[Cell, ...]:
    """A cell for each thing, no two on the same one. Raises ``ValueError`` for an edge to a thing that is not there."""
    count = len(request.previous)
    if count == 0:
        return ()
    edges = _edges(request, count)
    first = {cell: at for at, cell in reversed([*enumerate(request.previous)]) if cell is not None}
    kept = {at: cell for cell, at in first.items()}
    if len(kept) >= KEPT_PART * count:
        points = _beside_neighbours(kept, edges, count)
    else:
        kept = {at: kept[at] for at in request.pinned if at in kept}
        points = _force(edges, count, kept) if count <= FORCE_LIMIT else _districts(request.groups, edges, count)
    return _snap(points, kept, _by_degree(edges, count))


def _edges(request: LayoutRequest, count: int) -> NDArray[np.int64]:
    edges = np.array(request.edges, np.int64).reshape(-1, 2)
    if len(edges) and (edges.min() < 0 or edges.max() >= count):
        raise ValueError("an edge ends at something that is not on the map")
    return np.asarray(edges[edges[:, 0] != edges[:, 1]])


def _by_degree(edges: NDArray[np.int64], count: int) -> list[int]:
    degrees = np.bincount(edges.ravel(), minlength=count)
    return [int(at) for at in np.argsort(-degrees, kind="stable")]


# --- one by one ---------------------------------------------------------------------------------------------------


def _force(edges: NDArray[np.int64], count: int, pinned: dict[int, Cell]) -> Points:
    """Springs along the edges, repulsion between all (Fruchterman, Reingold 1991), from a spiral by degree."""
    points = _spiral(_by_degree(edges, count), count, ROOM).astype(np.float32)
    held = np.zeros(count, bool)
    for at, cell in pinned.items():
        points[at], held[at] = cell, True
    pull = np.zeros((count, count), np.float32)
    pull[edges[:, 0], edges[:, 1]] = pull[edges[:, 1], edges[:, 0]] = 1 / ROOM
    heat = ROOM * math.sqrt(count) / 4
    for _ in range(ROUNDS):
        x, y = (points[:, None, axis] - points[None, :, axis] for axis in (0, 1))
        distance = np.sqrt(x * x + y * y) + np.float32(1e-3)
        strength = ROOM**2 / (distance * distance) - pull * distance
        move = np.stack([(x * strength).sum(1), (y * strength).sum(1)], 1) - points * GRAVITY
        length = np.sqrt((move**2).sum(1)) + 1e-9
        step = move * (np.minimum(length, heat) / length)[:, None]
        step[held] = 0
        points = points + step
        heat = max(0.05, heat * 0.94)
    return points.astype(np.float64)


def _spiral(order: Sequence[int], count: int, room: float) -> Points:
    """Sunflower: the first in the middle, all with about the same room."""
    at = np.arange(count)
    radius = room * np.sqrt(at / math.pi)
    points = np.empty((count, 2))
    points[list(order)] = np.stack([radius * np.cos(at * _GOLDEN), radius * np.sin(at * _GOLDEN)], 1)
    return points


# --- community by community ---------------------------------------------------------------------------------------


def _districts(groups: Sequence[int], edges: NDArray[np.int64], count: int) -> Points:
    """Each community is a sunflower with its best connected in the middle; those that are connected lie together."""
    numbers = np.array(groups, np.int64)
    _, home = np.unique(numbers, return_inverse=True)
    sizes = np.bincount(home)
    centres = _centres(home[edges], sizes)
    order = _by_degree(edges, count)
    points = np.empty((count, 2))
    filled: Counter[int] = Counter()
    for at in order:
        group = int(home[at])
        number = filled[group]
        filled[group] += 1
        radius = 1.25 * math.sqrt(number / math.pi) * 1.1
        angle = number * _GOLDEN
        points[at] = centres[group] + (radius * math.cos(angle), radius * math.sin(angle))
    return points


def _centres(between: NDArray[np.int64], sizes: NDArray[np.int64]) -> Points:
    """Centres of districts: the largest first, each as near as it fits to those that it is connected with."""
    radii = 1.25 * np.sqrt(sizes / math.pi) * 1.15 + 1.2
    links: dict[int, Counter[int]] = {}
    for one, other in between.tolist():
        if one != other:
            links.setdefault(one, Counter())[other] += 1
            links.setdefault(other, Counter())[one] += 1
    placed: list[int] = []
    centres = np.zeros((len(sizes), 2))
    for group in np.argsort(-sizes, kind="stable").tolist():
        near = links.get(group, Counter())
        wanted = _middle([(centres[one], near[one]) for one in placed if one in near])
        centres[group] = _free_disc(wanted, float(radii[group]), centres[placed], radii[placed])
        placed.append(group)
    return centres


def _middle(places: Iterable[tuple[NDArray[np.float64], int]]) -> NDArray[np.float64]:
    total, weight = np.zeros(2), 0
    for place, count in places:
        total, weight = total + place * count, weight + count
    return total / weight if weight else total


def _free_disc(wanted: Points, radius: float, centres: Points, radii: Points) -> Points:
    """The place nearest to ``wanted``, on a spiral around it, where a disc overlaps none of the others."""
    if not len(centres):
        return wanted
    least = (radii + radius) ** 2
    for first in range(0, 40_000, 400):
        numbers = np.arange(first, first + 400)
        reach = 0.8 * radius**0.5 * np.sqrt(numbers)
        places = wanted + np.stack([reach * np.cos(numbers * _GOLDEN), reach * np.sin(numbers * _GOLDEN)], 1)
        gaps = ((places[:, None, :] - centres[None, :, :]) ** 2).sum(2)
        free = np.flatnonzero((gaps >= least).all(1))
        if len(free):
            return np.asarray(places[free[0]])
    return wanted


# --- what is new on a map, and cells ------------------------------------------------------------------------------


def _beside_neighbours(kept: dict[int, Cell], edges: NDArray[np.int64], count: int) -> Points:
    """What has a place keeps it; the rest goes to the middle of its placed neighbours, or to the edge of the map."""
    points = np.zeros((count, 2))
    has_place = np.zeros(count, bool)
    for at, cell in kept.items():
        points[at], has_place[at] = cell, True
    both = np.concatenate([edges, edges[:, ::-1]])
    for _ in range(4):
        open_ = both[~has_place[both[:, 0]] & has_place[both[:, 1]]]
        if not len(open_):
            break
        total = np.zeros((count, 2))
        np.add.at(total, open_[:, 0], points[open_[:, 1]])
        weight = np.bincount(open_[:, 0], minlength=count)
        found = weight > 0
        points[found] = total[found] / weight[found][:, None]
        has_place |= found
    lost = np.flatnonzero(~has_place)
    reach = float(np.abs(points[has_place]).max()) + ROOM if has_place.any() else 0.0
    points[lost] = np.stack([reach + ROOM * (lost % 7), reach + ROOM * (lost // 7 % 7)], 1)
    return points


def _snap(points: Points, kept: dict[int, Cell], order: Sequence[int]) -> tuple[Cell, ...]:
    """Each to the nearest free cell, the best connected first."""
    cells: dict[int, Cell] = dict(kept)
    taken = set(kept.values())
    for at in order:
        if at not in cells:
            cell = _free_cell(points[at], taken)
            cells[at] = cell
            taken.add(cell)
    return tuple(cells[at] for at in range(len(points)))


def _free_cell(point: Points, taken: set[Cell]) -> Cell:
    x, y = round(float(point[0])), round(float(point[1]))
    if (x, y) not in taken:
        return x, y
    reach = 1
    while True:
        ring = [(x + dx, y + dy) for dx in range(-reach, reach + 1) for dy in (-reach, reach)]
        ring += [(x + dx, y + dy) for dy in range(1 - reach, reach) for dx in (-reach, reach)]
        free = [cell for cell in ring if cell not in taken]
        if free:
            return min(free, key=lambda cell: ((cell[0] - point[0]) ** 2 + (cell[1] - point[1]) ** 2, cell))
        reach += 1
