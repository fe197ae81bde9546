"""A passphrase in place of a keychain: the key of the index files is derived from it by scrypt.

On disk are a salt and a check value only; neither opens a file. The passphrase is taken from the environment once and
removed there, so that no child process inherits it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from engine.errors import BadRequest, PassphraseNeeded, WrongKey
from engine.files import read_ordinary
from engine.paths import write_atomically

VARIABLE = "LAMPLIGHT_PASSPHRASE"
SHORTEST = 8
_COST, _BLOCK = 2**16, 8
"""64 MB and a fifth of a second for each guess."""
_MEMORY = 2 * 128 * _COST * _BLOCK

_REMEDY = f"Set {VARIABLE}, or run a command on a terminal and type it there."

ask: Callable[[], str] | None = None
"""How a program that has a person in front of it asks for the passphrase. Set once, at its start."""
_given: str | None = None


def give(passphrase: str | None) -> None:
    """Remember the passphrase for this process; None forgets it."""
    global _given
    _given = passphrase


def take() -> str:
    """The passphrase: given before, from the environment, or asked for. Raises ``PassphraseNeeded``."""
    if found := os.environ.pop(VARIABLE, None):
        give(found)
    if _given is None and ask is not None:
        give(ask() or None)
    if _given is None:
        raise PassphraseNeeded("The index is protected by a passphrase, and none was given.", _REMEDY)
    return _given


def unlock(file: Path, passphrase: str) -> None:
    """Give the passphrase if it is the one that ``file`` was made with. Raises ``WrongKey`` otherwise."""
    key_of(file, passphrase)
    give(passphrase)


def choose(file: Path, passphrase: str) -> str:
    """Begin to use a passphrase: writes ``file`` (salt and check value, mode 0600) and returns the key."""
    if len(passphrase) < SHORTEST:
        raise BadRequest(f"A passphrase has at least {SHORTEST} characters.", "Four or more words are a good one.")
    salt = secrets.token_bytes(16)
    key, check = _derive(passphrase, salt)
    write_atomically(file, json.dumps({"salt": salt.hex(), "check": check}).encode())
    return key


def choose_once(file: Path, passphrase: str) -> None:
    """Choose and give the passphrase; where one was chosen before, it must be the same."""
    if file.exists():
        unlock(file, passphrase)
    else:
        choose(file, passphrase)
        give(passphrase)


def key_of(file: Path, passphrase: str) -> str:
    """The key that ``passphrase`` gives with the salt of ``file``. Raises ``PassphraseNeeded`` for another passphrase,
    ``WrongKey`` without a salt."""
    try:
        kept = json.loads(read_ordinary(file))
        salt, expected = bytes.fromhex(kept["salt"]), str(kept["check"])
    except FileNotFoundError as error:
        raise WrongKey("No passphrase has been chosen yet.", "Choose one: lamplight protect passphrase") from error
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise WrongKey(
            f"{file.name} cannot be read, and without its salt the passphrase opens nothing.",
            "Bring it back from a backup, or rebuild the indexes: lamplight protect plain --discard",
        ) from error
    key, check = _derive(passphrase, salt)
    if not hmac.compare_digest(check.encode(), expected.encode()):
        raise PassphraseNeeded("The passphrase is not the right one.", _REMEDY)
    return key


def _derive(passphrase: str, salt: bytes) -> tuple[str, str]:
    """(key as 64 hex digits, check value). The check is a hash of other bytes than the key's."""
    made = hashlib.scrypt(
        passphrase.encode("utf-8", "surrogatepass"), salt=salt, n=_COST, r=_BLOCK, p=1, maxmem=_MEMORY, dklen=64
    )
    return made[:32].hex(), hashlib.sha256(made[32:]).hexdigest()
