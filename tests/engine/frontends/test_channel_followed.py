"""Whoever holds the hosted library hears what others change through it, and how their runs move."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from engine.errors import UnknownSource
from engine.frontends import attach
from engine.frontends.attach import RemoteLibrary
from engine.frontends.host import HostedLibrary
from engine.job import Job, Progress
from engine.model import Changed, Changes, SearchRequest, SourceOptions
from engine.paths import Home
from engine.settings import Settings

from .conftest import write_vault


class Ear:
    """What was told, in its order."""

    def __init__(self, library: HostedLibrary) -> None:
        self.changes: list[Changes] = []
        self.moves: list[tuple[str, Progress | None]] = []
        assert library.follow(self.changes.append, lambda source, progress: self.moves.append((source, progress)))

    def wait(self, count: int) -> list[Changes]:
        deadline = time.monotonic() + 20
        while len(self.changes) < count:
            assert time.monotonic() < deadline, self.changes
            time.sleep(0.005)
        return self.changes


@pytest.fixture
def ear(hosted: HostedLibrary) -> Ear:
    return Ear(hosted)


@pytest.fixture
def remote(home: Home, ear: Ear) -> RemoteLibrary:
    found = attach.connect(home)
    assert found is not None
    return found


def test_sources_that_others_add_index_configure_and_remove(ear: Ear, remote: RemoteLibrary, tmp_path: Path) -> None:
    write_vault(tmp_path / "Second", {"One.md": "A second vault.\n"})
    source = remote.add(str(tmp_path / "Second"))
    remote.index("Second", Job())
    remote.configure("Second", SourceOptions(search_by_default=False))
    remote.remove("Second")
    told = ear.wait(4)
    assert all(change.sources == {source.id} for change in told)
    assert all(Changed.SOURCES in change.kinds for change in told)


def test_a_run_for_somebody_else_is_seen_moving_and_ending(ear: Ear, remote: RemoteLibrary) -> None:
    remote.index("Notes", Job())
    ear.wait(1)
    source = remote.find("Notes").id
    assert {name for name, _ in ear.moves} == {source}
    assert ear.moves[-1][1] is None
    assert any(progress is not None and progress.stage == "embedding" for _, progress in ear.moves)


def test_saved_searches_and_settings(ear: Ear, remote: RemoteLibrary) -> None:
    remote.save_search("Bread", "sourdough")
    remote.change_settings(Settings(results=7))
    assert [change.kinds for change in ear.wait(2)] == [{Changed.DECISIONS}, {Changed.SETTINGS}]


def test_questions_change_nothing(ear: Ear, remote: RemoteLibrary) -> None:
    remote.sources()
    remote.search(SearchRequest("lens"))
    remote.find("Notes")
    with pytest.raises(UnknownSource):
        remote.index("nobody", Job())
    remote.save_search("Last", "x")
    assert [change.kinds for change in ear.wait(1)] == [{Changed.DECISIONS}]


def test_what_the_window_does_itself_is_not_told_to_it(ear: Ear, hosted: HostedLibrary, remote: RemoteLibrary) -> None:
    hosted.save_search("Own", "mine")
    remote.save_search("Other", "theirs")
    assert len(ear.wait(1)) == 1


def test_an_attached_library_says_that_one_must_look(remote: RemoteLibrary) -> None:
    assert remote.follow(lambda _changes: None, lambda _source, _progress: None) is False
