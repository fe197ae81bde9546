"""Many notes read in a process of their own: the same notes as here, and no loss whatever becomes of the process."""

from __future__ import annotations

import multiprocessing
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.errors import Cancelled
from engine.indexing import reading
from engine.indexing.reading import Batch, in_batches, read_note
from engine.indexing.reading_process import MANY, ReadingEnded, can_read_apart, read_apart
from engine.inference.catalog import open_embedder
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import NoteRef, SearchRequest, Source, SourceId, SourceKind, SourceOptions
from engine.paths import Home
from engine.sources.obsidian import ObsidianReader

COUNT = MANY + 20


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs")


@pytest.fixture
def source(tmp_path: Path) -> Source:
    folder = tmp_path / "vault"
    folder.mkdir()
    for number in range(COUNT):
        (folder / f"n{number:03}.md").write_text(f"# Note {number}\n\nThe keeper of lamp {number} lit it.\n", "utf-8")
    (folder / "n003.md").write_text("灯台守は夜ごとに灯をともした。\n", "utf-8")
    (folder / "n004.md").write_bytes(b"---\nbad: [yaml\n---\nDer W\xe4rter z\xfcndete die Lampe an.\n")
    (folder / "n005.md").write_text("", "utf-8")
    return Source(SourceId("v"), SourceKind.OBSIDIAN, "vault", str(folder))


def refs_of(source: Source) -> list[NoteRef]:
    refs = [*ObsidianReader(Path(source.location), source.options, FakeEmbedder().token_spans).scan(Job()).refs]
    return [*refs, NoteRef(refs[0].key.replace("n0", "gone"), "1")]


def read_here(source: Source, home: Home, refs: Sequence[NoteRef]) -> Iterator[Batch]:
    spans = open_embedder("", home).token_spans
    reader = ObsidianReader(Path(source.location), source.options, spans)
    return in_batches(read_note(reader, ref) for ref in refs)


def test_the_same_notes_and_words_as_here(source: Source, home: Home) -> None:
    refs = refs_of(source)
    [(notes, words)] = read_apart(source, home, refs, Job())
    [(expected, expected_words)] = read_here(source, home, refs)
    assert notes == expected
    assert [note.key for note in notes] == [ref.key for ref in refs]
    assert notes[-1].problems[0].code == "unreadable"
    assert words.terms == expected_words.terms
    assert words.surfaces == expected_words.surfaces
    for name in ("passage", "term", "field", "tf", "lengths"):
        np.testing.assert_array_equal(getattr(words, name), getattr(expected_words, name))


def test_progress_names_the_note_at_hand(source: Source, home: Home) -> None:
    job = Job()
    seen = []
    job.report = lambda *words: seen.append(words)  # type: ignore[method-assign]
    list(read_apart(source, home, refs_of(source), job))
    assert seen[1] == ("reading", 20, COUNT + 1, "n020")


def test_a_cancelled_job_ends_the_process(source: Source, home: Home) -> None:
    job = Job()
    batches = read_apart(source, home, refs_of(source), job)
    job.cancel()
    with pytest.raises(Cancelled):
        next(batches)
    assert multiprocessing.active_children() == []


def test_a_process_that_dies_is_told_apart_from_one_that_is_done(source: Source, home: Home) -> None:
    class Dying(Job):
        def check(self) -> None:
            for child in multiprocessing.active_children():
                child.kill()

    with pytest.raises(ReadingEnded):
        list(read_apart(source, home, refs_of(source), Dying()))
    assert multiprocessing.active_children() == []


ENDS = """
import multiprocessing, os, signal, sys
from pathlib import Path
from engine.indexing import reading_process
from engine.job import Job
from engine.model import NoteRef, Source, SourceId, SourceKind
from engine.paths import Home

class Ending(Job):
    def check(self):
        print(multiprocessing.active_children()[0].pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    root = Path(sys.argv[1])
    source = Source(SourceId("v"), SourceKind.OBSIDIAN, "vault", str(root / "vault"))
    refs = [NoteRef("n000.md", "1")] * 1_000_000
    list(reading_process.read_apart(source, Home(root, root, root), refs, Ending()))
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="no way to wait for a process that is not our own")
def test_it_does_not_outlive_the_program(source: Source, tmp_path: Path) -> None:
    script = tmp_path / "ends.py"
    script.write_text(ENDS, "utf-8")
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    with subprocess.Popen(
        [sys.executable, str(script), str(tmp_path)], stdout=subprocess.PIPE, env=environment, text=True
    ) as program:
        assert program.stdout is not None
        reader = int(program.stdout.readline())
    try:
        handle = os.pidfd_open(reader)
    except ProcessLookupError:
        return  # It has ended already.
    try:
        ready, _, _ = select.select([handle], [], [], 20)
    finally:
        os.close(handle)
    assert ready, "the process that reads is still there"


def test_a_library_reads_a_large_vault_so_and_goes_on_here_when_the_process_ends(
    source: Source, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "NOTES_PER_BATCH", 10)
    apart = []

    def ending(source: Source, home: Home, refs: Sequence[NoteRef], job: Job) -> Iterator[Batch]:
        for batch in read_here(source, home, refs):
            if len(apart) == 3:
                raise ReadingEnded
            apart.append(batch)
            yield batch

    monkeypatch.setattr("engine.indexing.runs.read_apart", ending)
    with Library.open(home) as library:
        library.reads_apart = True
        library.add(source.location, name="vault")
        report = library.index("vault", Job())
        assert (report.notes, report.added, report.skipped) == (COUNT, COUNT - 1, 1)
        assert len(apart) == 3
        for number in (7, 90, COUNT - 1):
            found = library.search(SearchRequest(f'"lamp {number}"')).rows
            assert [row.title for row in found] == [f"n{number:03}"]


def test_a_script_that_opens_a_library_is_not_run_twice(source: Source, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "print('once', flush=True)\n"
        "from engine.job import Job\n"
        "from engine.library import Library\n"
        "with Library.open() as library:\n"
        "    library.add(sys.argv[1])\n"
        "    print(library.index('vault', Job()).added)\n",
        "utf-8",
    )
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root), "LAMPLIGHT_HOME": str(tmp_path / "home")}
    command = [sys.executable, str(script), source.location]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["once", str(COUNT - 1)]


@pytest.mark.parametrize(
    ("kind", "model", "expected"),
    [
        (SourceKind.OBSIDIAN, "", True),
        (SourceKind.OBSIDIAN, "ollama:some", False),
        (SourceKind.ROAM_EXPORT, "", False),
        (SourceKind.ROAM_LOCAL, "", False),
        (SourceKind.ROAM_CLOUD, "", False),
    ],
)
def test_only_files_are_read_apart(kind: SourceKind, model: str, expected: bool) -> None:
    assert can_read_apart(Source(SourceId("x"), kind, "x", "x", SourceOptions(model=model))) is expected
