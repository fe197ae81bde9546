"""Whatever tries again rests longer each time, up to a limit; a loop that is not in this table is found."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.backoff import BackOff
from engine.frontends import attach, host
from engine.indexing import refresh
from engine.inference.ollama import PATIENCE, OllamaEmbedder
from engine.net import client
from engine.net.client import Client
from engine.net.ollama_api import OllamaApi
from engine.net.policy import Policy
from engine.sources import smart_index
from gui import tasks
from tests.servers.loopback import Scripted, as_json

CHECKOUT = Path(__file__).resolve().parents[2]

TABLE = {
    # what tries again: (its rests, seconds of the first, seconds at most)
    "calls to servers: models, Roam's cloud, downloads, updates, Ollama": (client.AGAIN, 0.5, 60.0),
    "a graph that could not be refreshed before a search": (refresh.REST, 60.0, 900.0),
    "a plugin's index that changes under the reader": (smart_index.AGAIN, 0.15, 1.0),
    "the process that holds the library, dialled": (attach.DIAL, 0.02, 0.25),
    "the host, when a client could not be taken in": (host.TAKE_IN, 0.05, 1.0),
    "folders that the system would not watch": (tasks.WATCH_AGAIN, 5.0, 600.0),
}

WAITING = re.compile(r"\.sleep\(|= BackOff\(|retries=(?:[^,]*[1-9]|_|PATIENCE)|\.wait\(")
"""Signs of a loop that rests or tries again."""
KNOWN = {
    # Rests of the table.
    "engine/net/client.py",
    "engine/indexing/refresh.py",
    "engine/sources/smart_index.py",
    "engine/frontends/attach.py",
    "engine/frontends/host.py",
    "gui/tasks.py",
    # Asks the client to try again.
    "engine/net/chat.py",
    "engine/net/download.py",
    "engine/net/roam_cloud_api.py",
    "engine/net/updates.py",
    # Waits for something and tries nothing again: a paused job, the end of the program, progress, a model out of use.
    "engine/job.py",
    "engine/inference/onnx.py",
    "engine/frontends/keeper_cli.py",
    "engine/frontends/mcp_server.py",
}


@pytest.mark.parametrize("name", TABLE)
def test_rests_double_up_to_a_limit(name: str) -> None:
    rests, first, most = TABLE[name]
    assert (rests.first, rests.most) == (first, most)
    seconds = [rests.seconds(failures) for failures in range(1, 40)]
    assert seconds[0] == first
    for before, after in itertools.pairwise(seconds):
        assert after == min(most, 2 * before)
    assert seconds[-1] == most
    assert rests.seconds(10**9) == most


def test_who_failed_together_comes_back_apart() -> None:
    rests = BackOff(1.0, 60.0)
    assert [rests.seconds(3, jitter) for jitter in (0.0, 0.5, 0.99)] == [4.0, 5.0, pytest.approx(5.98)]
    assert max(rests.seconds(n, 0.99) for n in range(1, 20)) == 60.0


def test_no_other_place_tries_again() -> None:
    found = set()
    for file in (*CHECKOUT.glob("engine/**/*.py"), *CHECKOUT.glob("gui/**/*.py")):
        if any(WAITING.search(line) for line in file.read_text("utf-8").splitlines() if '"""' not in line):
            found.add(file.relative_to(CHECKOUT).as_posix())
    assert found == KNOWN


# --- each of them, as it runs -------------------------------------------------------------------------------------


@pytest.fixture
def rests() -> list[float]:
    return []


def ollama(server: Scripted, rests: list[float]) -> OllamaEmbedder:
    def wait(stop: threading.Event, seconds: float) -> None:
        rests.append(seconds)

    return OllamaEmbedder(OllamaApi(Client(Policy(), wait=wait, jitter=lambda: 0.5), server.url), "m")


BUSY = (503, {}, as_json({"error": "server busy"}))


def test_an_index_run_waits_for_a_busy_model_server_and_a_search_does_not(rests: list[float]) -> None:
    sizes = (200, {}, as_json({"model_info": {"x.context_length": 64, "x.embedding_length": 2}}))
    vectors = (200, {}, as_json({"embeddings": [[1.0, 0.0]]}))
    names = (200, {}, as_json({"models": [{"name": "m:latest", "digest": "d"}]}))
    with Scripted(names, sizes, BUSY, BUSY, vectors, BUSY) as server:
        embedder = ollama(server, rests)
        assert embedder.embed_documents(["text"]).shape == (1, 2)
        assert rests == [0.625, 1.25]
        with pytest.raises(Exception, match="server busy"):
            embedder.embed_query("text")
        assert len(rests) == 2
        with pytest.raises(Exception, match="server busy"):
            embedder.embed_documents(["text"])
        assert rests[2:] == [0.625, 1.25, 2.5]
    assert len(rests) == 2 + PATIENCE


def test_the_library_is_dialled_with_rests(
    private_home: Path, rests: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = attach.LibraryLock.take(attach.find_home().lock_file)
    assert held is not None
    told: list[int] = []
    monkeypatch.setattr(attach.time, "sleep", rests.append)
    monkeypatch.setattr(attach.random, "random", lambda: 0.0)
    clock = iter(range(10_000))
    monkeypatch.setattr(attach.time, "monotonic", lambda: float(next(clock)))
    with pytest.raises(Exception, match="does not answer"):
        attach.open_library(waiting=lambda: told.append(len(rests)), patience=12)
    assert rests[:6] == [0.02, 0.04, 0.08, 0.16, 0.25, 0.25]
    assert told == [7]
    held.release()


def test_a_host_that_takes_nobody_in_rests(rests: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    answerer = object.__new__(host.Host)
    answerer._is_closed = False
    answerer._state = threading.Lock()
    answerer._clients = host.MOST_CLIENTS
    outcomes: Iterator[bool] = iter([False, False, False, True, False, False])

    class Listener:
        def accept(self) -> object:
            if next(outcomes):
                return type("Client", (), {"close": lambda self: None})()
            raise OSError(24, "too many open files")

    def sleep(seconds: float) -> None:
        rests.append(seconds)
        answerer._is_closed = len(rests) == 5

    answerer._listener = Listener()  # type: ignore[assignment]
    monkeypatch.setattr(host.time, "sleep", sleep)
    answerer.serve_forever()
    assert rests == [0.05, 0.1, 0.2, 0.05, 0.1]


def test_folders_are_watched_again(rests: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[frozenset[str]] = []
    watcher = object.__new__(tasks._Watcher)
    watcher._folders, watcher._changed = ["/vault"], seen.append
    batches = iter([OSError(28, "no watches left"), RuntimeError("gone"), {(1, "/vault/a.md")}, OSError(2, "gone")])

    class Stopped:
        def wait(self, seconds: float) -> bool:
            if seconds:
                rests.append(seconds)
            return len(rests) == 3

    def watch(*folders: str, **options: object) -> Iterator[set[tuple[int, str]]]:
        for outcome in batches:
            if isinstance(outcome, Exception):
                raise outcome
            yield outcome

    watcher._stopped = Stopped()  # type: ignore[assignment]
    monkeypatch.setattr("watchfiles.watch", watch)
    monkeypatch.setattr(tasks.random, "random", lambda: 0.0)
    watcher._watch()
    assert seen == [frozenset({"/vault/a.md"})]
    assert rests == [5.0, 10.0, 5.0]
