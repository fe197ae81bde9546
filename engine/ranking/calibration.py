"""What a fused score is worth in words, measured on the development sets (``tests/bench/quality.py --calibrate``).

Scores of ``fusion.by_trust`` with the built-in model, ten best passages of each question over cranfield, cacm and
xquad in English, German and Chinese: of those at 0.8 or more 93 % answer the question, from 0.5 to 0.8 55 %, below
that 6 %. Questions put to an English collection that cannot answer them stay below 0.45 with their best passage in
60 % to 78 % of the cases; of English questions that can be answered 0 % to 6 % do, but 15 % of Chinese ones: where the
model does not know the language nothing is said.

The meaning leg counts in deviations from the mean, so the limits hold for other models too, if less exactly.
"""

from __future__ import annotations

from engine.model import Strength

STRONG = 0.8
LIKELY = 0.5
NOTHING_BELOW = 0.45


def strength(score: float) -> Strength:
    """How far a hit with this score of ``fusion.by_trust`` is likely to answer the question."""
    if score >= STRONG:
        return Strength.STRONG
    return Strength.LIKELY if score >= LIKELY else Strength.WEAK


def is_nothing_relevant(best_score: float, knows_language: bool = True) -> bool:
    """Whether the best hit of a question looks like one found by chance.

    ``knows_language``: whether the model knows the language of the question; it cannot be told without.
    """
    return knows_language and best_score < NOTHING_BELOW
