"""Notes as HTML: the dialects of Obsidian and Roam, and nothing that could run or reach out."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_library import make_source
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from engine.model import NoteKey, NoteView, OutlineBlock, SourceKind
from gui.panels import html_parts, markdown_html, roam_html
from gui.panels.markdown_html import split_properties, window_of
from gui.panels.note_html import render
from gui.panels.roam_html import roam_inline
from gui.theme import DARK, LIGHT

VAULT = make_source("Notes")
GRAPH = make_source("Brain", SourceKind.ROAM_EXPORT)


def page(markdown: str, **more: object) -> str:
    view = NoteView(VAULT, NoteKey("A.md"), "A", markdown, path="/notes/Notes/A.md")
    return render(view, LIGHT, **more).html  # type: ignore[arg-type]


def plain(markdown: str) -> str:
    document = QTextDocument()
    document.setHtml(page(markdown))
    return document.toPlainText()


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("see [[Steam oven]]", 'href="note:Steam%20oven"'),
        ("see [[Oven#Steam|the oven]]", ">the oven</a>"),
        ("![[Other note]]", 'href="note:Other%20note"'),
        ("a #tag/sub here", 'href="tag:%23tag/sub"'),
        ("==marked==", f'<span style="background:{LIGHT.highlight}'),
        ("> [!warning] Mind\n> glass", f'<b style="color:{LIGHT.warn}">Mind</b>'),
        ("> [!tip]\n> glass", ">Tip</b>"),
        ("- [ ] wick", "☐ wick"),
        ("- [x] clock", "☑"),
        ("```python\ndef f(): pass\n```", '<span style="'),
        ("| a | b |\n| - | - |\n| 1 | 2 |", "</a>1</td>"),
        ("price $5 and $6", "price $5 and $6"),
        ("$x^2$", "<code>x^2</code>"),
        ("a %%secret%% b", "a  b"),
        ("note[^1]\n\n[^1]: the foot", "the foot"),
        ("text ^block-1", "text</p>"),
        ("one\ntwo", "one<br"),
        ("https://example.org/#part", "https://example.org/#part"),
    ],
)
def test_obsidian_markdown(markdown: str, expected: str) -> None:
    assert expected in page(markdown)


@pytest.mark.parametrize(
    ("markdown", "without_bullets"),
    [("- [ ] wick\n- [x] oil\n", 1), ("- [ ] wick\n- lamp\n", 0), ("- [ ] wick\n  - lamp\n", 1), ("- \n- [ ] a\n", 0)],
)
def test_only_a_list_of_nothing_but_tasks_has_boxes_for_bullets(markdown: str, without_bullets: int) -> None:
    assert page(markdown).count("list-style-type:none") == without_bullets


def test_code_of_a_roam_block_is_coloured(qapp: QApplication) -> None:
    block = OutlineBlock("abcdefghi", 0, "```python\ndef lamp(): return 1\n```", "def lamp(): return 1")
    shown = render(NoteView(GRAPH, NoteKey("P"), "P", outline=(block,)), LIGHT).html
    assert 'name="abcdefghi"' in shown
    document = QTextDocument()
    document.setHtml(shown)
    assert "def lamp(): return 1" in document.toPlainText()
    assert shown.count("color:") > render(
        NoteView(
            GRAPH, NoteKey("P"), "P", outline=(OutlineBlock("abcdefghi", 0, "```\ndef lamp(): return 1\n```", ""),)
        ),
        LIGHT,
    ).html.count("color:")


def test_front_matter_becomes_a_table_and_lines_keep_their_numbers() -> None:
    markdown = "---\ntags:\n  - a\n  - b\nname: X\n---\n# Head\n\ntext"
    assert split_properties(markdown)[1] == [("tags", "a, b"), ("name", "X")]
    html = page(markdown)
    assert 'name="L7"' in html
    assert 'name="L9"' in html
    assert "---" not in html


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        '[[a" onclick="b]]',
        "![x](https://tracker.example/p.png)",
        "![[//server/share/p.png]]",
        "![](file:///etc/passwd.png)",
        "#<b>",
        "==<b>==",
        "$<b>$",
        "```<b>\n<b>\n```",
    ],
)
def test_nothing_of_a_note_becomes_live(hostile: str) -> None:
    html = page(hostile)
    assert "<script" not in html
    assert "<img" not in html
    assert "<b>" not in html
    assert 'href="javascript' not in html
    assert 'onclick="b' not in html


def test_the_rest_of_a_note_with_raw_html_is_still_shown(qapp: QApplication) -> None:
    assert "after" in plain("<details>\n<summary>x</summary>\n\nafter\n")


def test_images_are_found_beside_the_note_from_the_root_and_by_name(tmp_path: Path) -> None:
    source = make_source("V", location=str(tmp_path))
    for place in ("img/near.png", "Notes/beside.png", "deep/er/far.png"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(b"")
    markdown = "![[near.png]] ![](beside.png) ![[FAR.png]] ![a](deep/er/far.png) ![[none.png]]"
    view = NoteView(source, NoteKey("Notes/A.md"), "A", markdown, path=str(tmp_path / "Notes" / "A.md"))
    html = render(view, LIGHT).html
    assert html.count("<img") == 4
    assert f'<img src="{tmp_path / "deep/er/far.png"}">' in html
    assert "🖼 none.png" in html


def test_a_long_note_is_shown_around_its_passage() -> None:
    text, is_cut, start = window_of("\n".join(f"line {n}" for n in range(1, 10_001)), 5000)
    assert is_cut
    assert "line 5000" in text.split("\n")
    assert text.split("\n")[0] == f"line {start + 1}"
    assert len(text.split("\n")) <= markdown_html.WINDOW_LINES
    assert f'name="L{5000}"' not in page("x")


def test_a_line_of_a_megabyte_is_cut() -> None:
    text, is_cut, _ = window_of("x" * 1_000_000, 1)
    assert is_cut
    assert len(text) <= html_parts.LINE_CHARACTERS + 1


@given(st.text(alphabet="ab[]()#*`=$%!>|^-\n {}:", max_size=120))
@settings(max_examples=100, deadline=None)
def test_any_markdown_renders_without_error(markdown: str) -> None:
    assert page(markdown).endswith("</body></html>")


def roam(raw: str, **references: str) -> str:
    return roam_inline(raw, NoteView(GRAPH, NoteKey("p"), "P", references=references), LIGHT)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("[[Mara]]", 'href="note:Mara"'),
        ("#[[two words]]", ">#two words</a>"),
        ("#tag", ">#tag</a>"),
        ("**bold** __it__ ~~no~~", "<b>bold</b> <i>it</i> <s>no</s>"),
        ("^^lit^^", f"background:{LIGHT.highlight}"),
        ("{{[[TODO]]}} write", "☐ write"),
        ("{{[[DONE]]}} wrote", "☑"),
        ("Type:: book", "<b>Type:</b> book"),
        ("`code [[x]]`", ">code [[x]]</code>"),
        ("[site](https://example.org)", 'href="https://example.org"'),
        ("((abcdefghi))", ">the quoted text</a>"),
        ("((zzzzzzzzz))", "((zzzzzzzzz))"),
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
    ],
)
def test_roam_markup(raw: str, expected: str) -> None:
    assert expected in roam(raw, abcdefghi="the quoted text")


def test_references_are_followed_one_level() -> None:
    html = roam("((aaaaaaaaa))", aaaaaaaaa="see ((bbbbbbbbb))", bbbbbbbbb="deep")
    assert ">see deep</a>" in html
    assert html.count("<a ") == 1


def test_an_outline_has_an_anchor_and_an_indent_for_each_block() -> None:
    blocks = tuple(OutlineBlock(f"uid{n:06}", n, f"block {n}", f"block {n}") for n in range(30))
    html = render(NoteView(GRAPH, NoteKey("p"), "P", outline=blocks), DARK).html
    assert html.count('<a name="uid') == 30
    assert "margin-left:16px" in html
    assert "margin-left:38px" in html


def test_a_long_outline_is_shown_around_its_block() -> None:
    blocks = tuple(OutlineBlock(f"uid{n:06}", 0, f"block {n}", "") for n in range(5000))
    html = render(NoteView(GRAPH, NoteKey("p"), "P", outline=blocks), LIGHT, uid="uid004000").html
    assert "uid004000" in html
    assert html.count("<p ") == roam_html.WINDOW_BLOCKS + 1
