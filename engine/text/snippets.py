"""The piece of a passage that a result row shows, and what in it to highlight. Pure.

Spans are offsets in the snippet and never split a letter from its marks, a syllable or an emoji.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from engine.text.words import QueryWord, chunks, split, stem

LENGTH = 240
"""Characters of a snippet, dots included."""
LOOKED_AT = 20_000
"""Characters of a passage that are looked at."""
_MOST_CHUNKS = 20_000
"""Different pieces of text that are remembered for a language: 5 MB, of Chinese 20 MB and more."""
_LEAD = 60
"""Characters kept before the first highlight, if there is room."""

# Cut text must not leave an embedding open: the rest of the row would run the wrong way.
_BIDI_CONTROLS = dict.fromkeys([0x200E, 0x200F, 0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_GRAPHEME = regex.compile(r"\X")
_SENTENCE_END = regex.compile(r"(?<=[.!?।؟…][\"'”’»)\]]?)\s+|(?<=[。！？][」』”]?)|\n+")

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Snippet:
    text: str
    """One line."""
    spans: Spans
    """Ascending, apart from each other, offsets [start, end)."""


@dataclass(frozen=True, slots=True)
class _Match:
    start: int
    end: int
    word: int


def best_snippet(text: str, words: Sequence[QueryWord], language: str = "", limit: int = LENGTH) -> Snippet:
    """The part of ``text`` that holds most of ``words``, at most ``limit`` characters; its beginning without any.

    ``language`` is that of the note: its words are stemmed as the index stemmed them.
    """
    line = _one_line(text)
    matches = _matches(line, words, language)
    start, end = _window(line, matches, words, limit)
    before, after = "…" if start > 0 else "", "…" if end < len(line) else ""
    shift = len(before) - start
    spans = _joined([(m.start + shift, m.end + shift) for m in matches if m.start >= start and m.end <= end])
    return Snippet(before + line[start:end] + after, spans)


def best_sentence(text: str, words: Sequence[QueryWord], language: str = "") -> str:
    """The sentence of ``text`` that holds most of ``words``; the first one on equal terms."""
    sentences = [found for piece in _SENTENCE_END.split(text[:LOOKED_AT]) if (found := _one_line(piece))]
    if not sentences:
        return ""
    return max(sentences, key=lambda sentence: _weight(_matches(sentence, words, language), words))


def _one_line(text: str) -> str:
    looked_at = text[:LOOKED_AT]
    return " ".join((looked_at if looked_at.isascii() else looked_at.translate(_BIDI_CONTROLS)).split())


def _matches(text: str, words: Sequence[QueryWord], language: str) -> list[_Match]:
    exact: dict[str, int] = {}
    for number, word in enumerate(words):
        for form in (word.word, *word.terms):
            exact.setdefault(form, number)
    prefixes = tuple(word.word for word in words if word.is_prefix)
    pattern = chunks(text)
    asked = _forms(language).chunks_of(set(pattern.findall(text)), exact, prefixes)
    if not asked:
        return []
    found = []
    for match in pattern.finditer(text):
        if match[0] in asked:
            for part, start, end, _ in split(match[0]):
                asked_for = _number_of(part, exact, prefixes, language)
                if asked_for is not None:
                    found.append(_Match(match.start() + start, match.start() + end, asked_for))
    return found


class _Forms:
    """Which chunks of text hold a word, as it is and as it is stemmed in one language; filled as chunks come.

    Kept both ways, so that the few words of a question are looked up and not the many chunks of a passage."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._forms: dict[str, frozenset[str]] = {}
        self._chunks: defaultdict[str, set[str]] = defaultdict(set)

    def chunks_of(self, here: set[str], exact: Mapping[str, int], prefixes: tuple[str, ...]) -> set[str]:
        """Those of the chunks ``here`` that hold one of the words."""
        if len(self._forms) > _MOST_CHUNKS:
            # The next question begins anew; whoever uses this one on another thread keeps it.
            _forms.cache_clear()
        for chunk in here.difference(self._forms):
            self._add(chunk)
        found = {chunk for form in exact if form in self._chunks for chunk in here & self._chunks[form]}
        if prefixes:
            found |= {chunk for chunk in here if any(form.startswith(prefixes) for form in self._forms[chunk])}
        return found

    def _add(self, chunk: str) -> None:
        words = [word for word, *_ in split(chunk)]
        forms = frozenset(form for word in words for form in (word, stem(word, self._language), stem(word, "")))
        for form in forms:
            self._chunks[form].add(chunk)
        # Last: whoever finds it here counts on the rest.
        self._forms[chunk] = forms


@lru_cache(maxsize=8)
def _forms(language: str) -> _Forms:
    return _Forms(language)


def _number_of(word: str, exact: Mapping[str, int], prefixes: tuple[str, ...], language: str) -> int | None:
    """Which of the words asked for ``word`` is."""
    for form in (word, stem(word, language), stem(word, "")):
        if form in exact:
            return exact[form]
    return next((exact[prefix] for prefix in prefixes if word.startswith(prefix)), None)


def _window(line: str, matches: Sequence[_Match], words: Sequence[QueryWord], limit: int) -> tuple[int, int]:
    """Start and end of the best piece of ``line``, at word or letter boundaries, with room for the dots."""
    if len(line) <= limit:
        return 0, len(line)
    room = limit - 2
    start = 0
    if matches:
        first, last = _densest(matches, words, room)
        spare = max(0, room - (last.end - first.start))
        start = max(0, first.start - min(_LEAD, spare // 2))
        start = _boundary(line, start, first.start)
    if start > len(line) - room:
        start = _boundary(line, len(line) - room, len(line) - room + 20)
    return start, _end(line, start, start + room)


def _densest(matches: Sequence[_Match], words: Sequence[QueryWord], room: int) -> tuple[_Match, _Match]:
    """First and last match of the stretch of at most ``room`` characters that holds most of the words."""
    if matches[-1].end - matches[0].start <= room:
        return matches[0], matches[-1]
    best, best_weight, start = (matches[0], matches[0]), -1.0, 0
    for end, last in enumerate(matches):
        while last.end - matches[start].start > room and start < end:
            start += 1
        weight = _weight(matches[start : end + 1], words)
        if weight > best_weight:
            best, best_weight = (matches[start], last), weight
    return best


def _weight(matches: Sequence[_Match], words: Sequence[QueryWord]) -> float:
    """Each word counts once, longer ones a little more as they are rarer; said again it counts a tenth."""
    counts = Counter(match.word for match in matches)
    return sum(
        (0.2 if words[word].is_stop else 1 + min(len(words[word].word), 12) / 24) * (1 + min(times - 1, 3) / 10)
        for word, times in counts.items()
    )


def _boundary(line: str, start: int, latest: int) -> int:
    """The first beginning of a word between ``start`` and ``latest``; of a letter if there is none."""
    if start <= 0:
        return 0
    space = line.find(" ", start - 1, latest)
    if space >= 0:
        return space + 1
    return start + _overhang(line, start)


def _end(line: str, start: int, end: int) -> int:
    """The last end of a word at or before ``end``; of a letter if no word ends near."""
    if end >= len(line):
        return len(line)
    space = line.rfind(" ", max(start, end - 30), end + 1)
    if space > start:
        return space
    last = start
    for match in _GRAPHEME.finditer(line, start):
        if match.end() > end:
            break
        last = match.end()
    return last


def _overhang(line: str, at: int) -> int:
    """How many characters after ``at`` still belong to the letter that ``at`` would split."""
    for match in _GRAPHEME.finditer(line, max(0, at - 40)):
        if match.end() >= at:
            return int(match.end()) - at
    return 0


def _joined(spans: Sequence[tuple[int, int]]) -> Spans:
    """Spans in order, those that overlap or touch as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
