"""History of runs, entries of the keychain, the ledger, and the diagnostics that hold no word of a note."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import BadRequest, KeychainUnavailable
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import Outcome, Source, SourceId, SourceKind, SourceOptions
from engine.net.ledger import Connection, Ledger
from engine.paths import find_home
from engine.sources.readers import Place
from engine.upkeep.secrets import keychain_entries


@pytest.fixture
def library(tmp_path: Path):
    with Library.open(find_home(tmp_path / "home"), embedder=FakeEmbedder()) as opened:
        yield opened


@pytest.fixture
def source(library: Library, tmp_path: Path) -> Source:
    root = tmp_path / "Zebrafish diary"
    (root / ".obsidian").mkdir(parents=True)
    (root / "Private thoughts.md").write_text("# Quixotic\n\nThe hippopotamus sleeps.\n", "utf-8")
    (root / "Secret empty note.md").write_text("", "utf-8")
    return library.add(str(root))


def test_runs_are_kept_newest_first_and_survive_a_restart(library: Library, source: Source, tmp_path: Path) -> None:
    library.index(source.id, Job())
    library.index(source.id, Job(), full=True)
    library.close()
    with Library.open(find_home(tmp_path / "home"), embedder=FakeEmbedder()) as again:
        runs = again.history()
        assert [(run.name, run.report.outcome, run.report.added, run.report.changed) for run in runs] == [
            ("Zebrafish diary", Outcome.COMPLETE, 0, 1),
            ("Zebrafish diary", Outcome.COMPLETE, 1, 0),
        ]
        assert runs[0].finished_at >= runs[1].finished_at
        assert len(again.history(limit=1)) == 1


def graph(name: str, kind: SourceKind = SourceKind.ROAM_LOCAL) -> Source:
    return Source(SourceId(name), kind, name, name)


def test_the_keychain_is_asked_for_the_keys_and_the_token_of_each_graph() -> None:
    vault = Source(SourceId("v"), SourceKind.OBSIDIAN, "v", "/v")
    held = {"index-key", "roam-local:garden"}
    entries = keychain_entries([vault, graph("garden"), graph("plans", SourceKind.ROAM_CLOUD)], held.__contains__)
    assert [(entry.title.format(name=entry.name), entry.is_present) for entry in entries] == [
        ("Key of the index files", True),
        ("Key for OpenRouter", False),
        ("Token of garden", True),
        ("Token of plans", False),
    ]


def test_a_keychain_that_cannot_be_used_is_asked_once() -> None:
    asked: list[str] = []

    def is_present(account: str) -> bool:
        asked.append(account)
        raise KeychainUnavailable("It is locked.")

    entries = keychain_entries([graph("garden")], is_present)
    assert [entry.is_present for entry in entries] == [None, None, None]
    assert {entry.detail for entry in entries} == {"It is locked."}
    assert len(asked) == 1


def test_the_ledger_is_shown_newest_first(library: Library) -> None:
    ledger = Ledger(library.home.ledger)
    ledger.record(Connection(1.0, "loopback", "127.0.0.1:3333", "read a graph", "ok", 10, 20))
    ledger.record(Connection(2.0, "openrouter", "example.org", "ask", "not-allowed"))
    assert [(line.service, line.outcome) for line in library.connections()] == [
        ("openrouter", "not-allowed"),
        ("loopback", "ok"),
    ]


def test_diagnostics_hold_counts_and_no_word_of_a_note(
    library: Library, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.keychain.get_secret", lambda _account, *, time_limit: "s3cret")
    library.index(source.id, Job())
    text = library.diagnostics()
    for word in ("Zebrafish", "Private", "Quixotic", "hippopotamus", "Secret empty", "s3cret"):
        assert word not in text
    assert "source 1: obsidian, indexed" in text
    assert "1 notes, 2 passages" in text or "1 notes, 1 passages" in text
    assert "skipped empty 1" in text
    assert "entry 1: present" in text
    assert "run: complete" in text


def test_a_model_in_use_is_not_removed(library: Library, source: Source) -> None:
    (library.home.models / "mine").mkdir(parents=True)
    library.configure(source.id, SourceOptions(model="mine"))
    with pytest.raises(BadRequest, match="Zebrafish diary"):
        library.remove_model("mine")
    library.configure(source.id, SourceOptions())
    library.remove_model("mine")
    assert not (library.home.models / "mine").exists()


def test_a_vault_is_sized_up_without_being_read(library: Library, source: Source, tmp_path: Path) -> None:
    notes, size = library.size_up(source.location, Job())
    assert notes == 2
    assert size == (tmp_path / "Zebrafish diary" / "Private thoughts.md").stat().st_size
    export = tmp_path / "brain.json"
    export.write_text("[]", "utf-8")
    assert library.size_up(str(export), Job()) == (0, 2)
    assert library.sources()[0].state == "new", "nothing was indexed for it"


def test_counting_the_notes_of_a_live_graph_asks_nobody(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.sources.readers.recognise", lambda *_: Place(SourceKind.ROAM_LOCAL, "garden", "garden"))
    added = library.add("roam:garden")
    assert library.count_notes(added.id, SourceOptions(daily_notes=False), Job()) == 0
    assert library.connections() == []
