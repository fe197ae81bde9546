"""The query language: text in, a parsed query out. One grammar for window, command line and MCP.

Bare words rank and are not required. Phrases, exclusions, ``OR`` groups, parentheses and operators are conditions
that a passage must meet, in both legs. Nothing that a person can type raises: what is not understood becomes a
notice and, where it makes sense, plain words.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from engine.model import Mode
from engine.searching.dates import RELATIVE_WORDS, Span, parse_span

# --- conditions: what a passage must meet ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Word:
    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    text: str


@dataclass(frozen=True, slots=True)
class Facet:
    """An operator and its value: ``tag:garden``. ``span`` is set for date operators."""

    name: str
    value: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Property:
    """``[name]``, ``[name:value]``, a comparison such as ``[name:>5]`` (``operator`` is then ``>``) or a range with
    both ends included, ``[name:5..9]`` (``..``)."""

    name: str
    operator: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Not:
    condition: Condition


@dataclass(frozen=True, slots=True)
class AllOf:
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    conditions: tuple[Condition, ...]


Condition = Word | Phrase | Facet | Property | Not | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. ``condition`` is None when every passage may be ranked."""

    text: str
    words: str = ""
    """What ranks: the bare words and phrases, without operators, exclusions and marks."""
    condition: Condition | None = None
    sources: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Sources that are left out."""
    like: tuple[str, ...] = ()
    """Notes whose neighbours are asked for."""
    sort: str = ""
    mode: Mode | None = None
    ends_open: bool = False
    """The text ends inside a bare word, which may be unfinished."""
    notices: tuple[str, ...] = ()


# --- operators ---------------------------------------------------------------------------------------------------

_DATES = ("created", "modified", "on")
_TEXTS = ("path", "folder", "file", "tag", "section", "page", "uid")
_CHOICES = ("daily", "task")
_SOURCES = ("source", "vault", "graph")
_SWITCHES = (*_SOURCES, "like", "sort", "mode")
OPERATORS = (*_TEXTS, *_DATES, *_SWITCHES, *_CHOICES)
ALIASES = {"updated": "modified", "date": "on", "dir": "folder", "heading": "section", "in": "source", "title": "file"}
SORTS = ("relevance", "modified", "created", "title")
_TASKS = {"todo": "todo", "open": "todo", "done": "done", "any": "any", "": "any"}
_YES = {"yes": "yes", "true": "yes", "only": "yes", "": "yes", "no": "no", "false": "no"}

TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<open>\() | (?P<close>\))
  | (?P<minus>-)(?=[^\s\-])
  | "(?P<phrase>[^"]*)(?:"|$)
  | \[(?P<property>[^\[\]\s:"]+)(?::(?P<pvalue>[^\[\]]*))?\]
  | (?P<operator>[A-Za-z][A-Za-z-]*):(?!//)(?P<ovalue>"[^"]*(?:"|$)|\#?[^\s()"]*)
  | \#(?P<hashtag>[^\s()"\#\[\]]+)
  | (?P<word>[^\s()"]+)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMPARISON = re.compile(r"(>=|<=|>|<|=|!=)?\s*(.*)", re.DOTALL)
_RANGE = re.compile(r"(?=.*\d)(?:[+-]?\d\S*?)?\.\.(?:[+-]?\d\S*)?")
MAX_LENGTH = 4096
MAX_DEPTH = 32


@dataclass(slots=True)
class _Token:
    kind: str
    text: str
    value: str = ""
    end: int = 0


def parse(text: str, now: datetime | None = None) -> Query:
    """Read a query. Never raises; odd input gives notices. Text beyond 4,096 characters is cut, with a notice."""
    parser = _Parser(text[:MAX_LENGTH], now or datetime.now())
    if len(text) > MAX_LENGTH:
        parser.notice(f"The query was cut at {MAX_LENGTH:,} characters.")
    return parser.parse()


def _tokenise(text: str) -> Iterator[_Token]:
    for found in TOKEN.finditer(text):
        kind = found.lastgroup or "other"
        if kind == "space":
            continue
        if kind in ("operator", "ovalue"):
            yield _Token("operator", found["operator"], found["ovalue"], found.end())
        elif kind in ("property", "pvalue"):
            yield _Token("property", found["property"], found["pvalue"] or "", found.end())
        else:
            yield _Token(kind, found[kind], end=found.end())


def _name_and_value(token: _Token) -> tuple[str, str]:
    """Of an operator, the name by which it is known and the value without its marks."""
    name = token.text.lower()
    return ALIASES.get(name, name), token.value.strip('"').strip()


class _Parser:
    """Recursive descent over a bounded token list; nesting deeper than ``MAX_DEPTH`` is flattened."""

    def __init__(self, text: str, now: datetime) -> None:
        self.text = text
        self.now = now
        self.tokens = list(_tokenise(text))
        self.at = 0
        self.depth = 0
        self.words: list[str] = []
        self.sources: list[str] = []
        self.without: list[str] = []
        self.like: list[str] = []
        self.sort = ""
        self.mode: Mode | None = None
        self.notices: list[str] = []

    def notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)

    def parse(self) -> Query:
        conditions: list[Condition] = []
        while self.at < len(self.tokens):
            conditions += self._sequence(top=True, ranks=True)
            if self.at < len(self.tokens):  # a closing bracket that nothing opened
                self.at += 1
        last = self.tokens[-1] if self.tokens else None
        return Query(
            text=self.text,
            words=" ".join(self.words),
            condition=_all_of(conditions),
            sources=tuple(self.sources),
            without=tuple(self.without),
            like=tuple(self.like),
            sort=self.sort,
            mode=self.mode,
            ends_open=last is not None and last.kind == "word" and last.end == len(self.text),
            notices=tuple(self.notices),
        )

    def _sequence(self, *, top: bool, ranks: bool) -> list[Condition]:
        """Items up to a closing bracket. On the top level a lone bare word sets no condition."""
        conditions: list[Condition] = []
        while self.at < len(self.tokens) and self.tokens[self.at].kind != "close":
            alternatives = [self._item(ranks=ranks)]
            while self._is_or():
                self.at += 1
                if self.at < len(self.tokens) and self.tokens[self.at].kind != "close":
                    alternatives.append(self._item(ranks=ranks))
            known = [a for a in alternatives if a is not None]
            if len(known) > 1:
                conditions.append(AnyOf(tuple(known)))
            elif known and not (top and isinstance(known[0], Word)):
                conditions.append(known[0])
        return conditions

    def _is_or(self) -> bool:
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        return token is not None and token.kind == "word" and token.text in ("OR", "|") and self.at > 0

    def _item(self, *, ranks: bool) -> Condition | None:
        token = self.tokens[self.at]
        self.at += 1
        match token.kind:
            case "minus":
                if self.at >= len(self.tokens) or self.tokens[self.at].kind == "close":
                    return None
                if ranks and self._leaves_out(self.tokens[self.at]):
                    self.at += 1
                    return None
                inner = self._item(ranks=False)
                return None if inner is None else Not(inner)
            case "open":
                return self._group(ranks=ranks)
            case "phrase":
                return self._phrase(token.text, ranks)
            case "property":
                return self._property(token)
            case "operator":
                return self._operator(token, ranks)
            case "hashtag":
                return Facet("tag", token.text.strip("/"))
            case "word":
                return self._word(token.text, ranks)
            case _:
                return None

    def _group(self, *, ranks: bool) -> Condition | None:
        if self.depth >= MAX_DEPTH:
            return None
        self.depth += 1
        inner = self._sequence(top=False, ranks=ranks)
        if self.at < len(self.tokens):
            self.at += 1
        self.depth -= 1
        return _all_of(inner)

    def _word(self, text: str, ranks: bool) -> Condition | None:
        if text in ("OR", "AND", "|") or not text.strip("-"):
            return None
        if ranks:
            self.words.append(text)
        return Word(text) if any(c.isalnum() for c in text) or len(text) > 1 else None

    def _phrase(self, text: str, ranks: bool) -> Condition | None:
        if not text.strip():
            return None
        if ranks:
            self.words.append(text.strip())
        return Phrase(text.strip())

    def _property(self, token: _Token) -> Condition:
        found = _COMPARISON.fullmatch(token.value.strip())
        assert found is not None  # the pattern accepts any text
        operator = found[1] or (".." if _RANGE.fullmatch(found[2].strip()) else "")
        return Property(token.text.lower(), operator, found[2].strip().strip('"'))

    def _operator(self, token: _Token, ranks: bool) -> Condition | None:
        name, value = _name_and_value(token)
        if name not in OPERATORS:
            return self._unknown(token, ranks)
        if name in _SWITCHES:
            if ranks:
                self._switch(name, value)
            else:
                self.notice(f"'{name}:' cannot be negated; it was ignored.")
            return None
        if name in _DATES:
            return self._date(name, value)
        if name == "task":
            return self._choice(name, value, _TASKS)
        if name == "daily":
            return self._choice(name, value, _YES)
        if not value:
            self.notice(f"'{name}:' needs a value, for example {_EXAMPLES.get(name, name + ':x')}; it was ignored.")
            return None
        return Facet(name, value.lstrip("#").strip("/") if name == "tag" else value)

    def _leaves_out(self, token: _Token) -> bool:
        """Whether the token after a minus names a source, which is then left out as a whole."""
        name, value = _name_and_value(token)
        is_source = token.kind == "operator" and name in _SOURCES and bool(value)
        if is_source:
            self.without.append(value)
        return is_source

    def _unknown(self, token: _Token, ranks: bool) -> Condition | None:
        near = difflib.get_close_matches(token.text.lower(), [*OPERATORS, *ALIASES], n=1, cutoff=0.6)
        hint = f"; did you mean '{near[0]}:'?" if near else "; it was searched as words."
        self.notice(f"There is no operator '{token.text}:'{hint}")
        for part in (token.text, token.value.strip('"')):
            if part and ranks:
                self.words.append(part)
        return None

    def _switch(self, name: str, value: str) -> None:
        if not value:
            self.notice(f"'{name}:' needs a value; it was ignored.")
        elif name == "like":
            self.like.append(value)
        elif name == "sort":
            self._sort(value.lower())
        elif name == "mode":
            if value.lower() in set(Mode):
                self.mode = Mode(value.lower())
            else:
                self.notice(f"'mode:' takes both, word or meaning, not '{value}'.")
        else:
            self.sources.append(value)

    def _sort(self, value: str) -> None:
        key = value.lstrip("-+")
        if key in SORTS:
            self.sort = value
        else:
            near = difflib.get_close_matches(key, SORTS, n=1)
            self.notice(
                f"'sort:' takes {', '.join(SORTS)}, not '{value}'" + (f"; did you mean {near[0]}?" if near else ".")
            )

    def _date(self, name: str, value: str) -> Condition | None:
        span = parse_span(value, self.now)
        if span is None:
            near = difflib.get_close_matches(value.lower(), RELATIVE_WORDS, n=1)
            hint = f"; did you mean {near[0]}?" if near else "; try 2026-03, <7d, last-week or 2025..2026-02."
            self.notice(f"'{name}:{value}' is not a date{hint}")
            return None
        return Facet(name, value, span)

    def _choice(self, name: str, value: str, choices: dict[str, str]) -> Condition | None:
        chosen = choices.get(value.lower())
        if chosen is None:
            self.notice(f"'{name}:' takes {', '.join(sorted(set(choices.values())))}, not '{value}'.")
            return None
        return Facet(name, chosen)


_EXAMPLES = {
    "path": "path:projects/lamp",
    "folder": "folder:projects",
    "file": "file:diary",
    "tag": "tag:garden",
    "section": "section:ideas",
    "page": 'page:"Reading list"',
    "uid": "uid:a1b2c3d4e",
}


def _all_of(conditions: list[Condition]) -> Condition | None:
    if not conditions:
        return None
    return conditions[0] if len(conditions) == 1 else AllOf(tuple(conditions))


# --- in plain words ----------------------------------------------------------------------------------------------

_SAYINGS = {
    "path": "its path contains '{}'",
    "folder": "it lies in a folder '{}'",
    "file": "its name contains '{}'",
    "tag": "it is tagged '{}' or below",
    "section": "a heading contains '{}'",
    "page": "the page is titled '{}'",
    "uid": "its id is '{}'",
    "created": "it was created {}",
    "modified": "it was changed {}",
    "on": "it was created or changed, or is the daily note of a day, {}",
}


def explain(query: Query) -> str:
    """The query in plain words, one sentence."""
    parts = [f"Passages about or containing {query.words}" if query.words else "All passages"]
    if query.like:
        parts.append(f"like {', '.join(query.like)}")
    if query.sources:
        parts.append(f"in {' or '.join(query.sources)}")
    if query.without:
        parts.append(f"not in {' or '.join(query.without)}")
    if query.condition is not None:
        parts.append(f"where {_say(query.condition)}")
    if query.mode not in (None, Mode.BOTH):
        parts.append(f"ranked by {query.mode} only")
    if query.sort and query.sort != "relevance":
        parts.append(f"sorted by {query.sort.lstrip('-+')}")
    return ", ".join(parts) + "."


def _say(condition: Condition) -> str:
    match condition:
        case Word(text):
            return f"the word '{text}' occurs"
        case Phrase(text):
            return f'the exact phrase "{text}" occurs'
        case Property(name, "..", value):
            return f"the property '{name}' lies in {value}"
        case Property(name, operator, value):
            return f"the property '{name}' is {operator or 'set'}{' ' + value if value else ''}".replace(
                "is set ", "is "
            )
        case Not(inner):
            return f"not ({_say(inner)})"
        case AllOf(several):
            return " and ".join(_say(c) for c in several)
        case AnyOf(several):
            return f"({' or '.join(_say(c) for c in several)})"
        case Facet("task", value):
            return "it holds a task" if value == "any" else f"it holds a task that is {value}"
        case Facet("daily", value):
            return "it is a daily note" if value == "yes" else "it is not a daily note"
        case Facet(name, value):
            return _SAYINGS.get(name, name + " is '{}'").format(value)
