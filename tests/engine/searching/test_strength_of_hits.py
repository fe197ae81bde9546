"""What a search says of its hits: near in meaning, near in words, or nothing relevant; and when it says nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import SearchRequest, SearchResult, Strength
from engine.paths import Home
from engine.ranking.calibration import COSINES

NOTES = {
    "Tower.md": "Climbing the iron stairs my legs go soft and I dare not look down.",
    "Hive.md": "The colony needs sugar when nothing comes in from the fields.",
    "Oven.md": "The crumb stayed tight although the dough rose all night.",
    "Budget.md": "Forty thousand are lacking before the roof can be mended.",
}
CALIBRATED = "all-minilm-l6-v2@fake"


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., SearchResult]:
    for name, text in NOTES.items():
        path = tmp_path / "vault" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")

    @contextmanager
    def opened(embedder: FakeEmbedder) -> Iterator[Library]:
        home = Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs")
        with Library(home, embedder) as library:
            library.add(str(tmp_path / "vault"), name="Main")
            library.index("Main", Job())
            yield library

    def ask(
        text: str, *, name: str = CALIBRATED, cosine: float = 0.0, languages: str = "en", **more: str
    ) -> SearchResult:
        """The answer of a model whose question lies at ``cosine`` to the note of the tower, and across the rest."""
        embedder = FakeEmbedder(name=name, dimensions=64, languages=frozenset(filter(None, [languages])))
        with opened(embedder) as library:
            live = library.search(SearchRequest("stairs")).rows[0].hits[0]
            assert live.title == "Tower"
            embedder.embed_query = aimed(embedder.documents, embedder, cosine)  # type: ignore[method-assign]
            return library.search(SearchRequest(text, **more))  # type: ignore[arg-type]

    return ask


def aimed(documents: list[str], embedder: FakeEmbedder, cosine: float) -> Callable[[str], np.ndarray]:
    """A query vector with ``cosine`` to the document of the tower and none to the others."""
    rows = np.stack([embedder._vector(text) for text in documents])
    wanted = np.array([cosine if "iron stairs" in text else 0.0 for text in documents])
    inside = np.linalg.pinv(rows) @ wanted
    across = np.random.default_rng(0).standard_normal(rows.shape[1])
    across -= np.linalg.pinv(rows) @ (rows @ across)
    rest = np.sqrt(max(0.0, 1 - inside @ inside))
    vector = (inside + rest * across / np.linalg.norm(across)).astype(np.float32)
    return lambda _: vector


NEAR = COSINES["all-minilm-l6-v2"]
PARAPHRASE = "fear of heights"


def test_a_paraphrase_without_a_shared_word_is_not_called_nothing(asked: Callable[..., SearchResult]) -> None:
    result = asked(PARAPHRASE, cosine=NEAR.chance + 0.02)
    assert result.rows[0].title == "Tower"
    assert not result.nothing_relevant


def test_nearness_alone_makes_a_hit_likely(asked: Callable[..., SearchResult]) -> None:
    hits = [row.hits[0] for row in asked(PARAPHRASE, cosine=NEAR.likely + 0.02).rows]
    assert (hits[0].title, hits[0].strength) == ("Tower", Strength.LIKELY)
    assert {hit.strength for hit in hits[1:]} == {Strength.WEAK}


def test_nearness_says_nothing_in_a_language_that_the_model_does_not_know(asked: Callable[..., SearchResult]) -> None:
    hit = asked("боязнь высоты на мосту", cosine=NEAR.likely + 0.02).rows[0].hits[0]
    assert (hit.title, hit.strength) == ("Tower", Strength.WEAK)


def test_far_in_meaning_and_without_words_is_nothing(asked: Callable[..., SearchResult]) -> None:
    assert asked(PARAPHRASE, cosine=NEAR.chance - 0.05).nothing_relevant


@pytest.mark.parametrize(
    "case",
    [
        {"text": "colony sugar fields"},
        {"name": "another@fake"},
        {"text": "боязнь высоты на мосту"},
        {"fusion": "rrf"},
        {"text": PARAPHRASE + " mode:word"},
    ],
    ids=["words meet", "model without calibration", "language the model does not know", "ranks only", "no meaning leg"],
)
def test_nothing_is_claimed_where_it_cannot_be_told(asked: Callable[..., SearchResult], case: dict[str, str]) -> None:
    assert not asked(**({"text": PARAPHRASE, "cosine": NEAR.chance - 0.05} | case)).nothing_relevant


def test_a_model_of_every_language_may_tell(asked: Callable[..., SearchResult]) -> None:
    assert asked("боязнь высоты на мосту", languages="", cosine=NEAR.chance - 0.05).nothing_relevant
