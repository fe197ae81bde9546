"""The verbs of the knowledge graph as commands: plain options in, one JSON-compatible document out.

So that a command line and a running app can ask each other for them. Each command is a short call into a journey; what
a person reads is made from the document, elsewhere.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.errors import BadRequest
from engine.job import Job
from engine.knowledge.blocking import Similar
from engine.knowledge.communities import bridges, communities, gaps
from engine.knowledge.graph import KnowledgeGraph
from engine.knowledge.merging import Arbitrate, EntityRef, EntryKind, LedgerEntry
from engine.knowledge.paths import RelationFilter, around, hubs, shortest_paths, timeline
from engine.linking import ledger, missing
from engine.linking.assemble import measure
from engine.linking.export import entity_record, evidence_record, export_graph, moment
from engine.linking.graph import Opened
from engine.linking.missing import MissingLink, NearNotes, missing_links, subject_of
from engine.linking.options import Options, number, whole
from engine.linking.parse import parse_source
from engine.linking.quotes import dated_by
from engine.linking.resolve import Proposal, resolve
from engine.model import Entity, Evidence, NoteKey, Origin, Relation, Source, SourceId
from engine.store.decisions import DecisionStore

Document = dict[str, Any]
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Desk:
    """What a command works with."""

    opened: Callable[[Names], list[Opened]]
    """Named sources, or all that are searched by default."""
    graph: Callable[[Names], KnowledgeGraph]
    decisions: DecisionStore
    registered: Callable[[], list[Source]]
    """Every source, searched by default or not: none is written into."""
    similar: Callable[[], Similar]
    """Embeddings of names; loads the model."""
    near: NearNotes = lambda _job: ()
    """Pairs of notes that are near in meaning."""


def run(desk: Desk, verb: str, options: Options, job: Job) -> Document:
    """Raises ``BadRequest`` for an unknown verb, and what the verb raises."""
    if verb not in VERBS:
        raise BadRequest(f"The graph has no command '{verb}'.", f"There are: {', '.join(sorted(VERBS))}.")
    return VERBS[verb](desk, options, job)


def _sources(options: Options) -> Names:
    return tuple(options.get("sources") or ())


# --- building -----------------------------------------------------------------------------------------------------


def _parse(desk: Desk, options: Options, job: Job) -> Document:
    reports = []
    for source, store in desk.opened(_sources(options)):
        if options.get("full"):
            store.graph.forget_stamps()
        reports.append({"name": source.name, **dataclasses.asdict(parse_source(store, source, job))})
    return {"reports": reports}


def resolve_names(desk: Desk, options: Options, job: Job, arbitrate: Arbitrate | None = None) -> Document:
    opened = desk.opened(_sources(options))
    report = resolve(
        opened,
        desk.decisions,
        job,
        arbitrate=arbitrate,
        similar=desk.similar() if options.get("by_meaning") else None,
        preview=bool(options.get("preview")),
    )
    return {
        "entities": report.entities,
        "merged": report.merged,
        "added": [entry_record(one) for one in report.added],
        "withdrawn": [entry_record(one) for one in report.withdrawn],
        "proposals": [_proposal(one) for one in report.proposals],
        "sources": _source_names(opened),
        "preview": bool(options.get("preview")),
        "seconds": round(report.seconds, 3),
    }


def _assemble(desk: Desk, options: Options, job: Job) -> Document:
    return {"assembly": dataclasses.asdict(measure(desk.graph(_sources(options))))}


def _stats(desk: Desk, options: Options, job: Job) -> Document:
    stored = [
        {"name": source.name, **dataclasses.asdict(store.graph.counts())}
        for source, store in desk.opened(_sources(options))
    ]
    graph = desk.graph(_sources(options))
    return {
        "sources": stored,
        "assembly": dataclasses.asdict(measure(graph)),
        "types": _tally(one.type for one in graph.entities.values()),
        "predicates": _tally(one.predicate for one in graph.relations),
        "merges": len([one for one in desk.decisions.merges() if one.undone_at is None]),
    }


# --- looking ------------------------------------------------------------------------------------------------------


def _pages(desk: Desk, options: Options, job: Job) -> Document:
    graph = desk.graph(_sources(options))
    wanted = str(options.get("match") or "").casefold()
    ambiguous = _ambiguous(graph) if options.get("ambiguous") else None
    found = [
        one
        for one in graph.entities.values()
        if any(wanted in name.casefold() for name in (one.name, *one.aliases))
        and not (options.get("unresolved") and one.is_written)
        and (options.get("daily") or not one.is_daily)
        and (not options.get("type") or one.type == options["type"])
        and (ambiguous is None or one.id in ambiguous)
    ]
    found.sort(key=lambda one: (-one.degree, one.name, one.id))
    return {"total": len(found), "entities": [entity_record(one) for one in found[: _count(options, 50)]]}


def _path(desk: Desk, options: Options, job: Job) -> Document:
    graph = desk.graph(_sources(options))
    start, end = (ledger.pick_entity(graph, str(options[name])) for name in ("start", "end"))
    hops = whole(options, "max_hops", 6)
    paths = shortest_paths(graph, start.id, end.id, _count(options, 3), _filter(options), hops)
    return {
        "from": _short(start),
        "to": _short(end),
        "paths": [
            {
                "entities": _shorts(graph, path.entities),
                "hops": [[_step(graph, graph.relations[number]) for number in hop] for hop in path.hops],
            }
            for path in paths
        ],
    }


def _near(desk: Desk, options: Options, job: Job) -> Document:
    graph = desk.graph(_sources(options))
    entity = ledger.pick_entity(graph, str(options["entity"]))
    chosen = _filter(options)
    distances = around(graph, entity.id, whole(options, "hops", 1), chosen, 1 + _count(options, 50))
    return {
        "entity": entity_record(entity),
        "near": [_short(graph.entities[one]) | {"hops": hops} for one, hops in distances.items() if hops],
        "relations": [_step(graph, one) for one in graph.touching(entity.id) if chosen.allows(one)],
    }


def _timeline(desk: Desk, options: Options, job: Job) -> Document:
    graph = desk.graph(_sources(options))
    entity = ledger.pick_entity(graph, str(options["entity"]))
    kinds = _dates(desk.opened(_sources(options)))
    moments = [
        {
            "at": moment(one.at),
            "dated_by": kinds(one.evidence) if one.at is not None else "",
            "predicate": graph.relations[one.relation].predicate,
            "other": _short(graph.entities[one.other]),
            "evidence": evidence_record(one.evidence),
        }
        for one in timeline(graph, entity.id)
    ]
    return {"entity": entity_record(entity), "moments": moments}


def _dates(opened: Sequence[Opened]) -> Callable[[Evidence], str]:
    """What the date of a piece of evidence is, see ``quotes.dated_by``; each note is looked at once."""
    homes = {source.id: (source, store) for source, store in opened}

    @cache
    def kind(source_id: SourceId, key: NoteKey) -> str:
        source, store = homes[source_id]
        note = store.note(key)
        return dated_by(note, is_roam=source.kind.is_roam) if note else ""

    return lambda evidence: kind(evidence.source, evidence.note)


def _communities(desk: Desk, options: Options, job: Job) -> Document:
    graph = desk.graph(_sources(options))
    daily = bool(options.get("daily"))
    found = communities(graph, number(options, "resolution", 1.0, 0.01), daily=daily)
    count = _count(options, 10)
    return {
        "communities": [
            {
                "label": list(one.label),
                "inside": one.inside,
                "members": [_short(graph.entities[m]) for m in one.members],
            }
            for one in found
        ],
        "hubs": [
            _short(graph.entities[one]) | {"neighbours": neighbours}
            for one, neighbours in hubs(graph, count, daily=daily)
        ],
        "bridges": [
            _short(graph.entities[one.entity]) | {"communities": list(one.communities), "is_cut": one.is_cut}
            for one in bridges(graph, found, count)
        ],
        "gaps": [dataclasses.asdict(one) for one in gaps(graph, found, count)],
    }


def _export(desk: Desk, options: Options, job: Job) -> Document:
    place = Path(str(options["place"]))
    files = export_graph(desk.graph(_sources(options)), place, str(options["form"]), desk.registered())
    return {"files": [str(one) for one in files]}


# --- merges -------------------------------------------------------------------------------------------------------

_DECISIONS = {"same": EntryKind.MERGE, "split": EntryKind.SPLIT, "never": EntryKind.APART}


def _merges(desk: Desk, options: Options, job: Job) -> Document:
    action = str(options.get("action") or "list")
    names = [str(one) for one in options.get("names") or ()]
    if action in _DECISIONS:
        opened = desk.opened(_sources(options))
        entry = ledger.decide(opened, desk.decisions, _DECISIONS[action], names, str(options.get("why") or ""))
        overruled = [entry_record(one) for one in ledger.overruled(desk.decisions.merges(), entry)]
        return {"decided": entry_record(entry), "overrules": overruled, "sources": _source_names(opened)}
    if action in ("undo", "redo"):
        if not names:
            raise BadRequest(f"'{action}' needs the number of an entry.", "`lamplight graph merges --all` lists them.")
        numbers = [_number(name) for name in names]
        changed = [one for one in numbers if ledger.undo(desk.decisions, one, redo=action == "redo")]
        return {action: changed, "already": [one for one in numbers if one not in changed]}
    if action != "list":
        raise BadRequest(
            f"'{action}' is not something to do with merges.", "There are: same, never, split, undo, redo."
        )
    entries = [one for one in desk.decisions.merges() if options.get("all") or one.undone_at is None]
    opened = desk.opened(_sources(options))
    proposals: Sequence[Proposal] = ()
    if options.get("proposed"):
        proposals = resolve(opened, desk.decisions, job, preview=True).proposals
    return {
        "merges": [entry_record(one) for one in entries],
        "proposals": [_proposal(one) for one in proposals],
        "sources": _source_names(opened),
    }


def _source_names(opened: Sequence[Opened]) -> dict[str, str]:
    """Source id -> name, for those who read a ledger."""
    return {source.id: source.name for source, _ in opened}


def _number(text: str) -> int:
    if not text.isdigit():
        raise BadRequest(f"'{text}' is not the number of a merge.", "`lamplight graph merges` lists them.")
    return int(text)


# --- missing links ------------------------------------------------------------------------------------------------


def _links(desk: Desk, options: Options, job: Job) -> Document:
    names = _sources(options)
    graph, opened = desk.graph(names), desk.opened(names)
    found = missing_links(graph, opened, desk.decisions, desk.near, job, _count(options, 100))
    decided = [
        {"source": mark.source, "note": mark.note, "subject": mark.uid, "verdict": verdict}
        for mark, verdict in missing.decided(desk.decisions)
    ]
    return {"links": [_missing_link(one) for one in found], "decided": decided}


def _review(desk: Desk, options: Options, job: Job) -> Document:
    """Keep a decision about a missing link or about notes that say nearly the same."""
    verdict = str(options.get("verdict") or "")
    if verdict not in ("", "accepted", "rejected"):
        raise BadRequest(f"'{verdict}' is not a decision.", "There are: accepted, rejected, and none.")
    source, note, subject = (str(options[name]) for name in ("source", "note", "subject"))
    missing.decide(desk.decisions, SourceId(source), NoteKey(note), subject, verdict)
    return {"verdict": verdict}


# --- shapes -------------------------------------------------------------------------------------------------------


def entry_record(entry: LedgerEntry) -> Document:
    return {
        "id": entry.id,
        "kind": entry.kind.value,
        "members": [_ref(one) for one in entry.members],
        "rest": [_ref(one) for one in entry.rest],
        "who": entry.who.value,
        "why": entry.why,
        "evidence": list(entry.evidence),
        "model": entry.model,
        "prompt_version": entry.prompt_version,
        "at": moment(entry.at),
        "undone_at": moment(entry.undone_at),
    }


def _ref(ref: EntityRef) -> Document:
    return {"id": ref.id, "source": ref.source, "type": ref.type, "name": ref.name, "note": ref.note}


def _proposal(proposal: Proposal) -> Document:
    return {"members": [_ref(one) for one in proposal.members], "why": list(proposal.why)}


def _missing_link(one: MissingLink) -> Document:
    return {
        "source": one.source,
        "note": one.note,
        "title": one.title,
        "entity": _short(one.entity),
        "subject": subject_of(one.entity.id),
        "link": one.link,
        "by_meaning": one.by_meaning,
        "score": round(one.score, 3),
        "evidence": evidence_record(one.evidence),
    }


def _short(entity: Entity) -> Document:
    return {"id": entity.id, "name": entity.name, "type": entity.type}


def _shorts(graph: KnowledgeGraph, ids: Iterable[str]) -> list[Document]:
    return [_short(graph.entities[one]) for one in ids]


def _step(graph: KnowledgeGraph, relation: Relation) -> Document:
    return {
        "subject": _short(graph.entities[relation.subject]),
        "predicate": relation.predicate,
        "object": _short(graph.entities[relation.object]),
        "origin": relation.origin.value,
        "confidence": relation.confidence,
        "evidence": [evidence_record(one) for one in relation.evidence],
    }


def _filter(options: Options) -> RelationFilter:
    return RelationFilter(
        predicates=frozenset(options.get("predicates") or ()),
        without=frozenset(options.get("without") or ()),
        origin=Origin(options["origin"]) if options.get("origin") else None,
        min_confidence=number(options, "min_confidence", 0.0, 0.0, 1.0),
        daily=bool(options.get("daily")),
        max_degree=whole(options, "max_degree", 0),
    )


def _ambiguous(graph: KnowledgeGraph) -> set[str]:
    """Entities to which an ambiguous link leads."""
    unsure = (one for one in graph.relations if any(proof.state == "ambiguous" for proof in one.evidence))
    return {one.object for one in unsure}


def _count(options: Options, default: int) -> int:
    return whole(options, "count", default)


def _tally(values: Any) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


VERBS: dict[str, Callable[[Desk, Options, Job], Document]] = {
    "pages": _pages,
    "parse": _parse,
    "resolve": resolve_names,
    "assemble": _assemble,
    "stats": _stats,
    "path": _path,
    "near": _near,
    "timeline": _timeline,
    "communities": _communities,
    "merges": _merges,
    "links": _links,
    "review": _review,
    "export": _export,
}
