"""Measures the knowledge graph over the demo notes: recorded replies of a model, then the notes' own words alone.

The replies come over a loopback socket from ``fixtures/replies``, the labels from ``fixtures/demo``. Prints a table, or
with ``--json`` the whole document.

    python -m tests.bench.graph_quality [--json]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from engine.frontends.graph_model_cli import eval_text
from engine.job import Job
from engine.library import Library
from engine.paths import Home
from engine.upkeep.demo import demo_sources
from tests.servers.chat import FakeChat
from tests.servers.recorded import CHECKOUT, RecordedModel

GOLD = str(CHECKOUT / "fixtures" / "demo")


def measure(root: Path, server: FakeChat) -> dict[str, Any]:
    options = {"server": server.base_url, "model": "recorded"}
    seconds: dict[str, float] = {}
    with Library(Home(root / "data", root / "config", root / "logs")) as library:
        for location, name in demo_sources():
            library.index(library.add(location, name=name).id, Job())
        results: dict[str, Any] = {}
        for stage, verb, more in (
            ("extract", "extract", {"sources": ["Demo graph"]}),
            ("extract again", "extract", {"sources": ["Demo graph"]}),
            ("resolve", "resolve", {}),
            ("by the model", "eval", {"gold": GOLD}),
        ):
            started = time.perf_counter()
            results[stage] = library.graph_call(verb, options | more)
            seconds[stage] = round(time.perf_counter() - started, 3)
        results["by the notes' own words"] = library.graph_call("eval", {"gold": GOLD})
    return results | {"seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with FakeChat(RecordedModel()) as server, tempfile.TemporaryDirectory() as folder:
        server.models = [{"id": "recorded"}]
        results = measure(Path(folder), server)
    if args.json:
        print(json.dumps(results, ensure_ascii=False, indent=2))
        return
    for stage in ("by the model", "by the notes' own words"):
        print(f"== {stage}\n{eval_text(results[stage])}\n")
    print("seconds", results["seconds"])


if __name__ == "__main__":
    main()
