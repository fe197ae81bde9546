"""How long a Roam export takes to read: the EDN reader alone, then file, scan and notes. Prints a table, then JSON.

Run from the checkout: ``python -m tests.bench.roam_export [blocks]``. The graph is made up here, with the markup of a
graph in daily use; times are CPU seconds of this process.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.job import Job
from engine.model import SourceOptions
from engine.sources import edn
from engine.sources.roam_export import RoamExportReader

STRINGS = (
    "A plain block about lighthouses and the people who kept them, {n}.",
    "See [[Plan [[Quarter {n}]]]] and #reading with **bold** words",
    "Author:: [[Person {n}]]",
    "{{{{[[TODO]]}}}} call back about ((u{n:08})) today",
    "```js\nlet a = {n};```",
    "[a report](https://example.org/a(b)?n={n}) and `code`",
)


def make_pages(count: int, per_page: int = 20) -> list[dict[str, Any]]:
    """Pages of three-level trees, ``count`` blocks in all."""
    rng = random.Random(7)
    pages: list[dict[str, Any]] = []
    for number in range(count):
        if number % per_page == 0:
            pages.append({"title": f"Page {len(pages)}", "uid": f"p{len(pages):08}", "children": []})
        siblings = pages[-1]["children"]
        for _ in range(number % 3):
            siblings = siblings[-1]["children"] if siblings else siblings
        string = rng.choice(STRINGS).format(n=rng.randrange(count))
        siblings.append({"string": string, "uid": f"u{number:08}", "edit-time": 1_600_000_000_000, "children": []})
    return pages


def make_edn(pages: list[dict[str, Any]]) -> str:
    datoms: list[str] = []
    entity = 0

    def add(item: dict[str, Any], order: int) -> int:
        nonlocal entity
        entity += 1
        own = entity
        name = ":node/title" if "title" in item else ":block/string"
        text = json.dumps(item.get("title", item.get("string")), ensure_ascii=False)
        datoms.append(f'[{own} {name} {text} 5] [{own} :block/uid "{item["uid"]}" 5] [{own} :block/order {order} 5]')
        datoms.extend(f"[{own} :block/children {add(child, n)} 5]" for n, child in enumerate(item["children"]))
        return own

    for page in pages:
        add(page, 0)
    return f"#datascript/DB {{:schema {{}}, :datoms [{' '.join(datoms)}]}}"


def measure(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    pages = make_pages(count)
    text = make_edn(pages)
    found: dict[str, float] = {"blocks": count, "edn_mb": len(text) / 1e6}
    found["edn_mb_per_second"] = len(text) / 1e6 / measure(lambda: edn.loads(text))
    with tempfile.TemporaryDirectory() as folder:
        for suffix, content in (("json", json.dumps(pages)), ("edn", text)):
            path = Path(folder) / f"graph.{suffix}"
            path.write_text(content, encoding="utf-8")
            reader = RoamExportReader(path, SourceOptions())
            found[f"{suffix}_scan_seconds"] = measure(lambda: reader.scan(Job()))  # noqa: B023
            found[f"{suffix}_rescan_seconds"] = measure(lambda: reader.scan(Job()))  # noqa: B023
            refs = reader.scan(Job()).refs
            found[f"{suffix}_notes_seconds"] = measure(lambda: [reader.read(ref) for ref in refs])  # noqa: B023
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for name, value in found.items():
        print(f"{name:20} {value:12.2f}")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
