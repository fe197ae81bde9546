"""How fast a Smart Connections index opens and answers, and how much memory a large log takes.

Makes a vault of 2,000 notes with 13,000 block vectors and a log of 100 MB; each step runs in a process of its own.
``python tests/bench/smart.py`` prints a table and one JSON line: seconds that passed, processor seconds, megabytes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fixtures.smart_connections import generate as made

CHECKOUT = Path(__file__).resolve().parents[2]
PROGRAM = """
import json, pathlib, re, sys, time
from engine.errors import ModelUnavailable
from engine.searching.smart_search import index_status, related_notes, search_notes
from engine.sources.smart_index import SmartVault
def refuse(model):
    raise ModelUnavailable("")
steps, vault = {}, SmartVault(pathlib.Path(sys.argv[1]))
def timed(name, action):
    began, worked = time.perf_counter(), time.process_time()
    result = action()
    steps[name] = (time.perf_counter() - began, time.process_time() - worked)
    return result
index = timed("open", vault.index)
path = next(item.path for item in index.group.items if item.is_note)
timed("first related notes", lambda: related_notes(vault, path=path))
timed("related notes again", lambda: related_notes(vault, path=path))
query = index.group.vectors[7]
timed("search by a vector", lambda: search_notes(vault, lambda model, text: query, query="q"))
timed("status, every file hashed", lambda: index_status(vault, refuse))
timed("status again", lambda: index_status(vault, refuse))
steps["items"] = len(index.group.items)
steps["megabytes"] = int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps(steps))
"""


def write_log(vault: Path, megabytes: int) -> None:
    """A ``multi`` log of many rewritten records."""
    multi = vault / ".smart-env" / "multi"
    multi.mkdir(parents=True)
    vector = [0.03125 + n / 1e8 for n in range(384)]
    record = made.line("smart_sources:n{}.md", {"embeddings": {made.BGE_KEY: {"vec": vector}}, "text": "x" * 20_000})
    with (multi / "log.ajson").open("w") as log:
        for number in range(megabytes * 1024 * 1024 // len(record)):
            log.write("\n" + record.replace("{}", str(number % 1500)))


def run(vault: Path) -> dict[str, object]:
    command = [sys.executable, "-c", PROGRAM, str(vault)]
    return json.loads(subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    results: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as name:
        began = time.perf_counter()
        made.write_large(Path(name) / "vault", notes=2000, blocks=13000)
        write_log(Path(name) / "log", 100)
        print(f"made in {time.perf_counter() - began:.1f} s")
        for label, folder in (("2,000 notes, packed", "vault"), ("100 MB log, multi", "log")):
            results[label] = run(Path(name) / folder)
    for label, steps in results.items():
        print(f"\n{label}: {steps['items']:,} vectors, {steps['megabytes']:.0f} MB at most")
        for step, value in steps.items():
            if isinstance(value, list):
                print(f"  {step:28} {value[0]:8.3f} s   {value[1]:8.3f} s of processor")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
