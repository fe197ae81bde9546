from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.job import Job
from engine.model import Source, SourceId, SourceKind
from engine.net.client import Client
from engine.net.policy import Policy
from engine.net.secrets import Secret
from engine.sources import roam_graphs
from engine.sources.roam_graphs import discover_graphs, gate, local_api, open_cloud_reader, open_local_reader
from engine.sources.roam_tokens import TokenStore
from engine.sources.roam_windows import WindowState
from tests.servers.roam import CLOUD_TOKEN, LOCAL_TOKEN, FakeRoam, Graph


def local_source(location: str = "garden") -> Source:
    return Source(SourceId("s1"), SourceKind.ROAM_LOCAL, "My garden", location)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of a person whose Roam tools know two graphs."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    graphs = [
        {"name": "garden", "nickname": "gar", "token": LOCAL_TOKEN},
        {"name": "attic", "nickname": "att", "type": "offline", "token": LOCAL_TOKEN},
        {"name": "old", "nickname": "old", "token": LOCAL_TOKEN, "lastKnownTokenStatus": "revoked"},
        {"name": "bad", "token": 5},
    ]
    path = tmp_path / ".roam-tools.json"
    path.write_text(json.dumps({"graphs": graphs}))
    path.chmod(0o600)
    return tmp_path


def tell_port(folder: Path, server: FakeRoam) -> None:
    (folder / ".roam-local-api.json").write_text(json.dumps({"port": server.port}))


def tokens(**held: str) -> TokenStore:
    return TokenStore(
        get=lambda account, limit: held.get(account), set=held.__setitem__, delete=lambda account: None, environ={}
    )


def test_graphs_on_this_machine(folder: Path) -> None:
    client = Client(Policy())
    with FakeRoam(Graph()) as server:
        tell_port(folder, server)
        server.open = [{"name": "garden"}, {"name": "work", "type": "offline"}]
        found, notices = discover_graphs([local_source("attic?type=offline")], local_api(client))
        assert [seen.path for seen in server.requests] == ["/api/graphs/open"]
    assert [(one.name, one.location, one.registered, one.detail) for one in found] == [
        ("gar", "garden", False, "window open"),
        ("att", "attic?type=offline", True, "window closed"),
        ("old", "old", False, "window closed, no token yet"),
        ("work (offline)", "work?type=offline", False, "window open, no token yet"),
    ]
    assert len(notices) == 1
    assert LOCAL_TOKEN not in repr((found, notices))


def test_graphs_while_roam_is_away(folder: Path) -> None:
    with FakeRoam() as server:
        tell_port(folder, server)
    found, _ = discover_graphs([], local_api(Client(Policy())))
    assert [one.detail for one in found] == ["window unknown", "window unknown", "window unknown, no token yet"]


def test_a_registered_graph_is_read_with_the_token_of_the_keychain(folder: Path) -> None:
    graph = Graph()
    graph.page("Tulips", "tulips001")
    client = Client(Policy())
    with FakeRoam(graph) as server:
        tell_port(folder, server)
        assert gate(local_source(), client) is WindowState.OPEN
        reader = open_local_reader(local_source(), client, tokens(**{"roam-local:garden": LOCAL_TOKEN}), limit=5.0)
        assert [ref.title for ref in reader.scan(Job()).refs] == ["Tulips"]
        reader.close()


def test_a_registered_cloud_graph_asks_for_its_own_token(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Secret | None] = []
    monkeypatch.setattr(roam_graphs, "cloud_reader", lambda _graph, find_token, *_, **__: found.append(find_token()))
    source = Source(SourceId("s2"), SourceKind.ROAM_CLOUD, "Cloud", "garden")
    open_cloud_reader(source, Client(Policy()), tokens(**{"roam-cloud:garden": CLOUD_TOKEN}))
    assert found == [Secret(CLOUD_TOKEN)]
