"""One graph out of the files of several sources and the ledger, and the proof that every claim cites its block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.knowledge.graph import KnowledgeGraph
from engine.knowledge.merging import LedgerEntry
from engine.linking.graph import Opened, load_graph
from engine.model import Origin


@dataclass(frozen=True, slots=True)
class Assembly:
    """What a graph holds. The last three are always 0: the files refuse such facts."""

    entities: int
    relations: int
    evidence: int
    written: int
    """Relations that the owner wrote."""
    inferred: int
    """Relations that only a model read out of the notes."""
    merged: int
    """Things that are part of another entity."""
    unresolved: int
    """Entities that have no note of their own."""
    ambiguous: int
    """Relations whose every link fits several notes."""
    without_evidence: int
    without_quote: int
    dangling: int


def assemble_graph(opened: Sequence[Opened], ledger: Sequence[LedgerEntry]) -> tuple[KnowledgeGraph, Assembly]:
    graph = load_graph(opened, ledger)
    return graph, measure(graph)


def measure(graph: KnowledgeGraph) -> Assembly:
    proofs = [evidence for relation in graph.relations for evidence in relation.evidence]
    inferred = sum(relation.origin is Origin.INFERRED for relation in graph.relations)
    return Assembly(
        entities=len(graph.entities),
        relations=len(graph.relations),
        evidence=len(proofs),
        written=len(graph.relations) - inferred,
        inferred=inferred,
        merged=len(graph.by_member),
        unresolved=sum(not entity.is_written for entity in graph.entities.values()),
        ambiguous=sum(all(one.state == "ambiguous" for one in r.evidence) for r in graph.relations),
        without_evidence=sum(not relation.evidence for relation in graph.relations),
        without_quote=sum(not evidence.quote.strip() for evidence in proofs),
        dangling=sum(end not in graph.entities for r in graph.relations for end in (r.subject, r.object)),
    )
