"""What one Roam block says: its clean text, the references it makes, its task, its attribute.

Pure functions of one block string (``roam_spans`` finds the markup). They know no graph: whoever has one hands in a
function that resolves block references.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from engine.model import LinkKind
from engine.text.roam_spans import Markup, Span, SpanKind, parse

CALLOUTS = frozenset(
    {
        *("!INFO", "!QUOTE", "!EXAMPLE", "!NOTE", "!WARNING", "!DANGER"),
        *("!TIP", "!SUMMARY", "!SUCCESS", "!QUESTION", "!FAILURE", "!BUG"),
    }
)
NOT_CONCEPTS = CALLOUTS | {"TODO", "DONE", ">"}
_NAMED = (LinkKind.LINK, LinkKind.TAG, LinkKind.EMBED)
_SILENT_COMPONENTS = frozenset({"query", "todo", "done", "table", "kanban", "roam/render", "roam/css", "roam/js"})
"""Components whose arguments name pages without saying anything about them."""

# Reaching a member through its enumeration costs more than the comparison that it is for.
_PAGE, _TAG, _BLOCK, _STYLE = SpanKind.PAGE, SpanKind.TAG, SpanKind.BLOCK, SpanKind.STYLE
_LINKS = (SpanKind.LINK, SpanKind.IMAGE)
_UNWRAPPED = (SpanKind.PAGE, *_LINKS)
_DROPPED = (SpanKind.STYLE, SpanKind.QUOTE, SpanKind.COLOUR, SpanKind.TAG)
"""Tags that reach this list are those of CSS."""

_EMBEDS = frozenset({"embed", "embed-children", "embed-path"})
_COMPONENT = re.compile(r"\s*(?:#?\[\[([^\[\]]+)\]\]|([^:\[\]{}()|\n]+))\s*:?\s*")
_UID = re.compile(r"[A-Za-z0-9_-]{9,10}")
_CANDIDATE = re.compile(r"\(\(([A-Za-z0-9_-]{1,64})\)\)")
_PRIVATE = re.compile(r"(?:#|\[\[)\s*\.rm-(?:hide|private)(?![\w-])", re.IGNORECASE)
_SPACES = re.compile(r"[^\S\n]+")
_INVISIBLE = re.compile("[\u200b\ufeff\u2060]")
_LINE_ENDS = re.compile(r" ?\n\s*")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAILY_TITLE = re.compile(rf"({'|'.join(_MONTHS)}) ([1-9]\d?)(st|nd|rd|th), (\d{{4}})")
_DAILY_UID = re.compile(r"(\d\d)-(\d\d)-(\d{4})")

MAX_LABEL = 300
MAX_ADDRESS = 4096
"""Longer ones are data, not addresses; links nested in links would cost their length squared without the bounds."""

Resolve = Callable[[str], str | None]


class Reference(NamedTuple):
    """One reference as written: ``target`` is a page title, a tag, a block uid or an address."""

    kind: LinkKind
    target: str
    start: int
    end: int
    label: str = ""

    @property
    def is_block(self) -> bool:
        """True when the target is a block uid: a block reference, or the embed of a block."""
        return self.kind is LinkKind.BLOCK


@dataclass(frozen=True, slots=True)
class Attribute:
    name: str
    value_start: int
    """Offset of the value in the block string."""


_Edit: TypeAlias = tuple[int, int, str, bool]
"""(start, minus end, text, is it code): what replaces ``string[start:end]``; code keeps its white space. A plain tuple,
for a large graph makes some hundred thousand of them."""
_PLACE = itemgetter(0, 1)


def clean(string: str, resolve: Resolve | None = None) -> str:
    """The block's text without markup, as shown and searched.

    ``resolve`` gives the text of a block reference; None (or no ``resolve``) keeps the reference as written. Code, and
    anything that only looks like markup, is left as it is. Lines are kept, other white space is collapsed.
    """
    markup = parse(string)
    if not markup.spans and not markup.head:
        return _tidy(string).strip()
    pieces: list[tuple[str, bool]] = []
    cursor = 0
    for start, minus_end, text, is_code in _edits(markup, resolve):
        if start < cursor:
            continue
        pieces.append((string[cursor:start], False))
        pieces.append((text, is_code))
        cursor = -minus_end
    pieces.append((string[cursor:], False))
    return _join(pieces)


def clean_title(title: str) -> str:
    """A page title without markup; as written when nothing else would be left."""
    return " ".join(clean(title).split()) or title.strip()


def references(string: str, is_known: Callable[[str], bool] | None = None) -> tuple[Reference, ...]:
    """All references in reading order of their ends; of nested pages the innermost comes first.

    ``((text))`` counts as a block reference when it has the form of a uid or ``is_known`` says so.
    """
    markup = parse(string)
    if not markup.spans:
        return ()
    found = list(_all_references(markup, is_known))
    if not found:
        return ()
    hidden, embeds = _component_ranges(markup)
    hidden += [(quote.start, quote.end) for quote in markup.of(SpanKind.QUOTE)] + _head_range(markup)
    if hidden:
        is_hidden = _covers(hidden)
        found = [ref for ref in found if not is_hidden(ref.start)]
    if embeds:
        is_embedded = _covers(embeds)
        found = [_embedded(ref) if is_embedded(ref.start) else ref for ref in found]
    return tuple(sorted(found, key=lambda ref: (ref.end, -ref.start)))


def concepts(string: str) -> tuple[str, ...]:
    """Pages and tags that the block names itself, without component names, markers, attribute heads and CSS tags."""
    return concepts_of(references(string))


def concepts_of(found: Iterable[Reference]) -> tuple[str, ...]:
    """The concepts among the references of one block."""
    targets = [
        ref.target
        for ref in found
        if ref.kind in _NAMED and ref.target not in NOT_CONCEPTS and not ref.target.startswith(".")
    ]
    return tuple(dict.fromkeys(targets))


def attribute(string: str) -> Attribute | None:
    """The ``Name::`` that opens the block."""
    head = parse(string).head
    if head is None:
        return None
    name = clean_title(string[: head.end]).strip("*_^~ ")
    return Attribute(name, head.value_start) if name else None


def task(string: str) -> str:
    """``todo``, ``done`` or empty."""
    if "{{" not in string:
        return ""
    markup = parse(string)
    states = (_component(markup, span)[0] for span in markup.of(SpanKind.COMPONENT))
    return next((state for state in states if state in ("todo", "done")), "")


def is_private(string: str) -> bool:
    """True when the owner withholds the block: ``#.rm-hide``, ``#.rm-private``, in any spelling, outside code."""
    return "rm-" in string.lower() and _PRIVATE.search(parse(string).plain) is not None


def why_empty(string: str) -> str:
    """Why a block has no text of its own: ``widget``, ``image``, ``reference`` or ``empty``."""
    markup = parse(string)
    if any(_component(markup, span)[0] not in _EMBEDS for span in markup.of(SpanKind.COMPONENT)):
        return "widget"
    if markup.of(SpanKind.IMAGE):
        return "image"
    return "reference" if markup.of(SpanKind.BLOCK) else "empty"


def block_candidates(string: str) -> list[str]:
    """Uids of everything that may be a block reference, code included; cheap."""
    return _CANDIDATE.findall(string) if "((" in string else []


def is_daily_title(title: str) -> bool:
    """``September 15th, 2020``, in English, with the right suffix, and a day that exists."""
    match = _DAILY_TITLE.fullmatch(title)
    if match is None:
        return False
    day = int(match[2])
    suffix = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return match[3] == suffix and _is_date(int(match[4]), _MONTHS.index(match[1]) + 1, day)


def is_daily_uid(uid: str) -> bool:
    """``MM-DD-YYYY``, a day that exists."""
    match = _DAILY_UID.fullmatch(uid)
    return match is not None and _is_date(int(match[3]), int(match[1]), int(match[2]))


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _edits(markup: Markup, resolve: Resolve | None) -> list[_Edit]:
    """What cleaning changes, in the order of the text. Of overlapping edits the first and widest wins."""
    string = markup.string
    edits: list[_Edit] = []
    for span in markup.spans:
        kind, start, end, (inner, inner_end) = span
        if kind in _UNWRAPPED:
            edits += ((start, -inner, "", False), (inner_end, -end, "", False))
        elif kind is _TAG and not string.startswith(".", inner):
            edits.append((start, -start - 1, "", False))
        elif kind in _DROPPED:
            edits.append((start, -end, "", False))
        elif kind is _BLOCK:
            resolved = resolve(string[inner:inner_end]) if resolve else None
            if resolved is not None:
                edits.append((start, -end, resolved, False))
        elif kind is SpanKind.COMPONENT:
            edits += _component_edits(markup, span)
        elif kind is SpanKind.URL:
            edits.append((start, -end, string[start:end], True))
        elif kind is SpanKind.MATH:
            edits.append((start, -end, _math_text(markup, span, resolve), True))
        else:
            edits.append((start, -end, string[inner:inner_end], True))
    if markup.head:
        edits.append((markup.head.end, -markup.head.end - 2, ": ", False))
    edits.sort(key=_PLACE)
    return edits


def _join(pieces: Iterable[tuple[str, bool]]) -> str:
    """Tidy white space outside code, across the places where markup was taken out."""
    joined: list[str] = []
    prose: list[str] = []
    for text, is_code in pieces:
        if not is_code:
            prose.append(text)
        elif text:
            joined.append(_tidy("".join(prose)))
            joined.append(text)
            prose.clear()
    joined.append(_tidy("".join(prose)))
    return "".join(joined).strip()


def _tidy(prose: str) -> str:
    return _LINE_ENDS.sub("\n", _SPACES.sub(" ", _INVISIBLE.sub("", prose)))


def _math_text(markup: Markup, math: Span, resolve: Resolve | None) -> str:
    """A formula as written; block references are the only markup inside it."""
    start, end = math.inner

    def replace(match: re.Match[str]) -> str:
        resolved = resolve(match[1]) if resolve else None
        return match[0] if resolved is None else resolved

    return _CANDIDATE.sub(replace, markup.string[start:end])


def _component(markup: Markup, span: Span) -> tuple[str, int]:
    """Name (folded) of a component, and the offset of its argument."""
    start, end = span.inner
    match = _COMPONENT.match(markup.string, start, end)
    return ((match[1] or match[2]).strip().casefold(), match.end()) if match else ("", start)


def _component_edits(markup: Markup, span: Span) -> tuple[_Edit, ...]:
    """An embed shows its argument; every other component is left out."""
    name, argument = _component(markup, span)
    if name in _EMBEDS:
        return (span.start, -argument, "", False), (span.inner[1], -span.end, "", False)
    return ((span.start, -span.end, "", False),)


def _component_ranges(markup: Markup) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Where components hide references (their names, and the arguments of silent ones), and where they embed."""
    hidden: list[tuple[int, int]] = []
    embeds: list[tuple[int, int]] = []
    for span in markup.of(SpanKind.COMPONENT) if "{{" in markup.string else ():
        name, argument = _component(markup, span)
        hidden.append((span.start, span.end if name in _SILENT_COMPONENTS else argument))
        if name in _EMBEDS:
            embeds.append((argument, span.end))
    return hidden, embeds


def _head_range(markup: Markup) -> list[tuple[int, int]]:
    """The attribute head when it is nothing but the attribute's own page (``[[Contact]]::``)."""
    head = markup.head
    if head is None:
        return []
    name = markup.string[: head.end].strip()
    whole = name.startswith(("[[", "#[[")) and name.endswith("]]")
    return [(0, head.end)] if whole else []


def _covers(ranges: Iterable[tuple[int, int]]) -> Callable[[int], bool]:
    """A test whether a position lies in one of the ranges, which do not overlap."""
    ordered = sorted(ranges)
    starts = [start for start, _ in ordered]

    def covers(position: int) -> bool:
        index = bisect_right(starts, position) - 1
        return index >= 0 and position < ordered[index][1]

    return covers


def _labels(markup: Markup) -> Callable[[int], str]:
    """The label of the link in whose destination a position lies, or empty."""
    if "](" not in markup.string:
        return lambda position: ""
    links = sorted(markup.of(SpanKind.LINK, SpanKind.IMAGE), key=lambda link: link.inner[1])
    starts = [link.inner[1] + 1 for link in links]

    def label(position: int) -> str:
        index = bisect_right(starts, position) - 1
        if index < 0 or position >= links[index].end:
            return ""
        return _label(markup, links[index])

    return label


def _label(markup: Markup, link: Span) -> str:
    start, end = link.inner
    return " ".join(clean(markup.string[start : min(end, start + MAX_LABEL)]).split())


def _all_references(markup: Markup, is_known: Callable[[str], bool] | None) -> Iterable[Reference]:
    string = markup.string
    label_at = _labels(markup)
    tagged = {span.inner for span in markup.of(SpanKind.TAG)}
    for kind, start, end, inner in markup.spans:
        if kind is _STYLE:
            continue
        target = string[slice(*inner)]
        if kind is _PAGE:
            if inner not in tagged:
                yield Reference(LinkKind.LINK, target, start, end, label_at(start))
        elif kind is _TAG:
            yield Reference(LinkKind.TAG, target, start, end, label_at(start))
        elif kind is _BLOCK:
            if _UID.fullmatch(target) or (is_known and is_known(target)):
                yield Reference(LinkKind.BLOCK, target, start, end, label_at(start))
        elif kind is SpanKind.URL:
            yield Reference(LinkKind.URL, target, start, end)
        elif kind in _LINKS:
            span = Span(kind, start, end, inner)
            address = _address(markup, span)
            if address:
                yield Reference(LinkKind.URL, address, start, end, _label(markup, span))


def _address(markup: Markup, link: Span) -> str:
    """Where a link leads when that is outside the graph; empty for aliases of pages and blocks."""
    start, end = link.inner[1] + 2, link.end - 1
    if end - start > MAX_ADDRESS:
        return ""
    address = markup.string[start:end].strip().removeprefix("<").removesuffix(">")
    return "" if address.startswith(("[[", "((", "#")) else address


def _embedded(ref: Reference) -> Reference:
    """A page named by an embed is embedded; an embedded block stays a block reference, whose target is a uid."""
    return ref._replace(kind=LinkKind.EMBED) if ref.kind is LinkKind.LINK else ref
