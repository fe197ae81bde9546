"""The way the files are protected can be changed in every direction; nothing is lost and nothing plain is left."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import null

from engine import settings
from engine.errors import BadRequest, KeychainUnavailable, PassphraseNeeded, WrongKey
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import Changed, SearchRequest
from engine.paths import Home
from engine.store import passphrase, rewriting
from engine.store.database import is_encrypted
from engine.store.protection import database_files, passphrase_file
from engine.store.rewriting import protect

PLANTED = "The violet heron keeps the seventh ledger"
WORDS = "four quiet words here"


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
        del self.kept[service, username]


@pytest.fixture(autouse=True)
def chain(monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryKeyring]:
    before, memory = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(memory)
    monkeypatch.setattr(passphrase, "_COST", 2**4)
    monkeypatch.setattr(passphrase, "ask", None)
    passphrase.give(None)
    yield memory
    passphrase.give(None)
    keyring.set_keyring(before)


@pytest.fixture
def filled(home: Home, tmp_path: Path) -> Home:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text(f"# Birds\n{PLANTED}.\n")
    with open_library(home) as library:
        library.add(str(vault), name="vault")
        library.index("vault", Job())
        library.save_search("birds", PLANTED)
    return home


def open_library(home: Home) -> Library:
    return Library(home, FakeEmbedder())


def found(home: Home) -> tuple[int, dict[str, str]]:
    with open_library(home) as library:
        return found_in(library)


def found_in(library: Library) -> tuple[int, dict[str, str]]:
    return len(library.search(SearchRequest("heron mode:word")).rows), library.saved_searches()


def plain_places(home: Home) -> list[str]:
    files = [file for file in home.data.parent.rglob("*") if file.is_file()]
    return [file.name for file in files if PLANTED.encode() in file.read_bytes()]


KEPT = (1, {"birds": PLANTED})


def test_each_way_to_each_other(filled: Home) -> None:
    for mode in ("plain", "keychain", "passphrase", "plain", "passphrase", "keychain"):
        protect(filled, mode, WORDS)
        assert found(filled) == KEPT
        assert settings.load(filled)[0].protection == mode
        assert {is_encrypted(file) for file in database_files(filled)} == {mode != "plain"}
        assert passphrase_file(filled).exists() is (mode == "passphrase")
        assert bool(plain_places(filled)) is (mode == "plain")
    assert protect(filled, "keychain") == 0, "a second time there is nothing to do"


def test_a_session_forgets_the_index_and_keeps_the_decisions(filled: Home) -> None:
    protect(filled, "session")
    with open_library(filled) as library:
        assert library.status("vault").state == "new"
        library.index("vault", Job())
        assert library.status("vault").encrypted
        assert len(library.search(SearchRequest("heron mode:word")).rows) == 1
        assert any("as long as this program" in notice for notice in library.notices)
    with open_library(filled) as library:
        assert library.search(SearchRequest("heron mode:word")).rows == ()
        assert library.saved_searches() == KEPT[1]
    protect(filled, "keychain")
    with open_library(filled) as library:
        library.index("vault", Job())
    assert found(filled) == KEPT


def test_only_the_right_passphrase_opens(filled: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    protect(filled, "passphrase", WORDS)
    for wrong in (None, "four other words here"):
        passphrase.give(wrong)
        with open_library(filled) as library:
            assert library.status("vault").state == "passphraseneeded"
            with pytest.raises(WrongKey, match="passphrase"):
                library.saved_searches()
    passphrase.give(None)
    monkeypatch.setenv(passphrase.VARIABLE, WORDS)
    assert found(filled) == KEPT
    assert passphrase.VARIABLE not in os.environ, "children would inherit it"
    assert not [f for f in filled.data.parent.rglob("*") if f.is_file() and WORDS.encode() in f.read_bytes()]


def test_an_open_library_is_unlocked(filled: Home) -> None:
    protect(filled, "passphrase", WORDS)
    passphrase.give(None)
    with open_library(filled) as library:
        assert library.status("vault").state == "passphraseneeded"
        with pytest.raises(WrongKey, match="not the right one"):
            library.unlock("four other words here")
        assert library.status("vault").state == "passphraseneeded"
        assert Changed.NOTES in library.unlock(WORDS).kinds
        assert library.status("vault").state == "indexed"
        assert library.saved_searches() == KEPT[1]


def test_a_passphrase_is_chosen_once_and_protects_new_files(filled: Home, tmp_path: Path) -> None:
    with open_library(filled) as library:
        with pytest.raises(BadRequest, match="8 characters"):
            library.choose_passphrase("short")
        library.choose_passphrase(WORDS)
        library.choose_passphrase(WORDS)
        with pytest.raises(WrongKey, match="not the right one"):
            library.choose_passphrase("four other words here")
        library.change_settings(dataclasses.replace(library.settings, protection="passphrase"))
    passphrase.give(None)
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.md").write_text("# More\nA grey heron.\n")
    with open_library(filled) as library:
        library.add(str(other), name="other")
        with pytest.raises(PassphraseNeeded):
            library.index("other", Job())
        library.unlock(WORDS)
        assert found_in(library) == KEPT, "what was there opens with the key it was made with"
        assert library.index("other", Job()).passages == 1
        assert library.status("other").encrypted
    passphrase.give(WORDS)
    with open_library(filled) as library:
        assert library.status("other").state == "indexed"


@pytest.mark.parametrize("salt", ["", "[]", '{"salt": "zz"}', '{"salt": 3, "check": 4}', "[" * 100_000])
def test_a_spoilt_salt_is_said(tmp_path: Path, salt: str) -> None:
    file = tmp_path / "passphrase.json"
    file.write_text(salt)
    with pytest.raises(WrongKey, match="salt"):
        passphrase.key_of(file, WORDS)


def test_nothing_changes_without_a_key(filled: Home, chain: MemoryKeyring) -> None:
    before = {file: file.read_bytes() for file in database_files(filled)}
    with pytest.raises(BadRequest, match="at least"):
        protect(filled, "passphrase", "short")
    chain.kept.clear()
    with pytest.raises(WrongKey, match="No known key"):
        protect(filled, "plain")
    keyring.set_keyring(null.Keyring())
    with pytest.raises((KeychainUnavailable, WrongKey)):
        protect(filled, "plain")
    assert {file: file.read_bytes() for file in database_files(filled)} == before
    assert settings.load(filled)[0].protection == "keychain"
    protect(filled, "plain", discard=True)
    assert database_files(filled) == []
    assert len(list(filled.indexes.glob("*.locked"))) == 1


@pytest.mark.parametrize(("start", "end"), [("keychain", "passphrase"), ("passphrase", "plain"), ("plain", "keychain")])
def test_broken_off_between_two_files_it_goes_on(
    filled: Home, start: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    protect(filled, start, WORDS)
    real, done = rewriting.rewrite, []

    def breaks(path: Path, old: str | None, new: str | None) -> None:
        if done:
            path.with_name(path.name + rewriting.SUFFIX).write_text(PLANTED)
            raise KeyboardInterrupt
        done.append(path)
        real(path, old, new)

    monkeypatch.setattr(rewriting, "rewrite", breaks)
    with pytest.raises(KeyboardInterrupt):
        protect(filled, end, WORDS)
    monkeypatch.setattr(rewriting, "rewrite", real)
    assert found(filled) == KEPT
    assert not list(filled.data.rglob(f"*{rewriting.SUFFIX}*"))
    protect(filled, end, WORDS)
    assert found(filled) == KEPT
    assert bool(plain_places(filled)) is (end == "plain")
