"""Whether an index file is encrypted, and with which key: the owner's setting, the keychain, what the file is now."""

from __future__ import annotations

import threading
from pathlib import Path

from engine.errors import KeychainUnavailable
from engine.store.database import is_encrypted


class IndexKeys:
    """Asks the keychain once. ``notice`` says why new index files are not encrypted, when they are not."""

    def __init__(self, *, encrypt: bool) -> None:
        self._encrypt = encrypt
        self._lock = threading.Lock()
        self._key: str | None = None
        self._trouble: KeychainUnavailable | None = None
        self._asked = False

    def key_for(self, path: Path) -> str | None:
        """The key to open ``path`` with; None for a plain file. Raises ``KeychainUnavailable`` for an encrypted one."""
        encrypted = is_encrypted(path)
        if encrypted is False or (encrypted is None and not self._encrypt):
            return None
        self._ask()
        if self._trouble is not None and encrypted:
            raise self._trouble
        return self._key

    @property
    def notice(self) -> str:
        if not self._encrypt or self._trouble is None:
            return ""
        return f"New indexes are not encrypted: {self._trouble.message}"

    def _ask(self) -> None:
        with self._lock:
            if self._asked:
                return
            from engine import keychain

            try:
                self._key = keychain.index_key()
            except KeychainUnavailable as error:
                self._trouble = error
            self._asked = True
