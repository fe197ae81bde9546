"""From raw blocks to notes: what a passage of a Roam page is, and what is left out."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import NoteError
from engine.model import LinkKind, Note, NoteKey, PassageKind, Severity, SourceOptions
from engine.sources.roam_notes import CONTEXT_LIMIT, LEVELS
from engine.sources.roam_raw import RawBlock, RawGraph, RawPage
from engine.sources.roam_tree import RoamTree, is_synthetic

DEFAULT = SourceOptions()


class Graph:
    """Builds raw graphs from nested lists: ``("text", [children])`` or ``"text"``; uids are ``b0``, ``b1`` ..."""

    def __init__(self) -> None:
        self.pages: list[RawPage] = []
        self.blocks: dict[int, RawBlock] = {}

    def page(self, title: str, *children: Any, uid: str | None = None, **times: float) -> Graph:
        uid = f"page{len(self.pages)}" if uid is None else uid
        self.pages.append(RawPage(title, uid, self._add(children), **times))
        return self

    def _add(self, children: Any) -> tuple[int, ...]:
        keys = []
        for order, child in enumerate(children):
            text, below = child if isinstance(child, tuple) else (child, [])
            key = len(self.blocks)
            self.blocks[key] = RawBlock(text, f"b{key}", order)
            block = RawBlock(text, f"b{key}", order, self._add(below))
            self.blocks[key] = block
            keys.append(key)
        return tuple(keys)

    def tree(self, options: SourceOptions = DEFAULT) -> RoamTree:
        return RoamTree(RawGraph(self.pages, self.blocks), options)

    def notes(self, options: SourceOptions = DEFAULT) -> dict[str, Note]:
        tree = self.tree(options)
        return {tree.note(key).title: tree.note(key) for key in tree.keys}


def note(*children: Any, title: str = "Page") -> Note:
    return Graph().page(title, *children).notes()[title]


def blocks(of: Note) -> list[str]:
    return [passage.text for passage in of.passages if passage.kind is PassageKind.BLOCK]


def test_passages_carry_breadcrumb_depth_and_folded_context() -> None:
    made = note(("Plan", [("**First** step", ["deep"]), "second"]), "end")
    assert [(p.kind, p.ordinal, p.depth, p.text, p.breadcrumb, p.context) for p in made.passages] == [
        (PassageKind.PAGE, 0, 0, "Page", ("Page",), "Plan · First step · deep · second · end"),
        (PassageKind.BLOCK, 1, 0, "Plan", ("Page",), "First step · deep · second"),
        (PassageKind.BLOCK, 2, 1, "First step", ("Page", "Plan"), "deep"),
        (PassageKind.BLOCK, 3, 2, "deep", ("Page", "Plan", "First step"), ""),
        (PassageKind.BLOCK, 4, 1, "second", ("Page", "Plan"), ""),
        (PassageKind.BLOCK, 5, 0, "end", ("Page",), ""),
    ]
    assert made.passages[2].raw == "**First** step"
    assert made.passages[2].anchor.uid == "b1"
    assert made.passages[2].embed_input == "Page › Plan › First step | deep"
    assert made.passages[0].embed_input.startswith("Page | Plan")
    assert all(passage.hash for passage in made.passages)


def test_ancestors_are_cut_and_empty_ones_dropped() -> None:
    made = note(("x" * 80, [("{{[[table]]}}", [("two\nlines", ["leaf"])])]))
    assert made.passages[-1].breadcrumb == ("Page", "x" * 60, "two lines")


def test_children_follow_their_order_not_their_keys() -> None:
    raw = {0: RawBlock("second", "u0", 1), 7: RawBlock("first", "u7", 0), 3: RawBlock("tie", "u3", 1)}
    tree = RoamTree(RawGraph([RawPage("P", "p", (0, 7, 3))], raw), SourceOptions())
    assert blocks(tree.note(NoteKey("p"))) == ["first", "second", "tie"]


def test_tags_of_direct_children_in_any_case_with_values_inline_or_below() -> None:
    made = note(
        "Tags:: [[a]], #b", ("Book", ["tags:: c, d e", ("deeper", ["tags:: no"])]), ("TAGS::", ["f", "[[g h]]"])
    )
    assert made.passages[0].tags == ("a", "b", "f", "g h")
    assert next(p for p in made.passages if p.text == "Book").tags == ("c", "d e")
    assert set(made.tags) >= {"a", "b", "f", "g h"}


def test_references_resolve_one_level_and_dangling_ones_stay() -> None:
    made = note("a ((b1))", "b ((b2)) [[P]]", "c " + "x" * 400, "((nosuchblk))", "self ((b4))")
    assert blocks(made)[0] == "a b P"
    assert blocks(made)[1] == "b c " + "x" * 298 + " P"
    assert blocks(made)[3:] == ["((nosuchblk))", "self self"]
    assert made.passages[1].concepts == ()


def test_a_page_that_only_quotes_is_found_by_the_quoted_text() -> None:
    notes = Graph().page("Here", "((b1))").page("There", "lighthouse").notes()
    assert blocks(notes["Here"]) == ["lighthouse"]
    assert notes["Here"].passages[0].context == "lighthouse"


def test_attribute_links_and_properties() -> None:
    made = note(
        "Author:: [[Ann [[Lee]]]]",
        ("Steps::", ["mix #flour", "bake", ("[[Oven]]:: hot [[Bake]]", [])]),
        ("Notes", ["Status:: [[open]]"]),
        "plain [[x]] ((b1))",
    )
    links = [(link.kind, link.target, link.attribute, link.passage) for link in made.links]
    assert links == [
        (LinkKind.LINK, "Lee", "Author", 1),
        (LinkKind.LINK, "Ann [[Lee]]", "Author", 1),
        (LinkKind.TAG, "flour", "Steps", 3),
        (LinkKind.LINK, "Bake", "Oven", 5),
        (LinkKind.LINK, "open", "Status", 7),
        (LinkKind.LINK, "x", "", 8),
        (LinkKind.BLOCK, "b1", "", 8),
    ]
    assert made.properties == {"Author": ["Ann Lee"], "Steps": ["mix flour", "bake", "Oven: hot Bake"]}


HIDDEN = ("secret plan #.RM-hide", [("inner treasure", ["deepest"])])


def test_private_blocks_and_their_subtrees_never_come_out() -> None:
    made = note("start", HIDDEN, "see ((b2)) and {{[[embed]]: ((b1))}}", ("tags::", [("x #[[.rm-private]]", [])]))
    assert made.omitted == {"private": 4}
    assert len(blocks(made)) + sum(made.omitted.values()) == 7
    assert not any(word in repr(made) for word in ("secret", "treasure", "deepest"))
    assert not any(link.target in ("b1", "b2") for link in made.links)


def test_omitted_blocks_are_counted_by_reason() -> None:
    made = note("", "{{[[table]]}}", "![](https://x.org/a.png)", "---", "kept")
    assert made.omitted == {"empty": 2, "widget": 1, "image": 1}


def test_pages_that_are_left_out_say_why() -> None:
    graph = Graph().page("roam/css", "a", "b").page("  ").page("May 1st, 2024", "x").page("Sep 15th, 2020").page("Kept")
    kept = graph.tree(SourceOptions(daily_notes=False))
    assert [ref.title for ref in kept.scan().refs] == ["Sep 15th, 2020", "Kept"]
    assert [(p.code, p.severity) for p in kept.scan().problems] == [
        ("roam-page", Severity.SKIPPED),
        ("blank-title", Severity.SKIPPED),
        ("daily-note", Severity.SKIPPED),
    ]
    assert "2 blocks" in kept.scan().problems[0].reason
    chosen = graph.notes(SourceOptions(include=("K*", "M*"), exclude=("*st, 2024",)))
    assert list(chosen) == ["Kept"]
    assert graph.notes()["May 1st, 2024"].is_daily
    assert not graph.notes()["Kept"].is_daily


def test_a_daily_note_is_known_by_its_uid() -> None:
    assert Graph().page("September 15th, 2020", uid="09-15-2020").notes()["September 15th, 2020"].is_daily


def test_titles_are_kept_apart_by_case_and_by_composition() -> None:
    twins = [unicodedata.normalize(form, "Zoé") for form in ("NFC", "NFD")]
    graph = Graph()
    for title in [*twins, "Kanban", "kanban"]:
        graph.page(title, uid="")
    assert set(graph.notes()) == {*twins, "Kanban", "kanban"}
    assert len(graph.tree().keys) == 4


def test_missing_and_twin_uids_are_survived_and_stable() -> None:
    raw = {
        0: RawBlock("one"),
        1: RawBlock("one", "", 1),
        2: RawBlock("two", "same", 2),
        3: RawBlock("three", "same", 3),
    }
    graph = RawGraph([RawPage("P", "", (0, 1, 2, 3)), RawPage("P", "")], raw)
    first, again = RoamTree(graph, SourceOptions()), RoamTree(graph, SourceOptions())
    assert first.keys == again.keys
    assert len(first.keys) == 2
    made = first.note(first.keys[0])
    uids = [p.anchor.uid for p in made.passages[1:]]
    assert uids == [p.anchor.uid for p in again.note(first.keys[0]).passages[1:]]
    assert len(set(uids)) == 4
    assert [is_synthetic(uid) for uid in uids] == [True, True, False, True]
    assert [p.code for p in made.problems] == ["missing-uid", "missing-uid", "duplicate-uid"]


def test_a_synthetic_uid_outlives_a_change_of_order() -> None:
    def uids(*texts: str) -> dict[str, str]:
        raw = {n: RawBlock(text, "", n) for n, text in enumerate(texts)}
        tree = RoamTree(RawGraph([RawPage("P", "p", tuple(raw))], raw), SourceOptions())
        return {p.text: p.anchor.uid for p in tree.note(NoteKey("p")).passages[1:]}

    assert uids("a", "b") == {key: value for key, value in uids("new", "b", "a").items() if key != "new"}


def test_times_fall_back_to_the_page() -> None:
    raw = {0: RawBlock("a", "a", 0), 1: RawBlock("b", "b", 1, created=5.0), 2: RawBlock("c", "c", 2, modified=9.0)}
    tree = RoamTree(RawGraph([RawPage("P", "p", (0, 1, 2), created=1.0, modified=2.0)], raw), SourceOptions())
    made = tree.note(NoteKey("p")).passages
    assert [(p.created, p.modified) for p in made] == [(1.0, 2.0), (1.0, 2.0), (5.0, 5.0), (9.0, 9.0)]


def test_a_revision_follows_what_is_quoted_and_nothing_else() -> None:
    def revisions(quoted: str, other: str) -> dict[str, str]:
        refs = Graph().page("A", "see ((b1))").page("B", quoted).page("C", other).tree().scan().refs
        return {ref.title: ref.revision for ref in refs}

    before, after = revisions("old", "same"), revisions("new", "same")
    assert before["A"] != after["A"]
    assert before["B"] != after["B"]
    assert before["C"] == after["C"]
    assert revisions("old", "same") == before
    hidden = revisions("old #.rm-hide", "same")
    assert hidden["A"] != before["A"]


def test_a_renamed_page_keeps_its_content_hash() -> None:
    old, new = note("a", ("b", ["c"]), title="Old"), note("a", ("b", ["c"]), title="New")
    assert old.content_hash == new.content_hash
    assert note("a", "b", "c").content_hash != old.content_hash


def test_cycles_ghosts_and_shared_blocks_end() -> None:
    raw = {
        0: RawBlock("loop", "u0", 0, (1,)),
        1: RawBlock("back", "u1", 0, (0, 99)),
        2: RawBlock("ghost", "u2", 0, (3,)),
        3: RawBlock("ghost child", "u3"),
    }
    tree = RoamTree(RawGraph([RawPage("P", "p", (0,)), RawPage("Q", "q", (1,))], raw), SourceOptions())
    assert blocks(tree.note(NoteKey("p"))) == ["loop", "back"]
    assert blocks(tree.note(NoteKey("q"))) == []
    assert [p.code for p in tree.note(NoteKey("q")).problems] == ["shared-block"]
    assert not tree.is_known("u2")


def test_five_thousand_levels() -> None:
    raw = {n: RawBlock(f"level {n}", f"u{n}", 0, (n + 1,) if n < 4999 else ()) for n in range(5000)}
    tree = RoamTree(RawGraph([RawPage("Deep", "deep", (0,))], raw), SourceOptions())
    made = tree.note(NoteKey("deep"))
    assert len(made.passages) == 5001
    assert made.passages[-1].text == "level 4999"
    assert made.passages[-1].depth == 4999
    assert made.passages[0].breadcrumb == ("Deep",)
    assert max(len(p.context) for p in made.passages) <= CONTEXT_LIMIT
    assert made.passages[2500].context.startswith("level 2500 · level 2501")


def read_by_the_model(levels: int) -> int:
    """Characters that are cut, counted, stored and embedded of a page that is one chain of blocks."""
    raw = {n: RawBlock(f"level {n:05}", f"u{n}", 0, (n + 1,) if n < levels - 1 else ()) for n in range(levels)}
    made = RoamTree(RawGraph([RawPage("Deep", "deep", (0,))], raw), SourceOptions()).note(NoteKey("deep"))
    return sum(len(passage.embed_input) for passage in made.passages)


def test_a_chain_of_blocks_costs_its_length_and_not_the_square() -> None:
    assert read_by_the_model(3000) < 3.1 * read_by_the_model(1000)
    assert read_by_the_model(3000) < 3000 * len("level 00000 · ") * 2.1 * LEVELS


def test_a_context_ends_where_blocks_lie_too_deep() -> None:
    chain: Any = "end"
    for level in reversed(range(LEVELS + 2)):
        chain = (f"level {level}", [chain])
    made = {p.text: p.context for p in note(chain, "after").passages}
    assert made["level 0"].endswith(f" · level {LEVELS}")
    assert made["level 1"].endswith(f" · level {LEVELS + 1}")
    assert made["level 2"].endswith(" · end")
    assert made["Page"].endswith(" · end · after")


def test_sixty_levels_name_their_root() -> None:
    raw = {n: RawBlock(f"level {n}", f"u{n}", 0, (n + 1,) if n < 59 else ()) for n in range(60)}
    tree = RoamTree(RawGraph([RawPage("Deep", "deep", (0,))], raw), SourceOptions())
    assert tree.note(NoteKey("deep")).passages[-1].breadcrumb == ("Deep", *(f"level {n}" for n in range(59)))


def test_a_page_title_that_is_only_markup_is_shown_as_written() -> None:
    made = note("a", title="[[Ann]]'s [[Book]]")
    assert made.passages[0].text == "Ann's Book"
    assert made.passages[0].concepts == ("Ann", "Book")
    assert note("a", title="---").passages[0].text == "---"


def test_an_unknown_page_is_a_clear_error() -> None:
    with pytest.raises(NoteError, match="no longer has the page 'gone'"):
        Graph().page("P").tree().note(NoteKey("gone"))


SHAPES = st.recursive(
    st.sampled_from(["text", "", "{{[[table]]}}", "x #.rm-hide", "((b0))", "[[P]]", "tags:: a", "A::", "![](u)"]),
    lambda inner: st.tuples(st.sampled_from(["above", "", "B::", "y #.rm-hide"]), st.lists(inner, max_size=3)),
    max_leaves=15,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(SHAPES, max_size=5))
def test_every_block_is_accounted_for(shapes: list[Any]) -> None:
    graph = Graph().page("P", *shapes)
    made = graph.notes()["P"]
    assert len(blocks(made)) + sum(made.omitted.values()) == len(graph.blocks)
    assert [p.ordinal for p in made.passages] == list(range(len(made.passages)))
    assert all(0 <= link.passage < len(made.passages) for link in made.links)
    assert "rm-hide" not in repr(made.passages)
