"""One file: private, encrypted, locked down, one writer, and errors that say what to do."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import duckdb
import pytest

from engine.errors import (
    BugError,
    Cancelled,
    DiskFull,
    EngineError,
    IndexDamaged,
    IndexTooNew,
    LibraryBusy,
    NotAllowed,
    RetryError,
    WrongKey,
)
from engine.job import Job
from engine.store.database import Database, extension_file, remove_files, set_aside, translate

KEY = "5a" * 32
PLANTED = "The violet heron keeps the seventh ledger."
ROOT = Path(__file__).parents[3]


def make(path: Path, key: str | None, rows: int = 20_000) -> Path:
    database = Database.open(path, key)
    with database.write() as cursor:
        cursor.execute("CREATE TABLE t AS SELECT i, repeat('word' || i, 10) AS s FROM range($1) r(i)", [rows])
    database.close()
    return path


def run_python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60
    )


def test_what_is_written_is_read_again(tmp_path: Path, key: str | None) -> None:
    database = Database.open(make(tmp_path / "a.duckdb", key), key)
    with database.read() as cursor:
        assert cursor.execute("SELECT count(*), sum(i) FROM t").fetchone() == (20_000, 199_990_000)
    database.close()


def test_nothing_on_disk_holds_plain_text(tmp_path: Path) -> None:
    """The log, the file and everything else that appears, before and after the checkpoint."""

    def planted_in() -> list[str]:
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        assert files
        return [file.name for file in files if PLANTED.encode() in file.read_bytes()]

    for key, found_in_log, found_in_file in [(KEY, [], []), (None, ["plain.duckdb.wal"], ["plain.duckdb"])]:
        database = Database.open(tmp_path / ("plain.duckdb" if key is None else "secret.duckdb"), key)
        with database.write() as cursor:
            cursor.execute("CREATE TABLE t (s VARCHAR)")
            cursor.execute("INSERT INTO t VALUES ($1)", [PLANTED])
        assert planted_in() == found_in_log
        database.close()
        assert planted_in() == found_in_file


@pytest.mark.skipif(sys.platform == "win32", reason="modes of Windows say nothing")
def test_file_log_and_folder_are_private(tmp_path: Path, key: str | None) -> None:
    path = tmp_path / "folder" / "a.duckdb"
    database = Database.open(path, key)
    with database.write() as cursor:
        cursor.execute("CREATE TABLE t (s VARCHAR)")
    modes = [stat.S_IMODE(file.stat().st_mode) for file in (path, path.with_name("a.duckdb.wal"), path.parent)]
    assert [oct(mode) for mode in modes] == ["0o600", "0o600", "0o700"]
    database.close()
    assert not path.with_name("a.duckdb.wal").exists()


OUTSIDE = (
    "SELECT * FROM read_text('{file}')",
    "COPY t TO '{file}'",
    "ATTACH '{file}.duckdb' AS other",
    "INSTALL spatial",
    "SET enable_external_access = true",
    "SET temp_directory = '{file}'",
    "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')",
)


def test_the_door_to_outside_is_shut(tmp_path: Path, key: str | None) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("secret")
    database = Database.open(make(tmp_path / "a.duckdb", key, rows=1), key)
    went_through = []
    for statement in OUTSIDE:
        with contextlib.suppress(EngineError), database.read() as cursor:
            cursor.execute(statement.format(file=outside))
            went_through.append(statement)
    database.close()
    assert went_through == []
    assert outside.read_text() == "secret"


@pytest.mark.parametrize(
    ("written", "opened", "says"),
    [(KEY, "00" * 32, "does not open it"), (KEY, None, "does not open it"), (None, KEY, "is not encrypted")],
)
def test_a_key_that_does_not_fit(tmp_path: Path, written: str | None, opened: str | None, says: str) -> None:
    path = make(tmp_path / "a.duckdb", written, rows=1)
    before = path.read_bytes()
    with pytest.raises(WrongKey, match=says) as caught:
        Database.open(path, opened)
    assert caught.value.remedy
    assert path.read_bytes() == before
    Database.open(path, written).close()


def test_the_key_never_stands_in_an_error(tmp_path: Path) -> None:
    key = "it's a ; key"
    path = tmp_path / "folder.duckdb"
    path.mkdir()
    with pytest.raises(EngineError) as caught:
        Database.open(path, key)
    assert key not in repr(caught.value)
    assert caught.value.__suppress_context__
    make(tmp_path / "a.duckdb", key, rows=1)
    Database.open(tmp_path / "a.duckdb", key).close()


def test_another_process_is_told_that_it_is_open(tmp_path: Path, key: str | None) -> None:
    """It tries once while the file is open here, and once more when told to."""
    path = tmp_path / "a.duckdb"
    database = Database.open(path, key)
    code = (
        "import sys; from pathlib import Path; from engine.store.database import Database\n"
        "for _ in range(2):\n"
        "    try:\n"
        "        Database.open(Path(sys.argv[1]), sys.argv[2] or None).close()\n"
        "        print('opened', flush=True)\n"
        "    except Exception as error: print(type(error).__name__, error, flush=True)\n"
        "    sys.stdin.readline()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path), key or ""],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        first = other.stdout.readline()
        with pytest.raises(LibraryBusy):
            Database.open(path, key)
        database.close()
        second, _ = other.communicate("\n\n", timeout=60)
    assert first.startswith("LibraryBusy a.duckdb is open in another program")
    assert second == "opened\n"


@functools.cache
def sound_file(key: str | None) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return make(Path(folder, "a.duckdb"), key).read_bytes()


def damage(path: Path, kind: str) -> None:
    data = path.read_bytes()
    half = len(data) // 2
    noise = bytes(range(256)) * 16
    path.write_bytes(
        {
            "cut in half": data[:half],
            "cut to a stump": data[:100],
            "not a database": b"hello" * 1000,
            "start overwritten": noise + data[len(noise) :],
            "header overwritten": data[:4096] + noise * 2 + data[4096 + 2 * len(noise) :],
            "end overwritten": data[:-300_000] + b"\xff" * 300_000,
        }[kind]
    )


def read_everything(path: Path, key: str | None) -> None:
    """Damage to the start shows when a file is opened, damage to its rows when they are read."""
    database = Database.open(path, key)
    try:
        with database.read() as cursor:
            cursor.execute("SELECT sum(i), sum(length(s)) FROM t").fetchall()
    finally:
        database.close()


@pytest.mark.parametrize(
    "kind",
    ["cut in half", "cut to a stump", "not a database", "start overwritten", "header overwritten", "end overwritten"],
)
def test_a_damaged_file_is_named_as_such(tmp_path: Path, key: str | None, kind: str) -> None:
    path = tmp_path / "a.duckdb"
    path.write_bytes(sound_file(key))
    damage(path, kind)
    with pytest.raises(IndexDamaged, match=r"a\.duckdb is damaged") as caught:
        read_everything(path, key)
    assert "Rebuild" in caught.value.remedy
    assert set_aside(path).exists()
    Database.open(path, key).close()


def test_an_empty_file_is_a_new_one(tmp_path: Path, key: str | None) -> None:
    path = tmp_path / "a.duckdb"
    path.touch()
    Database.open(path, key).close()
    assert path.stat().st_size > 0


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on file size")
def test_a_file_that_cannot_grow_is_a_full_disk(tmp_path: Path, key: str | None) -> None:
    """A limit on file size stands for the full disk; what was committed before is still there."""
    path = make(tmp_path / "a.duckdb", key, rows=1000)
    code = (
        "import sys, signal, resource; from pathlib import Path; from engine.store.database import Database\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "database = Database.open(Path(sys.argv[1]), sys.argv[2] or None)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    for _ in range(50):\n"
        "        with database.write() as cursor:\n"
        "            cursor.execute('INSERT INTO t SELECT i, sha256(i::VARCHAR) || sha256((i+1)::VARCHAR)'\n"
        "                ' FROM range(20000) r(i)')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    assert run_python(code, str(path), key or "").stdout.startswith("DiskFull a.duckdb could not be written")
    database = Database.open(path, key)
    with database.read() as cursor:
        found = cursor.execute("SELECT count(*) FROM t").fetchone()
    assert found is not None
    assert found[0] % 20_000 == 1000
    database.close()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("IO Error: Could not write file: No space left on device", DiskFull),
        ("IO Error: Trying to read a database file with version number 99, written by a newer version", IndexTooNew),
        ("IO Error: Cannot open file: Permission denied", NotAllowed),
        ("IO Error: The file is being used by another process", LibraryBusy),
        ("FATAL Error: database has been invalidated because of a previous fatal error", RetryError),
        ("INTERNAL Error: invalidated. Original error: No space left on device", DiskFull),
        ("Parser Error: syntax error", BugError),
    ],
)
def test_errors_in_the_words_of_the_product(text: str, kind: type[EngineError]) -> None:
    translated = translate(duckdb.IOException(text), Path("x.duckdb"))
    assert type(translated) is kind
    assert "x.duckdb" in str(translated)


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    database = Database.open(make(tmp_path / "a.duckdb", None, rows=1))
    with pytest.raises(ZeroDivisionError), database.write() as cursor:
        cursor.execute("DELETE FROM t").fetchall()[0][1 // 0]
    with pytest.raises(BugError), database.write() as cursor:
        cursor.execute("DELETE FROM t; SELECT nonsense")
    with database.read() as cursor:
        assert cursor.execute("SELECT count(*) FROM t").fetchone() == (1,)
    database.close()


def test_readers_see_committed_rows_only(tmp_path: Path) -> None:
    database = Database.open(make(tmp_path / "a.duckdb", None, rows=1))
    with database.write() as writer:
        writer.execute("INSERT INTO t VALUES (7, 'x')")
        with database.read() as reader:
            assert reader.execute("SELECT count(*) FROM t").fetchone() == (1,)
    with database.read() as reader:
        assert reader.execute("SELECT count(*) FROM t").fetchone() == (2,)
    database.close()


def test_writers_take_turns(tmp_path: Path) -> None:
    database = Database.open(tmp_path / "a.duckdb")
    with database.write() as cursor:
        cursor.execute("CREATE TABLE n AS SELECT 0 AS value")
    errors: list[Exception] = []

    def count() -> None:
        try:
            for _ in range(20):
                with database.write() as cursor:
                    cursor.execute("UPDATE n SET value = value + 1")
        except EngineError as error:
            errors.append(error)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with database.read() as cursor:
        assert cursor.execute("SELECT value FROM n").fetchone() == (80,)
    database.close()


def test_cancel_ends_a_running_query(tmp_path: Path) -> None:
    database = Database.open(tmp_path / "a.duckdb")
    job = Job()
    timer = threading.Timer(0.1, job.cancel)
    timer.start()
    with pytest.raises(Cancelled), database.read(job) as cursor:
        cursor.execute("SELECT count(*) FROM range(10_000_000) a(i), range(10_000_000) b(j) WHERE i * j % 7 = 3")
    timer.join()
    with pytest.raises(Cancelled), database.read(job):
        pass
    database.close()


def test_use_after_close_is_our_mistake(tmp_path: Path) -> None:
    database = Database.open(tmp_path / "a.duckdb")
    database.close()
    with pytest.raises(BugError, match="after it was closed"), database.read():
        pass
    with pytest.raises(BugError, match="after it was closed"), database.write():
        pass


def test_replaced_rows_of_an_indexed_table_give_their_room_back(tmp_path: Path, key: str | None) -> None:
    path = tmp_path / "a.duckdb"
    database = Database.open(path, key)
    with database.write() as cursor:
        cursor.execute("CREATE TABLE t (i INTEGER, s VARCHAR)")
        cursor.execute("CREATE INDEX by_i ON t (i)")
    sizes = []
    for first in range(0, 60_000, 10_000):
        with database.write() as cursor:
            cursor.execute("DELETE FROM t")
            cursor.execute("INSERT INTO t SELECT i, sha256(i::VARCHAR) FROM range($1, $1 + 10_000) r(i)", [first])
        database.checkpoint()
        sizes.append(path.stat().st_size)
        with database.read() as cursor:
            found = cursor.execute(f"SELECT s FROM t WHERE i IN ({first - 1}, {first + 77})").fetchall()
        assert found == [(hashlib.sha256(str(first + 77).encode()).hexdigest(),)]
    database.close()
    assert sizes[-1] <= 3 * sizes[0]


def test_removing_takes_everything_beside_it(tmp_path: Path) -> None:
    path = make(tmp_path / "a.duckdb", None, rows=1)
    for name in ("a.duckdb.wal", "a.duckdb.damaged", "a.duckdb.schema-1", "ab.duckdb"):
        (tmp_path / name).write_bytes(b"x")
    remove_files(path)
    assert [file.name for file in tmp_path.iterdir()] == ["ab.duckdb"]


_LOAD = """
import sys
from pathlib import Path
from engine.store import database
database.extension_file = lambda: Path(sys.argv[2])
database.Database.open(Path(sys.argv[1]), "ab" * 32).close()
"""


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_encryption_is_loaded_only_as_its_makers_signed_it(tmp_path: Path, is_whole: bool) -> None:
    code = bytearray(extension_file().read_bytes())
    code[len(code) // 2] ^= not is_whole
    copy = tmp_path / extension_file().name
    copy.write_bytes(code)
    words = [sys.executable, "-c", _LOAD, str(tmp_path / "index.duckdb"), str(copy)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == is_whole
    assert ("signature" in done.stderr) != is_whole
