"""After the whole product has run on an encrypted library, no planted sentence stands in any byte on disk.

The programs run as processes of their own, with a keychain made for the test. What is searched: everything below the
library's home and below the folder for temporary files, while a run works, after it was killed and after it ended.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]

PLANTED = (
    "violet heron keeps the seventh ledger",
    "nobody oils the copper gate at Wexcombe",
    "quiet otters vote against marmalade",
    "Zanthor Ledgerhouse",
    "planted question about umbrellas",
)

KEYCHAIN = """
from keyring.backend import KeyringBackend

class Fixed(KeyringBackend):
    priority = 1
    def get_password(self, service, username):
        return "5a" * 32
    def set_password(self, service, username, password):
        pass
"""

DECIDED = """
import sys
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import NoteKey
from engine.store.decisions import Feedback, Mark, MarkKind
from engine.store.replies import CachedReply

planted = sys.argv[1:]
library = Library.open(embedder=FakeEmbedder())
vault = library.find("vault").id
library.save_search(planted[0], planted[1])
store = library._held.files.decisions()
store.add_feedback(Feedback(planted[4], vault, NoteKey("Heron.md"), "", True))
store.set_mark(Mark(MarkKind.PIN, vault, NoteKey(f"{planted[3]}.md")))
library.decide_merge("merge", ("Heron", planted[3]), planted[2])
library._held.files.replies().put(CachedReply("k", "m", "p", planted[0], 1, 2, 3.0, vault))
told = library.diagnostics()
assert "source 1" in told
assert not [one for one in planted if one in told], told
library.close()
"""

KILLED = """
import os, sys
from engine.inference.fake import FakeEmbedder
from engine.indexing import run
from engine.job import Job
from engine.library import Library

class Stuck(FakeEmbedder):
    def embed_documents(self, texts):
        print("embedding", flush=True)
        sys.stdin.readline()
        return super().embed_documents(texts)

library = Library.open(embedder=Stuck())
library.index("vault", Job(), full=True)
"""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Heron.md").write_text(
        f"---\nmotto: {PLANTED[1]}\n---\n# Birds\nThe {PLANTED[0]}. See [[{PLANTED[3]}]].\n"
    )
    (folder / f"{PLANTED[3]}.md").write_text(f"role:: {PLANTED[2]}\n\nTheir {PLANTED[2]} #otters\n")
    (folder / "Broken.md").write_text(f"---\nmotto: [{PLANTED[1]}\n---\n{PLANTED[0]}\n")
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "fixed_keyring.py").write_text(KEYCHAIN)
    for name in ("home", "temporary"):
        (tmp_path / name).mkdir()
    return os.environ | {
        "HOME": str(tmp_path / "temporary"),
        "XDG_CONFIG_HOME": str(tmp_path / "temporary" / "config"),
        "XDG_DATA_HOME": str(tmp_path / "temporary" / "share"),
        "XDG_CACHE_HOME": str(tmp_path / "temporary" / "cache"),
        "XDG_RUNTIME_DIR": str(tmp_path / "temporary"),
        "LAMPLIGHT_HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "temporary"),
        "PYTHONPATH": f"{tmp_path / 'keys'}{os.pathsep}{CHECKOUT}",
        "PYTHON_KEYRING_BACKEND": "fixed_keyring.Fixed",
    }


def found_in(root: Path) -> tuple[list[str], int]:
    """(where a planted sentence stands, number of files that were read)."""
    files = [file for name in ("home", "temporary") for file in (root / name).rglob("*") if file.is_file()]
    spellings = [spelling for text in PLANTED for spelling in (text.encode(), text.encode("utf-16-le"))]
    hits = [f"{file.name}: {one!r}" for file in files for one in spellings if one in file.read_bytes()]
    return hits + [f"name {file}" for file in files for text in PLANTED if text in str(file)], len(files)


def open_to_others(home: Path) -> list[str]:
    """Files that are not 0600 and folders that are not 0700."""
    wanted = ((path, 0o700 if path.is_dir() else 0o600) for path in home.rglob("*"))
    return [f"{path} {path.stat().st_mode:o}" for path, mode in wanted if stat.S_IMODE(path.stat().st_mode) != mode]


def lamplight(environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "gui", *words],
        env=environment,
        umask=0,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_planted_sentence_is_found(tmp_path: Path, vault: Path, environment: dict[str, str]) -> None:
    lamplight(environment, "add", str(vault), "--name", "vault")
    assert PLANTED[0] in lamplight(environment, "search", "heron", "ledger", "--mode", "word")
    lamplight(environment, "search", PLANTED[4], "--explain", "--json")
    lamplight(environment, "graph", "parse")
    lamplight(environment, "related", "Heron", "--json")
    assert '"encrypted": true' in lamplight(environment, "status", "vault", "--problems", "--json")
    assert found_in(tmp_path)[0] == []
    run_script(environment, DECIDED, *PLANTED)
    hits, files = found_in(tmp_path)
    assert hits == []
    assert files >= 10
    host = subprocess.Popen(
        [sys.executable, "-m", "gui", "serve"], env=environment, cwd=CHECKOUT, umask=0, stdout=subprocess.PIPE
    )
    assert host.stdout is not None
    host.stdout.readline()
    # These go over the channel; the write-ahead logs of the host are open meanwhile.
    assert PLANTED[0] in lamplight(environment, "search", "heron", "ledger", "--mode", "word")
    lamplight(environment, "index", "vault", "--full")
    for words in (
        ["graph", "near", PLANTED[3]],
        ["export", "vault"],
        ["why", "Heron", PLANTED[4]],
        ["doctor", "--json"],
    ):
        lamplight(environment, *words)
    assert found_in(tmp_path)[0] == []
    assert open_to_others(tmp_path / "home") == []
    host.send_signal(signal.SIGTERM)
    host.wait(30)
    host.stdout.close()
    assert found_in(tmp_path)[0] == []
    assert open_to_others(tmp_path / "home") == []
    for number in (signal.SIGKILL, signal.SIGABRT):
        die_while_embedding(tmp_path, environment, number)
    assert PLANTED[2] in lamplight(environment, "search", "otters", "--mode", "word")


def run_script(environment: dict[str, str], script: str, *words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script, *words], env=environment, cwd=CHECKOUT, umask=0, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def die_while_embedding(root: Path, environment: dict[str, str], number: signal.Signals) -> None:
    """The notes are in the write-ahead log when the process ends."""
    child = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", KILLED],
        env=environment,
        cwd=CHECKOUT,
        umask=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=(root / "temporary" / "stderr.txt").open("a"),
    )
    assert child.stdout is not None
    assert child.stdin is not None
    assert child.stdout.readline() == b"embedding\n"
    assert list((root / "home").rglob("*.wal")), "nothing was written before the end"
    assert found_in(root)[0] == []
    child.send_signal(number)
    child.wait()
    child.stdout.close()
    child.stdin.close()
    assert found_in(root)[0] == []
