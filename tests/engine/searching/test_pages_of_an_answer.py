"""Pages of one answer follow one another: no note comes twice, none is missing."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator

import pytest

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import Scope, SearchRequest
from engine.paths import Home
from engine.searching.legs import POOL, pool_of

WORDS = (
    "lamp",
    "oil",
    "harbour",
    "keeper",
    "wick",
    "fog",
    "bell",
    "tide",
    "stone",
    "letter",
    "winter",
    "glass",
    "honey",
)
COUNT = 130


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root, chance = tmp_path_factory.mktemp("pages"), random.Random(3)
    vault = root / "vault"
    vault.mkdir()
    for number in range(COUNT):
        sections = [f"# {chance.choice(WORDS)}\n{' '.join(chance.choices(WORDS, k=30))}\n" for _ in range(4)]
        (vault / f"Note {number}.md").write_text("\n".join(sections), "utf-8")
    with Library(Home(root / "data", root / "config", root / "logs"), FakeEmbedder(dimensions=64)) as opened:
        opened.add(str(vault), name="Main")
        opened.index("Main", Job())
        yield opened


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("limit", [7, 11])
def test_every_note_comes_once(library: Library, scope: Scope, limit: int) -> None:
    titles: list[str] = []
    request = SearchRequest("lamp oil in winter", limit=limit, scope=scope)
    while rows := library.search(dataclasses.replace(request, offset=len(titles))).rows:
        titles += [row.title for row in rows]
    assert len(titles) == len(set(titles))
    assert len(titles) == COUNT


@pytest.mark.parametrize(
    ("last_row", "expected"), [(1, POOL), (50, POOL), (51, 4 * POOL), (200, 4 * POOL), (201, 16 * POOL)]
)
def test_pools_have_few_sizes(last_row: int, expected: int) -> None:
    assert pool_of(last_row) == expected
