from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import BadRequest, KeychainUnavailable
from engine.model import SourceKind
from engine.net.secrets import Secret
from engine.sources.roam_tokens import VARIABLE, TokenStore

LOCAL, CLOUD = SourceKind.ROAM_LOCAL, SourceKind.ROAM_CLOUD
KEPT = "roam-graph-local-token-kept"
GIVEN = "roam-graph-local-token-given"


class Keychain:
    def __init__(self) -> None:
        self.held: dict[str, str] = {}
        self.is_locked = False
        self.forgets = False

    def get(self, account: str, limit: float) -> str | None:
        self._check()
        return self.held.get(account)

    def set(self, account: str, value: str) -> None:
        self._check()
        if not self.forgets:
            self.held[account] = value

    def delete(self, account: str) -> None:
        self._check()
        self.held.pop(account, None)

    def _check(self) -> None:
        if self.is_locked:
            raise KeychainUnavailable("The system's keychain is locked.")


def store_of(keychain: Keychain, environ: dict[str, str] | None = None) -> TokenStore:
    return TokenStore(get=keychain.get, set=keychain.set, delete=keychain.delete, environ=environ or {})


def test_kept_in_the_keychain_by_kind_and_location() -> None:
    keychain = Keychain()
    store = store_of(keychain)
    assert store.find(LOCAL, "garden") is None
    assert store.keep(LOCAL, "garden", Secret(KEPT)) == ""
    assert keychain.held == {"roam-local:garden": KEPT}
    assert store.find(LOCAL, "garden") == Secret(KEPT)
    assert store.find(LOCAL, "garden?type=offline") is None
    assert store.find(CLOUD, "garden") is None
    assert store_of(keychain).find(LOCAL, "garden") == Secret(KEPT)
    store.forget(LOCAL, "garden")
    assert store.find(LOCAL, "garden") is None


@pytest.mark.parametrize("trouble", ["is_locked", "forgets"])
def test_without_a_keychain_for_this_session_only_and_said_so(trouble: str, tmp_path: Path) -> None:
    keychain = Keychain()
    setattr(keychain, trouble, True)
    store = store_of(keychain)
    notice = store.keep(LOCAL, "garden", Secret(KEPT))
    assert "until Lamplight ends" in notice
    assert KEPT not in notice
    assert store.find(LOCAL, "garden") == Secret(KEPT)
    assert store_of(keychain).find(LOCAL, "garden") is None
    assert list(tmp_path.iterdir()) == []


def test_the_environment_comes_last_and_must_suit_the_kind() -> None:
    keychain = Keychain()
    store = store_of(keychain, {VARIABLE: GIVEN})
    assert store.find(LOCAL, "garden") == Secret(GIVEN)
    assert store.find(CLOUD, "garden") is None
    store.keep(LOCAL, "garden", Secret(KEPT))
    assert store.find(LOCAL, "garden") == Secret(KEPT)
    assert store_of(keychain, {VARIABLE: "roam-graph-token-x"}).find(CLOUD, "garden") == Secret("roam-graph-token-x")
    assert store_of(Keychain(), {VARIABLE: ""}).find(LOCAL, "garden") is None


def test_a_token_of_the_other_kind_is_refused_without_being_quoted() -> None:
    keychain = Keychain()
    with pytest.raises(BadRequest, match="begins with roam-graph-token-") as caught:
        store_of(keychain).keep(CLOUD, "garden", Secret(KEPT))
    assert KEPT not in str(caught.value)
    assert keychain.held == {}


def test_forgetting_says_when_the_keychain_may_still_hold_it() -> None:
    keychain = Keychain()
    store = store_of(keychain)
    keychain.is_locked = True
    store.keep(LOCAL, "garden", Secret(KEPT))
    with pytest.raises(KeychainUnavailable):
        store.forget(LOCAL, "garden")
    assert store.find(LOCAL, "garden") is None
