"""Roam exports on disk: real ones recounted, odd ones survived, broken ones explained."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Cancelled, NotASource, SourceOffline
from engine.job import Job
from engine.model import LinkKind, Note, PassageKind, Severity, SourceOptions
from engine.sources import edn
from engine.sources.roam_export import RoamExportReader, graph_name, looks_like_roam_export, read_export
from engine.sources.roam_links import graph_of_file_name, open_url
from engine.text import roam

DEFAULT = SourceOptions()
ROOT = Path(__file__).resolve().parents[3]
REAL = ROOT.parent / "shared" / "data" / "roam"
FIXTURES = ROOT / "fixtures" / "roam"
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="the shared inputs are not here")


def read_all(path: Path, options: SourceOptions = DEFAULT) -> dict[str, Note]:
    reader = RoamExportReader(path, options)
    return {ref.title: reader.read(ref) for ref in reader.scan(Job()).refs}


def accounted(notes: dict[str, Note]) -> int:
    kept = sum(p.kind is PassageKind.BLOCK for note in notes.values() for p in note.passages)
    return kept + sum(sum(note.omitted.values()) for note in notes.values())


def write(path: Path, content: Any) -> Path:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")
    return path


def count_json_blocks(entity: dict[str, Any]) -> int:
    return sum(1 + count_json_blocks(child) for child in entity.get("children", []))


@needs_real
@pytest.mark.parametrize(
    ("name", "pages", "blocks", "skipped"), [("shapes.json", 12, 75, 2), ("small-graph.json", 1, 127, 0)]
)
def test_real_json_is_accounted_for(name: str, pages: int, blocks: int, skipped: int) -> None:
    raw = json.loads((REAL / name).read_text(encoding="utf-8"))
    assert (len(raw), sum(count_json_blocks(page) for page in raw)) == (pages, blocks)
    reader = RoamExportReader(REAL / name, SourceOptions())
    scan = reader.scan(Job())
    assert len(scan.refs) + len(scan.problems) == pages
    assert accounted(read_all(REAL / name)) + skipped == blocks
    assert all(problem.code == "roam-page" and "(2 blocks)" in problem.reason for problem in scan.problems)
    assert looks_like_roam_export(REAL / name)


def reachable_blocks(text: str) -> int:
    """Counted from the datoms by regular expressions alone."""
    pages = {int(e) for e in re.findall(r"\[(\d+) :node/title ", text)}
    strings = {int(e) for e in re.findall(r"\[(\d+) :block/string ", text)}
    below: dict[int, list[int]] = {}
    for parent, child in re.findall(r"\[(\d+) :block/children (\d+) ", text):
        below.setdefault(int(parent), []).append(int(child))
    reached: set[int] = set()
    waiting = list(pages)
    while waiting:
        new = [child for child in below.get(waiting.pop(), []) if child not in reached]
        reached.update(new)
        waiting.extend(new)
    return len(reached & strings)


@needs_real
def test_real_edn_is_accounted_for_and_tells_nothing_about_people() -> None:
    path = REAL / "attributes.edn"
    text = path.read_text(encoding="utf-8")
    notes = read_all(path)
    assert len(notes) == 40
    assert accounted(notes) == reachable_blocks(text)
    said = repr(notes)
    emails = re.findall(r':user/email "([^"]+)"', text)
    assert not any(email in said for email in emails)
    assert "googleusercontent" not in said
    assert "Testing Page [[B]]" in notes


@needs_real
def test_references_agree_with_those_that_roam_recorded() -> None:
    database = edn.loads((REAL / "attributes.edn").read_text(encoding="utf-8"))
    assert isinstance(database, edn.Tagged)
    names: dict[int, str] = {}
    strings: dict[int, str] = {}
    recorded: dict[int, set[int]] = {}
    for entity, attribute, value, _ in database.value[":datoms"]:  # type: ignore[index]
        if attribute == ":block/refs":
            recorded.setdefault(entity, set()).add(value)
        elif attribute == ":node/title" or (attribute == ":block/uid" and entity not in names):
            names[entity] = value
        elif attribute == ":block/string":
            strings[entity] = value
    known = set(names.values())
    for entity, string in strings.items():
        found = {ref.target for ref in roam.references(string, known.__contains__) if ref.kind is not LinkKind.URL}
        head = roam.attribute(string)
        found |= {head.name} if head else set()
        assert found == {names[ref] for ref in recorded.get(entity, ())}, string


@needs_real
def test_real_shapes_read_as_they_should() -> None:
    notes = read_all(REAL / "shapes.json")
    assert notes["Sapiens"].properties == {
        "Author": ["Yuval Noah Harari"],
        "Status": ["read"],
        "Rating": ["8/10"],
        "Themes": ["history"],
    }
    texts = [p.text for p in notes["References"].passages]
    assert texts[3] == "An aliased reference: the turning point"
    assert "The same block again: The cognitive revolution is the turning point" in texts
    assert notes["January 1st, 2021"].is_daily
    assert [p.text for p in notes["Queries"].passages[1:]] == ["Written as an example: {{query: {and: [[A]] [[B]]}}}"]
    assert notes["Queries"].links == ()


def test_the_legacy_fixture_keeps_its_keys() -> None:
    notes = read_all(FIXTURES / "legacy.json")
    again = read_all(FIXTURES / "legacy.json")
    assert {n.key for n in notes.values()} == {n.key for n in again.values()}
    assert set(notes) == {"Lamp", "iPhone notes"}
    assert notes["Lamp"].passages[1].anchor.uid == "aaaaaaaa1"
    assert notes["Lamp"].passages[1].modified == 1_600_000_000.0
    assert [p.code for p in notes["iPhone notes"].problems] == ["missing-uid", "missing-uid", "duplicate-uid"]
    assert accounted(notes) == 5
    assert "someone@example.org" not in repr(notes)


def test_the_database_fixture_has_no_ghosts_and_no_people() -> None:
    notes = read_all(FIXTURES / "tower.edn")
    assert set(notes) == {"Tower", "Café [[Über uns]]"}
    assert [p.text for p in notes["Tower"].passages] == ["Tower", 'first "quoted"\nline', "child", "second", "tie"]
    assert notes["Tower"].passages[1].created == 1_600_000_000.0
    assert notes["Tower"].modified == 1_600_000_009.0
    assert not any(
        word in repr(notes) for word in ("ghost", "keeper@example.org", "roamresearch.com", "secret-setting")
    )


def test_zip_holds_the_same_notes(tmp_path: Path) -> None:
    path = tmp_path / "Roam-Export-1700000000000.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(FIXTURES / "legacy.json", "lighthouse.json")
    assert looks_like_roam_export(path)
    assert graph_name(path) == "lighthouse"
    assert read_all(path) == read_all(FIXTURES / "legacy.json")


def test_a_markdown_zip_is_refused_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Page.md", "- text")
    assert not looks_like_roam_export(path)
    with pytest.raises(NotASource, match="Markdown exports have no block ids"):
        read_export(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[{"title": "A",\n "children": [{"string": "x"', "too early at line 2, column"),
        ('[{"title": "A"},\n oops]', "at line 2, column 2"),
        ('{"nodes": []}', "not a list of pages"),
        ('"text"', "not a list of pages"),
        ("", "not valid JSON"),
        ("#datascript/DB {:schema {} :datoms [[1 :a", "Line 1, column"),
        ("#datascript/DB {:schema {}}", "not a Roam database"),
    ],
)
def test_broken_files_say_where_and_what_to_do(tmp_path: Path, content: str, message: str) -> None:
    path = write(tmp_path / "g.json", content)
    with pytest.raises(NotASource) as caught:
        RoamExportReader(path, SourceOptions()).scan(Job())
    assert message in str(caught.value)
    assert "g.json" in caught.value.message
    assert "Export the graph again" in caught.value.remedy


def test_other_encodings_are_named(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    path.write_bytes('[{"title": "Café"}]'.encode("latin-1"))
    with pytest.raises(NotASource, match="not UTF-8"):
        read_export(path)
    path.write_bytes(b"\xef\xbb\xbf" + '[{"title": "Café", "uid": "c"}]'.encode())
    assert set(read_all(path)) == {"Café"}


def test_odd_entries_are_lines_of_the_report(tmp_path: Path) -> None:
    pages = [
        7,
        None,
        {
            "title": "Good",
            "uid": "good",
            "children": [{"string": "kept", "uid": None}, "bad", {"uid": "x1", "string": None}],
        },
        {"title": "Odd", "uid": "odd", "children": "none", "create-time": "yesterday"},
        {"uid": "untitled"},
        {"title": 2024, "uid": "number", "children": [{"string": 5, "uid": 12}]},
    ]
    reader = RoamExportReader(write(tmp_path / "g.json", pages), SourceOptions())
    scan = reader.scan(Job())
    assert [(p.code, p.severity) for p in scan.problems] == [
        ("bad-page", Severity.FAILED),
        ("bad-page", Severity.FAILED),
        ("bad-block", Severity.WARNING),
        ("bad-children", Severity.WARNING),
        ("blank-title", Severity.SKIPPED),
    ]
    notes = {ref.title: reader.read(ref) for ref in scan.refs}
    assert set(notes) == {"Good", "Odd", "2024"}
    assert (len(notes["Good"].passages), dict(notes["Good"].omitted)) == (2, {"empty": 1})
    assert notes["2024"].passages[1].text == "5"


def test_a_file_nested_too_deep_for_the_decoder_is_read(tmp_path: Path) -> None:
    opening = "".join(f'{{"uid":"u{n:08}","string":"level {n}","children":[' for n in range(5000))
    path = write(tmp_path / "deep.json", f'[{{"title":"Deep","uid":"deep","children":[{opening}{"]}" * 5000}]}}]')
    notes = read_all(path)
    assert accounted(notes) == 5000
    assert notes["Deep"].passages[-1].text == "level 4999"


def test_a_changed_file_is_read_again_and_only_dependants_change(tmp_path: Path) -> None:
    def pages(text: str) -> list[dict[str, Any]]:
        return [
            {"title": "A", "uid": "a", "children": [{"string": "((bbbbbbbb2))", "uid": "aaaaaaaa1"}]},
            {"title": "B", "uid": "b", "children": [{"string": text, "uid": "bbbbbbbb2"}]},
            {"title": "C", "uid": "c"},
        ]

    path = write(tmp_path / "g.json", pages("old"))
    reader = RoamExportReader(path, SourceOptions())
    before = {ref.title: ref.revision for ref in reader.scan(Job()).refs}
    assert {ref.title: ref.revision for ref in reader.scan(Job()).refs} == before
    write(path, pages("newer"))
    after = reader.scan(Job())
    assert {ref.title for ref in after.refs if ref.revision != before[ref.title]} == {"A", "B"}
    assert reader.read(after.refs[0]).passages[1].text == "newer"


def test_a_missing_file_is_offline_and_cancel_stops(tmp_path: Path) -> None:
    with pytest.raises(SourceOffline, match="is not there"):
        RoamExportReader(tmp_path / "gone.json", SourceOptions()).scan(Job())
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        RoamExportReader(FIXTURES / "legacy.json", SourceOptions()).scan(job)


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.json", '{"a": 1}'), ("b.json", "[1, 2]"), ("c.edn", "{:a 1}"), ("d.zip", "not a zip"), ("e.json", "")],
)
def test_other_files_do_not_look_like_exports(tmp_path: Path, name: str, content: str) -> None:
    assert not looks_like_roam_export(write(tmp_path / name, content))
    assert not looks_like_roam_export(tmp_path / "missing.json")


@pytest.mark.parametrize(
    ("name", "graph"),
    [
        ("my-graph.json", "my-graph"),
        ("my-graph-2024-05-01-10-22-31.edn", "my-graph"),
        ("my-graph-export.edn", "my-graph"),
        ("my-graph-2024-05-01-export (2).json", "my-graph"),
        ("year_2024.json", "year_2024"),
    ],
)
def test_the_graph_is_named_by_its_file(name: str, graph: str) -> None:
    assert graph_of_file_name(name) == graph


@pytest.mark.parametrize(
    ("graph", "uid", "offline", "url"),
    [
        ("my-graph", "abc_-1234", False, "roam://#/app/my-graph/page/abc_-1234"),
        ("a b/ü", "x/y?z", False, "roam://#/app/a%20b%2F%C3%BC/page/x%2Fy%3Fz"),
        ("g", "", False, "roam://#/app/g"),
        ("g", "~0123456789abcdef", False, "roam://#/app/g"),
        ("g", "u", True, "roam://#/offline/g/page/u"),
    ],
)
def test_open_url(graph: str, uid: str, offline: bool, url: str) -> None:
    assert open_url(graph, uid, offline=offline) == url
