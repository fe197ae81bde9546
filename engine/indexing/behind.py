"""How far an index is behind its source, without reading a note."""

from __future__ import annotations

from engine.errors import SourceOffline
from engine.indexing.plan import make_plan
from engine.job import Job
from engine.sources.base import SourceReader
from engine.store.live import LiveIndex


def count_behind(live: LiveIndex, reader: SourceReader, job: Job) -> int:
    """New, changed and vanished notes since the last run, also kept in ``live.behind_by``; 0 while the source is away,
    since nobody can tell then.

    Notes whose reading failed count as unchanged: the next run tries them again, but nothing is known to be stale.
    """
    try:
        scan = reader.scan(job)
    except SourceOffline:
        return 0
    stored = live.store.revisions()
    failed = {key for key, revision in stored.items() if not revision}
    # Nothing is removed here, so a mass deletion is counted rather than braked.
    plan = make_plan(scan, stored, full=False, brake_fraction=1.0)
    live.behind_by = sum(ref.key not in failed for ref in plan.read) + len(plan.removed)
    return live.behind_by
