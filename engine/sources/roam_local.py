"""Reads one graph through Roam Desktop on this machine: one snapshot per scan, notes out of the snapshot.

Never opens Roam, never writes to it, and does not decide whether now is a good moment: callers that act by
themselves pass the window gate (``roam_windows``) first.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.errors import NoteError
from engine.job import Job
from engine.model import Note, NoteRef, Scan, SourceOptions
from engine.net.roam_api import READ_SECONDS, GraphRef, LocalApi
from engine.net.roam_errors import RoamRefused
from engine.net.secrets import Secret
from engine.sources.roam_entities import raw_graph
from engine.sources.roam_tree import RoamTree

STAGE = "reading Roam"


class RoamLocalReader:
    """A ``SourceReader``. ``find_token`` is asked at every scan, so that a new token works at once."""

    def __init__(
        self,
        graph: GraphRef,
        find_token: Callable[[], Secret | None],
        api: LocalApi,
        options: SourceOptions,
        *,
        limit: float = READ_SECONDS,
    ) -> None:
        self._graph = graph
        self._find_token = find_token
        self._api = api
        self._options = options
        self._limit = limit
        self._tree: RoamTree | None = None

    def scan(self, job: Job) -> Scan:
        """Fetch the graph. Raises ``SourceOffline``, ``RoamRefused`` or ``Cancelled``; the old index then stays."""
        token = self._find_token()
        if token is None:
            raise RoamRefused(
                f"There is no token for {self._graph}.",
                "Ask Roam for one, import it from Roam's tools, or enter it by hand.",
                code="NO_TOKEN",
            )
        job.report(STAGE, 0, detail=str(self._graph))
        entities = self._api.pull_graph(self._graph, token, job, limit=self._limit)
        job.check()
        job.report(STAGE, len(entities), len(entities), str(self._graph))
        self._tree = RoamTree(raw_graph(entities, str(self._graph)), self._options, job.check)
        return self._tree.scan()

    def read(self, ref: NoteRef) -> Note:
        if self._tree is None:
            raise NoteError("The graph has not been read yet.", "Index it first.")
        return self._tree.note(ref.key)

    def close(self) -> None:
        self._tree = None
