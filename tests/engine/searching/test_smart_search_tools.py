"""The four tools on the vectors of a Smart Connections index: arguments, rows, folders, refusals, status."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadRequest, ModelUnavailable, NotAllowed, UnknownNote
from engine.inference.fake import FakeEmbedder
from engine.paths import Home
from engine.searching.smart_questions import embed_question, embedder_of
from engine.searching.smart_search import (
    EXCERPT,
    MARKER,
    get_note,
    in_folders,
    index_status,
    list_folders,
    related_notes,
    search_notes,
    section_of,
)
from engine.sources.smart_index import SmartVault
from engine.sources.smart_models import SmartModel, model_of_key
from fixtures.smart_connections import generate as made

NOTES = {
    "Garden/Tea.md": "---\ntitle: leaf\n---\n# Tea\ngreen tea\n",
    "Garden/Old/Bees.md": "# Bees\nhum\n",
    "Gardens.md": "# Gardens\nplural\n",
    "Ships.md": "# Ships\nwake\n",
}


class Indexed:
    """A packed index whose items have the given cosines to the question (or to the note asked for)."""

    def __init__(self, root: Path, scores: dict[tuple[str, str], float], notes: dict[str, str] = NOTES) -> None:
        self.root = root
        self.slots = made.write_packed(root, notes)
        matrix = np.zeros((len(self.slots), 384), "<f4")
        for place, slot in self.slots.items():
            score = scores.get(place, 0.0)
            matrix[slot, 0], matrix[slot, 1] = score, np.sqrt(max(0.0, 1 - score**2))
        for collection in ("smart_sources", "smart_blocks"):
            matrix.tofile(root / ".smart-env" / collection / made.BGE)
        self.vault = SmartVault(root)

    def search(self, **arguments: object) -> dict:
        question = np.zeros(384, np.float32)
        question[0] = 1
        return search_notes(self.vault, lambda model, text: question, **{"query": "q", **arguments})

    def paths(self, **arguments: object) -> list[str]:
        return [row["path"] for row in self.search(**arguments)["results"]]

    def rewrite(self, records: dict[str, dict]) -> None:
        lines = [made.line(f"smart_sources:{path}", record) for path, record in records.items()]
        made.write_shard(self.root / ".smart-env", lines)

    def records(self) -> dict[str, dict]:
        texts = {path: (self.root / path).read_text("utf-8") for path, block in self.slots if not block}
        return made.packed_records(texts, self.slots)


SCORES = {
    ("Garden/Tea.md", ""): 0.7,
    ("Garden/Tea.md", "#Tea"): 0.9,
    ("Garden/Old/Bees.md", ""): 0.6,
    ("Gardens.md", ""): 0.8,
    ("Gardens.md", "#Gardens"): 0.8,
    ("Ships.md", ""): 0.55,
    ("Ships.md", "#Ships"): 0.2,
}


@pytest.fixture
def indexed(tmp_path: Path) -> Indexed:
    return Indexed(tmp_path, SCORES)


# --- search_notes -------------------------------------------------------------------------------------------------


def test_one_row_per_note_with_its_best_score(indexed: Indexed) -> None:
    rows = indexed.search()["results"]
    assert [(row["path"], row["score"], row["matched"]) for row in rows] == [
        ("Garden/Tea.md", 0.9, "block"),
        ("Gardens.md", 0.8, "note"),
        ("Garden/Old/Bees.md", 0.6, "note"),
        ("Ships.md", 0.55, "note"),
    ]
    assert rows[0] == {
        "path": "Garden/Tea.md",
        "score": 0.9,
        "matched": "block",
        "section": "Tea",
        "lines": [4, 6],
        "excerpt": "# Tea\ngreen tea",
    }
    assert rows[1]["excerpt"] == "# Gardens\nplural"


def test_scopes(indexed: Indexed) -> None:
    assert indexed.paths(scope="notes") == ["Gardens.md", "Garden/Tea.md", "Garden/Old/Bees.md", "Ships.md"]
    assert indexed.paths(scope="blocks") == ["Garden/Tea.md", "Gardens.md"]
    with pytest.raises(BadRequest, match="scope"):
        indexed.search(scope="all")


def test_limits_and_least_score(indexed: Indexed) -> None:
    assert len(indexed.paths(limit=2)) == 2
    assert len(indexed.paths(limit="2")) == 2
    assert len(indexed.paths(limit=0)) == 1
    assert len(indexed.paths(limit=1e9, min_score=-7)) == 4
    assert indexed.paths(min_score="0.75") == ["Garden/Tea.md", "Gardens.md"]


@pytest.mark.parametrize("name", ["limit", "min_score"])
@pytest.mark.parametrize("value", ["", [], True, {}, "many", float("nan"), "inf"])
def test_values_that_are_no_number_name_their_field(indexed: Indexed, name: str, value: object) -> None:
    with pytest.raises(BadRequest, match=name):
        indexed.search(**{name: value})


@pytest.mark.parametrize("query", ["", "  \n", None, 7, "x" * 8193])
def test_questions_that_are_none(indexed: Indexed, query: object) -> None:
    with pytest.raises(BadRequest, match="query"):
        indexed.search(query=query)


def test_front_matter_does_not_rank_unless_the_plugin_says_so(tmp_path: Path) -> None:
    indexed = Indexed(tmp_path, {("Garden/Tea.md", "#---frontmatter---"): 0.95})
    assert indexed.paths() == []
    made.write_settings(tmp_path / ".smart-env", connections_lists={"exclude_frontmatter_blocks": False})
    assert indexed.search()["results"][0]["section"] == "---frontmatter---"


def test_changed_notes_are_marked_and_moved_blocks_found(indexed: Indexed) -> None:
    file = indexed.root / "Garden" / "Tea.md"
    file.write_text("---\ntitle: leaf\nmore: yes\n---\n# Tea\ngreen tea\n")
    row = indexed.search()["results"][0]
    assert (row["lines"], "stale" in row) == ([5, 7], False)
    file.write_text("---\ntitle: leaf\n---\n# Tea\nblack tea\n")
    assert indexed.search()["results"][0]["stale"] is True
    row = indexed.search(scope="notes")["results"][1]
    assert (row["path"], row["stale"]) == ("Garden/Tea.md", True)


def test_a_note_that_is_gone_is_stale_and_has_no_excerpt(indexed: Indexed) -> None:
    (indexed.root / "Gardens.md").unlink()
    row = indexed.search(scope="notes")["results"][0]
    assert (row["path"], row["stale"], row["excerpt"]) == ("Gardens.md", True, "")


def test_front_matter_is_an_excerpt_only_where_there_is_nothing_else(tmp_path: Path) -> None:
    notes = {"a.md": "---\nkind: tea\n---\n\n", "b.md": "---\nkind: tea\n---\nbody\n"}
    rows = Indexed(tmp_path, {("a.md", ""): 0.9, ("b.md", ""): 0.8}, notes).search()["results"]
    assert [row["excerpt"] for row in rows] == ["---\nkind: tea\n---", "body"]


def test_excerpts_are_short_and_read_little(tmp_path: Path) -> None:
    notes = {"long.md": "# Head\n" + "".join(f"line {n}\n" for n in range(160_000))}
    indexed = Indexed(tmp_path, {("long.md", ""): 0.9}, notes={"long.md": "# Head\n"})
    made.write_notes(tmp_path, notes)
    text = indexed.search()["results"][0]["excerpt"]
    assert len(text) <= EXCERPT
    assert text.startswith("# Head\nline 0")
    assert text.endswith("…")


def test_scores_that_are_no_number_are_dropped(indexed: Indexed) -> None:
    broken = np.full(384, np.nan, np.float32)
    assert search_notes(indexed.vault, lambda model, text: broken, query="q", min_score=-1)["results"] == []


# --- folders ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("Garden", ["Garden/Tea.md", "Garden/Old/Bees.md"]),
        ("/garden/", ["Garden/Tea.md", "Garden/Old/Bees.md"]),
        ("Garden\\Old", ["Garden/Old/Bees.md"]),
        (["garden/old", "nowhere"], ["Garden/Old/Bees.md"]),
    ],
)
def test_folders_are_whole_names_in_any_case(indexed: Indexed, folder: object, expected: list[str]) -> None:
    assert indexed.paths(folder=folder) == expected


def test_the_limit_counts_inside_the_folder(indexed: Indexed) -> None:
    assert indexed.paths(folder="Garden/Old", limit=1) == ["Garden/Old/Bees.md"]


def test_what_a_folder_keeps_away_is_said(indexed: Indexed) -> None:
    assert "scoped_out" not in indexed.search()
    assert "scoped_out" not in indexed.search(folder="/")
    told = indexed.search(folder="Garden/Old")["scoped_out"]
    assert told["notes_hidden_by_folder"] == 3
    assert told["best_hidden"] == {"path": "Garden/Tea.md", "score": 0.9}
    assert told["better_match_outside_folder"] is True
    assert "outside" in told["hint"]
    told = indexed.search(folder="Garden")["scoped_out"]
    assert (told["better_match_outside_folder"], "hint" in told) == (False, False)
    told = indexed.search(folder="Garden/Old", min_score=0.85)["scoped_out"]
    assert (told["notes_hidden_by_folder"], told["better_match_outside_folder"]) == (1, True)
    told = indexed.search(folder="Garden/Old", min_score=0.95)["scoped_out"]
    assert told == {"notes_hidden_by_folder": 0, "best_hidden": None, "better_match_outside_folder": False}


def test_an_unknown_folder_lists_the_folders(indexed: Indexed) -> None:
    with pytest.raises(BadRequest, match=r"no folder 'Gard'.*Garden, Garden/Old"):
        indexed.search(folder="Gard")


@pytest.mark.parametrize("folder", [7, True, [1], {}])
def test_values_that_are_no_folder(indexed: Indexed, folder: object) -> None:
    with pytest.raises(BadRequest, match="folder"):
        indexed.search(folder=folder)


def test_folder_helpers() -> None:
    assert in_folders("A/b.md", ())
    assert not in_folders("Ab/c.md", ("A",))
    assert list_folders(["A/x/1.md", "A/2.md", "B/3.md", "A/x/y/4.md"]) == [
        {"path": "A", "notes": 3},
        {"path": "A/x", "notes": 2},
        {"path": "B", "notes": 1},
    ]
    assert section_of("#A##Deep#{1}") == "A > Deep"


# --- related_notes ------------------------------------------------------------------------------------------------


def related(indexed: Indexed, **arguments: object) -> list[str]:
    return [row["path"] for row in related_notes(indexed.vault, **arguments)["results"]]


@pytest.fixture
def near(tmp_path: Path) -> Indexed:
    """As seen from ``Ships.md``, whose vector is e_0."""
    return Indexed(tmp_path, SCORES | {("Ships.md", ""): 1.0})


def test_related_notes_leave_the_note_itself_out(near: Indexed) -> None:
    assert related(near, path="Ships.md") == ["Garden/Tea.md", "Gardens.md", "Garden/Old/Bees.md"]
    assert related(near, path="Ships.md", min_score=0.75) == ["Garden/Tea.md", "Gardens.md"]
    assert related(near, path="Ships.md", folder="garden", limit=1) == ["Garden/Tea.md"]


def test_paths_are_found_without_regard_to_case_and_slashes(near: Indexed) -> None:
    assert related(near, path="ships.MD", limit=1) == ["Garden/Tea.md"]
    assert related_notes(near.vault, path="garden\\tea.md")["path"] == "Garden/Tea.md"


def test_hidden_and_pinned_connections_are_honoured(near: Indexed) -> None:
    records = near.records()
    records["Ships.md"]["connections"] = {
        "smart_sources:Garden/Tea.md": {"hidden": 17},
        "smart_sources:Garden/Old/Bees.md": {"pinned": 17},
        "smart_sources:Gardens.md": {"hidden": None},
    }
    near.rewrite(records)
    rows = related_notes(near.vault, path="Ships.md", min_score=0.7)["results"]
    assert [(row["path"], row.get("pinned", False)) for row in rows] == [
        ("Garden/Old/Bees.md", True),
        ("Gardens.md", False),
    ]


def test_notes_without_record_or_vector(near: Indexed) -> None:
    with pytest.raises(UnknownNote, match=r"no note 'nowhere\.md'"):
        related(near, path="nowhere.md")
    records = near.records()
    records["Gardens.md"]["embedding"] = {}
    near.rewrite(records)
    with pytest.raises(BadRequest, match="no vector"):
        related(near, path="Gardens.md")
    with pytest.raises(BadRequest, match="path"):
        related(near, path=["Gardens.md"])


# --- get_note -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [1, 5, 50, 1000, 100_000])
def test_the_marker_is_inside_the_budget(tmp_path: Path, budget: int) -> None:
    (tmp_path / "n.md").write_text("x" * 200_000)
    answer = get_note(SmartVault(tmp_path), path="n.md", max_chars=budget)
    assert len(answer["text"]) == budget
    assert answer["text"].endswith(MARKER[:budget])
    assert (answer["truncated"], answer["total_chars"]) == (True, 200_000)


def test_a_note_that_fits_is_whole_and_needs_no_index(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("---\na: 1\n---\ntext")
    answer = get_note(SmartVault(tmp_path), path="n.md")
    assert answer == {"path": "n.md", "text": "---\na: 1\n---\ntext", "truncated": False, "total_chars": 17}


@pytest.mark.parametrize("value", [0, -5, 10**9, "7"])
def test_max_chars_is_clamped(tmp_path: Path, value: object) -> None:
    (tmp_path / "n.md").write_text("x" * 500_000)
    size = len(get_note(SmartVault(tmp_path), path="n.md", max_chars=value)["text"])
    assert size == {0: 1, -5: 1, 10**9: 400_000, "7": 7}[value]


def test_get_note_refuses_what_is_outside(tmp_path: Path) -> None:
    with pytest.raises(NotAllowed):
        get_note(SmartVault(tmp_path), path="../x.md")
    with pytest.raises(BadRequest, match="max_chars"):
        get_note(SmartVault(tmp_path), path="x.md", max_chars=True)


# --- the model of a question --------------------------------------------------------------------------------------


def test_without_the_model_search_is_refused_with_ways_out(indexed: Indexed, home: Home) -> None:
    def embed(model: SmartModel, text: str) -> np.ndarray:
        return embed_question(model, embedder_of(model, home), text)

    with pytest.raises(ModelUnavailable, match=r"TaylorAI/bge-micro-v2.*models import bge-micro-v2.*index the vault"):
        search_notes(indexed.vault, embed, query="tea")
    assert related(indexed, path="Ships.md", min_score=-1)


def test_a_model_without_a_recipe_is_refused(home: Home) -> None:
    with pytest.raises(ModelUnavailable, match=r"someone/model, which Lamplight cannot run"):
        embedder_of(model_of_key("someone/model", 9), home)


def test_long_questions_are_cut_by_the_plugins_rule() -> None:
    embedder = FakeEmbedder(dimensions=384)
    embed_question(model_of_key("Xenova/multilingual-e5-small"), embedder, "word " * 3000)
    assert 300 < len(embedder.queries[0].split()) <= 508


# --- index_status -------------------------------------------------------------------------------------------------


def status(indexed: Indexed, embedder: object = None) -> dict:
    def embedder_for(model: SmartModel) -> object:
        if embedder is None:
            raise ModelUnavailable("no model here")
        return embedder

    return index_status(indexed.vault, embedder_for)


def test_status_counts_what_is_there(indexed: Indexed) -> None:
    (indexed.root / "Gardens.md").unlink()
    (indexed.root / "Ships.md").write_text("changed")
    (indexed.root / "big.md").write_text("x" * 300_001)
    (indexed.root / "a # b.md").write_text("x")
    made.write_shard(indexed.root / ".smart-env", [made.line("smart_sources:never.md", None)], 1)
    told = status(indexed)
    assert told["vault"] == indexed.root.name
    assert (told["embedded_notes"], told["embedded_blocks"]) == (4, len(indexed.slots) - 4)
    assert (told["stale_notes"], told["stale_blocks"]) == (1, 2)
    assert (told["deletion_tombstones_applied"], told["notes_missing_on_disk"]) == (1, 1)
    assert (told["model"], told["dims"]) == ("TaylorAI/bge-micro-v2", 384)
    assert told["folders"] == [{"path": "Garden", "notes": 2}, {"path": "Garden/Old", "notes": 1}]
    assert told["embedding_files_in_use"] == ["smart_blocks/mf_ccarbz", "smart_sources/mf_ccarbz"]
    assert told["coverage"] == {
        "notes_on_disk": 5,
        "notes_without_vector": 2,
        "notes_too_large": 1,
        "notes_with_hash_in_path": 1,
        "notes_failed": 0,
        "blocks_known": len(indexed.slots) - 4,
        "blocks_not_embedded": 0,
    }
    assert (told["query_embedder"], told["model_matches_query_embedder"]) == (None, False)
    assert "no model here" in told["warnings"]
    assert json.loads(json.dumps(told)) == told


def test_status_names_the_embedder_and_several_files(indexed: Indexed) -> None:
    records = indexed.records()
    digest = records["Ships.md"]["last_read"]["hash"]
    records["Ships.md"]["embedding"]["default"] = {made.BGE: made.ref(0, digest, "mf_other")}
    indexed.rewrite(records)
    made.write_vectors(indexed.root / ".smart-env" / "smart_sources" / "mf_other", [0], 384)
    told = status(indexed, FakeEmbedder())
    assert (told["query_embedder"], told["model_matches_query_embedder"]) == ("fake-64", True)
    assert told["multifiles"] == {"smart_blocks": 1, "smart_sources": 2}
    assert "smart_sources holds 2 vector files." in told["warnings"]
