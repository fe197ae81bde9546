"""What a fused score is worth in words, measured on the development sets (``tests/bench/quality.py --calibrate``).

Scores of ``fusion.by_trust`` with the built-in model, six sets, ten best passages of each question: of those at 0.8 or
more 91 % answer the question, from 0.5 to 0.8 46 %, below that 17 %. Questions put to a collection that cannot answer
them (eight pairs of sets) stay below 0.45 with their best passage in 65 % of the cases; of questions that can be
answered 1 % do in the two sets with complete labels, 3 % on the average of the English ones.

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


def is_nothing_relevant(best_score: float) -> bool:
    """Whether the best hit of a question looks like one found by chance."""
    return best_score < NOTHING_BELOW
