"""Secrets go to the system's keychain and nowhere else; a silent or missing keychain is a clear error."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import InitError, PasswordDeleteError

from engine import keychain
from engine.errors import KeychainUnavailable


class MemoryKeyring(KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.kept:
            raise PasswordDeleteError("not found")
        del self.kept[service, username]


class LockedKeyring(MemoryKeyring):
    def get_password(self, service: str, username: str) -> str | None:
        raise InitError("Failed to unlock the collection!\nPrompt dismissed")


class SilentKeyring(MemoryKeyring):
    """Waits for a prompt that nobody answers."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.answered.wait()
        return None


class ForgetfulKeyring(MemoryKeyring):
    def set_password(self, service: str, username: str, password: str) -> None:
        pass


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


def test_secrets_are_kept_under_one_service(memory: MemoryKeyring) -> None:
    assert keychain.get_secret("token") is None
    keychain.set_secret("token", "gehe¡m")
    assert memory.kept == {("lamplight", "token"): "gehe¡m"}
    assert keychain.get_secret("token") == "gehe¡m"
    keychain.delete_secret("token")
    keychain.delete_secret("token")
    assert memory.kept == {}


def test_the_index_key_is_made_once(memory: MemoryKeyring) -> None:
    assert keychain.index_key(create=False) is None
    key = keychain.index_key()
    assert key is not None
    assert len(bytes.fromhex(key)) == 32
    assert keychain.index_key() == key == keychain.index_key(create=False)
    memory.kept.clear()
    assert keychain.index_key() != key


@pytest.mark.usefixtures("memory")
def test_a_locked_keychain_says_so() -> None:
    keyring.set_keyring(LockedKeyring())
    with pytest.raises(KeychainUnavailable, match="Failed to unlock the collection") as caught:
        keychain.index_key()
    assert caught.value.remedy


@pytest.mark.usefixtures("memory")
def test_a_silent_keychain_does_not_hold_up_the_program() -> None:
    silent = SilentKeyring()
    keyring.set_keyring(silent)
    with pytest.raises(KeychainUnavailable, match="did not answer"):
        keychain.get_secret("token", time_limit=0.05)
    silent.answered.set()


@pytest.mark.usefixtures("memory")
def test_a_key_that_is_not_kept_is_not_used() -> None:
    keyring.set_keyring(ForgetfulKeyring())
    with pytest.raises(KeychainUnavailable, match="did not keep"):
        keychain.index_key()


@pytest.mark.usefixtures("memory")
def test_no_keychain_at_all() -> None:
    from keyring.backends import fail

    keyring.set_keyring(fail.Keyring())
    with pytest.raises(KeychainUnavailable, match="cannot be used"):
        keychain.get_secret("token")


def stand_in(module: str, name: str) -> KeyringBackend:
    """A backend that calls itself as one of the library's own does."""
    return type(name, (MemoryKeyring,), {"__module__": module})()


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize(
    ("module", "name", "why"),
    [
        ("keyring.backends.null", "Keyring", "switched off"),
        ("keyring.backends.fail", "Keyring", "none on this system"),
        ("keyrings.alt.file", "PlaintextKeyring", "anyone can read"),
    ],
)
def test_what_keeps_no_secret_is_no_keychain(module: str, name: str, why: str) -> None:
    keyring.set_keyring(stand_in(module, name))
    for use in (
        lambda: keychain.index_key(create=False),
        keychain.index_key,
        lambda: keychain.set_secret("token", "x"),
    ):
        with pytest.raises(KeychainUnavailable, match=why):
            use()
    if "null" in module:
        keychain.delete_secret("token")  # What was never kept is forgotten already.
    else:
        with pytest.raises(KeychainUnavailable, match=why):
            keychain.delete_secret("token")
    chain = MemoryKeyring()
    chain.backends = [stand_in(module, name), MemoryKeyring()]  # type: ignore[attr-defined]
    keyring.set_keyring(chain)
    with pytest.raises(KeychainUnavailable, match=why):
        keychain.index_key()
