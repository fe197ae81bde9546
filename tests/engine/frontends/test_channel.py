"""Host and attach: the same answers through the channel, and nothing that a client does harms the host."""

from __future__ import annotations

import contextlib
import inspect
import json
import socket
import stat
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Client, Pipe
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadRequest, Cancelled, LibraryBusy, UnknownNote, UnknownSource, UserError
from engine.frontends import attach, greeting, protocol
from engine.frontends.attach import RemoteLibrary
from engine.frontends.host import HostedLibrary
from engine.frontends.lock import LibraryLock
from engine.frontends.protocol import Accepted, Answer, Cancel, Failed, Moved, Request
from engine.job import Job
from engine.library import Library
from engine.model import Anchor, NoteKey, SearchRequest, SourceKind, SourceOptions
from engine.paths import Home

from .conftest import GatedEmbedder, take_lock, write_vault

SECONDS = 20
"""A bound on waiting for another thread; never reached when all is well."""


def attached(home: Home) -> RemoteLibrary:
    remote = attach.connect(home)
    assert remote is not None
    return remote


def wait_until(condition, what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.005)


# --- the same library, from elsewhere


def test_every_verb_has_the_signature_of_the_library() -> None:
    for name in attach.verbs().keys() & vars(RemoteLibrary).keys():
        ours = getattr(RemoteLibrary, name)
        theirs = getattr(HostedLibrary, name, None)
        if isinstance(ours, property):
            continue
        assert theirs is not None, name
        assert inspect.signature(ours) == inspect.signature(theirs), name


def test_verbs_that_are_not_written_out_can_be_asked_too(
    hosted: HostedLibrary, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gather(self: Library, place: Path, names: tuple[str, ...] = (), *, job: Job) -> list[Path]:
        job.check()
        return [place / name for name in (self.find("Notes").name, *names)]

    monkeypatch.setattr(Library, "gather", gather, raising=False)
    gather.__annotations__ = {"place": Path, "names": tuple[str, ...], "job": Job, "return": list[Path]}
    hosted._host._verbs = attach.verbs()
    assert attached(home).gather(tmp_path, ("a",), job=Job()) == [tmp_path / "Notes", tmp_path / "a"]


@pytest.mark.parametrize("name", ["_live", "nothing", "__enter_", "open"])
def test_what_is_no_verb_is_no_attribute(shared_home: Home, name: str) -> None:
    assert not hasattr(attached(shared_home), name)


def test_answers_are_equal_to_those_of_the_library(shared: HostedLibrary, shared_home: Home) -> None:
    remote = attached(shared_home)
    request = SearchRequest("lens horizon", explain=True)
    ours, theirs = remote.search(request), shared.search(request)
    assert ours.rows == theirs.rows
    assert ours.legs == theirs.legs
    assert remote.sources() == shared.sources()
    assert remote.note("Notes", NoteKey("Bees.md")) == shared.note("Notes", NoteKey("Bees.md"))
    assert remote.find("notes").kind is SourceKind.OBSIDIAN
    assert remote.why_not("Bread", "lens") == shared.why_not("Bread", "lens")
    assert remote.related("Notes", "Lens") == shared.related("Notes", "Lens")
    assert remote.related("Notes", "Lens")[0].row.title == "Lamp"
    assert remote.duplicates() == shared.duplicates()
    assert remote.settings == shared.settings
    assert remote.notices == shared.notices
    anchor = Anchor(NoteKey("Bees.md"), headings=("Honey",))
    assert remote.home_link("Notes", anchor) == shared.home_link("Notes", anchor)


def test_what_is_changed_from_elsewhere_is_changed(
    hosted: HostedLibrary, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vault(tmp_path / "here" / "Second", {"One.md": "A second vault.\n"})
    monkeypatch.chdir(tmp_path / "here")
    remote = attached(home)
    added = remote.add("Second", options=SourceOptions(exclude=("x/*",)))
    assert added.location == str(tmp_path / "here" / "Second")
    assert hosted.find("Second").options.exclude == ("x/*",)
    assert remote.index("Second", Job()).added == 1
    assert hosted.search(SearchRequest("second vault", sources=("Second",))).rows[0].title == "One"
    remote.remove("Second")
    with pytest.raises(UnknownSource):
        hosted.find("Second")


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda r: r.find("nowhere"), UnknownSource, "Registered: Notes"),
        (lambda r: r.note("Notes", NoteKey("none.md")), UnknownNote, "no note 'none.md'"),
        (lambda r: r.import_decisions("Notes", {"format": "?"}), BadRequest, "lamplight export"),
        (lambda r: r.show_quick_search("x"), UserError, "No Lamplight window"),
    ],
)
def test_errors_arrive_as_what_they_are(shared_home: Home, call, kind, words: str) -> None:
    with pytest.raises(kind, match=words):
        call(attached(shared_home))


def test_text_that_is_no_unicode_comes_through() -> None:
    """Folders may be named by bytes that are no text; Python holds them as lone surrogates."""
    value = Request(1, "add", {"location": "vault\udcff"})
    assert protocol.decode(protocol.encode(value), Request | Cancel) == value


def test_the_window_is_asked_for_quick_search(hosted: HostedLibrary, home: Home) -> None:
    asked: list[str] = []
    hosted.on_quick_search = asked.append
    attached(home).show_quick_search("bees")
    assert asked == ["bees"]


# --- long work


def test_progress_arrives_while_a_run_goes_on(hosted: HostedLibrary, home: Home) -> None:
    stages: list[str] = []

    class Watched(Job):
        def report(self, stage: str, done: int, total: int = 0, detail: str = "") -> None:
            stages.append(stage)

    attached(home).index("Notes", Watched(), full=True)
    assert "scanning" in stages


def test_cancel_reaches_a_run_of_the_host(hosted: HostedLibrary, home: Home, embedder: GatedEmbedder) -> None:
    embedder.gate.clear()
    job = Job()
    outcomes: list[str] = []
    remote = attached(home)
    run = threading.Thread(target=lambda: outcomes.append(remote.index("Notes", job, full=True).outcome))
    run.start()
    assert embedder.waiting.wait(SECONDS)
    assert remote.search(SearchRequest("honey")).rows[0].title == "Bees", "searches go on while a run writes"
    job.cancel()
    embedder.gate.set()
    run.join(SECONDS)
    assert outcomes == ["cancelled"]


def test_a_cancelled_job_sends_nothing(shared_home: Home) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        attached(shared_home).search(SearchRequest("honey"), job)


def read_to_the_end(client) -> None:
    while True:
        client.recv_bytes()


def raw_client(home: Home):
    address = protocol.read_address(home)
    assert address is not None
    connection = Client(address.place, greeting.family())
    greeting.introduce(connection, address.key)
    return connection


def test_the_run_of_a_client_that_dies_is_cancelled(hosted: HostedLibrary, home: Home, embedder: GatedEmbedder) -> None:
    embedder.gate.clear()
    client = raw_client(home)
    protocol.send(client, Request(1, "index", {"source": "Notes", "full": True}))
    assert embedder.waiting.wait(SECONDS)
    client.close()
    wait_until(lambda: hosted._host._clients == 0, "the host noticed")
    embedder.gate.set()
    wait_until(lambda: not hosted._host.jobs(), "the run ended")
    assert hosted.status("Notes").state == "partial"
    assert attached(home).search(SearchRequest("honey")).rows[0].title == "Bees"


def test_cancel_on_the_wire(hosted: HostedLibrary, home: Home, embedder: GatedEmbedder) -> None:
    embedder.gate.clear()
    with raw_client(home) as client:
        protocol.send(client, Request(7, "index", {"source": "Notes", "full": True}))
        assert embedder.waiting.wait(SECONDS)
        protocol.send(client, Cancel(7))
        protocol.send(client, Cancel(8))
        protocol.send(client, Request(9, "find", {"source": "Notes"}))
        kinds = Accepted | Moved | Failed | Answer[dict]
        seen = []
        while not seen or getattr(seen[-1], "id", 0) != 9 or isinstance(seen[-1], Accepted):
            seen.append(protocol.receive(client, kinds, greeting.LONGEST_ANSWER, patience=SECONDS))
        embedder.gate.set()
        while not (isinstance(seen[-1], Answer) and seen[-1].id == 7):
            seen.append(protocol.receive(client, kinds, greeting.LONGEST_ANSWER, patience=SECONDS))
    assert seen[-1].value["outcome"] == "cancelled"


# --- hosts come and go


def test_when_the_host_ends_the_client_goes_on_by_itself(home: Home, vault: Path, embedder: GatedEmbedder) -> None:
    with HostedLibrary(home, embedder, lock=take_lock(home)) as library:
        library.add(str(vault))
        remote = attached(home)
        assert remote.find("Notes").name == "Notes"
    assert attach.connect(home) is None
    assert [status.source.name for status in remote.sources()] == ["Notes"]
    assert LibraryLock.take(home.lock_file) is None, "the former client holds the library now"
    assert attached(home).find("Notes").name == "Notes", "and answers for it"
    remote.close()
    take_lock(home).release()


def test_a_host_finishes_what_others_asked_for(home: Home, vault: Path, embedder: GatedEmbedder) -> None:
    library = HostedLibrary(home, embedder, lock=take_lock(home))
    library.add(str(vault))
    embedder.gate.clear()
    remote = attached(home)
    reports = []
    run = threading.Thread(target=lambda: reports.append(remote.index("Notes", Job())))
    run.start()
    assert embedder.waiting.wait(SECONDS)
    told = threading.Event()
    library.waiting = told.set
    end = threading.Thread(target=library.close)
    end.start()
    assert told.wait(SECONDS)
    assert attached(home).find("Notes").name == "Notes", "others are served until then"
    embedder.gate.set()
    run.join(SECONDS)
    end.join(SECONDS)
    assert reports[0].outcome == "complete"
    assert reports[0].added == 5
    take_lock(home).release()


def test_what_a_killed_host_left_does_not_matter(home: Home, vault: Path) -> None:
    program = (
        "import os, sys\n"
        "from engine.frontends.attach import open_library\n"
        "library = open_library()\n"
        f"library.add({str(vault)!r})\n"
        "os._exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 9
    left = protocol.read_address(home)
    assert left is not None
    assert Path(left.place).exists()
    assert attach.connect(home) is None
    with attach.open_library(home) as library:
        assert isinstance(library, HostedLibrary)
        assert [status.source.name for status in library.sources()] == ["Notes"]
        assert attached(home).find("Notes").name == "Notes"
    assert protocol.read_address(home) is None


def test_a_process_that_holds_the_library_and_is_silent_is_waited_for_and_named(home: Home) -> None:
    lock = take_lock(home)
    told: list[bool] = []
    with pytest.raises(LibraryBusy, match="does not answer"):
        attach.open_library(home, waiting=lambda: told.append(True), patience=1.2)
    assert told == [True]
    lock.release()


def test_opening_twice_in_one_process_attaches(shared_home: Home) -> None:
    with attach.open_library(shared_home) as library:
        assert isinstance(library, RemoteLibrary)


# --- who may speak, and nonsense


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no file mode")
@pytest.mark.parametrize("depth", [0, 120])
def test_only_the_owner_can_reach_the_host(tmp_path: Path, embedder: GatedEmbedder, depth: int) -> None:
    root = tmp_path / ("d" * depth) if depth else tmp_path
    home = Home(root / "data", root / "config", root / "logs")
    with HostedLibrary(home, embedder, lock=take_lock(home)):
        address = protocol.read_address(home)
        assert address is not None
        place = Path(address.place)
        for path, mode in ((place, 0o600), (place.parent, 0o700), (home.data / "host.json", 0o600)):
            assert stat.S_IMODE(path.stat().st_mode) == mode, path
        assert attached(home).sources() == []
    assert not place.exists()
    assert place.parent == home.data or not place.parent.exists()


def test_the_wrong_key_is_refused(shared_home: Home) -> None:
    address = protocol.read_address(shared_home)
    assert address is not None
    with Client(address.place, greeting.family()) as connection, pytest.raises((EOFError, OSError)):
        greeting.introduce(connection, "0" * 64)
    assert attached(shared_home).find("Notes").name == "Notes"


def test_a_false_host_is_not_believed(home: Home, tmp_path: Path) -> None:
    from multiprocessing.connection import Listener

    with Listener(str(tmp_path / "s"), "AF_UNIX") as listener:
        protocol.write_address(home, protocol.Address(listener.address, "a" * 64, 1))

        def pretend() -> None:
            with listener.accept() as connection, contextlib.suppress(greeting.BadMessage, OSError, EOFError):
                protocol.admit(connection, "b" * 64)

        thread = threading.Thread(target=pretend)
        thread.start()
        assert attach.connect(home) is None
        thread.join(SECONDS)


def test_versions_without_a_common_one_are_named() -> None:
    ours, theirs = Pipe()
    protocol.send(theirs, protocol.Hello((99,), "nonce"))
    with pytest.raises(BadRequest, match="another version"):
        greeting.introduce(ours, "key")


def test_a_client_of_another_version_is_refused() -> None:
    ours, theirs = Pipe()
    proof = greeting.proof("key", "client", "nonce", "mine")
    protocol.send(theirs, protocol.Reply(99, "mine", proof))
    with pytest.raises(greeting.BadMessage):
        protocol.admit(ours, "key")


@pytest.mark.parametrize(
    ("verb", "arguments", "words"),
    [
        ("close", {}, "no verb"),
        ("__init__", {}, "no verb"),
        ("_live", {}, "no verb"),
        ("index", {"source": "Notes", "job": 1}, "no argument 'job'"),
        ("search", {"request": {"text": 3}}, "'request' of 'search'"),
        ("search", {"request": {"text": "a", "mode": "psychic"}}, "'request' of 'search'"),
        ("search", {}, "Missing: request"),
        ("note", {"source": "Notes", "key": "../../etc/passwd"}, "no note"),
        ("find", {"source": "Notes", "colour": "red"}, "no argument 'colour'"),
    ],
)
def test_requests_that_make_no_sense_get_an_error(shared_home: Home, verb: str, arguments: dict, words: str) -> None:
    with raw_client(shared_home) as client:
        protocol.send(client, Request(1, verb, arguments))
        assert isinstance(protocol.receive(client, Accepted, 4096, patience=SECONDS), Accepted)
        failed = protocol.receive(client, Failed, 4096, patience=SECONDS)
    assert words in f"{failed.message} {failed.remedy}"


def test_a_client_with_too_many_requests_is_dropped(hosted: HostedLibrary, home: Home, embedder: GatedEmbedder) -> None:
    embedder.gate.clear()
    with raw_client(home) as client:
        for number in range(30):
            try:
                protocol.send(client, Request(number, "index", {"source": "Notes", "full": True}))
            except OSError:
                break
        with pytest.raises((EOFError, OSError)):
            read_to_the_end(client)
    embedder.gate.set()
    wait_until(lambda: not hosted._host.jobs(), "the runs ended")


@pytest.mark.skipif(sys.platform == "win32", reason="raw bytes into a socket file")
def test_raw_rubbish_harms_only_its_sender(shared: HostedLibrary, shared_home: Home) -> None:
    address = protocol.read_address(shared_home)
    assert address is not None

    @given(st.binary(max_size=300) | st.just((2**31 - 1).to_bytes(4, "big")) | st.just(b"\xff\xff\xff\xff" * 3))
    @settings(max_examples=40)
    def throw(data: bytes) -> None:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(address.place)
            client.sendall(data)

    throw()
    wait_until(lambda: shared._host._clients == 0, "the host let go of them")
    assert attached(shared_home).find("Notes").name == "Notes"


def test_messages_of_rubbish_harm_only_their_sender(shared: HostedLibrary, shared_home: Home) -> None:
    @given(
        st.binary(max_size=200)
        | st.recursive(
            st.none() | st.integers() | st.text() | st.floats(),
            lambda inner: (
                st.lists(inner) | st.dictionaries(st.sampled_from(["type", "id", "verb", "arguments"]), inner)
            ),
            max_leaves=8,
        ).map(lambda value: json.dumps(value).encode())
        | st.just(b'{"type":"request","id":1,"verb":"search","arguments":' + b"[" * 5000 + b"]" * 5000 + b"}")
    )
    @settings(max_examples=40)
    def throw(data: bytes) -> None:
        with raw_client(shared_home) as client:
            client.send_bytes(data)

    throw()
    with raw_client(shared_home) as client, pytest.raises((EOFError, OSError)):
        client.send_bytes(b" " * (greeting.LONGEST_REQUEST + 1)) or client.recv_bytes()
    wait_until(lambda: shared._host._clients == 0, "the host let go of them")
    assert attached(shared_home).find("Notes").name == "Notes"


def test_a_request_too_long_is_refused_before_it_is_sent(shared_home: Home) -> None:
    with pytest.raises(BadRequest, match="too long"):
        attached(shared_home).search(SearchRequest("x" * 1_100_000))
