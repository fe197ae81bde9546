"""Live graphs from the command line: what is printed, what is left on disk, exit codes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.frontends.cli import main
from tests.servers.roam import EMAIL, LOCAL_TOKEN, FakeRoam, Graph

CHECKOUT = Path(__file__).resolve().parents[2]
SECRET = LOCAL_TOKEN.removeprefix("roam-graph-local-token-")


class Person:
    """A home folder with Roam's files in it, and what the commands printed so far."""

    def __init__(self, folder: Path, server: FakeRoam) -> None:
        self.folder = folder
        self.server = server
        self.printed = ""

    def run(self, *words: str, code: int = 0, typed: str = "", token: str = "") -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "HOME": str(self.folder),
            "USERPROFILE": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "LAMPLIGHT_HOME": str(self.folder / "lamplight"),
            "LAMPLIGHT_ROAM_TOKEN": token,
        }
        program = "import sys; from engine.frontends.cli import main; sys.exit(main())"
        answer = subprocess.run(
            [sys.executable, "-c", program, *words],
            cwd=CHECKOUT,
            env=environment,
            input=typed,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
        self.printed += answer.stdout + answer.stderr
        assert answer.returncode == code, answer.stdout + answer.stderr
        return answer

    def everything(self) -> bytes:
        """All that was printed, and the bytes of every file but the ones that belong to Roam."""
        files = [path for path in (self.folder / "lamplight").rglob("*") if path.is_file()]
        assert len(files) > 3
        return b"\0".join([self.printed.encode(), *(path.read_bytes() for path in files)])


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    graph = Graph()
    graph.user("user00001")
    page = graph.page("Tulips", "tulips001")
    graph.block(page, "Plant the bulbs in October", "bulbs0001")
    hidden = graph.block(page, "Zanzibar secret #.rm-hide", "hidden001")
    graph.block(hidden, "Zanzibar beneath", "beneath01")
    graph.ghost(page, "Zanzibar ghost", "ghost0001")
    with FakeRoam(graph) as server:
        (tmp_path / ".roam-local-api.json").write_text(json.dumps({"port": server.port}))
        tools = tmp_path / ".roam-tools.json"
        entry = {"name": "garden", "nickname": "gar", "token": LOCAL_TOKEN}
        tools.write_text(json.dumps({"graphs": [entry, {"name": "bad entry", "token": LOCAL_TOKEN}]}))
        tools.chmod(0o600)
        yield Person(tmp_path, server)


def test_from_discovery_to_a_refreshed_search_with_the_token_nowhere(person: Person) -> None:
    found = person.run("sources", "--discovered")
    assert "found: gar" in found.stdout
    assert "not indexed, window open" in found.stdout
    assert "graph 2 was left out" in found.stderr

    kept = person.run("token", "set", "gar", typed=LOCAL_TOKEN + "\n")
    assert "Roam accepts the token for garden (read-only)." in kept.stdout
    assert "until Lamplight ends" in kept.stdout

    person.run("add", "--graph", "gar", "--no-index")
    done = person.run("index", "gar", token=LOCAL_TOKEN)
    assert "complete" in done.stdout

    config = person.folder / "lamplight" / "config" / "sources.toml"
    config.write_text(config.read_text() + "\n[source.options]\nmax_age_seconds = 0\n")
    person.server.refusal = (401, {"error": {"code": "TOKEN_NOT_FOUND", "message": f"no token {LOCAL_TOKEN}"}})
    answer = person.run("search", "--refresh", "--json", "bulbs", token=LOCAL_TOKEN)
    [age] = json.loads(answer.stdout)["ages"]
    assert age["refresh"] == "refresh-failed"
    assert "revoked" in age["detail"]
    assert "Plant the bulbs in October" in answer.stdout

    everything = person.everything()
    assert SECRET.encode() not in everything
    for never in (EMAIL, "Zanzibar"):
        assert never.encode() not in everything
    assert b"read a graph" in everything, "the ledger was looked through too"


@pytest.fixture
def command(
    person: Person, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The same commands within this process, which saves its start: (exit code, stdout, stderr)."""
    monkeypatch.setattr(Path, "home", lambda: person.folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(person.folder / "config"))
    monkeypatch.setenv("LAMPLIGHT_ROAM_TOKEN", LOCAL_TOKEN)

    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        return code, *capsys.readouterr()

    return run


def test_schedules_skip_a_closed_window(person: Person, command: Callable[..., tuple[int, str, str]]) -> None:
    command("add", "--graph", "garden", "--no-index")
    person.server.open = []
    person.server.requests.clear()
    code, out, err = command("index", "--require-open-window", "--all")
    assert (code, out, err) == (0, "Skipped: the window of 'gar' is not open.\n", "")
    assert {seen.path for seen in person.server.requests} == {"/api/graphs/open"}
    person.server.refusal = (403, {"error": "Local API is disabled. Enable it in Settings menu."})
    code, out, err = command("index", "gar")
    assert code == 1
    warning, error = err.splitlines()
    assert warning.startswith("! Roam may open a window for garden, and ask there for the password")
    assert error.startswith("lamplight: The local API is switched off in Roam Desktop. ")


def test_services_say_what_they_send(command: Callable[..., tuple[int, str, str]]) -> None:
    assert "your graph token and read queries go to Roam's servers" in command("services", "on", "roam-cloud")[1]
    listed = {s["name"]: s["on"] for s in json.loads(command("services", "--json")[1])["services"]}
    assert listed["roam-cloud"]
    assert not listed["openrouter"]
    assert "off" in command("services", "off", "roam-cloud")[1]
    code, _, err = command("services", "on", "elsewhere")
    assert code == 2
    assert "There are: model-download" in err
    code, _, err = command("add", "somewhere", "--graph", "gar")
    assert code == 2
    assert "either a path or --graph" in err


def test_tokens_from_the_command_line(
    command: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Roam accepts the token" in command("token", "import", "gar")[1]
    assert "Roam accepts the token" in command("token", "request", "gar")[1]
    assert command("token", "check", "gar")[:2] == (0, "garden can be read: 1 pages.\n")
    assert "forgotten" in command("token", "forget", "gar")[1]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    assert command("token", "set", "gar")[0] == 2
    monkeypatch.setattr("sys.stdin", io.StringIO("roam-graph-token-of-the-cloud\n"))
    code, out, err = command("token", "set", "gar")
    assert code == 2
    assert "begins with roam-graph-local-token-" in err
    assert "of-the-cloud" not in out + err
    code, _, err = command("token", "import", "nowhere")
    assert code == 1
    assert "There is no graph 'nowhere'. Known graphs: gar (garden)." in err
