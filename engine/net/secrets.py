"""Secrets in memory: a wrapper that never prints itself, and a mask for text that may hold one.

Owns no storage (that is the keychain) and must never write a secret anywhere.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable
from typing import NoReturn

MASK = "***"

# Tokens of the services Lamplight knows, and whatever follows "Bearer": servers like to echo both.
_KNOWN = re.compile(r"roam-graph-(?:local-)?token-[A-Za-z0-9_\-]+|sk-[A-Za-z0-9_\-]{8,}|(?<=[Bb]earer )\S+")


class Secret:
    """A token. Printing, formatting or pickling it shows a mask or fails; only ``reveal`` gives the value."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._value.encode(), other._value.encode())

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret cannot be pickled or copied to a file")


def mask_secrets(text: str, secrets: Iterable[Secret] = ()) -> str:
    """``text`` with the given secrets and everything that looks like a known token replaced by ``***``."""
    for secret in secrets:
        if secret:
            text = text.replace(secret.reveal(), MASK)
    return _KNOWN.sub(MASK, text)
