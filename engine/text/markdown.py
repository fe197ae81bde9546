"""One Markdown note as Obsidian understands it: properties, sections, links, tasks, block ids. Pure.

Text comes in as lines of the file and keeps its line numbers all the way. Never raises for odd input.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from engine.model import Link, LinkKind
from engine.text.blocks import Block, BlockKind, parse_blocks
from engine.text.frontmatter import FrontMatter, aliases_of, as_strings, read_front_matter, tags_of
from engine.text.inline import HTML_TAG, LINE_FIELD, Inline, Mark, clean_inline, line_of, wiki_link
from engine.text.noise import fence_noise, is_drawing, keep_drawing_text, trim_lines


@dataclass(frozen=True, slots=True)
class Piece:
    """The readable text of one line of the file."""

    line: int
    text: str
    marks: tuple[Mark, ...] = ()
    block_id: str = ""
    task: str = ""


@dataclass(slots=True)
class Section:
    """What stands between one heading and the next. ``line`` is the heading's file line, 0 without heading."""

    headings: tuple[str, ...] = ()
    """The path of headings as written."""
    names: tuple[str, ...] = ()
    """The same path, readable."""
    line: int = 0
    pieces: list[Piece] = field(default_factory=list)
    has_children: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    sections: tuple[Section, ...]
    front_matter: FrontMatter = field(default_factory=FrontMatter)
    properties: Mapping[str, object] = field(default_factory=dict)
    """Front matter, and inline fields that it does not name."""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Tags of the front matter."""
    property_links: tuple[Link, ...] = ()
    trimmed: Mapping[str, int] = field(default_factory=dict)


_CONTROL = re.compile(r"[\x00\x02\x03]")
_TASK = re.compile(r"\[(.)\](?:\s+|$)")
_CALLOUT = re.compile(r"\[![^\[\]\n]{1,100}\][+-]?[ \t]*")
_BLOCK_ID = re.compile(r"(?:^|\s)\^([A-Za-z0-9-]+)\s*$")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_UNSEEN_HTML = (("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"))
_PROPERTY_LINK = re.compile(r"!?\[\[((?:(?!\[\[|\]\])[^\n])+)\]\]")
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://\S+")


def split_lines(text: str) -> list[str]:
    """Lines as editors count them, without line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def parse_note(text: str) -> Document:
    """A whole file. NULs and the like become visible replacement characters."""
    lines = split_lines(_CONTROL.sub("\ufffd", text))
    front = read_front_matter(lines)
    trimmed: Counter[str] = Counter()
    body = lines[front.body_line :]
    if is_drawing(front.properties):
        body = keep_drawing_text(body, trimmed)
    fields: list[tuple[str, str]] = []
    sections = _sections(trim_lines(body, trimmed), front.body_line + 1, trimmed, fields)
    return Document(
        tuple(sections),
        front,
        _merge_fields(front.properties, fields),
        aliases_of(front.properties),
        tags_of(front.properties),
        tuple(_property_links(front)),
        trimmed,
    )


def parse_text(text: str) -> Document:
    """Markdown that is not a file of its own (a canvas card): no front matter, lines counted from 1."""
    trimmed: Counter[str] = Counter()
    fields: list[tuple[str, str]] = []
    lines = trim_lines(split_lines(_CONTROL.sub("\ufffd", text)), trimmed)
    sections = _sections(lines, 1, trimmed, fields)
    return Document(tuple(sections), properties=_merge_fields({}, fields), trimmed=trimmed)


def _merge_fields(properties: Mapping[str, object], fields: Iterable[tuple[str, str]]) -> dict[str, object]:
    """Inline fields become lists under their canonical name; the front matter wins."""
    merged = dict(properties)
    taken = {name.lower() for name in properties}
    found: dict[str, list[str]] = {}
    for name, value in fields:
        canonical = re.sub(r"\s+", "-", name.lower())
        if value and canonical not in taken:
            found.setdefault(canonical, []).append(value)
    return {**merged, **found}


def _property_links(front: FrontMatter) -> Iterator[Link]:
    for name, value in front.properties.items():
        line = front.lines.get(name, 0)
        for text in as_strings(value):
            for found in _PROPERTY_LINK.finditer(text):
                yield replace(wiki_link(found[1]), attribute=name, line=line)
            if _ADDRESS.fullmatch(text.strip()):
                yield Link(LinkKind.URL, text.strip(), attribute=name, line=line)
    for tag in tags_of(front.properties):
        yield Link(LinkKind.TAG, tag, attribute="tags", line=front.lines.get("tags", front.lines.get("tag", 0)))


def _sections(
    lines: Sequence[str], first_line: int, trimmed: Counter[str], fields: list[tuple[str, str]]
) -> list[Section]:
    sections = [Section()]
    open_headings: list[tuple[int, Section]] = []
    for block in parse_blocks(lines):
        line = first_line + block.first
        if block.kind is BlockKind.HEADING and block.level:
            while open_headings and open_headings[-1][0] >= block.level:
                open_headings.pop()
            parent = open_headings[-1][1] if open_headings else Section()
            parent.has_children = True
            section = _headed(parent, block, line, fields)
            open_headings.append((block.level, section))
            sections.append(section)
        else:
            sections[-1].pieces.extend(_pieces(block, line, trimmed, fields))
    return sections if sections[0].pieces else sections[1:]


def _headed(parent: Section, block: Block, line: int, fields: list[tuple[str, str]]) -> Section:
    raw = " ".join(block.text.split())
    found = _BLOCK_ID.search(raw)
    raw = raw[: found.start()].rstrip() if found else raw
    inline = clean_inline(raw)
    fields.extend(inline.fields)
    name = " ".join(inline.text.split())
    section = Section((*parent.headings, raw), (*parent.names, name) if name else parent.names, line)
    if inline.marks or found:
        # An empty piece carries what the heading names.
        section.pieces.append(Piece(line, "", tuple((0, link) for _, link in inline.marks), found[1] if found else ""))
    return section


def _pieces(block: Block, line: int, trimmed: Counter[str], fields: list[tuple[str, str]]) -> Iterator[Piece]:
    if block.kind is BlockKind.FENCE and (noise := fence_noise(block.info)):
        trimmed[noise] += len(block.text)
    elif block.kind in (BlockKind.TEXT, BlockKind.HEADING):
        yield from _text_pieces(block, line, fields)
    else:
        text = _strip_html(block.text) if block.kind is BlockKind.HTML else block.text
        yield from (Piece(line + i, part.rstrip()) for i, part in enumerate(text.split("\n")) if part.strip())


def _strip_html(text: str) -> str:
    """The text of an HTML block, on the same lines."""
    for opening, closing in _UNSEEN_HTML:
        text = _without_element(text, opening, closing)
    return HTML_TAG.sub(lambda found: "\n" * found[0].count("\n"), text)


def _without_element(text: str, opening: str, closing: str) -> str:
    parts: list[str] = []
    position = 0
    folded = text.lower() if text.isascii() else text
    while (start := folded.find(opening, position)) >= 0 and (end := folded.find(closing, start)) >= 0:
        end += len(closing)
        parts += (text[position:start], "\n" * text.count("\n", start, end))
        position = end
    return "".join((*parts, text[position:]))


def _text_pieces(block: Block, first_line: int, fields: list[tuple[str, str]]) -> Iterator[Piece]:
    lines = block.text.split("\n")
    task = ""
    if block.begins_item and (found := _TASK.match(lines[0])):
        task = "done" if found[1] in "xX-" else "todo"
        lines[0] = lines[0][found.end() :]
    if block.begins_quote:
        lines[0] = _CALLOUT.sub("", lines[0], count=1) if _CALLOUT.match(lines[0]) else lines[0]
    block_ids = [""] * len(lines)
    for i, text in enumerate(lines):
        # A tail is enough: ids are short, and a search over an endless line is not.
        if found := _BLOCK_ID.search(text, max(0, len(text) - 200)):
            block_ids[i] = found[1]
            lines[i] = text[: found.start()]
    if len(lines) > 1 and _TABLE_RULE.fullmatch(lines[1]) and "|" in lines[0]:
        lines = ["" if i == 1 else row.strip().strip("|") for i, row in enumerate(lines)]
    inline = clean_inline("\n".join(lines))
    fields.extend(inline.fields)
    attributes = [_line_field(text, fields) for text in lines]
    for i, (text, marks) in enumerate(_by_line(inline)):
        attribute = attributes[i]
        if attribute:
            marks = tuple((at, link if link.attribute else replace(link, attribute=attribute)) for at, link in marks)
        if text or marks or block_ids[i]:
            yield Piece(first_line + i, text, marks, block_ids[i], task)


def _line_field(line: str, fields: list[tuple[str, str]]) -> str:
    """Name of the inline field that the whole line is; empty when it is none."""
    if "::" not in line[:100] or not (found := LINE_FIELD.match(line)):
        return ""
    name = found["name"].strip()
    fields.append((name, (found["value"] or "").strip()))
    return name


def _by_line(inline: Inline) -> Iterator[tuple[str, tuple[Mark, ...]]]:
    """The cleaned text line by line, stripped, each with its own marks."""
    parts = inline.text.split("\n")
    starts = [0, *accumulate(len(part) + 1 for part in parts[:-1])]
    marks: list[list[Mark]] = [[] for _ in parts]
    for offset, link in inline.marks:
        i = line_of(starts, offset)
        indent = len(parts[i]) - len(parts[i].lstrip())
        marks[i].append((max(0, offset - starts[i] - indent), link))
    for part, own in zip(parts, marks, strict=True):
        yield part.strip(), tuple(own)
