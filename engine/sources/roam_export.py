"""Roam exports on disk: JSON, EDN, or a zip that holds one of them.

Owns how a file becomes a ``RawGraph``. Only strings, titles, uids, times, order and children are taken from it, by
name: users, e-mails, settings and windows are never looked at. The file is read only; what a page means is
``roam_tree``'s affair.
"""

from __future__ import annotations

import errno
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import NotASource, SourceOffline, UserError
from engine.files import open_ordinary, read_ordinary
from engine.job import Job
from engine.model import Note, NoteRef, Problem, Scan, Severity, SourceOptions
from engine.sources import edn
from engine.sources.roam_links import graph_of_file_name
from engine.sources.roam_raw import RawBlock, RawGraph, RawPage, seconds
from engine.sources.roam_tree import RoamTree

MAX_BYTES = 2_000_000_000
"""Largest content read from a zip, so that a small hostile file cannot fill the memory."""

_BAD_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, EOFError, ValueError, struct.error)
"""What the library raises for archives that are damaged, encrypted, or packed in a way that it does not know."""

_EDN_START = "#datascript/DB"
_EXPORT_AGAIN = "Export the graph again in Roam (… menu, Export All, JSON or EDN) and replace the file."
_BYTE = re.compile(r"\(byte (\d+)\)")
_SNIFFED = 65_536
_JSON_START = re.compile(r"\[\s*\{\s*\"(?:title|uid|children|refs|create-|edit-|:)")
_PAGE_KEYS = ("title", "string", "create-time", "edit-time")


class RoamExportReader:
    """A ``SourceReader`` of one export. The parsed graph is kept until the file changes."""

    def __init__(self, path: Path, options: SourceOptions) -> None:
        self._path = path
        self._options = options
        self._tree: RoamTree | None = None
        self._stamp: tuple[int, int] | None = None

    def scan(self, job: Job) -> Scan:
        """All pages with their revisions. Raises ``SourceOffline`` or ``NotASource``."""
        job.check()
        tree = self._load()
        refs: list[NoteRef] = []
        for key in tree.keys:
            job.check()
            refs.append(tree.ref(key))
            job.report("scan", len(refs), len(tree.keys))
        return Scan(tuple(refs), tree.problems)

    def read(self, ref: NoteRef) -> Note:
        """The page as the last scan saw it."""
        tree = self._tree or self._load()
        return tree.note(ref.key)

    def close(self) -> None:
        self._tree = None
        self._stamp = None

    def _load(self) -> RoamTree:
        stamp = _stamp(self._path)
        if self._tree is None or stamp != self._stamp:
            self._tree = RoamTree(read_export(self._path), self._options)
            self._stamp = stamp
        return self._tree


def read_export(path: Path) -> RawGraph:
    """Parse an export. Raises ``SourceOffline`` when it is not there, ``NotASource`` when it is not an export."""
    name, data = _content(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotASource(f"{path.name} is not UTF-8 text (line {line}).", _EXPORT_AGAIN) from error
    if name.lower().endswith(".edn") or text.lstrip().startswith(_EDN_START):
        return _graph_of_edn(path, text)
    return _graph_of_json(path, text)


def looks_like_roam_export(path: Path) -> bool:
    """A cheap look at the beginning of a file; never raises."""
    try:
        if path.suffix.lower() == ".zip":
            with open_ordinary(path) as file, zipfile.ZipFile(file) as archive:
                member = _member(archive)
                if member is None:
                    return False
                with archive.open(member) as stream:
                    return _is_start_of_export(stream.read(_SNIFFED))
        with open_ordinary(path) as file:
            return _is_start_of_export(file.read(_SNIFFED))
    except (OSError, *_BAD_ZIP):
        return False


def graph_name(path: Path) -> str:
    """The name of the exported graph, as its file name tells it (of a zip: the file inside)."""
    if path.suffix.lower() == ".zip":
        try:
            with open_ordinary(path) as file, zipfile.ZipFile(file) as archive:
                member = _member(archive)
                return graph_of_file_name(member.filename if member else path.name)
        except (OSError, *_BAD_ZIP):
            return graph_of_file_name(path.name)
    return graph_of_file_name(path.name)


def _is_start_of_export(head: bytes) -> bool:
    text = head.decode("utf-8-sig", "ignore").lstrip()
    if text.startswith(_EDN_START):
        return True
    return _JSON_START.match(text) is not None and any(f'"{key}"' in text for key in _PAGE_KEYS)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise _offline(path) from error
    return found.st_mtime_ns, found.st_size


def _content(path: Path) -> tuple[str, bytes]:
    """Name and bytes of the export, out of its zip if it is in one."""
    try:
        if path.suffix.lower() == ".zip":
            return _unzip(path)
        return path.name, read_ordinary(path, MAX_BYTES)
    except PermissionError as error:
        raise UserError(f"{path} may not be read.", "Change its permissions.") from error
    except OSError as error:
        if error.errno == errno.EAGAIN:
            raise SourceOffline(f"{path} is being written.", "Index again when that is done.") from error
        if error.errno == errno.E2BIG:
            raise NotASource(f"{path} is larger than {MAX_BYTES:,} bytes.") from error
        raise _offline(path) from error


def _unzip(path: Path) -> tuple[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(read_ordinary(path, MAX_BYTES))) as archive:
            member = _member(archive)
            if member is None:
                reason = f"{path.name} holds no JSON or EDN export; Markdown exports have no block ids."
                raise NotASource(reason, _EXPORT_AGAIN)
            if member.file_size > MAX_BYTES:
                raise NotASource(
                    f"{path.name} holds more than {MAX_BYTES:,} bytes.", "Unpack it and add what is inside."
                )
            with archive.open(member) as stream:
                return member.filename, stream.read(MAX_BYTES)
    except _BAD_ZIP as error:
        raise NotASource(f"{path.name} is a zip file that cannot be opened: {error}.", _EXPORT_AGAIN) from error


def _member(archive: zipfile.ZipFile) -> zipfile.ZipInfo | None:
    """The export in a zip: its only or largest JSON file, else EDN."""
    for suffix in (".json", ".edn"):
        found = [info for info in archive.infolist() if info.filename.lower().endswith(suffix)]
        if found:
            return max(found, key=lambda info: info.file_size)
    return None


def _offline(path: Path) -> SourceOffline:
    return SourceOffline(f"{path} is not there.", "Put the export back, or remove the source.")


# --- JSON ----------------------------------------------------------------------------------------------------------


def _graph_of_json(path: Path, text: str) -> RawGraph:
    pages = _decode_json(path, text)
    if isinstance(pages, dict) and "title" in pages:
        pages = [pages]
    if not isinstance(pages, list | tuple):
        raise NotASource(f"{path.name} is not a list of pages, as a Roam export is.", _EXPORT_AGAIN)
    return _JsonGraph().read(pages)


def _decode_json(path: Path, text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        # Blocks nested deeper than the decoder's stack: the reader without recursion takes longer and gets there.
        try:
            return edn.loads(text, json=True)
        except edn.EdnError as error:
            raise NotASource(f"{path.name} is not valid JSON. {error.message}", _EXPORT_AGAIN) from error
    except msgspec.DecodeError as error:
        raise NotASource(_describe_json_error(path, text, str(error)), _EXPORT_AGAIN) from error


def _describe_json_error(path: Path, text: str, reason: str) -> str:
    match = _BYTE.search(reason)
    before = text.encode()[: int(match[1])].decode("utf-8", "ignore") if match else text
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    what = reason.removesuffix(match[0]).strip() if match else "the file ends too early"
    return f"{path.name} is not valid JSON: {what} at line {line}, column {column}."


class _JsonGraph:
    """Turns decoded pages into raw pages and blocks; block keys are running numbers."""

    def __init__(self) -> None:
        self.pages: list[RawPage] = []
        self.blocks: dict[int, RawBlock] = {}
        self.problems: list[Problem] = []
        self.next_key = 0

    def read(self, pages: Iterable[object]) -> RawGraph:
        for number, page in enumerate(pages, start=1):
            if isinstance(page, Mapping):
                self._page(page)
            else:
                where, reason = f"page {number}", f"The entry is {type(page).__name__}, not a page."
                self.problems.append(Problem(Severity.FAILED, where, reason, "bad-page"))
        return RawGraph(self.pages, self.blocks, tuple(self.problems))

    def _page(self, page: Mapping[str, object]) -> None:
        title = _text(page.get("title"))
        waiting: deque[tuple[int, int, Mapping[str, object]]] = deque()
        children = self._children(page, title, waiting)
        uid, times = _text(page.get("uid")), _times(page)
        self.pages.append(RawPage(title, uid, children, *times))
        while waiting:
            key, order, block = waiting.popleft()
            self.blocks[key] = RawBlock(
                _text(block.get("string")),
                _text(block.get("uid")),
                order,
                self._children(block, title, waiting),
                *_times(block),
            )

    def _children(
        self, parent: Mapping[str, object], title: str, waiting: deque[tuple[int, int, Mapping[str, object]]]
    ) -> tuple[int, ...]:
        """Give the children keys and queue them. What is not a block is reported."""
        children = parent.get("children")
        if children is not None and not isinstance(children, list | tuple):
            self._warn(title, "The children of a block are not a list; they are left out.", "bad-children")
            return ()
        keys: list[int] = []
        for order, child in enumerate(children or ()):
            if not isinstance(child, Mapping):
                self._warn(title, f"A child is {type(child).__name__}, not a block; it is left out.", "bad-block")
                continue
            waiting.append((self.next_key, order, child))
            keys.append(self.next_key)
            self.next_key += 1
        return tuple(keys)

    def _warn(self, title: str, reason: str, code: str) -> None:
        self.problems.append(Problem(Severity.WARNING, title, reason, code))


def _times(entity: Mapping[str, object]) -> tuple[float | None, float | None]:
    return seconds(entity.get("create-time")), seconds(entity.get("edit-time"))


def _text(value: object) -> str:
    """A string, or a number that stands where a string should; anything else is as good as missing."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


# --- EDN -----------------------------------------------------------------------------------------------------------

_SINGLE = frozenset(
    (":node/title", ":block/uid", ":block/string", ":block/order", ":create/time", ":edit/time", ":page/edit-time")
)


def _graph_of_edn(path: Path, text: str) -> RawGraph:
    try:
        database = edn.loads(text)
    except edn.EdnError as error:
        raise NotASource(f"{path.name} is not valid EDN. {error.message}", _EXPORT_AGAIN) from error
    content = database.value if isinstance(database, edn.Tagged) else database
    datoms = content.get(edn.Keyword(":datoms")) if isinstance(content, dict) else None
    if not isinstance(datoms, tuple):
        raise NotASource(f"{path.name} is EDN, but not a Roam database with datoms.", _EXPORT_AGAIN)
    return _graph_of_datoms(datoms)


def _graph_of_datoms(datoms: Iterable[object]) -> RawGraph:
    """Entities with only the attributes that are allowed; those no page reaches fall away in the tree."""
    entities: dict[int, dict[str, object]] = {}
    children: dict[int, list[int]] = {}
    for datom in datoms:
        if not isinstance(datom, tuple) or len(datom) < 3 or not isinstance(datom[0], int):
            continue
        entity, attribute, value = datom[:3]
        if attribute in _SINGLE:
            entities.setdefault(entity, {})[attribute] = value
        elif attribute == ":block/children" and isinstance(value, int):
            children.setdefault(entity, []).append(value)
    pages = [
        RawPage(
            _text(entity[":node/title"]),
            _text(entity.get(":block/uid")),
            tuple(children.get(key, ())),
            seconds(entity.get(":create/time")),
            seconds(entity.get(":page/edit-time")) or seconds(entity.get(":edit/time")),
        )
        for key, entity in entities.items()
        if ":node/title" in entity
    ]
    blocks = {
        key: _block_of_entity(entity, tuple(children.get(key, ())))
        for key, entity in entities.items()
        if ":block/string" in entity
    }
    return RawGraph(pages, blocks)


def _block_of_entity(entity: Mapping[str, object], children: tuple[int, ...]) -> RawBlock:
    order = entity.get(":block/order")
    return RawBlock(
        _text(entity[":block/string"]),
        _text(entity.get(":block/uid")),
        order if isinstance(order, int) else 0,
        children,
        seconds(entity.get(":create/time")),
        seconds(entity.get(":edit/time")),
    )
