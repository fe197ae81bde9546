"""Whether an index file is encrypted, and with which key: the owner's setting, the keychain, what the file is now.

Never falls back to a plain file when a passphrase or a session key was asked for; only where there is no keychain is
the default, ``keychain``, plain with a notice at every start, until the owner has chosen.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable
from pathlib import Path

from engine.errors import KeychainUnavailable, WrongKey
from engine.paths import Home
from engine.store import passphrase
from engine.store.database import is_encrypted, opens_with, remove_files

MODES = ("keychain", "passphrase", "plain", "session")
SUFFIX = ".rewriting"
"""Of copies that are being made under another key; never in use."""
CHOICES = "Choose how they are protected: lamplight protect keychain, passphrase, session or plain."
UNPROTECTED = "Index files are NOT encrypted: there is, or was, no keychain to keep their key in."


def passphrase_file(home: Home) -> Path:
    """Where the salt of the passphrase is kept."""
    return home.config / "passphrase.json"


def database_files(home: Home) -> list[Path]:
    """The files that hold text of notes, as far as they exist."""
    return [file for file in (*sorted(home.indexes.glob("*.duckdb")), home.decisions, home.replies) if file.exists()]


def open_keys(home: Home, mode: str) -> IndexKeys:
    """The keys of a library that is opened now; removes what writing that was broken off has left."""
    for folder in (home.indexes, home.data, home.config):
        with contextlib.suppress(OSError):  # a disk that cannot be written is reported by what has to write to it
            for file in _left_over(folder):
                file.unlink(missing_ok=True)
    return IndexKeys(home, mode)


def _left_over(folder: Path) -> list[Path]:
    """Copies that were being made of databases, and small files before they got their name."""
    patterns = (f"*{SUFFIX}*", "*.duckdb.*.part", ".*.toml.????????", ".*.json.????????")
    return [file for pattern in patterns for file in folder.glob(pattern)]


class IndexKeys:
    """Asks for each key once. ``notice`` says what the owner should know about the protection of new files."""

    def __init__(self, home: Home, mode: str) -> None:
        self._home = home
        self._mode = mode
        self._lock = threading.Lock()
        self._known: dict[str, str] = {}
        self._trouble: KeychainUnavailable | None = None
        self._of_this_session: set[Path] = set()

    def key_for(self, path: Path) -> str | None:
        """The key to open or create ``path`` with; None for a plain file.

        Raises ``KeychainUnavailable`` or ``WrongKey`` when the key of an encrypted file cannot be had.
        """
        with self._lock:
            encrypted = is_encrypted(path)
            if encrypted is False:
                return None
            if self._mode == "session":
                return self._session_key(path)
            return self._fitting(path) if encrypted else self._key_of_new()

    def key_of_new(self) -> str | None:
        """The key for files that are made now."""
        with self._lock:
            return self._key_of_new()

    @property
    def notice(self) -> str:
        if self._mode == "session":
            return "The key of the indexes lasts as long as this program; they are made anew at the next start."
        if self._mode == "keychain" and any(is_encrypted(file) is False for file in database_files(self._home)):
            return f"{UNPROTECTED} {CHOICES}"
        return ""

    @property
    def unfinished(self) -> str:
        """What to tell the owner while files are plain that are to be encrypted, or the other way round; where there is
        no keychain, until one way or another is chosen."""
        is_plain = self._mode == "plain"
        files = [file for file in database_files(self._home) if self._mode != "session" or file != self._home.decisions]
        odd = sum(is_encrypted(file) is is_plain for file in files)
        if not odd:
            return ""
        if self._mode == "keychain" and not passphrase_file(self._home).exists():
            return f"{UNPROTECTED} {CHOICES}"
        return f"Files that are not yet protected as chosen: {odd}. Put it right: lamplight protect {self._mode}"

    def _key_of_new(self) -> str | None:
        if self._mode == "plain":
            return None
        if self._mode == "session":
            return self._once("session", lambda: secrets.token_hex(32))
        if self._mode == "passphrase":
            return self._passphrase_key()
        return self._keychain_key()

    def _session_key(self, path: Path) -> str | None:
        """What the owner decided must outlast the session, so it stays plain; all else can be made again."""
        if path == self._home.decisions:
            return self._fitting(path) if is_encrypted(path) else None
        if path not in self._of_this_session:
            # Nobody has the key of an earlier session.
            remove_files(path)
            self._of_this_session.add(path)
        return self._key_of_new()

    def _fitting(self, path: Path) -> str:
        """The key that opens an encrypted file, which may be that of the protection chosen before."""
        has_passphrase = passphrase_file(self._home).exists()
        if self._mode == "keychain" or not has_passphrase:
            key = self._keychain_key()
            if key is not None and (not has_passphrase or opens_with(path, key)):
                return key
            if not has_passphrase:
                raise self._trouble or WrongKey(f"{path.name} is encrypted and its key is unknown.", CHOICES)
            return self._passphrase_key()
        key = self._passphrase_key()
        if not opens_with(path, key):
            # Half way through a change from the keychain.
            return self._keychain_key() or key
        return key

    def _passphrase_key(self) -> str:
        file = passphrase_file(self._home)
        return self._once("passphrase", lambda: passphrase.key_of(file, passphrase.take()))

    def _keychain_key(self) -> str | None:
        if self._trouble is not None:
            return None
        from engine import keychain

        def ask() -> str:
            return keychain.index_key() or ""

        try:
            return self._once("keychain", ask)
        except KeychainUnavailable as error:
            self._trouble = error
            return None

    def _once(self, name: str, make: Callable[[], str]) -> str:
        if name not in self._known:
            self._known[name] = make()
        return self._known[name]
