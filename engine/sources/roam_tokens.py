"""Where the token of a graph is found: the system's keychain, this session, or the environment of a script.

Tokens are kept in the keychain, or in memory when there is none. They are never written to a file of ours.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from engine import keychain
from engine.errors import BadRequest, KeychainUnavailable
from engine.model import SourceKind
from engine.net.secrets import Secret

VARIABLE = "LAMPLIGHT_ROAM_TOKEN"
"""For scripts on machines without a keychain; read last."""
_BEGINNING = {SourceKind.ROAM_LOCAL: "roam-graph-local-token-", SourceKind.ROAM_CLOUD: "roam-graph-token-"}


def _read_keychain(account: str, limit: float) -> str | None:
    return keychain.get_secret(account, time_limit=limit)


class TokenStore:
    """One per process. ``location`` is that of the source: canonical name, and type when offline."""

    def __init__(
        self,
        *,
        get: Callable[[str, float], str | None] = _read_keychain,
        set: Callable[[str, str], None] = keychain.set_secret,
        delete: Callable[[str], None] = keychain.delete_secret,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._get = get
        self._set = set
        self._delete = delete
        self._environ = environ
        self._session: dict[str, Secret] = {}

    def find(self, kind: SourceKind, location: str, limit: float = keychain.TIME_LIMIT) -> Secret | None:
        """The token, or ``None``. A keychain that cannot be used, or not within ``limit`` seconds, counts as empty."""
        account = account_of(kind, location)
        try:
            kept = self._get(account, limit)
        except KeychainUnavailable:
            kept = None
        if kept:
            return Secret(kept)
        given = self._environ.get(VARIABLE, "")
        suits = given.startswith(_BEGINNING[kind])
        return self._session.get(account) or (Secret(given) if suits else None)

    def keep(self, kind: SourceKind, location: str, token: Secret) -> str:
        """Keep the token; returns a notice when it lasts for this session only, else an empty string.

        Raises ``BadRequest`` for a token of another kind.
        """
        check_kind(kind, token)
        account = account_of(kind, location)
        try:
            self._set(account, token.reveal())
            if self._get(account, keychain.TIME_LIMIT) == token.reveal():
                self._session.pop(account, None)
                return ""
        except KeychainUnavailable as error:
            reason = error.message
        else:
            reason = "The system's keychain did not keep it."
        self._session[account] = token
        return f"The token is kept until Lamplight ends, not longer (scripts can set {VARIABLE}). {reason}"

    def forget(self, kind: SourceKind, location: str) -> None:
        """Raises ``KeychainUnavailable`` when the keychain may still hold it."""
        account = account_of(kind, location)
        self._session.pop(account, None)
        self._delete(account)


def check_kind(kind: SourceKind, token: Secret) -> None:
    """Raises ``BadRequest``, which quotes nothing of it, for a token of another kind of source."""
    if not token.reveal().startswith(_BEGINNING[kind]):
        raise BadRequest(f"That is not a token for this kind of source: it begins with {_BEGINNING[kind]}.")


def account_of(kind: SourceKind, location: str) -> str:
    return f"{kind.value}:{location}"
