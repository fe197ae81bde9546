"""Which things are one: the ledger of merges, what it adds up to, and what a model's verdict is worth. Pure.

The ledger is replayed from its start, so that undoing an entry leaves exactly what the others say. Things are named
by source, type and name: a decision outlives a rebuilt index, and waits when its things are gone for a while.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations, product

from engine.knowledge.facts import Thing
from engine.model import NoteKey, SourceId


class EntryKind(StrEnum):
    MERGE = "merge"
    """The members are one; the first gives its name."""
    SPLIT = "split"
    """The members leave the group they are in, together."""
    APART = "apart"
    """No two members are ever one."""


class Who(StrEnum):
    OWNER = "owner"
    RULE = "rule"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class EntityRef:
    """A thing as the ledger names it. ``note`` is the key of the note about it when there is one."""

    id: str
    source: SourceId
    type: str
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    kind: EntryKind
    members: tuple[EntityRef, ...]
    who: Who
    why: str
    """The rule's name, the model's reason, or the owner's note."""
    evidence: tuple[str, ...] = ()
    """What spoke for it: names that match, quotes."""
    model: str = ""
    prompt_version: str = ""
    at: float = 0.0
    id: int = 0
    undone_at: float | None = None
    rest: tuple[EntityRef, ...] = ()
    """Of a split: what the members were one with, and are not to be one with again."""

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two entries the same decision."""
        ids = (self.members[0].id, *sorted(one.id for one in self.members[1:])) if self.members else ()
        return self.kind, self.who, self.why, ids


@dataclass(slots=True)
class Partition:
    """Groups of two or more things that are one entity, and pairs that must not become one."""

    groups: dict[str, list[str]] = field(default_factory=dict)
    """Member id -> the ids of its group, the one that names it first; one list per group."""
    apart: set[frozenset[str]] = field(default_factory=set)

    def group(self, one: str) -> list[str]:
        return self.groups.get(one, [one])

    def all_groups(self) -> list[tuple[str, ...]]:
        """Every group once, in a fixed order."""
        unique = {id(group): tuple(group) for group in self.groups.values()}
        return sorted(unique.values())

    def may_join(self, first: str, second: str) -> bool:
        if not self.apart:
            return True
        pairs = product(self.group(first), self.group(second))
        return not any(frozenset(pair) in self.apart for pair in pairs if pair[0] != pair[1])

    def merge(self, members: Sequence[str]) -> None:
        """Make the members, and all they were merged with before, one group named by the first."""
        joined = list(dict.fromkeys(other for one in members for other in (one, *self.group(one))))
        for one in joined:
            self.groups[one] = joined

    def take_out(self, members: Sequence[str]) -> None:
        """Let the members leave their groups, together."""
        leaving = set(members)
        for group in {id(group): group for group in map(self.group, members)}.values():
            self._set([one for one in group if one not in leaving])
        self._set(list(dict.fromkeys(members)))

    def _set(self, group: list[str]) -> None:
        for one in group:
            if len(group) > 1:
                self.groups[one] = group
            else:
                self.groups.pop(one, None)

    def forbid(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.apart.update(frozenset(pair) for pair in pairs if pair[0] != pair[1])


class Refs:
    """Finds the thing that a ledger names, also after its id changed: by name, then by its note."""

    def __init__(self, things: Iterable[tuple[SourceId, Thing, NoteKey]]) -> None:
        self._ids: set[str] = set()
        self._by_name: dict[tuple[SourceId, str, str], list[str]] = {}
        self._by_note: dict[tuple[SourceId, str], str] = {}
        for source, thing, note in things:
            self._ids.add(thing.id)
            self._by_name.setdefault((source, thing.type, thing.name), []).append(thing.id)
            if note:
                self._by_note[source, note] = thing.id

    def find(self, ref: EntityRef) -> str | None:
        """The id of the thing now, or None when it is gone or cannot be told."""
        if ref.id in self._ids:
            return ref.id
        named = self._by_name.get((ref.source, ref.type, ref.name), [])
        if len(named) == 1:
            return named[0]
        return self._by_note.get((ref.source, ref.note)) if ref.note else None


def replay(entries: Iterable[LedgerEntry], refs: Refs) -> Partition:
    """What the ledger adds up to, in order of its entries; undone ones are passed over."""
    partition = Partition()
    for entry in sorted(entries, key=lambda one: one.id):
        found = [one for one in map(refs.find, entry.members) if one is not None]
        if entry.undone_at is not None or not found:
            continue
        if entry.kind is EntryKind.MERGE and len(found) > 1:
            _merge(partition, found, entry.who)
        elif entry.kind is EntryKind.SPLIT:
            partition.take_out(found)
            rest = [one for one in map(refs.find, entry.rest) if one is not None]
            partition.forbid(product(found, rest))
        elif entry.kind is EntryKind.APART:
            for one, other in combinations(found, 2):
                if other in partition.group(one):
                    partition.take_out([other])
            partition.forbid(combinations(found, 2))
    return partition


def _merge(partition: Partition, members: Sequence[str], who: Who) -> None:
    if who is Who.OWNER:
        partition.merge(members)
        joined = partition.group(members[0])
        partition.apart -= {frozenset(pair) for pair in combinations(joined, 2)} if partition.apart else set()
        return
    for other in members[1:]:
        if partition.may_join(members[0], other):
            partition.merge([members[0], other])


def refused(entries: Iterable[LedgerEntry], refs: Refs) -> set[frozenset[str]]:
    """Pairs that the owner took apart again by undoing a merge that a rule or a model had made."""
    pairs: set[frozenset[str]] = set()
    for entry in entries:
        if entry.undone_at is not None and entry.kind is EntryKind.MERGE and entry.who is not Who.OWNER:
            found = [one for one in map(refs.find, entry.members) if one is not None]
            pairs.update(frozenset(pair) for pair in combinations(found, 2))
    return pairs


# --- what a model says --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Card:
    """One of the names that a model is asked to sort. ``label`` is unique in the question."""

    label: str
    type: str
    source: str
    """Name of the source."""
    aliases: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Groups of labels that are one thing, the best name of each first."""

    groups: tuple[tuple[str, ...], ...]
    model: str = ""
    prompt_version: str = ""
    why: str = ""


Arbitrate = Callable[[Sequence[Card]], Verdict]
"""Sorts ambiguous names. Raises ``EngineError`` when no answer can be had; then they stay apart."""


def checked_groups(labels: Sequence[str], groups: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The groups of two or more that a verdict really makes: a name counts once, in the first group that has it;
    invented names are dropped; names left out stay alone."""
    free = set(labels)
    kept: list[tuple[str, ...]] = []
    for group in groups:
        own = [one for one in dict.fromkeys(group) if one in free]
        free.difference_update(own)
        if len(own) > 1:
            kept.append(tuple(own))
    return kept


def in_sync(
    existing: Iterable[LedgerEntry], wanted: Sequence[LedgerEntry]
) -> tuple[list[LedgerEntry], list[LedgerEntry]]:
    """(entries to add, entries to withdraw) so that of the active entries exactly ``wanted`` remain."""
    active: Mapping[tuple[object, ...], LedgerEntry] = {e.key: e for e in existing if e.undone_at is None}
    keys = {entry.key for entry in wanted}
    return [e for e in wanted if e.key not in active], [e for key, e in active.items() if key not in keys]
