"""Reads one graph from Roam itself, on this machine or from its servers: one snapshot per scan, notes out of it.

Never opens Roam, never writes to it, and does not decide whether now is a good moment: callers that act by themselves
pass the window gate (``roam_windows``) first. Roam's servers are off until the owner has switched the service on; then
the graph comes over the network, and nothing of it goes out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.errors import NoteError
from engine.job import Job
from engine.model import Note, NoteRef, Scan, SourceOptions
from engine.net.client import Client
from engine.net.roam_api import READ_SECONDS, GraphRef, LocalApi
from engine.net.roam_cloud_api import BASE_URL, CloudApi
from engine.net.roam_errors import RoamRefused
from engine.net.roam_wire import Entity
from engine.net.secrets import Secret
from engine.sources.roam_entities import raw_graph
from engine.sources.roam_tree import RoamTree

STAGE = "reading Roam"

FindToken = Callable[[], Secret | None]
"""Asked at every scan, so that a new token works at once."""


class RoamReader:
    """A ``SourceReader`` over what ``fetch`` brings: every page and block of the graph called ``name``."""

    def __init__(self, name: str, fetch: Callable[[Job], Sequence[Entity]], options: SourceOptions) -> None:
        self._name = name
        self._fetch = fetch
        self._options = options
        self._tree: RoamTree | None = None

    def scan(self, job: Job) -> Scan:
        """Fetch the graph. Raises ``SourceOffline``, ``RoamRefused``, ``NotAllowed`` while the service is off, or
        ``Cancelled``; the old index then stays."""
        job.report(STAGE, 0, detail=self._name)
        entities = self._fetch(job)
        job.check()
        job.report(STAGE, len(entities), len(entities), self._name)
        self._tree = RoamTree(raw_graph(entities, self._name), self._options, job.check)
        return self._tree.scan()

    def read(self, ref: NoteRef) -> Note:
        if self._tree is None:
            raise NoteError("The graph has not been read yet.", "Index it first.")
        return self._tree.note(ref.key)

    def close(self) -> None:
        self._tree = None


def local_reader(
    graph: GraphRef, find_token: FindToken, api: LocalApi, options: SourceOptions, *, limit: float = READ_SECONDS
) -> RoamReader:
    """Of a graph in Roam Desktop on this machine."""
    way_out = "Ask Roam for one, import it from Roam's tools, or enter it by hand."

    def fetch(job: Job) -> Sequence[Entity]:
        token = _found(find_token, f"There is no token for {graph}.", way_out)
        return api.pull_graph(graph, token, job, limit=limit)

    return RoamReader(str(graph), fetch, options)


def cloud_reader(
    graph: str,
    find_token: FindToken,
    client: Client,
    options: SourceOptions,
    *,
    base_url: str = BASE_URL,
    limit: float | None = None,
) -> RoamReader:
    """Of the graph of that name on Roam's servers."""
    way_out = "Make a read-only one in Roam under Settings > Graph > API tokens and enter it."

    def fetch(job: Job) -> Sequence[Entity]:
        token = _found(find_token, f"There is no cloud token for {graph}.", way_out)
        return CloudApi(client, graph, token, base_url, limit=limit).pull_graph(job)

    return RoamReader(graph, fetch, options)


def _found(find_token: FindToken, problem: str, way_out: str) -> Secret:
    token = find_token()
    if token is None:
        raise RoamRefused(problem, way_out, code="NO_TOKEN")
    return token
