"""What the knowledge graph is made of before it is a graph: things, what they are called, and facts about them.

Pure values. A *thing* is an entity as one source names it; its id comes from source, type and name, so it is the same
after the index was rebuilt. A *fact* is one piece of evidence for one relation.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum

from engine.model import Evidence, NoteKey, SourceId

MENTIONS = "mentions"
NOTE_TYPES = frozenset({"note", "page"})
"""Types of things that are, or could become, a note of their own."""
MODEL_TYPES = ("person", "org", "project", "place", "concept", "event", "tool", "source")
"""What a model may call a thing."""

_NOT_WORD = re.compile(r"[^\w]+")


class NameKind(StrEnum):
    TITLE = "title"
    """Of the note that is about the thing."""
    ALIAS = "alias"
    """Declared by the owner as another name."""
    LABEL = "label"
    """Shown in place of a link to it; says less than an alias ("here")."""


@dataclass(frozen=True, slots=True)
class Thing:
    id: str
    type: str
    name: str


@dataclass(frozen=True, slots=True)
class Naming:
    """One name of a thing, with the place where it is called that."""

    thing: Thing
    name: str
    kind: NameKind
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Fact:
    subject: Thing
    predicate: str
    """snake_case, see ``slug``."""
    object: Thing
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class NoteFacts:
    """All that one note says. ``stamp`` tells whether that is still so."""

    note: NoteKey
    stamp: str
    facts: tuple[Fact, ...] = ()
    names: tuple[Naming, ...] = ()


def thing(source: SourceId, type_: str, name: str, discriminator: str = "") -> Thing:
    """The thing of this type and name in a source. Case counts; white space is collapsed.

    ``discriminator`` tells things of one name apart: the path of a note whose title stands twice.
    """
    shown = " ".join(name.split())
    # Tags are the one kind of name that their program compares without case.
    identity = shown.casefold() if type_ == "tag" else shown
    text = "\0".join((source, type_, identity, discriminator))
    return Thing(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16], type_, shown)


def slug(text: str) -> str:
    """``Works at`` -> ``works_at``; letters of any script stay. ``related_to`` when nothing is left."""
    return _NOT_WORD.sub("_", text.lower()).strip("_") or "related_to"
