"""Small index files, plain and encrypted, and notes to put into them."""

from __future__ import annotations

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


@pytest.fixture
def store(index_path: Path) -> Iterator[IndexStore]:
    opened = IndexStore.open(index_path)
    yield opened
    opened.close()


@pytest.fixture
def each_store(index_path: Path, key: str | None) -> Iterator[IndexStore]:
    """Plain, then encrypted."""
    opened = IndexStore.open(index_path, key)
    yield opened
    opened.close()
