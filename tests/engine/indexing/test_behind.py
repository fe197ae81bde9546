"""Counting what changed since the last run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.indexing.behind import count_behind
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import SourceOptions
from engine.paths import Home
from engine.sources.obsidian import ObsidianReader


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    for name in ("a", "b", "c"):
        (root / f"{name}.md").write_text(f"Note {name}.", "utf-8")
    return root


@pytest.fixture
def library(tmp_path: Path, vault: Path) -> Iterator[Library]:
    with Library(Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs"), FakeEmbedder()) as opened:
        opened.add(str(vault), name="v")
        opened.index("v", Job())
        yield opened


def behind(library: Library, vault: Path) -> int:
    reader = ObsidianReader(vault, SourceOptions(), FakeEmbedder().token_spans)
    return count_behind(library._held.index_of("v"), reader, Job())


def test_nothing_changed(library: Library, vault: Path) -> None:
    assert behind(library, vault) == 0


def test_new_changed_and_vanished_notes_count(library: Library, vault: Path) -> None:
    (vault / "d.md").write_text("New.", "utf-8")
    (vault / "a.md").write_text("Note a, longer now.", "utf-8")
    (vault / "b.md").unlink()
    assert behind(library, vault) == 3


def test_a_vault_that_is_away_is_not_behind(library: Library, vault: Path) -> None:
    vault.rename(vault.with_name("away"))
    assert behind(library, vault) == 0


def test_every_note_gone_counts(library: Library, vault: Path) -> None:
    for name in ("a", "b", "c"):
        (vault / f"{name}.md").unlink()
    assert behind(library, vault) == 3
