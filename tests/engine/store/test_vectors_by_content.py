"""Vectors belong to text, not to notes: moved notes keep them, equal text shares them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.errors import BugError
from engine.model import Anchor, Note, NoteKey, Passage, PassageKind
from engine.ranking.words import posting_batch
from engine.store.index import IndexStore
from engine.text.embed_input import finish

MODEL = "model-1"


def note(key: str, *texts: str, modified: float | None = None) -> Note:
    passages = tuple(
        finish(Passage(PassageKind.SECTION, ordinal, Anchor(NoteKey(key)), text, (key,), modified=modified))
        for ordinal, text in enumerate(texts)
    )
    return Note(NoteKey(key), key, "r", "same", passages, modified=modified)


def write(store: IndexStore, *notes: Note, **more: object) -> None:
    passages = sum(len(one.passages) for one in notes)
    store.write_notes(notes, posting_batch([[{}] * 5] * passages, {}), **more)  # type: ignore[arg-type]


def embed_missing(store: IndexStore, model: str = MODEL) -> int:
    """One-hot vectors, numbered as they come."""
    missing = store.missing_vectors(model)
    store.write_vectors(model, [one.hash for one in missing], np.eye(len(missing), 8, dtype=np.float32))
    return len(missing)


def test_missing_ones_come_newest_first_and_once(store: IndexStore) -> None:
    write(store, note("old", "a", modified=1.0), note("new", "b", "c", modified=9.0), note("undated", "d"))
    twin = dataclasses.replace(note("twin", "x").passages[0], hash=note("old", "a").passages[0].hash)
    write(store, dataclasses.replace(note("twin", "x"), passages=(twin,)))
    missing = store.missing_vectors(MODEL)
    assert [one.passage_id for one in missing] == [1, 2, 0, 3]
    assert store.passages([1])[0].passage.hash == missing[0].hash


def test_vectors_come_back_by_passage(each_store: IndexStore) -> None:
    store = each_store
    write(store, note("a", "one", "two"), note("b", "three"))
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal((2, 384)).astype(np.float32)
    hashes = [row.passage.hash for row in store.passages([2, 0])]
    store.write_vectors(MODEL, hashes, matrix)
    ids, loaded = store.load_vectors(MODEL)
    assert ids.tolist() == [0, 2]
    assert (ids.dtype, loaded.dtype, loaded.shape) == (np.int32, np.float16, (2, 384))
    np.testing.assert_array_equal(loaded, matrix[::-1].astype(np.float16))
    assert store.known_vectors(MODEL, [*hashes, "other"]) == set(hashes)
    assert [one.passage_id for one in store.missing_vectors(MODEL)] == [1]


def test_models_live_side_by_side(store: IndexStore) -> None:
    write(store, note("a", "one"))
    assert embed_missing(store) == 1
    assert store.load_vectors("model-2")[0].tolist() == []
    assert embed_missing(store, "model-2") == 1
    assert [len(store.load_vectors(model)[0]) for model in (MODEL, "model-2")] == [1, 1]


def test_a_moved_note_keeps_its_vectors(each_store: IndexStore) -> None:
    store = each_store
    write(store, note("old.md", "one", "two"))
    embed_missing(store)
    before = store.load_vectors(MODEL)[1]
    moved = {NoteKey("new.md"): store.vector_hashes(NoteKey("old.md"))}
    write(store, note("new.md", "one", "two"), removed=[NoteKey("old.md")], vector_hashes=moved)
    assert store.missing_vectors(MODEL) == []
    ids, after = store.load_vectors(MODEL)
    assert ids.tolist() == [2, 3]
    np.testing.assert_array_equal(after, before)
    assert store.prune_vectors() == 0


def test_the_same_text_again_costs_nothing(store: IndexStore) -> None:
    write(store, note("a", "one", "two"))
    embed_missing(store)
    write(store, note("a", "two", "one", "three"))
    missing = store.passages([one.passage_id for one in store.missing_vectors(MODEL)])
    assert [row.passage.text for row in missing] == ["three"]


def test_pruning_takes_what_nobody_uses(store: IndexStore) -> None:
    write(store, note("a", "one"), note("b", "two"))
    embed_missing(store)
    write(store, removed=[NoteKey("a")])
    assert [store.prune_vectors() for _ in range(2)] == [1, 0]
    assert store.load_vectors(MODEL)[0].tolist() == [1]
    write(store, note("b", "three"))
    assert store.prune_vectors() == 1, "a second removal is noticed too"


def test_a_hash_is_written_once(store: IndexStore) -> None:
    write(store, note("a", "one"))
    [missing] = store.missing_vectors(MODEL)
    first, second = np.full((1, 4), 1.0, np.float32), np.full((1, 4), 2.0, np.float32)
    store.write_vectors(MODEL, [missing.hash], first)
    store.write_vectors(MODEL, [missing.hash], second)
    np.testing.assert_array_equal(store.load_vectors(MODEL)[1], first.astype(np.float16))


@pytest.mark.parametrize("shape", [(2, 4), (4,), (0, 4)])
def test_shapes_that_do_not_fit_are_refused(store: IndexStore, shape: tuple[int, ...]) -> None:
    with pytest.raises(BugError, match="do not fit"):
        store.write_vectors(MODEL, ["h"], np.zeros(shape, np.float32))
