"""News of updates: asked for only when allowed, believed only when signed, never older than what runs."""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine import __version__
from engine.errors import NotAllowed
from engine.frontends import cli
from engine.job import Job
from engine.model import Release
from engine.net import updates
from engine.net.client import Client, NetError
from engine.net.ledger import Ledger
from engine.net.policy import LOOPBACK, UPDATE_CHECK, Policy
from engine.net.updates import believe, newer, newest
from engine.paths import find_home, prepare_home
from engine.settings import Settings, save
from tests.servers.loopback import Scripted, as_json

PRIVATE = Ed25519PrivateKey.generate()
KEY = PRIVATE.public_key().public_bytes_raw()
PAGE = "https://github.com/lamplight-app/lamplight/releases/tag/v9.0.0"
VALUES = {"version": "9.0.0", "commit": "0123456789ab", "page": PAGE}
HERE = dataclasses.replace(UPDATE_CHECK, is_loopback=True, hosts=("127.0.0.1",), schemes=("http",))


def signed(values: object = VALUES, key: Ed25519PrivateKey = PRIVATE) -> dict[str, Any]:
    text = json.dumps(values)
    return {"release": text, "signature": base64.b64encode(key.sign(text.encode())).decode()}


def said(document: object, status: int = 200) -> tuple[int, dict[str, str], bytes]:
    return status, {}, as_json(document)


def test_a_signed_release_is_believed() -> None:
    assert believe(json.dumps(signed()).encode(), KEY) == Release("9.0.0", "0123456789ab", PAGE)


def forged() -> dict[str, Any]:
    """The signature of one text under another."""
    return {**signed(), "release": json.dumps({**VALUES, "version": "9.9.9"})}


@pytest.mark.parametrize(
    "made",
    [
        forged,
        lambda: signed(key=Ed25519PrivateKey.generate()),
        lambda: {**signed(), "signature": "!"},
        lambda: {"release": signed()["release"]},
        lambda: {"signature": signed()["signature"]},
        lambda: [],
        lambda: "9.0.0",
        lambda: signed({**VALUES, "version": "nine"}),
        lambda: signed({**VALUES, "page": "https://example.org/lamplight"}),
        lambda: signed({**VALUES, "page": "file:///bin/sh"}),
        lambda: signed({**VALUES, "commit": "$(id)"}),
        lambda: signed({"version": "9.0.0"}),
        lambda: signed([1]),
    ],
)
def test_anything_else_is_not_believed(made: Callable[[], object]) -> None:
    with pytest.raises(NetError, match="not signed"):
        believe(json.dumps(made()).encode(), KEY)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b"null"])
def test_what_is_no_document_is_not_believed(body: bytes) -> None:
    with pytest.raises(NetError, match="not signed"):
        believe(body, KEY)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    with Scripted(said(signed())) as scripted:
        monkeypatch.setattr(updates, "PLACE", f"{scripted.url}/updates.json")
        monkeypatch.setattr("engine.holdings.Policy", functools.partial(Policy, services=(LOOPBACK, HERE)))
        yield scripted


def allowed(folder: Path) -> Client:
    return Client(Policy(["update-check"], services=(LOOPBACK, HERE)), Ledger(folder / "connections.jsonl"))


def test_one_request_that_says_nothing_of_the_owner(server: Scripted, tmp_path: Path) -> None:
    assert newest(allowed(tmp_path), KEY, Job()).version == "9.0.0"
    (seen,) = server.requests
    assert (seen.method, seen.path, seen.body) == ("GET", "/updates.json", b"")
    assert "cookie" not in seen.headers
    (line,) = (tmp_path / "connections.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["why"] == "ask for the newest version"


@pytest.mark.parametrize(
    ("version", "running", "is_update"),
    [("0.1.1", "0.1.0", True), ("0.10.0", "0.9.9", True), ("0.1.0", "0.1.0", False), ("0.0.9", "0.1.0", False)],
)
def test_only_a_later_version_is_an_update(
    server: Scripted, tmp_path: Path, version: str, running: str, is_update: bool
) -> None:
    server.answers = [said(signed({**VALUES, "version": version}))]
    assert (newer(allowed(tmp_path), KEY, running, Job()) is not None) is is_update


def test_a_page_that_does_not_know_is_no_news(server: Scripted, tmp_path: Path) -> None:
    server.answers = [said({}, 404)]
    with pytest.raises(NetError, match="status 404"):
        newest(allowed(tmp_path), KEY, Job())


def test_nothing_is_asked_while_it_is_off(tmp_path: Path) -> None:
    client = Client(Policy(resolve=lambda name, port: pytest.fail("a name was looked up")))
    with pytest.raises(NotAllowed, match="switched off"):
        newest(client, KEY, Job())


def test_a_build_without_a_key_asks_nothing() -> None:
    client = Client(Policy(["update-check"], resolve=lambda name, port: pytest.fail("a name was looked up")))
    with pytest.raises(NotAllowed, match="no key"):
        newest(client, b"", Job())


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What ``lamplight updates`` prints, with the switch as it is given and the test's key in the build."""
    monkeypatch.setenv("LAMPLIGHT_HOME", str(tmp_path))
    monkeypatch.setattr(updates, "makers_key", lambda: KEY)

    def call(*words: str, on: bool = True, code: int = 0) -> str:
        home = find_home()
        prepare_home(home)
        save(home, Settings(update_check=on))
        assert cli.main(["updates", *words]) == code
        printed = capsys.readouterr()
        return printed.out + printed.err

    return call


def test_the_command_says_what_there_is_and_where(server: Scripted, command: Callable[..., str]) -> None:
    printed = command()
    assert "Lamplight 9.0.0 (build 0123456789ab) is there" in printed
    assert PAGE in printed
    document = json.loads(command("--json"))
    assert document == {"version": 1, "running": __version__, "newer": VALUES}


def test_the_command_says_that_nothing_is_newer(server: Scripted, command: Callable[..., str]) -> None:
    server.answers = [said(signed({**VALUES, "version": __version__}))]
    assert "newest version" in command()
    assert json.loads(command("--json"))["newer"] is None


def test_the_command_asks_nothing_while_it_is_off(server: Scripted, command: Callable[..., str]) -> None:
    assert "services on update-check" in command(on=False, code=1)
    assert not server.requests
