"""How long other programs wait: MCP searches attached to a host, and the command line as a whole process.

A library of 10,000 passages is hosted by a process of its own, as it is in life; passages get made-up vectors,
questions are embedded by the built-in model. Of each the time that passed and, for processes, the time that processors
worked, which tells more on a busy machine. ``python tests/bench/mcp.py [--passages N] [--rounds N] [--json FILE]``
prints a table and one JSON line.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

if sys.platform != "win32":
    import resource

# In place of this folder, where this very file would stand for the library ``mcp``.
sys.path.pop(0)
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import anyio
from mcp import Client, StdioServerParameters

from engine.frontends.host import HostedLibrary
from engine.frontends.lock import LibraryLock
from engine.inference.base import Vectors
from engine.inference.catalog import open_embedder
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.paths import Home, find_home, prepare_home

ROOT = Path(__file__).resolve().parents[2]
DEMO = Path(__file__).resolve().parents[2] / "resources" / "demo" / "vault"
PROGRAM = Path(sys.executable).with_name("lamplight.cmd" if os.name == "nt" else "lamplight")
"""What a person calls; ``packaging/dev.py`` writes it."""
SECTIONS = 20
REST_SECONDS = 0.2
"""Between two calls: nobody asks without a pause, and what has rested answers later."""


class BenchEmbedder(FakeEmbedder):
    """Made-up vectors for notes, the built-in model's for questions: what a search really costs."""

    def __init__(self, home: Home) -> None:
        real = open_embedder("", home)
        super().__init__(dimensions=real.dimensions)
        self._real = real

    def embed_query(self, text: str) -> Vectors:
        return self._real.embed_query(text)


def sentences() -> list[str]:
    """Those of the bundled notes, so that words are as frequent as people use them."""
    text = " ".join(path.read_text("utf-8") for path in sorted(DEMO.rglob("*.md")))
    return [part.strip() for part in text.replace("\n", " ").split(". ") if 20 < len(part) < 300]


def write_vault(folder: Path, passages: int) -> Path:
    random.seed(7)
    pool = sentences()
    folder.mkdir()
    for number in range(passages // SECTIONS):
        sections = (
            f"# Part {part}\n{'. '.join(random.choices(pool, k=3))} {random.randrange(10**6)}.\n"
            for part in range(SECTIONS)
        )
        (folder / f"Note {number}.md").write_text("\n".join(sections), "utf-8")
    return folder


def questions(count: int) -> list[str]:
    """Five words in a row of some sentence each, as people ask."""
    random.seed(11)
    pool = [words for sentence in sentences() if len(words := re.findall(r"\w+", sentence)) > 6]
    return [" ".join(words[at : at + 5]) for words in random.choices(pool, k=count) if (at := random.randrange(3)) >= 0]


async def measure_mcp(rounds: int) -> dict[str, float]:
    """Milliseconds of a search over stdio, from call to answer."""
    server = StdioServerParameters(command=str(PROGRAM), args=["mcp"], env=dict(os.environ), cwd=ROOT)
    times = []
    started = time.perf_counter()
    async with Client(server) as client:
        await client.list_tools()
        ready = time.perf_counter() - started
        for text in questions(rounds + 5):
            began = time.perf_counter()
            result = await client.call_tool("search", {"query": text, "limit": 10})
            times.append((time.perf_counter() - began) * 1000)
            assert not result.is_error, result.content
    times = sorted(times[5:])
    return {
        "ready_ms": ready * 1000,
        "median_ms": statistics.median(times),
        "p95_ms": times[int(0.95 * len(times))],
        "best_ms": times[0],
    }


def measure_process(words: list[str], rounds: int) -> dict[str, float]:
    """Milliseconds of a command as a whole process, by how long it took, and the least that processors worked."""
    passed, worked = [], []
    for _ in range(rounds):
        time.sleep(REST_SECONDS)
        before = processor_seconds()
        began = time.perf_counter()
        subprocess.run([PROGRAM, *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        passed.append((time.perf_counter() - began) * 1000)
        worked.append((processor_seconds() - before) * 1000)
    passed.sort()
    return {
        "best_ms": passed[0],
        "median_ms": statistics.median(passed),
        "p95_ms": passed[int(0.95 * rounds)],
        "cpu_ms": min(worked),
    }


def processor_seconds() -> float:
    """That processes which have ended took; Windows does not keep them."""
    if sys.platform == "win32":
        return math.nan
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def host(folder: Path, passages: int) -> None:
    """Index the made-up notes, say how many passages there are, and answer until standard input ends."""
    home = find_home()
    prepare_home(home)
    lock = LibraryLock.take(home.lock_file)
    assert lock is not None
    with HostedLibrary(home, BenchEmbedder(home), lock=lock) as library:
        library.add(str(write_vault(folder / "Bench", passages)))
        print(library.index("Bench", Job()).passages, flush=True)
        sys.stdin.read()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--host", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.host:
        host(options.host, options.passages)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        os.environ["LAMPLIGHT_HOME"] = str(Path(folder) / "home")
        words = [sys.executable, __file__, "--host", folder, "--passages", str(options.passages)]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as hosting:
            assert hosting.stdin is not None
            assert hosting.stdout is not None
            result: dict[str, Any] = {
                "passages": int(hosting.stdout.readline()),
                "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
                "mcp search": anyio.run(measure_mcp, options.rounds),
                "lamplight search": measure_process(["search", "light of the lamp"], 40),
                "lamplight --help": measure_process(["--help"], 40),
            }
            hosting.stdin.close()
    print(f"{result['passages']:,} passages, load {result['load']}")
    for name in ("mcp search", "lamplight search", "lamplight --help"):
        print(f"{name:18} " + "  ".join(f"{key} {value:8.1f}" for key, value in result[name].items()))
    print(json.dumps(result))
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
