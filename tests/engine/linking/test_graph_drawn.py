"""The graph as a window draws it: plain values with communities, and the ways between two entities."""

from __future__ import annotations

from engine.knowledge.facts import Fact, thing
from engine.knowledge.graph import KnowledgeGraph, assemble
from engine.linking.view import graph_view, routes
from engine.model import Anchor, Evidence, NoteKey, Origin, SourceId

SOURCE = SourceId("reef")


def graph_of(*pairs: tuple[str, str, Origin]) -> KnowledgeGraph:
    facts = []
    for one, other, origin in pairs:
        note = NoteKey(one)
        proof = Evidence(SOURCE, note, Anchor(note), f"{one} and {other}", origin)
        facts.append(Fact(thing(SOURCE, "page", one), "mentions", thing(SOURCE, "page", other), proof))
    ends = {end.id: end for fact in facts for end in (fact.subject, fact.object)}
    return assemble(ends.values(), [], facts)


def triangle(*names: str) -> list[tuple[str, str, Origin]]:
    one, two, three = names
    return [(one, two, Origin.WRITTEN), (two, three, Origin.WRITTEN), (three, one, Origin.WRITTEN)]


TWO_ISLANDS = graph_of(*triangle("a", "b", "c"), *triangle("x", "y", "z"), ("c", "x", Origin.INFERRED))


def test_the_view_holds_every_entity_and_relation_by_number() -> None:
    view = graph_view(TWO_ISLANDS)
    assert [one.name for one in view.entities] == ["a", "b", "c", "x", "y", "z"]
    assert [one.id for one in view.relations] == list(range(7))


def test_what_is_closely_joined_is_one_community_with_a_label() -> None:
    view = graph_view(TWO_ISLANDS)
    groups = dict(zip((one.name for one in view.entities), view.communities, strict=True))
    assert groups["a"] == groups["b"] == groups["c"] != groups["x"] == groups["y"] == groups["z"]
    assert len(view.community_labels) == 2
    assert set(view.community_labels[groups["a"]].split(" · ")) <= {"a", "b", "c"}


def ids(*names: str) -> list[str]:
    return [TWO_ISLANDS.find(name)[0].id for name in names]


def test_routes_are_the_shortest_first_and_of_every_origin() -> None:
    start, end = ids("a", "z")
    found = routes(TWO_ISLANDS, start, end, 3)
    assert found[0].entities == tuple(ids("a", "c", "x", "z"))
    assert [len(route.hops) for route in found] == sorted(len(route.hops) for route in found)
    middle = TWO_ISLANDS.relations[found[0].hops[1][0]]
    assert middle.origin is Origin.INFERRED
    assert all(len(route.hops) == len(route.entities) - 1 for route in found)


def test_there_is_no_route_to_oneself_or_to_what_is_not_there() -> None:
    (start,) = ids("a")
    assert routes(TWO_ISLANDS, start, start, 3) == ()
    assert routes(TWO_ISLANDS, start, "nobody", 3) == ()
    apart = graph_of(("a", "b", Origin.WRITTEN), ("x", "y", Origin.WRITTEN))
    assert routes(apart, apart.find("a")[0].id, apart.find("x")[0].id, 3) == ()


def test_an_empty_graph_is_an_empty_view() -> None:
    view = graph_view(assemble([], [], []))
    assert (view.entities, view.relations, view.communities, view.community_labels) == ((), (), (), ())
