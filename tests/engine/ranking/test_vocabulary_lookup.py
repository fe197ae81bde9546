"""Prefixes and typing errors over the words of a source."""

from __future__ import annotations

import pytest

from engine.ranking.vocabulary import Vocabulary, allowed_distance, prefix_word

SURFACES = [
    ("house", "hous"), ("houses", "hous"), ("household", "household"), ("horse", "hors"), ("zebra", "zebra"),
    ("mitochondria", "mitochondria"), ("fahrrad", "fahrrad"), ("книга", "книг"), ("修理", "修理"), ("修", "修"),
    ("हिन्दी", "हिन्दी"), ("form", "form"), ("c++", "c++"),
]  # fmt: skip


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary(SURFACES)


def test_a_prefix_stands_for_all_that_begins_like_it(vocabulary: Vocabulary) -> None:
    assert vocabulary.starting_with("hous") == ["house", "houses", "household"]
    assert vocabulary.prefix_terms("hous") == ("hous", "household")
    assert vocabulary.prefix_terms("修") == ("修", "修理")
    assert vocabulary.prefix_terms("q") == ()
    assert vocabulary.prefix_terms("ho", limit=2) == ("hors", "hous")


def test_prefixes_of_several_sources_are_one_word(vocabulary: Vocabulary) -> None:
    other = Vocabulary([("housing", "hous"), ("houseboat", "houseboat")])
    assert set(prefix_word([vocabulary, other], "hous", ("hou",)).terms) == {"hou", "hous", "household", "houseboat"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("huose", ["house"]),
        ("hose", ["horse", "house"]),
        ("zebta", ["zebra"]),
        ("mitocondira", ["mitochondria"]),
        ("farrad", ["fahrrad"]),
        ("кнга", ["книга"]),
        ("हिन्दा", ["हिन्दी"]),
        ("house", []),
        ("from", ["form"]),
        ("xyz", []),
        ("2024", []),
        ("zbr", []),
    ],
)
def test_the_word_that_was_meant(vocabulary: Vocabulary, typed: str, meant: list[str]) -> None:
    assert [word for word, _ in vocabulary.nearest(typed)] == meant


def test_words_that_come_later_are_found_too(vocabulary: Vocabulary) -> None:
    assert vocabulary.nearest("giraffa") == []
    vocabulary.add([("giraffe", "giraff"), ("house", "haus")])
    assert vocabulary.nearest("giraffa") == [("giraffe", 1)]
    assert "giraffe" in vocabulary
    assert set(vocabulary.prefix_terms("house", 1)) == {"hous", "haus"}
    assert len(vocabulary) == len(SURFACES) + 1


def test_the_terms_of_a_word(vocabulary: Vocabulary) -> None:
    assert vocabulary.terms("houses") == ("hous",)
    assert vocabulary.terms("zoo") == ()


@pytest.mark.parametrize(
    ("word", "edits"), [("cat", 0), ("cats", 1), ("elephant", 1), ("elephants", 2), ("v1.2", 0), ("abc12345", 0)]
)
def test_edits_by_length(word: str, edits: int) -> None:
    assert allowed_distance(word) == edits
