"""What every tool of the MCP server works with: the library, the budget of an answer, and how note text is passed on.

Answers stay within a budget, and note text is always marked as what it is: words of the notes, not of this program.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

import msgspec

from engine.errors import BadRequest, UnknownNote
from engine.frontends import attach
from engine.frontends import mcp_shapes as s
from engine.job import Job
from engine.model import NoteKey, Source
from engine.paths import Home

if TYPE_CHECKING:
    from engine.frontends.attach import AnyLibrary

BYTES_PER_TOKEN = 3
"""Careful: English runs to four, other scripts to less."""
DEFAULT_TOKENS = 20_000
_ELLIPSIS = "…"


class Desk:
    """What every tool works with: the library, opened at the first call, and how much an answer may hold."""

    def __init__(self, home: Home, tokens: int = DEFAULT_TOKENS) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._library: AnyLibrary | None = None
        self.budget = tokens * BYTES_PER_TOKEN
        """Bytes of one answer, structure and text together."""

    @property
    def library(self) -> AnyLibrary:
        with self._lock:
            if self._library is None:
                self._library = attach.open_library(self._home)
            return self._library

    def close(self) -> None:
        with self._lock:
            if self._library is not None:
                self._library.close()
                self._library = None

    def sources(self, given: str | Sequence[str] | None) -> list[Source]:
        """The sources that a tool is to use. Raises ``BadRequest`` when that is not clear."""
        if isinstance(given, str) and given != "*":
            return [self.library.find(given)]
        if given and given != "*":
            return [self.library.find(name) for name in given]
        known = self.library.registered()
        if not known:
            raise BadRequest("No source is registered yet.", "The person adds one with: lamplight add PATH")
        if given != "*" and len(known) > 1:
            names = ", ".join(source.name for source in known)
            raise BadRequest(f"Which source? There are {len(known)}: {names}.", 'Name one, or give "*".')
        return known

    def names(self, given: str | Sequence[str] | None) -> list[str]:
        return [source.name for source in self.sources(given)]

    def source(self, given: str | None) -> Source:
        if given == "*":
            raise BadRequest("This tool works on one source.", "Name it.")
        return self.sources(given)[0]

    def name(self, given: str | None) -> str:
        return self.source(given).name


@dataclass(frozen=True, slots=True)
class Answer:
    """``value`` is an instance of the tool's output class; ``text`` says the same in short, for who reads text only."""

    value: Any
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    title: str
    description: str
    takes: type[s.Input]
    gives: Any
    """The class of the answer's value, or a JSON Schema."""
    run: Callable[[Desk, Any, Job], Answer]
    is_read_only: bool = True
    is_open_world: bool = False


def size(value: Any) -> int:
    return len(msgspec.json.encode(value))


def trimmed(document: dict[str, Any], budget: int) -> dict[str, Any]:
    """A document whose longest lists are halved until it fits; ``left_out`` counts what each has lost."""
    lost: dict[str, int] = {}
    while 2 * size(document) > budget:
        lists = {name: value for name, value in document.items() if isinstance(value, list) and len(value) > 1}
        if not lists:
            break
        longest = max(lists, key=lambda name: size(lists[name]))
        kept = len(lists[longest]) // 2
        lost[longest] = lost.get(longest, 0) + len(lists[longest]) - kept
        document = {**document, longest: lists[longest][:kept], "left_out": lost}
    return document


def fenced(text: str) -> str:
    """Note text between marks that it cannot forge."""
    safe = text.replace("<notes", "‹notes").replace("</notes", "‹/notes")
    return f"{s.UNTRUSTED}\n<notes>\n{safe}\n</notes>"


def cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: max(0, longest - 1)] + _ELLIPSIS


def link_of(source_id: str, key: str) -> str:
    """``lamplight://note/<source>/<key>``: names a note for as long as it keeps its path or uid."""
    return f"lamplight://note/{quote(source_id, safe='')}/{quote(key, safe='/')}"


def parse_link(uri: str) -> tuple[str, NoteKey]:
    """(source, key). Raises ``UnknownNote`` for whatever else it is."""
    try:
        scheme, place, path, *_ = urlsplit(uri)
    except ValueError:
        scheme = place = path = ""
    source, _, key = path.lstrip("/").partition("/")
    if scheme != "lamplight" or place != "note" or not source or not key:
        raise UnknownNote(f"'{cut(uri, 200)}' is not the address of a note.", "See the links in search rows.")
    return unquote(source), NoteKey(unquote(key))


def within(rows: list[Any], budget: int, shorten: Callable[[Any, int], Any]) -> list[Any]:
    """As many rows as fit, the first shortened if it must be. Twice their size, for the text repeats most of them."""
    kept: list[Any] = []
    for row in rows:
        needed = 2 * size(row)
        if needed > budget and not kept:
            return [shorten(row, budget)]
        if needed > budget:
            break
        budget -= needed
        kept.append(row)
    return kept
