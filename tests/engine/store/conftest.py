"""Small index files, plain and encrypted, and notes to put into them."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.store.index import IndexStore

KEY = "5a" * 32


@pytest.fixture(params=[None, KEY], ids=["plain", "encrypted"])
def key(request: pytest.FixtureRequest) -> str | None:
    return request.param


@pytest.fixture
def index_path(tmp_path: Path) -> Path:
    return tmp_path / "indexes" / "vault-1234.duckdb"


@functools.cache
def new_index(key: str | None) -> bytes:
    """A file as ``IndexStore.open`` makes it; opening a copy takes a third of the time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "new.duckdb")
        IndexStore.open(path, key).close()
        return path.read_bytes()


def open_new(path: Path, key: str | None) -> Iterator[IndexStore]:
    path.parent.mkdir()
    path.write_bytes(new_index(key))
    opened = IndexStore.open(path, key)
    yield opened
    opened.close()


@pytest.fixture
def store(index_path: Path) -> Iterator[IndexStore]:
    yield from open_new(index_path, None)


@pytest.fixture
def each_store(index_path: Path, key: str | None) -> Iterator[IndexStore]:
    """Plain, then encrypted."""
    yield from open_new(index_path, key)
