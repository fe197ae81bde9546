"""Programs that write until they are killed, and what must hold of their files afterwards.

Each ``Victim`` has three parts: ``prepare`` in the test's process before the first kill, ``write`` in a process of its
own (forked from a server that has everything loaded, so that it begins at once), and ``check`` in the test's process
after each kill. What a victim has finished it says by ``tell``, in a file that outlives it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gzip
import hashlib
import itertools
import multiprocessing
import os
import random
import re
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import keyring
from keyring.backend import KeyringBackend

from engine import settings
from engine.indexing import reading
from engine.indexing import run as indexing
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.knowledge.merging import EntityRef, EntryKind, LedgerEntry, Who
from engine.library import Library
from engine.model import NoteKey, Outcome, SearchRequest, SourceId, SourceOptions
from engine.net import download as downloading
from engine.net.client import Client
from engine.net.download import RemoteFile
from engine.net.ledger import Ledger
from engine.net.policy import LOOPBACK, Policy
from engine.paths import Home
from engine.store import migrations, passphrase, registry
from engine.store.database import Database
from engine.store.decisions import DecisionStore, Feedback, Mark, MarkKind, SavedSearch
from engine.store.index import IndexStore
from engine.store.live import LiveIndex
from engine.store.protection import open_keys
from engine.store.replies import CachedReply, ReplyStore
from engine.store.rewriting import protect
from tests.servers.loopback import Loopback, Seen

CHECKOUT = Path(__file__).resolve().parents[2]
KEY = "5a" * 32
NOTES = 60
WORDS = "four quiet words here"
CONTENT = random.Random(3).randbytes(2_000_000)


def home_of(root: Path) -> Home:
    return Home(root / "data", root / "config", root / "logs")


def tell(root: Path, number: int) -> None:
    """One write of a few bytes to the end of a file: there or not, never half."""
    handle = os.open(root / "told", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(handle, number.to_bytes(4, "big"))
    os.close(handle)


def told(root: Path) -> int:
    """The last number that was told, or -1."""
    file = root / "told"
    return int.from_bytes(file.read_bytes()[-4:], "big") if file.exists() else -1


def open_library(root: Path) -> Library:
    return Library(home_of(root), FakeEmbedder())


# --- index: a whole vault, over and over ---------------------------------------------------------------------------


def write_note(root: Path, number: int, version: int) -> None:
    """Its two sections and its property say the same, so half a note can be told."""
    mark = f"word{number} age{version}"
    text = (
        f"part of:: [[n{(number + 1) % NOTES:04}]]\n\n# One\n{mark} and bees.\n\n# Two\nMore of {mark}, with honey.\n"
    )
    (root / "vault" / f"n{number:04}.md").write_text(text)


def prepare_vault(root: Path) -> None:
    (root / "vault").mkdir()
    for number in range(NOTES):
        write_note(root, number, 0)
    with open_library(root) as library:
        library.add(str(root / "vault"), name="vault")


def write_index(root: Path) -> None:
    reading.NOTES_PER_BATCH, indexing.VECTORS_PER_BATCH = 20, 16
    with open_library(root) as library:
        tell(root, 0)
        for number in itertools.count(1):
            library.index("vault", Job(), full=True)
            tell(root, number)


def check_index(root: Path, _chance: random.Random) -> None:
    with open_library(root) as library:
        status = library.status("vault")
        assert status.state != "indexdamaged"
        if status.state == "new":
            return
        library.index("vault", Job())
        check_against_vault(library, root)


def check_against_vault(library: Library, root: Path) -> None:
    """The index says of every note what its file says, in text, words, links and vectors."""
    live = library._held.index_of("vault")
    files = {file.name: file.read_text() for file in (root / "vault").iterdir()}
    assert set(live.store.revisions()) == set(files)
    for key, marks in marks_by_note(live).items():
        assert marks == [re.search(r"word\d+ age\d+", files[key])[0]] * 2, key
    status = library.status("vault")
    assert status.vectors == status.passages
    assert len(live.store.load_postings().passage_ids) == status.passages
    assembly = library.assemble_graph()
    assert (assembly.without_evidence, assembly.without_quote, assembly.dangling) == (0, 0, 0)
    assert assembly.evidence >= len(files)


def marks_by_note(live: LiveIndex) -> dict[NoteKey, list[str]]:
    """What the passages of each note say."""
    found: dict[NoteKey, list[str]] = {}
    for row in live.store.passages(live.store.load_postings().passage_ids.tolist()):
        found.setdefault(row.passage.anchor.note, []).extend(re.findall(r"word\d+ age\d+", row.passage.text))
    return found


# --- refresh: a vault that changed ------------------------------------------------------------------------------------


def prepare_refresh(root: Path) -> None:
    prepare_vault(root)
    with open_library(root) as library:
        library.index("vault", Job())
    change_vault(root, random.Random(1))


def change_vault(root: Path, chance: random.Random) -> None:
    vault = root / "vault"
    for number in chance.sample(range(NOTES), 20):
        write_note(root, number, chance.randrange(1_000_000))
    for number in chance.sample(range(NOTES), 5):
        (vault / f"n{number:04}.md").unlink(missing_ok=True)
    for file in chance.sample(sorted(vault.glob("n*.md")), 5):
        file.rename(vault / f"moved-{chance.randrange(1_000_000)}-{file.name[1:]}")
    for file in sorted(vault.glob("moved*"))[10:]:
        file.unlink()


def write_refresh(root: Path) -> None:
    reading.NOTES_PER_BATCH, indexing.VECTORS_PER_BATCH = 8, 8
    with open_library(root) as library:
        tell(root, 0)
        library.index("vault", Job())
        library._held.index_of("vault").words  # noqa: B018 - loads the arrays, which the next run keeps in step
    for number in itertools.count(1):
        with open_library(root) as library:
            library.index("vault", Job(), full=number % 2 == 0)


def check_refresh(root: Path, chance: random.Random) -> None:
    with open_library(root) as library:
        live = library._held.index_of("vault")
        for key, marks in marks_by_note(live).items():
            assert len(marks) == 2, f"half of {key} is gone"
            assert len(set(marks)) == 1, f"half of {key} is old: {marks}"
        assert library.index("vault", Job()).outcome is Outcome.COMPLETE
        check_against_vault(library, root)
    change_vault(root, chance)


# --- decisions --------------------------------------------------------------------------------------------------------


def write_decisions(root: Path) -> None:
    number = told(root)
    while True:
        store = DecisionStore.open(home_of(root).decisions, KEY)
        for _ in range(3):
            number += 1
            note = NoteKey(str(number))
            ends = tuple(EntityRef(f"{number}-{end}", SourceId("vault"), "note", "x") for end in "ab")
            store.change_merges([LedgerEntry(EntryKind.MERGE, ends, Who.OWNER, str(number))])
            store.set_mark(Mark(MarkKind.PIN, SourceId("vault"), note))
            store.add_feedback(Feedback(str(number), SourceId("vault"), note, "", True))
            store.save_search(SavedSearch(str(number), {"text": "x" * 100}))
            tell(root, number)
        store.close()


def check_decisions(root: Path, _chance: random.Random) -> None:
    store = DecisionStore.open(home_of(root).decisions, KEY)
    last = told(root)
    assert store.notices == ()
    for found in (
        {int(entry.why) for entry in store.merges()},
        {int(mark.note) for mark in store.marks(MarkKind.PIN)},
        {int(one.query) for one in store.feedback()},
        {int(search.name) for search in store.searches()},
    ):
        assert found == set(range(max(found, default=-1) + 1)), "one is missing"
        assert max(found, default=-1) >= last, "what was told is lost"
    assert all(len(entry.members) == 2 for entry in store.merges())
    store.close()


def write_replies(root: Path) -> None:
    store = ReplyStore.open(home_of(root).replies, KEY)
    for number in itertools.count(told(root) + 1):
        store.put(CachedReply(str(number), "m", "p", f"answer {number} " * 50, 1, 2, 3.0))
        tell(root, number)


def check_replies(root: Path, _chance: random.Random) -> None:
    store = ReplyStore.open(home_of(root).replies, KEY)
    last = told(root)
    found = store.get([str(number) for number in range(last + 1)])
    assert store.notices == ()
    assert len(found) == last + 1
    assert all(reply.text == f"answer {key} " * 50 for key, reply in found.items())
    store.close()


# --- settings and the list of sources ---------------------------------------------------------------------------------


def write_settings(root: Path) -> None:
    library = open_library(root)
    for number in itertools.count(told(root) + 1):
        value = 5 + number % 90
        library.change_settings(dataclasses.replace(library.settings, results=value, threads=value % 60))
        library.configure("vault", SourceOptions(exclude=(f"a{number}", f"b{number}")))
        tell(root, number)


def check_settings(root: Path, _chance: random.Random) -> None:
    found, notices = settings.load(home_of(root))
    sources, more = registry.load(home_of(root))
    assert (notices, more) == ((), ())
    assert found.results in {5 + (told(root) + step) % 90 for step in (0, 1)} or told(root) < 0
    assert found.threads == found.results % 60 or told(root) < 0
    first, second = sources[0].options.exclude or ("a-1", "b-1")
    assert first[1:] == second[1:]
    assert int(first[1:]) in (told(root), told(root) + 1)
    open_keys(home_of(root), "plain")
    assert sorted(file.name for file in home_of(root).config.iterdir()) == ["settings.toml", "sources.toml"]


# --- migration --------------------------------------------------------------------------------------------------------


def old_index(root: Path) -> Path:
    return root / "old" / "index.duckdb"


def prepare_migration(root: Path) -> None:
    path = old_index(root)
    path.parent.mkdir()
    with gzip.open(CHECKOUT / "fixtures" / "upgrades" / "index-1.duckdb.gz") as packed:
        path.write_bytes(packed.read())
    shutil.copyfile(path, root / "pristine")


def write_migration(root: Path) -> None:
    tell(root, 0)
    IndexStore.open(old_index(root)).close()
    while True:
        time.sleep(1)


def check_migration(root: Path, _chance: random.Random) -> None:
    path = old_index(root)
    copy = path.with_name(path.name + ".schema-1")
    if copy.exists():
        assert copy.read_bytes() == (root / "pristine").read_bytes(), "half a copy"
    database = Database.open(path)
    reached = migrations.version(database)
    assert migrations.schema_digest(database) == migrations.INDEX_SCHEMAS[reached - 1]
    database.close()
    store = IndexStore.open(path)
    assert [note.title for note in store.notes()] == ["Bees", "Honey"]
    assert len(store.load_vectors(FakeEmbedder().model_id)[0]) == 2
    store.close()
    shutil.rmtree(path.parent)
    path.parent.mkdir()
    shutil.copyfile(root / "pristine", path)


# --- download ---------------------------------------------------------------------------------------------------------


class Shelf(Loopback):
    """Serves ``CONTENT`` by ranges."""

    def answer(self, seen: Seen) -> tuple[int, dict[str, str], bytes]:
        start, end = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", seen.headers["range"]).groups())
        part = CONTENT[start : end + 1]
        return 206, {"content-range": f"bytes {start}-{start + len(part) - 1}/{len(CONTENT)}"}, part


def prepare_download(root: Path) -> None:
    server = Shelf()
    server.__enter__()
    _SERVERS[root] = server
    (root / "url").write_text(server.url)


_SERVERS: dict[Path, Shelf] = {}


def finish_download(root: Path) -> None:
    _SERVERS.pop(root).__exit__()


def fetch(root: Path) -> Path:
    downloading.PIECE = 20_000
    target = root / "models" / "model.onnx"
    file = RemoteFile(target.name, (root / "url").read_text(), len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
    downloading.download(Client(Policy(), Ledger(root / "ledger")), file, target, Job(), service=LOOPBACK.name)
    return target


def write_download(root: Path) -> None:
    tell(root, 0)
    fetch(root)
    while True:
        time.sleep(1)


def check_download(root: Path, _chance: random.Random) -> None:
    target = root / "models" / "model.onnx"
    part = target.with_name(target.name + ".part")
    if target.exists():
        assert target.read_bytes() == CONTENT
        target.unlink()
    elif part.exists():
        had = part.stat().st_size
        assert part.read_bytes() == CONTENT[:had]
        asked = len(_SERVERS[root].requests)
        assert fetch(root).read_bytes() == CONTENT
        assert len(_SERVERS[root].requests) - asked == -(-(len(CONTENT) - had) // 20_000), "it began anew"
        target.unlink()


# --- the protection of the files -------------------------------------------------------------------------------------


class FixedKeyring(KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def get_password(self, service: str, username: str) -> str:
        return KEY

    def set_password(self, service: str, username: str, password: str) -> None:
        """It has the one key."""

    def delete_password(self, service: str, username: str) -> None:
        """It keeps the one key."""


@contextlib.contextmanager
def keys_at_hand():
    before, cost = keyring.get_keyring(), passphrase._COST
    keyring.set_keyring(FixedKeyring())
    passphrase._COST = 2**4
    passphrase.give(WORDS)
    try:
        yield
    finally:
        keyring.set_keyring(before)
        passphrase._COST = cost
        passphrase.give(None)


def prepare_protection(root: Path) -> None:
    with keys_at_hand():
        prepare_vault(root)
        with open_library(root) as library:
            library.index("vault", Job())
        for number in range(2):
            with open_library(root) as library:
                library.save_search(f"kept{number}", "bees")


def write_protection(root: Path) -> None:
    with keys_at_hand():
        for number in itertools.count(told(root) + 1):
            tell(root, number)
            protect(home_of(root), ("plain", "passphrase", "keychain")[number % 3], WORDS)


def check_protection(root: Path, _chance: random.Random) -> None:
    with keys_at_hand(), open_library(root) as library:
        assert library.saved_searches() == {"kept0": "bees", "kept1": "bees"}
        status = library.status("vault")
        assert (status.notes, status.vectors) == (NOTES, status.passages)
        assert library.search(SearchRequest("word7 mode:word")).rows[0].title == "n0007"


# --- all of them ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Victim:
    write: Callable[[Path], None]
    check: Callable[[Path, random.Random], None]
    prepare: Callable[[Path], None] = lambda _root: None
    finish: Callable[[Path], None] = lambda _root: None
    seconds: float = 0.4
    """The kill comes at any moment of so many, after the first word."""


VICTIMS = {
    "index": Victim(write_index, check_index, prepare_vault, seconds=0.8),
    "refresh": Victim(write_refresh, check_refresh, prepare_refresh),
    "decisions": Victim(write_decisions, check_decisions),
    "replies": Victim(write_replies, check_replies),
    "settings": Victim(write_settings, check_settings, prepare_vault),
    "migration": Victim(write_migration, check_migration, prepare_migration, seconds=0.3),
    "download": Victim(write_download, check_download, prepare_download, finish_download),
    "protection": Victim(write_protection, check_protection, prepare_protection, seconds=0.8),
}


def begin(name: str, root: str) -> None:
    """What the process runs."""
    VICTIMS[name].write(Path(root))


def kill(name: str, root: Path, chance: random.Random) -> None:
    """Start the victim, and kill it at a moment that nobody can foresee."""
    victim = VICTIMS[name]
    before = (root / "told").stat().st_size if (root / "told").exists() else 0
    process = _processes().Process(target=begin, args=(name, str(root)), daemon=True)
    process.start()
    deadline = time.monotonic() + 30
    while not ((root / "told").exists() and (root / "told").stat().st_size > before):
        assert process.is_alive(), f"{name} ended by itself"
        assert time.monotonic() < deadline, f"{name} does not begin"
        time.sleep(0.002)
    process.join(chance.uniform(0, victim.seconds))
    assert process.is_alive(), f"{name} ended by itself ({process.exitcode})"
    process.kill()
    process.join()


def _processes() -> multiprocessing.context.BaseContext:
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context
