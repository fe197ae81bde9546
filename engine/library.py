"""``Library``: the one object that every front end holds. Each verb is a short call into a journey; no logic here.

May be called from any thread. Index runs of one source never overlap; searches go on while a run writes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from engine import __version__
from engine.errors import BadRequest
from engine.holdings import Holdings
from engine.inference.base import Embedder
from engine.inference.model_folders import import_folder, overview, remove_folder
from engine.job import Job, Progress
from engine.knowledge.graph import KnowledgeGraph
from engine.knowledge.layout import lay_out
from engine.knowledge.merging import EntryKind, LedgerEntry
from engine.linking import ledger, model_commands
from engine.linking.assemble import Assembly, measure
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
    SourceKind,
    SourceOptions,
    SourceStatus,
    Verdict,
    WhyNot,
)
from engine.net import updates
from engine.net.ledger import Ledger
from engine.net.secrets import Secret
from engine.paths import Home, find_home
from engine.searching.completion import complete, parts
from engine.searching.contents import contents
from engine.searching.pins import pins_and_hides
from engine.searching.related import duplicates, note_links, related
from engine.searching.search import search
from engine.searching.sentences import nearest_sentence
from engine.searching.smart_tools import call_tool, measure_source, mixed, verify_source
from engine.searching.views import note_view
from engine.searching.why import why_not
from engine.settings import Settings, with_service
from engine.sources import discovery, readers, roam_access, roam_graphs
from engine.sources.export_files import write_files as write_files
from engine.store import exchange
from engine.store import passphrase as passphrases
from engine.store.decisions import SavedSearch
from engine.store.protection import passphrase_file
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
        """With an ``embedder``, that one stands for every model."""
        self.home = home
        self._held = Holdings(home, embedder)

    @classmethod
    def open(cls, home: Home | None = None, *, embedder: Embedder | None = None) -> Library:
        """The library in ``home`` (default: ``LAMPLIGHT_HOME`` or the system's place). Index files open when needed."""
        return cls(home or find_home(), embedder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self._held.close()

    @property
    def settings(self) -> Settings:
        return self._held.settings

    @property
    def notices(self) -> tuple[str, ...]:
        """What the owner should know, each once."""
        return self._held.notices

    def follow(self, changed: Callable[[Changes], None], moved: Callable[[str, Progress | None], None]) -> bool:
        """Whether whoever holds it is told of what others change: here nobody else can; see ``frontends.host``."""
        return True

    # --- sources

    def sources(self) -> list[SourceStatus]:
        """Every registered source with its state; one whose index cannot be opened says so instead of failing."""
        return [self._status(source) for source in self.registered()]

    def registered(self) -> list[Source]:
        """Every registered source, without a look into its index."""
        return self._held.sources.all()

    def find(self, source: str) -> Source:
        """The registered source with this name or id. Raises ``UnknownSource`` naming those there are."""
        return self._held.sources.find(source)

    def status(self, source: str) -> SourceStatus:
        return self._status(self.find(source))

    def discover(self) -> list[Discovered]:
        """Vaults and graphs on this machine with their states; what was not understood becomes a notice."""
        found, notices = discovery.discover(self.sources(), self._held.client)
        for notice in notices:
            self._held.tell(notice)
        return found

    def size_up(self, location: str, job: Job) -> tuple[int, int]:
        """(notes, bytes) of a vault or an export that is no source yet, without reading it."""
        return discovery.size_up(location, job)

    def add(
        self, location: str, *, kind: SourceKind | None = None, name: str = "", options: SourceOptions | None = None
    ) -> Source:
        """Register a vault, an export, or a graph (``roam:NAME``). Raises ``NotASource`` or ``SourceExists``."""
        place = readers.recognise(location, self._held.client)
        options = self._held.pinned(options or SourceOptions())
        return self._held.sources.add(kind or place.kind, place.location, name, options, own_name=place.name)

    def configure(self, source: str, options: SourceOptions) -> Source:
        """Change what the owner chose for a source; the next index run applies it."""
        return self._held.configure(source, options)

    def remove(self, source: str) -> Changes:
        """Forget a source and delete its index file. The notes are not touched."""
        removed = self._held.remove(source)
        return Changes(frozenset({Changed.SOURCES, Changed.NOTES}), frozenset({removed.id}))

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
        return self._held.runs.index(
            self.find(source),
            job,
            full=full,
            require_open_window=require_open_window,
            without_brake=without_brake,
            may_read_apart=self.reads_apart and self._held.embedder is None,
        )

    def index_warning(self, source: str) -> str:
        """What the person should know before a run that they ask for: Roam may ask for a password. Or empty."""
        return roam_graphs.unlock_warning(self.find(source), self._held.client)

    def freshen(self, source: str, job: Job) -> SearchAge:
        """Bring a graph up to date if its index is older than its owner allows; see ``indexing.refresh``."""
        return self._held.runs.freshen([self._held.index_of(source)], job)[0]

    def behind(self, sources: tuple[str, ...] = (), job: Job | None = None) -> int:
        """Notes that changed since the last run, over the named sources or all; live graphs are not asked for it."""
        chosen = [self.find(name) for name in sources] or self.registered()
        return self._held.runs.behind(chosen, job or Job())

    def search(self, request: SearchRequest, job: Job | None = None) -> SearchResult:
        """Answer a request over the named sources, or all that are searched by default."""
        request = dataclasses.replace(request, fusion=request.fusion or self.settings.fusion)
        indexes, failed = self._held.files.indexes(self._held.sources.chosen(request.sources))
        ages = self._held.runs.freshen(indexes, job or Job()) if request.refresh else ()
        result = search(request, indexes, self._held.embedder_of, job).with_ages(ages)
        notices = [f"'{source.name}' was not searched: {error}" for source, error in failed]
        if not indexes and not self.registered():
            notices.append("There is nothing to search yet. Add a vault or an export: lamplight add PATH")
        return dataclasses.replace(result, notices=(*result.notices, *notices))

    def why_not(self, note: str, query: str, sources: tuple[str, ...] = ()) -> WhyNot:
        """Follow a note (title, path, alias or uid) through the search for ``query``; see ``searching.why``."""
        return why_not(note, query, self._held.chosen(sources), self._held.embedder_of)

    def related(self, source: str, note: str, *, folder: str = "", limit: int = 20) -> tuple[RelatedNote, ...]:
        """The notes of all sources nearest to a note of ``source``; see ``searching.related``."""
        live, key = self._held.note_named(source, note)
        plugin = self._held.plugins.of(live.source)
        pinned, hidden = pins_and_hides(self._held.files.decisions(), plugin, live.source.id, key)
        near = self._held.chosen(())
        return related(live, key, near, folder=folder, limit=limit, pinned=pinned, hidden=hidden)

    def duplicates(
        self, sources: tuple[str, ...] = (), job: Job | None = None, *, limit: int = 50
    ) -> tuple[DuplicatePair, ...]:
        """Pairs of notes that say nearly the same, for a person to look at."""
        return duplicates(self._held.chosen(sources), limit=limit, check=(job or Job()).check)

    def export_decisions(self, source: str) -> dict[str, Any]:
        """Pins, hides, feedback and saved searches of a source, as a JSON-compatible document."""
        return exchange.export_decisions(self._held.files.decisions(), self.find(source))

    def import_decisions(self, source: str, document: Mapping[str, Any]) -> int:
        """Take over an exported document; returns the number of its entries. Raises ``BadRequest``."""
        return exchange.import_decisions(self._held.files.decisions(), self.find(source), document)

    def links(self, source: str, note: NoteKey) -> tuple[NoteLink, ...]:
        """The notes of a source that a note links to, then those that link to it."""
        return note_links(self._held.index_of(source), note)

    def query_help(self, text: str, cursor: int, sources: tuple[str, ...] = ()) -> QueryHelp:
        """The operators of a query, and what may follow at the cursor; see ``searching.completion``."""
        return QueryHelp(parts(text), complete(text, cursor, self._held.chosen(sources), self.registered()))

    def contents(self, sources: tuple[str, ...] = ()) -> Contents:
        """Folders, pages, tags and collections of sources with their counts; see ``searching.contents``."""
        return contents(self._held.chosen(sources))

    def nearest_sentence(self, source: str, query: str, text: str) -> str:
        """The sentence of a passage's text that says most nearly what is asked for; see ``searching.sentences``."""
        return nearest_sentence(query, text, self._held.model_of(self.find(source)))

    def saved_searches(self) -> dict[str, str]:
        """The text of each search that the owner saved, by name."""
        return {saved.name: str(saved.request.get("text", "")) for saved in self._held.files.decisions().searches()}

    def save_search(self, name: str, text: str) -> Changes:
        """Keep a search under a name, in place of the one that has it; an empty text removes it."""
        if text:
            self._held.files.decisions().save_search(SavedSearch(name, {"text": text}))
        else:
            self._held.files.decisions().delete_search(name)
        return Changes(frozenset({Changed.DECISIONS}))

    def count_notes(self, source: str, options: SourceOptions, job: Job) -> int:
        """How many notes a source would hold with other options. A live graph is not asked for it, since that may open
        its window: of one, how many its index holds."""
        found = self.find(source)
        if found.kind in roam_access.LIVE:
            return self._status(found).notes
        return self._held.runs.count_notes(dataclasses.replace(found, options=options), job)

    def problems(self, source: str) -> list[Problem]:
        return self._held.index_of(source).store.problems()

    def note_statuses(self, source: str, job: Job) -> list[NoteStatus]:
        """How every note of a source stands, and why; live graphs are not asked what has changed."""
        return self._held.runs.note_statuses(self.find(source), job)

    def history(self, limit: int = 100) -> list[Run]:
        """The index runs that are over, newest first, whoever asked for them."""
        return recent_runs(self._held.files.indexes_made(self.registered()), limit)

    def note(self, source: str, key: NoteKey) -> NoteView:
        """A note as the preview shows it. Raises ``UnknownNote``."""
        return note_view(self._held.index_of(source), key)

    def find_note(self, source: str, note: str) -> NoteKey:
        """The key of the note with this path, title, alias or uid. Raises ``UnknownNote``."""
        return self._held.note_named(source, note)[1]

    def home_link(self, source: str, anchor: Anchor) -> str:
        """The address that opens a passage in Obsidian or Roam."""
        return discovery.home_link(self.find(source), anchor)

    def change_settings(self, settings: Settings) -> Changes:
        self._held.change_settings(settings)
        return Changes(frozenset({Changed.SETTINGS}))

    def unlock(self, passphrase: str) -> Changes:
        """Give the passphrase that protects the index files, until this process ends. Raises ``WrongKey`` for another
        one."""
        passphrases.unlock(passphrase_file(self.home), passphrase)
        return Changes(frozenset({Changed.SOURCES, Changed.NOTES, Changed.DECISIONS}))

    def choose_passphrase(self, passphrase: str) -> None:
        """The passphrase for when the settings ask for one; where one was chosen before, it must be that. Raises
        ``BadRequest`` for one that is too short, ``WrongKey`` for another one."""
        passphrases.choose_once(passphrase_file(self.home), passphrase)

    # --- live graphs and services

    def services(self) -> list[ServiceState]:
        """The network services, what each would send where, and whether it is switched on."""
        known = self._held.client.policy
        return [ServiceState(s.name, s.title, s.leaves, known.is_enabled(s.name)) for s in known.services]

    def switch_service(self, name: str, on: bool) -> Changes:
        return self.change_settings(with_service(self.settings, name, on=on))

    def newer_release(self, job: Job) -> Release | None:
        """The newest Lamplight, if this is an older one; asked of the project's page, when the owner allows that."""
        return updates.newer(self._held.client, updates.makers_key(), __version__, job)

    def keep_token(self, graph: str, token: str) -> str:
        """Keep a token for a graph, in the keychain where there is one; returns what to tell the person."""
        return roam_access.keep_token(
            self._held.graph_of_roam(graph), Secret(token), self._held.client, self._held.tokens
        )

    def import_token(self, graph: str) -> str:
        """Keep the token that Roam's own tools have for a graph."""
        return roam_access.import_token(self._held.graph_of_roam(graph), self._held.client, self._held.tokens)

    def request_token(self, graph: str, job: Job) -> str:
        """Ask the person, in Roam's own dialog, for a read-only token; waits for the answer."""
        return roam_access.request_token(self._held.graph_of_roam(graph), self._held.client, self._held.tokens, job)

    def forget_token(self, graph: str) -> str:
        return roam_access.forget_token(self._held.graph_of_roam(graph), self._held.tokens)

    def check_connection(self, graph: str, job: Job) -> str:
        """Read from a graph itself, as proof that it can be; raises what stands in the way."""
        return roam_access.check_connection(self._held.graph_of_roam(graph), self._held.client, self._held.tokens, job)

    # --- the knowledge graph

    def graph(self, sources: tuple[str, ...] = ()) -> KnowledgeGraph:
        """The graph over the named sources, or all that are searched by default, as the ledger joins it. Read-only."""
        return self._held.graph(sources)

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

    def merges(self) -> list[LedgerEntry]:
        """Every merge, split and "never" with who said so, why and when; oldest first, undone ones included."""
        return self._held.files.decisions().merges()

    def decide_merge(
        self, kind: EntryKind, names: tuple[str, ...], why: str = "", sources: tuple[str, ...] = ()
    ) -> LedgerEntry:
        """Record that entities are the same, are not, or never will be; see ``linking.ledger.decide``."""
        return ledger.decide(self._held.opened(sources), self._held.files.decisions(), kind, names, why)

    def undo_merge(self, number: int, *, redo: bool = False) -> Changes:
        """Undo an entry of the ledger, or make it valid again."""
        ledger.undo(self._held.files.decisions(), number, redo=redo)
        return Changes(frozenset({Changed.DECISIONS}))

    def graph_call(self, verb: str, options: Mapping[str, Any], job: Job | None = None) -> dict[str, Any]:
        """A command of the graph: plain options in, a JSON-compatible document out; see ``linking.commands``."""
        desk = self._held.desk(tuple(options.get("sources") or ()))
        models = model_commands.ModelDesk(self._held.client, self._held.files.replies, self.search)
        return model_commands.run(desk, models, verb, options, job or Job())

    # --- vectors and models

    def verify(self, source: str, job: Job, *, sample: int = 12) -> list[Verdict]:
        """Make a sample of a source's vectors again and compare: the plugin's where there are any, and its own."""
        return verify_source(*self._held.vectors_of(source), job, sample=sample)

    def measure_vectors(self, source: str, job: Job) -> list[dict[str, Any]]:
        """Coverage, finding of text deep in notes, and speed, of each index that a source has."""
        return measure_source(*self._held.vectors_of(source), job)

    def smart_tool(self, source: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A tool on a vault's Smart Connections index, by name; see ``searching.smart_tools``."""
        return call_tool(self._held.plugins.of(self.find(source)), tool, arguments)

    def search_mixed(self, source: str, query: str, *, limit: int = 10) -> dict[str, Any]:
        """Search on the plugin's vectors, and on our own where there are none; see ``searching.smart_mixed``."""
        return mixed(*self._held.vectors_of(source), query, limit)

    def models(self) -> list[ModelInfo]:
        """Every embedding model: licence, size, languages, and the sources that use it."""
        return overview(self.home, {s.name: s.options.model for s in self.registered()})

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
        users = [source.name for source in self.registered() if source.options.model == model]
        if users:
            raise BadRequest(f"'{model}' is used by {', '.join(users)}.", "Choose another model there first.")
        remove_folder(self.home, model)

    def warm_up(self) -> None:
        """Load now what holds every thread for a moment when it is loaded, for the models in use."""
        self._held.models.warm_up(source.options.model for source in self.registered())

    # --- upkeep

    def connections(self, limit: int = 200) -> list[LedgerLine]:
        """The newest lines of the ledger of connections, newest first."""
        return recent_connections(Ledger(self.home.ledger), limit)

    def keychain_entries(self) -> list[KeychainEntry]:
        """Which secrets the keychain holds. Waits for it, so not for the window's own thread."""
        return keychain_entries(self.registered())

    def power(self) -> PowerState:
        """What the machine runs on, and for how long nobody has touched it."""
        return power_state()

    def diagnostics(self) -> str:
        """A report for whoever helps when something goes wrong, without a word of a note."""
        problems = {live.source.id: live.store.problems() for live in self._held.files.indexes_made(self.registered())}
        seen = (self.home, self.settings, self.notices, self.sources(), problems)
        return diagnostics_text(Findings(*seen, self.history(), self.connections(), self.keychain_entries()))

    # --- inside

    def _status(self, source: Source) -> SourceStatus:
        return status_of(source, self._held.files.index_if_made, lambda: self._held.model_of(source).dimensions)
