"""What a library holds from its opening to its closing: settings, sources, open files, models, the way to the network.

Puts these together once, so that they share keys, limits and the mark of a crash. Has no verb: ``library.py`` has them.
"""

from __future__ import annotations

import dataclasses
import threading

from engine.errors import UnknownNote
from engine.indexing.runs import Runs
from engine.inference.base import Embedder
from engine.inference.catalog import open_embedder
from engine.inference.guard import CrashMark
from engine.inference.loaded import LoadedModels
from engine.inference.ollama import pinned_model
from engine.knowledge.graph import KnowledgeGraph
from engine.linking.cache import GraphCache
from engine.linking.commands import Desk
from engine.linking.graph import Opened
from engine.linking.parse import parse_after_index
from engine.model import NoteKey, Source, SourceKind, SourceOptions
from engine.net.client import Client
from engine.net.ledger import Ledger
from engine.net.ollama_api import OllamaApi
from engine.net.policy import Policy
from engine.paths import Home, prepare_home
from engine.searching.lookup import find_note
from engine.searching.related import near_notes
from engine.searching.smart_opened import OpenedTools
from engine.searching.smart_tools import SmartTools
from engine.settings import Settings, load, save, services
from engine.sources import readers, roam_access, roam_graphs
from engine.sources.base import SourceReader
from engine.sources.roam_tokens import TokenStore
from engine.sources.roam_windows import WindowState
from engine.store import one_machine
from engine.store.live import LiveIndex
from engine.store.open_files import OpenFiles
from engine.store.protection import open_keys
from engine.store.registry import SourceRegistry
from engine.upkeep import synced


class Holdings:
    """Safe from any thread. ``embedder``, where there is one, stands for every model."""

    def __init__(self, home: Home, embedder: Embedder | None) -> None:
        prepare_home(home)
        one_machine.claim(home)
        self.home = home
        self.embedder = embedder
        self.settings, notices = load(home)
        self.sources = SourceRegistry(home)
        keys = open_keys(home, self.settings.protection)
        self.notices: tuple[str, ...] = (*notices, *self.sources.notices)
        self.tell(keys.unfinished)
        if warning := synced.data_warning(home.data):
            self.tell(f"{warning} Move it out: set LAMPLIGHT_HOME to a folder elsewhere.")
        self._mark = CrashMark(home.crash_mark, home.crash_log)
        self.tell(self._mark.notice)
        self._changing = threading.Lock()
        """While the owner's choices are written and taken over."""
        self.client = Client(Policy(name for name, on in services(self.settings).items() if on), Ledger(home.ledger))
        self.tokens = TokenStore()
        self.models = LoadedModels(self._open_model, self._mark)
        self.files = OpenFiles(home, keys, self.model_of, self.tell)
        self.plugins = OpenedTools(home, lambda: self.settings.threads)
        self._graphs = GraphCache()
        self.runs = Runs(
            home,
            self.files,
            self.models,
            self._mark,
            settings=lambda: self.settings,
            open_reader=self.reader,
            window=self._window,
            then=parse_after_index,
        )

    def close(self) -> None:
        self.files.close()
        self._mark.close()

    def tell(self, notice: str) -> None:
        """Add to the notices, once."""
        if notice:
            self.notices = tuple(dict.fromkeys((*self.notices, notice)))

    # --- what the owner chose

    def change_settings(self, settings: Settings) -> None:
        with self._changing:
            save(self.home, settings)
            self.settings = settings
            for name, on in services(settings).items():
                self.client.policy.switch(name, on)

    def configure(self, source: str, options: SourceOptions) -> Source:
        """Change the options of a source that is registered; its open index, if there is one, goes by them."""
        options = self.pinned(options)
        with self._changing:
            changed = dataclasses.replace(self.sources.find(source), options=options)
            embedder = self.model_of(changed)
            self.sources.replace(changed)
            self.files.use(changed, embedder)
        return changed

    def remove(self, source: str) -> Source:
        """Forget a source, and delete all text of it."""
        found = self.sources.find(source)
        self.sources.remove(found.id)
        self.files.remove(found)
        self.plugins.forget(found)
        return found

    def pinned(self, options: SourceOptions) -> SourceOptions:
        """The options with a model of Ollama named down to its weights, so that an index never mixes two."""
        return dataclasses.replace(options, model=pinned_model(options.model, self._ollama))

    # --- what a verb works with

    def index_of(self, source: str) -> LiveIndex:
        """By the source's name or id. Raises ``UnknownSource``."""
        return self.files.index(self.sources.find(source))

    def note_named(self, source: str, note: str) -> tuple[LiveIndex, NoteKey]:
        """The index and the key of the note with this path, title, alias or uid. Raises ``UnknownNote``."""
        live = self.index_of(source)
        found = find_note(note, [live])
        if found is None:
            raise UnknownNote(f"'{live.source.name}' has no note '{note}'.", "Index it again if it is new.")
        return live, found[1].key

    def chosen(self, names: tuple[str, ...]) -> list[LiveIndex]:
        """The indexes of the named sources, or of all that are searched by default."""
        return [self.files.index(source) for source in self.sources.chosen(names)]

    def opened(self, names: tuple[str, ...]) -> list[Opened]:
        """The same, as the knowledge graph wants them."""
        return [(live.source, live.store) for live in self.chosen(names)]

    def graph(self, names: tuple[str, ...]) -> KnowledgeGraph:
        """Joined as the ledger says; read-only."""
        return self._graphs.get(self.opened(names), self.files.decisions())

    def desk(self, names: tuple[str, ...]) -> Desk:
        """For a command of the graph about these sources, or all that are searched by default."""
        return Desk(
            self.opened,
            self.graph,
            self.files.decisions(),
            self.sources.all,
            lambda: self.models.get("").embed_documents,
            lambda job: near_notes(self.chosen(names), check=job.check),
        )

    def vectors_of(self, source: str) -> tuple[SmartTools | None, LiveIndex | None, Embedder]:
        """The plugin's index of a source and our own, as far as there are any, and the model of ours."""
        found = self.sources.find(source)
        return self.plugins.of(found), self.files.index_if_made(found), self.model_of(found)

    def reader(self, source: Source, limit: float | None = None) -> SourceReader:
        """``limit`` is as of ``readers.open_reader``."""
        spans = self.model_of(source).token_spans
        return readers.open_reader(source, spans, self.client, self.tokens, limit=limit)

    def graph_of_roam(self, name: str) -> roam_access.Graph:
        """The live graph that a person means, registered or not."""
        return roam_access.graph_of(name, self.sources.all(), self.client)

    def _window(self, source: Source, limit: float) -> WindowState:
        is_local = source.kind is SourceKind.ROAM_LOCAL
        return roam_graphs.gate(source, self.client, limit) if is_local else WindowState.OPEN

    # --- models

    def model_of(self, source: Source) -> Embedder:
        return self.models.get(source.options.model)

    def embedder_of(self, model_id: str) -> Embedder:
        """The embedder whose vectors an open index holds."""
        live = self.files.index_of_model(model_id)
        return live.checked(self.model_of(live.source))

    def _open_model(self, name: str) -> Embedder:
        return self.embedder or open_embedder(name, self.home, self.settings.threads, self._ollama)

    def _ollama(self) -> OllamaApi:
        return OllamaApi(self.client, f"http://127.0.0.1:{self.settings.ollama_port}")
