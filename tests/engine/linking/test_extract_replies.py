"""What is read out of a model's reply, however untidy, and which of its claims a passage proves."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.knowledge.facts import MODEL_TYPES
from engine.linking.arbitrate import PROMPT as RESOLVE
from engine.linking.extract import PROMPT, qualifies
from engine.linking.proof import Refusal, prove, words_of
from engine.linking.replies import Claim, UnreadableReply, read_claims, read_groups
from engine.model import Anchor, NoteKey, Passage, PassageKind
from engine.prompts import extract as prompt
from engine.prompts.fence import fenced

FACT = {
    "subject": "Brass bell", "subject_type": "tool", "predicate": "hangs_in", "object": "north tower",
    "object_type": "place", "quote": "The brass bell hangs in the north tower", "confidence": 0.9,
}  # fmt: skip
OTHER = {**FACT, "object": "oak frame", "quote": "hangs in an oak frame"}
JSON = json.dumps({"facts": [FACT, OTHER]})
TEXT = "The brass bell hangs in the north tower.\nIt hangs in an  oak frame, and I oil it."


def passage(text: str = TEXT, *, breadcrumb: tuple[str, ...] = ("Bells", "Inventory"), **more: object) -> Passage:
    anchor = more.pop("anchor", Anchor(NoteKey("Bells.md"), first_line=3, last_line=4))
    kind = more.pop("kind", PassageKind.SECTION)
    return Passage(kind, 0, anchor, text, breadcrumb, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "objects"),
    [
        (JSON, ["north tower", "oak frame"]),
        (json.dumps([FACT, OTHER]), ["north tower", "oak frame"]),
        (json.dumps(FACT), ["north tower"]),
        (f"Here are the facts:\n```json\n{JSON}\n```\nDone {{really}}.", ["north tower", "oak frame"]),
        (JSON[: JSON.index("oak frame")], ["north tower"]),
        (JSON.replace("}", ",}"), ["north tower", "oak frame"]),
        (JSON + JSON, ["north tower", "oak frame"]),
        (f"{{broken {JSON}", ["north tower", "oak frame"]),
        ('{"facts": []}', []),
        ("[]", []),
        ("There is nothing to list: [ ]", []),
    ],
)
def test_facts_are_read_out_of_untidy_replies(reply: str, objects: list[str]) -> None:
    assert [claim.object for claim in read_claims(reply).claims] == objects


@pytest.mark.parametrize(
    "reply",
    ["", "I cannot help with that.", '{"answer": "none"}', JSON[:30], "{" * 50_000, '{"a":' * 30_000, "null", "{}"],
)
def test_a_reply_without_a_list_is_no_empty_list(reply: str) -> None:
    with pytest.raises(UnreadableReply):
        read_claims(reply)


@pytest.mark.parametrize("part", ["subject", "predicate", "object", "quote"])
@pytest.mark.parametrize("value", ["", "  ", None, 7, ["x"]])
def test_a_fact_needs_every_part(part: str, value: object) -> None:
    read = read_claims(json.dumps({"facts": [{**FACT, part: value}, OTHER]}))
    assert [claim.object for claim in read.claims] == ["oak frame"]
    assert read.incomplete == 1


@pytest.mark.parametrize(
    ("given_value", "confidence"),
    [(0.7, 0.7), (2, 1.0), (-1, 0.0), ("0.4", 0.4), ("sure", 0.5), (None, 0.5), (True, 0.5), (float("nan"), 0.5)],
)
def test_confidence_is_between_nought_and_one(given_value: object, confidence: float) -> None:
    assert read_claims(json.dumps([{**FACT, "confidence": given_value}])).claims[0].confidence == confidence


@given(st.text(alphabet='{}[]",:ab\\ \n', max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_claims(text)
    except UnreadableReply:
        return


def claim(**changes: str) -> Claim:
    parts = {name: str(FACT[name]) for name in ("subject", "predicate", "object", "quote")}
    return Claim(**(parts | changes))


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, None),
        ({"quote": "the BRASS bell hangs"}, None),
        ({"quote": "“The brass bell hangs…”"}, None),
        ({"quote": "hangs in an oak frame", "object": "oak frame"}, None),
        ({"subject": "[[Brass bell]]"}, None),
        ({"subject": "I", "predicate": "oils", "object": "brass bell", "quote": "I oil it"}, Refusal.SILENT_QUOTE),
        ({"subject": "I", "predicate": "has", "object": "oak frame", "quote": "oak frame, and I oil it"}, None),
        ({"subject": "Bells", "predicate": "lists", "object": "oak frame", "quote": "in an oak frame"}, None),
        ({"quote": "The brass bell rings"}, Refusal.QUOTE),
        ({"quote": "…"}, Refusal.QUOTE),
        ({"quote": "and I oil it"}, Refusal.SILENT_QUOTE),
        ({"object": "Ravenna"}, Refusal.UNSPOKEN),
        ({"subject": "specific verb phrase"}, Refusal.UNSPOKEN),
        ({"subject": "it"}, Refusal.NOT_A_NAME),
        ({"object": "<think> the bell"}, Refusal.NOT_A_NAME),
        ({"object": "the brass bell " * 20}, Refusal.NOT_A_NAME),
        ({"object": "brass  BELL"}, Refusal.SAME),
        ({"predicate": "mentions"}, Refusal.VAGUE),
        ({"predicate": "Related to"}, Refusal.VAGUE),
    ],
)
def test_a_claim_is_taken_when_the_passage_proves_it(changes: dict[str, str], verdict: Refusal | None) -> None:
    proven = prove(claim(**changes), passage(), "en")
    assert (proven if isinstance(proven, Refusal) else None) == verdict


def test_the_quote_kept_is_the_passage_s_own_words() -> None:
    proven = prove(claim(quote="the BRASS bell hangs\nin the"), passage(), "en")
    assert isinstance(proven, Claim)
    assert proven.quote == "The brass bell hangs in the"
    assert proven.subject == "Brass bell"


@pytest.mark.parametrize(
    ("text", "subject", "object_", "quote", "language"),
    [
        ("Die Glocken hängen im Turm der Kirche.", "Glocke", "Turm", "Die Glocken hängen im Turm", "de"),
        ("灯塔今天又亮了,守塔人很高兴。", "灯塔", "守塔人", "灯塔今天又亮了,守塔人", "zh"),
    ],
)
def test_names_are_found_by_stem_and_in_any_script(
    text: str, subject: str, object_: str, quote: str, language: str
) -> None:
    assert isinstance(prove(Claim(subject, "in", object_, quote), passage(text), language), Claim)


@given(st.text(min_size=1, max_size=40))
def test_a_quote_found_stands_in_the_passage(quote: str) -> None:
    found = words_of(quote, passage())
    assert found in " ".join(TEXT.split())


def test_no_fact_can_come_from_the_prompts_own_words() -> None:
    for line in (PROMPT.system + RESOLVE.system).splitlines():
        words = line.split()
        if len(words) > 4:
            made_up = Claim(" ".join(words[:2]), "is", " ".join(words[2:4]), line)
            assert isinstance(prove(made_up, passage(), "en"), Refusal), line


def test_the_types_offered_are_those_of_the_graph() -> None:
    assert ", ".join(MODEL_TYPES) == prompt.TYPES


def test_a_note_cannot_close_its_own_fence() -> None:
    inner = fenced("an innocent text")
    assert fenced(inner).count(fenced(inner).splitlines()[-1]) == 1


BLOCK = Anchor(NoteKey("p"), uid="abcdefghi")


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (passage("The brass bell hangs in the tower."), True),
        (passage("The brass bell hangs in the tower.", anchor=Anchor(NoteKey("x"))), False),
        (passage("The brass bell hangs in the tower.", anchor=BLOCK, kind=PassageKind.BLOCK), True),
        (passage("The brass bell hangs in the tower.", anchor=BLOCK, kind=PassageKind.PAGE), False),
        (passage("A bell hangs here."), False),
        (passage("Brass bell, North tower, Oak frame", concepts=("Brass bell", "North tower", "Oak frame")), False),
        (passage("Brass bell hangs in North tower", concepts=("Brass bell", "North tower")), True),
        (passage("https://example.com/a/long/address/of/a/page"), False),
        (passage("Parts: Brass bell, Oak frame", concepts=("Brass bell", "Oak frame"), raw="Parts:: [[x]]"), False),
        (passage("灯塔今天又亮了,守塔人很高兴,大家都来看灯塔的光,海面很平静。"), True),
    ],
)  # fmt: skip
def test_which_passages_are_worth_a_call(made: Passage, expected: bool) -> None:
    assert qualifies(made) is expected


NAMES = ("A. Bell", "Anna Bell", "Bellville")


@pytest.mark.parametrize(
    ("reply", "groups"),
    [
        ('{"groups": [["Anna Bell", "A. Bell"], ["Bellville"]]}', (("Anna Bell", "A. Bell"), ("Bellville",))),
        ('{"groups": [["Anna Bell", "A. Bell", "Annie"]]}', (("Anna Bell", "A. Bell"), ("Bellville",))),
        ('{"groups": [["Somebody"], [7], "odd"]}', (("A. Bell",), ("Anna Bell",), ("Bellville",))),
    ],
)
def test_names_are_covered_exactly_once(reply: str, groups: tuple[tuple[str, ...], ...]) -> None:
    assert read_groups(reply, NAMES) == groups


@pytest.mark.parametrize("reply", ['{"groups": [["A. Bell", "Anna Bell"], ["A. Bell", "Bellville"]]}', "no", "[]"])
def test_an_answer_that_decides_nothing_is_refused(reply: str) -> None:
    with pytest.raises(UnreadableReply):
        read_groups(reply, NAMES)
