"""The runs that are over, as the index files keep them: of every start of Lamplight and whoever asked for them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from engine.model import IndexReport, LedgerLine, Outcome, Run
from engine.net.ledger import Ledger
from engine.store.live import LiveIndex

_FIELDS = {field.name for field in dataclasses.fields(IndexReport)} - {"problems"}


def recent_runs(indexes: Iterable[LiveIndex], limit: int) -> list[Run]:
    """The newest ``limit`` runs of all, newest first."""
    found = [
        Run(live.source.id, live.source.name, when, _report(live, values))
        for live in indexes
        for when, values in live.store.recent_runs(limit)
    ]
    return sorted(found, key=lambda run: -run.finished_at)[:limit]


def _report(live: LiveIndex, values: Mapping[str, Any]) -> IndexReport:
    """As it was stored; what another version called otherwise is left out."""
    known = {name: value for name, value in values.items() if name in _FIELDS}
    outcomes = [outcome.value for outcome in Outcome]
    outcome = Outcome(known["outcome"]) if known.get("outcome") in outcomes else Outcome.COMPLETE
    return IndexReport(**{**known, "source": live.source.id, "outcome": outcome})


def recent_connections(ledger: Ledger, limit: int) -> list[LedgerLine]:
    """The newest lines of the ledger, newest first."""
    return [
        LedgerLine(one.time, one.service, one.host, one.why, one.outcome, one.sent, one.received)
        for one in ledger.recent(limit)
    ]
