"""How fast and how right the built-in model is: texts a second by length, cosine to a reference, batch invariance.

    python3 packaging/dev.py bench model [--threads N] [--seconds S] [--json FILE]

Prints a table, and the same as JSON on the last line. Rates are of whole ``embed_documents`` calls, tokenising
included; "mixed" is what an index run sees: lengths from 8 to 256 tokens, sorted inside by the embedder.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from engine.inference.base import Embedder
from engine.inference.catalog import open_embedder
from engine.inference.onnx import BATCH, default_threads
from engine.paths import find_home

CHECKOUT = Path(__file__).resolve().parents[2]
REFERENCES = {
    "own": CHECKOUT / "fixtures" / "models" / "all-minilm-l6-v2-reference.json",
    "float32": CHECKOUT.parent / "shared" / "data" / "models" / "all-minilm-l6-v2" / "reference.json",
}
WORDS = ("garden", "river", "slow", "work", "kettle", "budget", "hiring", "recall", "note", "letter", "bridge", "the")


def make_texts(random: np.random.Generator, lengths: list[int]) -> list[str]:
    """Texts of about ``lengths`` tokens, the two special ones included."""
    return [" ".join(random.choice(WORDS, max(1, length - 2))) for length in lengths]


def measure_rate(embedder: Embedder, texts: list[str], seconds: float) -> tuple[float, float]:
    """Texts a second (best, median) over repeated calls for about ``seconds``."""
    rates = []
    deadline = time.perf_counter() + seconds
    while not rates or time.perf_counter() < deadline:
        started = time.perf_counter()
        embedder.embed_documents(texts)
        rates.append(len(texts) / (time.perf_counter() - started))
    return max(rates), float(np.median(rates))


def measure_references(embedder: Embedder) -> dict[str, float]:
    """Lowest cosine to each reference file that is here."""
    lowest = {}
    for name, file in REFERENCES.items():
        if file.is_file():
            reference = json.loads(file.read_text("utf-8"))
            vectors = embedder.embed_documents(reference["texts"])
            lowest[name] = float((vectors * np.array(reference["vectors"])).sum(axis=1).min())
    return lowest


def measure_invariance(embedder: Embedder, texts: list[str]) -> float:
    """Largest difference between a text's vector alone and among others."""
    alone = np.stack([embedder.embed_documents([text])[0] for text in texts])
    return float(np.abs(embedder.embed_documents(texts) - alone).max())


def peak_memory() -> float:
    """MB of this process so far; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    # Linux counts in kB, macOS in bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="", help="id of the catalogue; default the built-in one")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5.0, help="per row of the table")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    embedder = open_embedder(options.model, find_home(), options.threads)
    started = time.perf_counter()
    embedder.embed_query("first")
    first = time.perf_counter() - started
    random = np.random.default_rng(7)
    sets = {f"{length} tokens": make_texts(random, [length] * 4 * BATCH) for length in (16, 64, 128, 256)}
    sets["mixed"] = make_texts(random, random.integers(8, 257, 8 * BATCH).tolist())

    print(f"{embedder.model_id}, {options.threads or default_threads()} threads, batch {BATCH}")
    print(f"first query, weights loaded within: {first * 1000:.0f} ms")
    print(f"{'texts':>12} {'best/s':>8} {'median/s':>9}")
    rates = {}
    for name, texts in sets.items():
        rates[name] = measure_rate(embedder, texts, options.seconds)
        print(f"{name:>12} {rates[name][0]:8.1f} {rates[name][1]:9.1f}", flush=True)
    lowest = measure_references(embedder) if not options.model else {}
    for name, cosine in lowest.items():
        print(f"lowest cosine to the {name} reference: {cosine:.5f}")
    difference = measure_invariance(embedder, sets["mixed"][: 3 * BATCH])
    print(f"largest difference between alone and in a batch: {difference:.1e}")
    peak = peak_memory()
    print(f"peak memory: {peak:.0f} MB")
    result = {
        "model": embedder.model_id,
        "first_query_seconds": first,
        "texts_per_second": {name: {"best": best, "median": median} for name, (best, median) in rates.items()},
        "lowest_cosine": lowest,
        "batch_difference": difference,
        "peak_memory_mb": peak,
    }
    print(json.dumps(result))
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
