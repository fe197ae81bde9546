"""The query language: what each form means, and that nothing a person types breaks it."""

from __future__ import annotations

import json
import re
from datetime import datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.frontends.mcp_shapes import SearchInput
from engine.model import Mode
from engine.searching.query import (
    OPERATORS,
    AllOf,
    AnyOf,
    Condition,
    Facet,
    Not,
    Phrase,
    Property,
    Word,
    explain,
    parse,
)

NOW = datetime(2026, 3, 11, 15, 30)


@pytest.mark.parametrize(
    ("text", "words", "condition"),
    [
        ("lamp oil", "lamp oil", None),
        ('"lamp oil"', "lamp oil", Phrase("lamp oil")),
        ('"open end', "open end", Phrase("open end")),
        ("lamp -oil", "lamp", Not(Word("oil"))),
        ('lamp -"oil can"', "lamp", Not(Phrase("oil can"))),
        ("lamp OR oil", "lamp oil", AnyOf((Word("lamp"), Word("oil")))),
        ("(lamp oil)", "lamp oil", AllOf((Word("lamp"), Word("oil")))),
        ("-(lamp oil) bee", "bee", Not(AllOf((Word("lamp"), Word("oil"))))),
        ("(a1 OR b1) c1", "a1 b1 c1", AnyOf((Word("a1"), Word("b1")))),
        ("lamp ) oil", "lamp oil", None),
        ("((((", "", None),
        ("OR", "", None),
        ("lamp OR", "lamp", None),
        ("- -- lamp", "lamp", None),
        ("well-known", "well-known", None),
        ("tag:#work/x", "", Facet("tag", "work/x")),
        ("#work/x lamp", "lamp", Facet("tag", "work/x")),
        ("-tag:work", "", Not(Facet("tag", "work"))),
        ('path:"a b"', "", Facet("path", "a b")),
        ("folder:Tmp/", "", Facet("folder", "Tmp/")),
        ("heading:ideas", "", Facet("section", "ideas")),
        ('page:"Reading list"', "", Facet("page", "Reading list")),
        ("[rating:>5]", "", Property("rating", ">", "5")),
        ("[Rating: >= 5 ]", "", Property("rating", ">=", "5")),
        ('[author:"Ann Lee"]', "", Property("author", "", "Ann Lee")),
        ("[done]", "", Property("done")),
        ("[rating:5..9]", "", Property("rating", "..", "5..9")),
        ("[due:..2025-06]", "", Property("due", "..", "..2025-06")),
        ("[path:a..b]", "", Property("path", "", "a..b")),
        ('[pages:"5..9"]', "", Property("pages", "", "5..9")),
        ("task:todo", "", Facet("task", "todo")),
        ("task:", "", Facet("task", "any")),
        ("daily:no", "", Facet("daily", "no")),
        ("http://example.org/a 12:30", "http://example.org/a 12:30", None),
        ("C++ .env", "C++ .env", None),
    ],
)
def test_meaning(text: str, words: str, condition: Condition | None) -> None:
    query = parse(text, NOW)
    assert (query.words, query.condition) == (words, condition)
    assert query.notices == ()


def test_dates_carry_their_span() -> None:
    condition = parse("created:2026-03", NOW).condition
    assert isinstance(condition, Facet)
    assert condition.span is not None
    assert condition.span.start == datetime(2026, 3, 1).timestamp()


def test_switches_are_not_conditions() -> None:
    query = parse("lamp source:Main vault:Old like:Bees sort:modified mode:word", NOW)
    assert query.condition is None
    assert (query.sources, query.like, query.sort, query.mode) == (("Main", "Old"), ("Bees",), "modified", Mode.WORD)


@pytest.mark.parametrize("text", ["-like:Bees", "-mode:word", "-sort:title", "-(oil like:Bees)", "-(-mode:word)"])
def test_a_negated_switch_is_ignored_and_said(text: str) -> None:
    query = parse(f"lamp {text}", NOW)
    assert (query.words, query.like, query.sort, query.mode) == ("lamp", (), "", None)
    assert any("cannot be negated; it was ignored" in notice for notice in query.notices)


@pytest.mark.parametrize("text", ["-source:Old", "-graph:Old", "(-in:Old) OR lamp"])
def test_a_negated_source_is_left_out(text: str) -> None:
    query = parse(text, NOW)
    assert (query.without, query.sources, query.condition, query.notices) == (("Old",), (), None, ())
    assert "not in Old" in explain(query)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("foldr:x", "did you mean 'folder:'"),
        ("zzzzz:x", "searched as words"),
        ("mode:wrod", "both, word or meaning"),
        ("sort:modifed", "did you mean modified"),
        ("created:lastweek", "did you mean last-week"),
        ("modified:soonish", "try 2026-03"),
        ("task:maybe", "any, done, todo"),
        ("tag:", "needs a value"),
        ("source:", "needs a value"),
        ("x" * 5000, "cut at 4,096"),
    ],
)
def test_what_is_not_understood_is_said(text: str, said: str) -> None:
    assert any(said in notice for notice in parse(text, NOW).notices)


def test_an_unknown_operator_still_ranks_its_words() -> None:
    assert parse("colour:blue", NOW).words == "colour blue"


@pytest.mark.parametrize(
    ("text", "is_open"), [("lam", True), ("lam ", False), ('"lam', False), ("tag:lam", False), ("", False)]
)
def test_whether_the_last_word_may_be_unfinished(text: str, is_open: bool) -> None:
    assert parse(text, NOW).ends_open is is_open


def test_explained_in_plain_words() -> None:
    said = explain(parse('lamp -oil tag:work vault:Main created:2026 mode:word sort:title "to the sea"', NOW))
    for part in (
        "lamp to the sea",
        "in Main",
        "not (the word 'oil' occurs)",
        "tagged 'work'",
        "word only",
        "sorted by title",
    ):
        assert part in said


@given(st.text(alphabet=st.sampled_from('ab()"-#[]:>< OR|\\/\n\té茶'), max_size=60))
def test_any_string_parses_and_explains(text: str) -> None:
    query = parse(text, NOW)
    assert explain(query).endswith(".")


@given(st.sampled_from(OPERATORS), st.text(max_size=20))
def test_any_value_of_any_operator_parses(name: str, value: str) -> None:
    assert explain(parse(f"{name}:{value}", NOW)).endswith(".")


def test_deep_nesting_is_survived() -> None:
    assert parse("(" * 2000 + "lamp" + ")" * 2000, NOW).text.startswith("((")


def test_every_condition_that_agents_are_told_of_exists() -> None:
    schema = json.dumps(msgspec.json.schema(SearchInput))
    conditions = re.findall(r"(?<=[ ])[a-z]+:[^\s,]+?(?=[,.])", schema)
    assert "task:todo" in conditions
    assert parse(" ".join(conditions), NOW).notices == ()
