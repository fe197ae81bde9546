"""The whole chain over the demo notes with recorded replies, through the library and over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.paths import Home
from engine.upkeep.demo import demo_sources
from tests.servers.chat import FakeChat
from tests.servers.recorded import CHECKOUT, RecordedModel

GOLD = str(CHECKOUT / "fixtures" / "demo")


class Chain:
    """The demo notes, parsed, extracted and resolved."""

    def __init__(self, root: Path, server: FakeChat) -> None:
        self.server = server
        self.options = {"server": server.base_url, "model": "recorded"}
        self.library = Library(Home(root / "data", root / "config", root / "logs"), FakeEmbedder())
        for location, name in demo_sources():
            self.library.index(self.library.add(location, name=name).id, Job())
        self.extracted = self.call("extract", sources=["Demo graph"])
        self.resolved = self.call("resolve")
        self.measured = self.call("eval", gold=GOLD)

    def call(self, verb: str, **more: object) -> dict[str, Any]:
        return self.library.graph_call(verb, {**self.options, **more})


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    with FakeChat(RecordedModel()) as server:
        server.models = [{"id": "recorded"}]
        made = Chain(tmp_path_factory.mktemp("demo"), server)
        yield made
        made.library.close()


def test_every_claim_has_its_quote(chain: Chain) -> None:
    assert chain.measured["provenance"] == {"node_coverage": 1.0, "edge_coverage": 1.0, "quote_coverage": 1.0}


def test_extraction_against_the_labels(chain: Chain) -> None:
    found = chain.measured["extraction"]
    assert (found["precision"], found["recall"], found["f1"]) == (0.6216, 0.8214, 0.7077)
    ends = chain.measured["extraction_without_predicate"]
    assert (ends["precision"], ends["recall"], ends["f1"]) == (0.6575, 0.8571, 0.7442)


def test_extraction_reports_what_was_not_taken(chain: Chain) -> None:
    (report,) = chain.extracted["reports"]
    assert (report["passages"], report["called"], report["facts"], report["problems"]) == (109, 109, 110, ())
    assert report["refused"] == {
        "a part is missing": 1,
        "an end is no name": 1,
        "the quote is not in the passage": 1,
        "the quote names neither end": 1,
    }


def test_names_are_grouped_as_labelled(chain: Chain) -> None:
    measured = chain.measured["resolution"]
    assert (measured["over_merge_rate"], measured["missed_merge_rate"]) == (0.0, 0.0625)


def test_answers_are_grounded(chain: Chain) -> None:
    assert chain.measured["grounding"] == {
        "answers": 11,
        "with_citations": 9,
        "citation_rate": 1.0,
        "hallucinated_citation_rate": 0.0667,
        "unsupported_sentence_rate": 0.1538,
        "declared_insufficient": 2,
        "insufficient_rightly": 2,
        "correct": 9,
    }


def test_links_and_model_are_compared(chain: Chain) -> None:
    assert chain.measured["links"]["novel"] == 69
    assert chain.measured["links"]["agreement"] == 0.3301


def test_without_a_model_the_same_questions_are_answered_by_the_notes_own_words(chain: Chain) -> None:
    measured = chain.library.graph_call("eval", {"gold": GOLD})["grounding"]
    assert (measured["correct"], measured["insufficient_rightly"]) == (9, 2)
    assert (measured["citation_rate"], measured["unsupported_sentence_rate"]) == (1.0, 0.0)


def test_a_second_run_of_every_stage_changes_nothing(chain: Chain) -> None:
    calls = len(chain.server.bodies())
    before = chain.call("stats")
    parsed = chain.call("parse")
    extracted = chain.call("extract", sources=["Demo graph"])
    resolved = chain.call("resolve")
    assert [report["parsed"] for report in parsed["reports"]] == [0, 0]
    assert [(report["called"], report["written"]) for report in extracted["reports"]] == [(0, 0)]
    assert (resolved["added"], resolved["withdrawn"]) == ([], [])
    assert chain.call("eval", gold=GOLD) == chain.measured
    assert chain.call("stats") == before
    assert len(chain.server.bodies()) == calls
