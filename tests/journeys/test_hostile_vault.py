"""A vault that nobody would make on purpose: nothing hangs, nothing is lost, everything is accounted for."""

from __future__ import annotations

import os
from pathlib import Path

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import Outcome, SearchRequest
from engine.paths import Home

NAMES = [
    'It\'s "quoted" \\ é.md',
    "new\nline.md",
    "tab\there.md",
    "emoji 🐝.md",
    "茶" * 70 + ".md",
    "-rf.md",
    "trailing dot..md",
    "café NFC.md",
    "café NFD.md",
    "Case.md",
    "case.md",
    "under_score.md",
    "under score.md",
    "#hash ^caret [brackets].md",
    "%%comment%%.md",
]


def library_at(root: Path) -> Library:
    return Library(Home(root / "data", root / "config", root / "logs"), FakeEmbedder())


def search(library: Library, text: str) -> list[str]:
    return [row.note for row in library.search(SearchRequest(f"{text} mode:word")).rows]


def test_hostile_names_all_stay_apart(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    names = [os.fsencode(name) for name in NAMES] + [b"not utf-8 \xff\xfe.md"]
    for number, name in enumerate(names):
        (Path(os.fsdecode(os.fsencode(vault) + b"/" + name))).write_text(f"This is file{number}x.", "utf-8")
    with library_at(tmp_path) as library:
        report = library.index(library.add(str(vault)).id, Job())
        assert (report.notes, report.added, report.failed) == (len(names), len(names), 0)
        found = [search(library, f"file{number}x") for number in range(len(names))]
        assert [len(notes) for notes in found] == [1] * len(names)
        assert len({notes[0] for notes in found}) == len(names)
        for notes, name in zip(found, names, strict=True):
            path = library.note("vault", notes[0]).path
            assert os.fsencode(path).endswith(name)


def test_huge_notes_are_indexed_to_their_end(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "line.md").write_text("start " + "lighthouse keeper writes " * 40_000 + "lastword", "utf-8")
    lines = [f"Line {i} of the very long diary, word{i % 977}." for i in range(40_000)]
    (vault / "diary.md").write_text("\n".join([*lines, "", "# End", "", "finalword"]), "utf-8")
    (vault / "one.md").write_text("x" * 1_000_000, "utf-8")
    with library_at(tmp_path) as library:
        report = library.index(library.add(str(vault)).id, Job())
        assert report.outcome is Outcome.COMPLETE
        assert report.failed == 0
        assert search(library, "lastword") == ["line.md"]
        assert search(library, "finalword") == ["diary.md"]


def test_twenty_thousand_empty_notes(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    for folder in range(20):
        (vault / f"f{folder}").mkdir(parents=True)
        for number in range(1000):
            (vault / f"f{folder}" / f"{number}.md").touch()
    (vault / "real.md").write_text("The only note with text.", "utf-8")
    with library_at(tmp_path) as library:
        report = library.index(library.add(str(vault)).id, Job())
        assert (report.notes, report.skipped, report.passages) == (20_001, 20_000, 1)
        assert search(library, "only note") == ["real.md"]
        again = library.index("vault", Job())
        assert (again.unchanged, again.skipped, again.embedded) == (1, 20_000, 0)
