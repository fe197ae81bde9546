"""``Library``: the one object that every front end holds. Each verb is a short call into a journey; no logic here.

May be called from any thread. Index runs of one source never overlap; searches go on while a run writes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from engine import __version__
from engine.errors import (
    BadRequest,
    EngineError,
    IndexDamaged,
    IndexTooNew,
    SourceExists,
    UnknownNote,
    UnknownSource,
    WrongKey,
    system_words,
)
from engine.indexing.behind import count_behind
from engine.indexing.note_states import note_statuses
from engine.indexing.reading_process import ReadApart, can_read_apart, read_apart
from engine.indexing.refresh import Refresher, window_closed, with_ages
from engine.indexing.run import index_source
from engine.inference.base import Embedder
from engine.inference.catalog import open_embedder
from engine.inference.guard import CrashMark, GuardedEmbedder
from engine.inference.model_folders import import_folder, overview, remove_folder
from engine.inference.ollama import is_ollama, pinned_model
from engine.inference.onnx import load_library
from engine.job import Job, Progress
from engine.knowledge.graph import KnowledgeGraph
from engine.knowledge.layout import lay_out
from engine.knowledge.merging import Arbitrate, EntryKind, LedgerEntry
from engine.linking import commands, ledger, model_commands
from engine.linking.assemble import Assembly, measure
from engine.linking.cache import GraphCache
from engine.linking.export import export_graph
from engine.linking.graph import Opened
from engine.linking.parse import ParseReport, parse_after_index, parse_source
from engine.linking.resolve import ResolveReport, resolve
from engine.linking.view import graph_view, routes
from engine.model import (
    Anchor,
    Cell,
    Changed,
    Changes,
    Contents,
    Discovered,
    DuplicatePair,
    GraphView,
    IndexReport,
    KeychainEntry,
    LayoutRequest,
    LedgerLine,
    ModelInfo,
    ModelOffer,
    NoteKey,
    NoteLink,
    NoteStatus,
    NoteView,
    PowerState,
    Problem,
    QueryHelp,
    RelatedNote,
    Release,
    Route,
    Run,
    SearchAge,
    SearchRequest,
    SearchResult,
    ServiceState,
    Source,
    SourceId,
    SourceKind,
    SourceOptions,
    SourceStatus,
    Verdict,
    WhyNot,
)
from engine.net import updates
from engine.net.client import Client
from engine.net.ledger import Ledger
from engine.net.ollama_api import OllamaApi
from engine.net.policy import Policy
from engine.net.roam_api import STATUS_SECONDS
from engine.net.secrets import Secret
from engine.paths import Home, find_home, prepare_home
from engine.searching.completion import complete, parts
from engine.searching.contents import contents
from engine.searching.lookup import find_note
from engine.searching.related import duplicates, near_notes, note_links, related
from engine.searching.search import search
from engine.searching.sentences import nearest_sentence
from engine.searching.smart_tools import (
    SmartTools,
    call_tool,
    feedback,
    has_index,
    measure_source,
    mixed,
    verify_source,
)
from engine.searching.views import note_view
from engine.searching.why import why_not
from engine.settings import Settings, services, with_service
from engine.settings import load as load_settings
from engine.settings import save as save_settings
from engine.sources import discovery, readers, roam_access, roam_graphs
from engine.sources.base import SourceReader
from engine.sources.export_files import write_files as write_files
from engine.sources.roam_tokens import TokenStore
from engine.sources.roam_windows import WindowState
from engine.store import exchange, registry
from engine.store.decisions import DecisionStore, MarkKind, SavedSearch
from engine.store.index import remove_files, set_aside
from engine.store.live import LiveIndex
from engine.store.protection import open_keys
from engine.store.replies import ReplyStore
from engine.upkeep import one_machine, synced
from engine.upkeep.diagnostics import Findings, diagnostics_text
from engine.upkeep.history import recent_connections, recent_runs
from engine.upkeep.models import fetch_model, read_offer
from engine.upkeep.power import power_state
from engine.upkeep.secrets import keychain_entries
from engine.upkeep.status import status_of


class Library:
    reads_apart = False
    """Whether many notes are read in a process of their own. That one loads the main module of this one anew, so it is
    for programs that are known to stand that: a script might do all its work twice."""

    def __init__(self, home: Home, embedder: Embedder | None = None) -> None:
        prepare_home(home)
        one_machine.claim(home)
        self.home = home
        self.settings, notices = load_settings(home)
        registered, more = registry.load(home)
        self.notices: tuple[str, ...] = (*notices, *more)
        self._sources: dict[SourceId, Source] = {source.id: source for source in registered}
        self._indexes: dict[SourceId, LiveIndex] = {}
        self._keys = open_keys(home, self.settings.protection)
        self._tell(self._keys.unfinished)
        if warning := synced.data_warning(home.data):
            self._tell(f"{warning} Move it out: set LAMPLIGHT_HOME to a folder elsewhere.")
        self._decided: DecisionStore | None = None
        self._replied: ReplyStore | None = None
        self._graphs = GraphCache()
        self._given_embedder = embedder
        self._embedders: dict[str, Embedder] = {}
        self._client = Client(Policy(name for name, on in services(self.settings).items() if on), Ledger(home.ledger))
        self._tokens = TokenStore()
        self._refresher = Refresher(self._window, self._run_if_free)
        self._lock = threading.RLock()
        self._running: dict[SourceId, threading.Lock] = {}
        self._smart: dict[SourceId, SmartTools] = {}
        self._mark = CrashMark(home.crash_mark, home.crash_log)
        self._tell(self._mark.notice)

    @classmethod
    def open(cls, home: Home | None = None, *, embedder: Embedder | None = None) -> Library:
        """The library in ``home`` (default: ``LAMPLIGHT_HOME`` or the system's place). Index files open when needed."""
        return cls(home or find_home(), embedder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            for index in self._indexes.values():
                index.close()
            self._indexes.clear()
            if self._decided is not None:
                self._decided.close()
                self._decided = None
            if self._replied is not None:
                self._replied.close()
                self._replied = None
            self._mark.close()

    def follow(self, changed: Callable[[Changes], None], moved: Callable[[str, Progress | None], None]) -> bool:
        """Whether whoever holds it is told of what others change: here nobody else can; see ``frontends.host``."""
        return True

    # --- sources

    def sources(self) -> list[SourceStatus]:
        """Every registered source with its state; one whose index cannot be opened says so instead of failing."""
        return [self._status(source) for source in self._registered()]

    def registered(self) -> list[Source]:
        """Every registered source, without a look into its index."""
        return self._registered()

    def status(self, source: str) -> SourceStatus:
        return self._status(self.find(source))

    def discover(self) -> list[Discovered]:
        """Vaults and graphs on this machine with their states; what was not understood becomes a notice."""
        found, notices = discovery.discover(self.sources(), self._client)
        self.notices = tuple(dict.fromkeys((*self.notices, *notices)))
        return found

    def size_up(self, location: str, job: Job) -> tuple[int, int]:
        """(notes, bytes) of a vault or an export that is no source yet, without reading it."""
        return discovery.size_up(location, job)

    def add(
        self,
        location: str,
        *,
        kind: SourceKind | None = None,
        name: str = "",
        options: SourceOptions | None = None,
    ) -> Source:
        """Register a vault, an export, or a graph (``roam:NAME``). Raises ``NotASource`` or ``SourceExists``."""
        place = readers.recognise(location, self._client)
        pinned = self._pinned(options or SourceOptions())
        with self._lock:
            source_id = registry.new_source_id(kind or place.kind, place.location)
            if source_id in self._sources:
                raise SourceExists(f"'{place.name}' is registered already, as '{self._sources[source_id].name}'.")
            source = Source(
                source_id,
                kind or place.kind,
                registry.free_name(name or place.name, self._registered(), is_given=bool(name)),
                place.location,
                pinned,
            )
            self._save_sources({**self._sources, source_id: source})
        return source

    def configure(self, source: str, options: SourceOptions) -> Source:
        """Change what the owner chose for a source; the next index run applies it."""
        options = self._pinned(options)
        with self._lock:
            changed = dataclasses.replace(self.find(source), options=options)
            embedder = self._embedder(options.model)
            self._save_sources({**self._sources, changed.id: changed})
            if changed.id in self._indexes:
                self._indexes[changed.id].use(changed, embedder)
        return changed

    def remove(self, source: str) -> Changes:
        """Forget a source and delete its index file. The notes are not touched."""
        with self._lock:
            found = self.find(source)
            index = self._indexes.pop(found.id, None)
            if index is not None:
                index.close()
            self._smart.pop(found.id, None)
            self._save_sources({key: source for key, source in self._sources.items() if key != found.id})
            remove_files(self.home.index_file(found.id))
            if self.home.replies.exists():
                self._reply_store().forget_source(found.id)
        return Changes(frozenset({Changed.SOURCES, Changed.NOTES}), frozenset({found.id}))

    def find(self, source: str) -> Source:
        """The registered source with this name or id. Raises ``UnknownSource`` naming those there are."""
        with self._lock:
            for one in self._sources.values():
                if source == one.id or source.casefold() == one.name.casefold():
                    return one
            names = ", ".join(s.name for s in self._sources.values()) or "none yet"
        raise UnknownSource(f"There is no source '{source}'.", f"Registered: {names}.")

    # --- the journeys

    def index(
        self,
        source: str,
        job: Job,
        *,
        full: bool = False,
        require_open_window: bool = False,
        without_brake: bool = False,
    ) -> IndexReport:
        """Bring the index of a source up to date; see ``indexing.run``. One run of a source at a time.

        With ``require_open_window``, a graph whose window is not known to be open in Roam is left alone. With
        ``without_brake``, all that is gone is removed, however much: the owner has decided.
        """
        found = self.find(source)
        if require_open_window and (state := self._window(found)) is not WindowState.OPEN:
            return window_closed(found, state)
        with self._running_lock(found):
            return self._run(found, job, full=full, without_brake=without_brake)

    def index_warning(self, source: str) -> str:
        """What the person should know before a run that they ask for: Roam may ask for a password. Or empty."""
        return roam_graphs.unlock_warning(self.find(source), self._client)

    def freshen(self, source: str, job: Job) -> SearchAge:
        """Bring a graph up to date if its index is older than its owner allows; see ``indexing.refresh``."""
        return self._refresher.refresh([self._live(self.find(source))], self.settings.refresh_seconds, job)[0]

    def behind(self, sources: tuple[str, ...] = (), job: Job | None = None) -> int:
        """Notes that changed since the last run, over the named sources or all; live graphs are not asked for it."""
        chosen = [self.find(name) for name in sources] or self._registered()
        files = [s for s in chosen if s.kind in (SourceKind.OBSIDIAN, SourceKind.ROAM_EXPORT) and self._indexed(s)]
        return sum(self._count_behind(source, job or Job()) for source in files)

    def search(self, request: SearchRequest, job: Job | None = None) -> SearchResult:
        """Answer a request over the named sources, or all that are searched by default."""
        request = dataclasses.replace(request, fusion=request.fusion or self.settings.fusion)
        named = [self.find(name) for name in request.sources]
        chosen = named or [s for s in self._registered() if s.options.search_by_default]
        indexes, notices = [], []
        for source in chosen:
            try:
                indexes.append(self._live(source))
            except EngineError as error:
                notices.append(f"'{source.name}' was not searched: {error}")
        ages = self._refresher.refresh(indexes, self.settings.refresh_seconds, job or Job()) if request.refresh else ()
        result = with_ages(search(request, indexes, self._embedder_of, job), ages)
        return dataclasses.replace(result, notices=(*result.notices, *notices)) if notices else result

    def why_not(self, note: str, query: str, sources: tuple[str, ...] = ()) -> WhyNot:
        """Follow a note (title, path, alias or uid) through the search for ``query``; see ``searching.why``."""
        return why_not(note, query, self._chosen(sources), self._embedder_of)

    def related(self, source: str, note: str, *, folder: str = "", limit: int = 20) -> tuple[RelatedNote, ...]:
        """The notes of all sources nearest to a note of ``source``; see ``searching.related``."""
        found = self.find(source)
        live = self._live(found)
        key = self.find_note(source, note)
        store = self._decisions()
        kinds = (MarkKind.PIN, MarkKind.HIDE)
        pinned, hidden = ({(m.source, m.note) for m in store.marks(kind) if not m.uid} for kind in kinds)
        plugin_pinned, plugin_hidden = feedback(self._smart_tools(found), found.id, key)
        pinned, hidden = pinned | plugin_pinned, hidden | (plugin_hidden - pinned)
        near = self._chosen(())
        return related(live, key, near, folder=folder, limit=limit, pinned=pinned, hidden=hidden)

    def duplicates(
        self, sources: tuple[str, ...] = (), job: Job | None = None, *, limit: int = 50
    ) -> tuple[DuplicatePair, ...]:
        """Pairs of notes that say nearly the same, for a person to look at."""
        return duplicates(self._chosen(sources), limit=limit, check=(job or Job()).check)

    def export_decisions(self, source: str) -> dict[str, Any]:
        """Pins, hides, feedback and saved searches of a source, as a JSON-compatible document."""
        return exchange.export_decisions(self._decisions(), self.find(source))

    def import_decisions(self, source: str, document: Mapping[str, Any]) -> int:
        """Take over an exported document; returns the number of its entries. Raises ``BadRequest``."""
        return exchange.import_decisions(self._decisions(), self.find(source), document)

    def links(self, source: str, note: NoteKey) -> tuple[NoteLink, ...]:
        """The notes of a source that a note links to, then those that link to it."""
        return note_links(self._live(self.find(source)), note)

    def query_help(self, text: str, cursor: int, sources: tuple[str, ...] = ()) -> QueryHelp:
        """The operators of a query, and what may follow at the cursor; see ``searching.completion``."""
        return QueryHelp(parts(text), complete(text, cursor, self._chosen(sources), self._registered()))

    def contents(self, sources: tuple[str, ...] = ()) -> Contents:
        """Folders, pages, tags and collections of sources with their counts; see ``searching.contents``."""
        return contents(self._chosen(sources))

    def nearest_sentence(self, source: str, query: str, text: str) -> str:
        """The sentence of a passage's text that says most nearly what is asked for; see ``searching.sentences``."""
        return nearest_sentence(query, text, self._embedder(self.find(source).options.model))

    def saved_searches(self) -> dict[str, str]:
        """The text of each search that the owner saved, by name."""
        return {saved.name: str(saved.request.get("text", "")) for saved in self._decisions().searches()}

    def save_search(self, name: str, text: str) -> Changes:
        """Keep a search under a name, in place of the one that has it; an empty text removes it."""
        if text:
            self._decisions().save_search(SavedSearch(name, {"text": text}))
        else:
            self._decisions().delete_search(name)
        return Changes(frozenset({Changed.DECISIONS}))

    def count_notes(self, source: str, options: SourceOptions, job: Job) -> int:
        """How many notes a source would hold with other options. A live graph is not asked for it, since that may open
        its window: of one, how many its index holds."""
        if self.find(source).kind in roam_access.LIVE:
            return self.status(source).notes
        reader = self._reader(dataclasses.replace(self.find(source), options=options))
        try:
            return len(reader.scan(job).refs)
        finally:
            reader.close()

    def problems(self, source: str) -> list[Problem]:
        return self._live(self.find(source)).store.problems()

    def note_statuses(self, source: str, job: Job) -> list[NoteStatus]:
        """How every note of a source stands, and why; live graphs are not asked what has changed."""
        found = self.find(source)
        reader = self._reader(found) if found.kind in (SourceKind.OBSIDIAN, SourceKind.ROAM_EXPORT) else None
        try:
            return note_statuses(self._live(found), reader, job)
        finally:
            if reader is not None:
                reader.close()

    def history(self, limit: int = 100) -> list[Run]:
        """The index runs that are over, newest first, whoever asked for them."""
        return recent_runs(self._open_indexes(), limit)

    def note(self, source: str, key: NoteKey) -> NoteView:
        """A note as the preview shows it. Raises ``UnknownNote``."""
        return note_view(self._live(self.find(source)), key)

    def find_note(self, source: str, note: str) -> NoteKey:
        """The key of the note with this path, title, alias or uid. Raises ``UnknownNote``."""
        live = self._live(self.find(source))
        found = find_note(note, [live])
        if found is None:
            raise UnknownNote(f"'{live.source.name}' has no note '{note}'.", "Index it again if it is new.")
        return found[1].key

    def home_link(self, source: str, anchor: Anchor) -> str:
        """The address that opens a passage in Obsidian or Roam."""
        return discovery.home_link(self.find(source), anchor)

    def change_settings(self, settings: Settings) -> Changes:
        with self._lock:
            save_settings(self.home, settings)
            self.settings = settings
            for name, on in services(settings).items():
                self._client.policy.switch(name, on)
        return Changes(frozenset({Changed.SETTINGS}))

    # --- live graphs and services

    def services(self) -> list[ServiceState]:
        """The network services, what each would send where, and whether it is switched on."""
        known = self._client.policy
        return [ServiceState(s.name, s.title, s.leaves, known.is_enabled(s.name)) for s in known.services]

    def switch_service(self, name: str, on: bool) -> Changes:
        return self.change_settings(with_service(self.settings, name, on=on))

    def newer_release(self, job: Job) -> Release | None:
        """The newest Lamplight, if this is an older one; asked of the project's page, when the owner allows that."""
        return updates.newer(self._client, updates.makers_key(), __version__, job)

    def keep_token(self, graph: str, token: str) -> str:
        """Keep a token for a graph, in the keychain where there is one; returns what to tell the person."""
        return roam_access.keep_token(self._graph(graph), Secret(token), self._client, self._tokens)

    def import_token(self, graph: str) -> str:
        """Keep the token that Roam's own tools have for a graph."""
        return roam_access.import_token(self._graph(graph), self._client, self._tokens)

    def request_token(self, graph: str, job: Job) -> str:
        """Ask the person, in Roam's own dialog, for a read-only token; waits for the answer."""
        return roam_access.request_token(self._graph(graph), self._client, self._tokens, job)

    def forget_token(self, graph: str) -> str:
        return roam_access.forget_token(self._graph(graph), self._tokens)

    def check_connection(self, graph: str, job: Job) -> str:
        """Read from a graph itself, as proof that it can be; raises what stands in the way."""
        return roam_access.check_connection(self._graph(graph), self._client, self._tokens, job)

    # --- the knowledge graph

    def parse_graph(self, source: str, job: Job) -> ParseReport:
        """Read what a source's notes say about each other; see ``linking.parse``. ``index`` does it too."""
        found = self.find(source)
        return parse_source(self._live(found).store, found, job)

    def graph(self, sources: tuple[str, ...] = ()) -> KnowledgeGraph:
        """The graph over the named sources, or all that are searched by default, as the ledger joins it. Read-only."""
        return self._graphs.get(self._opened(sources), self._decisions())

    def graph_view(self, sources: tuple[str, ...] = ()) -> GraphView:
        """The same graph as plain values with its communities, for a map."""
        return graph_view(self.graph(sources))

    def lay_out(self, request: LayoutRequest) -> tuple[Cell, ...]:
        """A place on the map for each thing; see ``knowledge.layout``."""
        return lay_out(request)

    def routes(self, start: str, end: str, count: int = 3, sources: tuple[str, ...] = ()) -> tuple[Route, ...]:
        """The shortest way between two entities (by id) and the next ones."""
        return routes(self.graph(sources), start, end, count)

    def assemble_graph(self, sources: tuple[str, ...] = ()) -> Assembly:
        """What the graph holds, and whether every claim in it has its proof."""
        return measure(self.graph(sources))

    def resolve_graph(
        self,
        job: Job,
        sources: tuple[str, ...] = (),
        *,
        arbitrate: Arbitrate | None = None,
        by_meaning: bool = False,
        preview: bool = False,
    ) -> ResolveReport:
        """Merge what is certainly one entity, and propose what may be; see ``linking.resolve``."""
        similar = self._embedder("").embed_documents if by_meaning else None
        opened = self._opened(sources)
        return resolve(opened, self._decisions(), job, arbitrate=arbitrate, similar=similar, preview=preview)

    def merges(self) -> list[LedgerEntry]:
        """Every merge, split and "never" with who said so, why and when; oldest first, undone ones included."""
        return self._decisions().merges()

    def decide_merge(
        self, kind: EntryKind, names: tuple[str, ...], why: str = "", sources: tuple[str, ...] = ()
    ) -> LedgerEntry:
        """Record that entities are the same, are not, or never will be; see ``linking.ledger.decide``."""
        return ledger.decide(self._opened(sources), self._decisions(), kind, names, why)

    def undo_merge(self, number: int, *, redo: bool = False) -> Changes:
        """Undo an entry of the ledger, or make it valid again."""
        ledger.undo(self._decisions(), number, redo=redo)
        return Changes(frozenset({Changed.DECISIONS}))

    def export_graph(self, place: Path, form: str, sources: tuple[str, ...] = ()) -> list[Path]:
        """Write the graph as graphml, csv, json or markdown; returns the files."""
        return export_graph(self.graph(sources), place, form, self.registered())

    def graph_call(self, verb: str, options: Mapping[str, Any], job: Job | None = None) -> dict[str, Any]:
        """A command of the graph: plain options in, a JSON-compatible document out; see ``linking.commands``."""
        desk = commands.Desk(
            self._opened,
            self.graph,
            self._decisions(),
            self.registered,
            lambda: self._embedder("").embed_documents,
            lambda job: near_notes(self._chosen(tuple(options.get("sources") or ())), check=job.check),
        )
        models = model_commands.ModelDesk(self._client, self._reply_store, self.search)
        return model_commands.run(desk, models, verb, options, job or Job())

    # --- vectors and models

    def verify(self, source: str, job: Job, *, sample: int = 12) -> list[Verdict]:
        """Make a sample of a source's vectors again and compare: the plugin's where there are any, and its own."""
        found = self.find(source)
        own = self._embedder(found.options.model)
        return verify_source(self._smart_tools(found), self._indexed(found), own, job, sample=sample)

    def measure_vectors(self, source: str, job: Job) -> list[dict[str, Any]]:
        """Coverage, finding of text deep in notes, and speed, of each index that a source has."""
        found = self.find(source)
        return measure_source(self._smart_tools(found), self._indexed(found), self._embedder(found.options.model), job)

    def smart_tool(self, source: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A tool on a vault's Smart Connections index, by name; see ``searching.smart_tools``."""
        return call_tool(self._smart_tools(self.find(source)), tool, arguments)

    def search_mixed(self, source: str, query: str, *, limit: int = 10) -> dict[str, Any]:
        """Search on the plugin's vectors, and on our own where there are none; see ``searching.smart_mixed``."""
        found = self.find(source)
        return mixed(self._smart_tools(found), self._indexed(found), self._embedder(found.options.model), query, limit)

    def models(self) -> list[ModelInfo]:
        """Every embedding model: licence, size, languages, and the sources that use it."""
        return overview(self.home, {s.name: s.options.model for s in self._registered()})

    def import_model(self, folder: str, model: str, *, replace: bool = False) -> ModelInfo:
        """Copy a model's folder, try it out and record its hashes; see ``inference.model_folders``."""
        return import_folder(self.home, Path(folder), model, replace=replace)

    def model_offer(self, file: str) -> ModelOffer:
        """What a list of files offers for download, for the owner to agree to."""
        return read_offer(Path(file))

    def download_model(self, file: str, job: Job) -> ModelInfo:
        """Fetch what the list offers, once the owner has agreed, and take it in."""
        return fetch_model(self.home, Path(file), job)

    def remove_model(self, model: str) -> None:
        """Delete the files of a model. Raises ``BadRequest`` while a source uses it."""
        users = [source.name for source in self._registered() if source.options.model == model]
        if users:
            raise BadRequest(f"'{model}' is used by {', '.join(users)}.", "Choose another model there first.")
        remove_folder(self.home, model)

    # --- upkeep

    def connections(self, limit: int = 200) -> list[LedgerLine]:
        """The newest lines of the ledger of connections, newest first."""
        return recent_connections(Ledger(self.home.ledger), limit)

    def keychain_entries(self) -> list[KeychainEntry]:
        """Which secrets the keychain holds. Waits for it, so not for the window's own thread."""
        return keychain_entries(self._registered())

    def power(self) -> PowerState:
        """What the machine runs on, and for how long nobody has touched it."""
        return power_state()

    def diagnostics(self) -> str:
        """A report for whoever helps when something goes wrong, without a word of a note."""
        problems = {live.source.id: live.store.problems() for live in self._open_indexes()}
        seen = (self.home, self.settings, self.notices, self.sources(), problems)
        return diagnostics_text(Findings(*seen, self.history(), self.connections(), self.keychain_entries()))

    # --- inside

    def _smart_tools(self, source: Source) -> SmartTools | None:
        """Of a vault that the plugin has indexed."""
        with self._lock:
            if source.id not in self._smart and source.kind is SourceKind.OBSIDIAN and has_index(Path(source.location)):
                self._smart[source.id] = SmartTools(Path(source.location), self.home, threads=self.settings.threads)
            return self._smart.get(source.id)

    def _indexed(self, source: Source) -> LiveIndex | None:
        """The index of a source that has been indexed."""
        return self._live(source) if self.home.index_file(source.id).exists() else None

    def _reply_store(self) -> ReplyStore:
        with self._lock:
            if self._replied is None:
                path = self.home.replies
                self._replied = ReplyStore.open(path, self._keys.key_for(path))
                self.notices = (*self.notices, *self._replied.notices)
            return self._replied

    def _opened(self, names: tuple[str, ...]) -> list[Opened]:
        return [(live.source, live.store) for live in self._chosen(names)]

    def _registered(self) -> list[Source]:
        with self._lock:
            return list(self._sources.values())

    def _save_sources(self, sources: dict[SourceId, Source]) -> None:
        """On the disk first: what could not be written has not happened."""
        registry.save(self.home, list(sources.values()))
        self._sources = sources

    def _graph(self, name: str) -> roam_access.Graph:
        return roam_access.graph_of(name, self._registered(), self._client)

    def _window(self, source: Source, limit: float = STATUS_SECONDS) -> WindowState:
        is_local = source.kind is SourceKind.ROAM_LOCAL
        return roam_graphs.gate(source, self._client, limit) if is_local else WindowState.OPEN

    def _running_lock(self, source: Source) -> threading.Lock:
        with self._lock:
            return self._running.setdefault(source.id, threading.Lock())

    def _run_if_free(self, source: Source, job: Job, limit: float) -> IndexReport | None:
        """Index within a limit, unless another run of this source is under way."""
        running = self._running_lock(source)
        if not running.acquire(blocking=False):
            return None
        try:
            return self._run(source, job, limit=limit)
        finally:
            running.release()

    def _run(
        self,
        source: Source,
        job: Job,
        *,
        full: bool = False,
        limit: float | None = None,
        without_brake: bool = False,
    ) -> IndexReport:
        """One run; over a new file when the old one is damaged, or when ``full`` and it cannot be opened."""
        one_machine.claim(self.home)  # another one may have come to the folder since
        try:
            with system_words():
                return self._run_once(source, job, full=full, limit=limit, without_brake=without_brake)
        except (IndexDamaged, IndexTooNew, WrongKey) as error:
            if not full and not isinstance(error, IndexDamaged):
                raise
            self._put_aside(source, error)
            return self._run_once(source, job, full=full, limit=limit)

    def _put_aside(self, source: Source, error: EngineError) -> None:
        with self._lock:
            index = self._indexes.pop(source.id, None)
            if index is not None:
                index.close()
            aside = set_aside(self.home.index_file(source.id))
        self._tell(f"The index of '{source.name}' was made anew: {error.message} The old file is {aside.name}.")

    def _tell(self, notice: str) -> None:
        """Add to the notices, once."""
        if notice:
            self.notices = tuple(dict.fromkeys((*self.notices, notice)))

    def _run_once(
        self, source: Source, job: Job, *, full: bool, limit: float | None, without_brake: bool = False
    ) -> IndexReport:
        live = self._live(source)
        embedder = self._embedder(source.options.model)
        reader = readers.open_reader(source, embedder.token_spans, self._client, self._tokens, limit=limit)
        try:
            report = index_source(
                live,
                reader,
                embedder,
                job,
                full=full,
                brake_fraction=1.0 if without_brake else self.settings.brake_fraction,
                fingerprint=readers.fingerprint(source),
                mark=self._mark,
                apart=self._apart(source),
            )
        finally:
            reader.close()
        parse_after_index(live.store, source, job)
        return report

    def warm_up(self) -> None:
        """Load now what holds every thread for a moment when it is loaded: the tokenizers of the models in use, and
        what runs models."""
        models = {"", *(source.options.model for source in self._registered())}
        for model in sorted(models):
            with contextlib.suppress(EngineError):  # Told when it is needed.
                if not is_ollama(model):
                    self._embedder(model).token_spans(["lamp"])
        load_library()

    def _apart(self, source: Source) -> ReadApart | None:
        can_be = self.reads_apart and self._given_embedder is None and can_read_apart(source)
        return functools.partial(read_apart, source, self.home) if can_be else None

    def _reader(self, source: Source) -> SourceReader:
        spans = self._embedder(source.options.model).token_spans
        return readers.open_reader(source, spans, self._client, self._tokens)

    def _open_indexes(self) -> list[LiveIndex]:
        """Of every source that has one and lets it be opened."""
        found = []
        for source in self._registered():
            with contextlib.suppress(EngineError):
                if (live := self._indexed(source)) is not None:
                    found.append(live)
        return found

    def _count_behind(self, source: Source, job: Job) -> int:
        reader = self._reader(source)
        try:
            return count_behind(self._live(source), reader, job)
        finally:
            reader.close()

    def _chosen(self, names: tuple[str, ...]) -> list[LiveIndex]:
        """The indexes of the named sources, or of all that are searched by default."""
        named = [self.find(name) for name in names]
        return [self._live(s) for s in named or self._registered() if named or s.options.search_by_default]

    def _decisions(self) -> DecisionStore:
        with self._lock:
            if self._decided is None:
                self._decided = DecisionStore.open(self.home.decisions, self._keys.key_for(self.home.decisions))
                self.notices = (*self.notices, *self._decided.notices)
            return self._decided

    def _live(self, source: Source) -> LiveIndex:
        with self._lock:
            index = self._indexes.get(source.id)
            if index is not None and index.store.times_reopened:
                # What it has in memory may lack what was written when the disk failed.
                index.close()
                index = None
            if index is None:
                path = self.home.index_file(source.id)
                embedder = self._embedder(source.options.model)
                index = LiveIndex.open(source, path, self._keys.key_for(path), embedder)
                self._tell(self._keys.notice)
                self._indexes[source.id] = index
            return index

    def _embedder(self, name: str) -> Embedder:
        """The embedder that a source asks for by its catalogue name; empty means the built-in one."""
        with self._lock:
            if name not in self._embedders:
                given = self._given_embedder
                model = given or open_embedder(name, self.home, self.settings.threads, self._ollama)
                self._embedders[name] = GuardedEmbedder(model, self._mark)
            return self._embedders[name]

    def _ollama(self) -> OllamaApi:
        return OllamaApi(self._client, f"http://127.0.0.1:{self.settings.ollama_port}")

    def _pinned(self, options: SourceOptions) -> SourceOptions:
        """The options with a model of Ollama named down to its weights, so that an index never mixes two."""
        return dataclasses.replace(options, model=pinned_model(options.model, self._ollama))

    def _embedder_of(self, model_id: str) -> Embedder:
        """The embedder whose vectors an open index holds."""
        with self._lock:
            live = next(index for index in self._indexes.values() if index.model_id == model_id)
        return live.checked(self._embedder(live.source.options.model))

    def _status(self, source: Source) -> SourceStatus:
        return status_of(source, self._indexed, lambda: self._embedder(source.options.model).dimensions)
