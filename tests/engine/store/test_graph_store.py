"""The graph tables: nothing without a quote, nothing dangling, nothing twice."""

from __future__ import annotations

import dataclasses

import duckdb
import pytest

from engine.errors import BugError
from engine.indexing.words import count_words
from engine.knowledge.facts import Fact, NameKind, Naming, NoteFacts, thing
from engine.model import Anchor, Evidence, Note, NoteKey, Origin, Passage, PassageKind, SourceId
from engine.store.index import IndexStore

SOURCE = SourceId("vault-1234")
KEY, OTHER = NoteKey("Lamp.md"), NoteKey("Oil.md")
LAMP, OIL = thing(SOURCE, "note", "Lamp"), thing(SOURCE, "note", "Oil")
ANCHOR = Anchor(KEY, headings=("Part",), first_line=3, last_line=4, block_id="b")
ELSEWHERE = dataclasses.replace(ANCHOR, first_line=9, last_line=9)
WRITTEN = Evidence(SOURCE, KEY, ANCHOR, "the [[Oil]] burns", Origin.WRITTEN, at=12.5, state="unresolved")
INFERRED_BY = {"origin": Origin.INFERRED, "confidence": 0.7, "model": "m", "prompt_version": "extract/2"}
INFERRED = dataclasses.replace(WRITTEN, **INFERRED_BY)  # type: ignore[arg-type]
ANCHOR_OF_NOTHING = dataclasses.replace(ANCHOR, first_line=5, last_line=6)


def title(key: NoteKey, name: str) -> Naming:
    evidence = Evidence(SOURCE, key, Anchor(key), name, Origin.WRITTEN)
    return Naming(thing(SOURCE, "note", name), name, NameKind.TITLE, evidence)


def said(*facts: Fact, stamp: str = "1") -> NoteFacts:
    return NoteFacts(KEY, stamp, facts, (title(KEY, "Lamp"),))


SAYS = "In the north tower\nthe [[Oil]]\u00a0 burns, and it's \\ 100%."
"""White space of three kinds; quotes have single blanks."""


def add_notes(store: IndexStore, *keys: NoteKey) -> None:
    notes = [
        Note(
            key,
            key,
            "1",
            "1",
            tuple(
                Passage(PassageKind.SECTION, i, dataclasses.replace(anchor, note=key), SAYS, (key,), hash=f"{key}{i}")
                for i, anchor in enumerate((ANCHOR, ELSEWHERE))
            ),
        )
        for key in keys
    ]
    store.write_notes(notes, count_words(notes))


@pytest.fixture
def filled(each_store: IndexStore) -> IndexStore:
    add_notes(each_store, KEY, OTHER)
    return each_store


def test_what_is_written_comes_back(filled: IndexStore) -> None:
    fact = Fact(LAMP, "burns", OIL, WRITTEN)
    filled.graph.write_notes([said(fact)])
    stored = filled.graph.load(SOURCE)
    assert (stored.facts, stored.names, set(stored.things)) == ((fact,), (title(KEY, "Lamp"),), {LAMP, OIL})
    assert filled.graph.stamps() == {KEY: "1"}


def test_writing_again_changes_nothing(filled: IndexStore) -> None:
    filled.graph.write_notes([said(Fact(LAMP, "burns", OIL, WRITTEN))])
    before = filled.graph.load(SOURCE)
    filled.graph.write_notes([said(Fact(LAMP, "burns", OIL, WRITTEN))])
    assert filled.graph.load(SOURCE) == before


@pytest.mark.parametrize(
    "change",
    [
        {"quote": ""},
        {"quote": " \n\t "},
        {"confidence": 1.5},
        {"confidence": -0.1},
        {"state": "guessed"},
        {"origin": Origin.INFERRED},
        {"origin": Origin.INFERRED, "model": "m"},
        {"note": NoteKey("gone.md")},
        {"quote": "the Oil burns"},
        {"quote": "the [[oil]] burns"},
        {"quote": "tower the", "anchor": ANCHOR_OF_NOTHING, **INFERRED_BY},
        {"quote": "it is dark", **INFERRED_BY},
    ],
    ids=str,
)
def test_a_fact_without_its_proof_is_refused(store: IndexStore, change: dict[str, object]) -> None:
    add_notes(store, KEY)
    store.graph.write_notes([said(Fact(LAMP, "burns", OIL, WRITTEN))])
    before = store.graph.load(SOURCE)
    bad = dataclasses.replace(WRITTEN, **change)
    with pytest.raises(BugError):
        store.graph.write_notes([said(Fact(LAMP, "lights", OIL, bad), stamp="2")])
    assert store.graph.load(SOURCE) == before
    assert store.graph.stamps() == {KEY: "1"}


BAD_RELATIONS = [Fact(LAMP, "is", LAMP, WRITTEN), Fact(LAMP, "", OIL, WRITTEN)]


@pytest.mark.parametrize("fact", BAD_RELATIONS, ids=["self", "unnamed"])
def test_a_relation_needs_two_ends_and_a_name(store: IndexStore, fact: Fact) -> None:
    add_notes(store, KEY)
    with pytest.raises(BugError):
        store.graph.write_notes([said(fact)])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE graph_facts SET quote = ''",
        "UPDATE graph_facts SET quote = NULL",
        "UPDATE graph_facts SET object = subject",
        "UPDATE graph_facts SET subject = NULL",
        "UPDATE graph_facts SET origin = 'inferred'",
        "UPDATE graph_names SET quote = '  '",
        "UPDATE graph_entities SET name = ''",
    ],
)
def test_the_file_itself_refuses_facts_without_proof(store: IndexStore, statement: str) -> None:
    add_notes(store, KEY)
    store.graph.write_notes([said(Fact(LAMP, "burns", OIL, WRITTEN))])
    with pytest.raises((duckdb.ConstraintException, BugError)), store._db.write() as cursor:
        cursor.execute(statement)


FOREIGN = [
    "DELETE FROM graph_entities WHERE name = 'Oil'",
    "UPDATE graph_facts SET object = 999",
    "UPDATE graph_names SET entity = 999",
    "INSERT INTO graph_facts SELECT 998, f.* EXCLUDE (subject) FROM graph_facts f",
]


@pytest.mark.parametrize("statement", FOREIGN)
def test_foreign_keys_let_nothing_dangle(each_store: IndexStore, statement: str) -> None:
    add_notes(each_store, KEY)
    each_store.graph.write_notes([said(Fact(LAMP, "burns", OIL, WRITTEN))])
    before = each_store.graph.load(SOURCE)
    with pytest.raises((duckdb.ConstraintException, BugError)), each_store._db.write() as cursor:
        cursor.execute(statement)
    assert each_store.graph.load(SOURCE) == before


@pytest.mark.parametrize(
    "quote", ["the [[Oil]] burns", "tower the [[Oil]] burns,", "it's \\ 100%.", "In the north tower"], ids=str
)
def test_white_space_aside_a_quote_stands_in_its_passage(filled: IndexStore, quote: str) -> None:
    fact = Fact(LAMP, "needs", OIL, dataclasses.replace(INFERRED, quote=quote))
    filled.graph.replace_inferred([ANCHOR], [fact])
    assert filled.graph.inferred(SOURCE, [KEY]) == {KEY: [fact]}


def test_words_that_a_model_made_up_are_refused_with_all_that_came_with_them(filled: IndexStore) -> None:
    good = Fact(LAMP, "needs", OIL, INFERRED)
    bad = Fact(LAMP, "loves", OIL, dataclasses.replace(INFERRED, quote="the [[Oil]] never burns"))
    with pytest.raises(BugError, match="do not stand in their passages"):
        filled.graph.replace_inferred([ANCHOR], [good, bad])
    assert filled.graph.inferred(SOURCE, [KEY]) == {}


def test_things_go_with_their_last_fact(filled: IndexStore) -> None:
    filled.graph.write_notes([said(Fact(LAMP, "burns", OIL, WRITTEN))])
    filled.graph.write_notes([said(stamp="2")])
    assert filled.graph.load(SOURCE).things == (LAMP,)
    filled.graph.remove_notes([KEY])
    assert filled.graph.counts() == dataclasses.replace(filled.graph.counts(), notes=0, entities=0, relations=0)


def test_a_note_removed_from_the_index_leaves_no_facts(filled: IndexStore) -> None:
    filled.graph.write_notes([said(Fact(LAMP, "burns", OIL, WRITTEN))])
    version = filled.graph.version
    filled.write_notes([], count_words([]), [KEY])
    assert filled.graph.load(SOURCE).facts == ()
    assert filled.graph.version > version


def test_inferred_facts_are_replaced_by_passage(filled: IndexStore) -> None:
    filled.graph.write_notes([said(Fact(LAMP, "burns", OIL, WRITTEN))])
    first = Fact(LAMP, "needs", OIL, INFERRED)
    second = Fact(LAMP, "drinks", OIL, dataclasses.replace(INFERRED, anchor=ELSEWHERE))
    filled.graph.replace_inferred([ANCHOR, ELSEWHERE], [first, second])
    filled.graph.replace_inferred([ANCHOR], [])
    assert filled.graph.inferred(SOURCE, [KEY]) == {KEY: [second]}
    assert filled.graph.counts().written == 1


@pytest.mark.parametrize("evidence", [WRITTEN, dataclasses.replace(INFERRED, anchor=Anchor(KEY, uid="else"))])
def test_inferred_facts_come_from_the_passages_that_were_read(store: IndexStore, evidence: Evidence) -> None:
    add_notes(store, KEY)
    with pytest.raises(BugError):
        store.graph.replace_inferred([ANCHOR], [Fact(LAMP, "needs", OIL, evidence)])


def test_names_may_hold_anything(store: IndexStore) -> None:
    add_notes(store, KEY)
    odd = thing(SOURCE, "page", "a'; DROP TABLE notes; --\u2028 \U0001f56f")
    store.graph.write_notes([said(Fact(LAMP, "burns", odd, dataclasses.replace(WRITTEN, quote="it's \\ 100%")))])
    assert odd in store.graph.load(SOURCE).things
