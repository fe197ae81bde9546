"""What is in a note but says nothing: embedded files, drawings, queries. Pure; counts what it takes out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

QUERY_FENCES = frozenset({"dataview", "dataviewjs", "tasks", "base", "query"})
DRAWING_FENCES = frozenset({"mermaid", "tikz", "excalidraw", "compressed-json"})

_LONG_LINE = 200
_TOKEN_KEPT = 64
_BASE64 = re.compile(r"data:[\w.+-]{1,60}/[\w.+-]{1,60}(?:;[\w=.-]{1,60}){0,4};base64,[A-Za-z0-9+/=_%-]*")
# Brackets end a run, so that the markup around a long address survives.
_LONG_TOKEN = re.compile(r"""[!#-&*-;=?-Z\\^-z~'"]{1000,}""")
_TEXT_ELEMENTS = re.compile(r"#{1,2}\s+text elements\s*$", re.IGNORECASE)
_AFTER_TEXT_ELEMENTS = re.compile(r"%%|#{1,2}\s+(?:element links|embedded files|drawing)\b", re.IGNORECASE)


def fence_noise(info: str) -> str:
    """The kind of noise that a fence with this info string holds; empty when it holds text or code."""
    name = info.strip().strip("{}").split(maxsplit=1)[0].lower() if info.strip().strip("{}") else ""
    if name in QUERY_FENCES:
        return "query"
    return "drawing" if name in DRAWING_FENCES else ""


def trim_lines(lines: Sequence[str], trimmed: Counter[str]) -> list[str]:
    """The same number of lines without embedded files and without the tail of endless words."""

    def drop(found: re.Match[str]) -> str:
        trimmed["base64"] += len(found[0])
        return ""

    def shorten(found: re.Match[str]) -> str:
        trimmed["long-word"] += len(found[0]) - _TOKEN_KEPT
        return found[0][:_TOKEN_KEPT] + "…"

    return [line if len(line) < _LONG_LINE else _LONG_TOKEN.sub(shorten, _BASE64.sub(drop, line)) for line in lines]


def is_drawing(properties: Mapping[str, object]) -> bool:
    """Whether the front matter says that the note is an Excalidraw drawing."""
    return "excalidraw-plugin" in properties


def keep_drawing_text(lines: Sequence[str], trimmed: Counter[str]) -> list[str]:
    """The lines of an Excalidraw note with all but its text elements blanked."""
    kept: list[str] = []
    inside = False
    for line in lines:
        if _TEXT_ELEMENTS.match(line):
            inside = True
            kept.append("")
            continue
        if inside and _AFTER_TEXT_ELEMENTS.match(line):
            inside = False
        if not inside:
            trimmed["drawing"] += len(line)
        kept.append(line if inside else "")
    return kept
