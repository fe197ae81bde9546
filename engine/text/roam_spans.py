"""Where the markup of one Roam block stands: code, references, components, links, styles.

Owns the grammar of a block string and nothing else: it finds, it never changes text. Each kind of markup is looked for
in a copy of the string where the kinds that rank above it are blanked out at equal length, so every offset is one into
the original. Brackets, braces and parentheses are matched with stacks, so any nesting takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

BLANK = "\x00"
"""Stands for masked characters: neither space nor word nor markup."""

MAX_TITLE = 1000
"""Longer page references are text: nested titles without a bound would cost their length squared."""


class SpanKind(StrEnum):
    CODE = "code"
    FENCE = "fence"
    MATH = "math"
    HICCUP = "hiccup"
    COMPONENT = "component"
    PAGE = "page"
    TAG = "tag"
    """``#word`` or ``#[[several words]]``."""
    COLOUR = "colour"
    """``#c:red``."""
    BLOCK = "block"
    LINK = "link"
    IMAGE = "image"
    URL = "url"
    STYLE = "style"
    """One delimiter of a pair."""
    QUOTE = "quote"
    """A leading ``>``, ``[[>]]`` or ``[[!INFO]]``, or a block that is a rule."""


class Span(NamedTuple):
    """``string[start:end]`` with its markup; ``inner`` is the part between the delimiters."""

    kind: SpanKind
    start: int
    end: int
    inner: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Head:
    """``Name::`` at the start of a block: the name is ``string[:end]``, the value begins at ``value_start``.

    A styled head (``**Name::**``) ends after its closing delimiter.
    """

    end: int
    value_start: int


@dataclass(frozen=True, slots=True)
class Markup:
    """All spans of one string. Nested pages come innermost first."""

    string: str
    spans: tuple[Span, ...]
    head: Head | None
    plain: str
    """The string with code blanked out."""

    def of(self, *kinds: SpanKind) -> list[Span]:
        return [span for span in self.spans if span.kind in kinds]


_TICKS = re.compile(r"`+")
_FENCE_OPENING = re.compile(r"[\w+#./ -]{0,40}\n")
_BLOCK = re.compile(r"\(\(([A-Za-z0-9_-]{1,64})\)\)")
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s<>\"\[\]{}|\\^`\x00]+")
_URL_TAIL = re.compile(r"(?:[.,;:!?'*~]|__)+$")
_TAG = re.compile(r"(?:(?<=[\s:_/*^~])|^)#(?!\[\[)([^\s,;!?\"'()\[\]{}#^~|<>\\`$=+&%\x00]+)")
_HEX = re.compile(r"[0-9a-fA-F]+")
_STYLE = re.compile(r"\*\*|__|\^\^|~~")
_QUOTE = re.compile(r"\s*(?:\[\[>\]\]|>(?=\s))[^\S\n]*(?:\[\[![A-Z]+\]\][^\S\n]*)?")
_ANY = re.compile(r"[\[\]{}`#*_^~>]|\$\$|::|://|\(\(|---|:hiccup")
_HEAD_END = re.compile(r"::(?:\*\*|__|\^\^|~~)?")
_RULE = re.compile(r"\s*-{3,}\s*")


@lru_cache(maxsize=256)
def parse(string: str) -> Markup:
    """All markup of one block. Never fails: what is not balanced is ordinary text."""
    if not _ANY.search(string):
        return Markup(string, (), None, string)
    # Most blocks hold few kinds of markup; the look for a telling pair of characters costs next to nothing.
    code = _code(string) if "`" in string else []
    plain = mask(string, code)
    if plain.lstrip().startswith(":hiccup"):
        return Markup(string, (Span(SpanKind.HICCUP, 0, len(string), (0, len(string))),), None, plain)
    blocks = [Span(SpanKind.BLOCK, m.start(), m.end(), m.span(1)) for m in _BLOCK.finditer(plain)]
    math = _math(plain)
    text = mask(plain, math)
    components = _components(text) if "{{" in text else []
    pages, links = _brackets(text) if "[" in text else ([], [])
    urls = _urls(text, links) if "://" in text else []
    text = mask(text, [*components, *_destinations(links), *urls, *pages])
    tags = _tags(text, string, pages) if "#" in string else []
    found = [*code, *math, *components, *pages, *blocks, *links, *urls, *tags]
    styles = _styles(mask(text, blocks)) if _STYLE.search(text) else []
    quote = _quote(string)
    return Markup(string, (*found, *styles, *quote), _head(text, string) if "::" in text else None, plain)


def mask(string: str, spans: Sequence[Span]) -> str:
    """The string with the spans blanked out; line ends stay."""
    if not spans:
        return string
    pieces: list[str] = []
    cursor = 0
    for start, end in sorted([(span.start, span.end) for span in spans]):
        if end <= cursor:
            continue
        start = max(start, cursor)
        pieces.append(string[cursor:start])
        if string.find("\n", start, end) < 0:
            pieces.append(BLANK * (end - start))
        else:
            pieces.append("\n".join([BLANK * len(line) for line in string[start:end].split("\n")]))
        cursor = end
    pieces.append(string[cursor:])
    return "".join(pieces)


def _code(string: str) -> list[Span]:
    """Inline code and fences. The closing ticks may be glued to code or text; unclosed ticks are text."""
    runs = [(m.start(), m.end() - m.start()) for m in _TICKS.finditer(string)]
    found: list[Span] = []
    last = {min(length, 3): start for start, length in runs}
    index = 0
    while index < len(runs):
        start, length = runs[index]
        index += 1
        if last[min(length, 3)] == start:
            continue
        while min(runs[index][1], 3) != min(length, 3):
            index += 1
        found.append(_code_span(string, start, length, *runs[index]))
        index += 1
    return found


def _code_span(string: str, start: int, opening: int, close: int, closing: int) -> Span:
    end = close + closing
    if opening < 3:
        return Span(SpanKind.CODE, start, end, (start + opening, close))
    language = _FENCE_OPENING.match(string, start + opening, close)
    return Span(SpanKind.FENCE, start, end, (language.end() if language else start + opening, close))


def _math(plain: str) -> list[Span]:
    found: list[Span] = []
    start = plain.find("$$")
    while start >= 0:
        close = plain.find("$$", start + 2)
        if close < 0:
            break
        found.append(Span(SpanKind.MATH, start, close + 2, (start + 2, close)))
        start = plain.find("$$", close + 2)
    return found


def _components(text: str) -> list[Span]:
    """``{{…}}`` with balanced braces inside. Two adjacent braces count when their partners are adjacent too."""
    partner: dict[int, int] = {}
    stack: list[int] = []
    for match in re.finditer(r"[{}]", text):
        at = match.start()
        if match[0] == "{":
            stack.append(at)
        elif stack:
            partner[stack.pop()] = at
    found: list[Span] = []
    covered = -1
    for start in sorted(partner):
        end = partner[start]
        if start > covered and partner.get(start + 1) == end - 1:
            found.append(Span(SpanKind.COMPONENT, start, end + 1, (start + 2, end - 1)))
            covered = end
    return found


def _brackets(text: str) -> tuple[list[Span], list[Span]]:
    """Page references at every level, innermost first, and links and images with balanced destinations."""
    parens = _parens(text) if "](" in text else {}
    pages: list[Span] = []
    links: list[Span] = []
    stack: list[tuple[int, int]] = []
    doubles = 0
    for match in re.finditer(r"\[+|\]+|\n", text):
        at, run = match.start(), match.end() - match.start()
        if match[0] == "\n":
            stack.clear()
            doubles = 0
        elif match[0][0] == "[":
            if run % 2:
                stack.append((at, 1))
                at += 1
            stack.extend((each, 2) for each in range(at, match.end(), 2))
            doubles += run // 2
        else:
            doubles -= _close(text, at, match.end(), stack, doubles, parens, pages, links)
    return pages, links


def _close(
    text: str,
    at: int,
    stop: int,
    stack: list[tuple[int, int]],
    doubles: int,
    parens: dict[int, int],
    pages: list[Span],
    links: list[Span],
) -> int:
    """Let one run of closing brackets close what is open; returns how many double brackets were closed."""
    closed = 0
    while at < stop and stack:
        start, width = stack[-1]
        if width == 1 and stop - at == 2 and doubles > closed:
            stack.pop()
        elif width == 1:
            stack.pop()
            at += 1
            link = _link(text, start, at, parens)
            if link:
                links.append(link)
        elif stop - at >= 2:
            stack.pop()
            closed += 1
            if start + 2 < at <= start + 2 + MAX_TITLE:
                pages.append(Span(SpanKind.PAGE, start, at + 2, (start + 2, at)))
            at += 2
        else:
            break
    return closed


def _link(text: str, start: int, after: int, parens: dict[int, int]) -> Span | None:
    end = parens.get(after)
    if end is None:
        return None
    is_image = start > 0 and text[start - 1] == "!"
    kind = SpanKind.IMAGE if is_image else SpanKind.LINK
    return Span(kind, start - is_image, end + 1, (start + 1, after - 1))


def _parens(text: str) -> dict[int, int]:
    """Opening parenthesis -> its partner on the same line."""
    partner: dict[int, int] = {}
    stack: list[int] = []
    for match in re.finditer(r"[()\n]", text):
        if match[0] == "(":
            stack.append(match.start())
        elif match[0] == "\n":
            stack.clear()
        elif stack:
            partner[stack.pop()] = match.start()
    return partner


def _destinations(links: Sequence[Span]) -> list[Span]:
    """The ``](…)`` parts of links."""
    return [Span(SpanKind.URL, link.inner[1], link.end, (link.inner[1] + 2, link.end - 1)) for link in links]


def _urls(text: str, links: Sequence[Span]) -> list[Span]:
    """Bare addresses, without the punctuation or styling that follows them."""
    found: list[Span] = []
    for match in _URL.finditer(mask(text, _destinations(links))):
        address = _URL_TAIL.sub("", match[0][-40:])
        end = match.end() - len(match[0][-40:]) + len(address)
        url = text[match.start() : end]
        if url.endswith(")") and url.count(")") > url.count("("):
            end -= 1
        found.append(Span(SpanKind.URL, match.start(), end, (match.start(), end)))
    return found


def _tags(text: str, string: str, pages: Sequence[Span]) -> list[Span]:
    found: list[Span] = []
    for match in _TAG.finditer(text):
        name = match[1].rstrip("*_.:/-")
        start, end = match.start(), match.start() + 1 + len(name)
        if name.startswith("c:"):
            found.append(Span(SpanKind.COLOUR, start, end, (start + 3, end)))
        elif name and not name.startswith("/") and not _is_hex_colour(name):
            found.append(Span(SpanKind.TAG, start, end, (start + 1, end)))
    for page in pages:
        if page.start > 0 and string[page.start - 1] == "#":
            found.append(Span(SpanKind.TAG, page.start - 1, page.end, page.inner))
    return found


def _is_hex_colour(name: str) -> bool:
    """``#fff`` and ``#1a2b3c`` are colours; ``#123``, ``#bed`` and ``#facade`` are tags."""
    if len(name) not in (3, 6, 8) or not _HEX.fullmatch(name):
        return False
    has_digit = any(c.isdigit() for c in name)
    return len(set(name.lower())) == 1 or (has_digit and any(c.isalpha() for c in name))


def _styles(text: str) -> list[Span]:
    """Paired delimiters. One with a letter or digit of ASCII on both sides (``2**3``, ``a_b__c``) is text."""
    found: list[Span] = []
    opened: dict[str, Span] = {}
    for match in _STYLE.finditer(text):
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        if _is_ascii_word(before) and _is_ascii_word(after):
            continue
        span = Span(SpanKind.STYLE, match.start(), match.end(), match.span())
        opening = opened.get(match[0])
        if opening and before and not before.isspace() and opening.end < span.start:
            found.extend((opened.pop(match[0]), span))
        elif after and not after.isspace():
            opened[match[0]] = span
    return found


def _is_ascii_word(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _quote(string: str) -> list[Span]:
    match = _QUOTE.match(string) or _RULE.fullmatch(string)
    return [Span(SpanKind.QUOTE, match.start(), match.end(), match.span())] if match else []


def _head(text: str, string: str) -> Head | None:
    """The first ``::`` of the first line, unless it joins two names as in ``foo::bar``."""
    line = text.split("\n", 1)[0]
    at = line.find("::")
    if at <= 0 or not line[:at].strip() or line.startswith("::"):
        return None
    separator = _HEAD_END.match(string, at)
    end = separator.end() if separator else at + 2
    after = string[end : end + 1]
    if after and (after.isalpha() or after in "_:"):
        return None
    return Head(at, end)
