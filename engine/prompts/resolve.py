"""Asks a model which of some names mean the same thing. Holds no example names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.prompts.fence import DATA_RULE, fenced

VERSION = "resolve/1"

SYSTEM = f"""\
You sort names out of somebody's notes into groups, as JSON. Names in one group mean one and the same thing.

{DATA_RULE}

- Put names together only when the words that go with them leave no reasonable doubt. A name alone is a group of one.
- A part, a place, a member, a work or a relative of a thing is not that thing.
- Every name given stands in exactly one group, spelled as given. Do not add names.

Answer with one JSON object and nothing else: {{"groups": [[ ... ], ... ]}}, each group a list of names."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "groups": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
    },
    "required": ["groups"],
    "additionalProperties": False,
}


def user_text(names: Sequence[tuple[str, str, Sequence[str]]]) -> str:
    """``names``: (name, type, quotes in which it stands)."""
    lines = []
    for name, type_, quotes in names:
        lines.append(f"name: {name} ({type_})")
        lines.extend(f"  said: {' '.join(quote.split())}" for quote in quotes)
    return "The names:\n" + fenced("\n".join(lines))
