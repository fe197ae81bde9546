"""What a word is, in nine scripts: cutting, folding, offsets, stems, and the words of a question."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.stopwords import STOP_WORDS
from engine.text.words import MAX_WORD, count_terms, fold, query_words, stem, terms, tokens

CUTS = [
    ("plain words, any case", "Hello WORLD", "hello world"),
    ("accents", "naïve Wörld Ångström", "naive world angstrom"),
    ("compatibility forms", "ﬁne ＡＢＣ m²", "fine abc m2"),
    ("letters that do not decompose", "Straße Łódź Øre Æsir", "strasse lodz ore aesir"),
    ("Turkish dotted and dotless i", "İstanbul ılık", "istanbul ilik"),
    ("signs that belong to a name", "C++ C# F#", "c++ c c# c f# f"),
    ("a hash that ends a word is no sign", "colour#", "colour"),
    ("dotted names", ".env node.js 3.14", ".env env node.js node js 3.14 3 14"),
    ("underscores", "foo_bar __init__", "foo_bar foo bar __init__ init"),
    ("e-mail address", "jo.do@ex.org", "jo.do jo do ex.org ex org"),
    ("address of a page", "https://a.org/x?y=1", "https a.org a org x y 1"),
    ("apostrophes cut", "don't l’homme", "don t l homme"),
    ("a sentence's full stop is not a part", "The end. Next", "the end next"),
    ("emoji, skin tones, families and flags", "a👍🏽b 👨‍👩‍👧 🇩🇪", "a 👍 b 👨👩👧 🇩🇪"),
    ("soft hyphen", "Dampf\u00adschiff", "dampfschiff"),
    ("Russian keeps its й and loses its ё", "Ёлка новый", "елка новый"),
    ("Greek final sigma", "ΛΌΓΟΣ λόγος", "λογοσ λογοσ"),
    ("Chinese pairs, and the last letter alone", "修理自行车", "修理 理自 自行 行车 车"),
    ("one Chinese letter", "水", "水"),
    ("Japanese with kana", "食べます", "食べ べま ます す"),
    ("Chinese beside Latin", "GPT模型", "gpt 模型 型"),
    ("Korean words and their pairs", "자전거를 수리", "자전거를 자전 전거 거를 수리"),
    ("Arabic without vowel signs, alef and ya unified", "الكِتَابُ أحمد إلى", "الكتاب احمد الي"),
    ("Persian letters", "کتاب می‌روم", "كتاب ميروم"),
    ("Hindi keeps its vowel signs", "हिन्दी में", "हिन्दी में"),
    ("Thai by letters with their marks", "ที่นี่", "ที่นี่ นี่"),
    ("Hebrew points", "שָׁלוֹם", "שלום"),
    ("nothing but signs", "... -- !? @", ""),
    ("nothing", "", ""),
]


@pytest.mark.parametrize(("what", "text", "expected"), CUTS, ids=[c[0] for c in CUTS])
def test_text_is_cut_into_folded_words(what: str, text: str, expected: str) -> None:
    assert [token.word for token in tokens(text)] == expected.split()


@pytest.mark.parametrize("text", [c[1] for c in CUTS])
def test_composed_and_decomposed_text_give_the_same_words(text: str) -> None:
    words = [token.word for token in tokens(unicodedata.normalize("NFD", text))]
    assert words == [token.word for token in tokens(unicodedata.normalize("NFC", text))]


def test_offsets_point_at_the_word_as_written() -> None:
    text = "Die Müller-Straße, node.js und 修理."
    found = {token.word: text[token.start : token.end] for token in tokens(text)}
    assert found["muller"] == "Müller"
    assert found["strasse"] == "Straße"
    assert (found["node.js"], found["js"], found["修理"]) == ("node.js", "js", "修理")


STEMS = [
    ("en", "Running runners", ["run", "runner"]),
    ("", "Running", ["run"]),
    ("de", "Häuser Haus", ["haus", "haus"]),
    ("ru", "книги книга", ["книг", "книг"]),
    ("hi", "running", ["run"]),
    ("zh", "running 修理", ["run", "修理", "理"]),
    ("th", "C++", ["c++", "c"]),
]


@pytest.mark.parametrize(("language", "text", "expected"), STEMS)
def test_stems_follow_the_language_of_the_note_and_the_script_of_the_word(
    language: str, text: str, expected: list[str]
) -> None:
    assert terms(text, language) == expected


def test_counting_agrees_with_reading_and_notes_the_surfaces() -> None:
    surfaces: dict[str, str] = {}
    body, title = count_terms(["Cats and a cat, node.js", "Cats"], "en", surfaces)
    assert body["cat"] == 2
    assert sum(body.values()) == len(terms("Cats and a cat, node.js", "en"))
    assert title == {"cat": 1}
    assert surfaces["cats"] == surfaces["cat"] == "cat"


def test_a_question_loses_its_stop_words_but_never_all_of_them() -> None:
    words = query_words("How do I repair the bicycle?")
    assert [w.word for w in words if not w.is_stop] == ["repair", "bicycle"]
    assert not any(w.is_stop for w in query_words("what is the"))


def test_stop_words_are_those_of_the_language_of_the_question() -> None:
    assert [w.word for w in query_words("Was war die Antwort", ["de", "en"], "de") if not w.is_stop] == ["antwort"]
    assert [w.word for w in query_words("die war", ["de", "en"], "en") if not w.is_stop] == ["die", "war"]


def test_each_language_of_the_notes_gives_a_word_its_stem() -> None:
    (word,) = query_words("Häuser", ["de", "en"])
    assert set(word.terms) == {stem("hauser", "de"), stem("hauser", "en")}
    assert len(word.terms) == 2


def test_words_are_kept_as_often_as_they_are_said() -> None:
    assert [w.word for w in query_words("cat cat dog")] == ["cat", "cat", "dog"]


@pytest.mark.parametrize(
    ("text", "typing", "prefixes"),
    [
        ("hello wor", True, ["wor"]),
        ("hello wor", False, []),
        ("hello wor ", True, []),
        ("the", True, ["the"]),
        ("水", False, ["水"]),
        ("修理", False, []),
        ("修理", True, ["修理"]),
        ("node.j", True, ["node.j", "j"]),
    ],
)
def test_only_what_is_unfinished_is_a_prefix(text: str, typing: bool, prefixes: list[str]) -> None:
    assert [w.word for w in query_words(text, typing=typing) if w.is_prefix] == prefixes


def test_a_question_of_pairs_does_not_ask_for_the_lone_last_letter() -> None:
    assert [w.word for w in query_words("修理自")] == ["修理", "理自"]


def test_very_long_words_are_cut_the_same_in_note_and_question() -> None:
    blob = "x" * 500
    assert terms(blob) == ["x" * MAX_WORD] == list(query_words(blob)[0].terms)


@pytest.mark.parametrize("language", sorted(STOP_WORDS))
def test_stop_words_are_written_as_folding_leaves_them(language: str) -> None:
    assert {word for word in STOP_WORDS[language] if fold(word) != word} == set()


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_gives_words_that_stand_in_it_and_are_found_again(text: str) -> None:
    found = tokens(text)
    for token in found:
        assert 0 <= token.start < token.end <= len(text)
        assert token.word
    assert [stem(token.word, "de") for token in found] == terms(text, "de")
    indexed = set(terms(text, "de"))
    asked = query_words(text, ["de"])
    assert all(indexed & set(word.terms) or word.is_prefix for word in asked)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
