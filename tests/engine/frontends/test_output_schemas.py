"""Schemas of answers stand by themselves, and accept and refuse what the ones they are made of do."""

from __future__ import annotations

import json
from typing import Any, Literal

import jsonschema
import msgspec
import pytest

from engine.frontends import mcp_shapes as s
from engine.frontends.mcp_graph import GRAPH_TOOLS
from engine.frontends.mcp_reference import REFERENCE_TOOLS
from engine.frontends.mcp_tools import TOOLS

SHAPES = [tool.gives for tool in (*TOOLS, *GRAPH_TOOLS, *REFERENCE_TOOLS) if not isinstance(tool.gives, dict)]


class Leaf(msgspec.Struct):
    name: str
    kind: Literal["a", "b"] | None = None


class Tree(msgspec.Struct):
    best: Leaf | None
    count: int | None
    leaves: list[Leaf]
    words: list[str] | None = None


def is_valid(schema: dict[str, Any], value: Any) -> bool:
    return not list(jsonschema.Draft202012Validator(schema).iter_errors(value))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_they_are_schemas_without_references(shape: type) -> None:
    schema = s.output_schema(shape)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert "$ref" not in json.dumps(schema)
    assert schema["required"] == s.schema(shape)["required"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"best": None, "count": None, "leaves": []}, True),
        ({"best": {"name": "x"}, "count": 3, "leaves": [{"name": "y", "kind": "a"}], "words": ["w"]}, True),
        ({"best": {"name": "x", "kind": None}, "count": 3, "leaves": [], "words": None}, True),
        ({"best": {}, "count": 3, "leaves": []}, False),
        ({"best": [], "count": 3, "leaves": []}, False),
        ({"best": None, "count": "3", "leaves": []}, False),
        ({"best": None, "count": 3, "leaves": [{"name": "y", "kind": "c"}]}, False),
        ({"best": None, "count": 3, "leaves": [None]}, False),
        ({"best": None, "count": 3, "leaves": [], "words": [1]}, False),
        ({"best": None, "count": 3}, False),
    ],
)
def test_they_judge_as_before(value: dict[str, Any], expected: bool) -> None:
    assert is_valid(s.schema(Tree), value) is expected
    assert is_valid(s.output_schema(Tree), value) is expected


def test_what_is_said_of_a_field_stays() -> None:
    field = s.output_schema(s.SearchOutput)["properties"]["next_offset"]
    assert field == {"description": "Pass as offset to go on; null at the end.", "type": ["integer", "null"]}
