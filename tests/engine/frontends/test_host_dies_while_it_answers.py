"""A host that is killed at work: what only reads goes on by itself, what writes says that it may be half done."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import LibraryBusy
from engine.frontends import attach, cli
from engine.job import Job
from engine.library import Library
from engine.model import SearchRequest
from engine.paths import Home

_PROGRAM = """
import functools, os, sys
from engine.frontends import attach
library = attach.open_library()
library.add(sys.argv[1])
for verb in ("search", "printed_search", "related", "remove"):
    die = functools.wraps(getattr(type(library), verb))(lambda *given, **named: os._exit(9))
    setattr(type(library), verb, die)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def doomed(home: Home, vault: Path) -> Iterator[subprocess.Popen[str]]:
    """A host that dies when it is asked for certain verbs."""
    words = [sys.executable, "-c", _PROGRAM, str(vault)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def test_verbs_that_read_are_verbs() -> None:
    assert attach.verbs().keys() >= attach.READING
    assert not attach.READING & {"add", "remove", "index", "import_decisions", "graph_call", "change_settings"}
    assert all(hasattr(Library, name) for name in attach.READING - {"printed_search", "settings", "notices"})


def test_a_search_goes_on(home: Home, doomed: subprocess.Popen[str]) -> None:
    remote = attach.connect(home)
    assert remote is not None
    with remote:
        remote.search(SearchRequest("lens"), Job())
        assert doomed.wait(20) == 9
        assert [source.name for source in remote.registered()] == ["Notes"]


def test_the_command_search_goes_on(doomed: subprocess.Popen[str], capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["search", "lens"])
    assert doomed.wait(20) == 9
    assert "has ended" not in capsys.readouterr().err


def test_what_writes_says_so(home: Home, doomed: subprocess.Popen[str]) -> None:
    remote = attach.connect(home)
    assert remote is not None
    with remote, pytest.raises(LibraryBusy, match="has ended"):
        remote.remove("Notes")
    assert doomed.wait(20) == 9
