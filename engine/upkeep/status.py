"""How a source stands: what its index holds, when it was made, and what the owner should do about it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from engine.errors import EngineError
from engine.model import Source, SourceKind, SourceStatus
from engine.sources import readers
from engine.store.live import LiveIndex
from engine.upkeep import synced

Opened = Callable[[Source], LiveIndex | None]


def status_of(source: Source, opened: Opened, dimensions: Callable[[], int]) -> SourceStatus:
    """Never fails for an index that cannot be opened: says so. ``opened`` gives the index of a source that has one,
    ``dimensions`` is how long the vectors of its model are."""
    status = dataclasses.replace(_of_index(source, opened, dimensions), advice=_advice(source))
    if status.state not in ("indexed", "partial") or readers.is_there(source):
        return status
    detail = f"{source.location} is not there now. The index keeps answering."
    return dataclasses.replace(status, state="offline", detail=detail)


def _of_index(source: Source, opened: Opened, dimensions: Callable[[], int]) -> SourceStatus:
    try:
        live = opened(source)
        if live is None:
            return SourceStatus(source, "new", detail="not indexed yet")
        counts = live.store.counts(live.model_id)
        run = live.store.last_run()
    except EngineError as error:
        return SourceStatus(source, type(error).__name__.lower(), detail=str(error))
    return SourceStatus(
        source=source,
        state=_state(str(run[1].get("outcome", "")) if run else "", is_whole=counts.vectors >= counts.passages),
        notes=counts.indexed,
        passages=counts.passages,
        vectors=counts.vectors,
        skipped=counts.skipped,
        failed=counts.failed,
        warnings=counts.warnings,
        indexed_at=live.indexed_at,
        model=live.model_id,
        bytes_on_disk=counts.bytes_on_disk,
        languages={language or "?": count for language, count in counts.languages.items()},
        encrypted=live.store.is_encrypted,
        behind_by=live.behind_by,
        detail=str(run[1].get("detail", "")) if run else "",
        dimensions=dimensions(),
    )


def _advice(source: Source) -> str:
    has_files = source.kind in (SourceKind.OBSIDIAN, SourceKind.ROAM_EXPORT)
    return synced.source_warning(source.name, Path(source.location)) if has_files else ""


def _state(outcome: str, *, is_whole: bool) -> str:
    if outcome in ("offline", "braked"):
        return outcome
    return "indexed" if outcome == "complete" and is_whole else "partial"
