"""The ``problems`` and ``runs`` tables, and the counts that ``status`` shows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from engine.model import Note, Problem, Severity
from engine.store import notes, rows, vectors
from engine.store.database import Cursor

_OF_THE_SCAN = -1
"""Note id of problems that belong to no stored note."""

_WHOLE = ("complete", "braked")
"""Outcomes of runs that saw the whole source."""

_COLUMNS = {
    "note": "INTEGER",
    "severity": "VARCHAR",
    "label": "VARCHAR",
    "reason": "VARCHAR",
    "code": "VARCHAR",
    "line": "INTEGER",
}


@dataclass(frozen=True, slots=True)
class Counts:
    indexed: int
    skipped: int
    """Notes left out, those of the scan included: files that are passed over before they are read."""
    failed: int
    """Notes that could not be read; of some an older text may still be indexed."""
    warnings: int
    """Problems of severity warning, those of the scan included."""
    passages: int
    vectors: int
    """Passages with a vector of the model asked for."""
    languages: Mapping[str, int]
    """Indexed notes by language; unknown ones under the empty string."""
    bytes_on_disk: int


def add_problems(cursor: Cursor, notes_with_ids: Sequence[tuple[int, Note]]) -> None:
    _insert(cursor, [(number, problem) for number, note in notes_with_ids for problem in note.problems])


def replace_scan_problems(cursor: Cursor, problems: Sequence[Problem]) -> None:
    remove_problems(cursor, [_OF_THE_SCAN])
    _insert(cursor, [(_OF_THE_SCAN, problem) for problem in problems])


def _insert(cursor: Cursor, problems: Sequence[tuple[int, Problem]]) -> None:
    values = [
        (number, p.severity, rows.clean(p.note), rows.clean(p.reason), rows.clean(p.code), p.line)
        for number, p in problems
    ]
    rows.insert(cursor, "problems", _COLUMNS, values)


def remove_problems(cursor: Cursor, note_ids: Sequence[int]) -> None:
    cursor.execute(f"DELETE FROM problems WHERE note IN {rows.ANY_INTEGER}", [rows.integers(note_ids)])


def problems(cursor: Cursor) -> list[Problem]:
    """Failed first, then skipped, then warnings; each by note and line."""
    found = cursor.execute("SELECT severity, label, reason, code, line FROM problems").fetchall()
    rank = {Severity.FAILED: 0, Severity.SKIPPED: 1, Severity.WARNING: 2}
    listed = [Problem(Severity(severity), *rest) for severity, *rest in found]
    return sorted(listed, key=lambda problem: (rank[problem.severity], problem.note, problem.line))


def problems_by_note(cursor: Cursor) -> list[tuple[int, Problem]]:
    """Each problem with the id of its note, -1 for those of the scan; in their order."""
    found = cursor.execute(
        "SELECT note, severity, label, reason, code, line FROM problems ORDER BY label, line"
    ).fetchall()
    return [(number, Problem(Severity(severity), *rest)) for number, severity, *rest in found]


def recent_runs(cursor: Cursor, limit: int) -> list[tuple[float, dict[str, Any]]]:
    """(time, report) of the newest runs, newest first."""
    found = cursor.execute(
        "SELECT finished_at, report FROM runs ORDER BY finished_at DESC LIMIT $1", [limit]
    ).fetchall()
    return [(when, cast(dict[str, Any], rows.from_json(text))) for when, text in found]


def add_run(cursor: Cursor, report: Mapping[str, object]) -> None:
    cursor.execute("INSERT INTO runs VALUES ($1, $2)", [time.time(), rows.to_json(report)])


def last_run(cursor: Cursor) -> tuple[float, dict[str, Any]] | None:
    return next(iter(recent_runs(cursor, 1)), None)


def last_capture(cursor: Cursor) -> float | None:
    """When the newest run that saw the whole source began to look at it; None when none has."""
    for finished_at, text in cursor.execute(
        "SELECT finished_at, report FROM runs ORDER BY finished_at DESC"
    ).fetchall():
        report = cast(dict[str, Any], rows.from_json(text))
        if report.get("outcome") in _WHOLE:
            return float(finished_at) - float(report.get("seconds", 0.0))
    return None


def counts(cursor: Cursor, model_id: str, bytes_on_disk: int) -> Counts:
    # Counted where ``problems`` lists them, so that the number and the list never disagree.
    left_out = dict(
        cursor.execute("SELECT severity, count(DISTINCT (note, label)) FROM problems GROUP BY severity").fetchall()
    )
    numbers = cursor.execute(
        "SELECT (SELECT count(*) FROM notes WHERE state = 'indexed'), (SELECT count(*) FROM passages), "
        "(SELECT count(*) FROM problems WHERE severity = 'warning')"
    ).fetchone()
    indexed, passages, warnings = numbers if numbers else (0, 0, 0)
    return Counts(
        indexed=indexed,
        skipped=left_out.get("skipped", 0),
        failed=left_out.get("failed", 0),
        warnings=warnings,
        passages=passages,
        vectors=vectors.count(cursor, model_id),
        languages=notes.languages(cursor),
        bytes_on_disk=bytes_on_disk,
    )
