"""Whatever a vault holds, the report, ``status`` and the lists of notes and problems say the same numbers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from engine.errors import NoteError
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import IndexReport, Note, NoteRef, NoteState, Severity, Source, SourceOptions
from engine.paths import find_home
from engine.sources import obsidian

NOTES = {
    "Bread.md": "Feed the sourdough every morning.\n",
    "Folder/Bees.md": "The bees fly.\n",
    "Empty.md": "",
    "Broken.md": "Nobody can read this.\n",
    "Gone/Broken.md": "Nor this.\n",
    "Left out.md": "Not wanted.\n",
    ".hidden.md": "A hidden file.\n",
    "Odd.md": "---\nbad: [unclosed\n---\nThe note is read nevertheless.\n",
}


@pytest.fixture
def library(tmp_path: Path):
    with Library.open(find_home(tmp_path / "home"), embedder=FakeEmbedder()) as opened:
        yield opened


@pytest.fixture
def source(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    root = tmp_path / "vault"
    for name, text in NOTES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (root / ".obsidian").mkdir()
    real = obsidian.ObsidianReader.read

    def read(self: obsidian.ObsidianReader, ref: NoteRef) -> Note:
        if "Broken" in ref.key:
            raise NoteError("The note cannot be read (Permission denied).")
        return real(self, ref)

    monkeypatch.setattr(obsidian.ObsidianReader, "read", read)
    return library.add(str(root), options=SourceOptions(exclude=("Left out.md",)))


def total(report: IndexReport) -> int:
    return report.added + report.changed + report.moved + report.unchanged + report.skipped + report.failed


def check(library: Library, source: Source, report: IndexReport) -> None:
    status = library.status(source.id)
    problems = library.problems(source.id)
    listed = Counter(note.state for note in library.note_statuses(source.id, Job()))
    by_severity = Counter(problem.severity for problem in problems)
    assert report.notes == total(report)
    assert (status.notes, status.skipped, status.failed) == (3, 3, 2)
    assert (report.skipped, report.failed, report.warnings) == (status.skipped, status.failed, status.warnings)
    assert (by_severity[Severity.SKIPPED], by_severity[Severity.FAILED]) == (status.skipped, status.failed)
    assert by_severity[Severity.WARNING] == status.warnings == 1
    assert listed == {NoteState.INDEXED: 3, NoteState.SKIPPED: 3, NoteState.FAILED: 2}


def test_after_the_first_run(library: Library, source: Source) -> None:
    report = library.index(source.id, Job())
    assert report.added == 3
    check(library, source, report)


def test_after_a_run_that_found_nothing_new(library: Library, source: Source) -> None:
    library.index(source.id, Job())
    report = library.index(source.id, Job())
    assert (report.added, report.unchanged) == (0, 3)
    check(library, source, report)


def test_after_a_full_run(library: Library, source: Source) -> None:
    library.index(source.id, Job())
    report = library.index(source.id, Job(), full=True)
    assert (report.added, report.changed) == (0, 3)
    check(library, source, report)


def test_notes_that_fail_are_named_by_their_path(library: Library, source: Source) -> None:
    report = library.index(source.id, Job())
    failed = [p.note for p in report.problems if p.severity is Severity.FAILED]
    assert failed == ["Broken.md", "Gone/Broken.md"]


def test_notes_that_changed_are_stale_with_the_reason(library: Library, source: Source) -> None:
    library.index(source.id, Job())
    root = Path(source.location)
    (root / "Bread.md").write_text("Other words altogether.\n", "utf-8")
    (root / "Folder" / "Bees.md").unlink()
    (root / "New.md").write_text("Just written.\n", "utf-8")
    stale = {
        note.label: note.reason for note in library.note_statuses(source.id, Job()) if note.state is NoteState.STALE
    }
    assert stale == {
        "Bread.md": "Changed since it was indexed.",
        "Bees": "No longer there.",
        "New.md": "New since the last run.",
    }


def test_a_vault_that_is_away_makes_nothing_stale(library: Library, source: Source) -> None:
    library.index(source.id, Job())
    Path(source.location).rename(Path(source.location).with_name("away"))
    states = {note.state for note in library.note_statuses(source.id, Job())}
    assert NoteState.STALE not in states
