"""From the flat entities that both of Roam's APIs send to the raw graph that notes are built from."""

from __future__ import annotations

from collections.abc import Iterable

from engine.model import Problem, Severity
from engine.net.roam_wire import Entity
from engine.sources.roam_raw import RawBlock, RawGraph, RawPage, seconds


def raw_graph(entities: Iterable[Entity], graph: str) -> RawGraph:
    """Pages and blocks by entity id. Children that were not sent are counted as one problem of ``graph``."""
    pages: list[RawPage] = []
    blocks: dict[int, RawBlock] = {}
    wanted: set[int] = set()
    for entity in entities:
        created, modified = seconds(entity.created), seconds(entity.edited)
        if entity.title is not None:
            pages.append(RawPage(entity.title, entity.uid, entity.children, created, modified))
        elif entity.string is not None:
            blocks[entity.id] = RawBlock(entity.string, entity.uid, entity.order, entity.children, created, modified)
        else:
            continue
        wanted.update(entity.children)
    missing = len(wanted - blocks.keys())
    problems = (_missing(graph, missing),) if missing else ()
    return RawGraph(pages, blocks, problems)


def _missing(graph: str, count: int) -> Problem:
    return Problem(Severity.WARNING, graph, f"Roam named {count} blocks that it did not send.", "missing-blocks")
