"""The measures of a graph, against values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.knowledge import metrics
from engine.knowledge.facts import Fact, NameKind, Naming, thing
from engine.knowledge.graph import assemble
from engine.model import Anchor, Citation, Evidence, GraphAnswer, NoteKey, Origin, Sentence, SourceId

SOURCE = SourceId("v")
A, B, C = (thing(SOURCE, "page", name) for name in ("A", "B", "C"))


def evidence(origin: Origin = Origin.WRITTEN, quote: str = "words") -> Evidence:
    return Evidence(SOURCE, NoteKey("n"), Anchor(NoteKey("n")), quote, origin)


@pytest.mark.parametrize(
    ("name", "plain"),
    [("O. Bell", "o bell"), ("O.Bell ", "o bell"), ("sugar-roll  Test", "sugar roll test"), ("GROSSE", "grosse")],
)
def test_names_are_compared_in_a_plain_form(name: str, plain: str) -> None:
    assert metrics.plain_name(name) == plain


@pytest.mark.parametrize(
    ("found", "gold", "expected"),
    [
        ({1, 2, 3}, {2, 3, 4, 5}, (0.6667, 0.5, 0.5714, 2, 1, 2)),
        (set(), {1}, (1.0, 0.0, 0.0, 0, 0, 1)),
        ({1}, set(), (0.0, 1.0, 0.0, 0, 1, 0)),
        (set(), set(), (1.0, 1.0, 1.0, 0, 0, 0)),
    ],
)
def test_precision_and_recall(found: set[object], gold: set[object], expected: tuple[float, ...]) -> None:
    value = metrics.score(found, gold)
    assert expected == (
        value.precision, value.recall, value.f1, value.true_positives, value.false_positives, value.false_negatives
    )  # fmt: skip


def test_ends_alone_have_no_direction() -> None:
    assert metrics.without_predicate([("a", "p", "b"), ("b", "q", "a")]) == {frozenset("ab")}


@pytest.mark.parametrize(
    ("found", "gold", "over", "missed"),
    [
        ([["a", "b", "c"]], [["a", "b"], ["c"]], 0.6667, 0.0),
        ([["a"], ["b"], ["c"]], [["a", "b", "c"]], 0.0, 1.0),
        ([["a", "b"], ["c", "d"]], [["a", "b", "c"], ["d"]], 0.5, 0.6667),
        ([["a", "b"]], [["b", "a"]], 0.0, 0.0),
    ],
)
def test_merges_are_measured_by_pairs(
    found: list[list[str]], gold: list[list[str]], over: float, missed: float
) -> None:
    value = metrics.resolution(found, gold)
    assert (value.over_merge_rate, value.missed_merge_rate) == (over, missed)
    assert value.total_groups == len(found)
    assert value.singleton_groups == sum(len(group) == 1 for group in found)


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=4), max_size=5))
def test_what_equals_the_labels_has_no_faults(groups: list[list[str]]) -> None:
    value = metrics.resolution(groups, groups)
    assert (value.over_merge_rate, value.missed_merge_rate) == (0.0, 0.0)


def test_every_missing_quote_lowers_the_coverage() -> None:
    whole = Fact(A, "p", B, evidence())
    bare = Fact(B, "q", C, evidence(Origin.INFERRED, "  "))
    named = Naming(C, "C", NameKind.TITLE, evidence())
    assert metrics.provenance([A, B], [], [whole]) == metrics.Provenance(1.0, 1.0, 1.0)
    assert metrics.provenance([A, B, C], [], [whole, bare]) == metrics.Provenance(0.6667, 0.5, 0.0)
    assert metrics.provenance([A, B, C], [named], [whole]).node_coverage == 1.0
    assert metrics.provenance([], [], []) == metrics.Provenance(1.0, 1.0, 1.0)


def test_links_and_inferences_are_compared_without_direction() -> None:
    facts = [
        Fact(A, "mentions", B, evidence()),
        Fact(B, "knows", A, evidence(Origin.INFERRED)),
        Fact(A, "knows", C, evidence(Origin.INFERRED)),
    ]
    value = metrics.link_baseline(assemble([A, B, C], [], facts))
    assert (value.inferred_pairs, value.written_pairs, value.agreement, value.novel) == (2, 1, 0.5, 1)


def answer(text: str, *sentences: Sentence, invalid: tuple[int, ...] = ()) -> GraphAnswer:
    numbers = {number for sentence in sentences for number in sentence.citations}
    cited = tuple(Citation(number, evidence(), "n") for number in sorted(numbers))
    return GraphAnswer(
        "q", text, sentences, cited, is_sufficient=bool(text), invalid_citations=invalid
    )  # fmt: skip


def test_answers_are_counted() -> None:
    answers = [
        answer("Ann Bell rang.", Sentence("Ann Bell rang.", (1, 2))),
        answer("Nobody rang.", Sentence("Nobody rang.", (), False), invalid=(9,)),
        answer(""),
        answer(""),
    ]
    value = metrics.grounding(answers, [["ann-bell"], ["Ann"], [], ["Ann"]])
    assert value == metrics.Grounding(
        answers=4, with_citations=1, citation_rate=0.5, hallucinated_citation_rate=0.3333,
        unsupported_sentence_rate=0.5, declared_insufficient=2, insufficient_rightly=1, correct=1,
    )  # fmt: skip
    assert metrics.grounding([], []).citation_rate == 0.0
