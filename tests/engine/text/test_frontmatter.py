"""Properties: types, odd shapes, broken YAML that is kept, and bombs that are refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Link, LinkKind
from engine.text.frontmatter import aliases_of, read_front_matter, tags_of
from engine.text.markdown import parse_note


def read(yaml: str):
    return read_front_matter(["---", *yaml.split("\n"), "---", "body"])


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("x: text", "text"),
        ("x: 12", 12),
        ("x: -1.5", -1.5),
        ("x: true", True),
        ("x: yes", "yes"),
        ("x: 12:30", "12:30"),
        ("x: 007", "007"),
        ("x: 2024-01-02", "2024-01-02"),
        ("x: 2024-01-02T03:04:05", "2024-01-02T03:04:05"),
        ("x: .nan", ".nan"),
        ("x: 1e999", "1e999"),
        ('x: "12"', "12"),
        ("x:", None),
        ("x: []", []),
        ("x: [a, b]", ["a", "b"]),
        ("x:\n  - a\n  - 1", ["a", 1]),
        ("x: [[Note]]", "[[Note]]"),
        ("x:\n  - [[Note]]\n  - b", ["[[Note]]", "b"]),
        ('x: "[[Note]]"', "[[Note]]"),
        ("x: {a: {b: 1}}", {"a": {"b": 1}}),
        ("x: |\n  two\n  lines", "two\nlines"),
        ("a: &n [1]\nx: *n", [1]),
        ('{"x": {"y": [1, null]}}', {"y": [1, None]}),
        ('{\t"x":\t1}', 1),
    ],
)
def test_values(yaml: str, value: object) -> None:
    front = read(yaml)
    assert front.problem == ""
    assert front.properties["x"] == value
    json.dumps(front.properties, allow_nan=False)


@pytest.mark.parametrize(
    ("yaml", "line", "salvaged"),
    [
        ("title: {{title}}\nrating: 5", 2, {"title": "{{title}}", "rating": 5}),
        ("ok: 1\ndate: {{date}}", 3, {"ok": 1, "date": "{{date}}"}),
        ("people:\n- @ada\n- bob", 3, {"people": ["@ada", "bob"]}),
        ("x: a: b", 2, {"x": "a: b"}),
        ("x: !/path", 2, {"x": "!/path"}),
        ("x: <% tp.date %>\ny: [[a]], [[b]]", 3, {"x": "<% tp.date %>", "y": "[[a]], [[b]]"}),
        ("x: 1\nx: 2", 3, {"x": 1}),
        ("\tx: 1", 2, {}),
        ("- just\n- a list", 2, {}),
        ("only words", 2, {}),
        ("x: *missing", 2, {"x": "*missing"}),
        ("tags: [a, b\nx: 1", 3, {"tags": "[a, b", "x": 1}),
    ],
)
def test_broken_yaml_is_salvaged_with_its_line(yaml: str, line: int, salvaged: dict[str, object]) -> None:
    front = read(yaml)
    assert front.problem
    assert front.problem_line == line
    assert dict(front.properties) == salvaged
    assert front.raw == yaml


def test_bombs_are_refused() -> None:
    layers = ["a: &a [x,x,x,x,x,x,x,x,x,x]"]
    layers += [f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 10)}]" for i in range(12)]
    assert read("\n".join(layers)).problem == "too many values"
    assert read("a: " + "[" * 61 + "]" * 61).problem == "nested too deeply"
    assert "nest" in read("a: " + "[" * 100_000).problem
    assert "nest" in read("a: " + "{b: " * 100_000).problem


@pytest.mark.parametrize(
    "lines",
    [[], ["text", "---", "a: 1", "---"], ["---", "a: 1"], ["----", "a: 1", "----"], [" ---", "a: 1", "---"]],
)
def test_rules_in_the_body_are_not_properties(lines: list[str]) -> None:
    front = read_front_matter(lines)
    assert (dict(front.properties), front.body_line) == ({}, 0)


@pytest.mark.parametrize(
    ("properties", "aliases"),
    [
        ({"aliases": ["A", "B b"]}, ("A", "B b")),
        ({"alias": "A, B b"}, ("A", "B b")),
        ({"Aliases": [1984, None]}, ("1984",)),
        ({"aliases": None}, ()),
        ({"aliases": ["A"], "alias": ["A", "C"]}, ("A", "C")),
    ],
)
def test_aliases(properties: dict[str, object], aliases: tuple[str, ...]) -> None:
    assert aliases_of(properties) == aliases


@pytest.mark.parametrize(
    ("properties", "tags"),
    [
        ({"tags": ["a", "#b/c"]}, ("a", "b/c")),
        ({"tag": "a, b c"}, ("a", "b", "c")),
        ({"tags": ["A", "a"]}, ("A",)),
        ({"tags": [2024, "y2024"]}, ("y2024",)),
        ({"aliases": ["tea"]}, ()),
    ],
)
def test_tags(properties: dict[str, object], tags: tuple[str, ...]) -> None:
    assert tags_of(properties) == tags


def test_links_in_properties_carry_the_property_and_stand_in_no_passage() -> None:
    document = parse_note('---\nup: "[[Home#Top|h]]"\nsee:\n  - [[A]]\n  - https://example.org\ntags: [t]\n---\nx')
    assert document.property_links == (
        Link(LinkKind.LINK, "Home", "Top", "h", "up", -1, 2),
        Link(LinkKind.LINK, "A", attribute="see", line=3),
        Link(LinkKind.URL, "https://example.org", attribute="see", line=3),
        Link(LinkKind.TAG, "t", attribute="tags", line=6),
    )


@given(st.text(alphabet=st.sampled_from(list("ab:-[]{}&*!|>'\"%@#,?\n\t 01.~<")), max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_properties_are_read_or_salvaged_as_json_values(yaml: str) -> None:
    front = read(yaml)
    json.dumps(front.properties, allow_nan=False)
    assert 0 <= front.problem_line <= yaml.count("\n") + 2
