"""Help while a query is typed: its operators, one by one, and what may follow at the cursor, with counts.

Reads what is in memory; never searches.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from engine.model import Completion, QueryPart, Source
from engine.searching import query as q
from engine.store.live import LiveIndex
from engine.text.words import fold

MOST = 12
LEAST_LETTERS = 2
"""Of a bare word, before it is taken for the beginning of an operator."""

_AT_CURSOR = re.compile(
    r"""(?:^|(?<=[\s(\-]))
    (?: (?P<operator>[A-Za-z][A-Za-z-]*):(?P<value>"[^"]*|[^\s()"]*)
      | \#(?P<hashtag>[^\s()"\#\[\]]*)
      | \[(?P<property>[^\[\]\s:"]*)
      | (?P<word>[A-Za-z-]+) )$""",
    re.VERBOSE,
)
_CHOICES = {
    "sort": q.SORTS,
    "mode": ("both", "word", "meaning"),
    "task": ("todo", "done", "any"),
    "daily": ("yes", "no"),
    "created": ("today", "last-week", "last-month", "<7d", "<30d"),
    "modified": ("today", "last-week", "last-month", "<7d", "<30d"),
    "on": ("today", "yesterday", "last-week"),
}


def parts(text: str) -> tuple[QueryPart, ...]:
    """The operators, tags and properties of a query as they are written, a minus before them included."""
    found = []
    for token in q.TOKEN.finditer(text):
        name = token["operator"]
        is_known = name is not None and q.ALIASES.get(name.lower(), name.lower()) in q.OPERATORS and token["ovalue"]
        if is_known or token["property"] or token["hashtag"]:
            start = token.start() - (text[: token.start()].endswith("-"))
            found.append(QueryPart(start, token.end(), text[start : token.end()]))
    return tuple(found)


def complete(text: str, cursor: int, indexes: Sequence[LiveIndex], sources: Sequence[Source]) -> tuple[Completion, ...]:
    """What the operator, tag or property that ends at ``cursor`` may go on with, the most frequent first."""
    found = _AT_CURSOR.search(text[:cursor])
    if found is None:
        return ()
    if found["word"] is not None:
        return _operators(found["word"], found.start("word"), cursor)
    if found["hashtag"] is not None:
        return _ranked(tag_counts(indexes), found["hashtag"], found.start("hashtag"), cursor, quote=False)
    if found["property"] is not None:
        names = Counter(name for index in indexes for note in index.facets.notes for name in note.properties)
        return _ranked(names, found["property"], found.start("property"), cursor, quote=False, after=":")
    name = found["operator"].lower()
    name = q.ALIASES.get(name, name)
    return _ranked(_values(name, indexes, sources), found["value"].lstrip('"'), found.start("value"), cursor)


def _operators(begun: str, start: int, end: int) -> tuple[Completion, ...]:
    if len(begun) < LEAST_LETTERS:
        return ()
    names = [name for name in q.OPERATORS if name.startswith(begun.lower())]
    return tuple(Completion(f"{name}:", start, end) for name in names)


def _values(name: str, indexes: Sequence[LiveIndex], sources: Sequence[Source]) -> Counter[str]:
    notes = [note for index in indexes for note in index.facets.notes]
    if name == "tag":
        return tag_counts(indexes)
    if name in ("folder", "path"):
        return Counter(folder for note in notes for folder in folders_of(note.key))
    if name in ("source", "vault", "graph"):
        held = {index.source.id: len(index.facets.notes) for index in indexes}
        return Counter({source.name: held.get(source.id, 0) for source in sources})
    if name in ("page", "file", "like"):
        return Counter(note.title for note in notes)
    if name == "section":
        return Counter(h for index in indexes for trail in set(index.facets.breadcrumb) for h in set(trail[1:]))
    return Counter(dict.fromkeys(_CHOICES.get(name, ()), 0))


def tag_counts(indexes: Sequence[LiveIndex]) -> Counter[str]:
    """Notes with each tag, their own or a passage's."""
    counts: Counter[str] = Counter()
    for index in indexes:
        facets = index.facets
        found = {(int(note), tag) for note, tags in zip(facets.note, facets.tags, strict=True) for tag in tags}
        found |= {(number, tag) for number, note in enumerate(facets.notes) for tag in note.tags}
        counts.update(tag for _, tag in found)
    return counts


def folders_of(key: str) -> Iterator[str]:
    """The folders that a note stands in, the innermost first."""
    while (key := key.rpartition("/")[0]) != "":
        yield key


def _ranked(
    counts: Counter[str], begun: str, start: int, end: int, *, quote: bool = True, after: str = ""
) -> tuple[Completion, ...]:
    """Those that begin with ``begun`` before those that hold it."""
    wanted = fold(begun)
    names = [name for name in counts if wanted in fold(name) and fold(name) != wanted]
    names.sort(key=lambda name: (not fold(name).startswith(wanted), -counts[name], name.casefold()))
    return tuple(Completion(_quoted(name, quote) + after, start, end, counts[name]) for name in names[:MOST])


def _quoted(value: str, quote: bool) -> str:
    needs_it = quote and any(letter.isspace() or letter in '()"' for letter in value)
    return f'"{value.replace(chr(34), "")}"' if needs_it else value
