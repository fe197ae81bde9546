"""Keeps the last graph that was joined, until a file or the ledger changes."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from engine.knowledge.graph import KnowledgeGraph
from engine.linking.graph import Opened, load_graph
from engine.store.decisions import DecisionStore


class GraphCache:
    """Safe from any thread; one graph at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: object = None
        self._graph: KnowledgeGraph | None = None

    def get(self, opened: Sequence[Opened], decisions: DecisionStore) -> KnowledgeGraph:
        """The graph of these sources as the ledger joins it; treat it as read-only."""
        with self._lock:
            ledger = decisions.merges()
            files = tuple((source.id, store.graph.version) for source, store in opened)
            key = files, tuple((entry.id, entry.at, entry.undone_at) for entry in ledger)
            if self._graph is None or key != self._key:
                self._graph, self._key = load_graph(opened, ledger), key
            return self._graph
