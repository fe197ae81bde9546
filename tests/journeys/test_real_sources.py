"""Real vaults and exports: every note and block is accounted for, and a second run does nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import IndexReport, Severity
from engine.paths import Home


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs"), FakeEmbedder()) as opened:
        yield opened


def run(library: Library, path: Path) -> IndexReport:
    return library.index(library.add(str(path)).id, Job())


@pytest.mark.parametrize(("name", "bad_yaml"), [("kepano", 28), ("tasks-demo", 0)])
def test_every_note_of_a_vault(library: Library, shared_data: Path, name: str, bad_yaml: int) -> None:
    root = shared_data / "vaults" / name
    files = [p for suffix in ("md", "canvas") for p in root.rglob(f"*.{suffix}") if ".obsidian" not in p.parts]
    report = run(library, root)
    status = library.status(name)
    assert report.notes == len(files)
    assert status.notes + status.skipped + status.failed == len(files)
    assert all(p.reason and p.code for p in report.problems)
    assert sum(p.code == "bad-yaml" for p in report.problems) == bad_yaml
    assert report.failed == 0
    again = library.index(name, Job())
    assert (again.unchanged + again.skipped, again.embedded) == (len(files), 0)


@pytest.mark.parametrize("name", ["shapes", "small-graph"])
def test_every_block_of_an_export(library: Library, shared_data: Path, name: str) -> None:
    path = shared_data / "roam" / f"{name}.json"
    pages = json.loads(path.read_text("utf-8"))
    skipped_pages = [page for page in pages if page["title"].startswith("roam/")]
    report = run(library, path)
    assert report.notes == len(pages)
    assert report.skipped == len(skipped_pages)
    blocks = report.passages - (len(pages) - len(skipped_pages))
    assert blocks + sum(report.omitted.values()) + sum(map(count_blocks, skipped_pages)) == sum(
        map(count_blocks, pages)
    )
    assert library.index(name, Job()).embedded == 0


def count_blocks(block: dict[str, object]) -> int:
    children = block.get("children") or []
    assert isinstance(children, list)
    return len(children) + sum(count_blocks(child) for child in children)


def test_a_database_export(library: Library, shared_data: Path) -> None:
    report = run(library, shared_data / "roam" / "attributes.edn")
    assert report.notes == 40
    assert not [p for p in report.problems if p.severity is Severity.FAILED]
    assert library.index("attributes", Job()).embedded == 0
