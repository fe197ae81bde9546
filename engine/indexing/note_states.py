"""How every note of a source stands: indexed, stale, skipped or failed, and why. Reads no note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.errors import SourceOffline
from engine.job import Job
from engine.model import NoteKey, NoteRef, NoteState, NoteStatus, Problem, Severity
from engine.sources.base import SourceReader
from engine.store.live import LiveIndex
from engine.store.notes import NoteRow

_RANK = {NoteState.FAILED: 0, NoteState.STALE: 1, NoteState.SKIPPED: 2, NoteState.INDEXED: 3}
_STATES = {Severity.FAILED: NoteState.FAILED, Severity.SKIPPED: NoteState.SKIPPED}


def note_statuses(live: LiveIndex, reader: SourceReader | None, job: Job) -> list[NoteStatus]:
    """Every note, those that need a look first. Without a reader, or while the source is away, none is stale."""
    rows = live.store.notes()
    reasons: dict[int, list[Problem]] = {}
    apart: list[NoteStatus] = []
    for number, problem in live.store.problems_by_note():
        if number >= 0:
            reasons.setdefault(number, []).append(problem)
        else:
            apart.append(_apart(problem))
    refs = _refs(reader, job)
    of_notes = [_status(row, reasons.get(row.id, ()), refs) for row in rows]
    known = {row.key for row in rows}
    fresh = [
        NoteStatus(key, ref.label or ref.title or key, NoteState.STALE, "New since the last run.", ref.modified)
        for key, ref in (refs or {}).items()
        if key not in known
    ]
    return sorted([*of_notes, *apart, *fresh], key=lambda one: (_RANK[one.state], one.label.casefold()))


def _refs(reader: SourceReader | None, job: Job) -> dict[NoteKey, NoteRef] | None:
    """What the source holds now; None when nobody can tell."""
    if reader is None:
        return None
    try:
        scan = reader.scan(job)
    except SourceOffline:
        return None
    refs = {ref.key: ref for ref in scan.refs}
    # A note that is not downloaded now is there nevertheless, and so is whatever a folder holds that did not open.
    return refs if scan.complete and not scan.kept else None


def _apart(problem: Problem) -> NoteStatus:
    state = _STATES.get(problem.severity, NoteState.INDEXED)
    return NoteStatus(NoteKey(""), problem.note, state, problem.reason)


def _status(row: NoteRow, problems: Sequence[Problem], refs: Mapping[NoteKey, NoteRef] | None) -> NoteStatus:
    state, reason = NoteState(row.state), " ".join(dict.fromkeys(problem.reason for problem in problems))
    if refs is not None and state is not NoteState.FAILED:
        ref = refs.get(row.key)
        if ref is None:
            state, reason = NoteState.STALE, "No longer there."
        elif ref.revision != row.revision:
            state, reason = NoteState.STALE, "Changed since it was indexed."
    label = problems[0].note if problems else (refs or {}).get(row.key, _NO_REF).label or row.title
    return NoteStatus(row.key, label, state, reason, row.modified)


_NO_REF = NoteRef(NoteKey(""), "")
