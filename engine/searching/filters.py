"""Which passages meet the conditions of a query: a mask, made before anything is ranked.

Conditions on notes are judged once per note. A phrase is judged on the text of those passages that hold all its words.
"""

from __future__ import annotations

import functools
import math
import operator as operators
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime, time
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.ranking.words import Mask, Word
from engine.searching import query as q
from engine.searching.dates import Span
from engine.store.index import NoteRow
from engine.store.live import LiveIndex
from engine.text.days import day_of
from engine.text.fields import word_fields
from engine.text.words import fold, query_words

_T = TypeVar("_T", bound=Hashable)
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">": operators.gt,
    "<": operators.lt,
    ">=": operators.ge,
    "<=": operators.le,
}
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?")


def allowed(condition: q.Condition, live: LiveIndex) -> Mask:
    """True at the id of every passage that meets ``condition``; ids beyond the mask are not allowed."""
    facets = live.facets
    mask = np.zeros(int(facets.passage_ids[-1]) + 1 if len(facets.passage_ids) else 0, np.bool_)
    mask[facets.passage_ids] = _judge(condition, live)
    return mask


def _judge(condition: q.Condition, live: LiveIndex) -> Mask:
    """Aligned with ``facets.passage_ids``."""
    match condition:
        case q.Not(inner):
            return ~_judge(inner, live)
        case q.AllOf(several):
            return functools.reduce(np.logical_and, [_judge(c, live) for c in several])
        case q.AnyOf(several):
            return functools.reduce(np.logical_or, [_judge(c, live) for c in several])
        case q.Word(text):
            return _holds(live, _with_words(live, text))
        case q.Phrase(text):
            return _holds(live, _with_phrase(live, text))
        case q.Property():
            return _by_note(live, lambda note: has_property(note, condition))
        case q.Facet():
            return _facet(condition, live)


def _facet(facet: q.Facet, live: LiveIndex) -> Mask:
    facets, value = live.facets, facet.value
    match facet.name:
        case "path":
            return _by_note(live, lambda note: _folded(value) in _folded(note.key))
        case "folder":
            return _by_note(live, lambda note: in_folder(note.key, value))
        case "file":
            return _by_note(live, lambda note: _folded(value) in _folded(note.key.rpartition("/")[2] or note.title))
        case "page":
            return _by_note(live, lambda note: _folded(value) in {_folded(n) for n in (note.title, *note.aliases)})
        case "tag":
            notes = _by_note(live, lambda note: has_tag(note.tags, value))
            return notes | _each(zip(facets.tags, facets.concepts, strict=True), lambda own: _tagged(own, value))
        case "section":
            trails = zip(facets.breadcrumb, facets.headings, strict=True)
            return _each(trails, lambda both: any(_folded(value) in _folded(h) for h in (*both[0][1:], *both[1])))
        case "uid":
            return _holds(live, live.store.passage_ids_of_uid(value.strip("()")))
        case "task":
            return _each(facets.task, lambda task: bool(task) if value == "any" else value in task.split())
        case "daily":
            return _by_note(live, lambda note: note.is_daily == (value == "yes"))
        case "created":
            return _within(facets.created, facet.span)
        case "modified":
            return _within(facets.modified, facet.span)
        case _:  # on
            written = _within(facets.created, facet.span) | _within(facets.modified, facet.span)
            return written | _by_note(live, lambda note: _is_about(note, facet.span))


def _within(moments: NDArray[np.float64], span: Span | None) -> Mask:
    assert span is not None  # the parser makes no date facet without one
    with np.errstate(invalid="ignore"):
        return np.asarray((moments >= span.start) & (moments < span.end), np.bool_)


def _is_about(note: NoteRow, span: Span | None) -> bool:
    """Whether the note is the daily note of a day in ``span``; local time, as the span is."""
    day = day_of(note.title, note.key) if note.is_daily else None
    return span is not None and day is not None and span.holds(datetime.combine(day, time.min).timestamp())


def _by_note(live: LiveIndex, judge: Callable[[NoteRow], bool]) -> Mask:
    facets = live.facets
    verdicts = np.fromiter((judge(note) for note in facets.notes), np.bool_, len(facets.notes))
    return verdicts[facets.note] if len(verdicts) else np.zeros(0, np.bool_)


def _each(values: Iterable[_T], judge: Callable[[_T], bool]) -> Mask:
    # Neighbouring passages share their tags and headings: the last verdict is mostly the next one too.
    cached = functools.lru_cache(maxsize=4096)(judge)
    return np.fromiter((cached(value) for value in values), np.bool_)


def _holds(live: LiveIndex, ids: Sequence[int] | NDArray[np.int32]) -> Mask:
    return np.isin(live.facets.passage_ids, np.asarray(ids, np.int32))


def _words_of(live: LiveIndex, text: str) -> list[Word]:
    return [Word(word.terms) for word in query_words(text, live.languages)]


def _with_words(live: LiveIndex, text: str) -> NDArray[np.int32]:
    """Ids of the passages that hold every word of ``text``, in any field."""
    found = [live.words.passages_with(word) for word in _words_of(live, text)]
    return functools.reduce(np.intersect1d, found) if found else np.zeros(0, np.int32)


def _with_phrase(live: LiveIndex, text: str) -> list[int]:
    """Ids of the passages in whose text, headings or names the phrase stands, letter for letter but for case,
    accents and white space."""
    pattern = phrase_pattern(text)
    words = query_words(text, live.languages)
    candidates = live.facets.passage_ids if not words else _with_words(live, text)
    rows = live.store.passages(candidates.tolist())
    return [row.id for row in rows if any(pattern.search(_flat(part)) for part in word_fields(row.passage)[:4])]


def phrase_pattern(text: str) -> re.Pattern[str]:
    """Matches the folded phrase; between spaces or signs where its script has spaces."""
    phrase = _flat(text)
    start = r"(?<!\w)" if phrase and _is_spaced(phrase[0]) else ""
    end = r"(?!\w)" if phrase and _is_spaced(phrase[-1]) else ""
    return re.compile(start + re.escape(phrase) + end)


def _is_spaced(letter: str) -> bool:
    """Whether the letter's script puts spaces between words."""
    name = unicodedata.name(letter, "")
    return letter.isalnum() and not name.startswith(("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"))


def _flat(text: str) -> str:
    return " ".join(fold(text).split())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def in_folder(path: str, folder: str) -> bool:
    """Whether a note lies in ``folder`` or below: whole segments, at any depth unless it begins with ``/``, no case."""
    wanted = [_folded(part) for part in folder.replace("\\", "/").split("/") if part]
    segments = [_folded(part) for part in path.split("/")[:-1]]
    starts = [0] if folder.startswith("/") else range(len(segments) - len(wanted) + 1)
    return any(segments[at : at + len(wanted)] == wanted for at in starts)


def has_tag(tags: Iterable[str], wanted: str) -> bool:
    """Whether one of ``tags`` is ``wanted`` or nested below it: ``work`` finds ``work/x``, not ``workshop``."""
    name = _folded(wanted)
    return any(_folded(tag) == name or _folded(tag).startswith(name + "/") for tag in tags)


def _tagged(own: tuple[tuple[str, ...], tuple[str, ...]], wanted: str) -> bool:
    return has_tag(own[0], wanted) or has_tag(own[1], wanted)


def has_property(note: NoteRow, wanted: q.Property) -> bool:
    """Whether the note has the property with a value that fits; lists fit when one of their values does."""
    for name, value in note.properties.items():
        if _folded(name) != _folded(wanted.name):
            continue
        values = value if isinstance(value, list) else [value]
        if not wanted.value and not wanted.operator:
            return True
        if any(_fits(one, wanted.operator, wanted.value) for one in values):
            return True
    return False


def _fits(value: object, operator: str, wanted: str) -> bool:
    if isinstance(value, bool):
        value = "true" if value else "false"
    text = "" if value is None else str(value)
    if operator in ("", "="):
        same = _folded(text) == _folded(wanted) or _number(text) == _number(wanted) is not None
        return same or (not operator and _folded(wanted) in _folded(text))
    if operator == "!=":
        return not _fits(value, "=", wanted)
    if operator == "..":
        first, _, last = wanted.partition("..")
        # A range of dates ends with the last day of its end.
        is_in_end = _number(text) is None and text.startswith(last)
        return (not first or _compares(text, ">=", first)) and (is_in_end or not last or _compares(text, "<=", last))
    return _compares(text, operator, wanted)


def _compares(text: str, operator: str, wanted: str) -> bool:
    left, right = _number(text), _number(wanted)
    if left is not None and right is not None:
        return _COMPARE[operator](left, right)
    if not text or _is_numeric(text) != _is_numeric(wanted):
        return False
    # Dates and other texts compare letter by letter: ISO dates sort that way.
    return _COMPARE[operator](_folded(text), _folded(wanted))


def _is_numeric(text: str) -> bool:
    return text.strip().lstrip("+-")[:1].isdigit()


def _number(text: str) -> float | None:
    """None for what is no number; NaN, which fits nothing, for one beyond all that can be compared."""
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    number = float(found[0].replace(",", "."))
    return number if math.isfinite(number) else math.nan
