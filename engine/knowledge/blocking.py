"""Which names might mean the same thing: candidate pairs without comparing everything with everything. Pure.

Names share a block when they share a rare word; a word that many names have (a hub) brings none together. Pairs are
weighed by how rare what they share is, and joined strongest first into clusters of a bounded size: a cluster that would
grow too large is split at its weakest places, never skipped.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

HUB = 30
"""A word in more names than this brings none of them together."""
CLUSTER_CAP = 25
"""Names that a model is asked to sort at once."""
SUBSET_SHARE = 0.3
"""Least part of the longer name's rarity that a shorter one must hold to count as its short form."""
SIMILAR = 0.82
"""Least cosine of two names' embeddings."""
SPELLING = 90.0
"""Least likeness of two spellings, in percent."""

_NOT_WORD = re.compile(r"[\W_]+")
_ARTICLES = frozenset({"the", "a", "an", "der", "die", "das", "le", "la", "les", "el", "los", "las"})

Similar = Callable[[Sequence[str]], NDArray[np.float32]]
"""Embeddings of names: unit rows, shape (n, d)."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two units (positions, ``first < second``) that may be one, and why."""

    first: int
    second: int
    weight: float
    """0 to 1: how much speaks for it."""
    why: str
    """``case``, ``alias``, ``initials``, ``subset``, ``spelling`` or ``similar``."""
    names: tuple[str, str]


@lru_cache(maxsize=65536)
def normal(name: str) -> str:
    """What names are compared by: no case, accents, punctuation or leading article."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    words = _NOT_WORD.sub(" ", unicodedata.normalize("NFC", plain)).split()
    if len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return " ".join(words)


def candidate_pairs(units: Sequence[Sequence[str]], similar: Similar | None = None) -> list[Pair]:
    """Pairs of units, each given by all its names (its own first), that may be one; strongest first.

    Two units with an equal name (however written), a short form, initials or a close spelling; with ``similar`` also
    those whose first names mean the same.
    """
    names = [(position, name, normal(name)) for position, own in enumerate(units) for name in dict.fromkeys(own)]
    names = [one for one in names if one[2]]
    rarity = _rarity(names)
    best: dict[tuple[int, int], Pair] = {}
    for one, other in _blocked(names):
        pair = _compare(names[one], names[other], rarity)
        if pair is not None:
            _keep_best(best, pair)
    for pair in _meaning(units, similar) if similar else ():
        _keep_best(best, pair)
    return sorted(best.values(), key=lambda pair: (-pair.weight, pair.first, pair.second))


def clusters(count: int, pairs: Iterable[Pair], cap: int = CLUSTER_CAP) -> list[list[int]]:
    """Units joined by their pairs, strongest first, into clusters of at most ``cap``; single units are left out."""
    home = list(range(count))
    members: dict[int, list[int]] = {}
    for pair in sorted(pairs, key=lambda one: (-one.weight, one.first, one.second)):
        first, second = home[pair.first], home[pair.second]
        if first == second:
            continue
        joined = members.get(first, [first]) + members.get(second, [second])
        if len(joined) <= cap:
            members.pop(second, None)
            members[first] = joined
            for one in joined:
                home[one] = first
    return sorted(sorted(group) for group in members.values())


def _rarity(names: Sequence[tuple[int, str, str]]) -> dict[str, float]:
    """Word -> log of how seldom it is among the names."""
    counts = Counter(word for _, _, folded in names for word in set(folded.split()))
    return {word: math.log(1 + len(names) / count) for word, count in counts.items()}


def _blocked(names: Sequence[tuple[int, str, str]]) -> Iterator[tuple[int, int]]:
    """Pairs of positions in ``names`` that share a rare word, the whole name, or name and acronym; once each."""
    blocks: dict[tuple[str, str], list[int]] = {}
    for number, (_, name, folded) in enumerate(names):
        words = folded.split()
        for word in set(words):
            blocks.setdefault(("word", word), []).append(number)
        blocks.setdefault(("whole", folded.replace(" ", "")), []).append(number)
        blocks.setdefault(("letters", _acronym(name, words)), []).append(number)
    seen: set[tuple[int, int]] = set()
    for (kind, _), block in blocks.items():
        if len(block) < 2 or len(block) > HUB:
            # Equal names are compared with the first of them: there may be any number.
            pairs = ((block[0], other) for other in block[1:]) if kind == "whole" else ()
        else:
            pairs = combinations(block, 2)  # type: ignore[assignment]
        for pair in pairs:
            if names[pair[0]][0] != names[pair[1]][0] and pair not in seen:
                seen.add(pair)
                yield pair


def _acronym(name: str, words: Sequence[str]) -> str:
    """Initials of a name of several words; the name itself when it looks like initials."""
    if len(words) > 1:
        return "".join(word[0] for word in words)
    letters = name.replace(".", "").strip()
    return letters.casefold() if 2 <= len(letters) <= 6 and letters.isupper() else f"\0{name}"


def _compare(one: tuple[int, str, str], other: tuple[int, str, str], rarity: dict[str, float]) -> Pair | None:
    """What speaks for two names being one, or None."""
    if one[0] > other[0]:
        one, other = other, one
    weight, why = _likeness(one, other, rarity)
    return Pair(one[0], other[0], weight, why, (one[1], other[1])) if why else None


def _likeness(one: tuple[int, str, str], other: tuple[int, str, str], rarity: dict[str, float]) -> tuple[float, str]:
    (_, name, folded), (_, other_name, other_folded) = one, other
    if folded.replace(" ", "") == other_folded.replace(" ", ""):
        return 1.0, "case"
    words, other_words = folded.split(), other_folded.split()
    is_short_form = 1 in (len(words), len(other_words)) and len(words) != len(other_words)
    if _are_initials(words, other_words) or (
        is_short_form and _acronym(name, words) == _acronym(other_name, other_words)
    ):
        return 0.9, "initials"
    shorter, longer = sorted((set(words), set(other_words)), key=len)
    shared = sum(rarity[word] for word in shorter & longer)
    if shorter < longer:
        share = shared / sum(rarity[word] for word in longer)
        return (0.8 * share, "subset") if share >= SUBSET_SHARE else (0.0, "")
    if min(len(folded), len(other_folded)) >= 5:
        from rapidfuzz.fuzz import ratio  # kept out of start-up

        likeness = ratio(folded, other_folded, score_cutoff=SPELLING)
        digits = re.findall(r"\d+", folded) == re.findall(r"\d+", other_folded)
        return (0.7 * likeness / 100, "spelling") if likeness and digits else (0.0, "")
    return 0.0, ""


def _are_initials(words: Sequence[str], other: Sequence[str]) -> bool:
    """``o pryce`` and ``owen pryce``: word by word equal or an initial, the last word in full."""
    if len(words) != len(other) or len(words) < 2 or words[-1] != other[-1]:
        return False
    pairs = list(zip(words[:-1], other[:-1], strict=True))
    return all(a == b or (a[0] == b[0] and 1 in (len(a), len(b))) for a, b in pairs)


def _meaning(units: Sequence[Sequence[str]], similar: Similar) -> Iterator[Pair]:
    """Pairs of units whose first names have embeddings of at least ``SIMILAR``; computed in slices."""
    if len(units) < 2:
        return
    matrix = similar([own[0] for own in units])
    for start in range(0, len(units), 512):
        cosines = matrix[start : start + 512] @ matrix[start:].T
        near = np.argwhere(cosines >= SIMILAR)
        for row, column in near[near[:, 0] < near[:, 1]].tolist():
            weight = 0.6 * float(cosines[row, column])
            yield Pair(
                start + row, start + column, weight, "similar", (units[start + row][0], units[start + column][0])
            )


def _keep_best(best: dict[tuple[int, int], Pair], pair: Pair) -> None:
    known = best.get((pair.first, pair.second))
    if known is None or pair.weight > known.weight:
        best[pair.first, pair.second] = pair
