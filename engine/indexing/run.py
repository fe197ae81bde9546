"""One index run: bring an index in line with its source.

Two phases, so that words are searchable before vectors exist: first the changed notes are read and written, one
transaction per batch; then the passages that no vector stands for are embedded, newest notes first, in batches of
similar length. Both can be cut short at any moment: what is committed stays, and the next run goes on from there.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.errors import Cancelled, SourceOffline
from engine.indexing.attempts import REASON, Attempts
from engine.indexing.plan import Plan, make_plan
from engine.indexing.reading import Batch, failed_note, failure, has_failed, in_batches, read_note
from engine.indexing.reading_process import MANY, ReadApart, ReadingEnded
from engine.indexing.words import count_words
from engine.inference.base import Embedder
from engine.inference.guard import EMBED, READ, CrashMark
from engine.job import Job
from engine.model import IndexReport, Note, NoteKey, NoteRef, Outcome, Problem, Scan, Severity, SourceId
from engine.sources.base import SourceReader
from engine.store.live import LiveIndex
from engine.store.notes import NoteState, state_of
from engine.store.vectors import MissingVector
from engine.text.embed_input import finish

VECTORS_PER_BATCH = 128
"""Passages embedded between two commits: at most this much work is lost by a crash."""
VECTORS_PER_WINDOW = 512
"""Passages put in order of length at once: the newest so many come before all others."""
PASSAGES_PER_STEP = 16
"""Passages embedded between two looks at whether the person wants to stop."""

_log = logging.getLogger(__name__)

_FINGERPRINT = "fingerprint"
"""Name under which the index keeps that of the last run that read everything."""


@dataclass(slots=True)
class _Tally:
    """What has happened so far, for the report."""

    notes: int = 0
    unchanged: int = 0
    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    embedded: int = 0
    reused: int = 0
    embed_seconds: float = 0.0
    unreadable: list[Problem] = field(default_factory=list)
    """Notes that could not be read now but could before: their old text stays in the index."""
    detail: str = ""


def index_source(
    live: LiveIndex,
    reader: SourceReader,
    embedder: Embedder,
    job: Job,
    *,
    full: bool = False,
    brake_fraction: float,
    fingerprint: str = "",
    mark: CrashMark | None = None,
    apart: ReadApart | None = None,
) -> IndexReport:
    """Run once. A ``full`` run reads and embeds everything anew and lets go of what is gone, however much it is.

    A ``fingerprint`` stands for all that the source holds: where it is that of the last whole run, nothing is scanned.
    ``mark`` tells which notes the program ended at before; ``apart`` reads many notes in a process of their own.
    Raises only for faults of the index or the model; what is wrong with a note goes into the report."""
    started = time.monotonic()
    tally = _Tally()
    outcome = Outcome.COMPLETE
    attempts = Attempts(live, mark, full=full)
    try:
        if full or not fingerprint or attempts.any_out() or live.store.get_meta(_FINGERPRINT) != fingerprint:
            outcome = _update_notes(live, reader, job, tally, attempts, apart, full=full, brake_fraction=brake_fraction)
            has_all = outcome is Outcome.COMPLETE and not tally.unreadable
            live.store.set_meta(_FINGERPRINT, fingerprint if has_all else "")
        else:
            counts = live.store.counts(embedder.model_id)
            tally.unchanged = counts.indexed
            tally.notes = counts.indexed + counts.skipped + counts.failed
        if full:
            live.drop_vectors()
        _embed(live, embedder, job, tally, attempts)
        attempts.forgive()
        live.behind_by = 0
        live.store.prune_vectors()
        live.store.prune_words()
    except SourceOffline as error:
        outcome, tally.detail = Outcome.OFFLINE, str(error)
    except Cancelled:
        outcome = Outcome.CANCELLED
    report = _report(live, embedder.model_id, outcome, tally, time.monotonic() - started)
    live.add_run(_record(report))
    live.store.checkpoint()
    return report


def _update_notes(
    live: LiveIndex,
    reader: SourceReader,
    job: Job,
    tally: _Tally,
    attempts: Attempts,
    apart: ReadApart | None,
    *,
    full: bool,
    brake_fraction: float,
) -> Outcome:
    """Scan, and bring notes and words in line."""
    job.report("scanning", 0)
    scan = reader.scan(job)
    attempts.blame({ref.key: ref.revision for ref in scan.refs})
    plan = make_plan(scan, live.store.revisions(), full=full, brake_fraction=brake_fraction)
    tally.notes = len(scan.refs) + sum(p.severity is Severity.SKIPPED for p in scan.problems)
    tally.unchanged = _count_unchanged(live, scan, plan)
    _write_notes(live, reader, plan, job, tally, attempts, apart)
    tally.unreadable += _left_alone(scan, plan, attempts)
    _remove(live, plan, tally)
    live.store.write_scan_problems([*scan.problems, *tally.unreadable])
    if not plan.is_braked:
        return Outcome.COMPLETE
    tally.detail = _braked(scan, live)
    return Outcome.BRAKED


def _count_unchanged(live: LiveIndex, scan: Scan, plan: Plan) -> int:
    """Indexed notes that need no reading; those that were skipped before are counted as skipped again."""
    states = live.store.states()
    read = {ref.key for ref in plan.read}
    return sum(states.get(ref.key) == NoteState.INDEXED for ref in scan.refs if ref.key not in read)


# --- phase 1: notes and words -------------------------------------------------------------------------------------


def _write_notes(
    live: LiveIndex,
    reader: SourceReader,
    plan: Plan,
    job: Job,
    tally: _Tally,
    attempts: Attempts,
    apart: ReadApart | None,
) -> None:
    moved_from = _by_content(live, plan.removed)
    stored = live.store.content_hashes()
    done = 0
    for notes, words in _read_all(reader, plan, job, attempts, apart):
        # Only passages have words, so notes without any can be left out of the batch.
        unreadable = {note.key: note.problems for note in notes if has_failed(note) and stored.get(note.key)}
        tally.unreadable += [problem for problems in unreadable.values() for problem in problems]
        batch = [note for note in notes if note.key not in unreadable]
        vector_hashes = _vectors_of_moved(live, batch, plan, moved_from)
        known = live.write_notes(batch, words, (), vector_hashes)
        tally.reused += known
        tally.moved += len(vector_hashes)
        indexed = [note for note in batch if state_of(note) is NoteState.INDEXED]
        tally.added += sum(note.key in plan.new for note in indexed) - len(vector_hashes)
        tally.changed += sum(note.key not in plan.new for note in indexed)
        done += len(notes)
        job.report("reading", done, len(plan.read))


def _read_all(
    reader: SourceReader, plan: Plan, job: Job, attempts: Attempts, apart: ReadApart | None
) -> Iterator[Batch]:
    """All notes of the plan; those that the program has ended at here, where that is counted."""
    special = [ref for ref in plan.read if attempts.is_suspect(ref.key)]
    rest = [ref for ref in plan.read if not attempts.is_suspect(ref.key)]
    yield from in_batches(_read_here(reader, special, job, attempts))
    if apart is not None and len(rest) >= MANY:
        read = 0
        try:
            for batch, words in apart(rest, job):
                yield batch, words
                read += len(batch)
        except ReadingEnded:
            _log.warning("the process that reads notes ended after %d of %d; the rest is read here", read, len(rest))
        rest = rest[read:]
    yield from in_batches(_read_here(reader, rest, job, attempts))


def _read_here(reader: SourceReader, refs: Sequence[NoteRef], job: Job, attempts: Attempts) -> Iterator[Note]:
    for number, ref in enumerate(refs):
        job.check()
        if number % 20 == 0:
            job.report("reading", number, len(refs), ref.title or ref.key)
        if attempts.is_out(ref.key, ref.revision):
            yield failed_note(ref, REASON, "quarantined")
            continue
        with attempts.during(READ, [ref.key]):
            note = read_note(reader, ref)
        yield note


def _left_alone(scan: Scan, plan: Plan, attempts: Attempts) -> list[Problem]:
    """Notes that were read long ago and cannot be embedded."""
    read = {ref.key for ref in plan.read}
    out = (ref for ref in scan.refs if ref.key not in read and attempts.is_out(ref.key, ref.revision))
    return [failure(ref, REASON, "quarantined") for ref in out]


def _by_content(live: LiveIndex, removed: Sequence[NoteKey]) -> dict[str, NoteKey]:
    """Content hash -> key of the notes that are about to go: the same content under a new key was moved."""
    if not removed:
        return {}
    hashes = live.store.content_hashes()
    return {hashes[key]: key for key in removed if hashes.get(key)}


def _vectors_of_moved(
    live: LiveIndex, batch: Sequence[Note], plan: Plan, moved_from: dict[str, NoteKey]
) -> dict[NoteKey, list[str]]:
    """For notes that were moved or renamed: the vectors that their passages keep, though the title in front of the
    embedded text may differ now. They are made anew when the passage itself changes, or by a full run."""
    kept: dict[NoteKey, list[str]] = {}
    for note in batch:
        old = moved_from.pop(note.content_hash, None) if note.key in plan.new else None
        if old is None or not note.passages:
            continue
        hashes = live.store.vector_hashes(old)
        known = live.store.known_vectors(live.model_id, hashes)
        if len(hashes) == len(note.passages) and known.issuperset(hashes):
            kept[note.key] = hashes
    return kept


def _remove(live: LiveIndex, plan: Plan, tally: _Tally) -> None:
    if plan.removed:
        live.write_notes([], count_words([]), plan.removed)
    tally.removed = len(plan.removed) - tally.moved


# --- phase 2: vectors ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ToEmbed:
    hash: str
    text: str
    note: NoteKey


def _embed(live: LiveIndex, embedder: Embedder, job: Job, tally: _Tally, attempts: Attempts) -> None:
    if attempts.rests:
        tally.detail = (
            tally.detail or "The embedding model rests after a crash, so words alone were brought up to date."
        )
        return
    missing = live.store.missing_vectors(embedder.model_id)
    job.report("embedding", 0, len(missing))
    for start in range(0, len(missing), VECTORS_PER_WINDOW):
        job.check()
        window = _by_tokens(live, embedder, missing[start : start + VECTORS_PER_WINDOW], attempts)
        for first in range(0, len(window), VECTORS_PER_BATCH):
            batch = window[first : first + VECTORS_PER_BATCH]
            _embed_batch(live, embedder, job, tally, attempts, batch, len(missing))
    job.report("embedding", len(missing), len(missing))


def _by_tokens(
    live: LiveIndex, embedder: Embedder, missing: Sequence[MissingVector], attempts: Attempts
) -> list[_ToEmbed]:
    """The texts in the order of the tokens that the model reads of them: side by side they need no padding."""
    hashes = {one.passage_id: one.hash for one in missing}
    rows = live.store.passages(list(hashes))
    texts = [_ToEmbed(hashes[r.id], finish(r.passage).embed_input, r.passage.anchor.note) for r in rows]
    if attempts.any_out():
        revisions = live.store.revisions()
        texts = [one for one in texts if not attempts.is_out(one.note, revisions.get(one.note, ""))]
    counted: list[tuple[int, _ToEmbed]] = []
    for step in _steps(texts, attempts, VECTORS_PER_WINDOW):
        with attempts.during(EMBED, (one.note for one in step)):
            spans = embedder.token_spans([one.text for one in step])
        counted += [(len(found), one) for found, one in zip(spans, step, strict=True)]
    return [one for _, one in sorted(counted, key=lambda pair: pair[0])]


def _steps(texts: Sequence[_ToEmbed], attempts: Attempts, size: int) -> Iterator[Sequence[_ToEmbed]]:
    """Each text of a note that the program has ended at alone and first, then the others ``size`` at a time."""
    rest = [one for one in texts if not attempts.is_suspect(one.note)]
    if len(rest) < len(texts):
        yield from ([one] for one in texts if attempts.is_suspect(one.note))
    yield from (rest[start : start + size] for start in range(0, len(rest), size))


def _embed_batch(
    live: LiveIndex,
    embedder: Embedder,
    job: Job,
    tally: _Tally,
    attempts: Attempts,
    batch: Sequence[_ToEmbed],
    total: int,
) -> None:
    """Embed and commit one batch; when cancelled within it, what is ready is committed first."""
    hashes: list[str] = []
    vectors: list[NDArray[np.float32]] = []
    try:
        for step in _steps(batch, attempts, PASSAGES_PER_STEP):
            job.check()
            started = time.monotonic()
            with attempts.during(EMBED, (one.note for one in step)):
                vectors.append(embedder.embed_documents([one.text for one in step]))
            tally.embed_seconds += time.monotonic() - started
            hashes += [one.hash for one in step]
            job.report("embedding", tally.embedded + len(hashes), total)
    finally:
        if hashes:
            live.write_vectors(hashes, np.concatenate(vectors))
            tally.embedded += len(hashes)


# --- the report ---------------------------------------------------------------------------------------------------


def _braked(scan: Scan, live: LiveIndex) -> str:
    gone = len(set(live.store.revisions()) - {ref.key for ref in scan.refs})
    return (
        f"{gone:,} notes are gone at once, so none was removed from the index. If the drive or the sync is incomplete, "
        "wait and index again; if they were really deleted, run a full index."
    )


def _report(live: LiveIndex, model_id: str, outcome: Outcome, tally: _Tally, seconds: float) -> IndexReport:
    counts = live.store.counts(model_id)
    problems = live.store.problems()
    omitted, trimmed = live.store.left_out()
    return IndexReport(
        source=SourceId(live.source.id),
        outcome=outcome,
        notes=tally.notes,
        added=tally.added,
        changed=tally.changed,
        unchanged=tally.unchanged,
        moved=tally.moved,
        removed=tally.removed,
        skipped=counts.skipped,
        failed=counts.failed,
        warnings=counts.warnings,
        passages=counts.passages,
        embedded=tally.embedded,
        reused=tally.reused,
        omitted=omitted,
        trimmed=trimmed,
        problems=tuple(problems),
        seconds=seconds,
        embed_seconds=tally.embed_seconds,
        detail=tally.detail,
    )


def _record(report: IndexReport) -> dict[str, object]:
    """The report as stored: without the problems, which have a table of their own."""
    record = dataclasses.asdict(dataclasses.replace(report, problems=()))
    return {name: value for name, value in record.items() if name != "problems"}
