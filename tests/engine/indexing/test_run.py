"""Index runs over a small real vault: what is read, embedded, kept and removed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from engine.errors import NoteError
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import IndexReport, Note, NoteKey, NoteRef, Outcome, SearchRequest, Severity
from engine.paths import Home
from engine.sources import obsidian

NOTES = {
    "Bees.md": "# Hives\nThe colony swarmed in May.\n\n# Honey\nForty jars of lime honey.\n",
    "Bread.md": "Rye needs a sour dough and a long night.\n",
    "deep/Lens.md": "A Fresnel lens throws the light of one lamp to the horizon.\n",
}


class Vault:
    """A vault on disk, a library over it, and the embedder that counts."""

    def __init__(self, root: Path, notes: dict[str, str]) -> None:
        self.root = root / "vault"
        for name, text in notes.items():
            self.write(name, text)
        self.embedder = FakeEmbedder()
        self.library = Library(Home(root / "data", root / "config", root / "logs"), self.embedder)
        self.source = self.library.add(str(self.root))

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def index(self, job: Job | None = None, *, full: bool = False) -> IndexReport:
        self.embedder.documents.clear()
        return self.library.index(self.source.id, job or Job(), full=full)

    def titles(self, query: str) -> list[str]:
        return [row.title for row in self.library.search(SearchRequest(query)).rows]


@pytest.fixture
def vault(tmp_path: Path):
    made = Vault(tmp_path, NOTES)
    yield made
    made.library.close()


def counts(report: IndexReport) -> dict[str, int]:
    names = ("added", "changed", "unchanged", "moved", "removed", "skipped", "failed")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


def test_a_first_run_indexes_everything(vault: Vault) -> None:
    report = vault.index()
    assert report.outcome is Outcome.COMPLETE
    assert counts(report) == {"added": 3}
    assert (report.notes, report.passages, report.embedded) == (3, 4, 4)
    assert vault.titles("swarmed")[0] == "Bees"
    assert vault.library.status(vault.source.id).state == "indexed"


def test_a_second_run_does_nothing(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.index()
    monkeypatch.setattr(obsidian.ObsidianReader, "read", lambda *_: pytest.fail("an unchanged note was read"))
    report = vault.index()
    assert counts(report) == {"unchanged": 3}
    assert vault.embedder.documents == []


def test_only_the_changed_passage_is_embedded(vault: Vault) -> None:
    vault.index()
    vault.write("Bees.md", NOTES["Bees.md"].replace("Forty", "Fifty"))
    report = vault.index()
    assert counts(report) == {"changed": 1, "unchanged": 2}
    assert len(vault.embedder.documents) == 1
    assert "Fifty jars" in vault.embedder.documents[0]
    assert vault.titles("fifty mode:word") == ["Bees"]
    assert "Bees" not in vault.titles("forty mode:word")


def test_a_renamed_heading_reaches_the_passages_below_it(vault: Vault) -> None:
    vault.index()
    vault.write("Bees.md", NOTES["Bees.md"].replace("# Honey", "# Harvest"))
    vault.index()
    assert len(vault.embedder.documents) == 1
    assert "Harvest" in vault.embedder.documents[0]


def test_touching_a_file_embeds_nothing(vault: Vault) -> None:
    vault.index()
    os.utime(vault.root / "Bees.md", (1, 1))
    report = vault.index()
    assert counts(report) == {"changed": 1, "unchanged": 2}
    assert vault.embedder.documents == []
    assert vault.titles("swarmed")[0] == "Bees"


@pytest.mark.parametrize("new_name", ["elsewhere/Bees.md", "Apiary.md"])
def test_moved_and_renamed_notes_keep_their_vectors(vault: Vault, new_name: str) -> None:
    vault.index()
    target = vault.root / new_name
    target.parent.mkdir(exist_ok=True)
    (vault.root / "Bees.md").rename(target)
    report = vault.index()
    assert counts(report) == {"moved": 1, "unchanged": 2}
    assert vault.embedder.documents == []
    assert vault.titles("swarmed")[0] == Path(new_name).stem


def test_removed_notes_are_forgotten(vault: Vault) -> None:
    vault.index()
    (vault.root / "Bees.md").unlink()
    report = vault.index()
    assert counts(report) == {"unchanged": 2, "removed": 1}
    assert "Bees" not in vault.titles("swarmed")
    assert report.passages == 2


def test_a_full_run_embeds_everything_again(vault: Vault) -> None:
    vault.index()
    report = vault.index(full=True)
    assert counts(report) == {"changed": 3}
    assert len(vault.embedder.documents) == 4


def test_empty_notes_are_skipped_with_a_reason(vault: Vault) -> None:
    vault.write("Empty.md", "")
    report = vault.index()
    assert counts(report) == {"added": 3, "skipped": 1}
    assert counts(vault.index()) == {"unchanged": 3, "skipped": 1}
    assert [(p.note, p.code, p.severity) for p in report.problems] == [("Empty.md", "empty", Severity.SKIPPED)]


class CancelAfter(Job):
    """Cancels itself when a stage has come so far."""

    def __init__(self, stage: str, done: int) -> None:
        super().__init__()
        self._when = (stage, done)

    def report(self, stage: str, done: int, total: int = 0, detail: str = "") -> None:
        super().report(stage, done, total, detail)
        if stage == self._when[0] and done >= self._when[1]:
            self.cancel()


def test_cancelling_keeps_what_is_done_and_the_next_run_goes_on(tmp_path: Path) -> None:
    vault = Vault(tmp_path, {f"n{i:03}.md": f"Note number {i} about word{i}.\n" for i in range(100)})
    first = vault.index(CancelAfter("embedding", 32))
    assert first.outcome is Outcome.CANCELLED
    assert first.embedded == 32
    assert vault.titles("word7 mode:word") == ["n007"]
    assert vault.library.status(vault.source.id).state == "partial"
    second = vault.index()
    assert second.outcome is Outcome.COMPLETE
    assert counts(second) == {"unchanged": 100}
    assert second.embedded == 68
    vault.library.close()


def test_texts_are_embedded_in_the_order_of_their_tokens(tmp_path: Path) -> None:
    # Many short words against few long ones: characters would say the opposite.
    texts = {f"few{i:02}.md": f"Extraordinarilylongword{i} incomprehensibilities.\n" for i in range(20)}
    texts |= {f"many{i:02}.md": f"a b c d e f g h {i}.\n" for i in range(20)}
    vault = Vault(tmp_path, texts)
    vault.index()
    tokens = [len(spans) for spans in vault.embedder.token_spans(vault.embedder.documents)]
    assert len(tokens) == 40
    assert tokens == sorted(tokens)
    vault.library.close()


def test_cancelling_while_reading_keeps_the_notes_read(tmp_path: Path) -> None:
    vault = Vault(tmp_path, {f"n{i:03}.md": f"Note number {i}.\n" for i in range(100)})
    read = vault.index(CancelAfter("reading", 40)).added
    assert 40 <= read < 100
    assert counts(vault.index()) == {"added": 100 - read, "unchanged": read}
    vault.library.close()


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [(NoteError("broken here", line=7), "unreadable", 7), (ZeroDivisionError("oops"), "internal", 0)],
)
def test_one_bad_note_never_stops_a_run(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, error: Exception, code: str, line: int
) -> None:
    real = obsidian.ObsidianReader.read

    def read(self: obsidian.ObsidianReader, ref: NoteRef) -> Note:
        if ref.key == "Bread.md":
            raise error
        return real(self, ref)

    monkeypatch.setattr(obsidian.ObsidianReader, "read", read)
    report = vault.index()
    assert report.outcome is Outcome.COMPLETE
    assert report.failed == 1
    assert [(p.code, p.line) for p in report.problems] == [(code, line)]
    monkeypatch.undo()
    again = vault.index()
    assert again.failed == 0
    assert vault.titles("rye mode:word") == ["Bread"]


def test_a_note_that_cannot_be_read_any_more_keeps_its_old_text(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.index()
    vault.write("Bread.md", "Changed, but out of reach.")

    def read(self: obsidian.ObsidianReader, ref: NoteRef) -> Note:
        raise NoteError("The note cannot be read (Permission denied).")

    monkeypatch.setattr(obsidian.ObsidianReader, "read", read)
    report = vault.index()
    assert report.failed == 1
    assert vault.titles("sour dough")[0] == "Bread"


def test_a_vault_that_is_away_keeps_its_index(vault: Vault) -> None:
    vault.index()
    vault.root.rename(vault.root.with_name("unmounted"))
    report = vault.index()
    assert report.outcome is Outcome.OFFLINE
    assert "drive" in report.detail
    assert vault.titles("swarmed")[0] == "Bees"


def test_losing_most_notes_at_once_pulls_the_brake(tmp_path: Path) -> None:
    vault = Vault(tmp_path, {f"n{i:02}.md": f"Note number {i} about word{i}.\n" for i in range(30)})
    vault.index()
    shutil.rmtree(vault.root)
    vault.root.mkdir()
    report = vault.index()
    assert report.outcome is Outcome.BRAKED
    assert "30 notes are gone" in report.detail
    assert vault.titles("word7 mode:word") == ["n07"]
    assert vault.index(full=True).removed == 30
    assert vault.titles("word7 mode:word") == []
    vault.library.close()


def test_the_owner_may_let_vanished_notes_go_without_reading_the_others_anew(tmp_path: Path) -> None:
    vault = Vault(tmp_path, {f"n{i:02}.md": f"Note number {i} about word{i}.\n" for i in range(30)})
    vault.index()
    for number in range(20):
        (vault.root / f"n{number:02}.md").unlink()
    assert vault.index().outcome is Outcome.BRAKED
    vault.embedder.documents.clear()
    report = vault.library.index(vault.source.id, Job(), without_brake=True)
    assert counts(report) == {"removed": 20, "unchanged": 10}
    assert vault.embedder.documents == []
    vault.library.close()


def test_the_vault_is_never_written(vault: Vault) -> None:
    def tree() -> dict[str, tuple[bytes, int]]:
        files = [p for p in vault.root.rglob("*") if p.is_file()]
        return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in files}

    before = tree()
    vault.index()
    vault.titles("honey")
    assert "Forty jars" in vault.library.note(vault.source.id, NoteKey("Bees.md")).markdown
    assert tree() == before
