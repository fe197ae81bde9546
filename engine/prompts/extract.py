"""Asks a model for the facts that one passage states. Holds no example facts: a model repeats what it is shown."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from engine.prompts.fence import DATA_RULE, fenced

VERSION = "extract/1"

TYPES = "person, org, project, place, concept, event, tool, source"

SYSTEM = f"""\
You list the facts that one passage of somebody's notes states, as JSON.

{DATA_RULE}

A fact joins a subject and an object by a predicate.
- Take only what the passage itself says. No background knowledge, no guesses, nothing from the rules of this message.
- subject and object: names or short noun phrases as the passage or its headings write them, never whole sentences. If
  a pronoun stands for one named thing beyond doubt, write that name; otherwise leave the fact out. The writer of the
  notes, "I", is called "the author".
- subject_type and object_type: one of {TYPES}.
- predicate: a specific verb phrase in snake_case that reads well between subject and object. Standing side by side is
  no relation.
- quote: the shortest run of the passage's own words that proves the fact, copied letter by letter. It names the
  subject or the object, or both. Without such words there is no fact.
- confidence: from 0 to 1, how plainly the passage says it.
- Leave out questions, plans, wishes, tasks, doubts and what is only possible.
- Many passages state no fact. Then the list is empty.

Answer with one JSON object and nothing else: {{"facts": [ ... ]}}, each fact an object with the keys subject,
subject_type, predicate, object, object_type, quote, confidence."""

SYSTEM_TOGETHER = f"""\
{SYSTEM}

Several passages are given, each by itself and with a number. Read each as if it were the only one, and never join what
two of them say. Each fact also has the key passage: the number of the passage that states it and holds its quote."""
"""The same rules for several passages at once, under the same version."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "subject": {"type": "string"},
                    "subject_type": {"type": "string", "enum": TYPES.split(", ")},
                    "predicate": {"type": "string"},
                    "object": {"type": "string"},
                    "object_type": {"type": "string", "enum": TYPES.split(", ")},
                    "quote": {"type": "string"},
                    "confidence": {"type": "number"},
                },
                "required": [
                    *("subject", "subject_type", "predicate", "object", "object_type", "quote", "confidence"),
                ],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}

SCHEMA_TOGETHER: dict[str, Any] = copy.deepcopy(SCHEMA)
_FACT = SCHEMA_TOGETHER["properties"]["facts"]["items"]
_FACT["properties"] = {"passage": {"type": "integer"}, **_FACT["properties"]}
_FACT["required"] = ["passage", *_FACT["required"]]


def user_text(breadcrumb: Sequence[str], text: str) -> str:
    """The passage with the titles above it, root first."""
    lines = ["note: " + (breadcrumb[0] if breadcrumb else "")]
    lines += ["beneath: " + " > ".join(breadcrumb[1:])] if len(breadcrumb) > 1 else []
    return "The passage:\n" + fenced("\n".join([*lines, "passage:", text]))


def together(texts: Sequence[str]) -> str:
    """Several passages, each as ``user_text`` puts it, numbered from 1."""
    return "\n\n".join(f"Passage {number}. {text}" for number, text in enumerate(texts, 1))
