"""How fast the two legs answer, at 10,000, 100,000 and 1,000,000 passages, beside SQLite FTS5 and the plain product.

    python3 packaging/dev.py bench search [--sizes N ...] [--queries N] [--no-others] [--json FILE]

Passages are made up: 60 words each with the frequencies of language, one in ten of them in the breadcrumb; vectors of
384 dimensions that vary in few directions more than in others, as those of texts do. Questions are four words beyond
the hundred most frequent, since stop words are not asked for; as one types, the last of them is cut by a letter. "A
fifth" is a filter that lets every fifth passage through. The question's own embedding is not part of it.

All in one process, so compare times within one run; a busy machine shows in every wall time, the processor's own time
is beside it. A million passages (``--sizes 1000000``) take some minutes and 6 GB, most of it for SQLite and the raw
data. Set OPENBLAS_NUM_THREADS=1 to see one core. Prints a table, and the same as JSON on the last line.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.ranking.fusion import Meaning, Ranking, by_trust
from engine.ranking.vectors import VectorIndex
from engine.ranking.vocabulary import Vocabulary, prefix_word
from engine.ranking.words import Postings, Word, WordIndex, coverage
from engine.searching.legs import HUB_SHARE

DIMENSIONS = 384
WORDS_PER_PASSAGE = 60
POOL = 200
"""Passages that a leg brings to the fusion."""
PIECE = 50_000

Ids = NDArray[np.int32]


def frequencies(vocabulary: int) -> NDArray[np.float64]:
    """Cumulative frequencies of words by rank (Zipf and Mandelbrot)."""
    weights = 1 / (np.arange(vocabulary) + 2.7) ** 1.07
    return np.cumsum(weights / weights.sum())


def make_postings(passages: int, cumulative: NDArray[np.float64], random: np.random.Generator) -> Postings:
    """Each word of a passage once: what is said twice in so short a text hardly matters for speed."""
    keys = []
    for start in range(0, passages, PIECE):
        rows = np.repeat(np.arange(start, min(start + PIECE, passages), dtype=np.int64), WORDS_PER_PASSAGE)
        terms = np.minimum(np.searchsorted(cumulative, random.random(len(rows))), len(cumulative) - 1)
        fields = (np.arange(len(rows)) % 10 == 0).astype(np.int64)
        keys.append(np.unique((rows << 24) | (terms << 1) | fields))
    key = np.concatenate(keys)
    title = WORDS_PER_PASSAGE // 10
    lengths = np.tile(np.array([[WORDS_PER_PASSAGE - title, title, 0, 0, 0]], np.int32), (passages, 1))
    return Postings(
        terms=[f"w{number}" for number in range(len(cumulative))],
        passage=(key >> 24).astype(np.int32),
        term=((key >> 1) & ((1 << 23) - 1)).astype(np.int32),
        field=(key & 1).astype(np.uint8),
        tf=np.ones(len(key), np.uint16),
        passage_ids=np.arange(passages, dtype=np.int32),
        lengths=lengths,
    )


def make_vectors(count: int, random: np.random.Generator) -> NDArray[np.float16]:
    directions = np.random.default_rng(1).normal(size=(48, DIMENSIONS)).astype(np.float32)
    result = np.empty((count, DIMENSIONS), np.float16)
    for start in range(0, count, PIECE):
        size = min(PIECE, count - start)
        values = random.standard_normal((size, 48), np.float32) @ directions
        values += 2 * random.standard_normal((size, DIMENSIONS), np.float32)
        result[start : start + size] = values / np.linalg.norm(values, axis=1, keepdims=True)
    return result


def make_questions(
    count: int, cumulative: NDArray[np.float64], random: np.random.Generator
) -> Iterator[tuple[list[Word], NDArray[np.float32]]]:
    for vector in make_vectors(count, random).astype(np.float32):
        ranks = np.searchsorted(cumulative, random.uniform(cumulative[100], cumulative[-1], 4))
        yield [Word((f"w{min(int(rank), len(cumulative) - 1)}",)) for rank in ranks], vector / np.linalg.norm(vector)


def product(matrix: NDArray[np.float16], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """All cosines, in pieces, since a float32 copy of a million vectors would not fit everywhere."""
    pieces = [matrix[start : start + PIECE].astype(np.float32) @ query for start in range(0, len(matrix), PIECE)]
    return np.concatenate(pieces)


def nearest(matrix: NDArray[np.float16], query: NDArray[np.float32]) -> set[int]:
    """The ten nearest, by looking at all."""
    return set(np.argpartition(-product(matrix, query), 10)[:10].tolist())


def both_legs(
    words: WordIndex,
    vectors: VectorIndex,
    asked: Sequence[Word],
    query: NDArray[np.float32],
    allowed: NDArray[np.bool_] | None,
) -> None:
    """What a search does between the embedded question and the passages to load."""
    statistics = words.statistics(asked)
    found, _ = words.search(asked, POOL, statistics, allowed)
    turned = query - HUB_SHARE * vectors.middle()
    near, scores = vectors.search(turned, POOL, allowed)
    every = np.concatenate([found, np.setdiff1d(near, found)])
    contributions = words.scores(asked, every, statistics)
    mean, deviation = vectors.spread(turned)
    missing = np.setdiff1d(found, near)
    meaning = Ranking(
        "meaning",
        np.concatenate([near, missing]).astype(np.int64),
        np.concatenate([scores, vectors.cosines(turned, missing)]),
        len(near),
    )
    word = Ranking("word", every.astype(np.int64), contributions.sum(axis=1), len(found))
    joined = by_trust(word, None, [Meaning(meaning, mean, deviation)], coverage(contributions, asked, statistics))
    for ids in (near, joined.ids.astype(np.int32)):
        vectors.cosines(query, ids)


def timed(calls: Sequence[Callable[[], Any]]) -> dict[str, float]:
    """p50 and p95 in ms as they pass, p50 and p95 in ms of the processors' work."""
    passed, worked = [], []
    for call in calls:
        started, from_work = time.perf_counter(), time.process_time()
        call()
        passed.append((time.perf_counter() - started) * 1000)
        worked.append((time.process_time() - from_work) * 1000)
    found = {"p50": np.percentile(passed, 50), "p95": np.percentile(passed, 95)}
    found |= {"cpu p50": np.percentile(worked, 50), "cpu p95": np.percentile(worked, 95)}
    return {name: float(value) for name, value in found.items()}


def as_typed(words: WordIndex, vocabulary: Vocabulary, asked: Sequence[Word]) -> None:
    """The word leg on a key: the last word stands for all that begin like it."""
    last = asked[-1].terms[0][:-1]
    typed = [*asked[:-1], prefix_word([vocabulary], last, (last,))]
    words.search(typed, POOL, words.statistics(typed))


def resident() -> float:
    """Megabytes of this process in memory, 0 where the system does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text("utf-8").splitlines() if status.is_file() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)


def fill_fts5(postings: Postings) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE passages USING fts5(text, tokenize = 'unicode61')")
    bounds = np.searchsorted(postings.passage, np.arange(len(postings.passage_ids) + 1))
    texts = ((" ".join(f"w{term}" for term in postings.term[start:end]),) for start, end in itertools.pairwise(bounds))
    connection.executemany("INSERT INTO passages VALUES (?)", texts)
    return connection


def ask_fts5(connection: sqlite3.Connection, asked: Sequence[Word]) -> list[Any]:
    question = " OR ".join(f'"{word.terms[0]}"' for word in asked)
    statement = "SELECT rowid, bm25(passages) AS score FROM passages WHERE passages MATCH ? ORDER BY score LIMIT 200"
    return connection.execute(statement, [question]).fetchall()


def ask_usearch(matrix: NDArray[np.float16]) -> Callable[[NDArray[np.float32]], object] | None:
    """A search by usearch where it is installed (it is no dependency)."""
    if importlib.util.find_spec("usearch") is None:
        return None
    from usearch.index import Index

    index = Index(ndim=DIMENSIONS, metric="cos", dtype="f16")
    index.add(np.arange(len(matrix)), matrix)
    return lambda query: index.search(query, POOL)


def measure(passages: int, count: int, others: bool) -> dict[str, Any]:
    random = np.random.default_rng(0)
    cumulative = frequencies(min(400_000, 5000 + int(3000 * (passages / 1000) ** 0.6)))
    postings = make_postings(passages, cumulative, random)
    matrix = make_vectors(passages, random)
    raw = resident()
    started = time.process_time()
    words = WordIndex(postings)
    words_seconds = time.process_time() - started
    started = time.process_time()
    vectors = VectorIndex(DIMENSIONS, postings.passage_ids, matrix)
    vectors_seconds = time.process_time() - started
    grown = resident() - raw
    vocabulary = Vocabulary((term, term) for term in postings.terms)
    questions = list(make_questions(count, cumulative, random))
    fifth = np.arange(passages) % 5 == 0
    both_legs(words, vectors, *questions[0], None)
    few = questions[: max(3, count // 4)]
    shared = [len({*vectors.search(query, 10)[0].tolist()} & nearest(matrix, query)) for _, query in few]
    result: dict[str, Any] = {
        "passages": passages,
        "postings": len(postings.term),
        "cpu_seconds_to_load": {"words": words_seconds, "vectors": vectors_seconds},
        "megabytes": {"words": words.nbytes / 1e6, "vectors": vectors.nbytes / 1e6, "resident more": grown},
        "recall_at_10": float(np.mean(shared)) / 10,
        "word leg": timed([lambda w=w: words.search(w, POOL, words.statistics(w)) for w, _ in questions]),
        "word leg, a fifth": timed(
            [lambda w=w: words.search(w, POOL, words.statistics(w), fifth) for w, _ in questions]
        ),
        "as you type": timed([lambda w=w: as_typed(words, vocabulary, w) for w, _ in questions]),
        "meaning leg": timed([lambda q=q: vectors.search(q, POOL) for _, q in questions]),
        "meaning leg, a fifth": timed([lambda q=q: vectors.search(q, POOL, fifth) for _, q in questions]),
        "both and fusion": timed([lambda w=w, q=q: both_legs(words, vectors, w, q, None) for w, q in questions]),
        "both, a fifth": timed([lambda w=w, q=q: both_legs(words, vectors, w, q, fifth) for w, q in questions]),
    }
    result["plain product"] = timed([lambda q=q: nearest(matrix, q) for _, q in few[:20]])
    if others:
        connection = fill_fts5(postings)
        result["SQLite FTS5"] = timed([lambda w=w: ask_fts5(connection, w) for w, _ in few])
        connection.close()
        usearch = ask_usearch(matrix)
        if usearch is not None:
            result["usearch"] = timed([lambda q=q: usearch(q) for _, q in questions])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--no-others", action="store_true", help="leave SQLite and usearch out (they take minutes)")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    for size in options.sizes:
        result = measure(size, options.queries, not options.no_others)
        results.append(result)
        memory, build = result["megabytes"], result["cpu_seconds_to_load"]
        print(f"{size:,} passages, {result['postings']:,} postings; recall@10 {result['recall_at_10']:.3f}")
        print(f"  memory: words {memory['words']:.0f} MB, vectors {memory['vectors']:.0f} MB;", end=" ")
        print(f"loading: words {build['words']:.2f} s, vectors {build['vectors']:.2f} s of processor")
        for name, value in result.items():
            if isinstance(value, dict) and "p95" in value:
                times = "  ".join(f"{key} {milliseconds:8.2f} ms" for key, milliseconds in value.items())
                print(f"  {name:22} {times}", flush=True)
    print(json.dumps(results))
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
