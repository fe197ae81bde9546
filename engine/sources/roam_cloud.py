"""Reads one graph from Roam's servers: one complete snapshot per scan, notes out of the snapshot.

Off until the owner has switched the service on; then the graph comes over the network, and nothing of it goes out.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.errors import NoteError
from engine.job import Job
from engine.model import Note, NoteRef, Scan, SourceOptions
from engine.net.client import Client
from engine.net.roam_cloud_api import BASE_URL, CloudApi
from engine.net.roam_errors import RoamRefused
from engine.net.secrets import Secret
from engine.sources.roam_entities import raw_graph
from engine.sources.roam_tree import RoamTree


class RoamCloudReader:
    """A ``SourceReader`` for the graph named ``graph``."""

    def __init__(
        self,
        graph: str,
        find_token: Callable[[], Secret | None],
        client: Client,
        options: SourceOptions,
        *,
        base_url: str = BASE_URL,
        limit: float | None = None,
    ) -> None:
        self._graph = graph
        self._find_token = find_token
        self._client = client
        self._options = options
        self._base_url = base_url
        self._limit = limit
        self._tree: RoamTree | None = None

    def scan(self, job: Job) -> Scan:
        """Fetch the graph. Raises ``NotAllowed`` while the service is off, ``RoamRefused``, ``SourceOffline``."""
        token = self._find_token()
        if token is None:
            raise RoamRefused(
                f"There is no cloud token for {self._graph}.",
                "Make a read-only one in Roam under Settings > Graph > API tokens and enter it.",
                code="NO_TOKEN",
            )
        api = CloudApi(self._client, self._graph, token, self._base_url, limit=self._limit)
        entities = api.pull_graph(job)
        job.check()
        self._tree = RoamTree(raw_graph(entities, self._graph), self._options, job.check)
        return self._tree.scan()

    def read(self, ref: NoteRef) -> Note:
        if self._tree is None:
            raise NoteError("The graph has not been read yet.", "Index it first.")
        return self._tree.note(ref.key)

    def close(self) -> None:
        self._tree = None
