"""A library in memory with the verbs of the real one: the double of the window's tests. Deterministic, no files."""

from __future__ import annotations

import re
import threading
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import NotASource, PassphraseNeeded, UnknownNote
from engine.job import Job, Progress
from engine.model import (
    Anchor,
    Changed,
    Changes,
    Completion,
    Contents,
    Discovered,
    Hit,
    IndexReport,
    KeychainEntry,
    LedgerLine,
    Leg,
    LegHealth,
    LegState,
    Mode,
    ModelInfo,
    ModelOffer,
    NoteHits,
    NoteKey,
    NoteLink,
    NoteState,
    NoteStatus,
    NoteView,
    Outcome,
    OutlineBlock,
    PassageKind,
    PowerState,
    Problem,
    QueryHelp,
    QueryPart,
    RelatedNote,
    Release,
    Run,
    SearchAge,
    SearchRequest,
    SearchResult,
    Severity,
    Source,
    SourceId,
    SourceKind,
    SourceOptions,
    SourceStatus,
    Strength,
)
from engine.settings import Settings

DAY = 86_400.0
SPRING = 1_741_000_000.0


@dataclass
class FakeNote:
    key: str
    markdown: str = ""
    outline: tuple[OutlineBlock, ...] = ()

    @property
    def title(self) -> str:
        return Path(self.key).stem

    def passages(self) -> list[tuple[Anchor, tuple[str, ...], str]]:
        """(anchor, breadcrumb, text) of each block or paragraph."""
        if self.outline:
            return [
                (Anchor(NoteKey(self.key), uid=block.uid), (self.title,), block.text or block.raw)
                for block in self.outline
            ]
        found, heading, start, lines = [], (), 0, [*self.markdown.split("\n"), ""]
        paragraph: list[str] = []
        for number, line in enumerate(lines, 1):
            if line.startswith("#"):
                heading = (line.lstrip("# "),)
            elif line.strip():
                start = start if paragraph else number
                paragraph.append(line)
            elif paragraph:
                anchor = Anchor(NoteKey(self.key), "", heading, start, number - 1)
                found.append((anchor, (self.title, *heading), "\n".join(paragraph)))
                paragraph = []
        return found


def vault_notes() -> list[FakeNote]:
    return [
        FakeNote(
            "Kitchen/Sourdough.md",
            "---\ntags: [bread]\nstatus: tried\n---\n# Starter\n\n"
            "Feed the sourdough starter every morning with rye flour.\n\n"
            "# Oven\n\nThe sourdough wants **steam** for the first twenty minutes, see [[Steam oven]].\n\n"
            "> [!tip] Crust\n> A hot stone makes the crust sing.\n\n- [ ] buy rye\n- [x] clean stone\n",
        ),
        FakeNote(
            "Garden/Bees.md", "# Spring\n\nThe bees fly when the plum tree blossoms.\n\nMorning sun warms the hive.\n"
        ),
        FakeNote("Reisen/Lübeck.md", "# Hafen\n\nAm Morgen liegt Nebel über dem Hafen, der Kaffee ist stark.\n"),
    ]


def graph_notes() -> list[FakeNote]:
    blocks = (
        OutlineBlock(
            "aaaaaaaa1", 0, "Coffee with [[Mara]] in the **morning** #meeting", "Coffee with Mara in the morning"
        ),
        OutlineBlock("aaaaaaaa2", 1, "She said ((bbbbbbbb1))", "She said: light keeps time"),
        OutlineBlock("aaaaaaaa3", 1, "{{[[TODO]]}} Write to the trust", "Write to the trust"),
    )
    return [FakeNote("March 3rd, 2025", outline=blocks)]


@dataclass
class FakeSource:
    source: Source
    notes: list[FakeNote]
    is_indexed: bool = True
    state: str = "indexed"


def make_source(name: str, kind: SourceKind = SourceKind.OBSIDIAN, location: str = "") -> Source:
    return Source(SourceId(name.casefold()), kind, name, location or f"/notes/{name}")


@dataclass
class FakeLibrary:
    sources_: dict[str, FakeSource] = field(default_factory=dict)
    found: list[Discovered] = field(default_factory=list)
    settings: Settings = field(default_factory=Settings)
    notices: tuple[str, ...] = ()
    requests: list[SearchRequest] = field(default_factory=list)
    runs: list[tuple[str, bool]] = field(default_factory=list)
    steps: int = 3
    hold: threading.Event | None = None
    """When set, a run stops at each step until the event is set or the job is cancelled."""
    on_search: Callable[[SearchRequest, Job | None], None] = lambda _request, _job: None
    error: Exception | None = None
    is_closed: bool = False
    saved: dict[str, str] = field(default_factory=dict)
    behind_by: dict[str, int] = field(default_factory=dict)
    """Source id -> notes that changed since the last run."""
    outcome: Outcome = Outcome.COMPLETE
    tells: bool = True
    tell: Callable[[Changes], None] = lambda _changes: None
    tell_moved: Callable[[str, Progress | None], None] = lambda _source, _progress: None
    warning: str = ""
    age: SearchAge = field(default_factory=lambda: SearchAge(SourceId(""), "", SPRING, 0, "refreshed"))
    freshened: list[str] = field(default_factory=list)
    power_state: PowerState = field(default_factory=PowerState)
    past: list[Run] = field(default_factory=list)
    downloads: list[str] = field(default_factory=list)
    tokens: list[tuple[str, str]] = field(default_factory=list)
    decided: list[str] = field(default_factory=list)
    """Sources whose vanished notes the person let go."""
    encrypted: bool = True
    release: Release | None = None
    asked_for_updates: int = 0
    passphrase: str = ""
    tried: list[str] = field(default_factory=list)
    """Passphrases that were given."""

    @classmethod
    def with_notes(cls) -> FakeLibrary:
        vault = FakeSource(make_source("Notes"), vault_notes())
        graph = FakeSource(make_source("Second Brain", SourceKind.ROAM_EXPORT, "/notes/brain.json"), graph_notes())
        return cls({vault.source.id: vault, graph.source.id: graph})

    def sources(self) -> list[SourceStatus]:
        return [self._status(entry) for entry in self.sources_.values()]

    def _status(self, entry: FakeSource) -> SourceStatus:
        passages = sum(len(note.passages()) for note in entry.notes)
        if not entry.is_indexed:
            return SourceStatus(entry.source, "new")
        behind = self.behind_by.get(entry.source.id, 0)
        return SourceStatus(
            entry.source,
            entry.state,
            len(entry.notes),
            passages,
            passages,
            indexed_at=SPRING,
            behind_by=behind,
            encrypted=self.encrypted,
        )

    def lock(self) -> None:
        for entry in self.sources_.values():
            entry.state = "passphraseneeded"

    def unlock(self, passphrase: str) -> Changes:
        self.tried.append(passphrase)
        if passphrase != self.passphrase:
            raise PassphraseNeeded("The passphrase is not the right one.", "Type it on a terminal.")
        for entry in self.sources_.values():
            entry.state = "indexed"
        return Changes(frozenset({Changed.SOURCES, Changed.NOTES}))

    def choose_passphrase(self, passphrase: str) -> None:
        self.passphrase = passphrase

    def discover(self) -> list[Discovered]:
        return self.found

    def add(self, location: str, *, name: str = "") -> Source:
        path = Path(location)
        if "bad" in path.name:
            raise NotASource(f"{path.name} is not a vault or an export.", "Choose a folder of Markdown files.")
        kind = SourceKind.ROAM_EXPORT if path.suffix else SourceKind.OBSIDIAN
        source = make_source(name or path.stem, kind, str(path))
        self.sources_[source.id] = FakeSource(source, vault_notes(), is_indexed=False)
        return source

    def remove(self, source: str) -> Changes:
        del self.sources_[source]
        return Changes(frozenset({Changed.SOURCES}), frozenset({SourceId(source)}))

    def index(self, source: str, job: Job, *, full: bool = False, without_brake: bool = False) -> IndexReport:
        self.runs.append((source, full))
        self.decided += [source] * without_brake
        for step in range(self.steps):
            job.report("embedding", step, self.steps)
            while self.hold is not None and not self.hold.wait(0.01):
                job.check()
            job.check()
        if self.error is not None:
            raise self.error
        self.sources_[source].is_indexed = True
        self.behind_by.pop(source, None)
        outcome = Outcome.COMPLETE if full or without_brake else self.outcome
        return IndexReport(SourceId(source), outcome, notes=len(self.sources_[source].notes))

    def search(self, request: SearchRequest, job: Job | None = None) -> SearchResult:
        self.requests.append(request)
        self.on_search(request, job)
        if self.error is not None:
            raise self.error
        mode = Mode.WORD if request.typing else request.mode
        words = re.findall(r"\w+", request.text.casefold())
        rows = []
        for entry in self.sources_.values():
            if entry.is_indexed and (not request.sources or entry.source.id in request.sources):
                rows += [row for note in entry.notes if (row := self._row(entry.source, note, words, mode))]
        rows.sort(key=lambda row: -row.score)
        leg = LegHealth("word", LegState.USED)
        shown = tuple(rows[: request.limit])
        return SearchResult(shown, (leg,), self.notices, total=len(rows), seconds=0.004)

    def _row(self, source: Source, note: FakeNote, words: list[str], mode: Mode) -> NoteHits | None:
        hits = []
        for ordinal, (anchor, breadcrumb, text) in enumerate(note.passages()):
            spans = sorted({m.span() for word in words for m in re.finditer(rf"\b{re.escape(word)}\w*", text, re.I)})
            if spans:
                hits.append(self._hit(source, note, ordinal, anchor, breadcrumb, text, tuple(spans), mode))
        hits.sort(key=lambda hit: -hit.score)
        return NoteHits(source.id, NoteKey(note.key), note.title, hits[0].score, tuple(hits)) if hits else None

    def _hit(
        self,
        source: Source,
        note: FakeNote,
        ordinal: int,
        anchor: Anchor,
        breadcrumb: tuple[str, ...],
        text: str,
        spans: tuple[tuple[int, int], ...],
        mode: Mode,
    ) -> Hit:
        legs = [Leg("word", 1 + ordinal, 4.2, 0.5), Leg("meaning", 2 + ordinal, 0.61, 0.5)]
        kind = PassageKind.BLOCK if anchor.uid else PassageKind.SECTION
        score = float(len(spans)) - ordinal / 100
        return Hit(
            source=source.id,
            source_name=source.name,
            source_kind=source.kind,
            passage_id=zlib.crc32(f"{note.key}#{ordinal}".encode()),
            kind=kind,
            anchor=anchor,
            title=note.title,
            breadcrumb=breadcrumb,
            text=text,
            snippet=text,
            spans=spans,
            score=score,
            legs=tuple(legs[:1] if mode is Mode.WORD else legs),
            strength=Strength.STRONG if len(spans) > 1 else Strength.LIKELY,
            created=SPRING,
            modified=SPRING + ordinal * DAY,
        )

    def note(self, source: str, key: NoteKey) -> NoteView:
        entry = self.sources_[source]
        for note in entry.notes:
            if note.key == key:
                path = "" if note.outline else f"{entry.source.location}/{key}"
                references = {"bbbbbbbb1": "light keeps time"}
                view = NoteView(entry.source, key, note.title, note.markdown, note.outline, path, references=references)
                return replace(view, modified=SPRING)
        raise UnknownNote(
            f"{entry.source.name} has no note {key}.", "It may have been renamed: index the source again."
        )

    def find_note(self, source: str, note: str) -> NoteKey:
        for one in self.sources_[source].notes:
            if note.removesuffix(".md") in (one.title, one.key.removesuffix(".md")):
                return NoteKey(one.key)
        raise UnknownNote(f"There is no note {note}.")

    def links(self, source: str, note: NoteKey) -> tuple[NoteLink, ...]:
        own = next(one for one in self.sources_[source].notes if one.key == note)
        others = [one for one in self.sources_[source].notes if one is not own]
        linked = [one for one in others if f"[[{one.title}]]" in own.markdown]
        linking = [one for one in others if f"[[{own.title}]]" in one.markdown]
        return tuple(
            NoteLink(NoteKey(one.key), one.title, is_incoming=found is linking)
            for found in (linked, linking)
            for one in found
        )

    def related(self, source: str, note: str) -> tuple[RelatedNote, ...]:
        """All other notes, in their order."""
        entries = [(entry.source, one) for entry in self.sources_.values() for one in entry.notes if one.key != note]
        rows = [self._row(owner, one, ["the", "am", "with"], Mode.MEANING) for owner, one in entries]
        return tuple(RelatedNote(row) for row in rows if row is not None)

    def nearest_sentence(self, source: str, query: str, text: str) -> str:
        return re.split(r"(?<=[.,])\s", text)[-1]

    def query_help(self, text: str, cursor: int, sources: tuple[str, ...] = ()) -> QueryHelp:
        """``tag:`` is known, and goes on with ``bread``."""
        parts = tuple(QueryPart(*m.span(), m[0]) for m in re.finditer(r"-?tag:\S+", text))
        begun = re.search(r"tag:(\w*)$", text[:cursor])
        choices = (Completion("bread", begun.start(1), cursor, 2),) if begun and begun[1] != "bread" else ()
        return QueryHelp(parts, choices)

    def contents(self, sources: tuple[str, ...] = ()) -> Contents:
        entries = [entry for name, entry in self.sources_.items() if not sources or name in sources]
        keys = [note.key for entry in entries for note in entry.notes if not note.outline]
        folders = Counter("/".join(key.split("/")[:depth]) for key in keys for depth in range(1, key.count("/") + 1))
        pages = [(note.title, len(note.outline)) for entry in entries for note in entry.notes if note.outline]
        tags = (("bread", 2), ("light/old", 1)) if keys else ()
        return Contents(tuple(sorted(folders.items())), tuple(pages), tags, (("tasks", 1), ("daily", 0)))

    def saved_searches(self) -> dict[str, str]:
        return dict(self.saved)

    def save_search(self, name: str, text: str) -> Changes:
        self.saved[name] = text
        if not text:
            del self.saved[name]
        return Changes(frozenset({Changed.DECISIONS}))

    def configure(self, source: str, options: SourceOptions) -> Source:
        entry = self.sources_[source]
        entry.source = replace(entry.source, options=options)
        return entry.source

    def count_notes(self, source: str, options: SourceOptions, job: Job) -> int:
        return len(self.sources_[source].notes) - len(options.exclude)

    def behind(self, sources: tuple[str, ...] = (), job: Job | None = None) -> int:
        return sum(self.behind_by.values())

    def newer_release(self, job: Job) -> Release | None:
        self.asked_for_updates += 1
        return self.release

    def models(self) -> list[ModelInfo]:
        return [ModelInfo("big", "Big model", "MIT", 384, frozenset(), 1, True, "", "")]

    def size_up(self, location: str, job: Job) -> tuple[int, int]:
        return 1840, 9_000_000

    def follow(self, changed: Callable[[Changes], None], moved: Callable[[str, Progress | None], None]) -> bool:
        self.tell, self.tell_moved = changed, moved
        return self.tells

    def note_statuses(self, source: str, job: Job) -> list[NoteStatus]:
        notes = self.sources_[source].notes
        listed = [NoteStatus(NoteKey(n.key), n.key, NoteState.INDEXED, modified=SPRING) for n in notes]
        return [NoteStatus(NoteKey(""), "Empty.md", NoteState.SKIPPED, "The note is empty."), *listed]

    def import_token(self, graph: str) -> str:
        self.tokens.append(("import", graph))
        return "Roam accepts the token."

    def request_token(self, graph: str, job: Job) -> str:
        self.tokens.append(("request", graph))
        return "Roam accepts the token."

    def keep_token(self, graph: str, token: str) -> str:
        self.tokens.append((token, graph))
        return "Roam accepts the token."

    def forget_token(self, graph: str) -> str:
        raise UnknownNote("There is no token.")

    def index_warning(self, source: str) -> str:
        return self.warning

    def freshen(self, source: str, job: Job) -> SearchAge:
        self.freshened.append(source)
        return replace(self.age, source=SourceId(source), source_name=source)

    def power(self) -> PowerState:
        return self.power_state

    def history(self, limit: int = 100) -> list[Run]:
        return self.past[:limit]

    def import_model(self, folder: str, model: str, *, replace: bool = False) -> ModelInfo:
        return ModelInfo(model, model, "", 384, frozenset(), 1, True, "", "")

    def model_offer(self, file: str) -> ModelOffer:
        return ModelOffer("small", "Small model", "MIT", 34_000_000, ("models.example.org",), "No note text leaves.")

    def download_model(self, file: str, job: Job) -> ModelInfo:
        self.downloads.append(file)
        job.report("download", 1, 2)
        return ModelInfo("small", "Small model", "MIT", 384, frozenset(), 1, True, "", "")

    def remove_model(self, model: str) -> None:
        self.downloads.append(f"removed {model}")

    def connections(self, limit: int = 200) -> list[LedgerLine]:
        return [LedgerLine(SPRING, "loopback", "127.0.0.1:3333", "read a graph", "ok", 120, 4000)]

    def keychain_entries(self) -> list[KeychainEntry]:
        return [KeychainEntry("Key of the index files", True), KeychainEntry("Token of {name}", False, name="brain")]

    def diagnostics(self) -> str:
        return "# Program\nLamplight\n"

    def home_link(self, source: str, anchor: Anchor) -> str:
        return f"obsidian://open?vault={source}&file={anchor.note.replace('/', '%2F')}"

    def problems(self, source: str) -> list[Problem]:
        return [Problem(Severity.SKIPPED, "Empty.md", "The note is empty.", "empty")]

    def change_settings(self, settings: Settings) -> Changes:
        self.settings = settings
        return Changes(frozenset({Changed.SETTINGS}))

    def close(self) -> None:
        self.is_closed = True
