"""The block structure of Markdown by CommonMark's rules, with Obsidian's comments and math. Pure.

Only blocks are parsed here; what stands inside a line is ``inline.py``'s. Cost is linear in the lines:
a line's tail never decides its block, so the parser sees the first characters of long lines only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

_SEEN = 2000
"""Characters of a line that the block parser sees."""
_DEPTH = 180
"""Columns of indentation, and a third of it markers, beyond which nesting is taken as nesting no deeper."""
_DEEP_INDENT = re.compile(rf"\s{{{_DEPTH},}}")
_DEEP_MARKERS = re.compile(r"(?:[ \t]{0,3}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){60,}")
_CUT = re.compile(r"\x02([0-9]+)\x03")


class BlockKind(StrEnum):
    HEADING = "heading"
    TEXT = "text"
    FENCE = "fence"
    CODE = "code"
    HTML = "html"
    MATH = "math"


@dataclass(frozen=True, slots=True)
class Block:
    kind: BlockKind
    first: int
    """Index of the line that the first line of ``text`` is."""
    text: str
    level: int = 0
    """Of a heading; 0 for one inside a quote or a list, which is not part of the outline."""
    info: str = ""
    """Of a fence."""
    begins_item: bool = False
    begins_quote: bool = False


def parse_blocks(lines: Sequence[str]) -> list[Block]:
    """All blocks that hold text, in order; comments and rules are left out.

    ``lines`` have no line ends. A block's text has one line for each line of the file that it covers.
    """
    lines = [_shallow(line) for line in lines]
    seen = [line if len(line) <= _SEEN else f"{line[:_SEEN]}\x02{i}\x03" for i, line in enumerate(lines)]
    parser = _parser()
    tokens: list[Token] = []
    # The newline at the end makes the last line count like any other.
    parser.block.parse("\n".join(seen) + "\n", parser, {}, tokens)
    found = [block for i in range(len(tokens)) if (block := _block(tokens, i)) is not None]
    return [_restore(block, lines) for block in found]


def _shallow(line: str) -> str:
    """The line with absurd nesting flattened: the parser would drop what is nested deeper than it follows."""
    if len(line) > _DEPTH:
        line = _DEEP_INDENT.sub(" " * _DEPTH, line, count=1) if line[:_DEPTH].isspace() else line
        line = _DEEP_MARKERS.sub("> ", line, count=1) if _DEEP_MARKERS.match(line) else line
    return line


def _restore(block: Block, lines: Sequence[str]) -> Block:
    """Put back what ``parse_blocks`` hid from the parser."""

    def tail(cut: re.Match[str]) -> str:
        number = int(cut[1]) if len(cut[1]) < 12 else len(lines)
        return lines[number][_SEEN:] if number < len(lines) and len(lines[number]) > _SEEN else cut[0]

    if "\x02" not in block.text:
        return block
    return Block(
        block.kind,
        block.first,
        _CUT.sub(tail, block.text),
        block.level,
        block.info,
        block.begins_item,
        block.begins_quote,
    )


def _block(tokens: Sequence[Token], i: int) -> Block | None:
    token = tokens[i]
    first = token.map[0] if token.map else 0
    if token.type == "inline":
        opening = tokens[i - 1]
        if opening.type == "heading_open":
            level = int(opening.tag[1]) if opening.level == 0 else 0
            return Block(BlockKind.HEADING, first, token.content, level)
        container = tokens[i - 2].type if i > 1 else ""
        return Block(
            BlockKind.TEXT,
            first,
            token.content,
            begins_item=container == "list_item_open",
            begins_quote=container == "blockquote_open",
        )
    if token.type == "fence":
        return Block(BlockKind.FENCE, first + 1, token.content.removesuffix("\n"), info=token.info)
    kind = {"code_block": BlockKind.CODE, "html_block": BlockKind.HTML, "math": BlockKind.MATH}.get(token.type)
    return Block(kind, first, token.content.removesuffix("\n")) if kind else None


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 2 * _DEPTH})
    # Link definitions are text here: their addresses are found like any other.
    parser.disable("reference")
    ends: RuleOptionsType = {"alt": ["paragraph", "blockquote", "list"]}
    parser.block.ruler.before("fence", "comment", _comment, ends)
    parser.block.ruler.before("fence", "math", _math, ends)
    return parser


def _closing_line(state: StateBlock, start: int, end: int, mark: str) -> int:
    """The line that closes a block opened by ``mark`` on line ``start``; -1 when there is no such block."""
    begin = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith(mark, begin) or state.is_code_block(start):
        return -1
    if state.src.find(mark, begin + len(mark), state.eMarks[start]) >= 0:
        return -1
    for line in range(start + 1, end):
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            return -1
        if state.src.find(mark, state.bMarks[line], state.eMarks[line]) >= 0:
            return line
    return -1


def _comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    closing = _closing_line(state, start, end, "%%")
    if closing < 0:
        return False
    if silent:
        return True
    state.line = closing + 1
    after = state.src.find("%%", state.bMarks[closing], state.eMarks[closing]) + 2
    rest = state.src[after : state.eMarks[closing]].strip()
    if rest:
        state.push("paragraph_open", "p", 1).map = [closing, closing + 1]
        inline = state.push("inline", "", 0)
        inline.content = rest
        inline.map = [closing, closing + 1]
        state.push("paragraph_close", "p", -1)
    return True


def _math(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    closing = _closing_line(state, start, end, "$$")
    if closing < 0:
        return False
    if silent:
        return True
    state.line = closing + 1
    token = state.push("math", "math", 0)
    token.map = [start, closing + 1]
    token.content = state.getLines(start, closing + 1, state.blkIndent, False).replace("$$", "")
    return True
