"""What belongs together, what holds it together, and what is missing between: communities, bridges, gaps. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from engine.knowledge.graph import KnowledgeGraph
from engine.model import Relation

SEED = 7
"""Leiden moves nodes in random order; with a fixed seed the same graph gives the same communities."""
TRIALS = 3


@dataclass(frozen=True, slots=True)
class Community:
    members: tuple[str, ...]
    """Entity ids, the best connected inside first."""
    label: tuple[str, ...]
    """Names of its three best connected members."""
    inside: int
    """Relations between members."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """An entity that connects parts of the graph which would fall apart, or touch less, without it."""

    entity: str
    communities: tuple[int, ...]
    """Positions of the communities that it touches, its own first."""
    is_cut: bool
    """Without it the graph falls into more pieces."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Two communities with fewer relations between them than their sizes would make one expect."""

    first: int
    second: int
    expected: float
    actual: int


def communities(graph: KnowledgeGraph, resolution: float = 1.0, *, daily: bool = False) -> list[Community]:
    """Leiden communities of two or more (Traag, Waltman, van Eck 2019), largest first; entities without relations
    belong to none. Daily notes connect what happened on one day and are left out unless asked for."""
    from graspologic_native import leiden  # a native library, loaded when somebody asks

    weights = _weights(graph, daily)
    if not weights:
        return []
    edges = [(one, other, weight) for (one, other), weight in sorted(weights.items())]
    _, found = leiden(edges=edges, resolution=resolution, seed=SEED, trials=TRIALS)
    groups: dict[int, list[str]] = {}
    for entity, number in found.items():
        groups.setdefault(number, []).append(entity)
    made = [_community(graph, members) for members in groups.values() if len(members) > 1]
    return sorted(made, key=lambda one: (-len(one.members), one.label, one.members))


def bridges(graph: KnowledgeGraph, found: list[Community], count: int = 20) -> list[Bridge]:
    """Entities that touch several communities or whose loss cuts the graph; those that touch most first."""
    home = {entity: number for number, one in enumerate(found) for entity in one.members}
    cuts = _cut_entities(graph, home)
    made = []
    for entity, own in home.items():
        touched = Counter(home[other] for other in graph.neighbours(entity) if other in home)
        others = [number for number, _ in touched.most_common() if number != own]
        if others or entity in cuts:
            made.append(Bridge(entity, (own, *others), entity in cuts))
    made.sort(key=lambda one: (-len(one.communities), not one.is_cut, -graph.entities[one.entity].degree, one.entity))
    return made[:count]


def gaps(graph: KnowledgeGraph, found: list[Community], count: int = 20) -> list[Gap]:
    """Pairs of communities with the fewest relations against what chance would give them, widest first."""
    home = {entity: number for number, one in enumerate(found) for entity in one.members}
    between: Counter[tuple[int, int]] = Counter()
    degrees: Counter[int] = Counter()
    for relation in graph.relations:
        one, other = home.get(relation.subject), home.get(relation.object)
        if one is not None and other is not None:
            between[min(one, other), max(one, other)] += 1
            degrees.update((one, other))
    total = max(1, between.total())
    made = [
        Gap(one, other, degrees[one] * degrees[other] / (2 * total), between[one, other])
        for one, other in combinations(range(len(found)), 2)
    ]
    missing = [gap for gap in made if gap.actual < gap.expected]
    return sorted(missing, key=lambda gap: (gap.actual - gap.expected, gap.first, gap.second))[:count]


def _weights(graph: KnowledgeGraph, daily: bool) -> dict[tuple[str, str], float]:
    weights: dict[tuple[str, str], float] = {}
    for relation in _between_things(graph, daily):
        pair = min(relation.subject, relation.object), max(relation.subject, relation.object)
        weights[pair] = weights.get(pair, 0.0) + relation.confidence
    return {pair: weight for pair, weight in weights.items() if weight > 0}


def _between_things(graph: KnowledgeGraph, daily: bool) -> Iterable[Relation]:
    for relation in graph.relations:
        ends = (graph.entities[relation.subject], graph.entities[relation.object])
        if daily or not any(one.is_daily for one in ends):
            yield relation


def _community(graph: KnowledgeGraph, members: list[str]) -> Community:
    own = set(members)
    inside = Counter[str]()
    relations = 0
    for entity in members:
        for relation in graph.touching(entity):
            if relation.subject in own and relation.object in own:
                inside[entity] += 1
                relations += 1
    ordered = sorted(members, key=lambda one: (-inside[one], graph.entities[one].name, one))
    label = tuple(graph.entities[one].name for one in ordered[:3])
    return Community(tuple(ordered), label, relations // 2)


def _cut_entities(graph: KnowledgeGraph, home: dict[str, int]) -> set[str]:
    """Entities without which what is connected would fall apart."""
    import rustworkx  # a native library, loaded when somebody asks

    net = rustworkx.PyGraph(multigraph=False)
    ids = dict(zip(home, net.add_nodes_from(list(home)), strict=True))
    net.add_edges_from(
        [(ids[r.subject], ids[r.object], None) for r in graph.relations if r.subject in ids and r.object in ids]
    )
    return {str(net[node]) for node in rustworkx.articulation_points(net)}
