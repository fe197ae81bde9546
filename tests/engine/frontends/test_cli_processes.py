"""Several processes on one library: whoever opens it answers the others, and nothing is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.frontends import attach, protocol
from engine.frontends.host import HostedLibrary
from engine.frontends.lock import LibraryLock
from engine.job import Job
from engine.library import Library
from engine.model import SearchRequest
from engine.paths import Home

from .conftest import GatedEmbedder, take_lock, write_vault

CHECKOUT = Path(__file__).resolve().parents[3]
SECONDS = 60


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "gui", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=CHECKOUT,
    )


def end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=SECONDS)
    return process.returncode, out, err


def vaults(folder: Path, count: int) -> list[Path]:
    return [
        write_vault(folder / f"V{n}", {f"Note {m}.md": f"Number {m} of vault {n}.\n" for m in range(20)})
        for n in range(count)
    ]


def test_two_writers_and_the_host_lose_nothing(hosted: HostedLibrary, tmp_path: Path) -> None:
    places = vaults(tmp_path, 3)
    writers = [start("add", str(place), "--json") for place in places[:2]]
    hosted.add(str(places[2]))
    own = hosted.index("V2", Job())
    for process in writers:
        code, out, err = end(process)
        assert code == 0, err
        assert json.loads(out)["reports"][0]["added"] == 20
    assert own.added == 20
    for n in range(3):
        assert hosted.status(f"V{n}").notes == 20
        assert hosted.search(SearchRequest(f'"vault {n}"', sources=(f"V{n}",), limit=50)).total == 20
    with Library.open(hosted.home, embedder=GatedEmbedder()) as again:
        assert {status.source.name for status in again.sources()} == {"Notes", "V0", "V1", "V2"}


def test_writers_without_a_host_serve_each_other(home: Home, tmp_path: Path) -> None:
    writers = [start("add", str(place), "--no-index", "--json") for place in vaults(tmp_path, 3)]
    for process in writers:
        code, _, err = end(process)
        assert code == 0, err
    with Library.open(home) as library:
        assert {status.source.name for status in library.sources()} == {"V0", "V1", "V2"}
    take_lock(home).release()
    assert protocol.read_address(home) is None


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_serve_answers_until_it_is_told_to_stop(home: Home, tmp_path: Path) -> None:
    server = start("serve", "--json")
    assert server.stdout is not None
    lines = ""
    while not lines.endswith("}\n"):
        lines += server.stdout.readline()
    assert json.loads(lines)["pid"] == server.pid
    remote = attach.connect(home)
    assert remote is not None
    assert remote.add(str(vaults(tmp_path, 1)[0])).name == "V0"
    assert LibraryLock.take(home.lock_file) is None
    server.send_signal(signal.SIGTERM)
    assert end(server)[0] == 0
    take_lock(home).release()
    assert [status.source.name for status in remote.sources()] == ["V0"]
    remote.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_an_interrupted_index_run_of_a_command_is_cancelled_in_the_host(
    hosted: HostedLibrary, embedder: GatedEmbedder
) -> None:
    embedder.gate.clear()
    process = start("index", "Notes", "--full", "--json")
    assert embedder.waiting.wait(SECONDS)
    process.send_signal(signal.SIGINT)
    wait_for_cancel(hosted)
    embedder.gate.set()
    code, out, err = end(process)
    assert code == 1, err
    assert json.loads(out)["reports"][0]["outcome"] == "cancelled"


def wait_for_cancel(hosted: HostedLibrary) -> None:
    deadline = time.monotonic() + SECONDS
    while not any(job.is_cancelled for job in hosted._host.jobs()):
        assert time.monotonic() < deadline
        time.sleep(0.005)
