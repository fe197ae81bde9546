"""How entities are connected: shortest paths, several paths, what is near, what is a hub, what was said when. Pure.

Relations are walked in both directions. Of ways with equally many steps the one that says most comes first: relations
with a name of their own before mentions, through things that few others touch before hubs and tags. Every answer is in
a fixed order, so the same question gives the same answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from math import log2

from engine.knowledge.facts import MENTIONS
from engine.knowledge.graph import KnowledgeGraph
from engine.model import Evidence, Origin, Relation

MAX_HOPS = 8
_PLAIN = frozenset({MENTIONS, "tags", "tag"})
"""Predicates that say no more than that two things were put side by side."""
_PLAIN_COST = 2.0
_TAG_COST = 3.0
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
            between = [number for found, number in self.steps(one, (other,)) if found == other]
            hops.append(tuple(sorted(between, key=lambda number: (self.relation_cost(number), number))))
        return Path(entities, tuple(hops))

    def name(self, entity: str) -> str:
        return self._graph.entities[entity].name

    def cost(self, entities: tuple[str, ...]) -> float:
        """How little a way says: see the head of the module."""
        through = sum(self.entity_cost(one) for one in entities[1:-1])
        steps = (
            min(self.relation_cost(number) for found, number in self.steps(one, (other,)) if found == other)
            for one, other in pairwise(entities)
        )
        return through + sum(steps)

    def relation_cost(self, number: int) -> float:
        relation = self._graph.relations[number]
        return (_PLAIN_COST if relation.predicate in _PLAIN else 0.0) + 1.0 - relation.confidence

    def entity_cost(self, entity: str) -> float:
        """Of passing through it."""
        found = self._graph.entities[entity]
        return log2(1 + found.degree) + (_TAG_COST if found.type == "tag" else 0.0)


def shortest_paths(
    graph: KnowledgeGraph,
    start: str,
    end: str,
    count: int,
    chosen: RelationFilter = EVERYTHING,
    max_hops: int = MAX_HOPS,
) -> list[Path]:
    """Up to ``count`` different paths without loops, fewest hops first, of equally many the one that says most (Yen's
    algorithm, 1971)."""
    walker = _Walker(graph, chosen)
    first = _shortest(walker, start, end, max_hops, frozenset(), frozenset())
    found = [first] if first else []
    waiting: list[tuple[int, float, tuple[str, ...], tuple[str, ...]]] = []
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
                names = tuple(map(walker.name, candidate))
                heappush(waiting, (len(candidate), walker.cost(candidate), names, candidate))
        if not waiting:
            break
        found.append(heappop(waiting)[3])
    return [walker.path(one) for one in found]


def _shortest(
    walker: _Walker,
    start: str,
    end: str,
    max_hops: int,
    closed: frozenset[str],
    refused: frozenset[tuple[str, str]],
) -> tuple[str, ...]:
    """Breadth first from both ends, a whole level at a time, so that of several ways with the fewest hops the cheapest
    is taken. ``closed`` entities and the ``refused`` steps out of ``start`` are not taken."""
    if start == end:
        return (start,)
    sides = (_Side(start), _Side(end))
    for _ in range(max_hops):
        number = 0 if len(sides[0].edge) <= len(sides[1].edge) else 1
        mine, theirs = sides[number], sides[1 - number]
        reached: dict[str, tuple[float, str]] = {}
        for entity in mine.edge:
            so_far = mine.costs[entity] + (walker.entity_cost(entity) if mine.parents[entity] else 0.0)
            for other, relation in walker.steps(entity, (start, end)):
                step = (other, entity) if number else (entity, other)
                if other in mine.parents or other in closed or step in refused:
                    continue
                cost = so_far + walker.relation_cost(relation)
                if other not in reached or cost < reached[other][0]:
                    reached[other] = cost, entity
        mine.advance(reached)
        met = [other for other in reached if other in theirs.parents]
        if met:
            best = min(met, key=lambda one: (_meeting_cost(walker, sides, one), walker.name(one), one))
            return (*reversed(sides[0].trail(best)), *sides[1].trail(best)[1:])
        if not reached:
            return ()
    return ()


class _Side:
    """What was reached from one end."""

    def __init__(self, start: str) -> None:
        self.parents = {start: ""}
        self.costs = {start: 0.0}
        """Of the way from the end to each, without passing through it."""
        self.edge = [start]

    def advance(self, reached: dict[str, tuple[float, str]]) -> None:
        for one, (cost, parent) in reached.items():
            self.costs[one], self.parents[one] = cost, parent
        self.edge = list(reached)

    def trail(self, entity: str) -> list[str]:
        """From ``entity`` back to where the side began."""
        trail = [entity]
        while self.parents[trail[-1]]:
            trail.append(self.parents[trail[-1]])
        return trail


def _meeting_cost(walker: _Walker, sides: tuple[_Side, _Side], entity: str) -> float:
    is_between = all(side.parents[entity] for side in sides)
    return sum(side.costs[entity] for side in sides) + (walker.entity_cost(entity) if is_between else 0.0)


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
