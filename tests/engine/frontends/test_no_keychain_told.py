"""Where there is no keychain a stranger is told so, wherever they look, until they have chosen a way to protect."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backends import fail

from engine.frontends import attach, cli
from engine.frontends.host import HostedLibrary
from engine.frontends.lock import LibraryLock
from engine.inference.fake import FakeEmbedder
from engine.paths import Home
from engine.store.protection import UNPROTECTED

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Exit code, stdout and stderr of a command line, each as its own start of the library."""
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())

    def opened(place: Home | None = None, **_: object) -> HostedLibrary:
        lock = LibraryLock.take((place or home).lock_file)
        assert lock is not None
        return HostedLibrary(place or home, FakeEmbedder(), lock=lock)

    monkeypatch.setattr(attach, "open_library", opened)

    def call(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = cli.main(list(words))
        said = capsys.readouterr()
        return code, said.out, said.err

    yield call
    keyring.set_keyring(before)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("The lamp burns oil.\n")
    return folder


def test_it_is_said_when_the_first_index_is_made_and_at_every_start(run: Run, vault: Path) -> None:
    code, _, err = run("add", str(vault), "--name", "vault")
    assert code == 0
    assert err.count(UNPROTECTED) == 1
    assert "lamplight protect keychain, passphrase, session or plain" in err
    for words in (["search", "lamp"], ["status"], ["sources"], ["index", "vault"]):
        assert run(*words)[2].count(UNPROTECTED) == 1, words


def test_status_and_doctor_mark_it(run: Run, vault: Path) -> None:
    run("add", str(vault), "--name", "vault")
    assert "NOT encrypted: choose how it is protected with lamplight protect" in run("status", "vault")[1]
    doctor = run("doctor")[1]
    assert UNPROTECTED in doctor
    assert "there is none on this system, or it is not running" in doctor
    assert "lamplight protect passphrase, session or plain" in doctor
    assert json.loads(run("status", "--json")[1])["sources"][0]["encrypted"] is False


def test_who_has_chosen_plain_is_asked_no_more_and_still_reads_it(run: Run, vault: Path) -> None:
    run("add", str(vault), "--name", "vault")
    assert run("protect", "plain")[0] == 0
    _, out, err = run("status", "vault")
    assert UNPROTECTED not in err
    assert "NOT encrypted" in out
    assert "choose" not in out
    assert "Indexes are not encrypted, as the settings say." in run("doctor")[1]


def test_who_chooses_a_session_key_or_a_passphrase_has_no_plain_index(
    run: Run, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("add", str(vault), "--name", "vault")
    monkeypatch.setenv("LAMPLIGHT_PASSPHRASE", "four quiet words here")
    assert run("protect", "passphrase")[0] == 0
    monkeypatch.setenv("LAMPLIGHT_PASSPHRASE", "four quiet words here")
    code, out, err = run("status", "vault")
    assert (code, UNPROTECTED in err) == (0, False)
    assert ", encrypted" in out
