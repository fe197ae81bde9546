"""The shown piece of a passage: length, choice of window, highlights in every script."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.snippets import LENGTH, best_sentence, best_snippet
from engine.text.words import query_words

FILLER = "The quick brown fox jumps over the lazy dog. "
HIGHLIGHTS = [
    ("stem", "They were running late", "run", ["running"]),
    ("accents either way", "a naïve cafe", "naive café", ["naïve", "cafe"]),
    ("decomposed text", "a nai\u0308ve plan", "naïve", ["nai\u0308ve"]),
    ("Chinese pairs join", "他修理自行车的人", "自行车", ["自行车"]),
    ("one Chinese letter", "喝水。", "水", ["水"]),
    ("Japanese", "毎日食べます", "食べます", ["食べます"]),
    ("Korean noun with its particle", "자전거를 고쳤다", "자전거", ["자전거"]),
    ("Arabic with vowel signs", "قرأ الكِتَابُ أمس", "الكتاب", ["الكِتَابُ"]),
    ("Hindi", "यह हिन्दी है", "हिन्दी", ["हिन्दी"]),
    ("Thai keeps marks whole", "ฉันมาที่นี่", "ที่นี่", ["ที่นี่"]),
    ("Russian endings", "новые книги", "книга", ["книги"]),
    ("emoji with skin tone", "well done 👍🏽 all", "👍", ["👍🏽"]),
    ("names with signs", "write C++ code", "C++", ["C++"]),
]


@pytest.mark.parametrize(("what", "text", "query", "expected"), HIGHLIGHTS, ids=[h[0] for h in HIGHLIGHTS])
def test_highlights_mark_the_words_as_written(what: str, text: str, query: str, expected: list[str]) -> None:
    language = "ru" if "Russian" in what else "hi" if what == "Hindi" else ""
    words = query_words(query, [language] if language else [])
    snippet = best_snippet(text, words, language)
    assert [snippet.text[start:end] for start, end in snippet.spans] == expected


def test_the_window_is_where_most_of_the_words_are() -> None:
    text = FILLER * 20 + "A fox alone. " + FILLER * 5 + "Whales sing under arctic ice. " + FILLER * 20 + "Whales." * 3
    snippet = best_snippet(text, query_words("whales arctic ice"))
    assert "Whales sing under arctic ice" in snippet.text
    assert snippet.text.startswith("…")
    assert snippet.text.endswith("…")


def test_short_text_is_shown_whole_on_one_line() -> None:
    snippet = best_snippet("first line\n\n  second\tline", query_words("second"))
    assert snippet.text == "first line second line"
    assert snippet.spans == ((11, 17),)


def test_without_a_match_the_beginning_is_shown() -> None:
    snippet = best_snippet(FILLER * 20, query_words("zebra"))
    assert snippet.text.startswith("The quick")
    assert snippet.spans == ()


def test_a_match_at_the_very_end_is_shown_with_what_stands_before() -> None:
    snippet = best_snippet(FILLER * 20 + "zebra", query_words("zebra"))
    assert snippet.text.endswith("zebra")
    assert len(snippet.text) > LENGTH // 2


def test_text_without_spaces_is_cut_between_letters() -> None:
    snippet = best_snippet("黑豹队的防守只丢了分" * 60 + "修理自行车" + "在联赛中排名第六" * 60, query_words("自行车"))
    assert "自行车" in snippet.text
    assert LENGTH // 2 < len(snippet.text) <= LENGTH


def test_direction_controls_do_not_leak_out_of_the_row() -> None:
    snippet = best_snippet("abc \u202eevil\u202c \u2067x", query_words("evil"))
    assert snippet.text == "abc evil x"


def test_the_unfinished_word_is_highlighted_by_its_beginning() -> None:
    snippet = best_snippet("Mitochondria make energy", query_words("mitoch", typing=True))
    assert snippet.spans == ((0, 12),)


def test_the_best_sentence_holds_most_of_the_words() -> None:
    text = "Cats sleep. Dogs and cats play at 3.14 today! Nobody reads this."
    assert best_sentence(text, query_words("cats dogs")) == "Dogs and cats play at 3.14 today!"
    assert best_sentence("猫睡觉。狗在水里。", query_words("狗")) == "狗在水里。"
    assert best_sentence("  \n", query_words("x")) == ""


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=900), st.text(max_size=30))
def test_any_snippet_is_short_and_its_spans_keep_letters_whole(text: str, query: str) -> None:
    snippet = best_snippet(text, query_words(query))
    assert len(snippet.text) <= LENGTH
    assert "\n" not in snippet.text
    edges = {0, *(match.end() for match in regex.finditer(r"\X", snippet.text))}
    previous = -1
    for start, end in snippet.spans:
        assert previous < start < end <= len(snippet.text)
        assert {start, end} <= edges
        previous = end
