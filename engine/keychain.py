"""Secrets in the system's keychain: the index key and tokens. Nothing secret is ever written to a file by this module.

This is the one engine module that starts a thread: a locked keychain may answer with a prompt that blocks for as long
as nobody types, and a call in C cannot be given a time limit in any other way.
"""

from __future__ import annotations

import contextlib
import queue
import secrets
import threading
from collections.abc import Callable
from typing import Any

from engine.errors import KeychainUnavailable

SERVICE = "lamplight"
INDEX_KEY = "index-key"
"""Account name of the key that encrypts the index files."""
TIME_LIMIT = 30.0
"""Seconds; long enough to type a password into the system's prompt."""

_REMEDY = (
    "Unlock or start the system's keychain, or choose another way: lamplight protect passphrase, session or plain."
)


def get_secret(account: str, *, time_limit: float = TIME_LIMIT) -> str | None:
    """The secret of ``account``, or None when there is none. Raises ``KeychainUnavailable``."""
    found = _ask(lambda keyring: keyring.get_password(SERVICE, account), time_limit)
    return None if found is None else str(found)


def set_secret(account: str, secret: str, *, time_limit: float = TIME_LIMIT) -> None:
    """Store or replace. Raises ``KeychainUnavailable``."""
    _ask(lambda keyring: keyring.set_password(SERVICE, account, secret), time_limit)


def delete_secret(account: str, *, time_limit: float = TIME_LIMIT) -> None:
    """Delete; deleting what is not there is no error, nor where nothing is kept. Raises ``KeychainUnavailable``."""

    def delete(keyring: Any) -> None:
        if keyring.get_password(SERVICE, account) is not None:
            keyring.delete_password(SERVICE, account)

    with contextlib.suppress(_KeepsNothing):
        _ask(delete, time_limit)


def index_key(*, create: bool = True, time_limit: float = TIME_LIMIT) -> str | None:
    """The random 32-byte key of the index files as 64 hex digits; created once and read back before it is used.

    With ``create`` false, None when there is no key yet. Raises ``KeychainUnavailable``.
    """
    known = get_secret(INDEX_KEY, time_limit=time_limit)
    if known is not None or not create:
        return known
    fresh = secrets.token_hex(32)
    set_secret(INDEX_KEY, fresh, time_limit=time_limit)
    if get_secret(INDEX_KEY, time_limit=time_limit) != fresh:
        raise KeychainUnavailable("The system's keychain did not keep the key of the index.", _REMEDY)
    return fresh


class _KeepsNothing(KeychainUnavailable):
    """A stand-in without a memory: what was never kept is forgotten already."""


def _ask(action: Callable[[Any], object], time_limit: float) -> Any:
    """Run ``action(keyring)`` on a daemon thread, at most ``time_limit`` seconds.

    A call that hangs is left behind: its thread ends with the process or when the prompt is answered.
    """
    answers: queue.SimpleQueue[tuple[object, Exception | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            # Imported here: 0.2 s, and only the program that opens an encrypted library needs it.
            import keyring

            _refuse_what_keeps_nothing(keyring.get_keyring())
            answers.put((action(keyring), None))
        except Exception as error:  # noqa: BLE001 - backends raise what they like (D-Bus, COM); it is passed on, not lost
            answers.put((None, error))

    threading.Thread(target=work, name="keychain", daemon=True).start()
    try:
        answer, error = answers.get(timeout=time_limit)
    except queue.Empty:
        raise KeychainUnavailable(f"The system's keychain did not answer in {time_limit:g} seconds.", _REMEDY) from None
    if error is not None:
        kind = _KeepsNothing if isinstance(error, _KeepsNothing) else KeychainUnavailable
        raise kind(f"The system's keychain cannot be used ({_reason(error)}).", _REMEDY) from error
    return answer


def _refuse_what_keeps_nothing(backend: Any) -> None:
    """Raise for the stand-ins that ``keyring`` has where there is no keychain, and for those that write to a file."""
    first = next(iter(getattr(backend, "backends", ())), backend)
    module, name = type(first).__module__, type(first).__name__
    if module == "keyring.backends.fail":
        raise KeychainUnavailable("there is none on this system, or it is not running")
    if module == "keyring.backends.null":
        raise _KeepsNothing("it is switched off")
    if name == "PlaintextKeyring":
        raise KeychainUnavailable("it keeps secrets in a file that anyone can read")


def _reason(error: Exception) -> str:
    """First sentence of what the backend says, without its advice about packages."""
    return str(error).partition("\n")[0].partition(". ")[0].strip() or type(error).__name__
