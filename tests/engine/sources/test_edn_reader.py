"""EDN: values, errors with their place, depth, and agreement with JSON."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.sources import edn


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nil", None),
        ("true", True),
        ("-42", -42),
        ("+7", 7),
        ("12N", 12),
        ("1.5M", 1.5),
        ("2.5e-3", 0.0025),
        ("1/2", 0.5),
        ("##Inf", math.inf),
        (":block/uid", ":block/uid"),
        ("foo/bar", "foo/bar"),
        ("-", "-"),
        (r'"a\"b\\c\n\t\u00e9"', 'a"b\\c\n\té'),
        (r'"\ud83d\ude00"', "😀"),
        ('""', ""),
        (r"\a", "a"),
        (r"\newline", "\n"),
        (r"\u00e9", "é"),
        ("[1 (2 [3]) #{4}]", (1, (2, (3,)), (4,))),
        ('{:a 1, :b {"c" nil}}', {":a": 1, ":b": {"c": None}}),
        ("{[1 2] 3}", {(1, 2): 3}),
        ("[1 #_ 2 3 #_ #_ 4 5]", (1, 3)),
        ("[#_ #tag 1 2]", (2,)),
        ("; first\n[1 ; one\n 2]; end", (1, 2)),
        ('#inst "2020-01-01"', edn.Tagged("inst", "2020-01-01")),
        ("#a #b 1", edn.Tagged("a", edn.Tagged("b", 1))),
        (
            '[[1 :a 2 3] [1 :b "x [[y]] \\"z\\"" 3] [4 :c nil 3] [5 :d {:e 1} 3]]',
            ((1, ":a", 2, 3), (1, ":b", 'x [[y]] "z"', 3), (4, ":c", None, 3), (5, ":d", {":e": 1}, 3)),
        ),
    ],
)
def test_values(text: str, expected: object) -> None:
    assert edn.loads(text) == expected


def test_nan_and_the_kinds_of_names() -> None:
    nan, keyword, symbol, string = edn.loads('[##NaN :a a "a"]')  # type: ignore[misc]
    assert math.isnan(nan)
    assert (type(keyword), type(symbol), type(string)) == (edn.Keyword, edn.Symbol, str)


def test_a_map_as_key_is_survived() -> None:
    assert list(edn.loads("{{:a 1} 2}").values()) == [2]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("[1\n 2", "Line 2, column 3: the text ends inside “[” of line 1, column 1.", 2),
        ('[1\n "abc', "Line 2, column 2: this cannot be read", 2),
        ("]", "Line 1, column 1: “]” closes nothing that is open there.", 1),
        ("[1)", "Line 1, column 3: “)” closes nothing", 1),
        ("{:a}", "Line 1, column 1: a map has a key without a value.", 1),
        ("1 2", "one value was expected, 2 were found", 1),
        ("", "one value was expected, 0 were found", 1),
        ("[#_]", "“]” closes nothing", 1),
        ("#tag", "the text ends inside “#tag”", 1),
    ],
)
def test_errors_say_where(text: str, message: str, line: int) -> None:
    with pytest.raises(edn.EdnError) as caught:
        edn.loads(text)
    assert message in str(caught.value)
    assert caught.value.line == line


def test_any_depth() -> None:
    value = edn.loads("[" * 20_000 + "]" * 20_000)
    depth = 0
    while value:
        value, depth = value[0], depth + 1  # type: ignore[index]
    assert depth == 19_999


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


def _with_lists(value: object) -> object:
    if isinstance(value, tuple):
        return [_with_lists(each) for each in value]
    if isinstance(value, dict):
        return {key: _with_lists(each) for key, each in value.items()}
    return value


@settings(max_examples=100, deadline=None)
@given(JSON, st.sampled_from([None, 2]), st.booleans())
def test_json_reads_as_the_standard_decoder_reads_it(value: object, indent: int | None, ascii_only: bool) -> None:
    compact = (",", ":") if indent is None else None
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, separators=compact)
    assert _with_lists(edn.loads(text, json=True)) == json.loads(text)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="[]{}()\"\\#_: ;,\n1a-.'", max_size=40))
def test_any_text_is_a_value_or_a_clear_error(text: str) -> None:
    message = "Line "
    try:
        edn.loads(text)
    except edn.EdnError as error:
        message = error.message
    assert message.startswith("Line ")
