"""How fast and how large the store is: synthetic notes with random words and vectors.

Of each step the time that passed and the time that processors worked on it, which tells more on a busy machine.
``python tests/bench/store.py [PASSAGES] [--plain]`` prints a table and one JSON line.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.inference.fake import FakeEmbedder
from engine.model import (
    Anchor,
    Note,
    NoteKey,
    Passage,
    PassageKind,
    SearchRequest,
    Source,
    SourceId,
    SourceKind,
)
from engine.ranking.words import PostingBatch
from engine.searching.search import search
from engine.store.index import IndexStore
from engine.store.live import LiveIndex
from engine.text.embed_input import finish

DIMENSIONS = 384
PER_NOTE = 10
NOTES_PER_BATCH = 50
WORDS_PER_PASSAGE = 60
VOCABULARY = 60_000
EMBEDDER = FakeEmbedder(dimensions=DIMENSIONS)
MODEL = EMBEDDER.model_id


def make_batch(rng: np.random.Generator, number: int) -> tuple[list[Note], PostingBatch]:
    notes, chosen = [], []
    for position in range(NOTES_PER_BATCH):
        key = NoteKey(f"folder/{number:05d}-{position}.md")
        passages = []
        for ordinal in range(PER_NOTE):
            words = (rng.zipf(1.3, WORDS_PER_PASSAGE) % VOCABULARY).astype(np.int32)
            chosen.append(words)
            text = " ".join(f"word{word}" for word in words)
            anchor = Anchor(key, headings=("Part",), first_line=ordinal, last_line=ordinal + 1)
            passages.append(
                finish(Passage(PassageKind.SECTION, ordinal, anchor, text, (str(key), "Part"), modified=float(number)))
            )
        notes.append(Note(key, str(key), f"r{number}", f"{number}-{position}", tuple(passages), modified=float(number)))
    passage = np.repeat(np.arange(len(chosen), dtype=np.int32), WORDS_PER_PASSAGE)
    pairs, counts = np.unique(passage.astype(np.int64) * VOCABULARY + np.concatenate(chosen), return_counts=True)
    used, term = np.unique(pairs % VOCABULARY, return_inverse=True)
    lengths = np.zeros((len(chosen), 5), dtype=np.int32)
    lengths[:, 0] = WORDS_PER_PASSAGE
    words = PostingBatch(
        [f"word{word}" for word in used],
        (pairs // VOCABULARY).astype(np.int32),
        term.astype(np.int32),
        np.zeros(len(pairs), dtype=np.uint8),
        counts.astype(np.uint16),
        lengths,
        [(f"word{word}", f"word{word}") for word in used],
    )
    return notes, words


def search_once(path: Path, key: str | None) -> LiveIndex:
    """Open the index and answer one question by both legs, without the model: what a person waits for at first."""
    source = Source(SourceId("bench"), SourceKind.OBSIDIAN, "bench", str(path.parent))
    live = LiveIndex.open(source, path, key, EMBEDDER)
    result = search(SearchRequest("word901 word17 word3000 word55"), [live], lambda _: EMBEDDER)
    assert result.rows
    return live


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("passages", type=int, nargs="?", default=100_000)
    arguments.add_argument("--plain", action="store_true", help="without encryption")
    given = arguments.parse_args()
    rng = np.random.default_rng(7)
    figures: dict[str, float] = {"passages": given.passages}

    def timed(name: str, action: Callable[[], Any]) -> Any:
        started, worked = time.perf_counter(), time.process_time()
        result = action()
        figures[f"{name} cpu"] = figures.get(f"{name} cpu", 0.0) + time.process_time() - worked
        figures[name] = figures.get(name, 0.0) + time.perf_counter() - started
        return result

    with tempfile.TemporaryDirectory() as folder:
        path, key = Path(folder, "bench.duckdb"), None if given.plain else "ab" * 32
        store = timed("create s", lambda: IndexStore.open(path, key))
        for number in range(given.passages // (PER_NOTE * NOTES_PER_BATCH)):
            notes, words = make_batch(rng, number)
            timed("write notes s", lambda notes=notes, words=words: store.write_notes(notes, words))
            hashes = [passage.hash for note in notes for passage in note.passages]
            matrix = rng.standard_normal((len(hashes), DIMENSIONS)).astype(np.float32)
            timed("write vectors s", lambda hashes=hashes, matrix=matrix: store.write_vectors(MODEL, hashes, matrix))
        timed("replace one batch s", lambda: store.write_notes(notes, words))
        timed("prune s", lambda: (store.prune_vectors(), store.prune_words()))
        timed("prune nothing s", lambda: (store.prune_vectors(), store.prune_words()))
        timed("close s", store.close)
        figures["bytes per passage"] = path.stat().st_size / given.passages
        store = timed("open s", lambda: IndexStore.open(path, key))
        postings = timed("load postings s", store.load_postings)
        figures["postings"] = len(postings.passage)
        timed("load surfaces s", store.load_surfaces)
        timed("load vectors s", lambda: store.load_vectors(MODEL))
        timed("load facets s", store.load_facets)
        timed("missing vectors s", lambda: store.missing_vectors(MODEL))
        timed("revisions s", store.revisions)
        timed("counts s", lambda: store.counts(MODEL))
        hits = [rng.choice(postings.passage_ids, 20).tolist() for _ in range(21)]
        timed("first 20 passages s", lambda: store.passages(hits[0]))
        timed("20 passages, 20 times s", lambda: [store.passages(wanted) for wanted in hits[1:]])
        store.close()
        timed("first search after opening s", lambda: search_once(path, key)).close()
    for name, value in figures.items():
        print(f"{name:28} {value:12,.3f}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
