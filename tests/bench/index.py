"""How much an index run costs beside the model itself, and what a run costs when nothing changed.

    python3 packaging/dev.py bench index [--notes 200] [--unchanged 2000]

Prints a table, then JSON. The ratio compares two timings of one run of this program; absolute rates depend on the
machine and on what else it does. The ratio of processor time tells more when the machine is busy.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from pathlib import Path

from engine.inference.base import Embedder
from engine.inference.catalog import open_embedder
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.paths import Home

DEMO = Path(__file__).resolve().parents[2] / "resources" / "demo" / "vault"


def sentences() -> list[str]:
    text = " ".join(path.read_text("utf-8") for path in sorted(DEMO.rglob("*.md")))
    return [part.strip() for part in text.replace("\n", " ").split(". ") if 20 < len(part) < 300]


def write_vault(root: Path, notes: int, seed: int = 5) -> None:
    chance = random.Random(seed)
    pool = sentences()
    for number in range(notes):
        path = root / f"folder {number % 20}" / f"Note {number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        sections = [
            f"## Part {part}\n\n" + ". ".join(chance.choices(pool, k=chance.randint(2, 9))) + "."
            for part in range(chance.randint(1, 4))
        ]
        path.write_text("\n\n".join(sections) + "\n", "utf-8")


def home_of(root: Path) -> Home:
    return Home(root / "data", root / "config", root / "logs")


class Recording:
    """An embedder that remembers what it was asked, so that the bare model can be timed on the very same texts."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.texts: list[str] = []

    def embed_documents(self, texts):
        self.texts.extend(texts)
        return self._inner.embed_documents(texts)

    def __getattr__(self, name: str):
        return getattr(self._inner, name)


def with_model(notes: int, root: Path) -> dict[str, float]:
    write_vault(root / "vault", notes)
    inner = open_embedder("", home_of(root))
    inner.embed_documents(["warm up"])
    recording = Recording(inner)
    with Library(home_of(root), recording) as library:
        library.add(str(root / "vault"), name="v")
        started, worked = time.perf_counter(), time.process_time()
        report = library.index("v", Job())
        whole, whole_work = time.perf_counter() - started, time.process_time() - worked
        size = library.status("v").bytes_on_disk
    texts = sorted(recording.texts, key=len)
    started, worked = time.perf_counter(), time.process_time()
    for start in range(0, len(texts), 64):
        inner.embed_documents(texts[start : start + 64])
    bare, bare_work = time.perf_counter() - started, time.process_time() - worked
    return {
        "passages": report.passages,
        "seconds": round(whole, 2),
        "passages_per_second": round(report.passages / whole, 1),
        "bare_model_seconds": round(bare, 2),
        "ratio_to_bare_model": round(whole / bare, 3),
        "ratio_of_processor_time": round(whole_work / bare_work, 3),
        "outside_model_share": round(1 - report.embed_seconds / whole, 3),
        "bytes_per_passage": round(size / report.passages),
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def unchanged(notes: int, root: Path) -> dict[str, float]:
    write_vault(root / "vault", notes)
    with Library(home_of(root), FakeEmbedder(dimensions=384)) as library:
        library.add(str(root / "vault"), name="v")
        started = time.perf_counter()
        library.index("v", Job())
        first = time.perf_counter() - started
    with Library(home_of(root), FakeEmbedder(dimensions=384)) as library:
        started = time.perf_counter()
        report = library.index("v", Job())
        second = time.perf_counter() - started
    assert report.embedded == 0
    return {"notes": notes, "first_without_model_s": round(first, 2), "second_run_s": round(second, 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=150)
    parser.add_argument("--unchanged", type=int, default=2000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        results = {"index": with_model(args.notes, Path(one)), "unchanged": unchanged(args.unchanged, Path(two))}
    for part, values in results.items():
        for name, value in values.items():
            print(f"{part:10} {name:24} {value}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
