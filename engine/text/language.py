"""Which language a text is in: by its script, then by its small words, and only then by a trained model.

Never guesses on thin evidence: an empty answer means that the text is too short or too mixed to tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import regex

from engine.text.stopwords import STOP_WORDS
from engine.text.words import fold

SAMPLE = 2000
"""Characters that are looked at."""
_LETTERS_FOR_THE_MODEL = 40
_SURE = 0.8
"""Probability from which the trained model is believed; below it short notes got exotic languages."""
_CLEARLY = 1.3
"""How many times more small words of the best language than of the second best."""

_SCRIPT = regex.compile(
    r"(?P<Latin>\p{Latin}+)|(?P<Cyrillic>\p{Cyrillic}+)|(?P<kana>[\p{Hiragana}\p{Katakana}]+)|(?P<Han>\p{Han}+)"
    r"|(?P<ko>\p{Hangul}+)|(?P<Arabic>\p{Arabic}+)|(?P<hi>\p{Devanagari}+)|(?P<th>\p{Thai}+)|(?P<el>\p{Greek}+)"
    r"|(?P<he>\p{Hebrew}+)|(?P<ta>\p{Tamil}+)|(?P<te>\p{Telugu}+)|(?P<bn>\p{Bengali}+)|(?P<ka>\p{Georgian}+)"
    r"|(?P<hy>\p{Armenian}+)|(?P<lo>\p{Lao}+)|(?P<km>\p{Khmer}+)|(?P<my>\p{Myanmar}+)"
)
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_LANGUAGES_OF = {
    "Latin": ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "tr"),
    "Cyrillic": ("ru", "uk"),
    "Arabic": ("ar", "fa"),
}
_USUAL = {"Arabic": "ar", "Cyrillic": "ru"}
"""What a few words in a script are taken for when nothing else tells."""
_ASKED_OF_THE_MODEL = [
    *("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "tr", "cs", "sk", "hu", "ro", "ca", "eu"),
    *("et", "lv", "lt", "id", "ga", "hr", "sl", "sq", "is", "vi", "eo", "ru", "uk", "bg", "sr", "mk", "be", "ar", "fa"),
    "ur",
]


def detect_language(text: str) -> str:
    """ISO 639-1 code of the language of a note, empty when it cannot be told."""
    text = text[:SAMPLE]
    script = _main_script(text)
    if script not in _LANGUAGES_OF:
        return script
    found = _by_small_words(text, _LANGUAGES_OF[script], at_least=3)
    return found or _by_model(text) or _USUAL.get(script, "")


def question_language(text: str, languages: Sequence[str] = ()) -> str:
    """Language of a question: by script and small words, else the first of ``languages`` written in that script.

    ``languages`` are those of the notes, the most frequent first. Never loads the trained model: a question is too
    short for it, and loading takes longer than a search may.
    """
    script = _main_script(text)
    if script not in _LANGUAGES_OF:
        return script
    of_notes = tuple(language for language in [*languages, "en"] if script_of(language) == script)
    known = tuple(language for language in dict.fromkeys(of_notes) if language in STOP_WORDS)
    # One small word is enough to choose among the languages of the notes, not among all.
    found = _by_small_words(text, _LANGUAGES_OF[script], at_least=2) or _by_small_words(text, known, at_least=1)
    return found or next((one for one in languages if script_of(one) == script), _USUAL.get(script, ""))


def script_of(language: str) -> str:
    """The script that ``language`` is written in, named as this module names it."""
    for script, languages in _LANGUAGES_OF.items():
        if language in languages:
            return script
    if language in {"bg", "sr", "mk", "be"}:
        return "Cyrillic"
    if language == "ur":
        return "Arabic"
    return language if language in _SCRIPT.groupindex or language in {"zh", "ja"} else "Latin"


def _main_script(text: str) -> str:
    """The script most letters are in, or the language where the script says it; empty without letters."""
    counts: Counter[str] = Counter()
    for run in _SCRIPT.finditer(text):
        counts[run.lastgroup or ""] += len(run[0])
    if not counts:
        return ""
    kana, han = counts.pop("kana", 0), counts.pop("Han", 0)
    if kana or han:
        # A few kana are a loan or a name; Japanese prose is a third kana at least. A Han letter is worth two others.
        counts["ja" if kana * 8 > han else "zh"] = (kana + han) * 2
    return max(counts, key=lambda script: (counts[script], script))


def _by_small_words(text: str, languages: Iterable[str], at_least: int) -> str:
    """The language whose small words ``text`` uses clearly most, or an empty string."""
    words = Counter(_WORD.findall(fold(text)))
    hits = sorted(
        ((sum(words[word] for word in words.keys() & STOP_WORDS[language]), language) for language in languages),
        reverse=True,
    )
    best, second = [*hits, (0, ""), (0, "")][:2]
    if best[0] < at_least or best[0] < _CLEARLY * second[0]:
        return ""
    return best[1] if best[0] * 12 >= words.total() else ""


def _by_model(text: str) -> str:
    if sum(map(str.isalpha, text)) < _LETTERS_FOR_THE_MODEL:
        return ""
    language, probability = _identifier().classify(text)
    return str(language) if probability >= _SURE else ""


@lru_cache(maxsize=1)
def _identifier() -> Any:
    # Seconds to load, and most libraries never need it.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_ASKED_OF_THE_MODEL)
    return identifier
