"""How fast the knowledge graph is: parsing notes and blocks, paths over many relations, resolving many names.

``python tests/bench/graph.py [--notes N] [--edges N] [--names N]`` prints a table and one JSON line.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.job import Job
from engine.knowledge.communities import communities
from engine.knowledge.facts import Fact, NameKind, Naming, NoteFacts, Thing, thing
from engine.knowledge.graph import KnowledgeGraph, assemble
from engine.knowledge.paths import hubs, shortest_path, shortest_paths
from engine.linking.graph import load_graph
from engine.linking.parse import parse_source
from engine.linking.resolve import resolve
from engine.model import (
    Anchor,
    Evidence,
    Link,
    LinkKind,
    Note,
    NoteKey,
    Origin,
    Passage,
    PassageKind,
    Source,
    SourceId,
    SourceKind,
)
from engine.ranking.words import PostingBatch
from engine.store.decisions import DecisionStore
from engine.store.index import IndexStore

SOURCE = Source(SourceId("bench"), SourceKind.OBSIDIAN, "bench", "")
ROAM = Source(SourceId("bench-roam"), SourceKind.ROAM_EXPORT, "bench roam", "")
LINKS_PER_NOTE = 6
BLOCKS_PER_PAGE = 20
VOCABULARY = 6000
FIGURES: dict[str, float] = {}


def timed(name: str, action: Callable[[], Any], repeat: int = 1) -> Any:
    """Run, and record the mean seconds: by the clock, and of the processor (which others cannot take away)."""
    started, busy = time.perf_counter(), time.process_time()
    result = None
    for _ in range(repeat):
        result = action()
    FIGURES[name] = (time.perf_counter() - started) / repeat
    FIGURES[f"{name} (cpu)"] = (time.process_time() - busy) / repeat
    return result


def no_words(passages: int = 0) -> PostingBatch:
    return PostingBatch(
        [],
        *(np.zeros(0, dtype) for dtype in (np.int32, np.int32, np.uint8, np.uint16)),
        np.zeros((passages, 5), np.int32),
        [],
    )


def word(number: int) -> str:
    syllables = ("ka", "lo", "mi", "ren", "tu", "sha", "vel", "dor", "nis", "per")
    return "".join(syllables[int(digit)] for digit in f"{number:04d}")


def vault_note(rng: random.Random, number: int, count: int) -> Note:
    key = NoteKey(f"folder{number % 50}/Note {number}.md")
    names = [f"Note {rng.randrange(count)}" for _ in range(LINKS_PER_NOTE)]
    text = "\n".join(f"Line {i} speaks of {name} and of something else." for i, name in enumerate(names))
    links = [Link(LinkKind.LINK, name, passage=0, line=i + 1) for i, name in enumerate(names)]
    links += [Link(LinkKind.LINK, names[0], attribute="author", line=1), Link(LinkKind.TAG, "topic/sub", passage=0)]
    passage = Passage(PassageKind.SECTION, 0, Anchor(key, first_line=1, last_line=9), text, (key,), hash=str(number))
    return Note(
        key, f"Note {number}", "1", str(number), (passage,), tuple(links), properties={"status": word(number % 9)}
    )


def roam_page(rng: random.Random, number: int, count: int) -> Note:
    key = NoteKey(f"page{number:06d}")
    title = f"Page {number}"
    passages = [Passage(PassageKind.PAGE, 0, Anchor(key, uid=key), title, (title,), raw=title, hash=f"p{number}")]
    links = []
    for i in range(1, BLOCKS_PER_PAGE + 1):
        target = f"Page {rng.randrange(count)}"
        raw = f"Author:: [[{target}]]" if i % 10 == 0 else f"A block about [[{target}]] and #topic in some words."
        anchor = Anchor(key, uid=f"b{number:06d}{i:02d}")
        passages.append(
            Passage(PassageKind.BLOCK, i, anchor, raw, (title,), raw=raw, depth=i % 3, hash=f"{number}-{i}")
        )
        links.append(Link(LinkKind.LINK, target, attribute="Author" if i % 10 == 0 else "", passage=i))
    return Note(key, title, "1", str(number), tuple(passages), tuple(links))


def bench_parse(folder: Path, notes: int) -> None:
    rng = random.Random(7)
    for source, make, count in ((SOURCE, vault_note, notes), (ROAM, roam_page, notes // BLOCKS_PER_PAGE)):
        store = IndexStore.open(folder / f"{source.id}.duckdb", "ab" * 32)
        made = [make(rng, number, count) for number in range(count)]
        store.write_notes(made, no_words(sum(len(note.passages) for note in made)))
        label = f"{'notes' if source is SOURCE else 'blocks'} ({notes:,})"
        report = timed(f"parse {label} s", lambda store=store, source=source: parse_source(store, source, Job()))
        FIGURES[f"facts of {label}"] = report.facts
        timed(f"parse again {label} s", lambda store=store, source=source: parse_source(store, source, Job()))
        timed(f"load graph {label} s", lambda store=store, source=source: load_graph([(source, store)]))
        store.close()


def random_graph(edges: int) -> KnowledgeGraph:
    """Each entity tied to about ten others, half of them near, with a few hubs."""
    rng = random.Random(7)
    count = edges // 5
    things = [thing(SOURCE.id, "note", f"Thing {number}") for number in range(count)]
    facts = []
    for number in range(edges):
        one = number % count
        other = (one + rng.randrange(1, 50)) % count if number % 2 else int(count * rng.random() ** 3)
        if one != other:
            facts.append(fact(things[one], things[other]))
    return assemble(things, [], facts)


def fact(subject: Thing, object_: Thing) -> Fact:
    key = NoteKey("note.md")
    return Fact(subject, "mentions", object_, Evidence(SOURCE.id, key, Anchor(key), "quote", Origin.WRITTEN))


def bench_paths(edges: int) -> None:
    graph = timed(f"assemble {edges:,} edges s", lambda: random_graph(edges))
    ids = list(graph.entities)
    rng = random.Random(3)
    pairs = iter([rng.sample(ids, 2) for _ in range(200)])
    timed(f"path over {edges:,} edges s", lambda: shortest_path(graph, *next(pairs)), 100)
    timed(f"5 paths over {edges:,} edges s", lambda: shortest_paths(graph, *next(pairs), 5), 20)
    timed("hubs s", lambda: hubs(graph, 20))
    timed("communities s", lambda: communities(graph))


def bench_resolve(folder: Path, names: int) -> None:
    rng = random.Random(5)
    store = IndexStore.open(folder / "names.duckdb", "ab" * 32)
    key = NoteKey("note.md")
    store.write_notes([Note(key, "note", "1", "1")], no_words())
    evidence = Evidence(SOURCE.id, key, Anchor(key), "quote", Origin.WRITTEN)
    seen = set()
    while len(seen) < names:
        words = [word(min(VOCABULARY - 1, int(rng.paretovariate(0.6)))) for _ in range(rng.choice((1, 2, 2, 2, 3, 4)))]
        seen.add(" ".join(words).title())
    called = tuple(
        Naming(thing(SOURCE.id, rng.choice(("page", "person", "concept")), name), name, NameKind.ALIAS, evidence)
        for name in sorted(seen)
    )
    store.graph.write_notes([NoteFacts(key, "1", (), called)])
    decisions = DecisionStore.open(folder / "decisions.duckdb")
    report = timed(f"resolve {names:,} names s", lambda: resolve([(SOURCE, store)], decisions, Job()))
    FIGURES["merges"], FIGURES["open groups"] = len(report.added), len(report.proposals)
    timed("resolve again s", lambda: resolve([(SOURCE, store)], decisions, Job()))
    decisions.close()
    store.close()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--notes", type=int, default=10_000)
    arguments.add_argument("--edges", type=int, default=100_000)
    arguments.add_argument("--names", type=int, default=20_000)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench_parse(Path(folder), given.notes)
        bench_paths(given.edges)
        bench_resolve(Path(folder), given.names)
    for name, value in FIGURES.items():
        print(f"{name:44} {value:12,.3f}")
    print(json.dumps(FIGURES))


if __name__ == "__main__":
    main()
