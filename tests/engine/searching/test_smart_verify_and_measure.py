"""Verifying, measuring and mixing: the plugin's vectors and Lamplight's own, over one small vault."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadRequest, ModelUnavailable, NotASource, UserError
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import Verdict
from engine.paths import Home
from engine.searching.smart_measure import measure_own, measure_plugin
from engine.searching.smart_mixed import is_covered, note_lines
from engine.searching.smart_tools import SmartTools, call_tool, measure_source, verify_source
from engine.searching.smart_verify import plugin_inputs, verify_own, verify_plugin
from engine.sources.smart_models import SmartModel, model_of_key
from engine.sources.smart_text import NOTE_UNITS, note_input
from fixtures.smart_connections import generate as made

LONG = "# Log\n" + "\n".join(f"day {n} weather of the {n}th kind" for n in range(300)) + "\n"
NOTES = {
    "Tea.md": "# Tea\ngreen leaves in water\n\n## Cups\nclay and glass\n",
    "Bees.md": "---\na: 1\n---\n# Bees\r\na hive hums\r\n- honey\r\n",
    "Garden/Long.md": LONG,
}


class Both:
    """A vault with both indexes: the plugin's vectors are what ``FakeEmbedder`` makes of the plugin's inputs."""

    def __init__(self, root: Path, notes: dict[str, str] = NOTES, cap: int = NOTE_UNITS[0]) -> None:
        self.root = root / "vault"
        self.embedder = FakeEmbedder(dimensions=384)
        self.home = Home(root / "data", root / "config", root / "logs")
        self.slots = made.write_packed(self.root, notes)
        self.tools = SmartTools(self.root, self.home, open_model=lambda model: self.embedder)
        self.vectors = self._made(notes, cap)
        self.write()
        self.library = Library(self.home, FakeEmbedder(name="own"))
        self.source = self.library.add(str(self.root), name="Notes")

    def _made(self, notes: dict[str, str], cap: int) -> np.ndarray:
        index = self.tools.vault.index()
        rows = np.zeros((len(self.slots), 384), "<f4")
        for item in index.group.items:
            text = plugin_inputs(item, notes[item.path], index.group.model, self.embedder)[0]
            if item.is_note:
                text = note_input(item.path, notes[item.path], cap)
            rows[self.slots[item.path, item.block]] = self.embedder.embed_documents([text])[0]
        return rows

    def write(self) -> None:
        for collection in ("smart_sources", "smart_blocks"):
            self.vectors.tofile(self.root / ".smart-env" / collection / made.BGE)

    def verify(self, sample: int = 12) -> Verdict:
        return verify_plugin(self.tools.vault, self.embedder, Job(), sample=sample, seed=1)

    def index(self) -> None:
        self.library.index("Notes", Job())


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    vault = Both(tmp_path)
    yield vault
    vault.library.close()


# --- verify -------------------------------------------------------------------------------------------------------


def test_vectors_that_their_model_makes_pass(both: Both) -> None:
    verdict = both.verify()
    assert (verdict.has_passed, verdict.compared) == (True, 3 + len(both.slots) - 3)
    assert verdict.worst > 0.9999
    assert both.verify(sample=1).compared == 2


def test_the_worst_is_named_and_decides(both: Both) -> None:
    slot = both.slots["Tea.md", "#Tea#Cups"]
    both.vectors[slot] = np.roll(both.vectors[slot], 7)
    both.write()
    verdict = both.verify()
    assert not verdict.has_passed
    assert verdict.worst_of == "Tea.md#Tea#Cups"
    assert verdict.worst < 0.9 < verdict.mean


def test_lengths_must_be_1(both: Both) -> None:
    both.vectors[0] *= 1.05
    both.write()
    verdict = both.verify()
    assert verdict.worst > 0.9999
    assert verdict.norm_error == pytest.approx(0.05, abs=1e-3)
    assert not verdict.has_passed


def test_the_older_cap_of_notes_is_accepted(tmp_path: Path) -> None:
    vault = Both(tmp_path, {"Long.md": "word " + "filler words " * 160 + " tail end"}, cap=NOTE_UNITS[1])
    index = vault.tools.vault.index()
    inputs = plugin_inputs(index.group.items[0], LONG * 3, index.group.model, vault.embedder)
    assert len(inputs) == 2
    assert vault.verify().has_passed
    vault.library.close()


def test_changed_notes_are_not_compared_and_nothing_compared_is_no_pass(both: Both) -> None:
    for path in ("Tea.md", "Garden/Long.md"):
        (both.root / path).write_text("something else")
    assert {both.verify().compared} == {sum(path == "Bees.md" for path, _ in both.slots)}
    (both.root / "Bees.md").unlink()
    verdict = both.verify()
    assert (verdict.compared, verdict.has_passed) == (0, False)


def test_our_own_index_passes_and_damage_shows(both: Both) -> None:
    both.index()
    live = both.library._held.files.index(both.source)
    embedder = both.library._held.models.get("")
    verdict = verify_own(live, embedder, Job(), sample=500)
    assert (verdict.has_passed, verdict.compared, verdict.index) == (True, len(live.facets.passage_ids), "own")
    live.vectors.add(live.facets.passage_ids[:1], np.eye(64, dtype=np.float32)[:1])
    assert not verify_own(live, embedder, Job(), sample=500).has_passed


def test_a_renamed_note_keeps_its_vectors_and_is_left_out(both: Both) -> None:
    both.index()
    (both.root / "Tea.md").rename(both.root / "Renamed.md")
    both.index()
    live = both.library._held.files.index(both.source)
    verdict = verify_own(live, both.library._held.models.get(""), Job(), sample=500)
    assert verdict.has_passed
    assert verdict.compared < len(live.facets.passage_ids)


def test_each_index_of_a_source_gets_its_verdict(both: Both) -> None:
    own = both.library._held.models.get("")
    assert [v.index for v in verify_source(both.tools, None, own, Job())] == ["plugin"]
    both.index()
    live = both.library._held.files.index(both.source)
    assert [v.has_passed for v in verify_source(both.tools, live, own, Job())] == [True, True]
    without = SmartTools(both.root, both.home)
    verdicts = verify_source(without, live, own, Job())
    assert [(v.index, v.has_passed) for v in verdicts] == [("plugin", False), ("own", True)]
    assert "TaylorAI/bge-micro-v2" in verdicts[0].reason
    with pytest.raises(UserError, match="no vectors"):
        verify_source(None, None, own, Job())


# --- measure ------------------------------------------------------------------------------------------------------


def refuse(model: SmartModel) -> FakeEmbedder:
    raise ModelUnavailable("not here")


def test_coverage_counts_characters_inside_a_window(both: Both) -> None:
    (both.root / "new.md").write_text("x" * len(LONG))
    told = measure_plugin(both.root, refuse, Job())
    total = sum(len(text) for text in NOTES.values()) + len(LONG)
    covered = told["coverage"]
    assert (covered["characters"], covered["notes_on_disk"], covered["notes_without_vector"]) == (total, 4, 1)
    short = len(NOTES["Tea.md"]) + len(NOTES["Bees.md"])
    head = NOTE_UNITS[0] - len("Garden > Long") - 2
    assert covered["by_notes"] == pytest.approx((short + head) / total, abs=1e-4)
    assert covered["by_notes_and_blocks"] >= covered["by_notes"]
    assert told["deep_text"] == {"why_not": "not here"}


def test_changed_notes_cover_nothing_but_blocks_that_are_still_there(both: Both) -> None:
    (both.root / "Tea.md").write_text("# Coffee\nblack\n\n## Cups\nclay and glass\n")
    (both.root / "Garden" / "Long.md").unlink()
    told = measure_plugin(both.root, refuse, Job())["coverage"]
    bees, cups = len(NOTES["Bees.md"]), len("## Cups\nclay and glass\n")
    total = bees + len((both.root / "Tea.md").read_text())
    assert told["by_notes"] == pytest.approx(bees / total, abs=1e-4)
    assert told["by_notes_and_blocks"] == pytest.approx((bees + cups) / total, abs=1e-4)


def test_deep_text_is_looked_for(both: Both) -> None:
    told = measure_plugin(both.root, lambda model: both.embedder, Job())
    assert told["deep_text"]["asked"] == 1
    assert told["deep_text"]["auto"]["first"] == 1
    assert set(told["seconds"]) == {
        "cold_load",
        "warm_load",
        "status",
        "related_with_10_excerpts",
        "first_question",
        "search",
    }
    assert json.loads(json.dumps(told)) == told


def test_our_own_index_is_measured_alike(both: Both) -> None:
    both.index()
    live, own = both.library._held.files.index(both.source), both.library._held.models.get("")
    told = measure_own(live, own, Job())
    assert told["deep_text"]["asked"] == 1
    assert told["coverage"]["passages"] == told["coverage"]["passages_with_vector"] > 3
    assert [one["index"] for one in measure_source(both.tools, live, own, Job())] == ["plugin", "own"]
    with pytest.raises(UserError, match="no vectors"):
        measure_source(None, None, own, Job())


# --- mixed --------------------------------------------------------------------------------------------------------


def test_own_passages_speak_where_the_plugin_has_nothing(both: Both) -> None:
    (both.root / "new.md").write_text("# Fresh\nzanzibar cloves and nutmeg\n")
    both.index()
    live, own = both.library._held.files.index(both.source), both.library._held.models.get("")
    rows = both.tools.search_mixed(live, own, "zanzibar cloves")["results"]
    assert (rows[0]["path"], rows[0]["origin"], rows[0]["section"]) == ("new.md", "lamplight", "Fresh")
    rows = both.tools.search_mixed(live, own, "clay and glass cups")["results"]
    assert (rows[0]["path"], rows[0]["origin"]) == ("Tea.md", "plugin")
    assert len({row["path"] for row in rows}) == len(rows)
    standings = [row["standing"] for row in rows]
    assert standings == sorted(standings, reverse=True)
    assert len(both.tools.search_mixed(live, own, "tea", limit=1)["results"]) == 1
    with pytest.raises(BadRequest, match="query"):
        both.tools.search_mixed(live, own, " ")


def test_a_changed_note_is_spoken_for_by_our_own_passages(both: Both) -> None:
    (both.root / "Tea.md").write_text("# Tea\nporcelain from Meissen\n")
    both.index()
    live, own = both.library._held.files.index(both.source), both.library._held.models.get("")
    row = both.tools.search_mixed(live, own, "porcelain Meissen")["results"][0]
    assert (row["path"], row["origin"]) == ("Tea.md", "lamplight")


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(1, 4, True), (3, 8, False), (4, 5, False), (20, 22, True), (30, 31, False), (0, -1, True)],
)
def test_covered_lines(first: int, last: int, expected: bool) -> None:
    assert is_covered([(1, 4), (20, 24)], first, last) is expected
    assert not is_covered([], first, last)


def test_the_head_of_a_note_is_spoken_for_by_its_own_vector() -> None:
    assert note_lines("n.md", "one\ntwo\nthree") == 3
    assert note_lines("n.md", "x" * 1000 + "\n" + "y" * 1000) == 1


# --- the tools by name, and the library's verbs -------------------------------------------------------------------


def test_tools_by_name(both: Both) -> None:
    call: Callable[..., dict] = lambda tool, **arguments: call_tool(both.tools, tool, arguments)  # noqa: E731
    assert call("search_notes", query="green leaves in water", min_score="0.1")["results"][0]["path"] == "Tea.md"
    assert len(call("related_notes", path="tea.md", min_score=-1)["results"]) == 2
    assert call("get_note", path="Tea.md")["text"] == NOTES["Tea.md"]
    assert call("index_status")["query_embedder"] == both.embedder.model_id
    with pytest.raises(BadRequest, match="no tool 'drop'"):
        call("drop")
    with pytest.raises(BadRequest, match="extra"):
        call("get_note", path="Tea.md", extra=1)
    with pytest.raises(BadRequest, match="query"):
        call("search_notes")
    with pytest.raises(BadRequest, match="path"):
        call("get_note")
    with pytest.raises(NotASource, match="no Smart Connections index"):
        call_tool(None, "get_note", {})


def test_the_librarys_verbs(both: Both) -> None:
    assert both.library.smart_tool("Notes", "related_notes", {"path": "Tea.md"})["path"] == "Tea.md"
    with pytest.raises(ModelUnavailable):
        both.library.smart_tool("Notes", "search_notes", {"query": "tea"})
    both.index()
    assert [(v.index, v.has_passed) for v in both.library.verify("Notes", Job())] == [("plugin", False), ("own", True)]
    assert [one["index"] for one in both.library.measure_vectors("Notes", Job())] == ["plugin", "own"]
    with pytest.raises(ModelUnavailable):
        both.library.search_mixed("Notes", "tea")
    assert next(model for model in both.library.models() if model.used_by).used_by == ("Notes",)


def test_our_own_related_notes_honour_the_plugins_feedback(both: Both) -> None:
    (both.root / "Ships.md").write_text("# Ships\nwake\n")
    both.index()

    def related() -> list[tuple[str, bool]]:
        return [(one.row.note, one.is_pinned) for one in both.library.related("Notes", "Tea.md")]

    assert sorted(related()) == [("Bees.md", False), ("Garden/Long.md", False), ("Ships.md", False)]
    record = made.packed_records(NOTES, both.slots)["Tea.md"]
    record["connections"] = {
        "smart_sources:Ships.md": {"pinned": 5},
        "smart_sources:Garden/Long.md": {"hidden": 5},
    }
    made.write_shard(both.root / ".smart-env", [made.line("smart_sources:Tea.md", record)])
    assert related() == [("Ships.md", True), ("Bees.md", False)]
    (both.root / ".smart-env" / "smart_sources" / "smart_sources.ajson").write_text("")
    assert len(related()) == 3


def test_a_model_without_a_recipe_has_no_prefix() -> None:
    assert model_of_key("someone/model", 9).recipe is None
