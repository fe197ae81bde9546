"""What a word is: cutting, folding and stemming, the same for what is indexed and what is asked.

A *word* is folded text (compatibility forms unified, case and accents gone); a *term* is the stem of a word in the
language of its note, and is what the word index counts. Pure: no input or output, no state but caches.

- Letters, digits and marks make words in any script. ``node.js`` and ``foo_bar`` are words beside their parts;
  ``C++``, ``C#``, ``.env`` and emoji are words too.
- Scripts written without spaces (Han, kana, Thai, Lao, Khmer, Burmese) are cut into pairs of letters; the last letter
  of a run stands alone as well, so that a question of one letter finds every run that holds it, by prefix.
- Hangul keeps its words and has their pairs beside them, since particles are glued to the noun.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import regex
import Stemmer

from engine.text.stopwords import STOP_WORDS

MAX_WORD = 64
"""Characters of a word that count; what is longer is data rather than language."""

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー々〆\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_JOINERS = "\u200c\u200d\u00ad"
_WORD = rf"[\p{{L}}\p{{N}}\p{{M}}\p{{Pc}}{_JOINERS}]"
_EMOJI = (
    r"(?:\p{RI}\p{RI}|\p{Extended_Pictographic}[\p{EMod}\uFE0F\u20E3]*"
    r"(?:\u200d\p{Extended_Pictographic}[\p{EMod}\uFE0F]*)*)"
)
_CHUNK = regex.compile(rf"\.?{_WORD}+(?:[.·]{_WORD}+)*(?:\+\+|\#)?|{_EMOJI}")
_ASCII_CHUNK = re.compile(r"\.?\w+(?:\.\w+)*(?:\+\+|#)?", re.ASCII)
_PART = regex.compile(rf"(?P<unspaced>[{_UNSPACED}][{_UNSPACED}\p{{M}}]*)|(?P<word>[^\p{{Pc}}.·+\#{_UNSPACED}]+)")
_HAS_UNSPACED = regex.compile(rf"[{_UNSPACED}]")
_HANGUL = regex.compile(r"\p{Hangul}+")
_LETTER = regex.compile(r"\X")
_STARTS_WITH_DOT = regex.compile(r"\.\p{L}")

_FOLDED_AWAY = dict.fromkeys(
    [
        *range(0x0300, 0x0370),  # accents of Latin, Greek and Cyrillic
        *range(0x0591, 0x05C8),  # Hebrew points
        *range(0x0610, 0x061B),
        *range(0x064B, 0x0660),  # Arabic vowel signs and hamza above or below
        0x0640,
        0x0670,
        *range(0x06D6, 0x06ED),
        *range(0x1AB0, 0x1B00),
        *range(0x1DC0, 0x1E00),
        *range(0x1F3FB, 0x1F400),  # skin tones
        *range(0xFE00, 0xFE10),
        *(ord(c) for c in _JOINERS),
    ]
)
_UNIFIED = str.maketrans(
    {
        "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d",
        "ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "۰": "0", "۱": "1", "۲": "2", "۳": "3", "۴": "4", "۵": "5",
        "۶": "6", "۷": "7", "۸": "8", "۹": "9",
    }
)  # fmt: skip

_STEMMERS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish", "nl": "dutch",
    "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "no": "norwegian", "nb": "norwegian", "nn": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "fa": "persian", "yi": "yiddish",
}  # fmt: skip
_SCRIPTS: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("a", "ɏ", frozenset(_STEMMERS) - frozenset(["ar", "hy", "el", "hi", "ne", "ru", "sr", "ta", "fa", "yi"])),
    ("Ͱ", "Ͽ", frozenset({"el"})),
    ("Ѐ", "ԯ", frozenset({"ru", "sr"})),
    ("԰", "֏", frozenset({"hy"})),
    ("֐", "׿", frozenset({"yi"})),
    ("؀", "ݿ", frozenset({"ar", "fa"})),
    ("ऀ", "ॿ", frozenset({"hi", "ne"})),
    ("஀", "௿", frozenset({"ta"})),
)
_SCRIPT_DEFAULT = ("en", "el", "ru", "hy", "", "ar", "hi", "ta")
"""Stemmed this way when the note's language is unknown or written in another script, like a Latin word in Hindi."""


Kind: TypeAlias = Literal["word", "part", "pair"]


class Token(NamedTuple):
    """One word of a text. ``word`` is folded; ``start`` and ``end`` are offsets in the text as it is."""

    word: str
    start: int
    end: int
    kind: Kind = "word"
    """``part`` of a compound word that is there too; ``pair`` of letters of a run without spaces."""


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word of a question and the terms that stand for it: any of them matches."""

    word: str
    start: int
    end: int
    terms: tuple[str, ...]
    is_stop: bool = False
    is_prefix: bool = False
    """Matches every word that begins like it: the unfinished last word, or a single letter of an unspaced script."""


def fold(text: str) -> str:
    """Compatibility forms unified, case and accents gone; vowel signs of Indic and Thai scripts stay."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    # й is a letter of its own and Russian endings depend on it; all other accents go.
    kept = plain.replace("и\u0306", "й").translate(_FOLDED_AWAY).translate(_UNIFIED)
    return unicodedata.normalize("NFC", kept)


def stem(word: str, language: str) -> str:
    """The term of a folded ``word`` in a note of ``language`` (ISO 639-1, empty when unknown)."""
    return _stems(language)[word]


def tokens(text: str) -> list[Token]:
    """The words of ``text`` in reading order, parts of compounds right after the compound."""
    return [
        Token(word, match.start() + start, match.start() + end, kind)
        for match in chunks(text).finditer(text)
        for word, start, end, kind in split(match[0])
    ]


def terms(text: str, language: str = "") -> list[str]:
    """The terms of ``text``, as the index counts them."""
    stems = _stems(language)
    return [stems[word] for chunk in chunks(text).findall(text) for word, *_ in split(chunk)]


def count_terms(fields: Sequence[str], language: str, surfaces: dict[str, str]) -> tuple[Mapping[str, int], ...]:
    """How often each term stands in each field of one passage; adds the words seen to ``surfaces`` (word -> term)."""
    stems = _stems(language)
    counted = []
    for field in fields:
        counts: Counter[str] = Counter()
        for chunk, times in Counter(chunks(field).findall(field)).items():
            for word, *_ in split(chunk):
                term = surfaces[word] = stems[word]
                counts[term] += times
        counted.append(counts)
    return tuple(counted)


def query_words(
    text: str, languages: Iterable[str] = (), language: str = "", *, typing: bool = False
) -> list[QueryWord]:
    """The words of a question, as often as they are said.

    ``languages`` are those of the notes: each gives a word its own stem. ``language`` is that of the question and
    decides which words are stop words; they are marked unless nothing else is asked for. The parts of a compound stand
    beside it, as in the index. With ``typing`` the last word is a prefix when the text ends with it.
    """
    known = sorted({"", language, *languages})
    found = tokens(text)
    # The lone letter that ends a longer run is there for the index alone.
    found = [token for before, token in zip([None, *found], found, strict=False) if not _ends_run(before, token)]
    stops = STOP_WORDS.get(language or "en", frozenset())
    has_content = any(token.word not in stops for token in found)
    words = []
    for token in found:
        unfinished = typing and token.end == len(text)
        words.append(
            QueryWord(
                word=token.word,
                start=token.start,
                end=token.end,
                terms=tuple(dict.fromkeys(stem(token.word, known_language) for known_language in known)),
                is_stop=has_content and token.word in stops and not unfinished,
                is_prefix=unfinished or (token.kind == "pair" and is_single_letter(token.word)),
            )
        )
    return words


def is_single_letter(word: str) -> bool:
    return _LETTER.fullmatch(word) is not None


def _ends_run(before: Token | None, token: Token) -> bool:
    """Whether ``token`` is the lone last letter of the pair that stands before it."""
    return before is not None and before.kind == token.kind == "pair" and before.end == token.end


def chunks(text: str) -> re.Pattern[str] | regex.Pattern[str]:
    """Matches the pieces of ``text`` between white space and signs; ``split`` cuts each into words."""
    return _ASCII_CHUNK if text.isascii() else _CHUNK


def split(chunk: str) -> tuple[tuple[str, int, int, Kind], ...]:
    """(word, start, end, kind) of each word of a chunk, with offsets in the chunk."""
    # Long runs are sentences of unspaced scripts: they hardly ever come again.
    return _split_cached(chunk) if len(chunk) <= MAX_WORD else _split_now(chunk)


def _split_now(chunk: str) -> tuple[tuple[str, int, int, Kind], ...]:
    if chunk.isascii() and chunk.isalnum():
        return ((chunk.lower()[:MAX_WORD], 0, len(chunk), "word"),)
    found: list[tuple[str, int, int, Kind]] = []
    parts = list(_PART.finditer(chunk))
    compound = _compound(chunk, parts)
    whole = fold(compound)[:MAX_WORD]
    if whole:
        start = chunk.find(compound)
        found.append((whole, start, start + len(compound), "word"))
    elif not parts:
        found.append((fold(chunk)[:MAX_WORD], 0, len(chunk), "word"))
    for part in parts:
        if part["unspaced"] is not None:
            found.extend(_pairs(part[0], part.start(), lone_end=True))
            continue
        word = fold(part[0])[:MAX_WORD]
        if not word or word == whole:
            continue
        found.append((word, part.start(), part.end(), "part" if whole else "word"))
        if _HANGUL.fullmatch(part[0]) and len(_LETTER.findall(part[0])) > 2:
            found.extend(_pairs(part[0], part.start(), lone_end=False))
    return tuple(item for item in found if item[0])


_split_cached = lru_cache(maxsize=200_000)(_split_now)


def _compound(chunk: str, parts: Sequence[regex.Match[str]]) -> str:
    """The part of ``chunk`` that is a word made of several parts or signs, or an empty string."""
    if _HAS_UNSPACED.search(chunk) or not parts:
        return ""
    end = len(chunk)
    if chunk.endswith("#") and len(parts[-1][0]) > 1:
        end -= 1
    start = 0 if _STARTS_WITH_DOT.match(chunk) else len(chunk) - len(chunk.lstrip(".·"))
    core = chunk[start:end]
    return "" if len(parts) == 1 and core == parts[0][0] else core.strip("·")


def _pairs(run: str, offset: int, *, lone_end: bool) -> Iterable[tuple[str, int, int, Kind]]:
    """Neighbouring letters (each with its marks) two by two; then the last one alone if ``lone_end``."""
    letters = list(_LETTER.finditer(run))
    for first, second in pairwise(letters):
        yield fold(first[0] + second[0]), offset + first.start(), offset + second.end(), "pair"
    if lone_end and letters:
        last = letters[-1]
        yield fold(last[0]), offset + last.start(), offset + last.end(), "pair"


class _Stems(dict[str, str]):
    """word -> term for one language, filled as words come."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._stemmers: dict[str, Stemmer.Stemmer] = {}

    def __missing__(self, word: str) -> str:
        if len(self) > 500_000:
            self.clear()
        name = _stemmer_of(word, self._language)
        if name and name not in self._stemmers:
            # Our own dictionary is the cache.
            self._stemmers[name] = Stemmer.Stemmer(name, 0)
        term: str = self._stemmers[name].stemWord(word) if name else word
        self[word] = term or word
        return self[word]


@lru_cache(maxsize=64)
def _stems(language: str) -> _Stems:
    return _Stems(language)


def _stemmer_of(word: str, language: str) -> str:
    for (first, last, languages), default in zip(_SCRIPTS, _SCRIPT_DEFAULT, strict=True):
        if first <= word[0] <= last:
            return _STEMMERS.get(language if language in languages else default, "")
    return ""
