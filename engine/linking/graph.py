"""The graph over several sources, each of which keeps its own file: loaded, joined by the ledger, held in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.knowledge.facts import Fact, NameKind, Naming, Thing
from engine.knowledge.graph import KnowledgeGraph, NoteId, assemble
from engine.knowledge.merging import EntityRef, LedgerEntry, Partition, Refs, replay
from engine.linking.collector import held_back
from engine.linking.names import is_daily_name
from engine.model import NoteKey, Source, SourceId
from engine.store.index import IndexStore

Opened = tuple[Source, IndexStore]


@dataclass(frozen=True, slots=True)
class LoadedFacts:
    """All that the files of several sources say."""

    things: tuple[Thing, ...]
    names: tuple[Naming, ...]
    facts: tuple[Fact, ...]
    homes: dict[str, SourceId]
    """Thing -> its source."""
    notes: dict[str, NoteKey]
    """Thing -> the note about it."""
    daily: frozenset[NoteId]

    def refs(self) -> Refs:
        return Refs((self.homes[one.id], one, self.notes.get(one.id, NoteKey(""))) for one in self.things)

    def ref(self, one: Thing) -> EntityRef:
        """The thing as the ledger names it."""
        return EntityRef(one.id, self.homes[one.id], one.type, one.name, self.notes.get(one.id, ""))


def load_facts(opened: Sequence[Opened]) -> LoadedFacts:
    with held_back():
        return _load(opened)


def _load(opened: Sequence[Opened]) -> LoadedFacts:
    things: list[Thing] = []
    names: list[Naming] = []
    facts: list[Fact] = []
    homes: dict[str, SourceId] = {}
    daily: set[NoteId] = set()
    for source, store in opened:
        stored = store.graph.load(source.id)
        things += stored.things
        names += stored.names
        facts += stored.facts
        homes |= dict.fromkeys((one.id for one in stored.things), source.id)
        daily |= {(source.id, key) for key in store.graph.daily_notes()}
    notes = {naming.thing.id: naming.evidence.note for naming in names if naming.kind is NameKind.TITLE}
    return LoadedFacts(tuple(things), tuple(names), tuple(facts), homes, notes, frozenset(daily))


def join(loaded: LoadedFacts, partition: Partition) -> KnowledgeGraph:
    """The graph of what was loaded, with the groups of ``partition`` as one entity each."""
    days = {one.name: True for one in loaded.things if is_daily_name(one.name)}
    with held_back():
        return assemble(loaded.things, loaded.names, loaded.facts, partition.all_groups(), loaded.daily, days)


def load_graph(opened: Sequence[Opened], ledger: Sequence[LedgerEntry] = ()) -> KnowledgeGraph:
    """The graph of these sources as the ledger joins it."""
    loaded = load_facts(opened)
    return join(loaded, replay(ledger, loaded.refs()))
