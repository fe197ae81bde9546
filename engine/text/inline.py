"""What stands inside the lines of an Obsidian note: links, tags, comments, emphasis. Pure.

Turns markup into the text a reader sees, line for line, and lists the links with their place in that text.
Code and math keep their characters. Cost is bounded: very long paragraphs are read in pieces.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from engine.model import Link, LinkKind

_PIECE = 6000
"""Characters read at once; patterns that search for their end look no further."""
_MAX_DEPTH = 3

Mark = tuple[int, Link]
"""A link and its offset in the cleaned text."""


@dataclass(frozen=True, slots=True)
class Inline:
    text: str
    marks: tuple[Mark, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    """Inline fields: name as written, value as written."""


_HTML_TAGS = (
    "a|abbr|article|aside|audio|b|big|blockquote|br|button|caption|center|cite|code|col|colgroup|dd|del|details|dfn|div"
    "|dl|dt|em|figcaption|figure|font|footer|form|h[1-6]|header|hr|i|iframe|img|input|ins|kbd|label|li|main|mark|nav"
    "|ol|p|picture|pre|q|s|samp|section|small|source|span|strike|strong|sub|summary|sup|svg|table|tbody|td|tfoot|th"
    "|thead|time|tr|tt|u|ul|var|video|wbr"
)
HTML_TAG = re.compile(rf"</?(?:{_HTML_TAGS})(?:\s[^<>]{{0,2000}})?/?>", re.IGNORECASE)
_TAG_WORD = r"(?:[\w/-]|[^\x00-\x7f\u00a0-\u00bf\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f\u3000-\u303f\uff00-\uff0f\s])+"
_FIELD_NAME = r"[^\W\d_][^\[\]():`|#\n\x00]{0,60}?"
_FIELD_VALUE = r"(?:\[\[[^\[\]\n]*\]\]|[^\[\]()\n]){0,500}"
_LABEL = r"(?:[^\[\]\\\n]|\\.|\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\](?:\([^()\n]*\))?)*"
_ADDRESS = r"<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*"
_URL_CHAR = r"""[^\s<>\[\]"`()]|\([^\s<>\[\]()]*\)"""
_LINK_TITLE = r"""(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?"""

_STARTS = re.compile(r"[\\`%<$!\[^(#]|(?<![\w/])(?:https?|obsidian)://", re.IGNORECASE)
_CONSTRUCT = re.compile(
    rf"""
      \\(?P<escaped>[!-/:-@\[-`{{-~])
    | (?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)
    | (?P<comment>%%.*?%%|<!--.*?-->)
    | \$\$(?P<display>[^$]+)\$\$
    | \$(?P<math>(?![\s$])[^$\n]{{1,500}}?(?<![\s\\]))\$(?![\d$])
    | (?P<embed>!?)\[\[(?P<wiki>(?:(?!\[\[|\]\])[^\n]){{1,1000}})\]\]
    | \^\[(?P<footnote>[^\[\]\n]{{1,2000}})\]
    | (?P<reference>\[\^[^\]\s]{{1,100}}\]:?)
    | (?P<field>[\[(](?P<name>{_FIELD_NAME})::[ \t]+(?P<value>{_FIELD_VALUE})[\])])
    | (?P<image>!?)\[(?P<label>{_LABEL})\]\((?P<address>{_ADDRESS}){_LINK_TITLE}[ \t]*\)
    | <(?P<auto>[a-z][a-z0-9+.-]{{1,30}}:[^\s<>]{{1,2000}})>
    | (?P<html>{HTML_TAG.pattern})
    | (?P<url>(?:https?|obsidian)://(?:{_URL_CHAR})*(?![.,;:!?'*_~=])(?:{_URL_CHAR}))
    | (?<![\w/#&.])\#(?P<tag>{_TAG_WORD})
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
LINE_FIELD = re.compile(
    rf"(?:[*_]{{0,2}})(?P<name>{_FIELD_NAME})(?:[*_]{{0,2}})::(?:[*_]{{0,2}})(?:\s+(?P<value>\S.*)|\s*)$"
)
_SPACED_TAG = re.compile(r"</?(?:br|hr|li|p|td|th|tr|div)\b", re.IGNORECASE)
_SIZE_LABEL = re.compile(r"\d+(?:x\d+)?")
_DELIMITERS = re.compile(r"\*+|_+|(?<!~)~~(?!~)|(?<!=)==(?!=)")


def clean_inline(text: str) -> Inline:
    """The readable text of a paragraph and what it links to. Lines stay lines."""
    if len(text) <= _PIECE:
        return _clean(text, 0)
    texts: list[str] = []
    marks: list[Mark] = []
    fields: list[tuple[str, str]] = []
    offset = 0
    for piece in _pieces(text):
        part = _clean(piece, 0)
        texts.append(part.text)
        marks.extend((at + offset, link) for at, link in part.marks)
        fields.extend(part.fields)
        offset += len(part.text)
    return Inline("".join(texts), tuple(marks), tuple(fields))


def _pieces(text: str) -> Iterator[str]:
    """Cut at line ends, else at blanks, else anywhere."""
    start = 0
    while len(text) - start > _PIECE:
        limit = start + _PIECE
        cut = text.rfind("\n", start, limit) + 1 or text.rfind(" ", start, limit) + 1 or limit
        yield text[start:cut]
        start = cut
    yield text[start:]


Slot = tuple[str, tuple[Mark, ...]]
"""What a construct shows, and the links in it."""


def _clean(text: str, depth: int) -> Inline:
    parts: list[str] = []
    slots: list[Slot] = []
    fields: list[tuple[str, str]] = []
    position = 0
    search_from = 0
    while start := _STARTS.search(text, search_from):
        found = _CONSTRUCT.match(text, start.start())
        slot = _slot(found, depth, fields) if found else None
        if found is None or slot is None:
            search_from = start.start() + 1
            continue
        parts += (text[position : found.start()], "\x00")
        slots.append(slot)
        position = search_from = found.end()
    parts.append(text[position:])
    plain = strip_emphasis("".join(parts))
    return _fill(_unescape(plain) if "&" in plain else plain, slots, fields)


def _unescape(text: str) -> str:
    """Entities as characters; none of them may add a line."""
    return "\n".join(re.sub(r"[\n\r]", " ", html.unescape(line)) for line in text.split("\n"))


def _fill(plain: str, slots: Sequence[Slot], fields: Sequence[tuple[str, str]]) -> Inline:
    texts: list[str] = []
    marks: list[Mark] = []
    offset = 0
    pieces = plain.split("\x00")
    for piece, slot in zip(pieces, [*slots, ("", ())], strict=False):
        offset += len(piece)
        marks.extend((offset + at, link) for at, link in slot[1])
        offset += len(slot[0])
        texts += (piece, slot[0])
    return Inline("".join(texts), tuple(marks), tuple(fields))


def _slot(found: re.Match[str], depth: int, fields: list[tuple[str, str]]) -> Slot | None:
    """What the construct shows; None when it is ordinary text after all."""
    kind = found.lastgroup or ""
    for name in ("wiki", "label", "field", "ticks", "footnote"):
        if found[name] is not None:
            kind = name
            break
    handler = _HANDLERS.get(kind)
    return handler(found, depth, fields) if handler else None


def _literal(group: str) -> Callable[[re.Match[str], int, list[tuple[str, str]]], Slot]:
    return lambda found, _depth, _fields: (found[group], ())


def _blank(found: re.Match[str], _depth: int, _fields: list[tuple[str, str]]) -> Slot:
    return "\n" * found[0].count("\n"), ()


def _html(found: re.Match[str], _depth: int, _fields: list[tuple[str, str]]) -> Slot:
    lines = "\n" * found[0].count("\n")
    return lines or (" " if _SPACED_TAG.match(found[0]) else ""), ()


def _footnote(found: re.Match[str], depth: int, fields: list[tuple[str, str]]) -> Slot:
    inner = _inner(found["footnote"], depth, fields)
    return f" ({inner.text})", tuple((at + 2, link) for at, link in inner.marks)


def _field(found: re.Match[str], depth: int, fields: list[tuple[str, str]]) -> Slot:
    name, value = found["name"].strip(), found["value"].strip()
    fields.append((name, value))
    inner = _inner(value, depth, fields)
    lead = f"{name}:: "
    return lead + inner.text, tuple((at + len(lead), replace(link, attribute=name)) for at, link in inner.marks)


def _inner(text: str, depth: int, fields: list[tuple[str, str]]) -> Inline:
    if depth >= _MAX_DEPTH:
        return Inline(text)
    inner = _clean(text, depth + 1)
    fields.extend(inner.fields)
    return inner


def _wiki(found: re.Match[str], _depth: int, _fields: list[tuple[str, str]]) -> Slot:
    link = wiki_link(found["wiki"], is_embed=bool(found["embed"]))
    return shown_name(link), ((0, link),)


def _markdown_link(found: re.Match[str], depth: int, fields: list[tuple[str, str]]) -> Slot | None:
    address = found["address"].strip("<>").strip()
    inner = _inner(found["label"], depth, fields)
    label = "" if _SIZE_LABEL.fullmatch(inner.text) else inner.text
    link = address_link(address, label, is_embed=bool(found["image"]))
    if link is None:
        return inner.text, inner.marks
    if found["image"]:
        label = label.split("|")[0]
    return label or shown_name(link), ((0, link), *inner.marks)


def _auto(found: re.Match[str], _depth: int, _fields: list[tuple[str, str]]) -> Slot:
    return found["auto"], ((0, Link(LinkKind.URL, found["auto"])),)


def _url(found: re.Match[str], _depth: int, _fields: list[tuple[str, str]]) -> Slot:
    return found["url"], ((0, Link(LinkKind.URL, found["url"])),)


def _tag(found: re.Match[str], _depth: int, _fields: list[tuple[str, str]]) -> Slot | None:
    tag = found["tag"].rstrip("/-").lstrip("/")
    if not tag or tag.isdigit():
        return None
    return found[0], ((0, Link(LinkKind.TAG, tag)),)


_HANDLERS: dict[str, Callable[[re.Match[str], int, list[tuple[str, str]]], Slot | None]] = {
    "escaped": _literal("escaped"),
    "ticks": _literal("code"),
    "comment": _blank,
    "display": _literal("display"),
    "math": _literal("math"),
    "wiki": _wiki,
    "footnote": _footnote,
    "reference": _blank,
    "field": _field,
    "label": _markdown_link,
    "auto": _auto,
    "html": _html,
    "url": _url,
    "tag": _tag,
}


def wiki_link(inner: str, *, is_embed: bool = False) -> Link:
    """The link that stands between ``[[`` and ``]]``."""
    # In a table the bar before the label is escaped.
    target, _, label = inner.replace("\\|", "|").partition("|")
    name, _, fragment = target.partition("#")
    label = label.strip()
    return Link(
        LinkKind.EMBED if is_embed else LinkKind.LINK,
        name.strip(),
        fragment.strip(),
        "" if is_embed and _SIZE_LABEL.fullmatch(label.split("|")[-1]) else label,
    )


def address_link(address: str, label: str = "", *, is_embed: bool = False) -> Link | None:
    """The link of ``[label](address)``: to a note or file, or to the web; None when it leads nowhere."""
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+:", address):
        return Link(LinkKind.URL, address, label=label)
    path, _, fragment = address.partition("#")
    if not path and not fragment:
        return None
    kind = LinkKind.EMBED if is_embed else LinkKind.LINK
    return Link(kind, _decode(path), _decode(fragment), label)


def _decode(part: str) -> str:
    return unquote(part, errors="replace").replace("\x00", "") if "%" in part else part


def shown_name(link: Link) -> str:
    """What a reader sees in place of a link."""
    if link.label:
        return link.label
    name = short_name(link.target)
    headings = [part for part in link.fragment.split("#") if part and not part.startswith("^")]
    return " > ".join(part for part in (name, *headings) if part)


def short_name(target: str) -> str:
    """The last part of a path, without ``.md``."""
    return target.rsplit("/", 1)[-1].removesuffix(".md")


def strip_emphasis(text: str) -> str:
    """Without the paired markers of bold, italics, strikethrough and highlight; single ones stay."""
    open_runs: dict[str, list[list[int]]] = {}
    removed: list[tuple[int, int]] = []
    for run in _DELIMITERS.finditer(text):
        start, end = run.span()
        before, after = text[start - 1 : start], text[end : end + 1]
        char = run[0][0]
        can_open, can_close = bool(after) and not after.isspace(), bool(before) and not before.isspace()
        if char == "_":
            can_open, can_close = can_open and not before.isalnum(), can_close and not after.isalnum()
        left = start
        stack = open_runs.setdefault(char, [])
        while can_close and stack and left < end:
            opener = stack[-1]
            used = min(opener[1] - opener[0], end - left)
            removed += ((opener[1] - used, opener[1]), (left, left + used))
            opener[1] -= used
            left += used
            if opener[0] == opener[1]:
                stack.pop()
        if can_open and left < end:
            stack.append([left, end])
    return _without(text, sorted(removed))


def _without(text: str, ranges: Sequence[tuple[int, int]]) -> str:
    if not ranges:
        return text
    parts: list[str] = []
    position = 0
    for start, end in ranges:
        parts.append(text[position:start])
        position = end
    parts.append(text[position:])
    return "".join(parts)


def line_of(starts: Sequence[int], offset: int) -> int:
    """Index of the line that holds a character offset, given where each line starts."""
    return bisect_right(starts, offset) - 1
