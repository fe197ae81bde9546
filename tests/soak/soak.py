"""Eight hours of use in some minutes: edits, questions, sleep and wake, with memory and open files watched.

    python tests/soak/soak.py                            10,000 edits, 1,000 questions, the real model
    python tests/soak/soak.py --edits 200 --questions 40 --fake   as the suite runs it

A vault of a few hundred notes is edited, renamed, deleted and written anew; after every few edits it is indexed, now
and then searched, and sometimes the machine "sleeps": the clock jumps, the vault is away, and both come back. Prints a
table of memory and handles over the time, and ends with 1 when they grew after the warm-up.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import json
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT))

from engine.inference.fake import FakeEmbedder  # noqa: E402 - the checkout is found first
from engine.job import Job  # noqa: E402 - the checkout is found first
from engine.library import Library  # noqa: E402 - the checkout is found first
from engine.model import Outcome, SearchRequest  # noqa: E402 - the checkout is found first
from engine.paths import find_home  # noqa: E402 - the checkout is found first

NOTES = 300
EDITS_PER_RUN = 40
RUNS_PER_SLEEP = 12
WARM_UP = 0.3
"""Part of the work after which nothing may grow any more: caches are full, arrays have their size."""
MORE_MEMORY = 1.15
"""Times the memory after the warm-up that the end may have: the allocator keeps what it once had."""
MORE_HANDLES = 4
WORDS = (
    *("lamp", "oil", "wick", "lens", "keeper", "gale", "harbour", "bee", "hive", "swarm"),
    *("honey", "ship", "wake", "diary", "oven", "bread", "salt", "rope", "tide", "glass"),
)


@dataclass
class Soak:
    """What happened, and the measurements by edits done."""

    edits: int = 0
    questions: int = 0
    sleeps: int = 0
    runs: int = 0
    seconds: float = 0.0
    measured: list[tuple[int, float, int]] = field(default_factory=list)
    """(edits, megabytes resident, open handles)."""

    def measure(self) -> None:
        gc.collect()
        self.measured.append((self.edits, resident(), handles()))

    def growth(self) -> tuple[float, int]:
        """(times the memory, more handles) of the last third over the first third after the warm-up."""
        warm = [one for one in self.measured if one[0] >= self.edits * WARM_UP]
        third = max(1, len(warm) // 3)
        first, last = warm[:third], warm[-third:]
        memory = sorted(m for _, m, _ in last)[third // 2] / sorted(m for _, m, _ in first)[third // 2]
        return memory, max(h for *_, h in last) - max(h for *_, h in first)


def resident() -> float:
    """Megabytes of memory that this process holds now."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def handles() -> int:
    folder = Path("/proc/self/fd")
    return sum(1 for _ in (folder if folder.exists() else Path("/dev/fd")).iterdir())


def soak(root: Path, *, edits: int, questions: int, fake: bool, tell: bool = False) -> Soak:
    chosen, done = random.Random(7), Soak()
    vault = root / "vault"
    vault.mkdir()
    for number in range(NOTES):
        write(vault / f"{number}.md", chosen)
    each = max(1, edits // max(1, questions))
    started = time.monotonic()
    with Library(find_home(root / "home"), FakeEmbedder() if fake else None) as library:
        # One thread of the model leaves the machine to others; several wait for each other when it is busy.
        library.change_settings(dataclasses.replace(library.settings, threads=1))
        library.add(str(vault), name="vault")
        library.index("vault", Job())
        while done.edits < edits:
            for _ in range(EDITS_PER_RUN):
                edit(vault, chosen)
                done.edits += 1
                if done.edits % each == 0:
                    ask(library, chosen, done.questions)
                    done.questions += 1
            assert library.index("vault", Job()).outcome in (Outcome.COMPLETE, Outcome.BRAKED)
            done.runs += 1
            if done.runs % RUNS_PER_SLEEP == 0:
                sleep_and_wake(library, vault)
                done.sleeps += 1
            if done.edits % max(EDITS_PER_RUN, edits // 40 // EDITS_PER_RUN * EDITS_PER_RUN) == 0:
                done.measure()
                if tell:
                    print("{:>7,} edits {:>8.1f} MB {:>4} handles".format(*done.measured[-1]), flush=True)
        assert_agrees(library, vault)
    done.seconds = time.monotonic() - started
    return done


def write(file: Path, chosen: random.Random) -> None:
    lines = [
        " ".join(chosen.choices(WORDS, k=12)) + f" {chosen.randrange(10**6)}." for _ in range(chosen.randrange(1, 5))
    ]
    links = " ".join(f"[[{chosen.randrange(NOTES)}]] #{chosen.choice(WORDS)}" for _ in range(2))
    file.write_text(f"# {chosen.choice(WORDS)}\n{links}\n\n" + "\n\n".join(lines) + "\n", "utf-8")


def edit(vault: Path, chosen: random.Random) -> None:
    """Nine in ten change a note; the others rename, delete or damage one."""
    file = vault / f"{chosen.randrange(NOTES)}.md"
    kind = chosen.random()
    if kind < 0.03 and file.exists():
        file.unlink()
    elif kind < 0.06 and file.exists():
        file.rename(vault / f"renamed {chosen.randrange(20)}.md")
    elif kind < 0.08:
        file.write_bytes(b"---\na: [\n---\n\xff\xfe broken " + os.urandom(40))
    else:
        write(file, chosen)


def ask(library: Library, chosen: random.Random, number: int) -> None:
    text = " ".join(chosen.choices(WORDS, k=3)) + ("" if number % 4 else f" tag:{chosen.choice(WORDS)}")
    result = library.search(SearchRequest(text, explain=number % 7 == 0))
    if result.rows:
        library.note("vault", result.rows[0].note)
        if number % 5 == 0:
            library.related("vault", result.rows[0].note, limit=3)


def sleep_and_wake(library: Library, vault: Path) -> None:
    """The drive is gone when the lid closes, and is back, with other times on its files, when it opens."""
    away = vault.with_name("away")
    vault.rename(away)
    assert library.index("vault", Job()).outcome is Outcome.OFFLINE
    assert library.search(SearchRequest("lamp")).rows
    away.rename(vault)
    later = time.time() + 8 * 3600
    for file in list(vault.glob("1*.md"))[:10]:
        os.utime(file, (later, later))
    job = Job()
    job.pause()
    job.resume()
    library.index("vault", job)


def assert_agrees(library: Library, vault: Path) -> None:
    library.index("vault", Job())
    status = library.status("vault")
    files = len(list(vault.glob("*.md")))
    assert status.notes + status.skipped + status.failed == files, (status, files)
    assert status.vectors == status.passages


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--fake", action="store_true", help="a model without weights")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lamplight-soak-") as folder:
        done = soak(Path(folder), edits=given.edits, questions=given.questions, fake=given.fake, tell=True)
    memory, more = done.growth()
    figures = {
        "edits": done.edits,
        "questions": done.questions,
        "index_runs": done.runs,
        "sleeps": done.sleeps,
        "seconds": round(done.seconds),
        "megabytes": [round(one[1], 1) for one in done.measured],
        "handles": [one[2] for one in done.measured],
        "memory_growth": round(memory, 3),
        "more_handles": more,
    }
    print(json.dumps(figures))
    return 0 if memory <= MORE_MEMORY and more <= MORE_HANDLES else 1


if __name__ == "__main__":
    sys.exit(main())
