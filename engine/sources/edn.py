"""Reads EDN, the notation of Roam's database export, without recursion and in linear time.

Values come out as None, bool, int, float, str, ``Keyword``, ``Symbol``, tuple (list, vector, and set), dict (map) and
``Tagged``. The same reader takes JSON that is nested too deep for a recursive decoder: there a colon is a separator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import NoteError


class Keyword(str):
    """``:block/uid``; the text keeps its colon."""

    __slots__ = ()


class Symbol(str):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Tagged:
    """``#tag value``: the reader knows no tags, it hands them on."""

    tag: str
    value: object


class EdnError(NoteError):
    """The text is not well formed; the message names line and column."""


_TOKEN = r"""
    (?: [\s,{separator}]++ | ;[^\n]*+ )*+
    (?: "((?:[^"\\]++|\\.)*+)"                      # 1 string
      | ([-+]?\d++)(?![^\s,()\[\]{{}}";])           # 2 whole number
      | ([(\[{{]|\#\{{)                             # 3 opening bracket
      | ([)\]}}])                                   # 4 closing bracket
      | (\#_|\#(?!\#)[^\s,()\[\]{{}}";]++)          # 5 prefix: discard or tag
      | (\\(?:\w[^\s,()\[\]{{}}";]*+|\S))           # 6 character
      | ((?:\#\#)?[^\s,()\[\]{{}}";\\\#]++)         # 7 keyword, symbol, other number
    )
"""
_EDN = re.compile(_TOKEN.format(separator=""), re.VERBOSE | re.DOTALL)
_JSON = re.compile(_TOKEN.format(separator=":").replace('{}";', '{}":;'), re.VERBOSE | re.DOTALL)
_DATOM = re.compile(
    r"""[\s,]*+\[(\d{1,18}+)\ (:[\w./*!?-]++)\ (?:(\d{1,18}+)|"((?:[^"\\]++|\\.)*+)")\ (\d{1,18}+)\]""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
"""``[entity attribute value transaction]``: nearly all of a database, so it is read as one token."""

_REST = re.compile(r"(?:[\s,]++|;[^\n]*+)*+")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_CHARACTERS = {"newline": "\n", "space": " ", "tab": "\t", "return": "\r", "backspace": "\b", "formfeed": "\f"}
_NUMBER = re.compile(r"([-+]?\d+)(?:N|/(\d+))?|[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?M?")
_WORDS: dict[str, object] = {
    "nil": None,
    "null": None,
    "true": True,
    "false": False,
    "##NaN": float("nan"),
    "##Inf": float("inf"),
    "##-Inf": float("-inf"),
}
_CLOSING = {"(": ")", "[": "]", "{": "}", "#{": "}"}
_MAX_DIGITS = 4000
"""Python refuses to convert longer runs of digits."""


class _Frame:
    """A collection that is open, or a prefix that waits for its value."""

    __slots__ = ("is_prefix", "items", "opening", "position")

    def __init__(self, opening: str, position: int, *, is_prefix: bool = False) -> None:
        self.opening = opening
        self.position = position
        self.is_prefix = is_prefix
        self.items: list[object] = []


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.frame = _Frame("", 0)
        self.outer: list[_Frame] = []

    def open(self, opening: str, position: int, *, is_prefix: bool = False) -> None:
        self.outer.append(self.frame)
        self.frame = _Frame(opening, position, is_prefix=is_prefix)

    def close(self, bracket: str, position: int) -> None:
        frame = self.frame
        if _CLOSING.get(frame.opening) != bracket:
            raise _error(self.text, position, f"“{bracket}” closes nothing that is open there")
        self.frame = self.outer.pop()
        self.add(self._map(frame) if frame.opening == "{" else tuple(frame.items))

    def add(self, value: object) -> None:
        """Put a value where it belongs, and complete the prefixes that waited for it."""
        while self.frame.is_prefix:
            prefix = self.frame.opening
            self.frame = self.outer.pop()
            if prefix == "#_":
                return
            value = Tagged(prefix[1:], value)
        self.frame.items.append(value)

    def _map(self, frame: _Frame) -> dict[object, object]:
        items = frame.items
        if len(items) % 2:
            raise _error(self.text, frame.position, "a map has a key without a value")
        try:
            return dict(zip(items[::2], items[1::2], strict=True))
        except TypeError:
            # A map as key: its notation serves, nobody looks such a key up.
            return {_hashable(key): value for key, value in zip(items[::2], items[1::2], strict=True)}

    def add_datoms(self, position: int, keywords: dict[str, object]) -> int:
        """Read the datoms that follow, if any; returns where they end."""
        matcher, text, frame = _DATOM.match, self.text, self.frame
        while not frame.is_prefix and (match := matcher(text, position)):
            entity, name, number, string, transaction = match.groups()
            keyword = keywords.get(name) or keywords.setdefault(name, Keyword(name))
            value = int(number) if string is None else _unescape(string) if "\\" in string else string
            frame.items.append((int(entity), keyword, value, int(transaction)))
            position = match.end()
        return position

    def result(self, position: int) -> object:
        rest = _REST.match(self.text, position)
        end = rest.end() if rest else position
        if end < len(self.text):
            raise _error(self.text, end, "this cannot be read (an unclosed string, or a stray character)")
        if self.outer:
            where = _place(self.text, self.frame.position)
            raise _error(self.text, end, f"the text ends inside “{self.frame.opening}” of {where}")
        if len(self.frame.items) != 1:
            raise _error(self.text, end, f"one value was expected, {len(self.frame.items)} were found")
        return self.frame.items[0]


def loads(text: str, *, json: bool = False) -> object:
    """The one value in ``text``, nested to any depth. Raises ``EdnError``."""
    matcher = (_JSON if json else _EDN).match
    reader = _Reader(text)
    keywords: dict[str, object] = dict(_WORDS)
    position = 0
    while True:
        position = reader.add_datoms(position, keywords)
        match = matcher(text, position)
        if match is None:
            return reader.result(position)
        position = match.end()
        kind = match.lastindex or 0
        word = match[kind]
        if kind == 2 and len(word) < _MAX_DIGITS:
            reader.add(int(word))
        elif kind == 1:
            reader.add(_unescape(word) if "\\" in word else word)
        elif kind == 3:
            reader.open(word, match.start(kind))
        elif kind == 4:
            reader.close(word, match.start(kind))
        elif kind == 5:
            reader.open(word, match.start(kind), is_prefix=True)
        elif kind == 6:
            reader.add(_character(word[1:]))
        else:
            if word not in keywords:
                keywords[word] = _word(word)
            reader.add(keywords[word])


def _unescape(word: str) -> str:
    text = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPES.get(m[2], m[2]), word)
    # Characters beyond the basic plane may be written as two escapes.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if "\\u" in word else text


def _character(name: str) -> str:
    if len(name) == 5 and name[0] == "u":
        try:
            return chr(int(name[1:], 16))
        except ValueError:
            return name
    return _CHARACTERS.get(name, name)


def _word(word: str) -> object:
    if word[0] == ":":
        return Keyword(word)
    match = _NUMBER.fullmatch(word)
    if match is None:
        return Symbol(word)
    if match[1] and not match[2] and len(word) < _MAX_DIGITS:
        return int(match[1])
    if match[2]:
        below = float(match[2])
        return float(match[1]) / below if below else float("nan")
    return float(word.rstrip("MN"))


def _hashable(key: object) -> object:
    try:
        hash(key)
    except TypeError:
        return repr(key)
    return key


def _place(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    return f"line {line}, column {position - text.rfind(chr(10), 0, position)}"


def _error(text: str, position: int, what: str) -> EdnError:
    return EdnError(f"{_place(text, position).capitalize()}: {what}.", line=text.count("\n", 0, position) + 1)
