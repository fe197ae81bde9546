"""What notes say without any model: entities, relations, quotes, and how a changed note takes back what it said."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import resources
from engine.job import Job
from engine.knowledge.facts import Fact, NameKind, slug, thing
from engine.linking.parse import ParseReport, parse_source
from engine.linking.quotes import property_quote, stands_in
from engine.model import Anchor, Evidence, NoteKey, Origin, SourceId, SourceKind


def parse(opened: Any) -> ParseReport:
    source, store = opened
    return parse_source(store, source, Job())


def claims(opened: Any) -> set[tuple[str, str, str]]:
    """(subject, predicate, object) by name."""
    source, store = opened
    return {(f.subject.name, f.predicate, f.object.name) for f in store.graph.load(source.id).facts}


def states(opened: Any) -> dict[str, str]:
    source, store = opened
    return {f.object.name: f.evidence.state for f in store.graph.load(source.id).facts}


def names(opened: Any, kind: NameKind) -> set[tuple[str, str]]:
    source, store = opened
    return {(n.thing.name, n.name) for n in store.graph.load(source.id).names if n.kind is kind}


def page(title: str, *children: Any, uid: str = "") -> dict[str, Any]:
    return {"title": title, "uid": uid or re.sub(r"\W", "-", title)[:9].ljust(9, "x"), "children": blocks(children)}


def blocks(children: Any) -> list[dict[str, Any]]:
    return [
        child if isinstance(child, dict) else {"string": child, "uid": f"b{abs(hash(child)) % 10**8:08d}"}
        for child in children
    ]


def under(string: str, *children: Any, uid: str = "") -> dict[str, Any]:
    made = blocks([string])[0]
    return made | {"children": blocks(children)} | ({"uid": uid} if uid else {})


# --- Obsidian ----------------------------------------------------------------------------------------------------


def test_links_tags_properties_and_fields_of_a_vault(desk: Any) -> None:
    vault = desk.vault(
        "v",
        {
            "Lamp.md": "---\nauthor: '[[Ann Lee]]'\nstatus: draft\naliases: [Lantern]\ntags: [glass/old]\n---\n"
            "See [[Oil|the oil]] and #light.\n\nwick:: [[Cotton]]\n\n- [[Stove]] (maker:: [[Ann Lee]])\n",
            "Oil.md": "Nothing.",
            "Ann Lee.md": "A person.",
        },
    )
    report = parse(vault)
    assert report.parsed == report.notes == 3
    assert claims(vault) >= {
        ("Lamp", "author", "Ann Lee"),
        ("Lamp", "status", "draft"),
        ("Lamp", "mentions", "Oil"),
        ("Lamp", "mentions", "light"),
        ("Lamp", "tags", "glass/old"),
        ("Lamp", "tags", "glass"),
        ("Lamp", "wick", "Cotton"),
        ("Stove", "maker", "Ann Lee"),
    }
    assert ("Lamp", "Lantern") in names(vault, NameKind.ALIAS)
    assert ("Oil", "the oil") in names(vault, NameKind.LABEL)
    assert {("Lamp", "Lamp"), ("Oil", "Oil"), ("Ann Lee", "Ann Lee")} == names(vault, NameKind.TITLE)


def test_code_images_and_addresses_name_nothing(desk: Any) -> None:
    text = "`[[Code]]`\n\n```\n[[Fence]] key:: [[V]]\n```\n\n![[photo.png]] [x](https://ex.org/a#b) [[Node.js]]"
    vault = desk.vault("v", {"A.md": text})
    parse(vault)
    assert claims(vault) == {("A", "mentions", "Node.js")}


def test_unresolved_and_ambiguous_links_are_kept_as_what_they_are(desk: Any) -> None:
    vault = desk.vault(
        "v", {"A.md": "[[Index]] [[Later]] [[B]]", "B.md": "b", "x/Index.md": "1", "y/Index.md": "2", "c/C.md": "[[B]]"}
    )
    parse(vault)
    assert states(vault) == {"Index": "ambiguous", "Later": "unresolved", "B": "resolved"}
    source, store = vault
    unsure = next(f for f in store.graph.load(source.id).facts if f.object.name == "Index")
    assert unsure.evidence.confidence == 0.5
    assert store.graph.counts().unresolved == store.graph.counts().ambiguous == 1


def test_notes_of_one_title_stay_two_things(desk: Any) -> None:
    vault = desk.vault("v", {"Index.md": "[[a/Index]]", "a/Index.md": "sub"})
    parse(vault)
    assert claims(vault) == {("Index", "mentions", "Index")}


def test_quotes_are_the_words_of_the_note(desk: Any) -> None:
    long = "word " * 200
    vault = desk.vault("v", {"A.md": f"First line.\n{long}[[Goal]] {long}\nLast line."})
    parse(vault)
    source, store = vault
    fact = store.graph.load(source.id).facts[0]
    assert "Goal" in fact.evidence.quote
    assert len(fact.evidence.quote) <= 300
    assert fact.evidence.quote in store.note_passages(NoteKey("A.md"))[0].passage.text + "".join(
        row.passage.text for row in store.note_passages(NoteKey("A.md"))
    )


# --- Roam --------------------------------------------------------------------------------------------------------


def test_attributes_children_and_nested_titles_of_a_graph(desk: Any) -> None:
    graph = desk.graph(
        "g",
        [
            page(
                "Lamp",
                "Author:: [[Ann Lee]]",
                under("People::", "[[Bo]]", "Cy Young"),
                under("[[Stove]]", "Maker:: [[Bo]]"),
                "see [[Plan [[Q3]]/draft]] and `[[Code]]` #[[two words]]",
                "Price:: 3",
                "Alias:: Lantern, Light",
                "[the big one]([[Stove]])",
                "{{[[TODO]]}} buy [[oil]]",
            )
        ],
    )
    parse(graph)
    assert claims(graph) == {
        ("Lamp", "author", "Ann Lee"),
        ("Lamp", "people", "Bo"),
        ("Lamp", "people", "Cy Young"),
        ("Lamp", "mentions", "Stove"),
        ("Stove", "maker", "Bo"),
        ("Lamp", "mentions", "Plan [[Q3]]/draft"),
        ("Lamp", "mentions", "Q3"),
        ("Lamp", "mentions", "two words"),
        ("Lamp", "mentions", "oil"),
    }
    assert names(graph, NameKind.ALIAS) == {("Lamp", "Lantern"), ("Lamp", "Light")}
    assert names(graph, NameKind.LABEL) == {("Stove", "the big one")}


def test_a_block_reference_leads_to_the_page_of_the_block(desk: Any) -> None:
    graph = desk.graph(
        "g",
        [
            page("One", under("a block worth quoting", uid="target001")),
            page("Two", "as in ((target001)) and ((nowhere01))"),
        ],
    )
    assert parse(graph).unknown_blocks == 1
    assert claims(graph) == {("Two", "mentions", "One")}


def test_titles_that_differ_by_case_or_form_stay_apart(desk: Any) -> None:
    graph = desk.graph(
        "g", [page("Kanban", "[[kanban]]"), page("kanban", "x"), page("Z", "[[Zo\u00e9]] [[Zoe\u0301]]")]
    )
    parse(graph)
    source, store = graph
    found = {one.name for one in store.graph.load(source.id).things}
    assert found == {"Kanban", "kanban", "Z", "Zo\u00e9", "Zoe\u0301"}


def test_daily_notes_date_what_they_say(desk: Any) -> None:
    graph = desk.graph("g", [page("November 9th, 2025", "met [[Bo]]", uid="11-09-2025")])
    parse(graph)
    source, store = graph
    assert [f.evidence.at for f in store.graph.load(source.id).facts] == [1762646400.0]
    assert store.graph.daily_notes() == {NoteKey("11-09-2025")}


# --- again and again ---------------------------------------------------------------------------------------------


def test_a_second_run_changes_nothing(desk: Any) -> None:
    vault = desk.vault("v", {"A.md": "[[B]] #t", "B.md": "---\nk: '[[A]]'\n---\nx"})
    parse(vault)
    source, store = vault
    before = store.graph.load(source.id)
    report = parse(vault)
    assert (report.parsed, report.facts, report.removed) == (0, 0, 0)
    assert store.graph.load(source.id) == before


def test_a_changed_note_takes_back_what_it_said(desk: Any) -> None:
    vault = desk.vault("v", {"A.md": "[[Old]] and [[B]]", "B.md": "[[A]]"})
    parse(vault)
    (desk.folder / "v" / "A.md").write_text("[[New one]] now", encoding="utf-8")
    desk.index(vault)
    assert parse(vault).parsed == 1
    assert claims(vault) == {("A", "mentions", "New one"), ("B", "mentions", "A")}
    source, store = vault
    assert "Old" not in {one.name for one in store.graph.load(source.id).things}


def test_what_a_removed_note_said_goes_at_once(desk: Any) -> None:
    vault = desk.vault("v", {"A.md": "[[B]]", "B.md": "[[C]]"})
    parse(vault)
    (desk.folder / "v" / "A.md").unlink()
    desk.index(vault)
    assert claims(vault) == {("B", "mentions", "C")}


def test_a_new_note_resolves_the_links_that_waited_for_it(desk: Any) -> None:
    vault = desk.vault("v", {"A.md": "[[B]]", "C.md": "x"})
    parse(vault)
    assert states(vault) == {"B": "unresolved"}
    (desk.folder / "v" / "B.md").write_text("here", encoding="utf-8")
    desk.index(vault)
    assert parse(vault).parsed == 2
    assert states(vault) == {"B": "resolved"}


def test_what_a_model_read_stays_while_the_note_says_it(desk: Any) -> None:
    vault = desk.vault("v", {"A.md": "Bo built the lamp.\n\nCy broke it.\n"})
    parse(vault)
    source, store = vault
    anchor = store.note_passages(NoteKey("A.md"))[0].passage.anchor
    store.graph.replace_inferred(
        [anchor], [inferred(source.id, anchor, "Bo built the lamp."), inferred(source.id, anchor, "Cy broke it.")]
    )
    (desk.folder / "v" / "A.md").write_text("A new beginning.\n\n# Part\n\nBo built the lamp.\n", encoding="utf-8")
    desk.index(vault)
    parse(vault)
    kept = store.graph.inferred(source.id, [NoteKey("A.md")])[NoteKey("A.md")]
    assert [fact.evidence.quote for fact in kept] == ["Bo built the lamp."]
    assert kept[0].evidence.anchor.headings == ("Part",)


def inferred(source: SourceId, anchor: Anchor, quote: str) -> Fact:
    who = quote.split()[0]
    evidence = Evidence(source, anchor.note, anchor, quote, Origin.INFERRED, 0.9, "m", "extract/1")
    return Fact(thing(source, "person", who), "built", thing(source, "tool", "lamp"), evidence)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Works at", "works_at"), ("Größe!", "größe"), ("  A--B ", "a_b"), ("负责人", "负责人"), ("::", "related_to")],
)
def test_predicates_are_slugs(text: str, expected: str) -> None:
    assert slug(text) == expected


# --- the demo ----------------------------------------------------------------------------------------------------


def test_the_demo_says_what_its_owner_wrote(demo: Any) -> None:
    vault, graph = demo
    assert claims(vault) >= {
        ("Speichenhaus", "owner", "Tobias Rehn"),
        ("Ines Carvalho", "home", "Marinha glassworks"),
        ("Agnes Thorne", "mentions", "Skerrow Light Trust"),
    }
    assert claims(graph) >= {
        ("Skerrow Light", "people", "Agnes Thorne"),
        ("Skerrow Light", "type", "project/light"),
        ("Matter and Memory", "author", "Henri Bergson"),
    }
    assert ("Odile Marchetti", "Dr Marchetti") in names(graph, NameKind.ALIAS)


def test_every_quote_of_the_demo_stands_in_its_passage(demo: Any) -> None:
    for source, store in demo:
        passages = store.graph.passages_of([note.key for note in store.notes()])
        for fact in store.graph.load(source.id).facts:
            evidence = fact.evidence
            homes = [passage for passage in passages[evidence.note] if passage.anchor == evidence.anchor]
            said = [text for passage in homes for text in (passage.raw, passage.text)]
            is_property = source.kind == "obsidian" and not homes
            assert is_property or any(evidence.quote in text for text in said), fact


DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "vaults"


@pytest.mark.parametrize(
    "vault", [resources.path("demo", "vault"), DATA / "kepano", DATA / "tasks-demo"], ids=lambda p: p.name
)
def test_what_properties_say_is_quoted_as_the_file_has_it(desk: Any, vault: Path) -> None:
    if not vault.is_dir():
        pytest.skip("the public vaults are not here")
    source, store = desk._open(vault.name, SourceKind.OBSIDIAN, vault)
    parse_source(store, source, Job())
    stored = store.graph.load(source.id)
    notes = {note.key: note for note in store.notes()}
    told = [proof for proof in (one.evidence for one in (*stored.facts, *stored.names)) if not proof.anchor.headings]
    checked = 0
    for proof in told:
        note = notes[proof.note]
        is_in_front = proof.anchor.first_line <= note.front_matter.count("\n") + 2 and note.front_matter
        if is_in_front and proof.quote != note.title and proof.note.endswith(".md") and not _in_passage(store, proof):
            file = " ".join((vault / proof.note).read_text("utf-8", "replace").split())
            assert " ".join(proof.quote.split()) in file, proof
            checked += 1
    assert checked >= 10


def _in_passage(store: Any, proof: Any) -> bool:
    own = store.graph.passages_of([proof.note]).get(proof.note, ())
    return any(stands_in(proof.quote, passage) for passage in own)


PROPERTIES = """author: "[[Ann Lee]]"
tags:
  - one
  - two/three
'quoted name': [Alpha, "Beta"]
note: >
  folded words
  go on
escaped: "Caf\\xe9"
"""


@pytest.mark.parametrize(
    ("name", "value", "quote"),
    [
        ("author", "Ann Lee", 'author: "[[Ann Lee]]"'),
        ("Author", "Ann Lee", 'author: "[[Ann Lee]]"'),
        ("tags", "one", "tags:\n  - one"),
        ("tags", "two/three", "tags:\n  - one\n  - two/three"),
        ("quoted name", "Beta", "'quoted name': [Alpha, \"Beta\"]"),
        ("note", "go on", "note: >\n  folded words\n  go on"),
        ("escaped", "Caf\u00e9", 'escaped: "Caf\\xe9"'),
        ("missing", "Alpha", "'quoted name': [Alpha, \"Beta\"]"),
        ("missing", "nowhere", ""),
    ],
)
def test_a_property_is_quoted_from_its_name_to_its_value(name: str, value: str, quote: str) -> None:
    assert property_quote(PROPERTIES, name, value) == quote


def test_of_a_long_property_only_the_line_of_the_value_is_quoted() -> None:
    text = "cast:\n" + "".join(f"  - Somebody with a long name {n}\n" for n in range(40))
    assert property_quote(text, "cast", "name 37") == "- Somebody with a long name 37"
    assert len(property_quote("cast: " + "word " * 200 + "Ann", "cast", "Ann")) <= 300


def test_a_link_in_a_heading_is_quoted_from_the_heading(desk: Any) -> None:
    source, store = desk.vault("headed", {"Lamp.md": "# Talk with [[Ann Lee]]\nSomething else was said at length.\n"})
    parse_source(store, source, Job())
    (fact,) = store.graph.load(source.id).facts
    assert (fact.object.name, fact.evidence.quote) == ("Ann Lee", "Talk with [[Ann Lee]]")
