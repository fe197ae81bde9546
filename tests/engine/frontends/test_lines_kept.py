"""Lines to the host are kept between calls, carry pauses, and a call that only reads survives its host."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Listener
from pathlib import Path
from typing import Any

import pytest

from engine.errors import UnknownSource
from engine.frontends import attach, greeting, host, line, protocol
from engine.frontends.attach import RemoteLibrary
from engine.frontends.host import HostedLibrary
from engine.job import Job
from engine.model import SearchRequest
from engine.paths import Home

from .conftest import GatedEmbedder, take_lock

SECONDS = 20
"""A bound on waiting for another thread; never reached when all is well."""


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.005)


@contextmanager
def attached(home: Home) -> Iterator[RemoteLibrary]:
    remote = attach.connect(home)
    assert remote is not None
    with remote:
        yield remote


def count_dials(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    dialled: list[str] = []
    dial = line.dial

    def counted(address: protocol.Address) -> line.Line:
        dialled.append(address.place)
        return dial(address)

    monkeypatch.setattr(line, "dial", counted)
    monkeypatch.setattr(attach, "dial", counted)
    return dialled


def test_calls_one_after_the_other_share_a_line(
    shared: HostedLibrary, shared_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialled = count_dials(monkeypatch)
    with attached(shared_home) as remote:
        assert remote.find("Notes").name == "Notes"
        with pytest.raises(UnknownSource):
            remote.find("nowhere")
        assert remote.search(SearchRequest("honey")).rows[0].title == "Bees"
        assert len(dialled) == 1
    wait_until(lambda: shared._host._clients == 0, "a client that is closed hangs up")


def test_calls_at_once_have_a_line_each_and_few_are_kept(
    shared: HostedLibrary, shared_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialled = count_dials(monkeypatch)
    met = threading.Barrier(7, timeout=SECONDS)
    search = HostedLibrary.search

    def together(self: HostedLibrary, request: SearchRequest, job: Job | None = None) -> Any:
        met.wait()
        return search(self, request, job)

    monkeypatch.setattr(HostedLibrary, "search", together)
    titles: list[str] = []
    with attached(shared_home) as remote:

        def ask() -> None:
            titles.append(remote.search(SearchRequest("honey")).rows[0].title)

        threads = [threading.Thread(target=ask) for _ in range(7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)
        assert titles == ["Bees"] * 7
        assert len(dialled) == 7
        wait_until(lambda: shared._host._clients == line.MOST_KEPT, "the others are hung up")


def test_a_line_to_a_host_that_has_ended_is_not_used_again(home: Home, vault: Path, embedder: GatedEmbedder) -> None:
    with HostedLibrary(home, embedder, lock=take_lock(home)) as library:
        library.add(str(vault))
        remote = attach.connect(home)
        assert remote is not None
        assert remote.find("Notes").name == "Notes"
    with HostedLibrary(home, embedder, lock=take_lock(home)) as library, remote:
        asked = library.registered()
        assert remote.registered() == asked
        wait_until(lambda: library._host._clients == 1, "the new host answered")


def test_a_pause_reaches_the_host_and_so_does_going_on(
    hosted: HostedLibrary, home: Home, embedder: GatedEmbedder
) -> None:
    embedder.gate.clear()
    job, outcomes = Job(), []
    with attached(home) as remote:
        run = threading.Thread(target=lambda: outcomes.append(remote.index("Notes", job, full=True).outcome))
        run.start()
        assert embedder.waiting.wait(SECONDS)
        (worked_on,) = hosted._host.jobs()
        job.pause()
        wait_until(lambda: worked_on.is_paused, "the host pauses")
        embedder.gate.set()
        assert not outcomes
        job.resume()
        run.join(SECONDS)
    assert outcomes == ["complete"]


def test_a_job_paused_already_is_told_of_when_it_is_watched() -> None:
    job, told = Job(), []
    job.pause()
    with job.watched(told.append):
        job.resume()
        job.pause()
    job.resume()
    assert told == [True, False, True]


def test_who_follows_a_run_sees_that_it_is_paused() -> None:
    sent, seen = Job(), []
    followed = host._FollowedJob(sent, seen.append)
    sent.pause()
    followed.report("embedding", 1, 1)
    sent.resume()
    followed.report("embedding", 1, 1)
    assert [progress.is_paused for progress in seen] == [True, False]


def test_a_host_of_version_1_is_told_of_no_pause() -> None:
    class Wire:
        def send_bytes(self, data: bytes) -> None:
            raise AssertionError("it would not understand")

    old = line.Line(protocol.Address("here", "key", 1), Wire(), 1)  # type: ignore[arg-type]
    old._pause(1, True)


class Next:
    """The library as it is opened when the host is gone."""

    def __getattr__(self, verb: str) -> Any:
        return lambda **arguments: {"went on": verb}

    def close(self) -> None:
        return


@pytest.mark.parametrize(
    ("verb", "options", "goes_on"),
    [
        ("path", {"start": "a", "end": "b"}, True),
        ("stats", {}, True),
        ("ask", {"question": "who?"}, True),
        ("merges", {}, True),
        ("merges", {"action": "list"}, True),
        ("merges", {"action": "same", "names": ["a", "b"]}, False),
        ("extract", {}, False),
        ("review", {}, False),
        ("export", {"place": "x", "form": "json"}, False),
    ],
)
def test_a_graph_call_goes_on_when_its_host_dies_if_it_only_reads(
    home: Home, monkeypatch: pytest.MonkeyPatch, verb: str, options: dict[str, Any], goes_on: bool
) -> None:
    monkeypatch.setattr(attach, "open_library", lambda _home: Next())
    with Listener(None, greeting.family()) as listener:
        protocol.write_address(home, protocol.Address(str(listener.address), "a" * 64, 1))

        def accept_and_die() -> None:
            with listener.accept() as connection:
                protocol.admit(connection, "a" * 64)
                request = protocol.receive(connection, protocol.Request, 10_000)
                protocol.send(connection, protocol.Accepted(request.id))

        dying = threading.Thread(target=accept_and_die)
        dying.start()
        with attached(home) as remote:
            if goes_on:
                assert remote.graph_call(verb, options) == {"went on": "graph_call"}
            else:
                with pytest.raises(line.HostDied, match="try again"):
                    remote.graph_call(verb, options)
        dying.join(SECONDS)
