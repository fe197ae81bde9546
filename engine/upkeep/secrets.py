"""Which secrets the keychain holds for Lamplight: present or absent, never what they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine import keychain
from engine.errors import KeychainUnavailable
from engine.linking.models import OPENROUTER_KEY
from engine.model import KeychainEntry, Source, SourceKind
from engine.sources.roam_tokens import account_of

LOOK_SECONDS = 5.0
_LIVE = (SourceKind.ROAM_LOCAL, SourceKind.ROAM_CLOUD)


def _is_present(account: str) -> bool:
    return keychain.get_secret(account, time_limit=LOOK_SECONDS) is not None


def keychain_entries(sources: Sequence[Source], is_present: Callable[[str], bool] = _is_present) -> list[KeychainEntry]:
    """The key of the indexes, that of OpenRouter, and the token of each graph. A keychain that cannot be used is asked
    once: each question may wait for a prompt."""
    wanted = [("Key of the index files", "", keychain.INDEX_KEY), ("Key for OpenRouter", "", OPENROUTER_KEY)]
    wanted += [("Token of {name}", s.name, account_of(s.kind, s.location)) for s in sources if s.kind in _LIVE]
    found: list[KeychainEntry] = []
    trouble = ""
    for title, name, account in wanted:
        try:
            found.append(KeychainEntry(title, None if trouble else is_present(account), trouble, name))
        except KeychainUnavailable as error:
            trouble = error.message
            found.append(KeychainEntry(title, None, trouble, name))
    return found
