"""Sources meet in one graph without being told to, and the owner's word stays above the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.knowledge.merging import EntryKind
from engine.library import Library
from engine.paths import Home


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Owen Pryce.md").write_text("Keeps bees near [[Skerrow]].", "utf-8")
    page = {
        "title": "Owen Pryce",
        "uid": "pageowen1",
        "children": [{"string": "Forges [[Railing]].", "uid": "blockowen"}],
    }
    (tmp_path / "graph.json").write_text(json.dumps([page]), "utf-8")
    with Library(Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs"), FakeEmbedder()) as opened:
        for place in (vault, tmp_path / "graph.json"):
            opened.index(opened.add(str(place)).id, Job())
        yield opened


def names(library: Library) -> list[str]:
    return [entity.name for entity in library.graph().find("Owen Pryce")]


def test_equal_names_of_two_sources_are_one_thing(library: Library) -> None:
    assert names(library) == ["Owen Pryce"]
    assert [entry.why for entry in library.merges()] == ["exact"]


def test_looking_again_writes_nothing(library: Library) -> None:
    library.graph()
    before = [(entry.id, entry.at) for entry in library.merges()]
    library.index("vault", Job(), full=True)
    library.graph()
    assert [(entry.id, entry.at) for entry in library.merges()] == before


def test_what_the_owner_undid_stays_undone(library: Library) -> None:
    library.graph()
    library.undo_merge(library.merges()[0].id)
    library.index("vault", Job(), full=True)
    assert len(names(library)) == 2
    assert [e.kind for e in library.merges() if e.undone_at is None] in ([], [EntryKind.APART])
