"""The knowledge graph in memory: entities, relations and who touches whom. Pure.

Assembled from the facts of one or several sources and the groups of things that are one entity. The same input always
gives the same graph, in the same order, so two graphs can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.knowledge.facts import MODEL_TYPES, Fact, NameKind, Naming, Thing
from engine.model import Entity, Evidence, NoteKey, Origin, Relation, SourceId

NoteId = tuple[SourceId, NoteKey]


@dataclass(frozen=True, slots=True)
class KnowledgeGraph:
    entities: Mapping[str, Entity]
    """By id, in order of name."""
    relations: tuple[Relation, ...]
    """``relations[i].id == i``."""
    adjacency: Mapping[str, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """Entity id -> ids of the relations that touch it; the most telling (to rare entities) first."""
    by_note: Mapping[NoteId, str] = field(default_factory=dict, repr=False)
    """Note -> id of the entity that it is about."""
    by_member: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Id of a thing that was merged -> id of its entity."""

    def touching(self, entity: str) -> list[Relation]:
        """Relations from and to an entity."""
        return [self.relations[number] for number in self.adjacency.get(entity, ())]

    def other(self, relation: Relation, entity: str) -> str:
        """The end of a relation that is not ``entity``."""
        return relation.object if relation.subject == entity else relation.subject

    def neighbours(self, entity: str) -> list[str]:
        """Ids of the entities next to one, once each, in order of name."""
        found = {self.other(relation, entity) for relation in self.touching(entity)}
        return sorted(found, key=lambda one: (self.entities[one].name, one))

    def find(self, name: str) -> list[Entity]:
        """Entities of this id or name: exact names first, then aliases, then without regard to case."""
        if name in self.entities or name in self.by_member:
            return [self.entities[self.by_member.get(name, name)]]
        folded = " ".join(name.split()).casefold()
        ranked = [(rank, one) for one in self.entities.values() if (rank := _fit(one, name, folded)) < 3]
        best = min((rank for rank, _ in ranked), default=3)
        fitting = [one for rank, one in ranked if rank == best]
        return sorted(fitting, key=lambda one: (not one.is_written, -one.degree, one.id))


def _fit(entity: Entity, name: str, folded: str) -> int:
    if entity.name == name:
        return 0
    if name in entity.aliases:
        return 1
    return 2 if folded in (one.casefold() for one in (entity.name, *entity.aliases)) else 3


def assemble(
    things: Iterable[Thing],
    names: Sequence[Naming],
    facts: Sequence[Fact],
    groups: Iterable[Sequence[str]] = (),
    daily: Collection[NoteId] = (),
    is_daily_name: Mapping[str, bool] | None = None,
) -> KnowledgeGraph:
    """The graph of these facts. Each of ``groups`` is the ids of things that are one entity, the one whose id and name
    it takes first; ids that are not there are passed over. Facts within one entity, and things without any evidence,
    are left out."""
    known = {one.id: one for one in things}
    merged = _merged(known, groups)
    relations = _relations(facts, merged)
    adjacency: dict[str, list[int]] = {}
    for relation in relations:
        for end in (relation.subject, relation.object):
            adjacency.setdefault(end, []).append(relation.id)
    proven = {naming.thing.id for naming in names} | {one.id for fact in facts for one in (fact.subject, fact.object)}
    members: dict[str, list[Thing]] = {}
    for one in known.values():
        if one.id in proven:
            members.setdefault(merged.get(one.id, one.id), []).append(one)
    called: dict[str, list[Naming]] = {}
    for naming in names:
        called.setdefault(merged.get(naming.thing.id, naming.thing.id), []).append(naming)
    places = _sources(names, facts, merged)
    entities = [
        _entity(
            head, own, called.get(head, ()), len(adjacency.get(head, ())), places[head], daily, is_daily_name or {}
        )
        for head, own in members.items()
    ]  # fmt: skip
    entities.sort(key=lambda one: (one.name, one.type, one.id))
    by_id = {one.id: one for one in entities}
    return KnowledgeGraph(
        by_id,
        tuple(relations),
        {entity: _most_telling_first(entity, numbers, relations, by_id) for entity, numbers in adjacency.items()},
        {note: one.id for one in entities for note in one.notes},
        {member: head for member, head in merged.items() if member != head},
    )


def _merged(known: Mapping[str, Thing], groups: Iterable[Sequence[str]]) -> dict[str, str]:
    merged: dict[str, str] = {}
    for group in groups:
        present = [one for one in group if one in known]
        merged |= dict.fromkeys(present, present[0]) if len(present) > 1 else {}
    return merged


def _relations(facts: Sequence[Fact], merged: Mapping[str, str]) -> list[Relation]:
    found: dict[tuple[str, str, str], list[Evidence]] = {}
    for fact in facts:
        subject = merged.get(fact.subject.id, fact.subject.id)
        object_ = merged.get(fact.object.id, fact.object.id)
        if subject != object_:
            found.setdefault((subject, fact.predicate, object_), []).append(fact.evidence)
    return [_relation(number, *key, found[key]) for number, key in enumerate(sorted(found))]


def _relation(number: int, subject: str, predicate: str, object_: str, evidence: list[Evidence]) -> Relation:
    if len(evidence) > 1:
        evidence.sort(key=lambda one: (one.origin is Origin.INFERRED, one.source, one.note, one.anchor.uid, one.quote))
    confidence = max(one.confidence for one in evidence)
    return Relation(number, subject, predicate, object_, evidence[0].origin, confidence, tuple(evidence))


def _most_telling_first(
    entity: str, numbers: list[int], relations: Sequence[Relation], entities: Mapping[str, Entity]
) -> tuple[int, ...]:
    def rank(number: int) -> tuple[int, str, int]:
        relation = relations[number]
        other = entities[relation.object if relation.subject == entity else relation.subject]
        return other.degree, other.name, number

    return tuple(sorted(numbers, key=rank))


def _sources(names: Sequence[Naming], facts: Sequence[Fact], merged: Mapping[str, str]) -> dict[str, set[SourceId]]:
    found: dict[str, set[SourceId]] = {}
    for naming in names:
        found.setdefault(merged.get(naming.thing.id, naming.thing.id), set()).add(naming.evidence.source)
    for fact in facts:
        for one in (fact.subject.id, fact.object.id):
            found.setdefault(merged.get(one, one), set()).add(fact.evidence.source)
    return found


def _entity(
    head: str,
    members: Sequence[Thing],
    called: Sequence[Naming],
    degree: int,
    sources: set[SourceId],
    daily: Collection[NoteId],
    is_daily_name: Mapping[str, bool],
) -> Entity:
    first = next(one for one in members if one.id == head)
    titles = [naming for naming in called if naming.kind is NameKind.TITLE]
    others = [one.name for one in members] + [n.name for n in called if n.kind is not NameKind.LABEL]
    notes = dict.fromkeys((naming.evidence.source, naming.evidence.note) for naming in titles)
    return Entity(
        head,
        first.name,
        _type(first, members),
        tuple(sorted({name for name in others if name != first.name})),
        is_written=bool(titles),
        is_daily=any(note in daily for note in notes) or is_daily_name.get(first.name, False),
        degree=degree,
        sources=tuple(sorted(sources)),
        notes=tuple(sorted(notes)),
        members=tuple(sorted(one.id for one in members)) if len(members) > 1 else (),
    )


def _type(first: Thing, members: Sequence[Thing]) -> str:
    """What most models call it, else what it is; a plain ``concept`` says least."""
    votes = Counter(one.type for one in members if one.type in MODEL_TYPES and one.type != "concept")
    return min(votes, key=lambda kind: (-votes[kind], kind)) if votes else first.type
