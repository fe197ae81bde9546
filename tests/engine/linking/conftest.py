"""Small sources read into real index files, without vectors: what the graph is parsed from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import resources
from engine.indexing.words import count_words
from engine.job import Job
from engine.model import NoteKey, Source, SourceId, SourceKind, SourceOptions
from engine.sources.base import SourceReader
from engine.sources.obsidian import ObsidianReader
from engine.sources.roam_export import RoamExportReader
from engine.store.decisions import DecisionStore
from engine.store.index import IndexStore

Opened = tuple[Source, IndexStore]


def no_spans(texts: Sequence[str]) -> list[Any]:
    """A tokenizer for which every character is a token."""
    return [np.stack([np.arange(len(t)), np.arange(1, len(t) + 1)], axis=1).astype(np.int32) for t in texts]


def read_into(store: IndexStore, reader: SourceReader) -> None:
    """Bring the index in line with what the reader finds; changed notes only."""
    scan = reader.scan(Job())
    known = store.revisions()
    notes = [reader.read(ref) for ref in scan.refs if known.get(ref.key) != ref.revision]
    gone = [NoteKey(key) for key in known if key not in {ref.key for ref in scan.refs}]
    store.write_notes(notes, count_words(notes), gone)


class Desk:
    """Makes sources in a folder and indexes them again after a change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stores: list[IndexStore] = []

    def vault(self, name: str, files: dict[str, str] | None = None) -> Opened:
        for path, text in (files or {}).items():
            file = self.folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return self._open(name, SourceKind.OBSIDIAN, self.folder / name)

    def graph(self, name: str, pages: list[dict[str, Any]]) -> Opened:
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps(pages), encoding="utf-8")
        return self._open(name, SourceKind.ROAM_EXPORT, file)

    def demo(self) -> list[Opened]:
        return [
            self._open("Demo vault", SourceKind.OBSIDIAN, resources.path("demo", "vault")),
            self._open("Demo graph", SourceKind.ROAM_EXPORT, resources.path("demo", "graph.json")),
        ]

    def _open(self, name: str, kind: SourceKind, location: Path) -> Opened:
        source = Source(SourceId(f"{name}-id"), kind, name, str(location))
        store = IndexStore.open(self.folder / "indexes" / f"{name}.duckdb")
        self._stores.append(store)
        self.index((source, store))
        return source, store

    def index(self, opened: Opened) -> None:
        source, store = opened
        if source.kind is SourceKind.OBSIDIAN:
            reader: SourceReader = ObsidianReader(Path(source.location), SourceOptions(), no_spans)
        else:
            reader = RoamExportReader(Path(source.location), SourceOptions())
        read_into(store, reader)
        reader.close()

    def close(self) -> None:
        for store in self._stores:
            store.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()


@pytest.fixture
def decisions(tmp_path: Path) -> Iterator[DecisionStore]:
    opened = DecisionStore.open(tmp_path / "decisions.duckdb")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Opened]]:
    """The bundled vault and graph, parsed; shared, so nobody changes it."""
    from engine.linking.parse import parse_source

    made = Desk(tmp_path_factory.mktemp("demo"))
    opened = made.demo()
    for source, store in opened:
        parse_source(store, source, Job())
    yield opened
    made.close()
