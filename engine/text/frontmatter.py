"""The properties at the top of a Markdown note: YAML or JSON between two ``---`` lines. Pure.

Never drops a note: properties that cannot be parsed are salvaged line by line and one warning is left.
Values are JSON-compatible; dates and times stay the text that was written. Reads parser *events*, never a
composed tree: nesting and alias expansion are bounded here, whatever the input.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import yaml

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_MAX_VALUES = 20_000
_MAX_DEPTH = 60
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]{1,3})?")
_WORDS: Mapping[str, object] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
_SALVAGE = re.compile(r"""["']?([^\s:#"'\-{\[][^:"']{0,100}?)["']?\s*:(?:\s+(.*))?$""")
_LIST_ITEM = re.compile(r"\s*-\s+(.*)$")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """``body_line`` is the 0-based index of the first line after the properties."""

    properties: Mapping[str, object] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    """Property name -> 1-based file line."""
    raw: str = ""
    body_line: int = 0
    problem: str = ""
    problem_line: int = 0


class _Bad(Exception):
    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def read_front_matter(lines: list[str]) -> FrontMatter:
    """Properties of a note given as lines (without line ends); empty when it has none."""
    if not lines or lines[0].rstrip() != "---":
        return FrontMatter()
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    if not end:
        return FrontMatter()
    inner = lines[1:end]
    raw = "\n".join(inner)
    try:
        properties, where = _parse(raw)
    except _Bad as bad:
        properties, where = _salvage(inner)
        # The opening line is line 1, so line 0 of the YAML is file line 2.
        return FrontMatter(properties, where, raw, end + 1, bad.reason, min(bad.line + 2, end))
    return FrontMatter(properties, where, raw, end + 1)


def as_strings(value: object) -> list[str]:
    """All texts in a property value, nested ones too."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return [text for item in value for text in as_strings(item)]
    return []


def aliases_of(properties: Mapping[str, object]) -> tuple[str, ...]:
    """Other names of the note, from ``aliases`` or ``alias``: a list, or one text with commas."""
    names: list[str] = []
    for value in _values(properties, "aliases", "alias"):
        texts = value.split(",") if isinstance(value, str) else _scalars(value)
        names.extend(text.strip() for text in texts)
    return tuple(dict.fromkeys(name for name in names if name))


def tags_of(properties: Mapping[str, object]) -> tuple[str, ...]:
    """Tags without ``#``, from ``tags`` or ``tag``: a list, or one text with commas or spaces."""
    words = [
        word.lstrip("#").strip("/")
        for value in _values(properties, "tags", "tag")
        for text in _scalars(value)
        for word in re.split(r"[,\s]+", text)
    ]
    unique: dict[str, str] = {}
    for word in words:
        if word and not word.isdigit():
            unique.setdefault(word.casefold(), word)
    return tuple(unique.values())


def _values(properties: Mapping[str, object], *names: str) -> Iterator[object]:
    for name in names:
        yield from (value for key, value in properties.items() if key.lower() == name)


def _scalars(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [str(item) for item in items if isinstance(item, str | int | float) and not isinstance(item, bool)]


def _parse(raw: str) -> tuple[dict[str, object], dict[str, int]]:
    if raw.lstrip().startswith("{"):
        value = _parse_json(raw)
        if isinstance(value, dict):
            return value, dict.fromkeys(value, 2)
    try:
        return _Builder(raw).build()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = str(getattr(error, "problem", None) or "not valid YAML")
        raise _Bad(reason, mark.line if mark else 0) from error


def _parse_json(raw: str) -> object:
    try:
        return json.loads(raw, parse_constant=str, parse_float=_finite)
    except (ValueError, RecursionError):
        return None


def _finite(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


class _Builder:
    """Turns YAML events into JSON values with a stack of its own."""

    def __init__(self, raw: str) -> None:
        self._events = yaml.parse(raw, Loader=_Loader)
        self._anchors: dict[str, tuple[object, int]] = {}
        self._values = 0
        self._lines: dict[str, int] = {}
        self._stack: list[tuple[str | None, int, list[tuple[object, int]], bool]] = []
        """Open containers: anchor, values before it, items with their lines, whether it is a mapping."""
        self._root: object = None

    def build(self) -> tuple[dict[str, object], dict[str, int]]:
        for event in self._events:
            self._take(event, event.start_mark.line if event.start_mark else 0)
        if self._root is None:
            return {}, {}
        if not isinstance(self._root, dict):
            raise _Bad("the properties are not a list of names and values", 0)
        return self._root, self._lines

    def _take(self, event: yaml.Event, line: int) -> None:
        if isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            if len(self._stack) >= _MAX_DEPTH:
                raise _Bad("nested too deeply", line)
            self._stack.append((event.anchor, self._values, [], isinstance(event, yaml.MappingStartEvent)))
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            anchor, before, items, is_mapping = self._stack.pop()
            value = self._mapping(items) if is_mapping else _unwrap_link([item for item, _ in items])
            self._add(value, anchor, self._values - before, line)
        elif isinstance(event, yaml.ScalarEvent):
            self._count(1, line)
            if event.tag and event.tag.startswith("!") and len(event.tag) > 1:
                raise _Bad(f"{event.tag!r} is not a value: what begins with ! needs quotes", line)
            self._add(_scalar(event), event.anchor, 1, line)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise _Bad(f"unknown alias *{event.anchor}", line)
            value, size = self._anchors[event.anchor]
            self._count(size, line)
            self._add(value, None, size, line)

    def _count(self, size: int, line: int) -> None:
        self._values += size
        if self._values > _MAX_VALUES:
            raise _Bad("too many values", line)

    def _add(self, value: object, anchor: str | None, size: int, line: int) -> None:
        if anchor:
            self._anchors[anchor] = (value, size)
        if self._stack:
            self._stack[-1][2].append((value, line))
        elif self._root is None:
            self._root = value

    def _mapping(self, items: list[tuple[object, int]]) -> dict[str, object]:
        result: dict[str, object] = {}
        for (key, line), (value, _) in zip(items[::2], items[1::2], strict=True):
            if isinstance(key, dict | list):
                raise _Bad("a name that is not text (a template?)", line)
            name = "" if key is None else str(key)
            if name in result:
                raise _Bad(f"the name {name!r} stands twice", line)
            result[name] = value
            if not self._stack:
                self._lines[name] = line + 2
        return result


def _scalar(event: yaml.ScalarEvent) -> object:
    text: str = event.value
    return _plain(text) if event.style is None or event.style == "" else text


def _plain(text: str) -> object:
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return _finite(text) if _FLOAT.fullmatch(text) else text


def _unwrap_link(items: list[object]) -> object:
    """``[[x]]`` without quotes reads as a list in a list; it was meant as a link."""
    if len(items) == 1 and isinstance(items[0], list) and items[0]:
        inner = items[0]
        if all(isinstance(item, str | int | float) for item in inner):
            return f"[[{', '.join(str(item) for item in inner)}]]"
    return items


def _salvage(lines: list[str]) -> tuple[dict[str, object], dict[str, int]]:
    """Simple ``name: value`` lines, and ``- item`` lines beneath a name without a value."""
    properties: dict[str, object] = {}
    where: dict[str, int] = {}
    name = ""
    for number, line in enumerate(lines, 2):
        item = _LIST_ITEM.match(line)
        known = properties.get(name)
        if item and name and (known is None or isinstance(known, list)):
            properties[name] = [*(known or []), _unquote(item[1])]
            continue
        found = _SALVAGE.match(line)
        name = found[1].strip() if found else ""
        if found and name not in properties:
            properties[name] = _salvage_value((found[2] or "").strip())
            where[name] = number
    return properties, where


def _salvage_value(text: str) -> object:
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [_unquote(part) for part in text[1:-1].split(",") if part.strip()]
    return _plain(text) if text[:1] not in ("'", '"') else _unquote(text)


def _unquote(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text
