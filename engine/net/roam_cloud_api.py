"""Roam's cloud API: the whole of one graph from Roam's servers, for people without Roam Desktop.

Off until the owner switches the service on. Reads only. Redirects to the graph's own server are followed by hand, at
most three, to hosts of Roam alone, with method, body and token kept. A pull is complete or it fails: a block that
is named as a child but was not sent ends it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from engine.errors import BadRequest, EngineError, RetryError, SourceOffline
from engine.job import Job
from engine.net.client import Client, NetError, Reply, Request
from engine.net.policy import ROAM_CLOUD
from engine.net.roam_api import GRAPH_NAME
from engine.net.roam_errors import cloud_error, read_refusal
from engine.net.roam_wire import COUNT_PAGES, PULL, Entity, is_cut, parse_count, parse_pairs, parse_rows
from engine.net.secrets import Secret

BASE_URL = "https://api.roamresearch.com"
_HOPS = 3
_RETRIES = 5
_BATCH = 100
"""Pages per query at first; halved when Roam's limit of 20 seconds strikes."""
_CONNECT_SECONDS = 10.0
_SECONDS = 60.0
_MAX_BYTES = 1 << 30

_PAGES = f"[:find (pull ?e {PULL}) :where [?e :node/title]]"
_BLOCKS = f"[:find (pull ?b {PULL}) :in $ [?page ...] :where [?b :block/page ?page]]"
_CHILDREN = (
    "[:find ?page ?child :in $ [?page ...] :where [?page :block/children ?child]]",
    "[:find ?b ?child :in $ [?page ...] :where [?b :block/page ?page] [?b :block/children ?child]]",
)


class CloudApi:
    """One graph. Remembers the server that the graph lives on."""

    def __init__(
        self, client: Client, graph: str, token: Secret, base_url: str = BASE_URL, *, limit: float | None = None
    ) -> None:
        """With a ``limit``, all calls together take so many seconds at most, and none is tried twice."""
        self._deadline = None if limit is None else time.monotonic() + limit
        if not GRAPH_NAME.fullmatch(graph):
            raise BadRequest(f"'{graph}' is not the name of a graph.", "Use the name as it stands in Roam's address.")
        self._client = client
        self._graph = graph
        self._token = token
        self._base = base_url.rstrip("/")

    def check_connection(self, job: Job) -> int:
        """The number of pages, as proof that the token reads the graph. Raises like ``pull_graph``."""
        return parse_count(self._query(COUNT_PAGES, (), job))

    def pull_graph(self, job: Job) -> list[Entity]:
        """All pages, and all blocks that stand on them.

        Raises ``RoamRefused`` when Roam says no, ``RetryError`` or ``SourceOffline`` when a later try may help.
        """
        pages = self._entities(_PAGES, (), job)
        filled = [page for page in pages if page.children]
        found = {page.id: page for page in pages}
        size, done = _BATCH, 0
        while done < len(filled):
            job.report("reading Roam", done, len(filled))
            batch = [page.id for page in filled[done : done + size]]
            try:
                blocks = self._entities(_BLOCKS, (batch,), job)
            except _TookTooLong as error:
                if size == 1:
                    raise error.reason from None
                size = max(1, size // 2)
                continue
            found.update((block.id, block) for block in blocks)
            if is_cut([*blocks, *filled[done : done + size]]):
                self._restore_children(found, batch, job)
            done += size
        self._check_whole(found.values(), found)
        return list(found.values())

    def _restore_children(self, found: dict[int, Entity], batch: Sequence[int], job: Job) -> None:
        for query in _CHILDREN:
            for parent, children in parse_pairs(self._query(query, (batch,), job)).items():
                if parent in found:
                    found[parent] = found[parent].with_children(children)

    def _check_whole(self, entities: Iterable[Entity], found: dict[int, Entity]) -> None:
        missing = sum(child not in found for entity in entities for child in entity.children)
        if missing:
            raise RetryError(
                f"Roam's servers left out {missing} blocks of '{self._graph}', so nothing was changed.",
                "Try again when nobody is editing the graph.",
            )

    def _entities(self, query: str, args: Sequence[object], job: Job) -> list[Entity]:
        entities = parse_rows(self._query(query, args, job))
        if entities is None:
            raise RetryError(f"Roam's servers sent an answer for '{self._graph}' that has an unknown shape.")
        return entities

    def _query(self, query: str, args: Sequence[object], job: Job) -> object:
        left = _SECONDS if self._deadline is None else max(0.1, self._deadline - time.monotonic())
        request = Request(
            f"{self._base}/api/graph/{self._graph}/q",
            "read a graph",
            service=ROAM_CLOUD.name,
            json={"query": query, "args": list(args)},
            headers={"x-authorization": self._token, "authorization": self._token},
            connect_timeout=min(_CONNECT_SECONDS, left),
            read_timeout=min(_SECONDS, left),
            deadline=2 * _SECONDS if self._deadline is None else left,
            max_bytes=_MAX_BYTES,
            retries=_RETRIES if self._deadline is None else 0,
            redirects=_HOPS,
        )
        try:
            reply = self._client.call(request, job)
            body = _body(reply)
        except NetError as error:
            raise SourceOffline(f"Roam's servers could not be read: {error.message}", "Try again later.") from error
        self._base = "{0.scheme}://{0.netloc}".format(urlsplit(reply.url))
        if reply.status == 200 and isinstance(body, dict) and "result" in body:
            return body["result"]
        refusal = read_refusal(reply.status, body)
        reason = cloud_error(refusal, self._graph)
        if "too long to run" in refusal.text.casefold():
            raise _TookTooLong(reason)
        raise reason


class _TookTooLong(RetryError):
    """The query passed the server's limit; a smaller one may not."""

    def __init__(self, reason: EngineError) -> None:
        super().__init__(reason.message, reason.remedy)
        self.reason = reason


def _body(reply: Reply) -> object:
    """The parsed body; an error page that is not JSON counts as empty."""
    try:
        return reply.json()
    except NetError:
        if reply.status == 200:
            raise
        return {}
