"""Whether a passage says what a model claims it says. Pure; the one gate between a reply and the graph.

A claim passes when its quote stands in the passage word for word and names one of its ends, and both ends are spoken of
in the passage or the titles above it. That stops inventions, facts out of the prompt, and orders hidden in notes alike.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from engine.knowledge.facts import slug
from engine.linking.replies import Claim
from engine.model import Passage
from engine.text import words
from engine.text.stopwords import STOP_WORDS

AUTHOR = "the author"
"""Who writes the notes, when they say "I"."""
NAME_LIMIT = 80
QUOTE_LIMIT = 600
"""Characters; a longer quote proves nothing in particular."""

_AUTHOR_WORDS = frozenset({"i", "me", "my", "myself", "author", AUTHOR, "ich", "je", "moi", "我"})
_PRONOUNS = frozenset(
    {
        *("he", "she", "it", "they", "them", "him", "her", "his", "its", "their", "this", "that", "these", "those"),
        *("we", "us", "you", "who", "which", "someone", "something", "er", "sie", "es", "man", "il", "elle", "on"),
    }
)
_VAGUE = frozenset(
    {
        *(
            "mentions",
            "mentioned_with",
            "related_to",
            "relates_to",
            "associated_with",
            "co_occurs_with",
            "connected_to",
        ),
        *("links_to", "linked_to", "and", "with", "has_relation", "relation"),
    }
)
_WRAPPING = " \t\n\"'“”„«»‘’`…"


class Refusal(StrEnum):
    """Why a claim is not taken."""

    QUOTE = "the quote is not in the passage"
    SILENT_QUOTE = "the quote names neither end"
    LONG_QUOTE = "the quote is too long"
    UNSPOKEN = "the passage does not speak of it"
    NOT_A_NAME = "an end is no name"
    SAME = "both ends are the same"
    VAGUE = "the predicate says nothing"


def prove(claim: Claim, passage: Passage, language: str = "") -> Claim | Refusal:
    """The claim with tidy names, and with the passage's own words as its quote; or why it is refused."""
    subject, object_, predicate = tidy_name(claim.subject), tidy_name(claim.object), slug(claim.predicate)
    if not is_name(subject) or not is_name(object_):
        return Refusal.NOT_A_NAME
    if subject.casefold() == object_.casefold():
        return Refusal.SAME
    if predicate in _VAGUE or len(predicate) > NAME_LIMIT:
        return Refusal.VAGUE
    quote = words_of(claim.quote, passage)
    if not quote:
        return Refusal.QUOTE
    if len(quote) > QUOTE_LIMIT:
        return Refusal.LONG_QUOTE
    everything = spoken("\n".join((*passage.breadcrumb, passage.text)), language)
    if not all(name == AUTHOR or speaks_of(name, everything, language) for name in (subject, object_)):
        return Refusal.UNSPOKEN
    said = spoken(quote, language)
    if not any(speaks_of(name, said, language) for name in (subject, object_)):
        return Refusal.SILENT_QUOTE
    return dataclasses.replace(claim, subject=subject, object=object_, predicate=predicate, quote=quote)


def words_of(quote: str, passage: Passage) -> str:
    """The words of the passage that ``quote`` repeats, white space collapsed; empty when it does not."""
    wanted = " ".join(quote.split())
    for candidate in dict.fromkeys((wanted, wanted.strip(_WRAPPING))):
        for body in (passage.text, passage.raw):
            found = re.search(re.escape(candidate), " ".join(body.split()), re.IGNORECASE) if candidate else None
            if found:
                return found[0]
    return ""


def tidy_name(name: str) -> str:
    """A name without brackets, hash and quotes; the writer of the notes under one name."""
    bare = " ".join(name.replace("[[", "").replace("]]", "").split()).strip(_WRAPPING).removeprefix("#").strip()
    return AUTHOR if bare.casefold() in _AUTHOR_WORDS else bare


def is_name(name: str) -> bool:
    return (
        0 < len(name) <= NAME_LIMIT
        and any(c.isalnum() for c in name)
        and name.casefold() not in _PRONOUNS
        and not re.search(r"[{}<>|\x00-\x1f]", name)
    )


def spoken(text: str, language: str = "") -> frozenset[str]:
    """The terms of a text, stemmed as its language and as none."""
    return frozenset(words.terms(text, language)) | frozenset(words.terms(text))


def speaks_of(name: str, said: frozenset[str], language: str = "") -> bool:
    """Whether at least half of the words that matter in ``name`` are among the terms ``said``."""
    wanted = content_terms(name, language)
    hits = sum(1 for term in wanted if term in said)
    return hits > 0 and 2 * hits >= len(wanted)


def content_terms(text: str, language: str = "") -> Sequence[str]:
    """The terms of ``text`` without stop words; with them when there is nothing else."""
    found = list(dict.fromkeys(words.terms(text, language)))
    stops = _stop_terms(language)
    return [term for term in found if term not in stops] or found


@lru_cache(maxsize=64)
def _stop_terms(language: str) -> frozenset[str]:
    return frozenset(words.stem(word, language) for word in STOP_WORDS.get(language or "en", frozenset()))
