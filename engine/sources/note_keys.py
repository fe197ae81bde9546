"""Note keys and the paths they stand for. A key is always valid text; a file name need not be.

Bytes of a name that are not UTF-8 become characters of a private range, one for one, so that the key can be
stored and shown and the very same file be opened again.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from engine.errors import NotAllowed
from engine.model import NoteKey

_SURROGATE = 0xDC00
_PRIVATE = 0xF700
_UNDECODED = re.compile("[\udc80-\udcff]")
_ESCAPED = re.compile("[\uf780-\uf7ff]")


def key_of(relative: str) -> NoteKey:
    """The key of a path relative to the vault as the system spells it (``/`` between the parts)."""
    if relative.isascii():  # costs nothing, and a search asks it of every file
        return NoteKey(relative)
    return NoteKey(_UNDECODED.sub(lambda found: chr(ord(found[0]) - _SURROGATE + _PRIVATE), relative))


def relative_of(key: NoteKey) -> str:
    """The path of a key as the system spells it."""
    return _ESCAPED.sub(lambda found: chr(ord(found[0]) - _PRIVATE + _SURROGATE), key)


def path_bytes(key: NoteKey) -> bytes:
    return relative_of(key).encode("utf-8", "surrogateescape")


def shown(key: str) -> str:
    """A key as people read it."""
    return key if key.isascii() else _ESCAPED.sub("\ufffd", key)


def title_of(key: NoteKey) -> str:
    """The file's name without its ending."""
    name = shown(key).rsplit("/", 1)[-1]
    stem, dot, _ = name.rpartition(".")
    return stem if dot else name


def note_path(root: Path, key: NoteKey) -> Path:
    """The file of a note. Raises ``NotAllowed`` for a key that leads out of the vault or into hidden folders."""
    relative = relative_of(key)
    is_of_windows = os.name == "nt" and (":" in relative or "\\" in relative)
    if is_of_windows or relative.startswith("/") or any(part.startswith(".") for part in relative.split("/")):
        raise NotAllowed(f"{shown(key)!r} is not a path of a note inside the vault.")
    return root / relative
