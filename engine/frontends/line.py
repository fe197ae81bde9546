"""Lines to the host: dialled, kept for the next call, and how one call goes over one of them.

Owns the client's connections. Knows neither the verbs nor what becomes of a call whose host has gone.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
from multiprocessing.connection import Client, Connection
from typing import Any

from engine.errors import LibraryBusy
from engine.frontends import greeting, protocol
from engine.frontends.greeting import LONGEST_ANSWER, LONGEST_REQUEST, BadMessage, HostGone
from engine.frontends.protocol import Accepted, Address, Answer, Cancel, Failed, Moved, Pause, Request
from engine.job import Job
from engine.paths import Home

MOST_KEPT = 4
"""Lines that nobody uses at the moment; introductions take longer than many an answer."""
_PAUSES_SINCE = 2
"""Version of the protocol."""

_numbers = itertools.count(1)


class HostDied(LibraryBusy):
    """The host ended after it had taken a request on."""


class Line:
    """A connection to the host of ``address``. One call at a time; what a call is told comes from any thread."""

    def __init__(self, address: Address, connection: Connection[Any, Any], version: int) -> None:
        self.address = address
        self.version = version
        self._connection = connection
        self._sending = threading.Lock()

    def close(self) -> None:
        self._connection.close()

    def send(self, message: object) -> None:
        with self._sending:
            protocol.send(self._connection, message, LONGEST_REQUEST)

    def receive(self, kind: Any, limit: int) -> Any:
        return protocol.receive(self._connection, kind, limit)

    def answer(self, request: Request, kind: Any, job: Job | None) -> Answer[Any] | Failed:
        """The host's last word about an accepted request; progress and the wishes of ``job`` are passed on before it.
        Raises ``HostDied``."""
        if job is None:
            return self._last_word(kind, None)
        with (
            job.interruptible(functools.partial(self._tell, Cancel(request.id))),
            job.watched(functools.partial(self._pause, request.id)),
        ):
            return self._last_word(kind, job)

    def _last_word(self, kind: Any, job: Job | None) -> Answer[Any] | Failed:
        while True:
            try:
                message = self.receive(Moved | Failed | Answer[kind], LONGEST_ANSWER)
            except (EOFError, OSError) as error:
                raise HostDied(
                    "The Lamplight that was answering has ended.", "What it had done is kept; try again."
                ) from error
            if isinstance(message, Answer | Failed):
                return message
            if job is not None:
                job.report(message.stage, message.done, message.total, message.detail)

    def _pause(self, number: int, is_paused: bool) -> None:
        if self.version >= _PAUSES_SINCE:
            self._tell(Pause(number, is_paused))

    def _tell(self, message: Cancel | Pause) -> None:
        # When the host is gone, whoever waits for its answer learns that by itself.
        with contextlib.suppress(OSError):
            self.send(message)


def dial(address: Address) -> Line:
    """A line to the host, both sides known to each other. Raises ``HostGone``."""
    try:
        connection = Client(address.place, greeting.family())
    except OSError as error:
        raise HostGone(str(error)) from error
    try:
        return Line(address, connection, greeting.introduce(connection, address.key))
    except (EOFError, OSError, BadMessage) as error:
        connection.close()
        raise HostGone(str(error)) from error
    except BaseException:
        connection.close()
        raise


class Lines:
    """The lines of one client: a call takes one of its own, so calls never wait for one another."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._kept: list[Line] = []

    def ask(self, kind: Any, verb: str, job: Job | None, arguments: dict[str, Any]) -> Any:
        """The host's answer, of type ``kind``. Raises ``HostGone``, ``HostDied``, and what the host says went wrong."""
        request = Request(next(_numbers), verb, arguments)
        line = self._accepted(request)
        try:
            last = line.answer(request, kind, job)
        except BaseException:
            # What this line may still bring belongs to nobody.
            line.close()
            raise
        self.keep(line)
        if isinstance(last, Failed):
            raise protocol.error_of(last)
        return last.value

    def keep(self, line: Line) -> None:
        with self._lock:
            if len(self._kept) < MOST_KEPT:
                self._kept.append(line)
                return
        line.close()

    def close(self) -> None:
        with self._lock:
            for line in self._kept:
                line.close()
            self._kept.clear()

    def _accepted(self, request: Request) -> Line:
        """A line on which the host has taken ``request`` on. Raises ``HostGone``."""
        address = protocol.read_address(self._home)
        if address is None:
            raise HostGone("nobody hosts the library")
        while True:
            kept = self._taken(address)
            line = kept or dial(address)
            try:
                line.send(request)
                line.receive(Accepted, LONGEST_REQUEST)
            except (EOFError, OSError) as error:
                line.close()
                if kept is None:
                    raise HostGone(str(error)) from error
            except BaseException:
                line.close()
                raise
            else:
                return line

    def _taken(self, address: Address) -> Line | None:
        with self._lock:
            while self._kept:
                line = self._kept.pop()
                if line.address == address:
                    return line
                line.close()
        return None
