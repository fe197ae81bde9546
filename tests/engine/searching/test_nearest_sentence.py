"""The sentence that answers best: how sentences are cut, and which one is chosen."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.inference.fake import FakeEmbedder
from engine.searching.sentences import nearest_sentence, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The lamp burns oil. The tower is white!", ["The lamp burns oil.", "The tower is white!"]),
        ('He said "it burns." Then he left the tower.', ['He said "it burns.', "Then he left the tower."]),
        (
            "灯塔在海边一直亮着灯光照耀。灯塔的看守人每天晚上点灯。",
            ["灯塔在海边一直亮着灯光照耀。", "灯塔的看守人每天晚上点灯。"],
        ),
        ("one line without an end\n\n  another line, indented", ["one line without an end", "another line, indented"]),
        ("Yes. No. The only long one here.", ["The only long one here."]),
        ("", []),
    ],
)
def test_sentences_end_at_marks_and_lines(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_ranges_ascend_and_hold_no_outer_space(text: str) -> None:
    ranges = sentences(text)
    assert all(text[a:b] == text[a:b].strip() for a, b in ranges)
    assert ranges == sorted(ranges)


def test_the_sentence_with_the_words_asked_for_is_chosen_and_operators_do_not_count() -> None:
    text = "The lamp burns whale oil. The tower was painted white. Nobody lives there now."
    assert nearest_sentence("tag:x painted tower", text, FakeEmbedder()) == "The tower was painted white."
    assert nearest_sentence("tag:x", text, FakeEmbedder()) == ""
    assert nearest_sentence("tower", "The tower was painted white.", FakeEmbedder()) == ""
