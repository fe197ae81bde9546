"""How long a large graph takes from Roam's Local API to notes. Prints a table, then JSON.

Run from the checkout: ``python -m tests.bench.roam [entities]``. The graph comes from the fake server over a real
loopback socket; its answer is encoded beforehand, so what is timed is ours.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import SourceOptions
from engine.net.client import Client
from engine.net.policy import Policy
from engine.net.roam_api import GraphRef, LocalApi
from engine.net.secrets import Secret
from engine.paths import Home
from engine.sources.roam_entities import raw_graph
from engine.sources.roam_live import local_reader
from engine.sources.roam_tree import RoamTree
from tests.servers.roam import LOCAL_TOKEN, FakeRoam, big_graph


def timed(name: str, act: Callable[[], Any], table: dict[str, float]) -> Any:
    """Processor time stands beside the clock: on a busy machine only the first compares."""
    started, spent = time.perf_counter(), time.process_time()
    result = act()
    table[name] = round(time.perf_counter() - started, 3)
    table[f"{name} (cpu)"] = round(time.process_time() - spent, 3)
    return result


def through_the_library(server: FakeRoam, table: dict[str, float]) -> int:
    """Index, then refresh without a change; returns how much the refresh embedded."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        os.environ.update(HOME=folder, USERPROFILE=folder, LAMPLIGHT_ROAM_TOKEN=LOCAL_TOKEN)
        (root / ".roam-local-api.json").write_text(json.dumps({"port": server.port}))
        with Library(Home(root / "data", root / "config", root / "logs"), FakeEmbedder()) as library:
            source = library.add(f"roam:{server.graphs[0].name}", options=SourceOptions(max_age_seconds=0))
            timed("first index (fake model)", lambda: library.index(source.name, Job()), table)
            report = timed("no-change refresh", lambda: library.index(source.name, Job()), table)
            age = timed("refresh before a search", lambda: library.freshen(source.name, Job()), table)
        assert age.refresh == "refreshed", age
        return int(report.embedded + report.changed + report.added)


def main(count: int) -> None:
    graph = big_graph(count)
    table: dict[str, float] = {}
    with FakeRoam(graph) as server:
        api = LocalApi(Client(Policy()), server.port)
        token = Secret(LOCAL_TOKEN)
        ref = GraphRef(graph.name)
        api.pull_graph(ref, token)  # imports, and the server encodes its answer
        entities = timed("fetch and parse", lambda: api.pull_graph(ref, token), table)
        tree = timed("tree", lambda: RoamTree(raw_graph(entities, graph.name), SourceOptions()), table)
        scan = timed("revisions", tree.scan, table)
        timed("notes", lambda: [tree.note(each.key) for each in scan.refs], table)
        reader = local_reader(ref, lambda: token, api, SourceOptions())

        def whole() -> int:
            return sum(len(reader.read(each).passages) for each in reader.scan(Job()).refs)

        passages = timed("fetch and normalise", whole, table)
        timed("no-change scan", lambda: reader.scan(Job()), table)
        size = len(next(iter(graph.answers.values())))
        embedded = through_the_library(server, table)
    for name, seconds in table.items():
        print(f"{name:28}{seconds:8.3f} s")
    print(
        json.dumps(
            {
                "entities": len(graph.entities),
                "answer_bytes": size,
                "pages": len(scan.refs),
                "passages": passages,
                "embedded_without_changes": embedded,
                "seconds": table,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
        )
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
