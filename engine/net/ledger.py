"""The record of every connection: when, which service, which host, how much, why, and how it ended.

One JSON line each in a file of the owner alone. It never holds a path, a header, a token or note text: a caller
gives a fixed phrase as the reason, and hosts carry no more than their port.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import threading
from dataclasses import dataclass
from pathlib import Path

import msgspec

from engine.errors import EngineError
from engine.files import open_private, read_ordinary
from engine.net.secrets import mask_secrets
from engine.paths import make_private_folder

_ROTATE_AT = 1_000_000
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Connection:
    """One line of the ledger. Bytes count what was written and read, headers included."""

    time: float
    """Seconds since the epoch, when the connection was asked for."""
    service: str
    host: str
    why: str
    outcome: str
    """``ok``, ``status 401``, ``timeout``, ``refused``, ``broken``, ``too-large``, ``cancelled``, ``not-allowed``."""
    sent: int = 0
    received: int = 0
    seconds: float = 0.0


class Ledger:
    """Append-only; rotated once to ``<name>.1`` when it passes ``rotate_at`` bytes. Safe from several threads."""

    def __init__(self, path: Path, *, rotate_at: int = _ROTATE_AT) -> None:
        self._path = path
        self._older = path.with_name(path.name + ".1")
        self._rotate_at = rotate_at
        self._lock = threading.Lock()

    def record(self, connection: Connection) -> None:
        """Add one line. A full or read-only disk loses the line, never the call it describes."""
        values = dataclasses.asdict(connection)
        values.update({key: mask_secrets(str(values[key]))[:_LONGEST] for key in ("service", "host", "why", "outcome")})
        line = json.dumps(values, ensure_ascii=True).encode() + b"\n"
        with self._lock, contextlib.suppress(OSError, EngineError):
            make_private_folder(self._path.parent)
            self._rotate()
            handle = open_private(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            try:
                os.write(handle, line)
            finally:
                os.close(handle)

    def recent(self, limit: int = 100) -> list[Connection]:
        """The newest ``limit`` connections, newest first. Damaged lines are passed over."""
        with self._lock:
            lines = [line for path in (self._older, self._path) for line in _lines(path)]
        found: list[Connection] = []
        for line in reversed(lines):
            if len(found) >= limit:
                break
            connection = _parse(line)
            if connection is not None:
                found.append(connection)
        return found

    def _rotate(self) -> None:
        if self._path.exists() and self._path.stat().st_size >= self._rotate_at:
            self._path.replace(self._older)


def _lines(path: Path) -> list[bytes]:
    try:
        return read_ordinary(path, 2 * _ROTATE_AT).splitlines()
    except OSError:
        return []


def _parse(line: bytes) -> Connection | None:
    try:
        values = json.loads(line)
        return msgspec.convert(values, Connection)
    except (ValueError, RecursionError, msgspec.ValidationError):
        return None
