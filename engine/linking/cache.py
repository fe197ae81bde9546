"""Keeps the last graph that was joined, until a file or the ledger changes.

When a file has changed, what is certainly one thing is joined first, so that sources meet without being told to.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from engine.knowledge.graph import KnowledgeGraph
from engine.knowledge.merging import LedgerEntry, replay
from engine.linking.graph import Opened, join, load_facts
from engine.linking.resolve import follow_rules
from engine.store.decisions import DecisionStore


class GraphCache:
    """Safe from any thread; one graph at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: tuple[object, object] | None = None
        self._graph: KnowledgeGraph | None = None

    def get(self, opened: Sequence[Opened], decisions: DecisionStore) -> KnowledgeGraph:
        """The graph of these sources as the ledger joins it; treat it as read-only."""
        with self._lock:
            ledger = decisions.merges()
            files = tuple((source.id, store.graph.version) for source, store in opened)
            key = files, _stamps(ledger)
            if self._graph is None or key != self._key:
                loaded = load_facts(opened)
                if self._key is None or files != self._key[0]:
                    ledger = follow_rules(loaded, [source for source, _ in opened], decisions)
                    key = files, _stamps(ledger)
                self._graph, self._key = join(loaded, replay(ledger, loaded.refs())), key
            return self._graph


def _stamps(ledger: Sequence[LedgerEntry]) -> tuple[object, ...]:
    return tuple((entry.id, entry.at, entry.undone_at) for entry in ledger)
