"""Reads what a language model answered, however untidy: JSON in chatter, in fences, cut off, or none at all. Pure.

Believes nothing: what a reply claims is checked against the notes elsewhere (``proof.py``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.net.chat import ReplyError

REPLY_LIMIT = 100_000
"""Characters of a reply that are read; a model that writes more is caught in a loop."""
_STARTS = 3000
"""Places tried as the beginning of an object."""
_DECODER = json.JSONDecoder()
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_EMPTY = re.compile(r"\[\s*\]")
_NAMES = ("subject", "predicate", "object", "quote")


class UnreadableReply(ReplyError):
    """The model answered, but not in the form asked for."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact as a model states it; nothing in it is checked yet."""

    subject: str
    predicate: str
    object: str
    quote: str
    subject_type: str = ""
    object_type: str = ""
    confidence: float = 0.5


@dataclass(frozen=True, slots=True)
class Claims:
    claims: tuple[Claim, ...]
    incomplete: int = 0
    """Facts that lack a subject, a predicate, an object or a quote."""


def read_claims(text: str) -> Claims:
    """The facts in a reply, as far as they are whole. Raises ``UnreadableReply`` when there is no list at all."""
    found: list[Claim] = []
    incomplete = 0
    is_answer = False
    for value in objects(text):
        listed = value.get("facts")
        is_answer = is_answer or isinstance(listed, list)
        for entry in listed if isinstance(listed, list) else [value]:
            if not isinstance(entry, Mapping) or not {"subject", "object"} <= entry.keys():
                continue
            claim = _claim(entry)
            if claim is None:
                incomplete += 1
            else:
                found.append(claim)
    if not found and not incomplete and not is_answer and not _EMPTY.search(text[:REPLY_LIMIT]):
        raise UnreadableReply("The model did not answer with a list of facts.", "Try a larger model.")
    return Claims(tuple(dict.fromkeys(found)), incomplete)


def _claim(entry: Mapping[str, Any]) -> Claim | None:
    subject, predicate, object_, quote = (_text(entry.get(name)) for name in _NAMES)
    if not (subject and predicate and object_ and quote):
        return None
    return Claim(
        subject,
        predicate,
        object_,
        quote,
        _text(entry.get("subject_type")).casefold(),
        _text(entry.get("object_type")).casefold(),
        _confidence(entry.get("confidence")),
    )


def read_groups(text: str, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Groups of ``names``, every name in exactly one.

    Names that the model made up are dropped, names it forgot stand alone. Raises ``UnreadableReply`` when it gives no
    groups, or puts a name into two of them: such an answer decides nothing.
    """
    listed = next((value["groups"] for value in objects(text) if isinstance(value.get("groups"), list)), None)
    if listed is None:
        raise UnreadableReply("The model did not answer with groups of names.", "Try a larger model.")
    groups: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for entry in listed:
        members = dict.fromkeys(m for m in (entry if isinstance(entry, list) else ()) if m in names)
        if seen & members.keys():
            raise UnreadableReply("The model put a name into two groups, so its answer was not used.")
        seen |= members.keys()
        groups += [tuple(members)] if members else []
    return (*groups, *((name,) for name in names if name not in seen))


def objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, outermost first where they are whole; of a broken outer one the inner ones."""
    text = text[:REPLY_LIMIT]
    position, tries = text.find("{"), 0
    while position >= 0 and tries < _STARTS:
        tries += 1
        value, end = _decode(text, position)
        if isinstance(value, dict):
            yield value
        position = text.find("{", end)


def _decode(text: str, start: int) -> tuple[Any, int]:
    """The value at ``start`` and where it ends; None and the next position when there is none."""
    try:
        return _DECODER.raw_decode(text, start)
    except RecursionError:
        # Nested beyond any fact: each of its beginnings would cost as much again.
        return None, len(text)
    except ValueError:
        # Small models end lists with a comma. Only the piece up to the next brace is tried, so that this stays cheap.
        end = text.find("}", start) + 1
        if end:
            try:
                return json.loads(_TRAILING_COMMA.sub("", text[start:end])), end
            except (ValueError, RecursionError):
                pass
        return None, start + 1


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return 0.5
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return 0.5
    return min(1.0, max(0.0, number)) if number == number else 0.5
