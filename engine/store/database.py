"""One DuckDB file: opening it locked down, one writer at a time, errors in the product's words.

Owns the connection. Knows no table: those are in the modules beside it. Must never let note text reach a
file outside the database (no spill files) or reach the network, and never put the key into an error.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb

from engine.errors import (
    BugError,
    Cancelled,
    DiskFull,
    EngineError,
    IndexDamaged,
    IndexTooNew,
    LibraryBusy,
    RetryError,
    WrongKey,
    from_system_text,
    system_words,
)
from engine.files import open_ordinary
from engine.job import Job
from engine.paths import make_private_folder

Cursor = duckdb.DuckDBPyConnection
"""A cursor of DuckDB is a connection of its own to the same database."""

_MEMORY_LIMIT = "2GB"
"""A bound, not a reservation. Without spill files a query that needs more fails instead of filling the disk."""

_BYTES_PER_THREAD = 200_000_000
"""Of a file. What lies in one group of rows is read by one thread anyway, while another, waiting for it, takes half
of its time away: small questions cost a third less without."""

_COMPACT = "VACUUM_REBUILD_INDEXES 1000000000"
"""Without it DuckDB never gives back the room of deleted rows of a table that has an index: every replaced note would
leave its old rows behind. Rebuilding takes milliseconds at our sizes; the number is a bound on rows. Not kept in the
file, so given at every open."""

_REBUILD = "Rebuild the index from its source; your notes are not affected."

_TRANSLATIONS: tuple[tuple[tuple[str, ...], type[EngineError], str, str], ...] = (
    (
        ("could not set lock", "conflicting lock", "unique file handle conflict", "being used by another process"),
        LibraryBusy,
        "is open in another program",
        "Close the other Lamplight, or let it answer for this one.",
    ),
    (
        ("wrong encryption key", "without a key"),
        WrongKey,
        "is encrypted and the key does not open it",
        "Unlock the keychain that holds its key, or rebuild the index.",
    ),
    (
        ("is not encrypted",),
        WrongKey,
        "is not encrypted, though a key was given",
        "Open it without a key, or rebuild it with encryption.",
    ),
    (
        ("no space left", "disk full", "disk quota", "file too large", "not enough space"),
        DiskFull,
        "could not be written: the disk is full",
        "Free some space and try again.",
    ),
    (
        ("newer version", "newer duckdb", "storage version"),
        IndexTooNew,
        "was written by a newer version",
        "Update Lamplight, or rebuild the index.",
    ),
    (
        (
            "not a valid duckdb",
            "corrupt",
            "could not read enough bytes",
            "checksum",
            "aes tag",
            "is a directory",
            "serialization error",
            "failure while replaying wal",
        ),
        IndexDamaged,
        "is damaged",
        _REBUILD,
    ),
    (
        ("has been invalidated",),
        RetryError,
        "was closed after an error",
        "Try again; it is opened anew.",
    ),
)


def translate(error: duckdb.Error, path: Path) -> EngineError | Cancelled:
    """What a DuckDB error means for the person. Decided by its text: DuckDB's classes do not tell these apart."""
    if isinstance(error, duckdb.InterruptException):
        return Cancelled()
    text = str(error).casefold()
    for signs, kind, what, remedy in _TRANSLATIONS:
        if any(sign in text for sign in signs):
            return kind(f"{path.name} {what}.", remedy)
    if refused := from_system_text(text, path):
        return refused
    if isinstance(error, duckdb.InternalException | duckdb.FatalException):
        # What DuckDB holds to be impossible has been read from a file that somebody else has written to.
        return IndexDamaged(f"{path.name} is damaged.", _REBUILD)
    # The first line only: what follows quotes the statement, and could quote values.
    return BugError(f"{path.name}: {str(error).partition(chr(10))[0]}", "Please report this.")


def extension_file() -> Path:
    """The packaged, signed DuckDB extension whose OpenSSL encrypts files; found without importing its package."""
    spec = importlib.util.find_spec("duckdb_extension_httpfs")
    for folder in (spec.submodule_search_locations if spec else None) or ():
        for file in Path(folder, "extensions").glob(f"v{duckdb.__version__}/httpfs.duckdb_extension"):
            return file
    raise BugError("The encryption part of the database is missing from this installation.", "Install Lamplight again.")


def _quoted(text: str) -> str:
    """A string literal. ``LOAD`` and ``ATTACH`` take no bound parameters."""
    return "'" + text.replace("'", "''") + "'"


class Database:
    """One open database file. Use ``open``; safe to share between threads, each ``with`` has its own cursor.

    After a fault that DuckDB does not go on from (a checkpoint on a full disk), it is opened anew at the next use.
    """

    def __init__(self, path: Path, connection: Cursor, key: str | None) -> None:
        self.path = path
        self.times_reopened = 0
        """What was read into memory before may then lack the transaction that met the fault."""
        self._key = key
        self._is_broken = False
        self._connection: Cursor | None = connection
        self._writer = threading.Lock()
        self._handing_out = threading.Lock()

    @classmethod
    def open(cls, path: Path, key: str | None = None) -> Database:
        """Open or create ``path``; encrypted when ``key`` is given. The folder becomes private (0700, file 0600).

        Raises ``WrongKey``, ``LibraryBusy``, ``IndexDamaged``, ``IndexTooNew``, ``DiskFull`` or ``NotAllowed``.
        """
        make_private_folder(path.parent)
        with system_words(path):
            if path.is_file() and path.stat().st_size == 0:
                path.unlink()  # left by a crash before the first header was written
        return cls(path, _connect(path, key), key)

    @contextlib.contextmanager
    def read(self, job: Job | None = None) -> Iterator[Cursor]:
        """A cursor for reading; it sees committed rows only. ``job.cancel`` ends the running query (``Cancelled``)."""
        cursor = self._cursor()
        try:
            with job.interruptible(cursor.interrupt) if job else contextlib.nullcontext():
                yield cursor
        except duckdb.Error as error:
            raise self._in_words(error) from error
        finally:
            cursor.close()

    @contextlib.contextmanager
    def write(self) -> Iterator[Cursor]:
        """One transaction under the writer lock: committed when the body ends, rolled back when it raises."""
        with self._writer:
            cursor = self._cursor()
            try:
                cursor.execute("BEGIN")
                yield cursor
                cursor.execute("COMMIT")
            except duckdb.Error as error:
                _roll_back(cursor)
                raise self._in_words(error) from error
            except BaseException:
                _roll_back(cursor)
                raise
            finally:
                cursor.close()
            _make_private(self.path)

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file."""
        with self._writer, self.read() as cursor:
            cursor.execute("CHECKPOINT library")

    def close(self) -> None:
        """Checkpoint and close; a second call does nothing. Cursors still in use keep the file until they end."""
        if self._connection is None:
            return
        with contextlib.suppress(
            EngineError
        ):  # a failed checkpoint loses nothing: the log is replayed at the next open
            self.checkpoint()
        with self._writer, self._handing_out:
            self._connection.close()
            self._connection = None

    def _cursor(self) -> Cursor:
        with self._handing_out:
            if self._connection is None:
                raise BugError(f"{self.path.name} was used after it was closed.")
            if self._is_broken:
                self._connection.close()
                self._connection = _connect(self.path, self._key)
                self._is_broken = False
                self.times_reopened += 1
            cursor = self._connection.cursor()
        try:
            cursor.execute("USE library")
        except duckdb.Error as error:
            cursor.close()
            raise self._in_words(error) from error
        return cursor

    def _in_words(self, error: duckdb.Error) -> EngineError | Cancelled:
        if isinstance(error, duckdb.FatalException | duckdb.InternalException) or "invalidated" in str(error):
            self._is_broken = True
        return translate(error, self.path)


def _connect(path: Path, key: str | None) -> Cursor:
    connection = _bare_connection()
    try:
        _attach(connection, path, key)
    except BaseException:
        connection.close()
        raise
    _make_private(path)
    return connection


def _attach(connection: Cursor, path: Path, key: str | None) -> None:
    options = _COMPACT + _key_option(key)
    if key is not None:
        _load_encryption(connection)
    try:
        connection.execute(f"ATTACH {_quoted(str(path))} AS library ({options})")
    except duckdb.Error as error:
        # ``from None``: the statement, and so the key, may stand in the original's text.
        safe = type(error)(str(error).replace(key, "…") if key else str(error))
        raise translate(safe, path) from None
    connection.execute("SET temp_directory = ''")
    connection.execute("SET checkpoint_threshold = '64MB'")
    connection.execute(f"SET memory_limit = {_quoted(_MEMORY_LIMIT)}")
    connection.execute(f"SET threads = {_threads(path)}")
    # What a large read needed goes back to the system after seconds, not only when the next one is made.
    connection.execute("SET allocator_background_threads = true")
    connection.execute("SET disabled_filesystems = 'HTTPFileSystem,S3FileSystem,HuggingFaceFileSystem'")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _threads(path: Path) -> int:
    return min(os.cpu_count() or 1, 1 + path.stat().st_size // _BYTES_PER_THREAD)


def _roll_back(cursor: Cursor) -> None:
    with contextlib.suppress(duckdb.Error):  # a failed COMMIT has ended the transaction already
        cursor.execute("ROLLBACK")


def _make_private(path: Path) -> None:
    """DuckDB creates its files with the process's mask; the log comes and goes, so this is looked at per commit."""
    for file in (path, path.with_name(path.name + ".wal")):
        with contextlib.suppress(OSError):
            if stat.S_IMODE(file.stat().st_mode) != 0o600:
                file.chmod(0o600)


def make_private_file(path: Path) -> None:
    """Readable and writable by the owner alone, as far as the system knows such a thing."""
    _make_private(path)


def copy_file(source: Path, target: Path) -> None:
    """Copy a closed file, whole and on the disk or not at all; mode 0600. Raises an ``EngineError``."""
    temporary = target.with_name(target.name + ".part")
    try:
        with system_words(target):
            temporary.unlink(missing_ok=True)
            with open_ordinary(source) as old, open(temporary, "xb", opener=_private) as new:
                shutil.copyfileobj(old, new)
                new.flush()
                os.fsync(new.fileno())
            os.replace(temporary, target)  # noqa: PTH105 - overwrites on every system
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def sync_file(path: Path) -> None:
    """Have the system write a closed file out to the disk."""
    with system_words(path), path.open("rb+") as file:
        os.fsync(file.fileno())


def opens_with(path: Path, key: str) -> bool:
    """Whether ``key`` is that of an encrypted file; other troubles count as yes, and show when it is opened."""
    with contextlib.closing(_bare_connection()) as connection:
        _load_encryption(connection)
        try:
            connection.execute(f"ATTACH {_quoted(str(path))} AS tried (READ_ONLY, ENCRYPTION_KEY {_quoted(key)})")
        except duckdb.Error as error:
            return not isinstance(translate(error, path), WrongKey)
    return True


def copy_database(source: Path, source_key: str | None, target: Path, target_key: str | None) -> None:
    """Copy a closed database into a new file under another key, and count every table of both.

    The log of ``source`` is folded in first. Raises what ``Database.open`` raises; ``target`` may then be half there.
    """
    Database.open(source, source_key).close()
    if source.with_name(source.name + ".wal").exists():
        raise DiskFull(f"{source.name} could not be put in order: the disk is full.", "Free some space and try again.")
    with contextlib.closing(_bare_connection()) as connection:
        connection.execute("SET temp_directory = ''")
        try:
            if source_key is not None or target_key is not None:
                _load_encryption(connection)
            connection.execute(f"ATTACH {_quoted(str(source))} AS source (READ_ONLY{_key_option(source_key)})")
            connection.execute(f"ATTACH {_quoted(str(target))} AS target ({_COMPACT}{_key_option(target_key)})")
            connection.execute("COPY FROM DATABASE source TO target (SCHEMA)")
            for table in _referred_to_first(connection, "source"):
                connection.execute(f'INSERT INTO target."{table}" SELECT * FROM source."{table}"')
            if _table_sizes(connection, "source") != _table_sizes(connection, "target"):
                raise IndexDamaged(f"{source.name} could not be copied whole.", "The file is unchanged. Try again.")
            connection.execute("CHECKPOINT target")
        except duckdb.Error as error:
            # ``from None``: a key may stand in the statement.
            text = str(error)
            for key in filter(None, (source_key, target_key)):
                text = text.replace(key, "…")
            raise translate(type(error)(text), source) from None


def _bare_connection() -> Cursor:
    return duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_unsigned_extensions": _encryption_checked.is_set(),
        },
    )


_encryption_checked = threading.Event()
"""DuckDB checks the signature of the extension whenever it is loaded, for a tenth of a second. Once in a process is
enough: it stays the same file, and none but it is ever loaded."""


def _load_encryption(connection: Cursor) -> None:
    connection.execute(f"LOAD {_quoted(str(extension_file()))}")
    _encryption_checked.set()


def _key_option(key: str | None) -> str:
    return "" if key is None else f", ENCRYPTION_KEY {_quoted(key)}"


def _referred_to_first(connection: Cursor, database: str) -> list[str]:
    """The tables of a database, those with foreign keys last: DuckDB copies them in any order."""
    found = connection.execute(
        f"""SELECT table_name FROM duckdb_tables() WHERE database_name = '{database}' ORDER BY table_name IN (
            SELECT table_name FROM duckdb_constraints() WHERE database_name = '{database}'
            AND constraint_type = 'FOREIGN KEY'), table_name"""
    ).fetchall()
    return [name for (name,) in found]


def _table_sizes(connection: Cursor, database: str) -> dict[str, int]:
    found = connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = $1", [database])
    sizes = {}
    for (name,) in found.fetchall():
        row = connection.execute(f'SELECT count(*) FROM {database}."{name}"').fetchone()
        sizes[str(name)] = int(row[0]) if row else -1
    return sizes


def _companions(path: Path) -> list[Path]:
    return [path, path.with_name(path.name + ".wal")]


def set_aside(path: Path) -> Path:
    """Rename a damaged file (and its log) so that a new one can be made; returns where it went."""
    with system_words(path):
        for file in _companions(path):
            if file.exists():
                os.replace(file, file.with_name(file.name + ".damaged"))  # noqa: PTH105 - overwrites on every system
    return path.with_name(path.name + ".damaged")


def remove_files(path: Path) -> None:
    """Delete a closed database and everything kept beside it (log, copies made before upgrades, damaged ones)."""
    with system_words(path):
        for file in (*_companions(path), *path.parent.glob(f"{path.name}.*")):
            file.unlink(missing_ok=True)


def is_encrypted(path: Path) -> bool | None:
    """Whether a database file is encrypted, by its header (flags at byte 20); None when it is no database file."""
    try:
        with open_ordinary(path) as file:
            header = file.read(21)
    except OSError:
        return None
    return bool(header[20] & 1) if len(header) == 21 and header[8:12] == b"DUCK" else None
