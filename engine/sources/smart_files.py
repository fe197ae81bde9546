"""The notes behind a Smart Connections index: found safely, compared with what was embedded, cut into excerpts.

Freshness is judged by the file itself, since the plugin misses changes. Never follows a path out of the vault.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import re
import stat
import threading
import unicodedata
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from engine.errors import BadRequest, NotAllowed, RetryError, UnknownNote
from engine.files import open_ordinary, read_ordinary
from engine.model import Freshness, NoteKey
from engine.sources.note_keys import note_path
from engine.sources.obsidian import MAX_BYTES, decode
from engine.sources.smart_groups import Item
from engine.sources.smart_models import text_hash
from engine.sources.smart_records import SourceRecord
from engine.sources.smart_text import cut_units, lines_text, parse_blocks

LARGEST_IMPORT = 300_000
"""Bytes above which the plugin embeds the head of a file and nothing else."""
_SHA = re.compile(r"[0-9a-f]{64}")
_DRIVE = re.compile(r"[A-Za-z]:")
_HASHED_UNITS = 100_000


class VaultFiles:
    """Files of one vault. Remembers listings and hashes, each as long as what it was taken from is unchanged."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._real_root = root.resolve()
        self._listings: dict[Path, frozenset[str]] = {}
        self._verdicts: dict[tuple[str, str, int, float, int, int], Freshness] = {}
        self._seen: dict[tuple[str, str], str] = {}
        self._lock = threading.RLock()

    def forget_folders(self) -> None:
        """Listings are kept for one revision of the index."""
        with self._lock:
            self._listings.clear()

    def locate(self, path: object) -> Path:
        """The file of a note. Raises ``BadRequest``, ``NotAllowed`` or ``UnknownNote``."""
        if not isinstance(path, str) or not path.strip():
            raise BadRequest("path takes the path of a note inside the vault.")
        wanted = path.replace("\\", "/")
        if "\0" in wanted or wanted.startswith("/") or _DRIVE.match(wanted):
            raise NotAllowed("Only paths relative to the vault are read.")
        if any(part in ("", ".") for part in wanted.split("/")):
            raise NotAllowed(f"'{path}' is not a plain path of a note.")
        note_path(self._root, NoteKey(wanted))
        file = self._spelled(wanted)
        if not file.resolve().is_relative_to(self._real_root):
            raise NotAllowed(f"'{path}' is a link that leads out of the vault.")
        if not stat.S_ISREG(file.stat().st_mode):
            raise NotAllowed(f"'{path}' is not a file.")
        return file

    def _spelled(self, wanted: str) -> Path:
        """The file by names that stand literally in their folders: short aliases of Windows and other case do not."""
        folder = self._root
        for part in PurePosixPath(wanted).parts:
            names = self._names(folder)
            found = part if part in names else _same_letters(part, names)
            if not found:
                raise UnknownNote(f"The vault has no note '{wanted}'.", "Give its path as the vault spells it.")
            folder = folder / found
        return folder

    def _names(self, folder: Path) -> frozenset[str]:
        with self._lock:
            if folder not in self._listings:
                try:
                    self._listings[folder] = frozenset(os.listdir(folder))  # noqa: PTH208 - names alone are wanted
                except OSError:
                    return frozenset()
            return self._listings[folder]

    def exists(self, path: str) -> bool:
        try:
            self.locate(path)
        except (NotAllowed, UnknownNote, BadRequest, OSError):
            return False
        return True

    def text(self, path: object) -> str:
        """The whole text of a note. Raises like ``locate``, and ``RetryError``."""
        try:
            return decode(read_ordinary(self.locate(path), MAX_BYTES))[0]
        except OSError as error:
            raise RetryError(f"'{path}' cannot be read ({error.strerror}).") from error

    def head(self, path: str, count: int) -> str:
        """The first ``count`` bytes, as text."""
        with open_ordinary(self.locate(path)) as file:
            return decode(file.read(count))[0]

    def lines(self, path: str, first: int, last: int, longest: int) -> str:
        """Lines ``first`` to ``last`` (1-based, inclusive), at most ``longest`` characters; reads no further."""
        taken: list[str] = []
        opened = open_ordinary(self.locate(path))
        with io.TextIOWrapper(opened, "utf-8-sig", "replace", newline="\n") as file:
            size = 0
            for line in itertools.islice(_newline_lines(file), first - 1, last):
                taken.append(line)
                size += len(line)
                if size > longest:
                    break
        return "\n".join(taken)[:longest]

    # --- freshness

    def freshness(self, record: SourceRecord) -> Freshness:
        """Whether the file is as the plugin last read it."""
        try:
            file = self.locate(record.path)
            info = file.stat()
            key = (record.path, record.read_hash, record.size, record.modified, info.st_size, info.st_mtime_ns)
            with self._lock:
                if key not in self._verdicts:
                    self._verdicts[key] = self._compare(file, info, record)
                return self._verdicts[key]
        except (UnknownNote, FileNotFoundError):
            return Freshness.GONE
        except (NotAllowed, BadRequest, OSError):
            return Freshness.UNKNOWN

    def _compare(self, file: Path, info: os.stat_result, record: SourceRecord) -> Freshness:
        if info.st_size > LARGEST_IMPORT:
            # The plugin does not read such a file either: its size and time are all there is to compare.
            if not record.size:
                return Freshness.UNKNOWN
            is_same = info.st_size == record.size and abs(info.st_mtime * 1000 - record.modified) < 2000
            return Freshness.CURRENT if is_same else Freshness.CHANGED
        if not record.read_hash:
            return Freshness.UNKNOWN
        text = decode(read_ordinary(file, LARGEST_IMPORT))[0]
        form = next((form for form in _forms(text) if is_hash_of(record.read_hash, form)), None)
        if form is None:
            return Freshness.CHANGED
        # The plugin's hash sees half of each letter; its size and a real hash see the rest.
        if (
            record.size
            and "\ufffd" not in form
            and len(form.encode("utf-8", "surrogatepass")) not in (record.size, record.size - 3)
        ):
            return Freshness.CHANGED
        digest = hashlib.sha256(text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")).hexdigest()
        first_seen = self._seen.setdefault((record.path, record.read_hash), digest)
        return Freshness.CURRENT if first_seen == digest else Freshness.CHANGED

    def embedded_text(self, record: SourceRecord) -> str | None:
        """The file's text in the form that the plugin read, line ends included; ``None`` when it has changed since."""
        if self.freshness(record) is not Freshness.CURRENT:
            return None
        text = self.text(record.path)
        return next((form for form in _forms(text) if is_hash_of(record.read_hash, form)), None)

    def whereabouts(self, item: Item, record: SourceRecord) -> tuple[int, int, bool]:
        """(first line, last line, is stale) of an item now: a block that moved is found again by its text."""
        state = self.freshness(record)
        if state in (Freshness.CURRENT, Freshness.GONE) or item.is_note:
            return item.first, item.last, item.is_stale or state in (Freshness.CHANGED, Freshness.GONE)
        if state is Freshness.UNKNOWN:
            return item.first, item.last, item.is_stale
        text = self.text(record.path)
        return _found_again(item, text)


def _found_again(item: Item, text: str) -> tuple[int, int, bool]:
    cut = [*parse_blocks(text), *parse_blocks(text, tags_are_headings=True)]
    blocks = [block for block in dict.fromkeys(cut) if block.last is not None]
    blocks.sort(key=lambda block: block.key != item.block)
    lines = text.split("\n")
    for block in blocks:
        last = block.last or 0
        if any(is_hash_of(item.read_hash, form) for form in _forms(lines_text(lines, block.first, last))):
            return block.first, last, False
    same = next((block for block in blocks if block.key == item.block), None)
    if same is not None:
        return same.first, same.last or 0, True
    return 0, 0, True


def is_hash_of(read_hash: str, text: str) -> bool:
    """Whether the plugin's hash (of either kind) is that of ``text``."""
    if _SHA.fullmatch(read_hash):
        trimmed = cut_units(text.strip(), _HASHED_UNITS)
        return hashlib.sha256(trimmed.encode("utf-8", "replace")).hexdigest() == read_hash
    return bool(read_hash) and text_hash(text) == read_hash


def _forms(text: str) -> Iterator[str]:
    """The text with its own line ends, then with either kind: a synced copy may have changed them."""
    yield text
    plain = text.replace("\r\n", "\n")
    if plain != text:
        yield plain
    windows = plain.replace("\n", "\r\n")
    if windows != text:
        yield windows


def _newline_lines(file: Iterator[str]) -> Iterator[str]:
    """Lines without the line feed at their end; the plugin knows no other line end."""
    for line in file:
        yield line.removesuffix("\n")


def _same_letters(part: str, names: frozenset[str]) -> str:
    """The name that differs from ``part`` in Unicode form only; empty when there is none."""
    if part.isascii():
        return ""
    wanted = unicodedata.normalize("NFC", part)
    return next((name for name in names if unicodedata.normalize("NFC", name) == wanted), "")
