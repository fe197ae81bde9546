"""Roam Desktop's Local API on this machine: which graphs are open, tokens, and the whole of one graph.

Speaks to 127.0.0.1 only. Never calls ``data.backend.q`` or any embedding or AI action: those run on Roam's servers.
Never opens Roam by itself. A request about a closed graph makes Roam open its window, so callers pass the window
gate (``sources/roam_windows.py``) first.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import quote

from engine.errors import BadRequest, SourceOffline
from engine.job import Job
from engine.net.client import Client, Failure, NetError, Reply, Request
from engine.net.roam_errors import Refusal, RoamRefused, local_error, read_refusal
from engine.net.roam_wire import COUNT_PAGES, PULL, Entity, is_cut, parse_count, parse_pairs, parse_rows
from engine.net.secrets import Secret

GraphType: TypeAlias = Literal["hosted", "offline"]
DEFAULT_PORT = 3333
STATUS_SECONDS = 3.0
"""Limit of the calls that open no graph."""
READ_SECONDS = 120.0
"""Limit of a call that reads a graph; a locked graph would keep it waiting for half an hour."""
_CONNECT_SECONDS = 2.0
CONSENT_SECONDS = 310.0
"""Roam shows its dialog for up to five minutes."""
_MAX_GRAPH_BYTES = 1 << 30

GRAPH_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
_ALL_ENTITIES = f"[:find (pull ?e {PULL}) :where [?e :block/uid]]"
_ALL_CHILDREN = "[:find ?parent ?child :where [?parent :block/children ?child]]"


@dataclass(frozen=True, slots=True)
class GraphRef:
    """A graph by its canonical name and type; the same name may exist in both types."""

    name: str
    type: GraphType = "hosted"

    def __str__(self) -> str:
        return self.name if self.type == "hosted" else f"{self.name} (offline)"


@dataclass(frozen=True, slots=True)
class TokenGrant:
    """What a token may do, as Roam tells it."""

    graph: GraphRef
    access: str
    """``read-only``, ``read-append``, ``read-edit-own`` or ``full``."""
    can_read: bool


class LocalApi:
    def __init__(self, client: Client, port: int | Callable[[], int] = DEFAULT_PORT) -> None:
        """``port`` as a function is asked before every call: Roam may start anew on another port."""
        self._client = client
        self._port = port if callable(port) else lambda: port

    def open_graphs(self, job: Job | None = None, *, limit: float = STATUS_SECONDS) -> tuple[GraphRef, ...]:
        """Graphs that have a window now; an encrypted one among them may still be locked. Opens nothing."""
        reply = self._send("GET", "graphs/open", "ask which graphs are open", None, limit, job)
        return _graphs(_result(reply, "any graph"))

    def available_graphs(self, job: Job | None = None) -> tuple[GraphRef, ...]:
        """All graphs of the account; raises ``SourceOffline`` while no graph window is open."""
        reply = self._send("GET", "graphs/available", "ask which graphs exist", None, STATUS_SECONDS, job)
        return _graphs(_result(reply, "any graph"))

    def token_info(self, graph: GraphRef, token: Secret, job: Job | None = None) -> TokenGrant:
        """What ``token`` may do, without touching the graph. Raises ``RoamRefused`` for a revoked one."""
        body = {"token": token, "graph": graph.name, "type": graph.type}
        reply = self._send("POST", "graphs/tokens/info", "check a token", body, 5.0, job)
        return _grant(_success(reply, graph.name), graph)

    def request_token(
        self, graph: GraphRef, job: Job | None = None, description: str = "Lamplight: search on this machine"
    ) -> tuple[Secret, TokenGrant]:
        """Ask the owner, in Roam's own dialog, for a read-only token. Opens the graph; waits up to five minutes."""
        body = {
            "graph": graph.name,
            "graphType": graph.type,
            "description": description,
            "accessLevel": "read-only",
            "ai": True,
        }
        reply = self._send("POST", "graphs/tokens/request", "ask for a token", body, CONSENT_SECONDS, job)
        values = _success(reply, graph.name)
        token = values.get("token")
        if not isinstance(token, str) or not token:
            raise local_error(Refusal(reply.status, text="there was no token in the answer"), graph.name)
        return Secret(token), _grant(values, graph)

    def check_connection(self, graph: GraphRef, token: Secret, job: Job | None = None, *, limit: float = 20.0) -> int:
        """The number of pages, as proof that ``token`` reads ``graph``. Opens the graph's window if it is closed.

        Raises like ``pull_graph``.
        """
        if not self.token_info(graph, token, job).can_read:
            raise local_error(Refusal(403, "INSUFFICIENT_SCOPE"), graph.name)
        return parse_count(self._query(graph, token, COUNT_PAGES, job, limit))

    def pull_graph(
        self, graph: GraphRef, token: Secret, job: Job | None = None, *, limit: float = READ_SECONDS
    ) -> list[Entity]:
        """Every page and block that has a uid, reachable or not.

        Raises ``SourceOffline`` when Roam does not answer within ``limit`` seconds, ``RoamRefused`` when it says no.
        """
        started = time.monotonic()
        entities = parse_rows(self._query(graph, token, _ALL_ENTITIES, job, limit))
        if entities is None:
            raise local_error(Refusal(200, text="the answer has an unknown shape"), graph.name)
        if is_cut(entities):
            left = max(0.1, limit - (time.monotonic() - started))
            pairs = parse_pairs(self._query(graph, token, _ALL_CHILDREN, job, left))
            entities = [entity.with_children(pairs.get(entity.id, entity.children)) for entity in entities]
        return entities

    def _query(self, graph: GraphRef, token: Secret, query: str, job: Job | None, limit: float) -> object:
        _check_name(graph)
        path = quote(graph.name) + ("?type=offline" if graph.type == "offline" else "")
        body = {"action": "data.q", "args": [query]}
        reply = self._send("POST", path, "read a graph", body, limit, job, token)
        return _result(reply, graph.name)

    def _send(
        self,
        method: str,
        path: str,
        why: str,
        body: object,
        seconds: float,
        job: Job | None,
        token: Secret | None = None,
    ) -> Reply:
        request = Request(
            f"http://127.0.0.1:{self._port()}/api/{path}",
            why,
            method=method,
            json=body,
            headers={"authorization": token} if token else {},
            connect_timeout=min(_CONNECT_SECONDS, seconds),
            read_timeout=seconds,
            deadline=seconds,
            max_bytes=_MAX_GRAPH_BYTES if token else 1 << 20,
        )
        try:
            return self._client.call(request, job)
        except NetError as error:
            raise _offline(error, seconds) from error


def _offline(error: NetError, seconds: float) -> SourceOffline:
    match error.kind:
        case Failure.REFUSED:
            return SourceOffline("Roam Desktop is not running.", "Start it, open the graph, and try again.")
        case Failure.TIMEOUT:
            return SourceOffline(
                f"Roam Desktop did not answer within {seconds:.3g} seconds; the graph may be locked.",
                "Open the graph in Roam, unlock it if it asks, and try again.",
            )
        case _:
            return SourceOffline(f"Roam Desktop could not be read: {error.message}", "Restart Roam and try again.")


def _check_name(graph: GraphRef) -> None:
    if not GRAPH_NAME.fullmatch(graph.name):
        raise BadRequest(
            f"'{graph.name}' is not the name of a graph.", "Graph names have letters, digits, hyphens and underscores."
        )


def _success(reply: Reply, graph: str) -> dict[str, object]:
    """The answer's object; raises the translated refusal when it is not a success."""
    try:
        body = reply.json()
    except NetError as error:
        if reply.status == 200:
            raise _offline(error, 0) from error
        body = None
    if reply.status == 200 and isinstance(body, dict) and body.get("success", True) is not False:
        return body
    raise local_error(read_refusal(reply.status, body), graph)


def _result(reply: Reply, graph: str) -> object:
    return _success(reply, graph).get("result")


def _graphs(value: object) -> tuple[GraphRef, ...]:
    """``[{"name", "type"}]``; entries of another shape or type are left out."""
    found: list[GraphRef] = []
    for entry in value if isinstance(value, list) else ():
        name, kind = (entry.get("name"), entry.get("type", "hosted")) if isinstance(entry, dict) else (None, None)
        if isinstance(name, str) and kind == "hosted":
            found.append(GraphRef(name, "hosted"))
        elif isinstance(name, str) and kind == "offline":
            found.append(GraphRef(name, "offline"))
    return tuple(found)


def _grant(values: dict[str, object], asked: GraphRef) -> TokenGrant:
    scopes = values.get("grantedScopes")
    can_read = bool(scopes.get("read", True)) if isinstance(scopes, dict) else True
    name, kind = values.get("graphName"), values.get("graphType")
    granted = GraphRef(
        name if isinstance(name, str) else asked.name,
        "offline" if kind == "offline" else "hosted" if kind == "hosted" else asked.type,
    )
    if granted != asked:
        raise RoamRefused(
            f"The token belongs to {granted}, not to {asked}.", "Use a token of the graph itself.", code="WRONG_GRAPH"
        )
    return TokenGrant(granted, str(values.get("grantedAccessLevel") or "unknown"), can_read)
