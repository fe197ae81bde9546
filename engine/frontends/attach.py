"""The client's side of the channel: ``RemoteLibrary`` has the verbs of ``Library`` and asks the host for each.

``open_library`` is how every front end gets at a library: attached when somebody hosts it, opened here (and hosted for
others) when nobody does. Nothing heavy is imported while attached: a search must cost no more than the question.
"""

from __future__ import annotations

import inspect
import itertools
import random
import threading
import time
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

from engine.backoff import BackOff
from engine.errors import LibraryBusy
from engine.frontends import protocol
from engine.frontends.greeting import HostGone
from engine.frontends.line import HostDied, Line, Lines, dial
from engine.frontends.lock import LibraryLock
from engine.job import Job, Progress
from engine.model import (
    Anchor,
    Changes,
    Discovered,
    DuplicatePair,
    IndexReport,
    ModelInfo,
    NoteKey,
    NoteView,
    Problem,
    RelatedNote,
    SearchAge,
    SearchRequest,
    SearchResult,
    ServiceState,
    Source,
    SourceKind,
    SourceOptions,
    SourceStatus,
    Verdict,
    WhyNot,
)
from engine.paths import Home, find_home

if TYPE_CHECKING:
    from engine.frontends.host import HostedLibrary
    from engine.settings import Settings

    AnyLibrary: TypeAlias = "HostedLibrary | RemoteLibrary"

T = TypeVar("T")
Wait = Callable[[], None]
WAIT_SECONDS = 60.0
"""How long to wait for a process that holds the library but does not answer: one that starts, ends or hangs."""

DIAL = BackOff(0.02, 0.25)
"""Rests between two tries to reach it, or to take its place."""
PATIENT = 8
"""Tries, a second in all, after which the person is told that it takes its time."""

READING = frozenset(
    {"settings", "notices", "sources", "registered", "status", "discover", "find", "index_warning", "behind", "search"}
    | {"printed_search", "problems", "note", "find_note", "home_link", "why_not", "related", "duplicates", "services"}
    | {"export_decisions", "smart_tool", "search_mixed", "models", "links", "query_help", "contents", "history"}
    | {"nearest_sentence", "saved_searches", "note_statuses", "count_notes", "size_up", "graph_view", "connections"}
)
"""Verbs that may be asked twice: they change nothing that the owner would miss."""
READING_GRAPH = frozenset(
    {
        "pages",
        "assemble",
        "stats",
        "path",
        "near",
        "timeline",
        "communities",
        "links",
        "ask",
        "coverage",
        "spent",
        "eval",
    }
)
"""Commands of the graph of the same kind. What a model replied is kept, so it is not paid for twice."""


def open_library(
    home: Home | None = None, *, waiting: Wait = lambda: None, patience: float = WAIT_SECONDS
) -> AnyLibrary:
    """The library, wherever it is open. ``waiting`` is called once when another process makes us wait.

    Raises ``LibraryBusy`` when a process holds the library and does not answer for ``patience`` seconds.
    """
    place = home or find_home()
    deadline = time.monotonic() + patience
    for failures in itertools.count(1):
        remote = connect(place)
        if remote is not None:
            return remote
        lock = LibraryLock.take(place.lock_file)
        if lock is not None:
            return _host(place, lock)
        if failures == PATIENT:
            waiting()
        if time.monotonic() > deadline:
            break
        time.sleep(DIAL.seconds(failures, random.random()))
    raise LibraryBusy("Another Lamplight has the library open and does not answer.", "Quit it, then try again.")


def _host(home: Home, lock: LibraryLock) -> HostedLibrary:
    # numpy, DuckDB and the engine load here, in the one process that works with them.
    from engine.frontends.host import HostedLibrary

    try:
        return HostedLibrary(home, lock=lock)
    except BaseException:
        lock.release()
        raise


def connect(home: Home) -> RemoteLibrary | None:
    """The library as its host answers for it, or None when nobody hosts it."""
    address = protocol.read_address(home)
    if address is None:
        return None
    try:
        return RemoteLibrary(home, dial(address))
    except HostGone:
        return None


class RemoteLibrary:
    """Calls from several threads never wait for one another, see ``line.py``.

    When the host has gone before it took a request on, the library is opened here, or attached to at its next host,
    and the call goes there: whoever holds this object need not know. So it is when the host dies while it works on a
    verb that only reads; one that writes fails, for what the host had done by then is not known.
    """

    def __init__(self, home: Home, line: Line | None = None) -> None:
        """``line`` leads to the host already."""
        self.home = home
        self._lines = Lines(home)
        if line is not None:
            self._lines.keep(line)
        self._lock = threading.Lock()
        self._successor: AnyLibrary | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            if self._successor is not None:
                self._successor.close()
                self._successor = None
        self._lines.close()

    def follow(self, changed: Callable[[Changes], None], moved: Callable[[str, Progress | None], None]) -> bool:
        """False: from here one has to look for oneself what others change."""
        return False

    @property
    def settings(self) -> Settings:
        from engine.settings import Settings

        return self._call(Settings, "settings")

    @property
    def notices(self) -> tuple[str, ...]:
        return self._call(tuple[str, ...], "notices")

    # --- the verbs of Library; their annotations are the protocol's own

    def sources(self) -> list[SourceStatus]:
        return self._call(list[SourceStatus], "sources")

    def registered(self) -> list[Source]:
        return self._call(list[Source], "registered")

    def status(self, source: str) -> SourceStatus:
        return self._call(SourceStatus, "status", source=source)

    def discover(self) -> list[Discovered]:
        return self._call(list[Discovered], "discover")

    def find(self, source: str) -> Source:
        return self._call(Source, "find", source=source)

    def add(
        self, location: str, *, kind: SourceKind | None = None, name: str = "", options: SourceOptions | None = None
    ) -> Source:
        return self._call(Source, "add", location=_absolute(location), kind=kind, name=name, options=options)

    def configure(self, source: str, options: SourceOptions) -> Source:
        return self._call(Source, "configure", source=source, options=options)

    def remove(self, source: str) -> Changes:
        return self._call(Changes, "remove", source=source)

    def index(
        self,
        source: str,
        job: Job,
        *,
        full: bool = False,
        require_open_window: bool = False,
        without_brake: bool = False,
    ) -> IndexReport:
        choices = {"full": full, "require_open_window": require_open_window, "without_brake": without_brake}
        return self._call(IndexReport, "index", job, source=source, **choices)

    def index_warning(self, source: str) -> str:
        return self._call(str, "index_warning", source=source)

    def freshen(self, source: str, job: Job) -> SearchAge:
        return self._call(SearchAge, "freshen", job, source=source)

    def behind(self, sources: tuple[str, ...] = (), job: Job | None = None) -> int:
        return self._call(int, "behind", job, sources=sources)

    def search(self, request: SearchRequest, job: Job | None = None) -> SearchResult:
        return self._call(SearchResult, "search", job, request=request)

    def printed_search(self, request: SearchRequest, *, as_json: bool, colour: bool, job: Job | None = None) -> str:
        return self._call(str, "printed_search", job, request=request, as_json=as_json, colour=colour)

    def problems(self, source: str) -> list[Problem]:
        return self._call(list[Problem], "problems", source=source)

    def note(self, source: str, key: NoteKey) -> NoteView:
        return self._call(NoteView, "note", source=source, key=key)

    def find_note(self, source: str, note: str) -> NoteKey:
        return NoteKey(self._call(str, "find_note", source=source, note=note))

    def home_link(self, source: str, anchor: Anchor) -> str:
        return self._call(str, "home_link", source=source, anchor=anchor)

    def change_settings(self, settings: Settings) -> Changes:
        return self._call(Changes, "change_settings", settings=settings)

    def why_not(self, note: str, query: str, sources: tuple[str, ...] = ()) -> WhyNot:
        return self._call(WhyNot, "why_not", note=note, query=query, sources=sources)

    def related(self, source: str, note: str, *, folder: str = "", limit: int = 20) -> tuple[RelatedNote, ...]:
        return self._call(tuple[RelatedNote, ...], "related", source=source, note=note, folder=folder, limit=limit)

    def duplicates(
        self, sources: tuple[str, ...] = (), job: Job | None = None, *, limit: int = 50
    ) -> tuple[DuplicatePair, ...]:
        return self._call(tuple[DuplicatePair, ...], "duplicates", job, sources=sources, limit=limit)

    def export_decisions(self, source: str) -> dict[str, Any]:
        return self._call(dict[str, Any], "export_decisions", source=source)

    def import_decisions(self, source: str, document: Mapping[str, Any]) -> int:
        return self._call(int, "import_decisions", source=source, document=document)

    def graph_call(self, verb: str, options: Mapping[str, Any], job: Job | None = None) -> dict[str, Any]:
        return self._call(dict[str, Any], "graph_call", job, verb=verb, options=options)

    def smart_tool(self, source: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return self._call(dict[str, Any], "smart_tool", source=source, tool=tool, arguments=arguments)

    def services(self) -> list[ServiceState]:
        return self._call(list[ServiceState], "services")

    def switch_service(self, name: str, on: bool) -> Changes:
        return self._call(Changes, "switch_service", name=name, on=on)

    def keep_token(self, graph: str, token: str) -> str:
        return self._call(str, "keep_token", graph=graph, token=token)

    def import_token(self, graph: str) -> str:
        return self._call(str, "import_token", graph=graph)

    def request_token(self, graph: str, job: Job) -> str:
        return self._call(str, "request_token", job, graph=graph)

    def forget_token(self, graph: str) -> str:
        return self._call(str, "forget_token", graph=graph)

    def check_connection(self, graph: str, job: Job) -> str:
        return self._call(str, "check_connection", job, graph=graph)

    def show_quick_search(self, text: str = "") -> None:
        self._call(type(None), "show_quick_search", text=text)

    def verify(self, source: str, job: Job, *, sample: int = 12) -> list[Verdict]:
        return self._call(list[Verdict], "verify", job, source=source, sample=sample)

    def measure_vectors(self, source: str, job: Job) -> list[dict[str, Any]]:
        return self._call(list[dict[str, Any]], "measure_vectors", job, source=source)

    def search_mixed(self, source: str, query: str, *, limit: int = 10) -> dict[str, Any]:
        return self._call(dict[str, Any], "search_mixed", source=source, query=query, limit=limit)

    def models(self) -> list[ModelInfo]:
        return self._call(list[ModelInfo], "models")

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A verb that is not written out above. Its types are those of ``Library``, which loads the engine here too:
        right for what is rarely asked and slow anyway."""
        from engine.library import Library

        function = None if name.startswith("_") else inspect.getattr_static(Library, name, None)
        if not inspect.isfunction(function):
            raise AttributeError(f"the library has no verb '{name}'")
        kind = typing.get_type_hints(function)["return"]
        signature = inspect.signature(function)

        def call(*given: Any, **named: Any) -> Any:
            arguments = dict(signature.bind(self, *given, **named).arguments)
            arguments.pop("self")
            return self._call(kind, name, arguments.pop("job", None), **arguments)

        return call

    # --- inside

    def _call(self, kind: type[T], verb: str, job: Job | None = None, /, **arguments: Any) -> T:
        if self._successor is None:
            try:
                return typing.cast(T, self._lines.ask(kind, verb, job, arguments))
            except HostGone:
                self._move()
            except HostDied:
                if not _only_reads(verb, arguments):
                    raise
                self._move()
        if job is not None:
            arguments["job"] = job
        target = getattr(self._successor, verb)
        return typing.cast(T, target(**arguments) if callable(target) else target)

    def _move(self) -> None:
        with self._lock:
            if self._successor is None:
                self._successor = open_library(self.home)


def _only_reads(verb: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a call may be made twice."""
    if verb != "graph_call":
        return verb in READING
    command, options = arguments["verb"], arguments["options"]
    if command == "merges":
        return options.get("action") in (None, "", "list")
    return command in READING_GRAPH


def _absolute(location: str) -> str:
    """A path as seen from here: the host works in another folder. The name of a graph stays as it is."""
    path = Path(location).expanduser()
    return str(path.absolute()) if location and path.exists() else location


def verbs() -> dict[str, dict[str, Any]]:
    """Verb -> its arguments and their types, for the host to check what it is asked. ``settings`` and ``notices`` are
    attributes and take none."""
    from engine.library import Library
    from engine.settings import Settings

    table: dict[str, dict[str, Any]] = {}
    for name, member in {**vars(Library), **vars(RemoteLibrary)}.items():
        function = member.fget if isinstance(member, property) else member
        if inspect.isfunction(function) and not name.startswith("_") and name not in ("close", "follow"):
            hints = typing.get_type_hints(function, localns={"Settings": Settings})
            table[name] = {key: hint for key, hint in hints.items() if key != "return"}
    return table
