"""Hashes, fingerprints, embedding inputs and block ranges of Smart Connections, against values from real indexes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.inference.catalog import CATALOGUE
from engine.sources.smart_models import MODELS, fingerprint, model_of_key, models_by_fingerprint, text_hash
from engine.sources.smart_text import (
    block_breadcrumb,
    block_input,
    cut_to_tokens,
    cut_units,
    note_input,
    parse_blocks,
    units,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "0"),
        ("a", "gos6uq"),
        ("ab", "177qjbz"),
        ("abc", "1dwmk8q"),
        ("hello", "a5205j"),
        ("hello world\n", "1euf83i"),
        ("日本語", "7gespy"),
        ("😀", "1q0xrsl"),
        ("åß", "12fzkfo"),
        ("# T\r\n\r\n- a\r\n", "1lswnq4"),
        ("\0", "mk4wc7"),
        ("\u0100", "mk4wc7"),
        ("\u4e00", "mk4wc7"),
    ],
)
def test_text_hash(text: str, expected: str) -> None:
    assert text_hash(text) == expected


def test_fingerprints_follow_from_the_profiles() -> None:
    for model in MODELS:
        assert fingerprint(model.key, model.dimensions, model.max_tokens) in model.fingerprints


@pytest.mark.parametrize(
    ("mark", "key", "dimensions"),
    [
        ("mf_ccarbz", "TaylorAI/bge-micro-v2", 384),
        ("mf_7gwptj", "Xenova/multilingual-e5-small", 384),
        ("mf_in00wz", "Snowflake/snowflake-arctic-embed-xs", 384),
        ("mf_rvd28", "onnx-community/DenseOn-ONNX", 768),
        ("mf_14p04ky", "onnx-community/DenseOn-ONNX", 768),
    ],
)
def test_a_fingerprint_names_its_model(mark: str, key: str, dimensions: int) -> None:
    model = models_by_fingerprint()[mark]
    assert (model.key, model.dimensions) == (key, dimensions)


def test_an_unknown_fingerprint_names_none() -> None:
    assert "mf_zzzzzz" not in models_by_fingerprint()
    assert model_of_key("someone/model", 7).recipe is None


def test_the_plugins_recipes_are_those_of_the_catalogue() -> None:
    shared = [model for model in MODELS if model.folder in CATALOGUE]
    assert len(shared) == 5
    for model in shared:
        assert model.recipe == CATALOGUE[model.folder].recipe


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("Area/Note.md#Top#Sub#{2}", "Area > Note > Top > Sub"),
        ("Note.md#", "Note"),
        ("Note.md#---frontmatter---", "Note"),
        ("a/b.md#H##Deep#{1}", "a > b > H >  > Deep"),
    ],
)
def test_block_breadcrumb(key: str, expected: str) -> None:
    assert block_breadcrumb(key) == expected
    assert block_input(key, "text") == f"{expected}\ntext"


def test_a_note_is_cut_in_utf16_units_with_its_breadcrumb_counted() -> None:
    seen = note_input("Area/N.md", "😀" * 2000)
    assert units(seen) == 1894
    assert seen.startswith("Area > N:\n😀😀")
    assert note_input("N.md", "---\na: 1\n---\nx") == "N:\n---\na: 1\n---\nx"


@given(st.text(), st.integers(0, 50))
def test_cutting_in_units_keeps_a_beginning(text: str, limit: int) -> None:
    cut = cut_units(text, limit)
    assert units(cut) == min(limit, units(text))


def test_tokens_are_cut_by_the_plugins_rule() -> None:
    words = " ".join(f"w{n}" for n in range(1000))
    cut = cut_to_tokens(words, "query: ", 512, lambda text: len(text.split()) + 2)
    assert words.startswith(cut)
    assert 400 < len(cut.split()) <= 509
    assert cut_to_tokens("short text", "query: ", 512, lambda text: 4) == "short text"


@given(st.text(max_size=300), st.integers(3, 40))
def test_cutting_to_tokens_ends_and_fits(text: str, limit: int) -> None:
    cut = cut_to_tokens(text, "", limit, lambda shown: len(shown) // 2 + 2)
    assert len(cut) // 2 + 2 <= limit or not cut


WORKED = [
    *("---", "a: 1", "---", "intro", "more intro", ""),
    *("# A", "text", "- one", "  - nested", "- two", ""),
    *("## B", "text", "#### Deep", "text", "## B", "text"),
    *("# A", "```", "# not", "```", "tail", "#tag word", ""),
]


def test_block_ranges_of_the_worked_example() -> None:
    assert len(WORKED) == 25
    assert [(block.key, block.first, block.last) for block in parse_blocks("\n".join(WORKED))] == [
        ("#---frontmatter---", 1, 3),
        ("#", 4, 6),
        ("#A", 7, 18),
        ("#A#{1}", 8, 8),
        ("#A#{2}", 9, 10),
        ("#A#{3}", 11, 12),
        ("#A#B", 13, 16),
        ("#A#B#{1}", 14, 14),
        ("#A#B##Deep", 15, 16),
        ("#A#B##Deep#{1}", 16, 16),
        ("#A#B#{2}", 17, 18),
        ("#A#B#{2}#{1}", 18, 18),
        ("#A[2]", 19, 25),
        ("#A[2]#{1}", 20, 25),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: 1\n", [("#---frontmatter---", 1, None)]),
        ("# A\r\n- one\r\n- two\r\n", [("#A", 1, 4), ("#A#{1}", 2, 4)]),
        ("# A\n* one\n1. two\n+ no\n1) no", [("#A", 1, 5), ("#A#{1}", 2, 2), ("#A#{2}", 3, 5)]),
        ("  ## Indented\nx", [("##Indented", 1, 2), ("##Indented#{1}", 2, 2)]),
        ("# A\n~~~\n# B\n", [("#A", 1, 2), ("#A#{1}", 2, 2), ("#B", 3, 4)]),
        ("", []),
        ("\n\n", []),
    ],
)
def test_blocks(text: str, expected: list[tuple[str, int, int | None]]) -> None:
    assert [(block.key, block.first, block.last) for block in parse_blocks(text)] == expected


def test_tags_were_headings_once() -> None:
    text = "# A\n#tag of it\n## B\n"
    assert [block.key for block in parse_blocks(text)] == ["#A", "#A#{1}", "#A#B"]
    assert [block.key for block in parse_blocks(text, tags_are_headings=True)] == ["#A", "#tag of it", "#tag of it#B"]


@given(st.text(st.sampled_from("#-`ab \n\r1."), max_size=120))
def test_blocks_lie_inside_the_note(text: str) -> None:
    count = len(text.split("\n"))
    for block in parse_blocks(text):
        assert 1 <= block.first <= (block.last or count) <= count
