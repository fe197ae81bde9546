"""A made-up graph database and the two servers that Roam puts before one: the Local API and the cloud API."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tests.servers.loopback import Loopback, Seen, as_json

LOCAL_TOKEN = "roam-graph-local-token-" + "aB3_" * 7 + "z"
CLOUD_TOKEN = "roam-graph-token-" + "Zx9-" * 7 + "q"
EMAIL = "ada.private@example.org"
_ALIAS = re.compile(r'\[(:[\w./-]+) :as "([^"]+)"\]')
_CUT = 1000


@dataclass
class Graph:
    """Entities as attribute maps, keyed by entity id."""

    name: str = "garden"
    type: str = "hosted"
    token: str = LOCAL_TOKEN
    entities: dict[int, dict[str, object]] = field(default_factory=dict)
    answers: dict[tuple[str, str], bytes] = field(default_factory=dict)
    """Encoded answers by query and spelling: a large graph is spelled once."""

    def page(self, title: str, uid: str, **more: object) -> int:
        return self._add({":node/title": title, ":block/uid": uid, **_times(), **_spelled(more)})

    def block(self, parent: int, string: str, uid: str, order: int | None = None, **more: object) -> int:
        above = self.entities[parent]
        page = above.get(":block/page", {":db/id": parent})
        children = above.setdefault(":block/children", [])
        number = self._add(
            {
                ":block/string": string,
                ":block/uid": uid,
                ":block/order": len(children) if order is None else order,
                ":block/page": page,
                **_times(),
                **_spelled(more),
            }
        )
        children.insert(0, {":db/id": number})  # reversed on purpose: only ``order`` counts
        return number

    def ghost(self, page: int, string: str, uid: str) -> int:
        """A block that names a page but hangs in no list of children."""
        return self._add({":block/string": string, ":block/uid": uid, ":block/page": {":db/id": page}, **_times()})

    def user(self, uid: str, email: str = EMAIL) -> int:
        return self._add({":user/uid": uid, ":block/uid": uid, ":user/email": email, ":user/settings": {"x": email}})

    def _add(self, entity: dict[str, object]) -> int:
        number = len(self.entities) + 1
        self.entities[number] = {":db/id": number, **entity}
        self.answers.clear()
        return number


def _times() -> dict[str, object]:
    return {
        ":create/time": 1_600_000_000_000,
        ":edit/time": 1_600_000_500_000,
        ":create/user": {":db/id": 1, ":user/email": EMAIL},
    }


def _spelled(more: dict[str, object]) -> dict[str, object]:
    return {":" + name.replace("__", "/").replace("_", "-"): value for name, value in more.items()}


def big_graph(entities: int) -> Graph:
    """A graph of about that many entities in the proportions of real ones: many short blocks, some nesting."""
    graph = Graph()
    while len(graph.entities) < entities:
        count = len(graph.entities)
        page = graph.page(f"Page {count}", f"page{count:05d}"[:9], page__edit_time=1_600_000_900_000)
        for index in range(15):
            words = (
                f"Note {index} on [[Page {count // 2}]] and #topic{count % 40}, with **some** more words about gardens"
            )
            above = graph.block(page, words, f"b{len(graph.entities):08d}")
            if index % 5 == 0:
                graph.block(above, f"Detail ((b{len(graph.entities) - 1:08d}))", f"b{len(graph.entities):08d}")
    return graph


def spell(entity: dict[str, object], query: str, spelling: str) -> dict[str, object]:
    """A pulled map. Always sends more than was asked for, and cuts long lists as Roam does.

    ``aliased`` honours the aliases and strips the namespace of the rest; ``keyword`` and ``slashed`` know no aliases.
    """
    aliases = dict(_ALIAS.findall(query))
    row: dict[str, object] = {}
    for attribute, value in entity.items():
        if isinstance(value, list):
            value = [_stub(stub, spelling) for stub in value[:_CUT]]
        elif isinstance(value, dict):
            value = _stub(value, spelling)
        row[_key(attribute, spelling, aliases)] = value
    return row


def _key(attribute: str, spelling: str, aliases: dict[str, str]) -> str:
    match spelling:
        case "keyword":
            return attribute
        case "slashed":
            return attribute.removeprefix(":")
        case _:
            return aliases.get(attribute, attribute.rsplit("/", 1)[-1])


def _stub(stub: dict[str, object], spelling: str) -> dict[str, object]:
    return {_key(name, spelling, {}): value for name, value in stub.items()}


def pairs(entity: dict[str, object]) -> list[list[int]]:
    children = entity.get(":block/children", [])
    return [[entity[":db/id"], child[":db/id"]] for child in children]


class FakeRoam(Loopback):
    """The Local API. ``refusal`` is given to every read instead of data; ``locked`` never answers one."""

    def __init__(self, *graphs: Graph) -> None:
        super().__init__()
        self.graphs = list(graphs)
        self.open: list[dict[str, object]] | None = [{"name": graph.name, "type": graph.type} for graph in graphs]
        self.spelling = "aliased"
        self.refusal: tuple[int, object] | None = None
        self.locked = False
        self.scopes: dict[str, bool] = {"read": True}

    def answer(self, seen: Seen) -> tuple[int, dict[str, str], bytes] | None:
        path, _, query = seen.path.partition("?")
        match path:
            case "/api/graphs/open":
                return _no_route() if self.open is None else _success(self.open)
            case "/api/graphs/available":
                return self._available()
            case "/api/graphs/tokens/info" | "/api/graphs/tokens/request":
                return self._token(path.rsplit("/", 1)[-1], seen.json())
            case _:
                return self._read(path.removeprefix("/api/"), query, seen)

    def _available(self) -> tuple[int, dict[str, str], bytes]:
        if not self.open:
            return 200, {}, as_json({"success": False, "error": "No graph window open. Open a graph first."})
        return _success([{"name": graph.name, "type": graph.type} for graph in self.graphs])

    def _token(self, what: str, body: dict[str, object]) -> tuple[int, dict[str, str], bytes] | None:
        if self.locked:
            return None
        if self.refusal:
            return self.refusal[0], {}, as_json(self.refusal[1])
        kind = body.get("type", body.get("graphType"))
        graph = next((graph for graph in self.graphs if graph.name == body["graph"] and graph.type == kind), None)
        if graph is None or (what == "info" and graph.token != body["token"]):
            return 401, {}, _error("TOKEN_NOT_FOUND", "Token not found")
        granted = {
            "success": True,
            "graphName": graph.name,
            "graphType": graph.type,
            "grantedAccessLevel": "read-only",
            "grantedScopes": self.scopes,
        }
        return 200, {}, as_json(granted | ({"token": graph.token} if what == "request" else {}))

    def _read(self, name: str, query: str, seen: Seen) -> tuple[int, dict[str, str], bytes] | None:
        if self.locked:
            return None
        if self.refusal:
            return self.refusal[0], {}, as_json(self.refusal[1])
        kind = "offline" if query == "type=offline" else "hosted"
        token = seen.headers.get("authorization", "").removeprefix("Bearer ")
        if not token:
            return 401, {}, _error("MISSING_TOKEN", "Authorization header with Bearer token is required")
        owner = next((graph for graph in self.graphs if graph.name == name and graph.token == token), None)
        if owner is None:
            return 401, {}, _error("TOKEN_NOT_FOUND", f"Token {token} not found")
        if owner.type != kind:
            text = f"Token is valid for {owner.type} graph '{name}', not {kind}. Add ?type=offline to the URL"
            return 401, {}, _error("WRONG_GRAPH_TYPE", text)
        body = seen.json()
        if body["action"] != "data.q":
            return 404, {}, _error("UNKNOWN_ACTION", f"Unknown action {body['action']}")
        return 200, {}, self._rows_of(owner, str(body["args"][0]))

    def _rows_of(self, graph: Graph, query: str) -> bytes:
        key = (query, self.spelling)
        if key not in graph.answers:
            entities = graph.entities.values()
            if "(count ?e)" in query:
                rows: list[object] = [[sum(":node/title" in entity for entity in entities)]]
            elif "?parent" in query:
                rows = [pair for entity in entities for pair in pairs(entity)]
            else:
                rows = [[spell(entity, query, self.spelling)] for entity in entities]
            graph.answers[key] = as_json({"success": True, "result": rows, "apiVersion": "1.1.5"})
        return graph.answers[key]


class FakeCloud(Loopback):
    """The cloud API of one graph. ``script`` holds answers to give before the true ones; ``moved_to`` is a 308."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.script: list[tuple[int, dict[str, str], bytes]] = []
        self.moved_to = ""
        self.forget: set[int] = set()
        self.slow_above = 10**9
        """Most pages in one query before it "takes too long"."""

    def answer(self, seen: Seen) -> tuple[int, dict[str, str], bytes] | None:
        if self.script:
            return self.script.pop(0)
        if self.moved_to:
            return 308, {"location": self.moved_to + seen.path}, b""
        if seen.headers.get("x-authorization") != f"Bearer {self.graph.token}":
            return 401, {}, as_json({"message": "You are not authenticated"})
        body = seen.json()
        query, args = str(body["query"]), list(body["args"])
        if args and len(args[0]) > self.slow_above:
            return 500, {}, as_json({"message": "Query and/or pull expression took too long to run."})
        return 200, {}, as_json({"result": self._rows(query, args)})

    def _rows(self, query: str, args: list[object]) -> list[object]:
        if "(count ?e)" in query:
            return [[sum(":node/title" in entity for entity in self.graph.entities.values())]]
        asked = set(args[0]) if args else set()
        found: list[object] = []
        for number, entity in self.graph.entities.items():
            page = entity.get(":block/page", {}).get(":db/id")
            if number in self.forget:
                continue
            is_page = ":node/title]" in query and not args and ":node/title" in entity
            if is_page or ("pull ?b" in query and page in asked):
                found.append([spell(entity, query, "aliased")])
            elif ("?b ?child" in query and page in asked) or ("?page ?child" in query and number in asked):
                found += pairs(entity)
        return found


def _success(result: object) -> tuple[int, dict[str, str], bytes]:
    return 200, {}, as_json({"success": True, "result": result, "apiVersion": "1.1.5"})


def _no_route() -> tuple[int, dict[str, str], bytes]:
    return 404, {}, as_json({"success": False, "error": "Not found"})


def _error(code: str, message: str) -> bytes:
    return as_json({"success": False, "error": {"code": code, "message": message}})
