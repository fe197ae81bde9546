"""Reading ``.ajson`` append logs as a stream: one record after the other, torn and damaged ones skipped and counted.

Never holds more than one record and one piece of the file; decides nothing about what records mean.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import msgspec

from engine.files import open_ordinary

LONGEST_RECORD = 16 * 1024 * 1024
"""Bytes of one record; a longer one is damage."""
_PIECE = 1 << 20
_KEY = re.compile(r'[\s,]*("(?:[^"\\]|\\.)*")\s*:\s*', re.DOTALL)
_SEPARATORS = re.compile(r"[\s,]*")
_NEXT_RECORD = re.compile(r'\}\s*,\s*(?=")')


@dataclass(slots=True)
class Tally:
    """What was met on the way."""

    malformed: int = 0
    """Lines or records that are not valid, a torn last one included."""
    tombstones: int = 0
    """Records that were deleted by a later line."""
    ignored: int = 0
    """Records of kinds that are not read."""


def read_lines(path: Path, tally: Tally) -> Iterator[tuple[str, object]]:
    """(key, value) of each record of a log with one record per line, with or without a comma at its end."""
    with open_ordinary(path) as file:
        while line := file.readline(LONGEST_RECORD):
            if len(line) == LONGEST_RECORD and not line.endswith(b"\n"):
                tally.malformed += 1
                _skip_line(file)
                continue
            bare = line.strip().removesuffix(b",")
            if bare:
                yield from _records(bare, tally)


def _skip_line(file: IO[bytes]) -> None:
    while piece := file.readline(_PIECE):
        if piece.endswith(b"\n"):
            return


def _records(line: bytes, tally: Tally) -> Iterator[tuple[str, object]]:
    # Keys hold escaped quotes and colons: only a JSON parser tells where one ends.
    wrapped = b"{" + line + b"}"
    try:
        found: object = msgspec.json.decode(wrapped)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Half characters and infinities are no JSON to msgspec, but they are written all the same.
        try:
            found = json.loads(wrapped.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            tally.malformed += 1
            return
    if isinstance(found, dict):
        yield from found.items()


def read_stream(path: Path, tally: Tally) -> Iterator[tuple[str, object]]:
    """(key, value) of each record of a log whose records follow each other without line ends."""
    decoder = json.JSONDecoder()
    text, at_end = "", False
    with io.TextIOWrapper(open_ordinary(path), "utf-8", "replace", newline="") as file:
        while True:
            if not at_end:
                piece = file.read(max(_PIECE, len(text)))
                at_end = not piece
                text += piece
            start = 0
            while (found := _one(decoder, text, start)) is not None:
                key, value, start = found
                yield key, value
            text = text[start:]
            if at_end and not _SEPARATORS.sub("", text, count=1):
                return
            if at_end or len(text) > LONGEST_RECORD:
                tally.malformed += 1
                skipped = _NEXT_RECORD.search(text)
                if skipped is None and at_end:
                    return
                text = text[skipped.end() :] if skipped else ""


def _one(decoder: json.JSONDecoder, text: str, start: int) -> tuple[str, object, int] | None:
    """(key, value, end) of the record at ``start``; ``None`` when there is no whole one."""
    key = _KEY.match(text, start)
    if key is None or key.end() == len(text):
        return None
    try:
        value, end = decoder.raw_decode(text, key.end())
        return str(json.loads(key[1])), value, end
    except (ValueError, RecursionError):
        return None
