"""Which entities become one: what rules do, what a model may do, what only the owner does; and that it holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.errors import BadRequest, RetryError
from engine.job import Job
from engine.knowledge.graph import KnowledgeGraph
from engine.knowledge.merging import Card, EntryKind, Verdict, Who
from engine.linking import ledger
from engine.linking.graph import load_graph
from engine.linking.parse import parse_source
from engine.linking.resolve import ResolveReport, resolve
from engine.store.decisions import DecisionStore

GOLD = Path(__file__).resolve().parents[3] / "fixtures" / "demo" / "gold.json"


def run(opened: Any, decisions: DecisionStore, **more: Any) -> ResolveReport:
    return resolve(opened, decisions, Job(), **more)


def parsed(*opened: Any) -> list[Any]:
    for source, store in opened:
        parse_source(store, source, Job())
    return list(opened)


def together(opened: Any, decisions: DecisionStore, *names: str) -> bool:
    graph = load_graph(opened, decisions.merges())
    return len({one.id for name in names for one in graph.find(name)}) == 1


def page(title: str, *strings: str) -> dict[str, Any]:
    children = [{"string": text, "uid": f"{title[:4]}-{number:04d}"} for number, text in enumerate(strings)]
    return {"title": title, "uid": f"{title[:9]:x<9}", "children": children}


def test_equal_titles_of_two_sources_are_one(desk: Any, decisions: DecisionStore) -> None:
    opened = parsed(desk.vault("v", {"Bo Lee.md": "x [[Oil]]"}), desk.graph("g", [page("Bo Lee", "y [[Tin]]")]))
    report = run(opened, decisions)
    assert [(e.who, e.why, [m.name for m in e.members]) for e in report.added] == [
        (Who.RULE, "exact", ["Bo Lee", "Bo Lee"])
    ]
    graph = load_graph(opened, decisions.merges())
    (bo,) = graph.find("Bo Lee")
    assert {graph.entities[one].name for one in graph.neighbours(bo.id)} == {"Oil", "Tin"}
    assert len(bo.sources) == len(bo.notes) == 2


def test_titles_are_never_merged_by_case_nor_within_one_source(desk: Any, decisions: DecisionStore) -> None:
    vault = desk.vault("v", {"Plan.md": "[[x/Plan]]", "x/Plan.md": "1", "y.md": "[[plan b]] [[Plan B]]"})
    graph = desk.graph("g", [page("Kanban", "[[kanban]]"), page("kanban", "y")])
    report = run(parsed(vault, graph), decisions)
    assert report.added == ()
    assert any({ref.name for ref in one.members} == {"Kanban", "kanban"} for one in report.proposals)


def test_an_alias_joins_what_goes_by_it(desk: Any, decisions: DecisionStore) -> None:
    files = {"Henrik.md": "---\naliases: [Dad]\n---\nx", "A.md": "[[Dad]] came", "Al.md": "---\naliases: [Bee]\n---\n"}
    files |= {
        "Bee.md": "a note of its own",
        "C.md": "---\naliases: [Twin]\n---\n",
        "D.md": "---\naliases: [Twin]\n---\n",
    }
    opened = parsed(desk.vault("v", files | {"E.md": "[[Twin]]"}))
    report = run(opened, decisions)
    assert [(e.why, [m.name for m in e.members], e.evidence) for e in report.added] == [
        ("alias", ["Henrik", "Dad"], ("Dad",))
    ]


def test_a_second_run_changes_nothing(demo: Any, decisions: DecisionStore) -> None:
    run(demo, decisions)
    before = decisions.merges()
    again = run(demo, decisions)
    assert (again.added, again.withdrawn) == ((), ())
    assert decisions.merges() == before


def test_a_preview_writes_nothing_and_says_the_same(demo: Any, decisions: DecisionStore) -> None:
    shown = run(demo, decisions, preview=True)
    assert decisions.merges() == []
    done = run(demo, decisions)
    assert [e.key for e in shown.added] == [e.key for e in done.added]
    assert shown.merged == done.merged > 20


def test_a_merge_whose_reason_is_gone_is_withdrawn(desk: Any, decisions: DecisionStore) -> None:
    vault = desk.vault("v", {"Henrik.md": "---\naliases: [Dad]\n---\nx", "A.md": "[[Dad]] came"})
    run(parsed(vault), decisions)
    (desk.folder / "v" / "Henrik.md").write_text("no alias now", encoding="utf-8")
    desk.index(vault)
    report = run(parsed(vault), decisions)
    assert [entry.why for entry in report.withdrawn] == ["alias"]
    assert decisions.merges() == []


# --- a model ------------------------------------------------------------------------------------------------------


def by_gold(cards: Sequence[Card]) -> Verdict:
    """A model that is always right about the demo."""
    gold = json.loads(GOLD.read_text("utf-8"))["resolution"]
    groups = [[c.label for c in cards if {c.label, *c.aliases} & set(names)] for names in gold]
    return Verdict(tuple(tuple(group) for group in groups if group), "m", "resolve/1", "gold says so")


def test_a_model_sorts_what_is_ambiguous_once(demo: Any, decisions: DecisionStore) -> None:
    asked: list[Sequence[Card]] = []

    def arbitrate(cards: Sequence[Card]) -> Verdict:
        asked.append(cards)
        return by_gold(cards)

    report = run(demo, decisions, arbitrate=arbitrate)
    judged = [entry for entry in report.added if entry.who is Who.MODEL]
    assert any({ref.name for ref in entry.members} == {"Memory", "memory"} for entry in judged)
    assert all((entry.model, entry.prompt_version, entry.why) == ("m", "resolve/1", "gold says so") for entry in judged)
    assert all(2 <= len(cards) <= 25 and len({c.label for c in cards}) == len(cards) for cards in asked)
    assert any(card.quotes for cards in asked for card in cards)
    again = run(demo, decisions, arbitrate=arbitrate)
    assert (again.added, again.withdrawn) == ((), ())
    without = run(demo, decisions)
    assert (without.added, without.withdrawn) == ((), ())


def test_a_failing_model_leaves_things_apart(demo: Any, decisions: DecisionStore) -> None:
    def arbitrate(cards: Sequence[Card]) -> Verdict:
        raise RetryError("The model does not answer.")

    report = run(demo, decisions, arbitrate=arbitrate)
    assert {entry.who for entry in report.added} == {Who.RULE}
    assert report.failed == ("The model does not answer.",) * report.asked
    assert len(report.proposals) == report.asked > 3


def test_invented_and_doubled_names_of_a_verdict_count_for_nothing(demo: Any, decisions: DecisionStore) -> None:
    def arbitrate(cards: Sequence[Card]) -> Verdict:
        first = cards[0].label
        return Verdict(((first, "Somebody else"), (first, first)), "m", "1")

    assert {entry.who for entry in run(demo, decisions, arbitrate=arbitrate).added} == {Who.RULE}


def test_the_demo_is_resolved_as_its_gold_says(demo: Any, decisions: DecisionStore) -> None:
    """Rules merge nothing that is two things; names that gold calls one are one, or were put to the model."""
    report = run(demo, decisions)
    graph = load_graph(demo, decisions.merges())
    groups = json.loads(GOLD.read_text("utf-8"))["resolution"]
    homes = [
        {one.id for name in names for one in graph.find(name) if name in (one.name, *one.aliases)} for names in groups
    ]
    assert not any(first & second for i, first in enumerate(homes) for second in homes[:i])
    put = [{ref.id for ref in proposal.members} for proposal in report.proposals]
    missed = [
        names for names, ids in zip(groups, homes, strict=True) if len(ids) > 1 and not any(ids <= p for p in put)
    ]
    assert missed == []


# --- the owner ----------------------------------------------------------------------------------------------------


@pytest.fixture
def pair(desk: Any, decisions: DecisionStore) -> list[Any]:
    opened = parsed(
        desk.vault("v", {"Bo Lee.md": "[[Oil]]", "B. Lee.md": "[[Wick]]"}), desk.graph("g", [page("Bo Lee", "[[Tin]]")])
    )
    run(opened, decisions)
    return opened


def whole(opened: Any, decisions: DecisionStore) -> KnowledgeGraph:
    return load_graph(opened, decisions.merges())


def test_the_owner_merges_and_undoes(pair: Any, decisions: DecisionStore) -> None:
    before = whole(pair, decisions)
    entry = ledger.decide(pair, decisions, EntryKind.MERGE, ["Bo Lee", "B. Lee"], "I know him")
    assert (entry.who, entry.why) == (Who.OWNER, "I know him")
    assert together(pair, decisions, "Bo Lee", "B. Lee")
    ledger.undo(decisions, entry.id)
    assert whole(pair, decisions) == before
    ledger.undo(decisions, entry.id, redo=True)
    assert together(pair, decisions, "Bo Lee", "B. Lee")


def test_the_owner_splits_and_no_rule_joins_again(pair: Any, decisions: DecisionStore) -> None:
    before = whole(pair, decisions)
    entry = ledger.decide(pair, decisions, EntryKind.SPLIT, ["g:Bo Lee"])
    assert not together(pair, decisions, "Bo Lee")
    for _ in range(2):
        run(pair, decisions)
        assert not together(pair, decisions, "Bo Lee")
    ledger.undo(decisions, entry.id)
    run(pair, decisions)
    assert whole(pair, decisions) == before


def test_never_holds_against_a_model(pair: Any, decisions: DecisionStore) -> None:
    ledger.decide(pair, decisions, EntryKind.APART, ["Bo Lee", "B. Lee"])
    everything = lambda cards: Verdict((tuple(card.label for card in cards),), "m", "1")  # noqa: E731
    run(pair, decisions, arbitrate=everything)
    assert not together(pair, decisions, "Bo Lee", "B. Lee")


def test_undoing_a_rule_keeps_it_from_coming_back(pair: Any, decisions: DecisionStore) -> None:
    (entry,) = decisions.merges()
    ledger.undo(decisions, entry.id)
    assert run(pair, decisions).added == ()
    assert not together(pair, decisions, "Bo Lee")


def test_decisions_survive_a_new_index_and_a_new_start(desk: Any, decisions: DecisionStore, tmp_path: Path) -> None:
    vault = desk.vault("v", {"Bo Lee.md": "x", "B. Lee.md": "y"})
    opened = parsed(vault)
    ledger.decide(opened, decisions, EntryKind.MERGE, ["Bo Lee", "B. Lee"])
    vault[1].graph.clear()
    parsed(vault)
    decisions.close()
    reopened = DecisionStore.open(tmp_path / "decisions.duckdb")
    run(opened, reopened)
    assert together(opened, reopened, "Bo Lee", "B. Lee")
    reopened.forget_source(vault[0].id)
    assert reopened.merges() == []
    reopened.close()


@pytest.mark.parametrize(
    ("kind", "names", "says"),
    [
        (EntryKind.MERGE, ["Bo Lee"], "two different"),
        (EntryKind.MERGE, ["Bo Lee", "Nobody"], "no entity"),
        (EntryKind.SPLIT, ["B. Lee"], "not merged"),
        (EntryKind.APART, ["Oil", "oil"], "two different"),
    ],
)
def test_what_cannot_be_decided_says_why(
    pair: Any, decisions: DecisionStore, kind: EntryKind, names: list[str], says: str
) -> None:
    with pytest.raises(BadRequest, match=says):
        ledger.decide(pair, decisions, kind, names)


def test_there_is_nothing_to_undo_under_an_unknown_number(decisions: DecisionStore) -> None:
    with pytest.raises(BadRequest, match="no entry 7"):
        ledger.undo(decisions, 7)
