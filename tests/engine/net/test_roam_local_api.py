from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

import pytest

from engine.errors import BadRequest, Cancelled, EngineError, RetryError, SourceOffline
from engine.job import Job
from engine.net.client import Client
from engine.net.ledger import Ledger
from engine.net.policy import Policy
from engine.net.roam_api import GraphRef, LocalApi
from engine.net.roam_errors import Refusal, RoamRefused, local_error, read_refusal
from engine.net.secrets import Secret
from tests.servers.loopback import Scripted
from tests.servers.roam import EMAIL, LOCAL_TOKEN, FakeRoam, Graph

GARDEN = GraphRef("garden")
TOKEN = Secret(LOCAL_TOKEN)


def garden(**more: object) -> Graph:
    graph = Graph(**more)
    graph.user("user00001")
    page = graph.page("Tulips", "tulips001", page__edit_time=1_600_001_000_000)
    graph.block(page, "second", "bbbbbbbb2", order=1)
    graph.block(page, "first", "bbbbbbbb1", order=0)
    graph.ghost(page, "deleted long ago", "ghost0001")
    return graph


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(Policy(), Ledger(tmp_path / "connections.jsonl"))


def api_of(client: Client, server: FakeRoam | Scripted) -> LocalApi:
    return LocalApi(client, server.port)


# --- reading a graph ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", ["aliased", "keyword", "slashed"])
def test_a_graph_in_every_spelling(client: Client, spelling: str) -> None:
    with FakeRoam(garden()) as server:
        server.spelling = spelling
        entities = {entity.uid: entity for entity in api_of(client, server).pull_graph(GARDEN, TOKEN)}
    page, first = entities["tulips001"], entities["bbbbbbbb1"]
    assert (page.title, page.string, page.edited) == ("Tulips", None, 1_600_001_000_000)
    assert (first.title, first.string, first.order) == (None, "first", 0)
    assert (first.created, first.edited) == (1_600_000_000_000, 1_600_000_500_000)
    assert {entity.id for entity in entities.values()} >= set(page.children)
    assert set(page.children) == {first.id, entities["bbbbbbbb2"].id}


def test_what_is_sent(client: Client) -> None:
    with FakeRoam(garden()) as server:
        api_of(client, server).pull_graph(GARDEN, TOKEN)
    (seen,) = server.requests
    body = seen.json()
    assert seen.path == "/api/garden"
    assert seen.headers["authorization"] == f"Bearer {LOCAL_TOKEN}"
    assert body["action"] == "data.q"
    assert "expectedApiVersion" not in body
    query = str(body["args"][0])
    assert '[:create/time :as "create-time"]' in query
    assert '[:edit/time :as "edit-time"]' in query
    assert '[:page/edit-time :as "page-edit-time"]' in query
    assert "*" not in query
    assert "email" not in query
    assert "user" not in query


def test_attributes_that_were_not_asked_for_are_dropped(client: Client) -> None:
    graph = garden()
    with FakeRoam(graph) as server:
        server.spelling = "keyword"
        entities = api_of(client, server).pull_graph(GARDEN, TOKEN)
    assert EMAIL.encode() in b"".join(graph.answers.values())
    assert EMAIL not in repr(entities)


def test_an_offline_graph_is_reached_through_the_type(client: Client) -> None:
    other = Secret(LOCAL_TOKEN[:-1] + "y")
    with FakeRoam(garden(), garden(type="offline", token=other.reveal())) as server:
        api = api_of(client, server)
        assert api.pull_graph(GraphRef("garden", "offline"), other)
        assert server.requests[-1].path == "/api/garden?type=offline"
        with pytest.raises(RoamRefused, match="one is hosted and one is offline"):
            api.pull_graph(GraphRef("garden", "offline"), TOKEN)
        with pytest.raises(RoamRefused, match="one is hosted and one is offline"):
            api.pull_graph(GARDEN, other)


def test_a_list_of_children_that_was_cut_is_fetched_whole(client: Client) -> None:
    graph = Graph()
    page = graph.page("Long", "long00001")
    for index in range(1203):
        graph.block(page, f"item {index}", f"item{index:05d}")
    with FakeRoam(graph) as server:
        entities = api_of(client, server).pull_graph(GARDEN, TOKEN)
        assert len(server.requests) == 2
    assert len(next(entity for entity in entities if entity.title).children) == 1203


def test_an_empty_graph(client: Client) -> None:
    with FakeRoam(Graph()) as server:
        assert api_of(client, server).pull_graph(GARDEN, TOKEN) == []


@pytest.mark.parametrize("name", ["../admin", "a b", "", "x?type=offline", "a/b", "ä"])
def test_a_name_that_is_no_graph_name_is_not_sent(client: Client, name: str) -> None:
    with FakeRoam(garden()) as server, pytest.raises(BadRequest, match="not the name of a graph"):
        api_of(client, server).pull_graph(GraphRef(name), TOKEN)
    assert server.requests == []


def test_the_port_is_asked_for_at_every_call(client: Client) -> None:
    with FakeRoam(garden()) as one, FakeRoam(garden()) as two:
        ports = iter([one.port, two.port])
        api = LocalApi(client, lambda: next(ports))
        api.open_graphs()
        api.open_graphs()
        assert (len(one.requests), len(two.requests)) == (1, 1)


# --- which graphs there are --------------------------------------------------------------------------------------


def test_open_and_available_graphs(client: Client) -> None:
    with FakeRoam(garden(), garden(name="work", type="offline")) as server:
        api = api_of(client, server)
        server.open = [
            {"name": "garden"},
            {"name": "work", "type": "offline"},
            {"name": 3},
            "odd",
            {"name": "x", "type": "new"},
        ]
        assert api.open_graphs() == (GARDEN, GraphRef("work", "offline"))
        assert api.available_graphs() == (GARDEN, GraphRef("work", "offline"))
        server.open = []
        assert api.open_graphs() == ()
        with pytest.raises(SourceOffline, match="has no graph open"):
            api.available_graphs()
    assert all("authorization" not in seen.headers for seen in server.requests)


# --- tokens ------------------------------------------------------------------------------------------------------


def test_a_token_is_checked_without_touching_the_graph(client: Client) -> None:
    with FakeRoam(garden()) as server:
        grant = api_of(client, server).token_info(GARDEN, TOKEN)
        assert (grant.graph, grant.access, grant.can_read) == (GARDEN, "read-only", True)
        assert [seen.path for seen in server.requests] == ["/api/graphs/tokens/info"]
        with pytest.raises(RoamRefused, match="does not know the token"):
            api_of(client, server).token_info(GARDEN, Secret("roam-graph-local-token-wrong"))


def test_a_token_of_another_graph_is_no_success(client: Client) -> None:
    answer = b'{"success":true,"graphName":"other","graphType":"hosted","grantedAccessLevel":"full"}'
    with Scripted((200, {}, answer)) as server, pytest.raises(RoamRefused, match="belongs to other, not to garden"):
        api_of(client, server).token_info(GARDEN, TOKEN)


def test_a_token_that_may_not_read_says_so(client: Client) -> None:
    with FakeRoam(garden()) as server:
        server.scopes = {"read": False, "append": True}
        assert not api_of(client, server).token_info(GARDEN, TOKEN).can_read


def test_a_connection_is_good_only_when_the_graph_was_really_read(client: Client) -> None:
    with FakeRoam(garden()) as server:
        api = api_of(client, server)
        assert api.check_connection(GARDEN, TOKEN) == 1
        with pytest.raises(RoamRefused, match="does not know the token"):
            api.check_connection(GraphRef("gardem"), TOKEN)
        with pytest.raises(RoamRefused, match="does not know the token"):
            api.check_connection(GARDEN, Secret("roam-graph-local-token-wrong"))
        server.scopes = {"read": False}
        with pytest.raises(RoamRefused, match="may not read"):
            api.check_connection(GARDEN, TOKEN)


def test_a_token_is_asked_for_read_only(client: Client) -> None:
    with FakeRoam(garden()) as server:
        token, grant = api_of(client, server).request_token(GARDEN)
    body = server.requests[0].json()
    assert (body["accessLevel"], body["graph"], body["graphType"]) == ("read-only", "garden", "hosted")
    assert token == TOKEN
    assert grant.can_read


def test_cancel_stops_waiting_for_the_dialog(client: Client) -> None:
    job = Job()
    with FakeRoam(garden()) as server:
        server.locked = True
        stopper = threading.Thread(target=lambda: (server.arrived.wait(30), job.cancel()))
        stopper.start()
        with pytest.raises(Cancelled):
            api_of(client, server).request_token(GARDEN, job)
        stopper.join()


# --- refusals ----------------------------------------------------------------------------------------------------

ROWS = [
    (400, "VERSION_MISMATCH", RoamRefused, "another version", "Update"),
    (400, "VALIDATION_ERROR", RoamRefused, "did not accept the request", "Update"),
    (401, "MISSING_TOKEN", RoamRefused, "needs a token", "new token"),
    (401, "INVALID_TOKEN_FORMAT", RoamRefused, "not a local API token", "roam-graph-local-token-"),
    (401, "WRONG_GRAPH_TYPE", RoamRefused, "other 'garden'", "Register the graph again"),
    (401, "TOKEN_NOT_FOUND", RoamRefused, "revoked", "new token"),
    (403, "INSUFFICIENT_SCOPE", RoamRefused, "may not read", "new token"),
    (403, "SCOPE_EXCEEDS_PERMISSION", RoamRefused, "Your role", "Ask the graph's owner"),
    (403, "USER_REJECTED", RoamRefused, "declined", "Ask again"),
    (403, "GRAPH_BLOCKED", RoamRefused, "refuse token requests", "Allow them"),
    (409, "REQUEST_IN_PROGRESS", RetryError, "already asking", "Answer the dialog"),
    (408, "TIMEOUT", RetryError, "Nobody answered", "Ask again"),
    (500, "CANCELLED", RetryError, "cancelled in Roam", "Ask again"),
    (404, "UNKNOWN_ACTION", RoamRefused, "does not know how to answer", "Update"),
    (500, "TOKEN_FILE_CORRUPTED", RoamRefused, "list of tokens is damaged", "Restart"),
    (500, "INTERNAL_ERROR", RetryError, "could not answer", "Try again"),
]


@pytest.mark.parametrize(("status", "code", "kind", "message", "remedy"), ROWS)
def test_every_row_of_the_table(
    client: Client, status: int, code: str, kind: type[EngineError], message: str, remedy: str
) -> None:
    with FakeRoam(garden()) as server:
        server.refusal = (status, {"success": False, "error": {"code": code, "message": "gist"}})
        with pytest.raises(kind) as caught:
            api_of(client, server).pull_graph(GARDEN, TOKEN)
    assert message in caught.value.message
    assert remedy in caught.value.remedy
    if isinstance(caught.value, RoamRefused):
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("status", "error", "kind", "message"),
    [
        (403, "Local API is disabled. Enable it in Settings menu.", RoamRefused, "switched off in Roam"),
        (403, "no", RoamRefused, "does not allow"),
        (401, "no", RoamRefused, "does not know the token"),
        (404, "no", RoamRefused, "does not know how"),
        (504, "Graph did not become ready", SourceOffline, "waited for 'garden'"),
        (500, "promise error: window destroyed", SourceOffline, "window of 'garden' was closed"),
        (500, "Query and/or pull expression took too long to run.", RetryError, "limit of 20 seconds"),
        (200, "No graph window open. Open one.", SourceOffline, "no graph open"),
        (418, "teapot", RetryError, "status 418). Roam said: teapot"),
    ],
)
def test_refusals_without_a_code(
    client: Client, status: int, error: str, kind: type[EngineError], message: str
) -> None:
    for body in ({"success": False, "error": error}, {"success": False, "error": {"message": error}}):
        with FakeRoam(garden()) as server:
            server.refusal = (status, body)
            with pytest.raises(kind) as caught:
                api_of(client, server).pull_graph(GARDEN, TOKEN)
        assert message in caught.value.message
        assert caught.value.remedy


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"error": {"code": "X", "message": "m"}}, Refusal(400, "X", "m")),
        ({"error": "m"}, Refusal(400, "", "m")),
        ({"error": {"code": 5, "message": None}}, Refusal(400)),
        ({"message": "m"}, Refusal(400, "", "m")),
        ({"error": ["m"]}, Refusal(400)),
        ({}, Refusal(400)),
        (None, Refusal(400)),
        ("m", Refusal(400)),
    ],
)
def test_both_shapes_of_an_error(body: object, expected: Refusal) -> None:
    assert read_refusal(400, body) == expected


def test_every_refusal_is_whole_sentences() -> None:
    codes = [code for _, code, *_ in ROWS] + [""]
    for status in (400, 401, 403, 404, 408, 409, 418, 500, 504):
        for code in codes:
            error = local_error(Refusal(status, code), "garden")
            assert error.message.endswith(".")
            assert error.remedy.endswith(".")
            assert "{" not in str(error)


# --- Roam that is away, locked, or odd ---------------------------------------------------------------------------


def test_roam_is_not_running(client: Client) -> None:
    with FakeRoam() as server:
        port = server.port
    with pytest.raises(SourceOffline, match="Roam Desktop is not running"):
        LocalApi(client, port).pull_graph(GARDEN, TOKEN)


def test_a_locked_graph_never_blocks_beyond_the_limit(client: Client) -> None:
    started = time.monotonic()
    with FakeRoam(garden()) as server:
        server.locked = True
        with pytest.raises(SourceOffline, match=r"within 0\.3 seconds; the graph may be locked"):
            api_of(client, server).pull_graph(GARDEN, TOKEN, limit=0.3)
        assert time.monotonic() - started < 3
        assert api_of(client, server).open_graphs() == (GARDEN,)


def test_a_half_closed_connection(client: Client) -> None:
    with FakeRoam(garden()) as server:
        server.halve = True
        with pytest.raises(SourceOffline, match="ended before the answer was complete"):
            api_of(client, server).pull_graph(GARDEN, TOKEN)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>hello</html>",
        b"[1]",
        b'"x"',
        b'{"success":true,"result":{"a":1}}',
        b'{"success":true,"result":[[1],[2]]}',
    ],
)
def test_another_server_on_that_port(client: Client, body: bytes) -> None:
    with Scripted((200, {}, body)) as server, pytest.raises(EngineError) as caught:
        api_of(client, server).pull_graph(GARDEN, TOKEN)
    assert isinstance(caught.value, RetryError)


def test_tokens_echoed_by_roam_reach_no_message_log_or_ledger(
    client: Client, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    texts = []
    with FakeRoam(garden()) as server:
        api = api_of(client, server)
        for status in (400, 401, 403, 404, 418, 500, 504):
            for body in ({"error": f"bad {LOCAL_TOKEN}"}, {"error": {"code": "NEW", "message": f"bad {LOCAL_TOKEN}"}}):
                server.refusal = (status, body)
                for call in (api.pull_graph, api.token_info):
                    with pytest.raises(EngineError) as caught:
                        call(GARDEN, TOKEN)
                    texts.append(f"{caught.value} {caught.value!r} {caught.value.__cause__!r}")
    everything = " ".join(texts) + caplog.text + (tmp_path / "connections.jsonl").read_text()
    assert LOCAL_TOKEN not in everything
    assert "***" in everything
