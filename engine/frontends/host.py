"""The host's side of the channel: a process that has the library open answers the others of the same person.

A thread per connection and one per request: a search must not wait for an index run, the library allows calls from any
thread, and a client that hangs holds up itself alone. This is the one place of the engine, beside the keychain, that
starts threads.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import logging
import os
import secrets
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

import msgspec

from engine.backoff import BackOff
from engine.errors import BadRequest, EngineError, UserError
from engine.frontends import greeting, protocol, render, shapes
from engine.frontends.attach import verbs
from engine.frontends.greeting import LONGEST_REQUEST, BadMessage
from engine.frontends.lock import LibraryLock
from engine.frontends.protocol import Accepted, Address, Answer, Cancel, Moved, Pause, Request
from engine.indexing.refresh import REFRESHED
from engine.inference.base import Embedder
from engine.job import Job, Progress
from engine.library import Library
from engine.model import Changed, Changes, SearchRequest, SearchResult, Source, SourceId
from engine.paths import Home

MOST_CLIENTS = 64
MOST_REQUESTS = 16
"""At once in one connection."""
SEND_SECONDS = 5
"""A client that does not read for so long is dropped."""
PROGRESS_SECONDS = 0.1
FOLLOW_SECONDS = 0.2
TAKE_IN = BackOff(0.05, 1.0)
"""Rests after clients that could not be taken in."""
_LONGEST_SOCKET_PATH = 100
"""Bytes; the systems allow 103 or 107."""

_log = logging.getLogger(__name__)


def _no_window(text: str) -> None:
    raise UserError("No Lamplight window is open on this library.", "Start it: lamplight")


class Host:
    """Answers for ``library`` until ``stop``. ``show`` brings up quick search where there is a window."""

    def __init__(self, library: HostedLibrary, *, show: Callable[[str], None] = _no_window) -> None:
        self._library = library
        self._show = show
        self._verbs = verbs()
        self._key = secrets.token_hex(32)
        self._state = threading.Condition()
        self._clients = 0
        self._jobs: set[Job] = set()
        self._is_closed = False
        self._forget_the_dead()
        place = _new_place(library.home)
        self._listener = Listener(place, greeting.family(), backlog=MOST_CLIENTS)
        if sys.platform != "win32":
            Path(place).chmod(0o600)
        self._address = Address(place, self._key, os.getpid())
        with contextlib.suppress(EngineError):  # nobody finds us on a disk that is full, but our own search works
            protocol.write_address(library.home, self._address)

    def start(self) -> None:
        """Serve on a thread of its own, which ends with the process."""
        threading.Thread(target=self.serve_forever, name="host", daemon=True).start()

    def serve_forever(self) -> None:
        """Take clients in until ``stop``."""
        failures = 0
        while not self._is_closed:
            try:
                connection = self._listener.accept()
            except OSError as error:
                if not self._is_closed:
                    # Out of handles, or a client that left at once: the next may fare better.
                    _log.warning("a client could not be taken in: %s", error)
                    failures += 1
                    time.sleep(TAKE_IN.seconds(failures))
                continue
            failures = 0
            with self._state:
                is_welcome = not self._is_closed and self._clients < MOST_CLIENTS
                self._clients += is_welcome
            if is_welcome:
                threading.Thread(target=self._serve, args=(connection,), name="client", daemon=True).start()
            else:
                connection.close()

    def stop(self, waiting: Callable[[], None] = lambda: None) -> None:
        """Finish what is being worked on for others, then close. ``waiting`` is called once when there is such work.

        Until then new requests are still answered, so that nobody waits for somebody else's long run.
        """
        with self._state:
            if self._jobs:
                waiting()
            self._state.wait_for(lambda: not self._jobs)
            self._is_closed = True
        protocol.forget_address(self._library.home)
        with contextlib.suppress(OSError):
            # ``accept`` cannot be given a time limit: a last client wakes it.
            Client(self._address.place, greeting.family()).close()
        self._listener.close()
        _remove_place(self._address.place)

    def jobs(self) -> list[Job]:
        """What is being worked on for others now."""
        return list(self._jobs)

    # --- one client

    def _serve(self, connection: Connection[Any, Any]) -> None:
        try:
            with connection:
                _limit_sending(connection)
                protocol.admit(connection, self._key)
                self._converse(_Client(connection))
        except (EOFError, OSError, BadMessage) as error:
            _log.debug("a client left: %s", error)
        finally:
            with self._state:
                self._clients -= 1

    def _converse(self, client: _Client) -> None:
        """Read requests and what is to become of them; what a client left unfinished when it goes is cancelled."""
        try:
            while True:
                message = protocol.receive(client.connection, Request | Cancel | Pause, LONGEST_REQUEST)
                if isinstance(message, Cancel):
                    client.cancel(message.id)
                elif isinstance(message, Pause):
                    client.pause(message.id, message.is_paused)
                elif not self._begin(client, message):
                    return
        finally:
            client.cancel_all()

    def _begin(self, client: _Client, request: Request) -> bool:
        """False when the host is closing: the client, not having been accepted, asks elsewhere."""
        job = client.job_for(request.id)
        with self._state:
            if self._is_closed:
                return False
            self._jobs.add(job)
        threading.Thread(target=self._work, args=(client, request, job), name="request", daemon=True).start()
        return True

    def _work(self, client: _Client, request: Request, job: Job) -> None:
        try:
            client.send(Accepted(request.id))
            message: object = Answer(request.id, self._call(request, job))
        except Exception as error:  # noqa: BLE001 - the client is told; the host must go on whatever it was
            if not isinstance(error, UserError):
                _log.debug("%s failed", request.verb, exc_info=True)
            message = protocol.failure(request.id, error)
        try:
            client.finish(request.id, message)
        finally:
            with self._state:
                self._jobs.discard(job)
                self._state.notify_all()

    def _call(self, request: Request, job: Job) -> object:
        arguments = self._checked(request)
        if request.verb == "show_quick_search":
            return self._show(arguments.get("text", ""))
        target = getattr(self._library, request.verb)
        if not callable(target):
            return target
        if "job" in self._verbs[request.verb]:
            arguments["job"] = job
        if request.verb == "index":
            return self._index(arguments)
        answer = target(**arguments)
        if (changes := _changes(request.verb, answer)) is not None:
            self._library.tell(changes)
        return answer

    def _index(self, arguments: dict[str, Any]) -> object:
        """A run for somebody else, which whoever follows the library sees moving."""
        source, job = self._library.find(arguments["source"]).id, arguments["job"]
        arguments["job"] = _FollowedJob(job, functools.partial(self._library.tell_moved, source))
        try:
            return self._library.index(**arguments)
        finally:
            self._library.tell_moved(source, None)
            self._library.tell(Changes(frozenset({Changed.NOTES, Changed.SOURCES}), frozenset({source})))

    def _checked(self, request: Request) -> dict[str, Any]:
        known = self._verbs.get(request.verb)
        if known is None:
            raise BadRequest(f"There is no verb '{request.verb}'.", "The two programs may be of different versions.")
        arguments = {}
        for name, value in request.arguments.items():
            if name not in known or name == "job":
                raise BadRequest(f"'{request.verb}' takes no argument '{name}'.")
            try:
                arguments[name] = msgspec.convert(value, known[name], dec_hook=protocol.typed)
            except msgspec.ValidationError as error:
                raise BadRequest(f"'{name}' of '{request.verb}': {error}.") from error
        if request.verb != "show_quick_search" and callable(getattr(self._library, request.verb)):
            arguments_fit(getattr(self._library, request.verb), arguments)
        return arguments

    def _forget_the_dead(self) -> None:
        """Remove what an earlier host left behind: we hold the lock, so it no longer runs."""
        stale = protocol.read_address(self._library.home)
        if stale is not None:
            _remove_place(stale.place)


def arguments_fit(target: Callable[..., object], arguments: dict[str, Any]) -> None:
    """Raise ``BadRequest`` when an argument without a default is missing."""
    needed = [
        name
        for name, parameter in inspect.signature(target).parameters.items()
        if parameter.default is inspect.Parameter.empty and name not in (*arguments, "job")
    ]
    if needed:
        raise BadRequest(f"Missing: {', '.join(needed)}.")


class _Client:
    """One connection: its running jobs, and a lock so that messages of several threads do not mix."""

    def __init__(self, connection: Connection[Any, Any]) -> None:
        self.connection = connection
        self._lock = threading.Lock()
        self._jobs: dict[int, Job] = {}

    def job_for(self, request_id: int) -> Job:
        if request_id in self._jobs or len(self._jobs) >= MOST_REQUESTS:
            raise BadMessage("too many requests at once, or a number used twice")
        job = self._jobs[request_id] = _SentJob(self, request_id)
        return job

    def send(self, message: object) -> None:
        with self._lock:
            protocol.send(self.connection, message)

    def finish(self, request_id: int, message: object) -> None:
        """Send the last word about a request; a client that is gone has no use for it."""
        self._jobs.pop(request_id, None)
        try:
            self.send(message)
        except BadRequest as error:
            self.send(protocol.failure(request_id, error))
        except OSError as error:
            _log.debug("an answer found nobody: %s", error)

    def cancel(self, request_id: int) -> None:
        job = self._jobs.get(request_id)
        if job is not None:
            job.cancel()

    def pause(self, request_id: int, is_paused: bool) -> None:
        job = self._jobs.get(request_id)
        if job is not None:
            job.pause() if is_paused else job.resume()

    def cancel_all(self) -> None:
        for job in list(self._jobs.values()):
            job.cancel()


class _SentJob(Job):
    """Progress goes to the client, at most ten times a second."""

    def __init__(self, client: _Client, request_id: int) -> None:
        super().__init__()
        self._client = client
        self._id = request_id
        self._sent_at = 0.0

    def report(self, stage: str, done: int, total: int = 0, detail: str = "") -> None:
        super().report(stage, done, total, detail)
        now = time.monotonic()
        if now - self._sent_at < PROGRESS_SECONDS:
            return
        self._sent_at = now
        try:
            self._client.send(Moved(self._id, stage, done, total, detail))
        except OSError:
            self.cancel()


class _FollowedJob(Job):
    """The part of a sent job that tells those who follow the library, too."""

    def __init__(self, sent: Job, moved: Callable[[Progress], None]) -> None:
        super().__init__()
        self._sent = sent
        self._moved = moved
        self._told_at = 0.0

    def check(self) -> None:
        self._sent.check()

    @property
    def is_cancelled(self) -> bool:
        return self._sent.is_cancelled

    @property
    def is_paused(self) -> bool:
        return self._sent.is_paused

    @contextlib.contextmanager
    def interruptible(self, interrupt: Callable[[], None]) -> Iterator[None]:
        with self._sent.interruptible(interrupt):
            yield

    def report(self, stage: str, done: int, total: int = 0, detail: str = "") -> None:
        self._sent.report(stage, done, total, detail)
        super().report(stage, done, total, detail)
        now = time.monotonic()
        if now - self._told_at >= FOLLOW_SECONDS or done == total:
            self._told_at = now
            self._moved(self.snapshot())


_OF_SOURCES = frozenset({Changed.SOURCES, Changed.NOTES})
_CHANGING = {
    "add": _OF_SOURCES,
    "configure": _OF_SOURCES,
    "freshen": _OF_SOURCES,
    "import_decisions": frozenset({Changed.DECISIONS}),
    "decide_merge": frozenset({Changed.DECISIONS}),
}
"""Verbs that change something without saying so in what they return."""


def _changes(verb: str, answer: object) -> Changes | None:
    """What a verb that has answered changed, if anything."""
    if isinstance(answer, Changes):
        return answer
    if isinstance(answer, SearchResult):
        fresh = frozenset(age.source for age in answer.ages if age.refresh == REFRESHED)
        return Changes(_OF_SOURCES, fresh) if fresh else None
    if verb not in _CHANGING:
        return None
    sources = frozenset({answer.id}) if isinstance(answer, Source) else frozenset[SourceId]()
    return Changes(_CHANGING[verb], sources)


def _new_place(home: Home) -> str:
    """A fresh socket path in a folder that only its owner may enter, or the name of a pipe."""
    if sys.platform == "win32":
        return rf"\\.\pipe\lamplight-{secrets.token_hex(8)}"
    beside = home.data / "host.sock"
    if len(os.fsencode(beside)) <= _LONGEST_SOCKET_PATH:
        beside.unlink(missing_ok=True)
        return str(beside)
    return str(Path(tempfile.mkdtemp(prefix="lamplight-")) / "host.sock")


def _remove_place(place: str) -> None:
    if sys.platform == "win32":
        return
    path = Path(place)
    if path.name == "host.sock":
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        if path.parent.name.startswith("lamplight-"):
            shutil.rmtree(path.parent, ignore_errors=True)


def _limit_sending(connection: Connection[Any, Any]) -> None:
    """Let a send fail when the client does not read. Pipes of Windows have no such limit; there the thread waits."""
    if sys.platform == "win32":
        return
    import socket
    import struct

    with socket.socket(fileno=os.dup(connection.fileno())) as twin:
        twin.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))


class HostedLibrary(Library):
    """A library that this process opened and answers for. ``close`` finishes others' work first."""

    reads_apart = True

    def __init__(self, home: Home, embedder: Embedder | None = None, *, lock: LibraryLock) -> None:
        super().__init__(home, embedder)
        self._library_lock = lock
        self.waiting: Callable[[], None] = lambda: None
        self.on_quick_search: Callable[[str], None] = _no_window
        """Set by the window, called from another thread."""
        self.tell: Callable[[Changes], None] = lambda _changes: None
        self.tell_moved: Callable[[str, Progress | None], None] = lambda _source, _progress: None
        self._host = Host(self, show=self.show_quick_search)
        self._host.start()

    def follow(self, changed: Callable[[Changes], None], moved: Callable[[str, Progress | None], None]) -> bool:
        """Tell, from other threads, what others who asked this library changed, and how their runs move (None: over).
        True: nobody needs to look."""
        self.tell, self.tell_moved = changed, moved
        return True

    def show_quick_search(self, text: str = "") -> None:
        self.on_quick_search(text)

    def printed_search(self, request: SearchRequest, *, as_json: bool, colour: bool, job: Job | None = None) -> str:
        """The result as the command line prints it: a process that only asks need not know what a result is.

        What has changed since the last run is counted beside the search, half of which is the model and the database
        at work.
        """
        with ThreadPoolExecutor(1) as beside:
            counting = beside.submit(self.behind, request.sources, job)
            result = self.search(request, job)
        counting.result()
        now = [replace(age, behind_by=self._held.index_of(age.source).behind_by) for age in result.ages]
        result = result.with_ages(now)
        if as_json:
            return json.dumps(shapes.result(result, request.text), ensure_ascii=False, indent=2)
        return render.result_text(result, colour=colour, explain=request.explain)

    def close(self) -> None:
        self._host.stop(self.waiting)
        super().close()
        self._library_lock.release()
