"""What ends the program in native code: the note is found and left alone, the model rests, and the person is told."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine import settings
from engine.inference.fake import FakeEmbedder
from engine.inference.guard import EMBED, LOAD, READ, CrashMark, note_mark
from engine.job import Job
from engine.library import Library
from engine.model import IndexReport, SearchRequest
from engine.paths import find_home
from engine.sources.obsidian import ObsidianReader

CHECKOUT = Path(__file__).resolve().parents[3]

PROGRAM = """
import os, sys
from pathlib import Path
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.paths import find_home

class Dangerous(FakeEmbedder):
    def embed_documents(self, texts):
        if any("poison" in text for text in texts):
            os.abort()
        return super().embed_documents(texts)

root = Path(sys.argv[1])
with Library(find_home(root / "home"), Dangerous()) as library:
    if not library.registered():
        library.add(str(root / "vault"), name="vault")
    library.index("vault", Job())
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    for number in range(20):
        (tmp_path / "vault" / f"{number}.md").write_text(f"A note about the lamp, number {number}.")
    (tmp_path / "vault" / "bad.md").write_text("This is poison.")
    # Chosen, so that there is nothing to tell but crashes.
    settings.save(find_home(tmp_path / "home"), dataclasses.replace(settings.Settings(), protection="plain"))
    return tmp_path


@contextmanager
def started(root: Path) -> Iterator[Library]:
    with Library(find_home(root / "home"), FakeEmbedder()) as library:
        if not library.registered():
            library.add(str(root / "vault"), name="vault")
        yield library


def index(library: Library) -> tuple[IndexReport, list[tuple[str, str]]]:
    report = library.index("vault", Job())
    return report, [(one.note, one.code) for one in library.problems("vault")]


def crash(root: Path, step: str, *notes: str, killed: bool = False, streak: int = 0) -> None:
    """What a process leaves that ended within a step: its mark, and a trace unless it was killed from outside."""
    home = find_home(root / "home")
    with started(root) as library:
        (source,) = library.registered()
    size = home.crash_log.stat().st_size if home.crash_log.exists() else 0
    marks = [note_mark(source.id, note) for note in notes]
    home.crash_mark.write_text(json.dumps({"steps": [step], "notes": marks, "log": size, "streak": streak}))
    if not killed:
        with home.crash_log.open("a") as file:
            file.write("Fatal Python error: Aborted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
def test_a_note_that_ends_the_program_twice_is_left_alone(root: Path) -> None:
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(root)], cwd=CHECKOUT, capture_output=True, check=False
        )
        assert done.returncode < 0, done.stderr
    assert b"poison" not in (root / "home" / "data" / "running.json").read_bytes()
    with started(root) as library:
        assert "tried one by one" in library.notices[-1]
        report, problems = index(library)
        assert problems == [("bad.md", "quarantined")]
        assert (report.notes, report.failed, library.status("vault").vectors) == (21, 1, 20)
        # Its words are found all the same.
        assert [row.title for row in library.search(SearchRequest("poison mode:word")).rows] == ["bad"]
    with started(root) as library:
        assert library.notices == ()
        assert index(library)[1] == [("bad.md", "quarantined")]
        (root / "vault" / "bad.md").write_text("This is harmless now, and longer.")
        assert index(library)[1] == []
        assert library.status("vault").vectors == 21


def test_a_note_that_ends_the_program_while_it_is_read(root: Path) -> None:
    crash(root, READ, "bad.md")
    with started(root) as library, pytest.MonkeyPatch.context() as patch:
        # The program ends again before the run does.
        patch.setattr(ObsidianReader, "read", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            library.index("vault", Job())
    crash(root, READ, "bad.md")
    with started(root) as library:
        report, problems = index(library)
        assert problems == [("bad.md", "quarantined")]
        assert (report.notes, report.failed, report.added) == (21, 1, 20)


def test_one_note_among_sixteen_is_blamed_and_a_full_run_tries_again(root: Path) -> None:
    together = [f"{number}.md" for number in range(15)] + ["bad.md"]
    crash(root, EMBED, *together)
    with started(root) as library, pytest.MonkeyPatch.context() as patch:
        # The second time it is embedded alone, and the program ends before the run does.
        patch.setattr(FakeEmbedder, "embed_documents", lambda *_: (_ for _ in ()).throw(MemoryError()))
        with pytest.raises(MemoryError):
            library.index("vault", Job())
    crash(root, EMBED, "bad.md")
    with started(root) as library:
        assert index(library)[1] == [("bad.md", "quarantined")]
        assert library.status("vault").vectors == 20
        assert library.index("vault", Job(), full=True).problems == ()
        assert library.status("vault").vectors == 21


def test_a_process_that_is_killed_blames_nobody(root: Path) -> None:
    for _ in range(3):
        crash(root, EMBED, "bad.md", killed=True)
        with started(root) as library:
            assert library.notices == ()
            assert index(library)[1] == []
    with started(root) as library:
        assert library.status("vault").vectors == 21


@pytest.mark.parametrize(("step", "streak"), [(LOAD, 0), (EMBED, 2)])
def test_a_model_that_crashes_by_itself_rests_for_one_session(root: Path, step: str, streak: int) -> None:
    crash(root, step, streak=streak)
    with started(root) as library:
        assert "it rests" in library.notices[-1]
        report, problems = index(library)
        assert ("rests after a crash" in report.detail, problems) == (True, [])
        assert (report.passages, library.status("vault").vectors) == (21, 0)
        result = library.search(SearchRequest("lamp"))
        assert result.rows
        assert any("rests" in leg.why for leg in result.legs if leg.name == "meaning")
    with started(root) as library:
        assert library.notices == ()
        index(library)
        assert library.status("vault").vectors == 21


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"steps": 5}', b"[" * 100_000, b'{"steps":[],"notes":[]}'])
def test_a_damaged_mark_says_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "running.json").write_bytes(content)
    mark = CrashMark(tmp_path / "running.json", tmp_path / "crash.log")
    try:
        assert not mark.is_safe
        assert mark.notice == ""
    finally:
        mark.close()
