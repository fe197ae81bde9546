"""Paths, neighbours, hubs, communities and timelines over small graphs whose answers are known."""

from __future__ import annotations

import random

import pytest
import rustworkx

from engine.knowledge.communities import bridges, communities, gaps
from engine.knowledge.facts import Fact, NameKind, Naming, Thing, thing
from engine.knowledge.graph import KnowledgeGraph, assemble
from engine.knowledge.paths import (
    EVERYTHING,
    Path,
    RelationFilter,
    _Walker,
    around,
    hubs,
    shortest_paths,
    timeline,
)
from engine.model import Anchor, Evidence, NoteKey, Origin, SourceId

SOURCE = SourceId("s")
KEY = NoteKey("n.md")


def node(name: str) -> Thing:
    return thing(SOURCE, "page", name)


def fact(line: str, *, origin: Origin = Origin.WRITTEN, confidence: float = 1.0, at: float | None = None) -> Fact:
    subject, predicate, object_ = line.split()
    model = "m" if origin is Origin.INFERRED else ""
    evidence = Evidence(SOURCE, KEY, Anchor(KEY), line, origin, confidence, model, model, at)
    return Fact(node(subject), predicate, node(object_), evidence)


def graph_of(*facts: str | Fact, days: dict[str, bool] | None = None) -> KnowledgeGraph:
    made = [fact(one) if isinstance(one, str) else one for one in facts]
    things = {one.id: one for f in made for one in (f.subject, f.object)}
    return assemble(things.values(), [], made, is_daily_name=days)


def spelled(graph: KnowledgeGraph, ids: tuple[str, ...]) -> str:
    return " ".join(graph.entities[one].name for one in ids)


def shortest_path(
    graph: KnowledgeGraph, start: str, end: str, chosen: RelationFilter = EVERYTHING, **more: int
) -> Path | None:
    return next(iter(shortest_paths(graph, start, end, 1, chosen, **more)), None)


def way(graph: KnowledgeGraph, start: str, end: str, **chosen: object) -> str:
    found = shortest_path(graph, node(start).id, node(end).id, RelationFilter(**chosen))  # type: ignore[arg-type]
    return spelled(graph, found.entities) if found else ""


DIAMOND = graph_of(
    "a knows b", "b knows d", "a likes c", "c likes d", "d knows e", "a far x", "x far y", "y far z", "z far e"
)


def test_the_shortest_path_names_its_relations() -> None:
    found = shortest_path(DIAMOND, node("a").id, node("e").id)
    assert found is not None
    assert spelled(DIAMOND, found.entities) == "a b d e"
    assert [[DIAMOND.relations[n].predicate for n in hop] for hop in found.hops] == [["knows"]] * 3


def test_several_paths_come_shortest_first_and_differ() -> None:
    found = shortest_paths(DIAMOND, node("a").id, node("d").id, 10)
    assert [spelled(DIAMOND, one.entities) for one in found] == ["a b d", "a c d", "a x y z e d"]


SHARED = [
    *("a mentions hub", "z mentions hub", "a mentions b", "b mentions z", "a knows m", "m knows z"),
    *(f"other{number} mentions hub" for number in range(30)),
]


def test_of_equally_short_paths_the_one_that_says_most_comes_first() -> None:
    graph = graph_of(*SHARED, "a tags t", "z tags t")
    found = shortest_paths(graph, node("a").id, node("z").id, 10)
    assert [spelled(graph, one.entities) for one in found[:4]] == ["a m z", "a b z", "a t z", "a hub z"]
    for start, end in (("a", "z"), ("z", "a")):
        best = shortest_path(graph, node(start).id, node(end).id)
        assert best is not None
        assert spelled(graph, best.entities) == f"{start} m {end}"


def test_a_shared_tag_comes_after_a_shared_note() -> None:
    tag = thing(SOURCE, "tag", "a-tag")
    facts = [fact("a mentions b"), fact("b mentions z")]
    facts += [Fact(node(end), "mentions", tag, facts[0].evidence) for end in ("a", "z")]
    graph = assemble([node("a"), node("b"), node("z"), tag], [], facts)
    found = shortest_paths(graph, node("a").id, node("z").id, 2)
    assert [spelled(graph, one.entities) for one in found] == ["a b z", "a a-tag z"]


def test_a_specific_detour_never_beats_a_shorter_way() -> None:
    graph = graph_of(*SHARED[:2], *SHARED[6:], "a knows p", "p knows q", "q knows z")
    assert way(graph, "a", "z") == "a hub z"


def test_of_two_relations_between_the_same_things_the_named_one_comes_first() -> None:
    graph = graph_of("a mentions b", "b built a")
    found = shortest_path(graph, node("a").id, node("b").id)
    assert found is not None
    assert [graph.relations[number].predicate for number in found.hops[0]] == ["built", "mentions"]


def test_the_first_of_the_shortest_paths_is_the_cheapest_of_all_of_them() -> None:
    rng = random.Random(5)
    for _ in range(40):
        lines = {f"n{rng.randrange(14)} {rng.choice(('mentions', 'knows'))} n{rng.randrange(14)}" for _ in range(34)}
        graph = graph_of(*sorted(line for line in lines if line.split()[0] != line.split()[2]), "n0 knows n1")
        ends = node("n0").id, node("n13").id
        if not all(end in graph.entities for end in ends):
            continue
        every = shortest_paths(graph, *ends, 200)
        first = shortest_path(graph, *ends)
        assert (first is None) == (not every)
        if first is not None:
            walker = _Walker(graph, EVERYTHING)
            shortest = [one for one in every if len(one.entities) == len(first.entities)]
            assert walker.cost(first.entities) == pytest.approx(min(walker.cost(one.entities) for one in shortest))
            keys = [(len(one.entities), round(walker.cost(one.entities), 9)) for one in every]
            assert keys == sorted(keys)


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, "a b d"),
        ({"predicates": frozenset({"likes"})}, "a c d"),
        ({"without": frozenset({"knows", "likes"})}, ""),
        ({"min_confidence": 2.0}, ""),
        ({"origin": Origin.WRITTEN}, "a b d"),
        ({"origin": Origin.INFERRED}, ""),
    ],
)
def test_filters_decide_which_relations_count(chosen: dict[str, object], expected: str) -> None:
    assert way(DIAMOND, "a", "d", **chosen) == expected


def test_hubs_and_daily_notes_can_be_gone_around() -> None:
    graph = graph_of(
        "a in hub", "b in hub", "c in hub", "d in hub", "a to m", "m to b", "a on day", "day on b", days={"day": True}
    )
    assert way(graph, "a", "b", max_degree=3, daily=False) == "a m b"
    assert way(graph, "a", "b", predicates=frozenset({"on"}), daily=False) == ""
    assert way(graph, "a", "b", predicates=frozenset({"on"})) == "a day b"
    assert way(graph, "a", "hub", max_degree=1, daily=False) == "a hub"


def test_paths_end_where_they_begin_or_nowhere() -> None:
    a = node("a").id
    found = shortest_path(DIAMOND, a, a)
    assert found is not None
    assert (found.entities, found.hops) == ((a,), ())
    assert shortest_path(graph_of("a to b", "c to d"), a, node("d").id) is None
    assert shortest_path(DIAMOND, a, node("e").id, max_hops=2) is None


def test_path_lengths_agree_with_another_implementation() -> None:
    rng = random.Random(4)
    lines = [f"n{rng.randrange(60)} to n{rng.randrange(60)}" for _ in range(110)]
    graph = graph_of(*(line for line in lines if line.split()[0] != line.split()[2]))
    net = rustworkx.PyGraph(multigraph=False)
    index = dict(zip(graph.entities, net.add_nodes_from(list(graph.entities)), strict=True))
    net.add_edges_from([(index[r.subject], index[r.object], 1.0) for r in graph.relations])
    for start in list(graph.entities)[:12]:
        lengths = dict(rustworkx.dijkstra_shortest_path_lengths(net, index[start], float).items())
        for end in graph.entities:
            found = shortest_path(graph, start, end, max_hops=60)
            expected = 0.0 if start == end else lengths.get(index[end])
            assert (len(found.hops) if found else None) == expected


def test_what_is_near_comes_with_its_distance() -> None:
    found = around(DIAMOND, node("a").id, 2)
    assert {DIAMOND.entities[one].name: hops for one, hops in found.items()} == {
        "a": 0, "b": 1, "c": 1, "x": 1, "d": 2, "y": 2,
    }  # fmt: skip
    assert len(around(DIAMOND, node("a").id, 3, limit=4)) == 4
    assert [DIAMOND.entities[one].name for one in DIAMOND.neighbours(node("a").id)] == ["b", "c", "x"]


def test_hubs_have_the_most_neighbours() -> None:
    days = ["day to a", "day to b", "day to c", "day to d", "day to e"]
    graph = graph_of("a to b", "a likes b", "a to c", "d to a", *days, days={"day": True})
    assert [(graph.entities[one].name, count) for one, count in hubs(graph, 1)] == [("a", 4)]
    assert [graph.entities[one].name for one, _ in hubs(graph, 1, daily=True)] == ["day"]


def test_a_timeline_is_in_order_of_dates() -> None:
    graph = graph_of(fact("a then b", at=20.0), fact("a first c", at=10.0), fact("d never a"), fact("b x c", at=5.0))
    assert [(one.at, graph.entities[one.other].name) for one in timeline(graph, node("a").id)] == [
        (10.0, "c"), (20.0, "b"), (None, "d"),
    ]  # fmt: skip


def cliques() -> KnowledgeGraph:
    lines = [f"{side}{i} to {side}{j}" for side in "pq" for i in range(6) for j in range(i)]
    return graph_of(*lines, "p0 to q0")


def test_communities_bridges_and_gaps() -> None:
    graph = cliques()
    found = communities(graph)
    assert [len(one.members) for one in found] == [6, 6]
    assert [{graph.entities[m].name[0] for m in one.members} for one in found] in ([{"p"}, {"q"}], [{"q"}, {"p"}])
    assert [one.inside for one in found] == [15, 15]
    assert communities(graph) == found
    assert {graph.entities[one.entity].name for one in bridges(graph, found)} == {"p0", "q0"}
    assert all(one.is_cut for one in bridges(graph, found))
    (gap,) = gaps(graph, found)
    assert gap.actual == 1
    assert gap.expected > 5


def test_an_empty_graph_has_no_communities() -> None:
    assert communities(assemble([], [], [])) == []


def test_the_graph_is_found_by_name_alias_and_case() -> None:
    evidence = Evidence(SOURCE, KEY, Anchor(KEY), "x", Origin.WRITTEN)
    names = [Naming(node("Bo"), "Robert", NameKind.ALIAS, evidence), Naming(node("Bo"), "Bo", NameKind.TITLE, evidence)]
    graph = assemble([node("Bo"), node("bo"), node("nobody")], names, [fact("Bo knows bo")])
    assert [one.name for one in graph.find("Robert")] == ["Bo"]
    assert [one.name for one in graph.find("bo")] == ["bo"]
    assert [one.name for one in graph.find("BO")] == ["Bo", "bo"]
    assert graph.find("nobody") == []
    assert graph.entities[node("Bo").id].notes == ((SOURCE, KEY),)


def test_a_relation_gathers_its_evidence_written_first() -> None:
    graph = graph_of(fact("a knows b", origin=Origin.INFERRED, confidence=0.6), fact("a knows b"))
    (relation,) = graph.relations
    assert [one.origin for one in relation.evidence] == [Origin.WRITTEN, Origin.INFERRED]
    assert (relation.origin, relation.confidence) == (Origin.WRITTEN, 1.0)
