"""The demo notes hold what the product promises to show: enough notes, several languages, honest expectations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import Stemmer
import yaml

from engine.text.stopwords import STOP_WORDS

ROOT = Path(__file__).parents[2]
VAULT = ROOT / "resources" / "demo" / "vault"
GRAPH = ROOT / "resources" / "demo" / "graph.json"
FIXTURES = ROOT / "fixtures" / "demo"

TELLTALE = {
    "de": frozenset(["der", "die", "das", "und", "nicht", "ist", "ein", "eine", "mit", "auf"]),
    "fr": frozenset(["le", "la", "les", "et", "est", "une", "des", "pas", "dans", "que"]),
    "en": frozenset(["the", "and", "is", "of", "to", "in", "was", "with", "that", "it"]),
}

Block = dict[str, Any]


def load(name: str) -> Any:
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def graph() -> list[Block]:
    return json.loads(GRAPH.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def walk(block: Block, ancestors: tuple[str, ...]) -> Iterator[tuple[Block, tuple[str, ...]]]:
    for child in block.get("children", ()):
        yield child, ancestors
        yield from walk(child, (*ancestors, child["string"]))


def sections(path: Path) -> Iterator[str]:
    """Each section with the note's name and the headings above it, front matter left out."""
    body = re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.S)
    headings: list[tuple[int, str]] = []
    for part in re.split(r"^(?=#{1,6} )", body, flags=re.M):
        if match := re.match(r"(#+) (.*)", part):
            level = len(match[1])
            headings = [*(pair for pair in headings if pair[0] < level), (level, match[2])]
        yield "\n".join((path.stem, *(text for _, text in headings), part))


def passages(expected: dict[str, str]) -> list[str]:
    """The passages of the expected note that hold the expected words, each with the title and what stands above it."""
    if expected["source"] == "vault":
        return [text for text in sections(VAULT / expected["note"]) if expected["contains"] in text]
    page = next(page for page in graph() if page["title"] == expected["note"])
    return [
        "\n".join((*above, block["string"]))
        for block, above in walk(page, (page["title"],))
        if expected["contains"] in block["string"]
    ]


def content_stems(text: str) -> set[str]:
    stemmer = Stemmer.Stemmer("english")
    return {stemmer.stemWord(word) for word in re.findall(r"[a-z]{2,}", text.lower()) if word not in STOP_WORDS["en"]}


def language(text: str) -> str:
    if len(re.findall(r"[\u4e00-\u9fff]", text)) > 50:
        return "zh"
    words = re.findall(r"\w+", text.lower())
    return max(TELLTALE, key=lambda code: sum(word in TELLTALE[code] for word in words))


def test_there_are_at_least_sixty_notes_in_four_languages() -> None:
    notes = [path.read_text(encoding="utf-8") for path in VAULT.rglob("*.md")]
    languages = [language(text) for text in notes]
    assert len(notes) + len(graph()) >= 60
    assert {code: languages.count(code) >= 3 for code in ("en", "de", "fr", "zh")} == dict.fromkeys(
        ("en", "de", "fr", "zh"), True
    )


def test_exactly_one_note_has_broken_properties() -> None:
    broken = []
    for path in VAULT.rglob("*.md"):
        if match := re.match(r"---\n(.*?)\n---\n", path.read_text(encoding="utf-8"), flags=re.S):
            try:
                yaml.safe_load(match[1])
            except yaml.YAMLError:
                broken.append(path.name)
    assert broken == ["Broken front matter.md"]


def test_links_lead_somewhere_except_the_one_left_unwritten() -> None:
    stems = {path.stem.lower() for path in VAULT.rglob("*.md")}
    targets = {
        target.strip()
        for path in VAULT.rglob("*.md")
        for target in re.findall(r"\[\[([^\]|#]+)", path.read_text(encoding="utf-8"))
    }
    assert {target for target in targets if target.lower() not in stems} == {"Unwritten letter to my brother"}


def test_heading_and_block_links_lead_to_what_they_name() -> None:
    by_stem = {path.stem: path.read_text(encoding="utf-8") for path in VAULT.rglob("*.md")}
    links = [link for text in by_stem.values() for link in re.findall(r"\[\[([^\]|#]+)#([^\]|]+)", text)]
    assert len(links) >= 5
    for note, fragment in links:
        wanted = rf"\s{re.escape(fragment)}$" if fragment.startswith("^") else rf"^#+ {re.escape(fragment)}$"
        assert re.search(wanted, by_stem[note], flags=re.M), (note, fragment)


def test_the_canvas_shows_notes_that_exist() -> None:
    (path,) = VAULT.rglob("*.canvas")
    canvas = json.loads(path.read_text(encoding="utf-8"))
    nodes = {node["id"]: node for node in canvas["nodes"]}
    assert all((VAULT / node["file"]).is_file() for node in nodes.values() if node["type"] == "file")
    assert all(edge["fromNode"] in nodes and edge["toNode"] in nodes for edge in canvas["edges"])


def test_graph_uids_are_unique_and_block_references_resolve() -> None:
    blocks = [block for page in graph() for block, _ in walk(page, ())]
    uids = [page["uid"] for page in graph()] + [block["uid"] for block in blocks]
    assert len(uids) == len(set(uids))
    references = {uid for block in blocks for uid in re.findall(r"\(\(([\w-]{9})\)\)", block["string"])}
    assert len(references) >= 3
    assert references <= set(uids)
    assert sum("#.rm-private" in block["string"] for block in blocks) == 1


@pytest.mark.parametrize("expected", load("paraphrases.json"), ids=lambda case: case["query"])
def test_a_paraphrase_shares_no_content_word_with_its_answer(expected: dict[str, str]) -> None:
    (answer,) = passages(expected)
    assert content_stems(expected["query"]) & content_stems(answer) == set()


def test_there_are_at_least_a_dozen_paraphrases_over_both_sources() -> None:
    sources = [case["source"] for case in load("paraphrases.json")]
    assert len(sources) >= 12
    assert set(sources) == {"vault", "graph"}


@pytest.mark.parametrize("expected", load("queries.json"), ids=lambda case: case["query"])
def test_a_word_query_has_its_answer(expected: dict[str, str]) -> None:
    assert passages(expected)


def test_gold_facts_are_said_by_the_blocks_they_cite() -> None:
    said = {
        block["uid"]: "\n".join((*above, block["string"])) for p in graph() for block, above in walk(p, (p["title"],))
    }
    facts = load("gold.json")["extraction"]
    assert len(facts) >= 40
    for fact in facts:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", fact["predicate"]), fact
        words = re.findall(r"\w+", f"{fact['subject']} {fact['object']}".lower())
        spoken = set(re.findall(r"\w+", said[fact["block_uid"]].lower()))
        assert set(words) <= spoken, (fact, set(words) - spoken)


def test_gold_names_belong_to_one_group_and_appear_in_the_notes() -> None:
    groups = load("gold.json")["resolution"]
    names = [name for group in groups for name in group]
    everything = GRAPH.read_text(encoding="utf-8") + "".join(p.read_text(encoding="utf-8") for p in VAULT.rglob("*.md"))
    assert len(groups) >= 12
    assert len(names) == len(set(names))
    assert [name for name in names if name not in everything] == []


def test_gold_questions_name_answers_that_the_graph_holds() -> None:
    questions = load("gold.json")["questions"]
    text = GRAPH.read_text(encoding="utf-8")
    assert len(questions) >= 8
    assert sum(not question["expects"] for question in questions) == 2
    assert all(answer in text for question in questions for answer in question["expects"])
