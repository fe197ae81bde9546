"""The texts that Smart Connections embeds, rebuilt exactly: breadcrumbs, blocks, cuts in UTF-16 units. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

NOTE_UNITS = (1894, 2048)
"""Longest input of a note in UTF-16 units: since September 2025, and before."""

FRONT_MATTER = "#---frontmatter---"

_FENCE = "```"
_HEADING = re.compile(r"(#{1,6})\s+(.+)")
_OLDER_HEADING = re.compile(r"(#{1,6})\s*([^#\s].*)")
"""Before April 2026 a tag at the beginning of a line made a heading."""
_LIST_ITEM = re.compile(r"(?:[-*]|\d+\.)\s.*")


def units(text: str) -> int:
    """Length as JavaScript counts it: an emoji is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut_units(text: str, limit: int) -> str:
    """The first ``limit`` UTF-16 units; half an emoji at the end becomes a lone surrogate, as in the plugin."""
    return text.encode("utf-16-le", "surrogatepass")[: 2 * limit].decode("utf-16-le", "surrogatepass")


def note_breadcrumb(path: str) -> str:
    return path.replace("/", " > ").replace(".md", "", 1)


def block_breadcrumb(key: str) -> str:
    """Breadcrumb of a whole block key ``path#A#B``: its last part is dropped, empty parts are kept."""
    parts = key.replace("/", " > ").split("#")
    return " > ".join(parts[:-1]).replace(".md", "", 1)


def note_input(path: str, text: str, limit: int = NOTE_UNITS[0]) -> str:
    return cut_units(f"{note_breadcrumb(path)}:\n{text}", limit)


def block_input(key: str, text: str) -> str:
    return f"{block_breadcrumb(key)}\n{text}"


def lines_text(lines: Sequence[str], first: int, last: int) -> str:
    """Lines ``first`` to ``last`` (1-based, inclusive) of a text that was parted at its line feeds."""
    return "\n".join(lines[first - 1 : last])


def cut_to_tokens(text: str, prefix: str, limit: int, count: Callable[[str], int]) -> str:
    """``text`` shortened as the plugin does until ``prefix + text`` has at most ``limit`` tokens.

    ``count`` counts tokens with the special ones. Tokenizers ship without a limit of their own, so it is given here.
    """
    whole = prefix + text
    while whole and (tokens := count(whole)) > limit:
        size = units(whole)
        whole = cut_units(whole, min(size - 1, int(size * limit / tokens * 0.9)))
        space = whole.rfind(" ")
        if space > 0:
            whole = whole[:space]
    return whole[len(prefix) :]


# --- blocks -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a note. ``key`` is the part of its name after the path; lines are 1-based and inclusive."""

    key: str
    first: int
    last: int | None
    """``None``: front matter that never ends."""


@dataclass(slots=True)
class _Heading:
    key: str
    level: int
    first: int
    paragraphs: int = 0
    """Paragraphs and list items so far."""


class _Parser:
    def __init__(self, lines: list[str], heading: re.Pattern[str]) -> None:
        self._lines = lines
        self._heading_form = heading
        self._open: list[_Heading] = []
        self._starts: dict[str, int] = {}
        self._ends: dict[str, int | None] = {}
        self._leaf = ""
        self._in_fence = False
        self._titles: Counter[str] = Counter()

    def run(self) -> list[Block]:
        begin = self._front_matter()
        for number in range(begin, len(self._lines) + 1):
            self._take(number, self._lines[number - 1])
        self._close_leaf(len(self._lines))
        self._close_headings(0, len(self._lines))
        return [Block(key, first, self._ends[key]) for key, first in self._starts.items()]

    def _front_matter(self) -> int:
        """The first line after the front matter."""
        if self._lines[0].strip() != "---":
            return 1
        ends = (number for number, line in enumerate(self._lines[1:], 2) if line.strip() == "---")
        end = next(ends, None)
        self._starts[FRONT_MATTER] = 1
        self._ends[FRONT_MATTER] = end
        return (end or len(self._lines)) + 1

    def _take(self, number: int, line: str) -> None:
        bare = line.strip()
        if bare.startswith(_FENCE):
            self._in_fence = not self._in_fence
            self._text(number, bare)
        elif self._in_fence:
            self._text(number, bare)
        elif heading := self._heading_form.fullmatch(bare):
            self._heading(number, len(heading[1]), heading[2].strip())
        elif _LIST_ITEM.fullmatch(line) and not line.endswith("\r"):
            self._item(number)
        else:
            self._text(number, bare)

    def _heading(self, number: int, level: int, title: str) -> None:
        self._close_leaf(number - 1)
        self._close_headings(level, number - 1)
        parent = self._open[-1] if self._open else None
        key = f"{parent.key if parent else ''}{'#' * (level - (parent.level if parent else 0))}{title}"
        self._titles[key] += 1
        if (times := self._titles[key]) > 1:
            key += f"#{{{times}}}" if parent else f"[{times}]"
        self._starts[key] = number
        self._open.append(_Heading(key, level, number))

    def _item(self, number: int) -> None:
        if self._open:
            self._close_leaf(number - 1)
            self._begin_leaf(number)
        else:
            self._text(number, self._lines[number - 1])

    def _text(self, number: int, bare: str) -> None:
        """A line that begins a paragraph unless one is open; blank lines begin none."""
        if not self._leaf and bare:
            self._begin_leaf(number)

    def _begin_leaf(self, number: int) -> None:
        if self._open:
            heading = self._open[-1]
            heading.paragraphs += 1
            self._leaf = f"{heading.key}#{{{heading.paragraphs}}}"
        else:
            self._leaf = "#"
        self._starts.setdefault(self._leaf, number)

    def _close_leaf(self, last: int) -> None:
        if self._leaf:
            self._ends[self._leaf] = last
            self._leaf = ""

    def _close_headings(self, level: int, last: int) -> None:
        while self._open and self._open[-1].level >= level:
            self._ends[self._open.pop().key] = last


def parse_blocks(text: str, *, tags_are_headings: bool = False) -> list[Block]:
    """The blocks of a note as the plugin cuts them (``tags_are_headings``: as it did before), in order of beginning."""
    return _Parser(text.split("\n"), _OLDER_HEADING if tags_are_headings else _HEADING).run()
