"""The graph, indexed for looking: who touches whom, what a filter lets through, what the map shows. Plain values, no
widgets; built on a worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from engine.model import Cell, Entity, Evidence, GraphView, LayoutRequest, NoteKey, Origin, Relation, SourceId
from gui import tr
from gui.scene.map_data import Line, MapData, Structure, map_data

DAILY = "daily:"
"""Id of the one structure that stands for the daily notes together."""
EXPANDED_MOST = 40


@dataclass(frozen=True, slots=True)
class Filters:
    """What of the graph is looked at; empty means all."""

    origin: Origin | None = None
    without_kinds: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    sources: frozenset[SourceId] = frozenset()
    folder: str = ""
    tag: str = ""
    """Id of the entity."""
    since: float | None = None
    until: float | None = None
    community: int | None = None
    daily: str = "grouped"
    """``grouped``, ``single`` or ``hidden``."""
    days: int | None = None
    """What ``since`` was chosen as: so many days ago. It moves on with time."""

    @property
    def count(self) -> int:
        """How many conditions there are."""
        parts = (self.origin, self.without_kinds, self.predicates, self.sources, self.folder, self.tag)
        return sum(bool(one) for one in (*parts, self.since, self.until)) + (
            (self.daily != "grouped") + (self.community is not None)
        )


@dataclass(frozen=True, slots=True)
class Scope:
    """Which part of what the filters let through is on the map."""

    focus: str = ""
    """Entity in the middle; empty: the best connected of all."""
    depth: int = 1
    most: int = 60
    expanded: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    also: frozenset[str] = frozenset()
    """What a path or an answer needs."""


@dataclass(frozen=True, slots=True)
class Shown:
    entities: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    allowed: int = 0
    """Entities that the filters let through."""
    grouped: tuple[str, ...] = ()
    """Daily notes that are shown as one."""


@dataclass(frozen=True, slots=True)
class GraphIndex:
    view: GraphView
    entities: Mapping[str, Entity]
    touching: Mapping[str, tuple[Relation, ...]]
    titles: Mapping[tuple[SourceId, NoteKey], str]
    groups: Mapping[str, int]
    members: Mapping[str, str]
    """Id of a thing that was merged -> id of its entity."""
    about: Mapping[tuple[SourceId, NoteKey], str] = field(default_factory=dict)
    """Note -> id of the entity that it is about."""
    kinds: Mapping[str, int] = field(default_factory=dict)
    predicates: Mapping[str, int] = field(default_factory=dict)
    folders: tuple[str, ...] = ()

    def other(self, relation: Relation, entity: str) -> Entity:
        return self.entities[relation.object if relation.subject == entity else relation.subject]

    def named(self, name: str) -> str:
        """Id of the entity that has this id, or is called so, in any case of letters; else empty."""
        if name in self.entities:
            return name
        wanted = name.casefold()
        called = (one.id for one in self.view.entities if wanted in map(str.casefold, (one.name, *one.aliases)))
        return self.members.get(name, "") or next(called, "")

    def title(self, evidence: Evidence) -> str:
        return self.titles.get((evidence.source, evidence.note), str(evidence.note))

    def is_written(self, entity: Entity) -> bool:
        """Whether the owner spoke of it; otherwise only a model did."""
        return entity.is_written or any(
            proof.origin is Origin.WRITTEN for one in self.touching.get(entity.id, ()) for proof in one.evidence
        )


def build_index(view: GraphView) -> GraphIndex:
    touching: dict[str, list[Relation]] = {}
    for relation in view.relations:
        touching.setdefault(relation.subject, []).append(relation)
        touching.setdefault(relation.object, []).append(relation)
    notes = [(note, one.name) for one in view.entities for note in one.notes]
    folders = {str(key).rpartition("/")[0] for (_, key), _ in notes if "/" in key}
    groups = view.communities or (-1,) * len(view.entities)
    return GraphIndex(
        view,
        {one.id: one for one in view.entities},
        {entity: tuple(found) for entity, found in touching.items()},
        dict(notes),
        {one.id: group for one, group in zip(view.entities, groups, strict=True)},
        {member: one.id for one in view.entities for member in one.members},
        {note: one.id for one in view.entities for note in one.notes},
        dict(Counter(one.type for one in view.entities).most_common()),
        dict(Counter(one.predicate for one in view.relations).most_common()),
        tuple(sorted(folders)),
    )


# --- what is shown ------------------------------------------------------------------------------------------------


def allowed_relations(index: GraphIndex, filters: Filters) -> Iterator[Relation]:
    plain = not (filters.origin or filters.sources or filters.folder or filters.since or filters.until)
    for one in index.view.relations:
        if filters.predicates and one.predicate not in filters.predicates:
            continue
        if plain or any(_is_allowed_proof(proof, filters) for proof in one.evidence):
            yield one


def _is_allowed_proof(proof: Evidence, filters: Filters) -> bool:
    return (
        (filters.origin is None or proof.origin is filters.origin)
        and (not filters.sources or proof.source in filters.sources)
        and (not filters.folder or str(proof.note).startswith(f"{filters.folder}/"))
        and (filters.since is None or (proof.at is not None and proof.at >= filters.since))
        and (filters.until is None or (proof.at is not None and proof.at <= filters.until))
    )


def allowed_entities(index: GraphIndex, filters: Filters, touched: Container[str]) -> dict[str, Entity]:
    """Those of the right type which something allowed is said about; without conditions, all."""
    speaks = filters.origin or filters.sources or filters.folder or filters.since or filters.until
    tagged = _tagged(index, filters.tag) if filters.tag else None
    return {
        one.id: one
        for one in index.view.entities
        if one.type not in filters.without_kinds
        and (filters.daily != "hidden" or not one.is_daily)
        and (tagged is None or one.id in tagged)
        and (filters.community is None or index.groups[one.id] == filters.community)
        and (one.id in touched or not (speaks or filters.predicates))
    }


def _tagged(index: GraphIndex, tag: str) -> set[str]:
    return {tag, *(index.other(one, tag).id for one in index.touching.get(tag, ()))}


def choose_shown(index: GraphIndex, filters: Filters, scope: Scope) -> Shown:
    """The neighbourhood of the focus, or the best connected, with what was expanded and pinned."""
    touched: dict[str, list[Relation]] = {}
    for one in allowed_relations(index, filters):
        touched.setdefault(one.subject, []).append(one)
        touched.setdefault(one.object, []).append(one)
    allowed = allowed_entities(index, filters, touched)
    grouped = _grouped(allowed, filters, scope)
    chosen: dict[str, None] = {}
    candidates = allowed.keys() - scope.hidden
    if scope.focus in index.entities:
        chosen |= dict.fromkeys(_around(index, touched, scope, candidates))
    else:
        best = (one for one in allowed.values() if one.id in candidates and one.id not in grouped)
        ranked = sorted(best, key=lambda one: (-one.degree, one.name, one.id))[: scope.most]
        chosen |= dict.fromkeys(one.id for one in ranked)
        chosen |= dict.fromkeys(grouped)
    for entity in sorted(scope.expanded & index.entities.keys()):
        near = _nearest(index, touched, entity, candidates)[:EXPANDED_MOST]
        chosen |= dict.fromkeys((entity, *near))
    chosen |= dict.fromkeys(sorted((scope.pinned | scope.also) & index.entities.keys()))
    relations = {
        one.id: one
        for entity in chosen
        for one in touched.get(entity, ())
        if one.subject in chosen and one.object in chosen
    }
    together = tuple(one for one in chosen if one in grouped)
    return Shown(tuple(chosen), tuple(relations.values()), len(allowed), together)


def _grouped(allowed: Mapping[str, Entity], filters: Filters, scope: Scope) -> set[str]:
    """Daily notes that are shown as one; those a person asked for by name stand alone."""
    if filters.daily != "grouped":
        return set()
    alone = {scope.focus} | scope.pinned | scope.expanded | scope.also
    found = {one.id for one in allowed.values() if one.is_daily} - alone - scope.hidden
    return found if len(found) > 1 and DAILY not in scope.hidden else set()


def _around(
    index: GraphIndex, touched: Mapping[str, list[Relation]], scope: Scope, candidates: set[str]
) -> Iterable[str]:
    found, edge = {scope.focus: None}, [scope.focus]
    for _ in range(scope.depth):
        reached: list[str] = []
        for entity in edge:
            for other in _nearest(index, touched, entity, candidates):
                if other not in found and len(found) < scope.most:
                    found[other] = None
                    reached.append(other)
        edge = reached
    return found


def _nearest(index: GraphIndex, touched: Mapping[str, list[Relation]], entity: str, candidates: set[str]) -> list[str]:
    """Neighbours, the best connected first."""
    others = {index.other(one, entity).id for one in touched.get(entity, ())} & candidates
    return sorted(others, key=lambda one: (-index.entities[one].degree, index.entities[one].name, one))


# --- the map ------------------------------------------------------------------------------------------------------


def ids_on_map(shown: Shown) -> tuple[str, ...]:
    """Ids of the structures: the daily notes together are one."""
    together = set(shown.grouped)
    single = tuple(one for one in shown.entities if one not in together)
    return (*single, DAILY) if together else single


def lines_on_map(shown: Shown) -> dict[tuple[str, str], list[Relation]]:
    """Pairs of structures and the relations between them."""
    together = set(shown.grouped)
    found: dict[tuple[str, str], list[Relation]] = {}
    for one in shown.relations:
        ends = [DAILY if end in together else end for end in (one.subject, one.object)]
        if ends[0] != ends[1]:
            found.setdefault((min(ends), max(ends)), []).append(one)
    return found


def layout_request(index: GraphIndex, shown: Shown, places: Mapping[str, Cell], pinned: Iterable[str]) -> LayoutRequest:
    ids = ids_on_map(shown)
    numbers = {one: at for at, one in enumerate(ids)}
    return LayoutRequest(
        tuple(places.get(one) for one in ids),
        tuple((numbers[one], numbers[other]) for one, other in lines_on_map(shown)),
        tuple(index.groups.get(one, -2) for one in ids),
        tuple(numbers[one] for one in pinned if one in numbers),
    )


def make_map(index: GraphIndex, shown: Shown, cells: Iterable[Cell], pinned: Iterable[str]) -> MapData:
    ids = ids_on_map(shown)
    numbers = {one: at for at, one in enumerate(ids)}
    held = frozenset(pinned)
    structures = [_structure(index, one, shown, is_pinned=one in held) for one in ids]
    lines = [
        Line(numbers[one], numbers[other], any(_is_written(r) for r in between), 1 + 0.5 * (len(between) - 1))
        for (one, other), between in lines_on_map(shown).items()
    ]
    return map_data(structures, list(cells), lines)


def _structure(index: GraphIndex, entity: str, shown: Shown, *, is_pinned: bool) -> Structure:
    if entity == DAILY:
        together = set(shown.grouped)
        degree = sum(one.subject in together or one.object in together for one in shown.relations)
        name = tr("Daily notes ({n})").format(n=len(together))
        return Structure(DAILY, name, "daily", degree)
    one = index.entities[entity]
    return Structure(
        one.id,
        one.name,
        one.type,
        one.degree,
        is_written=index.is_written(one),
        is_bare=not one.is_written,
        is_pinned=is_pinned,
        group=index.groups.get(one.id, -1),
    )


def _is_written(relation: Relation) -> bool:
    return any(one.origin is Origin.WRITTEN for one in relation.evidence)
