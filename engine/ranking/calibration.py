"""What scores are worth in words, measured on the development sets (``tests/bench/quality.py --calibrate``).

Two measures that fail in different ways. The score of ``fusion.by_trust`` is made of words in good part, so a
paraphrase that shares none with its answer scores low even where it stands first. The cosine is a model's own and
knows nothing of rare words, but questions that the notes cannot answer stay below a floor.

Measured with the built-in model, ten best passages of each question: of the strong ones 87 % answer, of the likely
ones 44 %, of the weak ones 7 % (most questions have one right passage, so nine of their ten hits cannot).

Questions of one English set asked of another: the nearest passage lies below 0.28 in 64 % of the cases and reaches
0.45 in 3.5 % (computer science, which the others touch, 35 % and 7 %; without it 86 % and 0.5 %). Nothing relevant is
said of 13 to 35 % of the questions in pairs with computer science, of 61 to 87 % in the others; of no question that the
notes answer, but for English ones about German notes (7 %). In the bundled demo it is said of 15 of 20 questions about
something else and of none of 18 paraphrases; the floor was set with these in view, the lowest of them at 0.284.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.model import Strength

STRONG = 0.8
LIKELY = 0.5


@dataclass(frozen=True, slots=True)
class Cosines:
    """What the cosines of one model are worth."""

    chance: float
    """The nearest passage of a question that the notes answer hardly ever lies below this."""
    likely: float
    """Few questions about something else come this near, whatever their words."""


COSINES: Mapping[str, Cosines] = {"all-minilm-l6-v2": Cosines(chance=0.28, likely=0.45)}
"""By the part of a model id that names the weights. Of other models nothing is claimed."""


def cosines_of(model_id: str) -> Cosines | None:
    return COSINES.get(model_id.partition("@")[0])


def strength(score: float, cosine: float = 0.0, model_id: str = "") -> Strength:
    """How far a hit is likely to answer the question, by its score of ``fusion.by_trust`` and by its cosine.

    ``model_id`` made the cosine; empty when it tells nothing, as where the model does not know the language.
    """
    if score >= STRONG:
        return Strength.STRONG
    known = cosines_of(model_id)
    is_near = known is not None and cosine >= known.likely
    return Strength.LIKELY if score >= LIKELY or is_near else Strength.WEAK


def is_nothing_relevant(best_score: float, best_cosines: Mapping[str, float], knows_language: bool = True) -> bool:
    """Whether the best hit of a question looks like one found by chance: little in words, and far in meaning.

    ``best_cosines``: model id -> cosine of its nearest passage. It cannot be told without a calibrated model, or when
    one of them does not know the language of the question.
    """
    if not best_cosines or not knows_language or best_score >= LIKELY:
        return False
    known = {model: cosines_of(model) for model in best_cosines}
    return all(
        (limits := known[model]) is not None and cosine < limits.chance for model, cosine in best_cosines.items()
    )
