"""The order in which sources were added or asked for never changes an answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import SearchRequest
from engine.paths import Home

NAMES = ("one", "two", "three")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root = tmp_path_factory.mktemp("order")
    with Library(Home(root / "data", root / "config", root / "logs"), FakeEmbedder()) as opened:
        for name in NAMES:
            (root / name).mkdir()
            for number in range(6):
                # The same notes in every vault: every rank is a tie.
                (root / name / f"{number}.md").write_text(f"Bees and lamp number{number % 3} by the sea.", "utf-8")
            opened.add(str(root / name))
            opened.index(name, Job())
        yield opened


@given(order=st.permutations(NAMES), text=st.sampled_from(["bees", "lamp number1", "sea mode:meaning", "path:2"]))
@pytest.mark.parametrize("fusion", ["", "rrf"])
def test_answers_do_not_depend_on_the_order(library: Library, fusion: str, order: list[str], text: str) -> None:
    def rows(names: tuple[str, ...]) -> list[tuple[str, str, float]]:
        result = library.search(SearchRequest(text, sources=names, limit=30, fusion=fusion))
        return [(row.source, row.note, round(row.score, 5)) for row in result.rows]

    expected = rows(NAMES)
    assert expected
    assert rows(tuple(order)) == expected
