"""What the owner says about which entities are one: these are the same, this is something else, never merge these.

Entities are named as a person names them; a name that fits several is an error that lists them. Nothing derived is
touched: undoing an entry leaves what the other entries say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.errors import BadRequest
from engine.knowledge.facts import Thing
from engine.knowledge.graph import KnowledgeGraph
from engine.knowledge.merging import EntityRef, EntryKind, LedgerEntry, Partition, Who, replay
from engine.linking.graph import LoadedFacts, Opened, join, load_facts
from engine.model import Entity, SourceId
from engine.store.decisions import DecisionStore

_OWNER_SAYS = {
    EntryKind.MERGE: "these are the same",
    EntryKind.SPLIT: "this is something else",
    EntryKind.APART: "never merge these",
}
_SHOWN = 8


def decide(
    opened: Sequence[Opened], decisions: DecisionStore, kind: EntryKind, names: Sequence[str], why: str = ""
) -> LedgerEntry:
    """Record a decision about entities given by name, id or ``source:name``.

    A merge joins what they name, the first giving its name; a split takes them out of the group they are in; apart
    keeps each from the others for good. Raises ``BadRequest`` when a name fits nothing or several things.
    """
    loaded = load_facts(opened)
    partition = replay(decisions.merges(), loaded.refs())
    graph = join(loaded, partition)
    sources = {source.id: source.name for source, _ in opened}
    picked = [_pick(name, loaded, partition, graph, sources) for name in names]
    members = tuple({one.id: loaded.ref(one) for one in picked}.values())
    if len(members) < (1 if kind is EntryKind.SPLIT else 2):
        raise BadRequest(f"To {_VERBS[kind]} takes two different entities.", "Name each of them.")
    rest = _rest(loaded, partition, members) if kind is EntryKind.SPLIT else ()
    if kind is EntryKind.SPLIT and not rest:
        raise BadRequest(f"'{names[0]}' is not merged with anything else.", "`lamplight graph merges` lists what is.")
    entry = LedgerEntry(kind, members, Who.OWNER, why or _OWNER_SAYS[kind], rest=rest)
    return decisions.change_merges([entry])[0]


def overruled(entries: Sequence[LedgerEntry], later: LedgerEntry) -> list[LedgerEntry]:
    """The owner's earlier decisions that ``later``, theirs too, turns into their opposite; what came last holds."""
    opposite = {EntryKind.MERGE: (EntryKind.APART, EntryKind.SPLIT), EntryKind.APART: (EntryKind.MERGE,)}
    named = {one.id for one in later.members}

    def is_about_the_same(entry: LedgerEntry) -> bool:
        members, rest = ({one.id for one in part} for part in (entry.members, entry.rest))
        return len(named & (members | rest)) > 1 if not rest else bool(named & members and named & rest)

    return [
        one
        for one in entries
        if one.id < later.id
        and one.undone_at is None
        and one.who is Who.OWNER
        and one.kind in opposite.get(later.kind, ())
        and is_about_the_same(one)
    ]


def undo(decisions: DecisionStore, number: int, *, redo: bool = False) -> bool:
    """Undo one entry of the ledger, or make it valid again. False when it is so already.

    Raises ``BadRequest`` when there is none of this number.
    """
    entry = next((one for one in decisions.merges() if one.id == number), None)
    if entry is None:
        raise BadRequest(f"The ledger has no entry {number}.", "`lamplight graph merges` lists them.")
    return (entry.undone_at is None) != redo and decisions.undo_merge(number, redo=redo)


def pick_entity(graph: KnowledgeGraph, name: str) -> Entity:
    """The entity that a name or id means. Raises ``BadRequest`` when none does, or several do."""
    found = graph.find(name)
    if len(found) == 1:
        return found[0]
    if not found:
        words = [one.name for one in graph.entities.values() if name.casefold() in one.name.casefold()]
        near = (
            f"Names that contain it: {', '.join(words[:_SHOWN])}." if words else "`lamplight graph pages` lists them."
        )
        raise BadRequest(f"The graph has no entity '{name}'.", near)
    listed = "; ".join(f"{one.id} ({one.type} in {', '.join(one.sources)})" for one in found[:_SHOWN])
    raise BadRequest(f"'{name}' fits {len(found)} entities.", f"Name one by its id: {listed}.")


_VERBS = {EntryKind.MERGE: "merge", EntryKind.SPLIT: "split", EntryKind.APART: "keep apart"}


def _pick(
    name: str, loaded: LoadedFacts, partition: Partition, graph: KnowledgeGraph, sources: Mapping[SourceId, str]
) -> Thing:
    by_id = {one.id: one for one in loaded.things}
    if name in by_id:
        return by_id[name]
    source, colon, rest = name.partition(":")
    exact = [one for one in loaded.things if one.name == name]
    if colon and not exact:
        homes = {number for number, shown in sources.items() if source.casefold() in (number, shown.casefold())}
        exact = [one for one in loaded.things if one.name == rest.strip() and loaded.homes[one.id] in homes]
    if len(exact) == 1:
        return exact[0]
    heads = {partition.group(one.id)[0] for one in exact}
    if len(heads) == 1:
        return by_id[heads.pop()]
    return by_id[pick_entity(graph, name).id]


def _rest(loaded: LoadedFacts, partition: Partition, members: Sequence[EntityRef]) -> tuple[EntityRef, ...]:
    """What the members are one with now."""
    leaving = {ref.id for ref in members}
    staying = {other for one in leaving for other in partition.group(one)} - leaving
    return tuple(loaded.ref(one) for one in loaded.things if one.id in staying)
