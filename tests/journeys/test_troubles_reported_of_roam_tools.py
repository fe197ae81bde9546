"""What people reported of Roam and of tools that read it, one small case each, over the whole road from file to index.

The number in front of each test is the one by which the list of reports knows it.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import LinkKind, Mode, Note, NoteHits, Outcome, SearchRequest, SourceOptions
from engine.net.policy import SERVICES, Policy
from engine.paths import Home
from engine.sources.roam_export import RoamExportReader

Read = Callable[..., dict[str, Note]]
Find = Callable[..., list[NoteHits]]


def block(string: str, uid: object = "", *children: object, **more: object) -> dict[str, object]:
    return {"string": string, "uid": uid, "children": list(children), **more}


def page(title: str, *children: object, **more: object) -> dict[str, object]:
    return {"title": title, "children": list(children), **more}


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Notes by title out of a JSON export of the given pages."""

    def notes(*pages: object, name: str = "graph.json") -> dict[str, Note]:
        file = tmp_path / name
        file.write_text(json.dumps(pages, ensure_ascii=False), "utf-8")
        reader = RoamExportReader(file, SourceOptions())
        return {note.title: note for note in map(reader.read, reader.scan(Job()).refs)}

    return notes


@pytest.fixture
def find(tmp_path: Path, home: Home) -> Find:
    """Titles and texts found by words in an indexed export."""
    library = Library.open(home, embedder=FakeEmbedder())

    def rows(query: str, *pages: object) -> list[NoteHits]:
        if pages:
            file = tmp_path / "found.json"
            file.write_text(json.dumps(pages, ensure_ascii=False), "utf-8")
            assert library.index(library.add(str(file)).name, Job()).outcome is Outcome.COMPLETE
        return list(library.search(SearchRequest(query, mode=Mode.WORD)).rows)

    return rows


def texts(note: Note) -> list[str]:
    return [passage.text for passage in note.passages[1:]]


def targets(note: Note, *kinds: LinkKind) -> list[str]:
    return [link.target for link in note.links if not kinds or link.kind in kinds]


def codes(note: Note) -> set[str]:
    return {problem.code for problem in note.problems}


def test_01_a_page_without_uid_gets_the_same_key_again(read: Read) -> None:
    lamp = page("Lamp", block("x", "aaaaaaaa1"))
    first, again = read(lamp)["Lamp"], read(page("Before", block("y")), lamp, name="later.json")["Lamp"]
    assert first.key == again.key
    assert [p.anchor.uid for p in first.passages] == [p.anchor.uid for p in again.passages]


def test_02_nested_references_name_both_pages(read: Read) -> None:
    note = read(page("A", block("see [[Plan [[Q3]]/draft]]")))["A"]
    assert targets(note) == ["Q3", "Plan [[Q3]]/draft"]


def test_03_colons_in_code_are_no_attribute(read: Read) -> None:
    note = read(page("A", block("call `Ns::fn` twice"), block("```\nkey:: v```"), block("Price:: 3")))["A"]
    assert note.properties == {"Price": ["3"]}


def test_04_code_and_formulas_keep_their_signs(read: Read) -> None:
    assert texts(read(page("A", block("`__main__.py` and a**b")))["A"]) == ["__main__.py and a**b"]


def test_05_addresses_with_parentheses_and_fragments(read: Read) -> None:
    note = read(page("A", block("[Mercury](https://ex.org/Mercury_(planet)#orbit)")))["A"]
    assert texts(note) == ["Mercury"]
    assert targets(note) == ["https://ex.org/Mercury_(planet)#orbit"]
    assert note.tags == ()


def test_06_an_unknown_component_swallows_nothing(read: Read) -> None:
    assert texts(read(page("A", block("{{ user.name }} joined")))["A"]) == ["joined"]


def test_07_parentheses_twice_are_text(read: Read) -> None:
    note = read(page("A", block("costs ((roughly speaking)) ten — ж")))["A"]
    assert texts(note) == ["costs ((roughly speaking)) ten — ж"]
    assert targets(note) == []


@pytest.mark.parametrize("uid", [None, ""])
def test_08_blocks_without_uid_do_not_collide(read: Read, uid: object) -> None:
    note = read(page("A", block("same", uid), block("same", uid)))["A"]
    assert len({passage.anchor.uid for passage in note.passages}) == 3
    assert codes(note) == {"missing-uid"}


def test_09_twins_are_kept_and_reported(read: Read) -> None:
    notes = read(page("A", block("one", "samesame1")), page("B", block("two", "samesame1")))
    assert texts(notes["A"]) + texts(notes["B"]) == ["one", "two"]
    assert codes(notes["B"]) == {"duplicate-uid"}


def test_10_titles_in_two_compositions_are_two_pages_and_both_are_found(find: Find) -> None:
    composed, parted = unicodedata.normalize("NFC", "Zoé"), unicodedata.normalize("NFD", "Zoé")
    find("", page(composed, block("one"), uid="zoe000001"), page(parted, block("two"), uid="zoe000002"))
    for spelling in (composed, parted):
        assert {row.note for row in find(spelling)} == {"zoe000001", "zoe000002"}


def test_11_tags_and_words_of_all_scripts_are_whole(find: Find, read: Read) -> None:
    made = page("A", block("#čaj a #茶道"), block("Café [[Über uns]]"))
    assert targets(read(made)["A"]) == ["čaj", "茶道", "Über uns"]
    find("", made)
    for word in ("čaj", "茶道", "cafe", "über"):
        assert [row.title for row in find(word)] == ["A"]


def test_12_a_page_that_only_quotes_is_found_and_its_title_keeps_its_case(find: Find) -> None:
    rows = find(
        "grandfather",
        page("iPhone notes", block("((bbbbbbbb2))", "aaaaaaaa1", block("below", "cccccccc3"))),
        page("Letters", block("My grandfather's watch", "bbbbbbbb2")),
    )
    assert {row.title for row in rows} == {"iPhone notes", "Letters"}
    quoting = next(row for row in rows if row.title == "iPhone notes")
    assert "My grandfather's watch" in [hit.text for hit in quoting.hits]


def test_13_embeds_without_a_space_and_empty_strings_keep_the_tree(read: Read) -> None:
    note = read(
        page(
            "A",
            block("{{embed:((tt-9x7k2aa))}}", "aaaaaaaa1"),
            block("", "bbbbbbbb2", block("child of nothing", "cccccccc3")),
            block("the target", "tt-9x7k2aa"),
        )
    )["A"]
    assert texts(note) == ["the target", "child of nothing", "the target"]
    assert [passage.depth for passage in note.passages[1:]] == [0, 1, 0]


def test_14_references_glued_to_text_resolve(read: Read) -> None:
    note = read(page("A", block("note((ccccccc_3))", "aaaaaaaa1"), block("kept", "ccccccc_3")))["A"]
    assert texts(note) == ["notekept", "kept"]


def test_15_times_survive_and_fall_back(read: Read) -> None:
    whole = block("a", "aaaaaaaa1", **{"create-time": 1_600_000_000_000, "edit-time": 1_600_000_900_000})
    note = read(page("A", whole, block("b", "bbbbbbbb2", **{"edit-time": 1_600_000_500_000})))["A"]
    assert [(p.created, p.modified) for p in note.passages[1:]] == [
        (1_600_000_000.0, 1_600_000_900.0),
        (1_600_000_500.0, 1_600_000_500.0),
    ]


def test_16_daily_notes_by_uid_and_title(read: Read) -> None:
    notes = read(
        page("September 15th, 2020", uid="09-15-2020"),
        page("Sep 15th, 2020", uid="sep000001"),
        page("On June 2nd, 2021"),
    )
    assert [title for title, note in notes.items() if note.is_daily] == ["September 15th, 2020"]


def test_17_attributes_take_their_values_from_children_too(read: Read) -> None:
    steps = block("Steps::", "", block("first"), block("[[Second]]"), block("third"))
    note = read(page("A", block("Author:: [[Ann Lee]]"), steps))["A"]
    assert note.properties == {"Author": ["Ann Lee"], "Steps": ["first", "Second", "third"]}
    assert [(link.attribute, link.target) for link in note.links] == [("Author", "Ann Lee"), ("Steps", "Second")]


def test_18_fences_end_where_they_end(find: Find, read: Read) -> None:
    glued, tail = block("```js\nlet a=1;```"), block("intro: ```py\nx``` the tail")
    assert texts(read(page("A", glued, tail))["A"]) == ["let a=1;", "intro: x the tail"]
    assert [row.title for row in find("tail", page("B", tail))] == ["B"]


def test_19_tasks_queries_and_tables(read: Read) -> None:
    table = block("{{[[table]]}}", "tttttttt1", block("one", "r1", block("a | b", "r2")), block("short", "r3"))
    note = read(
        page(
            "A",
            block("{{[[TODO]]}} do it [->](((ddddddd-4)))", "aaaaaaaa1"),
            block("{{query: {and: #a {or: [[B]] [[C]]}}}}", "qqqqqqqq1"),
            table,
            block("there", "ddddddd-4"),
        )
    )["A"]
    assert texts(note) == ["do it ->", "one", "a | b", "short", "there"]
    assert note.passages[1].task == "todo"
    assert targets(note) == ["ddddddd-4"]
    assert note.omitted == {"widget": 2}


def test_20_titles_that_are_no_file_names_stay_as_they_are(read: Read) -> None:
    titles = ["t" * 250, 'a/b: "c"?', "a-b- -c--"]
    notes = read(*(page(title, block("x")) for title in titles))
    assert list(notes) == titles
    assert len({note.key for note in notes.values()}) == 3


def test_21_what_a_file_does_not_say_is_not_made_up(read: Read) -> None:
    note = read(page("A", block("x", "aaaaaaaa1")))["A"]
    assert (note.created, note.modified, note.tags, dict(note.properties)) == (None, None, (), {})


def test_22_references_to_what_is_missing_are_kept(read: Read, find: Find) -> None:
    made = page("Subset", block("as said in ((zzzzzzzz9))", "aaaaaaaa1"))
    note = read(made)["Subset"]
    assert texts(note) == ["as said in ((zzzzzzzz9))"]
    assert targets(note, LinkKind.BLOCK) == ["zzzzzzzz9"]
    assert [row.title for row in find("said", made)] == ["Subset"]


def test_23_a_hidden_block_leaks_on_no_path(find: Find, read: Read) -> None:
    hidden = block(
        "The vault code #.rm-hide", "hhhhhhhh1", block("is 7391", "iiiiiiii2", block("or zebra", "jjjjjjjj3"))
    )
    made = (page("A", hidden, block("open")), page("B", block("see ((iiiiiiii2)) and {{embed: ((hhhhhhhh1))}}")))
    everything = repr(read(*made))
    assert not [word for word in ("vault code", "7391", "zebra") if word in everything]
    find("", *made)
    assert [find(word) for word in ("7391", "zebra")] == [[], []]


def test_24_a_connection_counts_only_when_it_was_used() -> None:
    """See ``test_live_graphs.test_tokens_are_checked_kept_and_forgotten`` for the whole road; here, the words."""
    from engine.net.roam_errors import Refusal, local_error

    assert "does not know the token" in str(local_error(Refusal(401, "TOKEN_NOT_FOUND"), "garden"))
    assert "other 'garden'" in str(local_error(Refusal(401, "WRONG_GRAPH_TYPE"), "garden"))


def test_25_what_leaves_the_machine_is_said_and_off() -> None:
    policy = Policy()
    for service in SERVICES[1:]:
        assert not policy.is_enabled(service.name)
        assert service.leaves.endswith(".")
        assert any(words in service.leaves for words in ("No note text", "The text of the notes", "the whole graph"))


def test_26_twins_by_case_depth_and_remnants(read: Read) -> None:
    deep: Any = block("level 59", "deep00059")
    for level in range(58, -1, -1):
        deep = block(f"level {level}", f"deep{level:05d}", deep)
    notes = read(page("Kanban", deep, uid="kanban001"), page("kanban", block("other"), uid="kanban002"))
    assert set(notes) == {"Kanban", "kanban"}
    assert len(notes["Kanban"].passages) == 61
    assert notes["Kanban"].passages[-1].breadcrumb[:2] == ("Kanban", "level 0")
