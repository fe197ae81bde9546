"""The commands of the graph while another process has the library open: the same documents through the channel."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.frontends import attach
from engine.frontends.cli import build_parser, main
from engine.frontends.host import HostedLibrary
from engine.frontends.terminal import open_library
from engine.paths import Home
from tests.servers.chat import FakeChat

READ = json.dumps(
    {
        "facts": [
            {
                "subject": "Rye",
                "subject_type": "concept",
                "predicate": "needs",
                "object": "sour dough",
                "object_type": "concept",
                "quote": "Rye needs a sour dough",
                "confidence": 0.9,
            }
        ]
    }
)


@pytest.fixture
def server() -> Iterator[FakeChat]:
    with FakeChat(lambda system, user: READ) as made:
        yield made


def document(capsys: pytest.CaptureFixture[str], words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["graph", *shlex.split(words), "--json"]) == 0, words
    return _steady(json.loads(capsys.readouterr().out))


def _steady(value: Any) -> Any:
    """Without what no two runs share."""
    if isinstance(value, dict):
        return {name: _steady(one) for name, one in value.items() if name not in ("seconds", "version")}
    return [_steady(one) for one in value] if isinstance(value, list) else value


LOOKING = (
    "pages",
    "pages bees --type note",
    "stats",
    "assemble",
    "path Bread Bees",
    "near Bees --hops 2",
    "timeline Bees",
    "communities --daily",
    "merges --all --proposed",
    "resolve --preview",
    "parse",
    "ask 'What does rye need?'",
    "eval",
)


@pytest.mark.parametrize("words", LOOKING)
def test_a_command_answers_the_same_attached_and_alone(
    shared: HostedLibrary, shared_home: Home, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    with open_library() as library:
        assert isinstance(library, attach.RemoteLibrary)
    through = document(capsys, words)
    alone = shared.graph_call(words.split()[0], _options(words))
    assert through == _steady(json.loads(json.dumps(alone)))


def _options(words: str) -> dict[str, Any]:
    return vars(build_parser().parse_args(["graph", *shlex.split(words)]))


def test_the_graph_is_changed_through_the_channel(
    hosted: HostedLibrary,
    home: Home,
    server: FakeChat,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LAMPLIGHT_HOME", str(home.data.parent))
    assert document(capsys, f"models --server {server.url}")["models"][0]["name"] == "tiny"
    extract = f"extract --server {server.url}"
    assert document(capsys, f"{extract} --dry-run --subtree Bread")["reports"][0]["passages"] == 1
    assert document(capsys, f"{extract} --subtree Bread")["reports"][0]["facts"] == 1
    assert document(capsys, f"{extract} --subtree Bread")["reports"][0]["written"] == 0
    path = document(capsys, "path Rye 'sour dough'")["paths"][0]
    assert path["hops"][0][0]["evidence"][0]["quote"] == "Rye needs a sour dough"
    before = hosted.graph()
    decided = document(capsys, "merges same Lens Lamp")["decided"]
    assert hosted.graph() != before
    document(capsys, f"merges undo {decided['id']}")
    assert hosted.graph() == before
    place = tmp_path / "out" / "graph.json"
    place.parent.mkdir()
    assert document(capsys, f"export {place} --form json")["files"] == [str(place)]
    assert json.loads(place.read_text("utf-8"))["entities"]
    asked = document(capsys, f"ask 'What does rye need?' --server {server.url}")
    assert asked["model"] == "tiny"
    assert main(["graph", "path", "Nobody", "Bees"]) == 2
    assert "no entity 'Nobody'" in capsys.readouterr().err
