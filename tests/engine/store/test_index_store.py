"""Notes, words, links and problems go in and come out; replaced and removed ones leave nothing behind."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import BugError
from engine.model import (
    Anchor,
    Link,
    LinkKind,
    Note,
    NoteKey,
    Passage,
    PassageKind,
    Problem,
    Severity,
)
from engine.ranking.words import PostingBatch
from engine.store import notes
from engine.store.database import Cursor
from engine.store.index import IndexStore, NoteRow, NoteState
from engine.text.embed_input import embed_hash, finish


def make_passage(key: str, ordinal: int, text: str, **more: object) -> Passage:
    anchor = Anchor(
        NoteKey(key), headings=("Part", f"Section {ordinal}"), first_line=ordinal * 3 + 1, last_line=ordinal * 3 + 3
    )
    values: dict[str, object] = {"kind": PassageKind.SECTION, "anchor": anchor, "breadcrumb": (key, "Part")} | more
    return finish(Passage(ordinal=ordinal, text=text, **values))  # type: ignore[arg-type]


def make_note(key: str, *texts: str, **more: object) -> Note:
    passages = tuple(make_passage(key, ordinal, text) for ordinal, text in enumerate(texts))
    values: dict[str, object] = {
        "title": key.removesuffix(".md"),
        "revision": f"r1-{key}",
        "content_hash": embed_hash("\n".join(texts)),
        "passages": passages,
    } | more
    return Note(key=NoteKey(key), **values)  # type: ignore[arg-type]


def words_of(notes: Sequence[Note]) -> PostingBatch:
    """Every word of the text, in field 0."""
    passages = [passage for note in notes for passage in note.passages]
    counted = [Counter(passage.text.lower().split()) for passage in passages]
    terms = sorted({word for words in counted for word in words})
    number = {term: position for position, term in enumerate(terms)}
    rows = [(place, number[word], tf) for place, words in enumerate(counted) for word, tf in words.items()]
    columns = np.array(rows, dtype=np.int32).reshape(-1, 3)
    lengths = np.zeros((len(passages), 5), dtype=np.int32)
    lengths[:, 0] = [sum(words.values()) for words in counted]
    return PostingBatch(
        terms,
        columns[:, 0],
        columns[:, 1],
        np.zeros(len(rows), dtype=np.uint8),
        columns[:, 2].astype(np.uint16),
        lengths,
        [(term.upper(), term) for term in terms],
    )


def write(store: IndexStore, *notes: Note, removed: Sequence[str] = ()):
    return store.write_notes(notes, words_of(notes), [NoteKey(key) for key in removed])


def stored_words(store: IndexStore) -> dict[int, dict[str, int]]:
    loaded = store.load_postings()
    result: dict[int, dict[str, int]] = {int(number): {} for number in loaded.passage_ids}
    for passage, term, tf in zip(loaded.passage.tolist(), loaded.term.tolist(), loaded.tf.tolist(), strict=True):
        result[passage][loaded.terms[term]] = tf
    return result


def test_a_note_comes_back_as_it_was_written(each_store: IndexStore) -> None:
    store = each_store
    link = Link(LinkKind.LINK, "Ümlaut Page", "A#B", "shown", "author", 0, 7)
    problem = Problem(Severity.WARNING, "a.md", "The front matter is broken.", "bad-yaml", 2)
    passage = make_passage(
        "a.md",
        0,
        "The text\nwith two lines",
        concepts=("One", "Two"),
        tags=("x/y",),
        context="around",
        raw="**raw**",
        depth=3,
        created=1.25,
        modified=1700000000.123456,
        task="todo",
    )
    note = make_note(
        "a.md",
        passages=(passage,),
        links=(link,),
        aliases=("Alpha", "α"),
        tags=("t",),
        properties={"rating": 4.5, "done": True, "list": [1, "two", None], "map": {"k": "v"}},
        language="de",
        created=10.5,
        modified=20.5,
        is_daily=True,
        size=2**40,
        problems=(problem,),
        omitted={"empty": 2},
        trimmed={"base64": 4000},
    )
    write(store, note)
    [row] = store.note_passages(note.key)
    assert (row.id, row.vector_hash) == (0, passage.hash)
    assert finish(row.passage) == passage
    stored = store.note(note.key)
    assert stored == row.note
    assert stored is not None
    for name in ("key", "title", "revision", "content_hash", "aliases", "tags", "properties", "language", "created"):
        assert getattr(stored, name) == getattr(note, name), name
    for name in ("modified", "is_daily", "size", "omitted", "trimmed"):
        assert getattr(stored, name) == getattr(note, name), name
    assert stored.state is NoteState.INDEXED
    assert store.links(note.key) == [link]
    assert store.problems() == [problem]


def test_replacing_and_removing_leave_nothing_behind(each_store: IndexStore) -> None:
    store = each_store
    link = Link(LinkKind.TAG, "old")
    problem = Problem(Severity.WARNING, "a.md", "odd", "odd")
    first = write(
        store,
        make_note("a.md", "red apple", "green apple", links=(link,), problems=(problem,)),
        make_note("b.md", "blue sky"),
    )
    assert [ids.tolist() for ids in first.passage_ids] == [[0, 1], [2]]
    note_id = store.note(NoteKey("a.md")).id  # type: ignore[union-attr]

    second = write(
        store, make_note("a.md", "red pear", revision="r2"), make_note("c.md", "sea"), removed=["b.md", "never.md"]
    )
    assert second.removed_passage_ids.tolist() == [0, 1, 2]
    assert [ids.tolist() for ids in second.passage_ids] == [[3], [4]]
    assert store.revisions() == {"a.md": "r2", "c.md": "r1-c.md"}
    assert store.note(NoteKey("a.md")).id == note_id  # type: ignore[union-attr]
    assert stored_words(store) == {3: {"red": 1, "pear": 1}, 4: {"sea": 1}}
    assert store.links(NoteKey("a.md")) == []
    assert store.problems() == []
    assert [row.passage.text for row in store.passages([4, 2, 3])] == ["sea", "red pear"]
    assert store.note(NoteKey("b.md")) is None
    assert store.note_passages(NoteKey("b.md")) == []


def test_passages_come_with_their_note_as_it_is_now(store: IndexStore) -> None:
    first, other = make_note("a.md", "one"), make_note("b.md", "two")
    store.write_notes([first, other], words_of([first, other]))
    assert [row.note.title for row in store.passages([0, 1])] == ["a", "b"]
    assert [row.note.title for row in store.passages([0, 1])] == ["a", "b"]
    again = make_note("a.md", "one", title="A new name")
    store.write_notes([again], words_of([again]), [NoteKey("b.md")])
    assert [(row.id, row.note.title) for row in store.passages([0, 1, 2])] == [(2, "A new name")]


def test_what_is_read_while_somebody_writes_is_not_kept(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    note = make_note("a.md", "one")
    ids = store.write_notes([note], words_of([note])).passage_ids[0].tolist()
    read = notes.by_id

    def overtaken(cursor: Cursor, numbers: Sequence[int]) -> dict[int, NoteRow]:
        found = read(cursor, numbers)
        store._notes.forget()
        return {number: dataclasses.replace(row, title="old") for number, row in found.items()}

    monkeypatch.setattr(notes, "by_id", overtaken)
    assert store.passages(ids)[0].note.title == "old"
    monkeypatch.setattr(notes, "by_id", read)
    assert store.passages(ids)[0].note.title == "a"


def test_few_rows_of_notes_are_kept(store: IndexStore) -> None:
    batch = [make_note(f"{number}.md", "one") for number in range(5)]
    store.write_notes(batch, words_of(batch))
    cache = notes.NoteCache(size=3)
    with store._db.read() as cursor:
        for wanted in ([0, 1], [1, 2], [3, 4], [0, 1, 2, 3, 4]):
            assert {number: row.title for number, row in cache.by_id(cursor, wanted).items()} == {
                number: str(number) for number in wanted
            }
            assert len(cache._rows) <= 3


def test_terms_keep_their_ids_between_batches(store: IndexStore) -> None:
    first = write(store, make_note("a.md", "apple pear"))
    second = write(store, make_note("b.md", "pear plum"))
    assert first.term_ids.tolist() == [0, 1]
    assert second.term_ids.tolist() == [1, 2]
    assert store.load_surfaces() == {"APPLE": ("apple",), "PEAR": ("pear",), "PLUM": ("plum",)}


def test_pruned_words_go_and_their_ids_are_not_given_out_again(store: IndexStore) -> None:
    write(store, make_note("a.md", "apple pear"), make_note("b.md", "pear"))
    write(store, removed=["a.md"])
    assert [store.prune_words() for _ in range(2)] == [1, 0]
    assert store.load_postings().terms == ["", "pear"]
    assert store.load_surfaces() == {"PEAR": ("pear",)}
    assert write(store, make_note("c.md", "apple")).term_ids.tolist() == [2]
    write(store, removed=["c.md"])
    assert store.prune_words() == 1, "a second removal is noticed too"


def test_lengths_and_fields_come_back(store: IndexStore) -> None:
    note = make_note("a.md", "one", "two")
    lengths = np.arange(10, dtype=np.int32).reshape(2, 5)
    words = PostingBatch(
        ["w"],
        np.array([0, 1], np.int32),
        np.array([0, 0], np.int32),
        np.array([2, 4], np.uint8),
        np.array([7, 65535], np.uint16),
        lengths,
        [],
    )
    store.write_notes([note], words)
    loaded = store.load_postings()
    assert loaded.lengths.tolist() == lengths.tolist()
    assert loaded.field.tolist() == [2, 4]
    assert loaded.tf.tolist() == [7, 65535]
    assert (loaded.passage.dtype, loaded.term.dtype) == (np.int32, np.int32)
    assert (loaded.field.dtype, loaded.tf.dtype, loaded.lengths.dtype) == (np.uint8, np.uint16, np.int32)


@pytest.mark.parametrize("words", [words_of([]), words_of([make_note("x.md", "a", "b", "c")])])
def test_words_that_do_not_fit_change_nothing(store: IndexStore, words: PostingBatch) -> None:
    with pytest.raises(BugError):
        store.write_notes([make_note("a.md", "one", "two")], words)
    assert store.notes() == []


def test_a_note_twice_in_a_batch_is_refused(store: IndexStore) -> None:
    note = make_note("a.md", "one")
    with pytest.raises(BugError, match="twice"):
        write(store, note, note)


@pytest.mark.parametrize(
    ("texts", "severity", "state"),
    [
        ((), Severity.FAILED, NoteState.FAILED),
        ((), Severity.SKIPPED, NoteState.SKIPPED),
        (("text",), Severity.WARNING, NoteState.INDEXED),
        (("text",), Severity.SKIPPED, NoteState.INDEXED),
    ],
)
def test_notes_without_passages_are_recorded(store: IndexStore, texts, severity, state) -> None:
    write(store, make_note("a.md", *texts, problems=(Problem(severity, "a.md", "why", "code"),)))
    assert [note.state for note in store.notes()] == [state]
    assert store.revisions() == {"a.md": "r1-a.md"}


def test_facets_are_aligned(store: IndexStore) -> None:
    write(store, make_note("b.md", "one", "two", tags=("n",)), make_note("empty.md"))
    page = make_passage("a.md", 0, "x", kind=PassageKind.PAGE, tags=("p",), task="done", created=5.0)
    write(store, make_note("a.md", passages=(page,)))
    facets = store.load_facets()
    assert facets.passage_ids.tolist() == [0, 1, 2]
    assert [facets.notes[place].key for place in facets.note.tolist()] == ["b.md", "b.md", "a.md"]
    assert {note.key for note in facets.notes} == {"a.md", "b.md", "empty.md"}
    assert facets.is_page.tolist() == [False, False, True]
    assert facets.tags == ((), (), ("p",))
    assert facets.task == ("", "", "done")
    assert facets.headings[1] == ("Part", "Section 1")
    assert facets.created[2] == 5.0
    assert np.isnan(facets.created[:2]).all()


def test_few_and_many_passages_are_read_alike(store: IndexStore) -> None:
    write(store, make_note("a.md", *(f"text {number}" for number in range(300))))
    for ids in ([], [7], [299, 5, 1000, 5], list(range(299, -1, -1))):
        assert [row.id for row in store.passages(ids)] == [number for number in ids if number < 300]


def test_backlinks_ignore_case_and_composition(store: IndexStore) -> None:
    link = Link(LinkKind.LINK, "Cafe\u0301 Notes")
    block = Link(LinkKind.BLOCK, "abcDEF_12")
    write(
        store,
        make_note("a.md", "x", links=(link, block)),
        make_note("b.md", "y", links=(Link(LinkKind.LINK, "other"),)),
    )
    assert store.backlinks(["CAFÉ notes"]) == [("a.md", link)]
    assert store.backlinks(["abcDEF_12", "other"]) == [("a.md", block), ("b.md", Link(LinkKind.LINK, "other"))]
    assert store.backlinks([]) == []
    assert len(store.all_links()) == 3


def test_scan_problems_are_replaced_and_sorted_with_the_others(store: IndexStore) -> None:
    failed = Problem(Severity.FAILED, "z.md", "bad", "bad")
    warning = Problem(Severity.WARNING, "a.md", "odd", "odd")
    write(store, make_note("z.md", problems=(failed,)))
    store.write_scan_problems([Problem(Severity.SKIPPED, "old", "old", "old")])
    store.write_scan_problems([warning])
    assert store.problems() == [failed, warning]
    assert store.counts().warnings == 1


def test_counts_and_runs(store: IndexStore) -> None:
    write(
        store,
        make_note("a.md", "x", language="de"),
        make_note("b.md", "y", "z", language="en"),
        make_note("c.md", "w", language="en"),
    )
    write(store, make_note("f.md", problems=(Problem(Severity.FAILED, "f.md", "bad", "bad"),)))
    assert store.last_run() is None
    store.add_run({"outcome": "cancelled"})
    store.add_run({"outcome": "complete", "notes": 4})
    counts = store.counts("m")
    assert (counts.indexed, counts.failed, counts.skipped, counts.passages, counts.vectors) == (3, 1, 0, 4, 0)
    assert list(counts.languages.items()) == [("en", 2), ("de", 1)]
    assert counts.bytes_on_disk > 0
    run = store.last_run()
    assert run is not None
    assert run[1] == {"outcome": "complete", "notes": 4}


def test_everything_survives_closing(index_path: Path, key: str | None) -> None:
    store = IndexStore.open(index_path, key)
    write(store, make_note("a.md", "red apple"))
    store.set_meta("model", "m1")
    store.close()
    store.close()
    again = IndexStore.open(index_path, key)
    assert stored_words(again) == {0: {"red": 1, "apple": 1}}
    assert (again.get_meta("model"), again.get_meta("absent", "none")) == ("m1", "none")
    assert write(again, make_note("b.md", "x")).passage_ids[0].tolist() == [1]
    again.close()
    with pytest.raises(BugError, match="closed"):
        again.notes()


# --- odd values ---------------------------------------------------------------------------------------------------

any_text = st.text(st.characters(codec=None, exclude_categories=())) | st.sampled_from(
    ["\0", "a\0b", "\ud800", "x\udc80y", "'; DROP TABLE notes; --", '{"a":', "\u2028", "😀", "\x1b[0m"]
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=10,
)


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory: pytest.TempPathFactory):
    opened = IndexStore.open(tmp_path_factory.mktemp("odd") / "odd.duckdb")
    yield opened
    opened.close()


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=any_text, text=any_text, target=any_text, properties=st.dictionaries(any_text, json_values, max_size=4))
def test_no_string_is_too_odd(shared_store: IndexStore, key, text, target, properties) -> None:
    clean = text.encode("utf-8", "replace").decode() if not _is_utf8(text) else text
    passage = finish(Passage(PassageKind.BLOCK, 0, Anchor(NoteKey(key)), text, (text,), (text,), (text,), text, text))
    note = Note(NoteKey(key), text, text, "h", (passage,), (Link(LinkKind.LINK, target),), properties=properties)
    words = PostingBatch(
        [text], np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1, np.uint8), np.ones(1, np.uint16),
        np.ones((1, 5), np.int32), [(text, text)],
    )  # fmt: skip
    shared_store.write_notes([note], words, list(shared_store.revisions()))
    [row] = shared_store.note_passages(NoteKey(key))
    assert row.note.key == key
    assert row.passage.anchor.note == key
    if _is_utf8(text):
        assert row.passage.text == clean == row.note.title == row.passage.context
        assert row.passage.tags == (text,)
        assert shared_store.backlinks([target]) == [(key, Link(LinkKind.LINK, target))] or not _is_utf8(target)
    assert len(row.note.properties) <= len(properties)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (2**70, 2**70),
        (float("nan"), "nan"),
        ({1: "a", None: "b"}, {"1": "a", "None": "b"}),
        (b"bytes", "b'bytes'"),
        ("\udcff", "\ufffd"),
    ],
)
def test_properties_that_json_does_not_know(shared_store: IndexStore, value, stored) -> None:
    write(shared_store, make_note("p.md", properties={"v": value}))
    row = shared_store.note(NoteKey("p.md"))
    assert row is not None
    assert row.properties == {"v": stored}


def test_bottomless_properties_are_cut(shared_store: IndexStore) -> None:
    nested: object = "deep"
    for _ in range(5000):
        nested = [nested]
    write(shared_store, make_note("deep.md", properties={"v": nested}))
    assert shared_store.note(NoteKey("deep.md")) is not None


def test_an_encrypted_index_holds_no_word_of_the_notes(index_path: Path) -> None:
    """Planted in every text that a note has; the write-ahead log is looked at too."""
    planted = "violetheron"
    store = IndexStore.open(index_path, "5a" * 32)
    passage = make_passage(planted, 0, planted, concepts=(planted,), tags=(planted,), context=planted, raw=planted)
    note = make_note(
        planted,
        passages=(passage,),
        links=(Link(LinkKind.LINK, planted, planted, planted, planted),),
        aliases=(planted,),
        properties={planted: planted},
        problems=(Problem(Severity.WARNING, planted, planted, "odd"),),
    )
    write(store, note)
    store.add_run({"detail": planted})
    for _ in range(2):
        files = [file for file in index_path.parent.parent.rglob("*") if file.is_file()]
        assert files
        assert [file.name for file in files if planted.encode() in file.read_bytes()] == []
        store.close()
