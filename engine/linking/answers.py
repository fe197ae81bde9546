"""Answers as sentences with citations: a model's text, read and checked, or the notes' own words. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.linking.evidence import plain, term_weights
from engine.linking.proof import content_terms, spoken
from engine.linking.replies import UnreadableReply, objects
from engine.model import Citation, Sentence
from engine.prompts.query import INSUFFICIENT

ENOUGH = 0.6
"""Part of what the question asks, by weight of its words, that the notes' own sentences must speak of."""
MOST_SENTENCES = 4

_MARK = re.compile(r"\s*[\[【]\s*((?:e?\d{1,4})(?:\s*[,;]\s*e?\d{1,4})*)\s*[\]】]")
_NUMBER = re.compile(r"\d{1,4}")
_MARKS = r"(?:\s*[\[【]\s*e?\d[\d,;e\s]*[\]】])*"
_NO_MARK = r"(?!\s|[\[【]\s*e?\d)"
_SENTENCE = re.compile(
    # Not after an initial or a short title: "O. Bell", "Dr. Bell".
    rf"(?<!\b[A-Z]\.)(?<!\b[A-Z][a-z]\.)(?<=[.!?…])[\"”’»)\]]*{_MARKS}\s+{_NO_MARK}"
    rf"|(?<=[。！？])[」』”]*{_MARKS}{_NO_MARK}|\n+{_NO_MARK}"
)
_ATTRIBUTE = re.compile(r"[\w ]{1,30}::?\s")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    sentences: tuple[Sentence, ...] = ()
    invalid: tuple[int, ...] = ()
    """Cited numbers that no evidence has."""
    missing: str | None = None
    """Not None: the model says that the evidence does not suffice, and what is missing."""


def read_answer(text: str, question: str, evidence: Sequence[Citation]) -> ReadAnswer:
    """The sentences of a model's answer, each checked. Raises ``UnreadableReply`` for a text without words."""
    said = _as_text(text)
    if not re.search(r"\w", said):
        raise UnreadableReply("The model gave no answer.", "Try again, or choose a larger model.")
    if INSUFFICIENT in said[: len(INSUFFICIENT) + 10]:
        return ReadAnswer(missing=said.partition(INSUFFICIENT)[2].strip(" :.\n*"))
    known = {citation.number: citation for citation in evidence}
    sentences = []
    invalid: dict[int, None] = {}
    for piece in _pieces(said):
        numbers = list(dict.fromkeys(_numbers(piece)))
        invalid |= dict.fromkeys(number for number in numbers if number not in known)
        valid = tuple(number for number in numbers if number in known)
        words = _MARK.sub("", piece).strip()
        if not re.search(r"\w", words):
            continue
        sentences.append(Sentence(words, valid, is_supported(words, question, [known[number] for number in valid])))
    return ReadAnswer(tuple(sentences), tuple(invalid))


def _as_text(text: str) -> str:
    """Some models answer in JSON whatever they are told."""
    value = next((one for one in objects(text) if isinstance(one.get("answer"), str)), None)
    if value is None or not text.strip().startswith(("{", "`")):
        return text.strip()
    if value.get("sufficient") is False:
        return f"{INSUFFICIENT}: {value['answer']}"
    listed = value.get("citations")
    cited = [number for one in (listed if isinstance(listed, list) else ()) for number in _NUMBER.findall(str(one))]
    answer = str(value["answer"]).strip()
    return answer if _MARK.search(answer) or not cited else f"{answer} [{', '.join(cited)}]"


def _pieces(text: str) -> list[str]:
    """The sentences, each with the marks that stand in it or follow it."""
    pieces, start = [], 0
    for found in _SENTENCE.finditer(text):
        pieces.append(text[start : found.end()].strip())
        start = found.end()
    return [piece for piece in (*pieces, text[start:].strip()) if piece]


def _numbers(piece: str) -> list[int]:
    return [int(number) for mark in _MARK.findall(piece) for number in _NUMBER.findall(mark)]


def is_supported(sentence: str, question: str, cited: Sequence[Citation]) -> bool:
    """Whether the cited quotes speak of what a sentence says.

    They must hold every figure of the sentence, and at least half of the words in it that matter and that the question
    did not bring up, or of all its words when the question brought up all of them.
    """
    if not cited:
        return False
    text = "\n".join(f"{one.statement}\n{plain(one.evidence.quote)}\n{one.title}" for one in cited)
    said = spoken(text)
    figures = set(_FIGURE.findall(text))
    if any(figure not in figures for figure in _FIGURE.findall(sentence)):
        return False
    terms = content_terms(sentence)
    new = [term for term in terms if term not in spoken(question)] or terms
    hits = sum(1 for term in new if term in said)
    return hits > 0 and 2 * hits >= len(new)


def extractive(question: str, evidence: Sequence[Citation]) -> tuple[tuple[Sentence, ...], bool]:
    """The sentences of the quotes that together say most of what the question asks, and whether that is enough.

    Each sentence after the first shares a word that matters with one before it: words that are only scattered over the
    notes make no answer.
    """
    found = [(Sentence(text, (one.number,)), one) for one in evidence for text in _own_sentences(one)]
    texts = [f"{sentence.text}\n{one.statement}\n{one.title}" for sentence, one in found]
    speaks = [frozenset(content_terms(text)) for text in texts]
    weights = term_weights(question, speaks)
    total = sum(weights.values())
    chosen: list[int] = []
    missing, told = set(weights), frozenset[str]()
    while missing and len(chosen) < MOST_SENTENCES:
        joined = [at for at in range(len(found)) if not chosen or speaks[at] & told]
        gains = {at: sum(weights[term] for term in missing & speaks[at]) for at in joined}
        best = max(gains, key=lambda at: (gains[at], -at), default=-1)
        if best < 0 or gains[best] <= 0:
            break
        chosen.append(best)
        told |= speaks[best]
        missing -= speaks[best]
    is_enough = total > 0 and total - sum(weights[term] for term in missing) >= ENOUGH * total
    return tuple(found[at][0] for at in chosen), is_enough


def _own_sentences(citation: Citation) -> list[str]:
    """The quote by sentences; of an attribute or a list of names, the relation in words or what has the attribute."""
    quote = plain(citation.evidence.quote)
    is_attribute = _ATTRIBUTE.match(quote) is not None and not quote.endswith((".", "!", "?"))
    if citation.statement and (is_attribute or len(quote.split()) < 4):
        return [f"{citation.statement}."]
    return [f"{citation.title}, {quote}"] if is_attribute else _pieces(quote)


def marked(sentences: Sequence[Sentence]) -> str:
    """The sentences with their marks, as one text."""
    return " ".join(
        one.text + "".join(f" [{number}]" for number in one.citations)
        + ("" if one.is_supported else " [not supported]")
        for one in sentences
    )  # fmt: skip


def cited(sentences: Sequence[Sentence], evidence: Sequence[Citation]) -> tuple[Citation, ...]:
    """The pieces that the sentences cite, by number."""
    by_number: Mapping[int, Citation] = {one.number: one for one in evidence}
    return tuple(by_number[number] for number in sorted({n for one in sentences for n in one.citations}))
