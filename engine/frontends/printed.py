"""A search that the host also prints, asked by a process that lives for a moment.

Speaks the channel's JSON by itself: loading the library's values, the messages and their decoder would take longer than
the host takes to answer. Everything else asks through ``attach.py``.
"""

from __future__ import annotations

import json
import sys

from engine.files import read_ordinary
from engine.frontends.greeting import ADDRESS, LONGEST_ANSWER, LONGEST_REQUEST, BadMessage, HostGone, introduce
from engine.paths import places

TYPE_CHECKING = False  # see ``engine.paths``
if TYPE_CHECKING:
    from typing import Any, NoReturn, Protocol

    from engine.frontends.greeting import Wire

    class _Line(Wire, Protocol):
        def close(self) -> None: ...


def printed_search(request: dict[str, Any], *, as_json: bool, colour: bool) -> str | None:
    """What to print for ``request`` (the fields of ``SearchRequest``), or None when nobody hosts the library.

    None too when the host ends while it works: a search can be asked again. Raises the library's errors.
    """
    arguments = {"request": request, "as_json": as_json, "colour": colour}
    question = json.dumps({"type": "request", "id": 1, "verb": "printed_search", "arguments": arguments}).encode()
    try:
        line = _accepted(question)
    except (HostGone, BadMessage, EOFError, OSError):
        return None
    try:
        while True:
            message = json.loads(line.recv_bytes(LONGEST_ANSWER))
            if message["type"] == "answer":
                return str(message["value"])
            if message["type"] == "failed":
                _fail(message)
    except (EOFError, OSError):
        return None
    finally:
        line.close()


def _accepted(question: bytes) -> _Line:
    """A line to the host, which has taken the question on."""
    if len(question) > LONGEST_REQUEST:
        raise HostGone("too long to pass on")
    try:
        address = json.loads(read_ordinary(f"{places()[0]}/{ADDRESS}"))
        place, key = str(address["place"]), str(address["key"])
    except (ValueError, KeyError, TypeError) as error:
        raise HostGone(str(error)) from error
    line = _dial(place)
    try:
        introduce(line, key)
        line.send_bytes(question)
        line.recv_bytes(LONGEST_REQUEST)
    except BaseException:
        line.close()
        raise
    return line


def _fail(message: dict[str, Any]) -> NoReturn:
    from engine.frontends import protocol

    raise protocol.error_of(protocol.Failed(1, message["error"], message["message"], message.get("remedy", "")))


def _dial(place: str) -> _Line:
    if sys.platform == "win32":
        from multiprocessing.connection import Client

        return Client(place, "AF_PIPE")
    return _Socket(place)


class _Socket:
    """The standard library's ``Connection`` on a socket, without what it loads for pools of processes."""

    def __init__(self, place: str) -> None:
        # Loaded here: Windows has no use for it.
        import socket

        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(place)
        except BaseException:
            self._socket.close()
            raise

    def close(self) -> None:
        self._socket.close()

    def poll(self, seconds: float, /) -> bool:
        import select

        return bool(select.select([self._socket], [], [], seconds)[0])

    def send_bytes(self, data: bytes, /) -> None:
        self._socket.sendall(len(data).to_bytes(4, "big") + data)

    def recv_bytes(self, limit: int, /) -> bytes:
        """One message. Raises ``EOFError`` when the other side has closed, ``OSError`` when it is too long."""
        length = int.from_bytes(self._read(4), "big")
        if length > limit:
            raise OSError("the message is too long")
        return self._read(length)

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self._socket.recv(min(size - len(parts), 1 << 20))
            if not part:
                raise EOFError
            parts += part
        return bytes(parts)
