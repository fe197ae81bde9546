"""Each construct of Obsidian's Markdown: what is shown, what is linked, what is left out."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Link, LinkKind, NoteKey, Passage
from engine.text.inline import clean_inline, strip_emphasis
from engine.text.markdown import Document, parse_note, split_lines
from engine.text.markdown_passages import Frame, build_passages


def word_spans(texts):
    return [
        np.array([found.span() for found in re.finditer(r"\w{1,8}|[^\w\s]", text)], dtype=np.int32).reshape(-1, 2)
        for text in texts
    ]


def passages_of(text: str) -> list[Passage]:
    document = parse_note(text)
    return build_passages(document.sections, Frame(NoteKey("T.md"), "T", document.tags), word_spans)[0]


def links_of(text: str) -> list[Link]:
    return build_passages(parse_note(text).sections, Frame(NoteKey("T.md"), "T"), word_spans)[1]


def body(text: str) -> str:
    return "\n".join(passage.text for passage in passages_of(text))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain words", "plain words"),
        ("**bold**, *italic*, _under_, ~~gone~~, ==marked==, ***both***", "bold, italic, under, gone, marked, both"),
        ("snake_case_name and 2 * 3 * 4 and a == b", "snake_case_name and 2 * 3 * 4 and a == b"),
        ("[[Note]] [[dir/Note]] [[Note.md]]", "Note Note Note"),
        ("[[Note#Heading]] [[Note#A#B]] [[Note#^id]] [[#Here]]", "Note > Heading Note > A > B Note Here"),
        ("[[Note|a label]] **[[Note|bold label]]**", "a label bold label"),
        ("![[picture.png|200]] ![[picture.png|200x100]] ![[Note]]", "picture.png picture.png Note"),
        ("[text](Note%20x.md) [other](<Note x.md>)", "text other"),
        ("[a (b) c](https://example.org/x_(y)) end", "a (b) c end"),
        ("[![alt](img.png)](https://example.org) after", "alt after"),
        ("https://example.org/a_b_c, and", "https://example.org/a_b_c, and"),
        ("before %%hidden words%% after", "before  after"),
        ("before <!-- hidden --> after", "before  after"),
        ("`[[not a link]] *kept*` ``a ` b``", "[[not a link]] *kept* a ` b"),
        ("$x_1 * y_1$ but $5 and $6", "x_1 * y_1 but $5 and $6"),
        (r"\*not italic\* \#no", "*not italic* #no"),
        ("a <b>bold</b> <span class='x'>word</span> List<String>", "a bold word List<String>"),
        ("one[^1] two^[an aside]", "one two (an aside)"),
        ("[^1]: the footnote", "the footnote"),
        ("R&amp;D &lt;x&gt;", "R&D <x>"),
        ("text with id ^abc-1", "text with id"),
        ("> [!tip]- The title\n> and the text", "The title\nand the text"),
        ("> [!note]\n> only text", "only text"),
        ("> [!a] one\n> > [!b|meta] two\n> > deep", "one\ntwo\ndeep"),
        ("- one\n- two\n  - three\n1. four", "one\ntwo\nthree\nfour"),
        ("- [ ] open\n- [x] closed", "open\nclosed"),
        ("word\n1984. Not a list", "word\n1984. Not a list"),
        ("| a | b |\n|---|:-:|\n| [[N\\|x]] | y |", "a | b\nx | y"),
        ("one\n\n---\n\ntwo", "one\ntwo"),
        ("one\n\n***\n\ntwo", "one\ntwo"),
        ("$$\na_1 + b_1\n$$", "a_1 + b_1"),
        ("    indented code *stays*", "indented code *stays*"),
        ("<div>\nwords <b>here</b>\n<!-- not\nthis -->\n</div>", "words here"),
        ("field [due:: [[Friday]]] and (mood:: good)", "field due:: Friday and mood:: good"),
        ("**Author**:: [[Ada]]", "Author:: Ada"),
        ("std::vector is not a field", "std::vector is not a field"),
    ],
)
def test_what_a_reader_sees(written: str, shown: str) -> None:
    assert body(written) == shown


@pytest.mark.parametrize(
    ("written", "link"),
    [
        ("[[Note]]", Link(LinkKind.LINK, "Note")),
        ("[[dir/Note#A#B|x]]", Link(LinkKind.LINK, "dir/Note", "A#B", "x")),
        ("[[Note#^id-1]]", Link(LinkKind.LINK, "Note", "^id-1")),
        ("[[#Here]]", Link(LinkKind.LINK, "", "Here")),
        ("![[a b.pdf#page=2]]", Link(LinkKind.EMBED, "a b.pdf", "page=2")),
        ("[t](Note%20x.md#Some%20part)", Link(LinkKind.LINK, "Note x.md", "Some part", "t")),
        ("![alt|100](i.png)", Link(LinkKind.EMBED, "i.png", "", "alt|100")),
        ("[t](https://example.org/a)", Link(LinkKind.URL, "https://example.org/a", "", "t")),
        ("(see https://example.org/a_(b)).", Link(LinkKind.URL, "https://example.org/a_(b)")),
        ("<mailto:ada@example.org>", Link(LinkKind.URL, "mailto:ada@example.org")),
        ("#work/deep-dive.", Link(LinkKind.TAG, "work/deep-dive")),
        ("#y1984", Link(LinkKind.TAG, "y1984")),
        ("#日本語、", Link(LinkKind.TAG, "日本語")),
        ("#🌱/seed", Link(LinkKind.TAG, "🌱/seed")),
        ("- [ ] see [[Note]]", Link(LinkKind.LINK, "Note")),
        ("Author:: [[Ada]]", Link(LinkKind.LINK, "Ada", attribute="Author")),
        ("x [by:: [[Ada]]] y", Link(LinkKind.LINK, "Ada", attribute="by")),
        ("# About [[Ada]]", Link(LinkKind.LINK, "Ada")),
    ],
)
def test_what_is_linked(written: str, link: Link) -> None:
    found = links_of(written)
    assert found == [Link(link.kind, link.target, link.fragment, link.label, link.attribute, 0, 1)]


@pytest.mark.parametrize(
    "written",
    [
        "#1984",
        "#",
        "a#b",
        "`#code`",
        "$#math$",
        "%%#hidden%%",
        "https",
        "[[ ",
        "```\n#x [[y]]\n```",
        "%%\n[[x]]\n#y\n%%",
        "\\#x",
    ],
)
def test_what_is_no_link(written: str) -> None:
    assert links_of(written) == []


def headings(text: str) -> list[tuple[str, ...]]:
    return [section.headings for section in parse_note(text).sections]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("# A\nx\n## B\ny\n# C\nz", [("A",), ("A", "B"), ("C",)]),
        ("Title\n=====\nx\n\nSub\n---\ny", [("Title",), ("Title", "Sub")]),
        ("# A\n````\n# no\n```\n# no\n````\n# B", [("A",), ("B",)]),
        ("# A\n~~~\n# no\n```\n~~~\n# B", [("A",), ("B",)]),
        ("- item\n  ```\n  # no\n  ```\n# B", [(), ("B",)]),
        ("# A\n> [!note] t\n> # no\n\n# B", [("A",), ("B",)]),
        ("#tag is no heading", [()]),
        ("# A\n%%\n# no\n%%\n# B", [("A",), ("B",)]),
        ("### C\n# A\n### D", [("C",), ("A",), ("A", "D")]),
        ("# Closed ##\n", [("Closed",)]),
        ("    # indented code", [()]),
    ],
)
def test_outline(written: str, expected: list[tuple[str, ...]]) -> None:
    assert headings(written) == expected


def test_lines_count_the_front_matter_and_crlf() -> None:
    text = "---\r\ntags: [a]\r\n---\r\nintro\r\n\r\n# One\r\n\r\nfirst\r\nsecond ^b1\r\n"
    intro, one = passages_of(text)
    assert (intro.text, intro.anchor.first_line, intro.anchor.last_line) == ("intro", 4, 4)
    assert (one.text, one.anchor.first_line, one.anchor.last_line) == ("first\nsecond", 6, 9)
    assert one.anchor.block_id == "b1"
    assert one.breadcrumb == ("T", "One")
    assert one.tags == ("a",)


def test_block_id_alone_after_a_list_belongs_to_its_section() -> None:
    assert passages_of("# A\n- one\n- two\n\n^list-1\n\n# B\nx")[0].anchor.block_id == "list-1"


def test_heading_alone_is_findable_unless_its_children_carry_it() -> None:
    found = passages_of("# Parent\n## Child\ntext\n## Empty\n")
    assert [(passage.text, passage.breadcrumb) for passage in found] == [
        ("text", ("T", "Parent", "Child")),
        ("Empty", ("T", "Parent", "Empty")),
    ]


def test_heading_keeps_its_markup_in_the_anchor_and_loses_it_in_the_breadcrumb() -> None:
    (passage,) = passages_of("## About [[Ada|her]] *work* ^h1\ntext")
    assert passage.anchor.headings == ("About [[Ada|her]] *work*",)
    assert passage.breadcrumb == ("T", "About her work")
    assert passage.anchor.block_id == "h1"
    assert passage.concepts == ("Ada",)


def test_concepts_are_named_once_in_order_without_attachments() -> None:
    (passage,) = passages_of("[[b/Bee]] #hive [[bee]] ![[x.png]] ![[Hive Plan]] https://example.org #Hive [[Wax.md]]")
    assert passage.concepts == ("Bee", "hive", "Hive Plan", "Wax")


@pytest.mark.parametrize(
    ("written", "task"),
    [
        ("- [ ] a\n- [x] b", "todo done"),
        ("- [x] b\n- [ ] a", "todo done"),
        ("- [x] a\n- [-] b", "done"),
        ("- [/] a", "todo"),
        ("- a [ ] b", ""),
        ("[ ] a", ""),
    ],
)
def test_tasks(written: str, task: str) -> None:
    assert passages_of(written)[0].task == task


def test_query_and_drawing_fences_are_trimmed_and_code_is_kept() -> None:
    document = parse_note(
        "```dataview\nLIST x\n```\n~~~mermaid\na-->b\n~~~\n```{query}\nq\n```\n```python\nkept = 1\n```"
    )
    (section,) = document.sections
    assert [piece.text for piece in section.pieces] == ["kept = 1"]
    assert dict(document.trimmed) == {"query": 7, "drawing": 5}


def test_base64_and_endless_words_are_trimmed() -> None:
    text = f"before ![](data:image/png;base64,{'A' * 5000}) after\n\n{'q' * 3000} end"
    document = parse_note(text)
    shown = [piece.text for section in document.sections for piece in section.pieces]
    assert shown == ["before  after", "q" * 64 + "… end"]
    assert dict(document.trimmed) == {"base64": 5022, "long-word": 2936}


def test_only_the_text_elements_of_a_drawing_are_kept() -> None:
    text = (
        "---\nexcalidraw-plugin: parsed\n---\n==Switch to the drawing view==\n\n# Excalidraw Data\n## Text Elements\n"
        "harbour crane ^a1B2\n\nsluice gate ^c3D4\n\n%%\n## Drawing\n"
        "```compressed-json\nN4KAkARALgngDgUwgLgAQQQ\n```\n%%"
    )
    (passage,) = passages_of(text)
    assert passage.text == "harbour crane\nsluice gate"
    assert passage.anchor.first_line == 8
    assert parse_note(text).trimmed["drawing"] > 20


def test_inline_fields_become_properties_but_never_override_the_front_matter() -> None:
    text = "---\nStatus: fixed\n---\nstatus:: other\n"
    text += "Due Date:: 2024-01-01\n- [mood:: good] [mood:: better]\n```\nno:: x\n```"
    assert dict(parse_note(text).properties) == {
        "Status": "fixed",
        "due-date": ["2024-01-01"],
        "mood": ["good", "better"],
    }


def test_unclosed_comment_and_math_hide_nothing() -> None:
    assert body("%%\nstill here\n\n$$\nand here") == "%%\nstill here\n$$\nand here"


def test_comment_that_ends_in_the_middle_of_a_line_gives_back_the_rest() -> None:
    (passage,) = passages_of("%%\nhidden\n\nhidden %% shown [[N]]")
    assert (passage.text, passage.anchor.first_line, passage.concepts) == ("shown N", 4, ("N",))


def test_nesting_beyond_reason_keeps_its_words() -> None:
    assert "deepest" in body("> " * 5000 + "deepest")
    assert "lowest" in body("\n".join("  " * depth + "- item" for depth in range(300)) + "\n" + "  " * 300 + "- lowest")


def test_long_line_keeps_its_words_and_links() -> None:
    text = "- [ ] " + "word [[Link|label]] " * 2000 + "final"
    found = passages_of(text)
    assert found[-1].text.endswith("final")
    assert {passage.anchor.last_line for passage in found} == {1}
    assert all(passage.task == "todo" and passage.concepts == ("Link",) for passage in found)
    assert len(links_of(text)) == 2000


def test_link_stands_in_the_first_window_that_holds_it() -> None:
    text = "# A\n" + "\n".join(f"Sentence number {i} with some more words about [[N{i}]]." for i in range(200))
    document = parse_note(text)
    found, links = build_passages(document.sections, Frame(NoteKey("T.md"), "T"), word_spans)
    assert len(links) == 200
    for link in links:
        assert link.target in found[link.passage].concepts
        assert found[link.passage].anchor.first_line <= link.line <= found[link.passage].anchor.last_line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**a *b* c**", "a b c"),
        ("*a", "*a"),
        ("a* b *c", "a* b *c"),
        ("****", "****"),
        ("_a_b_", "a_b"),
        ("~~~a~~", "~~~a~~"),
    ],
)
def test_strip_emphasis(text: str, expected: str) -> None:
    assert strip_emphasis(text) == expected


MARKUP = st.text(
    alphabet=st.sampled_from(list("ab #*_`~=$%[]()!|^:>-+\\<&;\"'\n\t1.x{}/\u00e9中🌱\x00\x02")), max_size=300
)


@given(st.one_of(MARKUP, st.text(max_size=300)))
@settings(max_examples=100, deadline=None)
def test_any_text_parses_with_lines_inside_the_file(text: str) -> None:
    count = len(split_lines(text))
    for passage in passages_of(text):
        assert 1 <= passage.anchor.first_line <= passage.anchor.last_line <= count
        assert passage.text
        assert passage.hash


@given(MARKUP)
@settings(max_examples=100, deadline=None)
def test_cleaning_keeps_every_line(text: str) -> None:
    text = text.replace("\x00", "")
    inline = clean_inline(text)
    assert inline.text.count("\n") == text.count("\n")
    assert all(0 <= at <= len(inline.text) for at, _ in inline.marks)


@given(
    st.lists(
        st.lists(st.from_regex(r"[a-zé中]{1,12}", fullmatch=True), min_size=1, max_size=400), min_size=1, max_size=5
    )
)
@settings(max_examples=30, deadline=None)
def test_every_word_of_plain_paragraphs_is_in_some_passage(paragraphs: list[list[str]]) -> None:
    found = passages_of("\n\n".join(" ".join(words) for words in paragraphs))
    seen = {word for passage in found for word in re.split(r"\s+", passage.text)}
    # A window may begin inside a word only where no blank is near, and words here are short.
    assert {word for words in paragraphs for word in words} <= seen


def test_documents_are_values() -> None:
    assert isinstance(parse_note(""), Document)
    assert parse_note("").sections == ()
