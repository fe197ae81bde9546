"""How entities are connected: shortest paths, several paths, what is near, what is a hub, what was said when. Pure.

Relations are walked in both directions. Every answer is in a fixed order, so the same question gives the same answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

from engine.knowledge.graph import KnowledgeGraph
from engine.model import Evidence, Origin, Relation

MAX_HOPS = 8
ALL_ABOUT = frozenset[str]()


@dataclass(frozen=True, slots=True)
class RelationFilter:
    """Which relations and entities count. The defaults let everything through."""

    predicates: frozenset[str] = ALL_ABOUT
    """Only these; empty means all."""
    without: frozenset[str] = ALL_ABOUT
    """Predicates to leave out."""
    origin: Origin | None = None
    min_confidence: float = 0.0
    daily: bool = True
    """False: never through daily notes."""
    max_degree: int = 0
    """Never through entities with more relations than this; 0 means no limit. Ends of a path may have any number."""

    def allows(self, relation: Relation) -> bool:
        return (
            (not self.predicates or relation.predicate in self.predicates)
            and relation.predicate not in self.without
            and (self.origin is None or any(one.origin is self.origin for one in relation.evidence))
            and relation.confidence >= self.min_confidence
        )


EVERYTHING = RelationFilter()


@dataclass(frozen=True, slots=True)
class Path:
    """A way from the first entity to the last."""

    entities: tuple[str, ...]
    hops: tuple[tuple[int, ...], ...]
    """For each step the ids of all relations that make it; one fewer than the entities."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing said about an entity, with when."""

    at: float | None
    evidence: Evidence
    relation: int
    other: str


class _Walker:
    """Neighbours under a filter; hops already refused can be given."""

    def __init__(self, graph: KnowledgeGraph, chosen: RelationFilter) -> None:
        self._graph = graph
        self._filter = chosen

    def steps(self, entity: str, ends: Collection[str] = ()) -> Iterator[tuple[str, int]]:
        """(neighbour, relation id) in order of the relations."""
        graph, chosen = self._graph, self._filter
        for number in graph.adjacency.get(entity, ()):
            relation = graph.relations[number]
            other = relation.object if relation.subject == entity else relation.subject
            if (chosen is EVERYTHING or chosen.allows(relation)) and (other in ends or self._may_pass(other)):
                yield other, number

    def _may_pass(self, entity: str) -> bool:
        chosen = self._filter
        if chosen is EVERYTHING:
            return True
        found = self._graph.entities[entity]
        return (chosen.daily or not found.is_daily) and not 0 < chosen.max_degree < found.degree

    def path(self, entities: tuple[str, ...]) -> Path:
        hops = []
        for one, other in pairwise(entities):
            hops.append(tuple(number for found, number in self.steps(one, (other,)) if found == other))
        return Path(entities, tuple(hops))


def shortest_path(
    graph: KnowledgeGraph, start: str, end: str, chosen: RelationFilter = EVERYTHING, max_hops: int = MAX_HOPS
) -> Path | None:
    """A path with the fewest hops, or None when there is none of at most ``max_hops``."""
    walker = _Walker(graph, chosen)
    found = _shortest(walker, start, end, max_hops, frozenset(), frozenset())
    return walker.path(found) if found else None


def shortest_paths(
    graph: KnowledgeGraph,
    start: str,
    end: str,
    count: int,
    chosen: RelationFilter = EVERYTHING,
    max_hops: int = MAX_HOPS,
) -> list[Path]:
    """Up to ``count`` different paths without loops, fewest hops first (Yen's algorithm, 1971)."""
    walker = _Walker(graph, chosen)
    first = _shortest(walker, start, end, max_hops, frozenset(), frozenset())
    found = [first] if first else []
    waiting: list[tuple[int, int, tuple[str, ...]]] = []
    seen = set(found)
    while found and len(found) < count:
        last = found[-1]
        for at in range(len(last) - 1):
            root = last[: at + 1]
            refused = frozenset((one[at], one[at + 1]) for one in found if len(one) > at + 1 and one[: at + 1] == root)
            spur = _shortest(walker, last[at], end, max_hops - at, frozenset(root[:-1]), refused)
            candidate = root[:-1] + spur if spur else ()
            if candidate and candidate not in seen:
                seen.add(candidate)
                heappush(waiting, (len(candidate), len(seen), candidate))
        if not waiting:
            break
        found.append(heappop(waiting)[2])
    return [walker.path(one) for one in found]


def _shortest(
    walker: _Walker,
    start: str,
    end: str,
    max_hops: int,
    closed: frozenset[str],
    refused: frozenset[tuple[str, str]],
) -> tuple[str, ...]:
    """Breadth first from both ends. ``closed`` entities and the ``refused`` steps out of ``start`` are not taken."""
    if start == end:
        return (start,)
    sides: tuple[dict[str, str], dict[str, str]] = ({start: ""}, {end: ""})
    edges = [[start], [end]]
    for _ in range(max_hops):
        side = 0 if len(edges[0]) <= len(edges[1]) else 1
        mine, theirs = sides[side], sides[1 - side]
        reached: list[str] = []
        meeting = ""
        for entity in edges[side]:
            for other, _number in walker.steps(entity, (start, end)):
                step = (other, entity) if side else (entity, other)
                if other in mine or other in closed or step in refused:
                    continue
                mine[other] = entity
                if other in theirs:
                    meeting = other
                    break
                reached.append(other)
            if meeting:
                return (*reversed(_trail(sides[0], meeting)), *_trail(sides[1], meeting)[1:])
        if not reached:
            return ()
        edges[side] = reached
    return ()


def _trail(parents: dict[str, str], entity: str) -> list[str]:
    """From ``entity`` back to where its side began."""
    trail = [entity]
    while parents[trail[-1]]:
        trail.append(parents[trail[-1]])
    return trail


def around(
    graph: KnowledgeGraph, start: str, hops: int, chosen: RelationFilter = EVERYTHING, limit: int = 0
) -> dict[str, int]:
    """Entities within ``hops`` of one, with their distance, nearest first; at most ``limit`` when it is given."""
    walker = _Walker(graph, chosen)
    found = {start: 0}
    edge = [start]
    for distance in range(1, hops + 1):
        reached: list[str] = []
        for entity in edge:
            for other, _number in walker.steps(entity):
                if other not in found:
                    if limit and len(found) >= limit:
                        return found
                    found[other] = distance
                    reached.append(other)
        edge = reached
    return found


def hubs(graph: KnowledgeGraph, count: int, *, daily: bool = False) -> list[tuple[str, int]]:
    """(entity, number of different neighbours) of those with the most, daily notes aside unless asked for."""
    ranked = [
        (one.id, len({graph.other(relation, one.id) for relation in graph.touching(one.id)}))
        for one in graph.entities.values()
        if daily or not one.is_daily
    ]
    ranked.sort(key=lambda item: (-item[1], graph.entities[item[0]].name, item[0]))
    return ranked[:count]


def timeline(graph: KnowledgeGraph, entity: str) -> list[Moment]:
    """All that is said about an entity, oldest first; what has no date comes last."""
    moments = [
        Moment(evidence.at, evidence, relation.id, graph.other(relation, entity))
        for relation in graph.touching(entity)
        for evidence in relation.evidence
    ]
    return sorted(moments, key=lambda one: (one.at is None, one.at or 0.0, one.relation, one.evidence.quote))
