"""Links that the notes do not have: what is proposed, what is not, and that a decision is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import BadRequest
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.paths import Home
from engine.searching.related import MUTUAL, _nearest

NOTES = {
    "Tide mill.md": "---\naliases: [the old mill]\n---\n# Tide mill\n\nIt grinds at the ebb.\n",
    "People/Ada Quist.md": "# Ada Quist\n\nShe keeps the [[Tide mill]].\n",
    "Attention.md": "# Attention\n\nA page with the name of a common word.\n",
    "Flood.md": "# Flood\n\nThe water reached the old mill, and ada quist stood in it. Pay attention to the date.\n",
    "Code.md": "# Code\n\nRun `Ada Quist` and see https://example.org/Tide mill; [Ada Quist](People/Ada%20Quist.md).\n",
    "Linked.md": "# Linked\n\n[[Ada Quist]] came. Ada Quist went.\n",
    "House.md": "# House\n\nSee [[Ada Quist's house|the house of Ada Quist]] by the shore.\n",
    "日記.md": "# 日記\n\n今日は潮の満ち引きについて考えた。\n",
    "潮の満ち引き.md": "# 潮の満ち引き\n\n月が動かす。\n",
    "2025-03-01.md": "Nothing on 2025-03-02 at all.\n",
    "2025-03-02.md": "Rain.\n",
}
PAGES = [
    {"title": "Salt pans", "uid": "saltpans1", "children": [
        {"string": "Rented from [[Bo Lind]] in spring", "uid": "saltpanb1"},
        {"string": "Bo Lind raised the rent; [[Bo Lind]] again", "uid": "saltpanb2"},
    ]},
    {"title": "Rents", "uid": "rentspag1", "children": [
        {"string": "Salt pans: paid to Bo Lind on Monday", "uid": "rentsblk1"},
    ]},
]  # fmt: skip


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    for name, text in NOTES.items():
        file = tmp_path / "vault" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (tmp_path / "graph.json").write_text(json.dumps(PAGES), "utf-8")
    with Library(Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs"), FakeEmbedder()) as opened:
        for place in ("vault", "graph.json"):
            opened.index(opened.add(str(tmp_path / place)).id, Job())
        yield opened


def proposed(library: Library) -> list[dict[str, Any]]:
    return [one for one in library.graph_call("links", {})["links"] if not one["by_meaning"]]


def test_mentions_without_a_link_are_found_in_both_kinds_of_source(library: Library) -> None:
    found = {(one["title"], one["entity"]["name"], one["link"]) for one in proposed(library)}
    assert found == {
        ("Flood", "Tide mill", "[[Tide mill|the old mill]]"),
        ("Flood", "Ada Quist", "[[Ada Quist|ada quist]]"),
        ("日記", "潮の満ち引き", "[[潮の満ち引き]]"),
        ("Rents", "Salt pans", "[[Salt pans]]"),
        ("Rents", "Bo Lind", "[[Bo Lind]]"),
    }, "no code, no address, no link, no day, no word that is not written as the name"


def test_a_proposal_shows_the_words_and_their_block(library: Library) -> None:
    block = next(one for one in proposed(library) if one["entity"]["name"] == "Bo Lind")
    assert block["evidence"]["quote"] == "Salt pans: paid to Bo Lind on Monday"
    assert block["evidence"]["uid"] == "rentsblk1"
    flood = next(one for one in proposed(library) if one["title"] == "Flood")
    assert flood["evidence"]["first_line"] > 0
    assert flood["evidence"]["quote"] in NOTES["Flood.md"]


@pytest.mark.parametrize("verdict", ["accepted", "rejected"])
def test_a_decision_is_kept_over_a_new_index_and_taken_back(library: Library, verdict: str) -> None:
    one = next(one for one in proposed(library) if one["link"] == "[[Bo Lind]]")
    about = {name: one[name] for name in ("source", "note", "subject")}
    library.graph_call("review", {**about, "verdict": verdict})
    library.index("graph", Job(), full=True)
    assert "[[Bo Lind]]" not in [one["link"] for one in proposed(library)]
    assert library.graph_call("links", {})["decided"] == [{**about, "verdict": verdict}]
    library.graph_call("review", {**about, "verdict": ""})
    assert "[[Bo Lind]]" in [one["link"] for one in proposed(library)]
    assert library.graph_call("links", {})["decided"] == []


def test_a_decision_hides_no_note(library: Library) -> None:
    one = proposed(library)[0]
    before = library.related(one["source"], one["note"])
    library.graph_call("review", {**{n: one[n] for n in ("source", "note", "subject")}, "verdict": "rejected"})
    assert library.related(one["source"], one["note"]) == before


def test_what_is_no_decision_is_refused(library: Library) -> None:
    with pytest.raises(BadRequest, match="perhaps"):
        library.graph_call("review", {"source": "s", "note": "n", "subject": "x", "verdict": "perhaps"})


def test_a_link_that_was_made_is_no_longer_missing(library: Library, tmp_path: Path) -> None:
    flood = tmp_path / "vault" / "Flood.md"
    flood.write_text(NOTES["Flood.md"].replace("the old mill", "[[Tide mill|the old mill]]"), "utf-8")
    library.index("vault", Job())
    assert ("Flood", "Tide mill") not in {(one["title"], one["entity"]["name"]) for one in proposed(library)}


def test_notes_near_in_meaning_are_proposed_unless_they_are_linked(library: Library) -> None:
    graph = library.graph()
    found = [one for one in library.graph_call("links", {})["links"] if one["by_meaning"]]
    joined = {frozenset((one.subject, one.object)) for one in graph.relations}
    for one in found:
        mine = graph.by_note[one["source"], one["note"]]
        assert frozenset((mine, one["entity"]["id"])) not in joined
        assert one["link"].startswith("[[")
        assert not graph.entities[mine].is_daily
    assert found


def test_the_nearest_are_the_nearest() -> None:
    chance = np.random.default_rng(5)
    vectors = chance.normal(size=(60, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    nearest, cosines = _nearest(vectors, lambda: None)
    every = vectors @ vectors.T
    np.fill_diagonal(every, -2)
    for at in range(60):
        assert set(nearest[at].tolist()) == set(np.argsort(-every[at])[:MUTUAL].tolist())
        assert np.allclose(cosines[at], every[at][nearest[at]])
    assert _nearest(vectors[:1], lambda: None)[0].shape == (1, 0)


# --- coverage -------------------------------------------------------------------------------------------------------


def test_coverage_counts_notes_and_passages(library: Library) -> None:
    document = library.graph_call("coverage", {})
    vault, graph = document["sources"]
    assert (vault["notes"], vault["parsed"], vault["read"]) == (len(NOTES), len(NOTES), 0)
    assert (graph["notes"], graph["passages"]) == (2, 3)
    assert library.graph_call("spent", {"model": "tiny"}) == {
        "calls": 0, "tokens_in": 0, "tokens_out": 0, "seconds": 0.0,
    }  # fmt: skip
