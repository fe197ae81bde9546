"""What the system hands to the program: ``lamplight://`` links, and what a person drops on its icon.

Links are read strictly: whatever is not exactly known is refused. A link only shows something; it never adds a place.

- ``lamplight://search?q=TEXT`` with an optional ``source=NAME``
- ``lamplight://open?source=ID&note=KEY``
- ``lamplight://entity?name=NAME`` in the graph of connections, by its name or id
- ``lamplight://path?from=NAME&to=NAME``
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from PySide6.QtCore import QUrl

MAX_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class SearchLink:
    text: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class OpenLink:
    source: str
    note: str


@dataclass(frozen=True, slots=True)
class EntityLink:
    name: str


@dataclass(frozen=True, slots=True)
class PathLink:
    start: str
    end: str


Link = SearchLink | OpenLink | EntityLink | PathLink


def parse_link(link: str) -> Link | None:
    """What ``link`` asks to show, or None when it is not one of ours to the letter."""
    if len(link) > MAX_LENGTH or not link.isprintable():
        return None
    try:
        parts = urlsplit(link)
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=4)
    except (ValueError, UnicodeDecodeError):
        return None
    values = dict(pairs)
    is_clean = parts.scheme == "lamplight" and parts.path in ("", "/") and not parts.fragment
    if not is_clean or len(values) != len(pairs) or not all(value.strip() for value in values.values()):
        return None
    if parts.netloc == "search" and set(values) in ({"q"}, {"q", "source"}):
        return SearchLink(values["q"], values.get("source", ""))
    if parts.netloc == "open" and set(values) == {"source", "note"}:
        return OpenLink(values["source"], values["note"])
    if parts.netloc == "entity" and set(values) == {"name"}:
        return EntityLink(values["name"])
    if parts.netloc == "path" and set(values) == {"from", "to"}:
        return PathLink(values["from"], values["to"])
    return None


def dropped_place(word: str) -> str:
    """The path that ``word`` is or, as a ``file:`` address of this machine, names; otherwise empty."""
    url = QUrl(word) if word.startswith("file:") else QUrl.fromLocalFile(word)
    is_here = url.isLocalFile() and not url.host()
    return url.toLocalFile() if is_here and Path(url.toLocalFile()).is_absolute() else ""
