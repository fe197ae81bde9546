from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import BadRequest, Cancelled, EngineError, NotAllowed, RetryError, SourceOffline
from engine.job import Job
from engine.net.client import Client
from engine.net.ledger import Ledger
from engine.net.policy import LOOPBACK, ROAM_CLOUD, Policy
from engine.net.roam_cloud_api import BASE_URL, CloudApi
from engine.net.roam_errors import RoamRefused
from engine.net.secrets import Secret
from tests.servers.loopback import Scripted, as_json
from tests.servers.roam import CLOUD_TOKEN, EMAIL, FakeCloud, Graph

TOKEN = Secret(CLOUD_TOKEN)
# The true service, but on this machine, so that the whole road is driven without leaving it.
HERE = dataclasses.replace(ROAM_CLOUD, is_loopback=True, hosts=("127.0.0.1",), schemes=("http",))


def garden(pages: int = 3) -> Graph:
    graph = Graph(token=CLOUD_TOKEN)
    graph.user("user00001")
    graph.page("Empty", "empty0001")
    for number in range(pages):
        page = graph.page(f"Page {number}", f"page{number:05d}")
        above = graph.block(page, f"top {number}", f"top{number:06d}")
        graph.block(above, f"below {number}", f"below{number:04d}")
    return graph


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def client(tmp_path: Path, waits: list[float]) -> Client:
    policy = Policy(["roam-cloud"], services=(LOOPBACK, HERE))
    return Client(
        policy,
        Ledger(tmp_path / "connections.jsonl"),
        wait=lambda stop, seconds: waits.append(seconds),
        jitter=lambda: 0.0,
    )


Api = Callable[..., CloudApi]


@pytest.fixture
def api_of(client: Client) -> Api:
    return lambda server, token=TOKEN: CloudApi(client, "garden", token, server.url)


def test_the_whole_graph(api_of: Api) -> None:
    with FakeCloud(garden()) as server:
        entities = api_of(server).pull_graph(Job())
    assert {entity.title for entity in entities if entity.title} == {"Empty", "Page 0", "Page 1", "Page 2"}
    assert {entity.string for entity in entities if entity.string} >= {"top 0", "below 0", "top 2", "below 2"}
    assert EMAIL not in repr(entities)
    assert all(seen.headers["x-authorization"] == f"Bearer {CLOUD_TOKEN}" for seen in server.requests)
    assert all(seen.path == "/api/graph/garden/q" for seen in server.requests)


def test_a_connection_is_good_only_when_the_graph_was_really_read(api_of: Api) -> None:
    with FakeCloud(garden()) as server:
        assert api_of(server).check_connection(Job()) == 4
        with pytest.raises(RoamRefused, match="do not accept the token"):
            api_of(server, Secret("roam-graph-token-wrong")).check_connection(Job())


def test_off_until_switched_on(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "connections.jsonl")
    with pytest.raises(NotAllowed) as caught:
        CloudApi(Client(Policy(), ledger), "garden", TOKEN, BASE_URL).pull_graph(Job())
    assert "graph token" in caught.value.remedy
    assert ledger.recent()[0].outcome == "not-allowed"


def test_the_peer_is_followed_with_the_token_and_remembered(api_of: Api) -> None:
    with FakeCloud(garden()) as peer, FakeCloud(garden()) as front:
        front.moved_to = peer.url
        api = api_of(front)
        assert api.pull_graph(Job())
        assert len(front.requests) == 1
        assert len(peer.requests) == 2
        assert {seen.headers["authorization"] for seen in peer.requests} == {f"Bearer {CLOUD_TOKEN}"}
        assert [seen.body for seen in front.requests] == [peer.requests[0].body]


@pytest.mark.parametrize(
    "location", ["http://93.184.216.34/q", "https://127.0.0.1:1/q", "http://api.roamresearch.com.evil.example/q"]
)
def test_a_redirect_out_of_roam_gets_nothing(api_of: Api, location: str) -> None:
    with Scripted((308, {"location": location}, b"")) as server, pytest.raises(NotAllowed):
        api_of(server).pull_graph(Job())
    assert len(server.requests) == 1


def test_redirects_without_end(api_of: Api) -> None:
    with Scripted((308, {"location": "/api/graph/garden/q"}, b"")) as server:
        with pytest.raises(SourceOffline, match="keeps sending requests elsewhere"):
            api_of(server).pull_graph(Job())
        assert len(server.requests) == 4


def test_busy_and_loading_servers_are_asked_again(api_of: Api, waits: list[float]) -> None:
    with FakeCloud(garden()) as server:
        server.script = [(429, {"retry-after": "3"}, b""), (503, {}, as_json({"message": "loading"}))]
        assert api_of(server).pull_graph(Job())
    assert waits == [3.0, 1.0]


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (429, {}, RetryError, "fewer requests"),
        (503, {"message": "Graph is loading"}, SourceOffline, "still loading"),
        (401, {"message": "You are not authenticated"}, RoamRefused, "do not accept the token"),
        (400, {"message": "Encrypted graphs are not supported"}, RoamRefused, "encrypted, and Roam's cloud API cannot"),
        (400, {"message": "invalid token format"}, RoamRefused, "not a cloud API token"),
        (400, {"message": "bad query"}, RetryError, "They said: bad query"),
        (404, {}, RoamRefused, "know no graph"),
        (500, {"message": "boom"}, RetryError, "status 500"),
        (500, "<html>", RetryError, "status 500"),
        (500, {"message": f"echo {CLOUD_TOKEN}"}, RetryError, r"They said: echo \*\*\*"),
        (500, {"message": "Query took too long to run."}, RetryError, "limit of 20 seconds"),
        (200, {"nothing": 1}, RetryError, "status 200"),
        (200, {"result": {"a": 1}}, RetryError, "unknown shape"),
    ],
)
def test_refusals(api_of: Api, status: int, body: object, kind: type[EngineError], message: str) -> None:
    with Scripted((status, {}, as_json(body))) as server, pytest.raises(kind, match=message) as caught:
        api_of(server).pull_graph(Job())
    assert CLOUD_TOKEN not in str(caught.value)
    if kind is not RetryError or status != 200:
        assert caught.value.remedy


def test_an_answer_that_is_no_json(api_of: Api) -> None:
    with Scripted((200, {}, b"<html>")) as server, pytest.raises(SourceOffline, match="not valid JSON"):
        api_of(server).pull_graph(Job())


def test_smaller_questions_when_large_ones_take_too_long(api_of: Api) -> None:
    with FakeCloud(garden(pages=9)) as server:
        server.slow_above = 2
        entities = api_of(server).pull_graph(Job())
        assert sum(entity.string is not None for entity in entities) == 18
        server.slow_above = 0
        with pytest.raises(RetryError, match="limit of 20 seconds") as caught:
            api_of(server).pull_graph(Job())
        assert caught.value.remedy == "Try again later."


def test_a_block_that_was_left_out_fails_the_pull(api_of: Api) -> None:
    graph = garden()
    with FakeCloud(graph) as server:
        server.forget = {
            next(number for number, entity in graph.entities.items() if entity.get(":block/string") == "below 1")
        }
        with pytest.raises(RetryError, match="left out 1 blocks of 'garden', so nothing was changed"):
            api_of(server).pull_graph(Job())


def test_deep_nesting_and_long_lists_come_whole(api_of: Api) -> None:
    graph = Graph(token=CLOUD_TOKEN)
    above = page = graph.page("Deep", "deep00001")
    for depth in range(60):
        above = graph.block(above, f"level {depth}", f"level{depth:04d}")
    for index in range(1100):
        graph.block(page, f"wide {index}", f"wide{index:05d}")
    with FakeCloud(graph) as server:
        entities = api_of(server).pull_graph(Job())
    assert sum(entity.string is not None for entity in entities) == 1160
    assert len(next(entity for entity in entities if entity.title).children) == 1101


def test_cancel(api_of: Api) -> None:
    job = Job()
    with Scripted(None) as server:
        stopper = threading.Thread(target=lambda: (server.arrived.wait(30), job.cancel()))
        stopper.start()
        with pytest.raises(Cancelled):
            api_of(server).pull_graph(job)
        stopper.join()


@pytest.mark.parametrize("name", ["", "a/b", "../x", "a b"])
def test_a_name_that_is_no_graph_name(client: Client, name: str) -> None:
    with pytest.raises(BadRequest, match="not the name of a graph"):
        CloudApi(client, name, TOKEN)
