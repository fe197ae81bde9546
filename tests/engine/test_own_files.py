"""Files are opened by name only where they are ordinary, and read only whole; the product's own are private."""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import engine.files
from engine.errors import EngineError, UserError
from engine.files import TRIES, open_private, read_ordinary, read_whole
from engine.frontends import printed, protocol
from engine.frontends.attach import open_library
from engine.frontends.greeting import HostGone
from engine.frontends.lock import LibraryLock
from engine.inference.fake import FakeEmbedder
from engine.library import Library
from engine.net.ledger import Connection, Ledger
from engine.paths import Home, open_log, prepare_home
from tests.written_files import WhileRead

posix_only = pytest.mark.skipif(os.name != "posix", reason="Windows has no such files in a folder")

OWN = ("sources_file", "settings_file", "decisions", "replies", "lock_file", "ledger", "crash_mark", "index", "wal")


@pytest.fixture(autouse=True)
def impatience() -> Iterator[None]:
    """What waits at a pipe would wait for ever."""
    if sys.platform == "win32":
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise TimeoutError("somebody waits at a pipe")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def place_of(home: Home, name: str) -> Path:
    if name == "index":
        return home.index_file("vault")
    if name == "wal":
        return home.decisions.with_name("decisions.duckdb.wal")
    return Path(getattr(home, name))


def put(path: Path, kind: str) -> None:
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")


@posix_only
@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("name", OWN)
def test_what_is_no_file_in_the_place_of_one_is_refused_with_words(home: Home, name: str, kind: str) -> None:
    place = place_of(home, name)
    put(place, kind)
    with pytest.raises(UserError, match=rf"{place.name} could not be read or written: something else stands"):
        Library(home, FakeEmbedder())
    with pytest.raises(UserError, match=r"something else stands in its place\. Move that away"):
        open_library(home)
    place.unlink()
    Library(home, FakeEmbedder()).close()


@posix_only
def test_sockets_and_links_to_nothing_may_stay(home: Home) -> None:
    (home.data / "link").symlink_to(home.data / "nowhere")
    prepare_home(home)


@posix_only
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_opened_before_the_library_is(home: Home, kind: str) -> None:
    """The address of the host, the lock, the list of connections, the log of crashes."""
    address = home.data / "host.json"
    for place in (address, home.lock_file, home.ledger, home.crash_log):
        put(place, kind)
    assert protocol.read_address(home) is None
    with pytest.raises((OSError, HostGone)):
        printed._accepted(b"{}")
    with pytest.raises(EngineError, match="something else stands"):
        LibraryLock.take(home.lock_file)
    with pytest.raises(EngineError, match="something else stands"):
        open_log(home.crash_log)
    ledger = Ledger(home.ledger)
    ledger.record(Connection(0.0, "s", "h", "w", "ok"))
    assert ledger.recent() == []


@posix_only
def test_own_files_are_made_private_again(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("old\n")
    file.chmod(0o644)
    os.close(open_private(file, os.O_WRONLY | os.O_APPEND))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text() == "old\n"


def longer(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" more")


def later(path: Path) -> None:
    """The same length, at another time."""
    path.write_bytes(bytes(reversed(path.read_bytes())))
    os.utime(path, ns=(1, 1_000_000_000))


@pytest.mark.parametrize("write", [longer, later])
def test_a_file_that_changes_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abcdefgh")
    opener = WhileRead("file", 1, write)
    monkeypatch.setattr(engine.files, "open_ordinary", opener)
    data, info = read_whole(file)
    assert data == file.read_bytes()
    assert (info.st_size, info.st_mtime_ns) == (file.stat().st_size, file.stat().st_mtime_ns)
    assert opener.opened == 2


def test_one_that_never_rests_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abcdefgh")
    opener = WhileRead("file", 99, longer)
    monkeypatch.setattr(engine.files, "open_ordinary", opener)
    with pytest.raises(OSError, match="being written") as caught:
        read_ordinary(file)
    assert caught.value.errno == errno.EAGAIN
    assert opener.opened == TRIES


def test_growing_past_the_limit_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abcdefgh")
    monkeypatch.setattr(engine.files, "open_ordinary", WhileRead("file", 1, longer))
    with pytest.raises(OSError, match="too large"):
        read_ordinary(file, 10)
