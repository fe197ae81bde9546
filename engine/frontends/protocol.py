"""What two Lamplight processes of one person say to each other: JSON messages of bounded size, never pickle.

Owns the messages, the host's side of the introductions (``greeting.py`` has the client's), and the file that says where
the host listens. Knows neither the library nor threads.
"""

from __future__ import annotations

import contextlib
import functools
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import PurePath
from typing import Any, Generic, TypeVar

import msgspec

from engine import errors
from engine.errors import BadRequest, BugError, Cancelled, EngineError
from engine.files import read_ordinary
from engine.frontends.greeting import ADDRESS, LONGEST_ANSWER, LONGEST_GREETING, PATIENCE, VERSIONS, BadMessage, proof
from engine.paths import Home, write_atomically

T = TypeVar("T")


# --- messages ----------------------------------------------------------------------------------------------------


class Hello(msgspec.Struct, tag="hello"):
    """First word of the host."""

    versions: tuple[int, ...]
    nonce: str


class Reply(msgspec.Struct, tag="reply"):
    """The client picks a version and proves that it read the key."""

    version: int
    nonce: str
    proof: str


class Welcome(msgspec.Struct, tag="welcome"):
    proof: str


class Request(msgspec.Struct, tag="request"):
    id: int
    verb: str
    arguments: dict[str, Any] = {}


class Cancel(msgspec.Struct, tag="cancel"):
    id: int


class Pause(msgspec.Struct, tag="pause"):
    """The client's job is paused, or goes on. Since version 2."""

    id: int
    is_paused: bool


class Accepted(msgspec.Struct, tag="accepted"):
    """The host has begun; from here on the request must not be sent again."""

    id: int


class Moved(msgspec.Struct, tag="moved"):
    """Progress of a request."""

    id: int
    stage: str
    done: int
    total: int
    detail: str


class Answer(msgspec.Struct, Generic[T], tag="answer"):
    id: int
    value: T


class Failed(msgspec.Struct, tag="failed"):
    id: int
    error: str
    """Name of a class of ``engine.errors``."""
    message: str
    remedy: str = ""


def encode(message: object) -> bytes:
    """File names may hold bytes that are no text; the fast encoder refuses those, the standard one escapes them.

    Raises ``BadRequest`` for a value that JSON cannot carry.
    """
    try:
        return msgspec.json.encode(message, enc_hook=_plain)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(message, enc_hook=_plain)).encode()
    except TypeError as error:
        raise BadRequest(f"This cannot be passed to another process ({error}).") from error


def _plain(value: Any) -> Any:
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"a {type(value).__name__}")


def typed(kind: type, value: Any) -> Any:
    """The other way, for msgspec's ``dec_hook``: what ``_plain`` made plain."""
    if issubclass(kind, PurePath):
        return kind(value)
    raise TypeError(f"a {kind.__name__}")


@functools.cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, dec_hook=typed)


def decode(data: bytes, kind: Any) -> Any:
    """The message of type ``kind`` (a union of the classes above). Raises ``BadMessage``."""
    try:
        return _decoder(kind).decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return msgspec.convert(json.loads(data), kind, dec_hook=typed)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise BadMessage(str(error)) from error


def send(connection: Connection[Any, Any], message: object, limit: int = LONGEST_ANSWER) -> None:
    data = encode(message)
    if len(data) > limit:
        raise BadRequest(f"This is too long to pass on: {len(data):,} bytes; the limit is {limit:,}.")
    connection.send_bytes(data)


def receive(connection: Connection[Any, Any], kind: Any, limit: int, *, patience: float | None = None) -> Any:
    """The next message. Raises ``EOFError`` or ``OSError`` when the other side is gone or exceeds ``limit``."""
    if patience is not None and not connection.poll(patience):
        raise OSError("the other side does not answer")
    return decode(connection.recv_bytes(limit), kind)


# --- introductions -----------------------------------------------------------------------------------------------


def admit(connection: Connection[Any, Any], key: str) -> int:
    """The host's side: the version that both speak. Raises ``BadMessage`` for whoever does not know the key."""
    nonce = secrets.token_hex(16)
    send(connection, Hello(VERSIONS, nonce))
    reply = receive(connection, Reply, LONGEST_GREETING, patience=PATIENCE)
    if not hmac.compare_digest(reply.proof.encode(), proof(key, "client", nonce, reply.nonce).encode()):
        raise BadMessage("the client does not know the key")
    if reply.version not in VERSIONS:
        raise BadMessage(f"the client wants version {reply.version}")
    send(connection, Welcome(proof(key, "host", nonce, reply.nonce)))
    return int(reply.version)


# --- where the host listens --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Address:
    """Where the host listens and the key of this run; in a file that only its owner can read."""

    place: str
    """Path of a socket, or name of a pipe."""
    key: str
    pid: int


def write_address(home: Home, address: Address) -> None:
    write_atomically(home.data / ADDRESS, msgspec.json.encode(address))


def read_address(home: Home) -> Address | None:
    """What the latest host wrote; it may be long gone."""
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(read_ordinary(home.data / ADDRESS), type=Address)
    return None


def forget_address(home: Home) -> None:
    """Called by a host that ends; a file that a later host wrote stays."""
    address = read_address(home)
    if address is not None and address.pid == os.getpid():
        (home.data / ADDRESS).unlink(missing_ok=True)


# --- errors ------------------------------------------------------------------------------------------------------


def failure(request_id: int, error: Exception) -> Failed:
    """What the client is told. Of a fault of ours it learns the kind and the words, not the trace."""
    if isinstance(error, Cancelled):
        return Failed(request_id, "Cancelled", "")
    said = errors.in_words(error)
    # Of the kinds that rooms derive for themselves, the other side knows the one they derive from.
    known = next(kind.__name__ for kind in type(said).__mro__ if hasattr(errors, kind.__name__))
    return Failed(request_id, known, said.message, said.remedy)


def error_of(failed: Failed) -> Exception:
    kind = getattr(errors, failed.error, None)
    if kind is Cancelled:
        return Cancelled()
    if isinstance(kind, type) and issubclass(kind, EngineError):
        return kind(failed.message, failed.remedy)
    return BugError(failed.message, failed.remedy)
