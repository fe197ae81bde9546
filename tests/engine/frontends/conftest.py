"""A small vault, a library that this process hosts, and an embedder that needs no model."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engine.frontends.host import HostedLibrary
from engine.frontends.lock import LibraryLock
from engine.inference.base import Vectors
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.paths import Home, prepare_home

NOTES = {
    "Bees.md": "# Hives\nThe colony swarmed in May.\n\n# Honey\nForty jars of lime honey.\n",
    "Bread.md": "---\ntags: [kitchen]\n---\nRye needs a sour dough and a long night. See [[Bees]].\n",
    "deep/Lens.md": "A Fresnel lens throws the light of one lamp to the horizon.\n",
    "deep/Lamp.md": "The lamp and its lens throw light to the horizon.\n",
    # More passages than are embedded in one step, so that a run can be cancelled half way.
    "Log.md": "".join(f"# Day {day}\nTide table number {day}.\n\n" for day in range(40)),
}


class GatedEmbedder(FakeEmbedder):
    """Embeds notes only while ``gate`` is open; ``waiting`` tells that a run has come so far."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.waiting = threading.Event()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.waiting.set()
        assert self.gate.wait(20)
        return super().embed_documents(texts)


def write_vault(root: Path, notes: dict[str, str] = NOTES) -> Path:
    for name, text in notes.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def take_lock(home: Home) -> LibraryLock:
    lock = LibraryLock.take(home.lock_file)
    assert lock is not None
    return lock


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write_vault(tmp_path / "Notes")


@pytest.fixture
def embedder() -> GatedEmbedder:
    return GatedEmbedder()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostedLibrary]:
    """The same as ``hosted`` for all tests of a module that change nothing."""
    root = tmp_path_factory.mktemp("shared")
    home = Home(root / "data", root / "config", root / "logs")
    prepare_home(home)
    with HostedLibrary(home, GatedEmbedder(), lock=take_lock(home)) as library:
        library.add(str(write_vault(root / "Notes")))
        library.index("Notes", Job())
        yield library


@pytest.fixture
def shared_home(shared: HostedLibrary, monkeypatch: pytest.MonkeyPatch) -> Home:
    """The home of ``shared``, which commands and clients of this test then find."""
    monkeypatch.setenv("LAMPLIGHT_HOME", str(shared.home.data.parent))
    return shared.home


@pytest.fixture
def hosted(home: Home, vault: Path, embedder: GatedEmbedder) -> Iterator[HostedLibrary]:
    """A library with one indexed source, ``Notes``, hosted by this process."""
    library = HostedLibrary(home, embedder, lock=take_lock(home))
    library.add(str(vault))
    library.index("Notes", Job())
    embedder.waiting.clear()
    yield library
    embedder.gate.set()
    library.close()
