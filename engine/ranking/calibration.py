"""What scores are worth in words, measured on the development sets (``tests/bench/quality.py --calibrate``).

Two measures that fail in different ways. The score of ``fusion.by_trust`` is made of words in good part, so a
paraphrase that shares none with its answer scores low even where it stands first. The cosine is a model's own and
knows nothing of rare words, but questions that the notes cannot answer stay below a floor.

Measured with the built-in model, ten best passages of each question where it knows the language: of those that score
0.8 or more 86 % answer, from 0.5 to 0.8 39 %, below that 7 % (of a question with one right answer at most one can).
The nearest passage of questions about something else lies below 0.28 in 86 % of the cases and reaches 0.45 in 0.5 %;
of questions that the notes answer it is below 0.28 in none, but for English questions about German notes (18 %).
In the bundled demo 15 of 20 questions about something else are called hopeless, and none of 18 paraphrases.
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
    """The nearest passage of a question that the notes cannot answer hardly ever reaches this."""
    likely: float
    """Hardly a question about something else comes this near, whatever its words."""


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
