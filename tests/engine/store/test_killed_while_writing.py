"""A process killed while it writes leaves whole batches, or nothing of one."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from engine.model import NoteKey
from engine.store.index import IndexStore

ROOT = Path(__file__).parents[3]
PER_BATCH = 4

WRITER = """
import sys
from pathlib import Path
from engine.model import Anchor, Note, NoteKey, Passage, PassageKind
from engine.ranking.words import posting_batch
from engine.store.index import IndexStore

store = IndexStore.open(Path(sys.argv[1]), sys.argv[2] or None)
number = len(store.notes()) // 4
while True:
    batch = []
    for place in range(4):
        key = NoteKey(f"{number}-{place}")
        text = f"batch{number} " + "filler " * 50
        passages = (Passage(PassageKind.SECTION, 0, Anchor(key), text, (key,), hash=key),)
        batch.append(Note(key, key, "r", "h", passages))
    words = posting_batch([[{f"batch{number}": 1, "filler": 50}, {}, {}, {}, {}]] * 4, {})
    store.write_notes(batch, words)
    print(number, flush=True)
    number += 1
"""


def test_no_batch_is_ever_half_there(index_path: Path, key: str | None) -> None:
    rng = random.Random(5)
    seen = -1
    for _ in range(2 if key else 1):  # a second time, on a file that was recovered before
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(index_path), key or ""], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for _ in range(rng.randint(1, 4)):
            seen = int(process.stdout.readline())
        process.kill()  # at a random moment: this process and the writer are not in step
        process.stdout.close()
        process.wait()
        check(index_path, key, seen)


def check(index_path: Path, key: str | None, seen: int) -> None:
    store = IndexStore.open(index_path, key)
    keys = set(store.revisions())
    batches = {int(one.partition("-")[0]) for one in keys}
    assert batches == set(range(len(batches))), "a reported batch is missing"
    assert len(batches) > seen
    assert keys == {NoteKey(f"{number}-{place}") for number in batches for place in range(PER_BATCH)}
    postings = store.load_postings()
    assert len(postings.passage) == 2 * len(keys)
    assert postings.passage_ids.tolist() == sorted({row.id for one in keys for row in store.note_passages(one)})
    store.close()
