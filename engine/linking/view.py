"""The graph as the window draws it: the same facts as plain values, and the ways between two entities."""

from __future__ import annotations

from engine.knowledge.communities import communities
from engine.knowledge.graph import KnowledgeGraph
from engine.knowledge.paths import shortest_paths
from engine.model import GraphView, Route


def graph_view(graph: KnowledgeGraph) -> GraphView:
    """All entities and relations, with the community of each entity."""
    found = communities(graph)
    home = {member: number for number, one in enumerate(found) for member in one.members}
    return GraphView(
        tuple(graph.entities.values()),
        graph.relations,
        tuple(home.get(one, -1) for one in graph.entities),
        tuple(" · ".join(one.label) for one in found),
    )


def routes(graph: KnowledgeGraph, start: str, end: str, count: int) -> tuple[Route, ...]:
    """Up to ``count`` ways, fewest steps first; of every origin, whatever a map shows. Ids that are not in the graph
    have none."""
    if start not in graph.entities or end not in graph.entities or start == end:
        return ()
    return tuple(Route(path.entities, path.hops) for path in shortest_paths(graph, start, end, count))
