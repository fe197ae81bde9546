"""The registered sources: a small TOML file that people may read and edit.

One entry that is not understood never hides the others, and is kept when the file is written again.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import re
import threading
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from engine.errors import BadRequest, EngineError, SourceExists, UnknownSource, system_words
from engine.files import read_ordinary
from engine.model import Source, SourceId, SourceKind, SourceOptions
from engine.paths import Home, write_atomically

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")
"""Also a file name, so nothing that could leave the index folder."""


class SourceRegistry:
    """What a library holds of them, in step with the file. Safe from any thread."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.RLock()
        sources, self.notices = load(home)
        self._sources = {source.id: source for source in sources}

    def all(self) -> list[Source]:
        with self._lock:
            return list(self._sources.values())

    def find(self, source: str) -> Source:
        """The registered source with this name or id. Raises ``UnknownSource`` naming those there are."""
        known = self.all()
        for one in known:
            if source == one.id or source.casefold() == one.name.casefold():
                return one
        names = [one.name for one in known]
        near = {name.casefold(): f" Did you mean '{name}'?" for name in names}
        meant = "".join(near[name] for name in difflib.get_close_matches(source.casefold(), near, n=1))
        raise UnknownSource(f"There is no source '{source}'.{meant}", f"Registered: {', '.join(names) or 'none yet'}.")

    def chosen(self, names: Sequence[str]) -> list[Source]:
        """The named sources, each once, or all that are searched by default."""
        named = {source.id: source for source in map(self.find, names)}
        return list(named.values()) or [one for one in self.all() if one.options.search_by_default]

    def add(self, kind: SourceKind, location: str, name: str, options: SourceOptions, *, own_name: str) -> Source:
        """Register what stands at a place, under the name that the person gives or, if that is empty, its own.

        Raises ``SourceExists``.
        """
        with self._lock:
            source_id = new_source_id(kind, location)
            if source_id in self._sources:
                raise SourceExists(f"'{own_name}' is registered already, as '{self._sources[source_id].name}'.")
            name = free_name(name or own_name, self.all(), is_given=bool(name))
            source = Source(source_id, kind, name, location, options)
            self._save({**self._sources, source_id: source})
            return source

    def replace(self, source: Source) -> None:
        """What the owner changed about a source."""
        with self._lock:
            self._save({**self._sources, source.id: source})

    def remove(self, source: SourceId) -> None:
        with self._lock:
            self._save({key: one for key, one in self._sources.items() if key != source})

    def _save(self, sources: dict[SourceId, Source]) -> None:
        """On the disk first: what could not be written has not happened."""
        save(self._home, list(sources.values()))
        self._sources = sources


def new_source_id(kind: SourceKind, location: str) -> SourceId:
    """Stable id of what stands at ``location``: a readable slug and 8 hex digits of kind and place."""
    last = re.split(r"[/\\]", location.rstrip("/\\"))[-1]
    plain = unicodedata.normalize("NFKD", last).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain)[:40].strip("-") or kind.value
    digest = hashlib.sha256(f"{kind.value}\0{location}".encode("utf-8", "surrogatepass")).hexdigest()
    return SourceId(f"{slug}-{digest[:8]}")


def load(home: Home) -> tuple[list[Source], tuple[str, ...]]:
    """The sources in the order of the file, and notices about entries that were not understood."""
    try:
        entries = _entries(home)
    except EngineError as error:
        return [], (str(error),)
    sources: list[Source] = []
    notices: list[str] = []
    for number, entry in enumerate(entries, 1):
        try:
            source = _parse(entry)
            _refuse_double(source, sources)
        except BadRequest as error:
            notices.append(f"{home.sources_file.name}, entry {number}: {error} The entry is left out.")
        else:
            sources.append(source)
    return sources, tuple(notices)


def save(home: Home, sources: Sequence[Source]) -> None:
    """Write ``sources``; entries that were not understood are kept, a file that makes no sense is set aside.

    Raises an ``EngineError``, with the file as it was, when it cannot be read or written now.
    """
    try:
        kept = [entry for entry in _entries(home) if not _is_understood(entry)]
    except BadRequest:
        kept = []
        home.sources_file.replace(home.sources_file.with_suffix(".damaged"))
    document = tomlkit.document()
    tables = tomlkit.aot()
    for entry in [*map(_table, sources), *kept]:
        tables.append(tomlkit.item(entry))
    document["source"] = tables
    write_atomically(home.sources_file, tomlkit.dumps(document).encode("utf-8", "replace"))


def _entries(home: Home) -> list[Any]:
    """The raw entries. Raises ``BadRequest`` when the file makes no sense, else why it cannot be read."""
    file = home.sources_file
    try:
        with system_words(file):
            text = read_ordinary(file).decode() if file.exists() else ""
        document = tomlkit.parse(text).unwrap()
    except TOMLKitError as error:
        raise BadRequest(f"{file} is not valid TOML ({str(error)[:200]}).", "Correct or remove it.") from error
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"{file} is not UTF-8 text, or nested too deep.", "Correct or remove it.") from error
    entries = document.get("source", [])
    if not isinstance(entries, list):
        raise BadRequest(f"{home.sources_file}: 'source' is not a list of tables.", "Write each as [[source]].")
    return entries


def _is_understood(entry: object) -> bool:
    try:
        _parse(entry)
    except BadRequest:
        return False
    return True


def _parse(entry: object) -> Source:
    if not isinstance(entry, Mapping):
        raise BadRequest("it is not a table.")
    texts: dict[str, str] = {}
    for name in ("id", "kind", "name", "location"):
        value = entry.get(name)
        if not isinstance(value, str) or not value.strip():
            raise BadRequest(f"'{name}' is missing or not text.")
        texts[name] = value
    if not _ID.fullmatch(texts["id"]):
        raise BadRequest(f"the id {texts['id']!r} may hold only a-z, 0-9 and '-'.")
    if texts["kind"] not in set(SourceKind):
        raise BadRequest(f"there is no kind {texts['kind']!r}; there are {', '.join(SourceKind)}.")
    options = _parse_options(entry.get("options", {}))
    return Source(SourceId(texts["id"]), SourceKind(texts["kind"]), texts["name"], texts["location"], options)


def _parse_options(given: object) -> SourceOptions:
    if not isinstance(given, Mapping):
        raise BadRequest("'options' is not a table.")
    default = SourceOptions()
    known = {option.name: getattr(default, option.name) for option in dataclasses.fields(SourceOptions)}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise BadRequest(f"there is no option {name!r}.")
        if isinstance(known[name], tuple):
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise BadRequest(f"option '{name}' takes a list of texts.")
            value = tuple(value)
        elif type(value) is not type(known[name]):
            raise BadRequest(f"option '{name}' does not take {value!r}.")
        values[name] = value
    return SourceOptions(**values)


def _refuse_double(source: Source, others: Sequence[Source]) -> None:
    for other in others:
        if other.id == source.id:
            raise BadRequest(f"the id {source.id!r} stands twice.")
        if other.name.casefold() == source.name.casefold():
            raise BadRequest(f"the name {source.name!r} stands twice.")


def _table(source: Source) -> dict[str, object]:
    """Options that have their default are not written."""
    default = SourceOptions()
    options: dict[str, object] = {}
    for option in dataclasses.fields(SourceOptions):
        value = getattr(source.options, option.name)
        if value != getattr(default, option.name):
            options[option.name] = list(value) if isinstance(value, tuple) else value
    table: dict[str, object] = {
        "id": source.id,
        "kind": source.kind.value,
        "name": source.name,
        "location": source.location,
    }
    return table | ({"options": options} if options else {})


def free_name(wanted: str, others: Sequence[Source], *, is_given: bool) -> str:
    """``wanted``, with a number when another source has it. Raises ``SourceExists`` for a name that a person gave."""
    taken = {source.name.casefold() for source in others}
    if wanted.casefold() not in taken:
        return wanted
    if is_given:
        raise SourceExists(f"Another source is called '{wanted}' already.", "Give it another name.")
    return next(name for n in range(2, len(taken) + 3) if (name := f"{wanted} {n}").casefold() not in taken)
