"""Values of attributes and properties that are plain text: which of them are names of something. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.knowledge.facts import slug
from engine.model import Passage, PassageKind
from engine.text import roam
from engine.text.frontmatter import as_strings

ALIAS_ATTRIBUTES = frozenset({"alias", "aliases"})
VALUE_LIMIT = 60
WORD_LIMIT = 8

_HOUSEKEEPING = frozenset(
    {
        *("tags", "tag", "title", "id", "uid", "uuid", "created", "modified", "updated", "date", "time", "cssclass"),
        *("cssclasses", "publish", "permalink", "description", "summary", "cover", "banner", "image", "position"),
        *("date_created", "date_modified", "created_at", "updated_at", "template", "url", "link", "source_url"),
    }
)
"""Slugs of attributes that speak of the note as a file, or hold prose."""
_NOT_A_NAME = re.compile(r"://|[{}<>=`|\\]|^\W|[.!?;:]\s|\d{4}-\d{2}-\d{2}|^\d[\d.,/]*\s|^[\d\W]+$")


@dataclass(frozen=True, slots=True)
class Value:
    """A plain value: the attribute that gives it, and the passage in which it stands (None: the properties)."""

    attribute: str
    text: str
    passage: Passage | None = None


def is_name(text: str) -> bool:
    """Whether a plain value may name a thing: short, with a letter, no sentence, date, measure or address."""
    return (
        0 < len(text) <= VALUE_LIMIT
        and len(text.split()) <= WORD_LIMIT
        and any(c.isalpha() for c in text)
        and not _NOT_A_NAME.search(text)
        and not text.endswith((".", "?", "!"))
    )


def property_values(properties: Mapping[str, object], passages: Sequence[Passage]) -> Iterator[Value]:
    """Plain names in the properties and inline fields of a Markdown note."""
    for name, value in properties.items():
        if not _says_something(name) or name.casefold() in ALIAS_ATTRIBUTES:
            continue
        for text in dict.fromkeys(one.strip() for one in as_strings(value)):
            if is_name(text) and "[[" not in text:
                yield Value(name, text, _field_passage(name, text, passages))


def attribute_values(passages: Sequence[Passage], parents: Sequence[int]) -> Iterator[Value]:
    """Plain names in the ``attr::`` blocks of a Roam page, inline or in the blocks directly beneath."""
    empty_heads: dict[int, str] = {}
    for index, passage in enumerate(passages):
        above = empty_heads.get(parents[index])
        head = roam.attribute(passage.raw) if passage.kind is PassageKind.BLOCK and "::" in passage.raw else None
        if head is None:
            if above and not roam.references(passage.raw):
                yield from _names(above, roam.clean(passage.raw), passage)
            continue
        value = passage.raw[head.value_start :]
        if not value.strip():
            empty_heads[index] = head.name
        elif not roam.references(value):
            yield from _names(head.name, roam.clean(value), passage)


def parents_of(passages: Sequence[Passage]) -> list[int]:
    """Index of the passage that each Roam block stands under; -1 directly under the page."""
    parents: list[int] = []
    open_blocks: list[tuple[int, int]] = []
    for index, passage in enumerate(passages):
        if passage.kind is not PassageKind.BLOCK:
            parents.append(-1)
            continue
        while open_blocks and open_blocks[-1][0] >= passage.depth:
            open_blocks.pop()
        parents.append(open_blocks[-1][1] if open_blocks else -1)
        open_blocks.append((passage.depth, index))
    return parents


def _says_something(attribute: str) -> bool:
    """Whether an attribute relates its note to something; a long "name" is a sentence before two colons."""
    return slug(attribute) not in _HOUSEKEEPING and len(attribute) <= 40


def _names(attribute: str, text: str, passage: Passage) -> Iterator[Value]:
    if not _says_something(attribute) and slug(attribute) not in ("tags", "tag"):
        return
    for part in (one.strip() for one in text.split(",")):
        if is_name(part):
            yield Value(attribute, part, passage)


def _field_passage(name: str, text: str, passages: Sequence[Passage]) -> Passage | None:
    """The passage that holds the value as an inline field; None when it stands in the front matter."""
    for passage in passages:
        at = passage.text.find(f":: {text}")
        if at >= 0 and slug(passage.text[:at].rsplit("\n", 1)[-1]).endswith(slug(name)):
            return passage
    return None
