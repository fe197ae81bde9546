"""A program killed at any moment of an index run loses nothing, and the next run goes on from there."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
from pathlib import Path

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import Outcome, SearchRequest
from engine.paths import Home

CHECKOUT = Path(__file__).resolve().parents[2]
NOTES = 600
KILLS = 20

CHILD = """
import sys
from pathlib import Path
from engine.inference.fake import FakeEmbedder
from engine.indexing import run
from engine.job import Job
from engine.library import Library
from engine.paths import Home

run.NOTES_PER_BATCH, run.VECTORS_PER_BATCH = 20, 16
root = Path(sys.argv[1])
library = Library(Home(root / "data", root / "config", root / "logs"), FakeEmbedder())
print("ready", flush=True)
library.index("vault", Job())
library.close()
"""


def test_twenty_kills_lose_nothing(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    for i in range(NOTES):
        (vault / f"n{i:04}.md").write_text(f"# One\nAbout word{i} and bees.\n\n# Two\nMore of word{i}, with honey.\n")
    home = Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs")
    with Library(home, FakeEmbedder()) as library:
        library.add(str(vault), name="vault")
    chance = random.Random(7)
    seen = 0
    for _ in range(KILLS):
        _run_and_kill(tmp_path, chance.uniform(0.0, 0.35))
        with Library(home, FakeEmbedder()) as library:
            status = library.status("vault")
            assert status.vectors >= seen, "a kill lost vectors"
            assert status.passages == 2 * status.notes, "a kill left half a batch"
            seen = status.vectors
    embedder = FakeEmbedder()
    with Library(home, embedder) as library:
        report = library.index("vault", Job())
        assert report.outcome is Outcome.COMPLETE
        assert (report.passages, report.embedded) == (2 * NOTES, 2 * NOTES - seen)
        for i in range(0, NOTES, 50):
            assert library.search(SearchRequest(f"word{i} mode:word")).rows[0].title == f"n{i:04}"
        assert library.index("vault", Job()).embedded == 0


def _run_and_kill(root: Path, after: float) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(root)], cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout=after)
    child.kill()
    child.wait()
    child.stdout.close()
