"""Reading Smart Connections indexes of every format: each trap of the formats has a case here.

Slot i of the made indexes holds the unit vector e_i, so a vector tells which slot it came from.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.errors import NotASource
from engine.sources import smart_settings
from engine.sources.smart_formats import Format, find_place
from engine.sources.smart_index import SmartIndex, SmartVault
from engine.sources.smart_log import Tally, read_lines, read_stream
from fixtures.smart_connections import generate as made

NOTES = {"a.md": "# A\nalpha words\n", "b.md": "# B\nbeta words\n"}


def load(vault: Path) -> SmartIndex:
    return SmartVault(vault, pause=lambda seconds: None).index()


def slots(index: SmartIndex) -> dict[tuple[str, str], int]:
    """(path, block) -> the slot that its vector names."""
    rows = index.group.vectors
    assert np.allclose(rows.sum(axis=1), 1)
    return {(item.path, item.block): int(rows[n].argmax()) for n, item in enumerate(index.group.items)}


def rewrite(vault: Path, lines: list[str], number: int = 0) -> None:
    made.write_shard(vault / ".smart-env", lines, number)


def note(path: str, slot: object, mark: str = made.BGE, text: str = "") -> dict:
    return made.packed_source(path, text or NOTES.get(path, "x"), slot, mark=mark)


def key(path: str) -> str:
    return f"smart_sources:{path}"


# --- formats ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimensions", [384, 768])
def test_packed_vectors_come_from_their_slots(tmp_path: Path, dimensions: int) -> None:
    mark, model = (made.BGE, made.BGE_KEY) if dimensions == 384 else ("mf_14p04ky", "onnx-community/DenseOn-ONNX")
    written = made.write_packed(tmp_path, dimensions=dimensions, mark=mark, model_key=model)
    index = load(tmp_path)
    assert slots(index) == written
    assert (index.place.format, index.group.model.key) == (Format.PACKED, model)
    assert index.warnings == ()


def test_any_dimension_that_a_model_record_explains(tmp_path: Path) -> None:
    from engine.sources.smart_models import fingerprint

    mark = fingerprint("someone/own-model", 100, 512)
    written = made.write_packed(tmp_path, dimensions=100, mark=mark, model_key="someone/own-model")
    index = load(tmp_path)
    assert slots(index) == written
    assert (index.group.model.dimensions, index.group.model.recipe) == (100, None)


@pytest.mark.parametrize("is_legacy", [False, True])
@pytest.mark.parametrize("dimensions", [384, 50])
def test_multi_vectors(tmp_path: Path, is_legacy: bool, dimensions: int) -> None:
    model = made.BGE_KEY if dimensions == 384 else "someone/own-model"
    written = made.write_multi(tmp_path, dimensions=dimensions, model=model, is_legacy=is_legacy)
    index = load(tmp_path)
    assert slots(index) == written
    assert (index.place.format, index.group.model.key) == (Format.MULTI, model)


def test_single_logs_of_version_2_0(tmp_path: Path) -> None:
    written = made.write_single(tmp_path)
    index = load(tmp_path)
    assert slots(index) == written
    assert index.group.model.key == made.BGE_KEY


@pytest.mark.parametrize("form", ["packed", "multi", "2.1", "2.0"])
def test_lines_are_file_lines_from_1_in_every_format(tmp_path: Path, form: str) -> None:
    write = {
        "packed": made.write_packed,
        "multi": made.write_multi,
        "2.1": lambda vault: made.write_multi(vault, is_legacy=True),
        "2.0": made.write_single,
    }[form]
    write(tmp_path)
    lines = {(item.path, item.block): (item.first, item.last) for item in load(tmp_path).group.items if item.block}
    assert lines["Garden/Tea.md", "#Tea#Leaves"] == (4, 7)
    assert lines["Garden/Tea.md", "#Tea#Leaves#{2}"] == (6, 7)


def test_version_1_is_recognised_and_refused(tmp_path: Path) -> None:
    made.write_version_1(tmp_path)
    with pytest.raises(NotASource, match="version 1"):
        load(tmp_path)


def test_a_vault_without_an_index(tmp_path: Path) -> None:
    with pytest.raises(NotASource, match="no Smart Connections index"):
        load(tmp_path)


def test_packed_wins_over_multi_that_was_left_behind(tmp_path: Path) -> None:
    made.write_multi(tmp_path, {"old.md": "old"})
    made.write_multi(tmp_path, {"older.md": "older"}, is_legacy=True)
    made.write_packed(tmp_path, NOTES)
    assert {path for path, _ in slots(load(tmp_path))} == set(NOTES)


def test_shards_without_the_first_are_an_interrupted_move(tmp_path: Path) -> None:
    made.write_multi(tmp_path, NOTES)
    rewrite(tmp_path, [made.line(key("c.md"), note("c.md", 0))], number=1)
    index = load(tmp_path)
    assert index.place.format is Format.MULTI
    assert any("interrupted" in warning for warning in index.warnings)


def test_an_interrupted_move_with_nothing_older_is_refused(tmp_path: Path) -> None:
    rewrite(tmp_path, [made.line(key("c.md"), note("c.md", 0))], number=1)
    with pytest.raises(NotASource, match="interrupted"):
        load(tmp_path)


def test_the_data_folder_may_have_another_name(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES, folder="sc-data")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "smart_env.json").write_text("{}")
    place = find_place(tmp_path)
    assert place is not None
    assert place.folder.name == "sc-data"


def test_old_data_inside_the_settings_folder(tmp_path: Path) -> None:
    made.write_single(tmp_path)
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".smart-connections").rename(tmp_path / ".obsidian" / ".smart-connections")
    assert load(tmp_path).place.format is Format.SINGLE


# --- the append log -----------------------------------------------------------------------------------------------


def test_shards_replay_in_numeric_order_and_the_last_line_wins(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    for number, slot in ((0, 0), (1, 1), (2, 2), (10, 3)):
        rewrite(tmp_path, [made.line(key("a.md"), note("a.md", slot))], number)
    assert slots(load(tmp_path)) == {("a.md", ""): 3}


def test_a_tombstone_deletes_and_a_later_record_brings_back(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    lines = [
        made.line(key("a.md"), note("a.md", 0)),
        made.line(key("b.md"), note("b.md", 1)),
        made.line(key("a.md"), None),
        made.line(key("b.md"), None),
        made.line(key("b.md"), note("b.md", 2)),
    ]
    rewrite(tmp_path, lines)
    index = load(tmp_path)
    assert slots(index) == {("b.md", ""): 2}
    assert index.tally.tombstones == 2


def test_damaged_and_torn_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    whole = made.line(key("a.md"), note("a.md", 0))
    rewrite(tmp_path, ["not json", whole, "", made.line(key("b.md"), note("b.md", 1))[:60]])
    index = load(tmp_path)
    assert slots(index) == {("a.md", ""): 0}
    assert index.tally.malformed == 2
    assert any("2 lines" in warning for warning in index.warnings)


def test_keys_with_quotes_colons_and_white_space(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    odd = ["It's \": {x}.md", "back\\slash.md", "日本.md", "half \ud83d.md"]
    lines = [json.dumps(key(path)) + "  :\t" + json.dumps(note(path, n)) + " ," for n, path in enumerate(odd)]
    rewrite(tmp_path, lines)
    assert slots(load(tmp_path)) == {(path, ""): n for n, path in enumerate(odd)}


def test_records_of_other_kinds_are_ignored(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    stray = made.line("smart_blocks:a.md#A", note("a.md", 1))
    rewrite(tmp_path, [made.line(key("a.md"), note("a.md", 0)), stray, made.line("event_logs:x", {})])
    index = load(tmp_path)
    assert slots(index) == {("a.md", ""): 0}
    assert index.tally.ignored == 2


def test_passing_files_are_not_read(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    folder = tmp_path / ".smart-env" / "smart_sources"
    for name in ("smart_sources.ajson.tmp", "smart_sources_3.ajson.bak", "smart_sources.optimize.tmp"):
        (folder / name).write_text(made.line(key("ghost.md"), note("ghost.md", 0)))
    assert "ghost.md" not in load(tmp_path).records


# --- pointers -----------------------------------------------------------------------------------------------------


def test_both_collections_have_a_file_of_the_same_name(tmp_path: Path) -> None:
    written = made.write_packed(tmp_path, NOTES)
    made.write_vectors(tmp_path / ".smart-env" / "smart_blocks" / made.BGE, range(50, 50 + len(written)), 384)
    found = slots(load(tmp_path))
    assert found["a.md", ""] == written["a.md", ""]
    assert found["a.md", "#A"] == written["a.md", "#A"] + 50


def test_the_file_of_a_pointer_is_what_it_says_not_its_fingerprint(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    record = note("a.md", 0)
    record["embedding"]["default"] = {made.BGE: made.ref(1, "h", file="mf_renamed")}
    made.write_vectors(tmp_path / ".smart-env" / "smart_sources" / "mf_renamed", [7, 8], 384)
    rewrite(tmp_path, [made.line(key("a.md"), record)])
    index = load(tmp_path)
    assert slots(index) == {("a.md", ""): 8}
    assert index.group.files == ("smart_sources/mf_renamed",)


@pytest.mark.parametrize("file", ["../smart_sources/mf_ccarbz", "/etc/passwd", "a\\b"])
def test_a_pointer_cannot_leave_its_folder(tmp_path: Path, file: str) -> None:
    made.write_packed(tmp_path, NOTES)
    record = note("a.md", 0)
    record["embedding"]["default"] = {made.BGE: made.ref(0, "h", file=file)}
    rewrite(tmp_path, [made.line(key("a.md"), record), made.line(key("b.md"), note("b.md", 1))])
    index = load(tmp_path)
    assert slots(index) == {("b.md", ""): 1}
    assert index.unresolvable == 1


@pytest.mark.parametrize("slot", [999, -1, 1.5, None, "1", True])
def test_a_slot_that_is_not_there_is_counted(tmp_path: Path, slot: object) -> None:
    made.write_packed(tmp_path, NOTES)
    rewrite(tmp_path, [made.line(key("a.md"), note("a.md", slot)), made.line(key("b.md"), note("b.md", 1))])
    index = load(tmp_path)
    assert slots(index) == {("b.md", ""): 1}
    assert index.unresolvable == 1
    assert any("1 pointers lead to vectors that are not there" in warning for warning in index.warnings)


def test_numbers_that_are_no_vector_are_dropped(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    rows = np.zeros((3, 384), "<f4")
    rows[0, 5], rows[1, 0] = np.inf, 1
    rows.tofile(tmp_path / ".smart-env" / "smart_sources" / made.BGE)
    lines = [made.line(key(path), note(path, n)) for n, path in enumerate(["inf.md", "good.md", "zero.md"])]
    rewrite(tmp_path, lines)
    index = load(tmp_path)
    assert slots(index) == {("good.md", ""): 0}
    assert index.unresolvable == 2


def test_a_torn_vector_file_keeps_its_whole_rows(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    file = tmp_path / ".smart-env" / "smart_sources" / made.BGE
    made.write_vectors(file, [4, 5], 384)
    file.write_bytes(file.read_bytes()[:-100])
    rewrite(tmp_path, [made.line(key("a.md"), note("a.md", 0)), made.line(key("b.md"), note("b.md", 1))])
    assert slots(load(tmp_path)) == {("a.md", ""): 4}


def test_only_blocks_that_should_be_embedded(tmp_path: Path) -> None:
    written = made.write_packed(tmp_path, NOTES)
    record = made.packed_records(NOTES, written)["a.md"]
    record["blocks_data"]["#A"]["should_embed"] = False
    rewrite(tmp_path, [made.line(key("a.md"), record)])
    assert ("a.md", "#A") not in slots(load(tmp_path))
    assert ("a.md", "#A#{1}") in slots(load(tmp_path))


def test_blocks_that_are_bare_ranges_or_have_no_end(tmp_path: Path) -> None:
    written = made.write_packed(tmp_path, NOTES)
    record = made.packed_records(NOTES, written)["a.md"]
    record["blocks_data"]["#bare"] = [1, 2]
    record["blocks_data"]["#A"]["lines"] = [1, None]
    rewrite(tmp_path, [made.line(key("a.md"), record)])
    index = load(tmp_path)
    lines = {item.block: (item.first, item.last) for item in index.group.items}
    assert lines["#A"] == (1, 0)
    assert "#bare" not in lines
    bare = next(block for block in index.records["a.md"].blocks if block.key == "#bare")
    assert (bare.first, bare.last) == (1, 2)


def test_the_older_shape_of_a_single_pointer(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    one = note("a.md", 0)
    one["embedding"] = {"default": made.ref(2, "h"), "history": [{"type": "embed", "model_fingerprint": made.BGE}]}
    two = note("b.md", 0)
    two["embedding"] = {"default": made.ref(3, "h"), "history": []}
    rewrite(tmp_path, [made.line(key("a.md"), one), made.line(key("b.md"), two)])
    assert slots(load(tmp_path)) == {("a.md", ""): 2, ("b.md", ""): 3}


def test_a_pointer_to_an_older_text_is_stale_and_kept(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    record = note("a.md", 0)
    record["embedding"]["default"][made.BGE]["read_hash"] = "older"
    rewrite(tmp_path, [made.line(key("a.md"), record)])
    assert [item.is_stale for item in load(tmp_path).group.items] == [True]


def test_an_embedding_error_is_known(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    failed = note("a.md", 0)
    failed["embedding"] = {"default": {}, "error": "batch returned 0 results for 8 items"}
    rewrite(tmp_path, [made.line(key("a.md"), failed), made.line(key("b.md"), note("b.md", 1))])
    assert [record.failed for record in load(tmp_path).records.values()] == [True, False]


@pytest.mark.parametrize(
    "value", [[], 7, "x", True, {"embedding": 3, "blocks_data": [1], "connections": "x", "last_read": []}]
)
def test_values_of_unexpected_kinds_hurt_nobody_else(tmp_path: Path, value: object) -> None:
    made.write_packed(tmp_path, NOTES)
    rewrite(tmp_path, [made.line(key("odd.md"), value), made.line(key("b.md"), note("b.md", 1))])
    assert slots(load(tmp_path)) == {("b.md", ""): 1}


# --- which model --------------------------------------------------------------------------------------------------

E5, E5_KEY = "mf_2qskxj", "Xenova/multilingual-e5-small"


def test_a_switch_half_way_uses_the_vectors_that_are_there(tmp_path: Path) -> None:
    """The plugin is set to a model whose vector file does not exist yet."""
    made.write_packed(tmp_path, NOTES, model_key=E5_KEY)
    record = note("a.md", 0)
    record["embedding"]["default"][E5] = made.ref(0, record["last_read"]["hash"], E5, at=99)
    rewrite(tmp_path, [made.line(key("a.md"), record), made.line(key("b.md"), note("b.md", 0, E5))])
    index = load(tmp_path)
    assert slots(index) == {("a.md", ""): 0}
    assert index.group.model.key == made.BGE_KEY
    assert index.unresolvable == 2
    assert any(E5_KEY in warning and made.BGE_KEY in warning for warning in index.warnings)


def test_the_legacy_setting_is_the_last_to_be_believed(tmp_path: Path) -> None:
    """It always names bge-micro-v2; the vectors are of another model and their fingerprint says so."""
    made.write_packed(tmp_path, NOTES, mark=E5, model_key=E5_KEY)
    index = load(tmp_path)
    assert (index.settings.configured, index.settings.said_by) == (E5_KEY, "settings")
    assert index.group.model.key == E5_KEY
    (tmp_path / ".smart-env" / "embedding_models" / "embedding_models.ajson").unlink()
    index = load(tmp_path)
    assert (index.settings.configured, index.settings.said_by) == (made.BGE_KEY, "legacy settings")
    assert index.group.model.key == E5_KEY


def test_a_deleted_model_record_leaves_the_newest(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    file = tmp_path / ".smart-env" / "embedding_models" / "embedding_models.ajson"
    record = {"model_key": "old/one", "dims": 8, "max_tokens": 512, "created_at": 1}
    newest = {"model_key": E5_KEY, "dimensions": 384, "max_tokens": 512, "created_at": 9}
    lines = [("m0", record), ("m1", record), ("m2", newest), ("m1", None)]
    file.write_text("\n".join(made.line(f"embedding_models:{name}", value) for name, value in lines))
    settings = load(tmp_path).settings
    assert (settings.configured, settings.said_by) == (E5_KEY, "newest record")


def test_most_fresh_vectors_win(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES, model_key=E5_KEY)
    made.write_vectors(tmp_path / ".smart-env" / "smart_sources" / E5, range(9), 384)
    stale = note("c.md", 3, E5)
    stale["embedding"]["default"][E5]["read_hash"] = "older"
    lines = [made.line(key("a.md"), note("a.md", 0)), made.line(key("b.md"), note("b.md", 1))]
    rewrite(tmp_path, [*lines, made.line(key("c.md"), stale), made.line(key("d.md"), note("d.md", 4, E5))])
    index = load(tmp_path)
    assert index.group.model.key == made.BGE_KEY
    assert any("2 vectors of" in warning and E5_KEY in warning for warning in index.warnings)


def test_a_tie_goes_to_the_models_of_the_settings(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES, model_key=E5_KEY)
    made.write_vectors(tmp_path / ".smart-env" / "smart_sources" / E5, range(9), 384)
    rewrite(tmp_path, [made.line(key("a.md"), note("a.md", 0)), made.line(key("d.md"), note("d.md", 4, E5))])
    assert load(tmp_path).group.model.key == E5_KEY


def test_an_unknown_fingerprint_is_said_and_never_guessed(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    made.write_vectors(tmp_path / ".smart-env" / "smart_sources" / "mf_zzzzzz", range(9), 384)
    rewrite(tmp_path, [made.line(key("a.md"), note("a.md", 0, "mf_zzzzzz")), made.line(key("b.md"), note("b.md", 1))])
    index = load(tmp_path)
    assert slots(index) == {("b.md", ""): 1}
    assert any("mf_zzzzzz" in warning for warning in index.warnings)
    rewrite(tmp_path, [made.line(key("a.md"), note("a.md", 0, "mf_zzzzzz"))])
    with pytest.raises(NotASource, match="mf_zzzzzz"):
        load(tmp_path)


def test_keys_of_paid_services_are_never_kept(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    file = tmp_path / ".smart-env" / "embedding_models" / "embedding_models.ajson"
    assert "sk-never-to-be-shown" in file.read_text()
    assert "sk-never" not in repr(load(tmp_path))
    assert "sk-never" not in repr(smart_settings._model_records(file))


# --- multi --------------------------------------------------------------------------------------------------------


def test_paths_that_share_a_file_stay_apart(tmp_path: Path) -> None:
    notes = {"a b.md": "one", "a_b.md": "two", "a/b.md": "three"}
    written = made.write_multi(tmp_path, notes)
    assert len(list((tmp_path / ".smart-env" / "multi").iterdir())) == 1
    found = slots(load(tmp_path))
    assert found == written
    assert {path for path, _ in found} == set(notes)


def test_in_multi_the_last_record_of_a_file_wins_and_null_deletes(tmp_path: Path) -> None:
    made.write_multi(tmp_path, NOTES)
    file = tmp_path / ".smart-env" / "multi" / made.flat_name("a.md")
    again = {"path": "a.md", "embeddings": made.inline(33, 384, "h", made.BGE_KEY)}
    with file.open("a") as log:
        log.write("\n" + made.line("smart_sources:a.md", again) + "\n" + made.line("smart_blocks:a.md#A", None))
    found = slots(load(tmp_path))
    assert found["a.md", ""] == 33
    assert ("a.md", "#A") not in found
    assert ("b.md", "#B") in found


def test_a_deletion_in_one_file_leaves_the_others_alone(tmp_path: Path) -> None:
    made.write_multi(tmp_path, NOTES)
    (tmp_path / ".smart-env" / "multi" / "zzz.ajson").write_text(made.line("smart_sources:a.md", None))
    assert ("a.md", "") in slots(load(tmp_path))


def test_in_multi_vectors_of_two_models_are_not_mixed(tmp_path: Path) -> None:
    made.write_multi(tmp_path, NOTES)
    file = tmp_path / ".smart-env" / "multi" / "other.ajson"
    other = {"embeddings": made.inline(3, 10, "h", "someone/small")}
    file.write_text("\n" + made.line("smart_sources:c.md", other))
    index = load(tmp_path)
    assert index.group.vectors.shape[1] == 384
    assert [group.model.key for group in index.others] == ["someone/small"]


def test_directories_and_broken_vectors_are_dropped(tmp_path: Path) -> None:
    made.write_multi(tmp_path, NOTES)
    file = tmp_path / ".smart-env" / "multi" / "other.ajson"
    lines = [
        made.line("SmartDirectory:Garden/", {"embeddings": made.inline(1, 384, "h", made.BGE_KEY)}),
        made.line("smart_sources:short.md", {"embeddings": made.inline(1, 9, "h", made.BGE_KEY)}),
        made.line("smart_sources:text.md", {"embeddings": {made.BGE_KEY: {"vec": ["x"]}}}),
        made.line("smart_sources:null.md", {"embeddings": {made.BGE_KEY: {"vec": [None] * 384}}}),
    ]
    file.write_text("\n".join(lines))
    index = load(tmp_path)
    assert {path for path, _ in slots(index)} == set(NOTES)


# --- streams ------------------------------------------------------------------------------------------------------


def test_a_stream_is_read_across_its_pieces_and_past_damage(tmp_path: Path) -> None:
    file = tmp_path / "log.ajson"
    records = {f"n{n}.md": {"text": "x" * 5000, "n": n} for n in range(700)}
    text = "".join(made.line(path, value) for path, value in records.items())
    file.write_text("\n" + text + '"torn": {"a": [1, 2')
    tally = Tally()
    assert dict(read_stream(file, tally)) == records
    assert tally.malformed == 1
    file.write_text('"bad": {oops}, ' + text)
    tally = Tally()
    assert dict(read_stream(file, tally)) == records
    assert tally.malformed == 1


def test_a_line_longer_than_any_record_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.sources.smart_log.LONGEST_RECORD", 1000)
    file = tmp_path / "log.ajson"
    file.write_text(made.line("big", {"x": "y" * 5000}) + "\n" + made.line("small", {}) + "\n")
    tally = Tally()
    assert list(read_lines(file, tally)) == [("small", {})]
    assert tally.malformed == 1
