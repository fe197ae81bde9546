"""How the command line shows values to a person: plain text, colours only on a terminal."""

from __future__ import annotations

import os
import shlex
import sys
import time
import unicodedata
from collections.abc import Mapping
from typing import TextIO

from engine.job import Progress
from engine.model import NOTHING_ASKED, Hit, IndexReport, NoteHits, SearchResult, Severity, SourceStatus

_BOLD, _DIM, _MARK, _OFF = "\x1b[1m", "\x1b[2m", "\x1b[1;33m", "\x1b[0m"


def use_colour(stream: TextIO) -> bool:
    return stream.isatty() and "NO_COLOR" not in os.environ


def printable(text: str) -> str:
    """``text`` on one line, without control characters: a note must not drive the terminal that shows it, and its name
    must not break a table."""
    return "".join(c if unicodedata.category(c)[0] != "C" or c == "\u200d" else "�" for c in text)


def printable_text(text: str) -> str:
    """The same of a text that may have several lines."""
    return "\n".join(printable(line.expandtabs(4)) for line in text.split("\n"))


def one_line(text: str) -> str:
    """The same of a message, whose line breaks mean nothing."""
    return printable(" ".join(text.split()))


def age_words(seconds: float | None, now: float | None = None) -> str:
    """``3 min ago``, or ``never``."""
    if seconds is None:
        return "never"
    passed = max(0.0, (time.time() if now is None else now) - seconds)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if passed >= size:
            return f"{int(passed // size)} {unit} ago"
    return "just now"


def size_words(count: int) -> str:
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return ""


def sources_table(statuses: list[SourceStatus]) -> str:
    if not statuses:
        return "No sources yet. Add one: lamplight add PATH"
    rows = [("NAME", "KIND", "STATE", "NOTES", "PASSAGES", "INDEXED")]
    rows += [
        (
            printable(s.source.name),
            s.source.kind.value,
            s.state,
            f"{s.notes:,}",
            f"{s.passages:,}",
            age_words(s.indexed_at),
        )
        for s in statuses
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def status_text(value: SourceStatus, *, has_chosen: bool = True) -> str:
    """``has_chosen``: how index files are protected was decided by the owner, and not by there being no keychain."""
    protection = "encrypted" if value.encrypted else "NOT encrypted"
    if value.indexed_at and not value.encrypted and not has_chosen:
        protection += ": choose how it is protected with lamplight protect"
    lines = [
        f"{printable(value.source.name)} ({value.source.kind.value}, {value.state})",
        f"  location   {printable(value.source.location)}",
        f"  notes      {value.notes:,} indexed, {value.skipped:,} skipped, {value.failed:,} failed",
        f"  passages   {value.passages:,}, {value.vectors:,} searchable by meaning",
        f"  indexed    {age_words(value.indexed_at)}" + (f", behind by {value.behind_by:,}" if value.behind_by else ""),
        f"  model      {value.model or 'none yet'}",
        f"  on disk    {size_words(value.bytes_on_disk)}, {protection}",
    ]
    if value.languages:
        lines.append(f"  languages  {_counts(value.languages)}")
    if value.detail:
        lines.append(f"  note       {one_line(value.detail)}")
    if value.advice:
        lines.append(f"  place      {one_line(value.advice)}")
    return "\n".join(lines)


def report_text(report: IndexReport, name: str, *, verbose: bool) -> str:
    lines = [
        f"{printable(name)}: {report.outcome.value} in {report.seconds:.1f} s. {report.notes:,} notes: "
        f"{report.added:,} new, {report.changed:,} changed, {report.moved:,} moved, {report.unchanged:,} unchanged, "
        f"{report.removed:,} removed, {report.skipped:,} skipped, {report.failed:,} failed.",
        f"  {report.passages:,} passages; {report.embedded:,} embedded, {report.reused:,} vectors reused.",
    ]
    if report.omitted:
        lines.append(f"  left out: {_counts(report.omitted)}")
    if report.trimmed:
        lines.append(f"  trimmed (characters): {_counts(report.trimmed)}")
    if report.detail:
        lines.append(f"  {one_line(report.detail)}")
    shown = [p for p in report.problems if verbose or p.severity is Severity.FAILED]
    for problem in shown[:50]:
        place = f"{problem.note}:{problem.line}" if problem.line else problem.note
        lines.append(f"  {problem.severity.value}  {printable(place)}  {one_line(problem.reason)}")
    hidden = len(report.problems) - min(len(shown), 50)
    if hidden > 0:
        remarks = "remark" if hidden == 1 else "remarks"
        lines.append(f"  {hidden:,} more {remarks}: lamplight status {shlex.quote(printable(name))} --problems")
    return "\n".join(lines)


def result_text(result: SearchResult, *, colour: bool, explain: bool = False) -> str:
    lines: list[str] = [f"! {one_line(notice)}" for notice in result.notices]
    lines += [
        f"! searched for '{printable(searched)}' instead of '{printable(typed)}'"
        for typed, searched in result.corrected
    ]
    lines += [
        f"! the {one.name} ranking did not answer: {one_line(one.why)}" for one in result.legs if one.state == "failed"
    ]
    if not result.rows:
        was_asked = any(one.why != NOTHING_ASKED for one in result.legs)
        lines.append(
            "Nothing found." if was_asked else "Nothing was asked: give some words, or a condition like tag:work."
        )
    elif result.nothing_relevant:
        lines.append("Nothing in your notes seems to be about this. The nearest:")
    for number, row in enumerate(result.rows, 1):
        lines += _row_lines(number, row, colour=colour, explain=explain)
    if result.hidden is not None and result.hidden.passages:
        more = f"; the best of them is in '{printable(result.hidden.best_title)}'" if result.hidden.best_title else ""
        better = ", and it matches better than anything shown" if result.hidden.better_outside and result.rows else ""
        lines.append(f"{result.hidden.passages:,} passages are hidden by the filter{more}{better}.")
    kept = [a for a in result.ages if a.refresh in ("refresh-failed", "window-closed")]
    lines += [f"! {printable(a.source_name)} as of {age_words(a.indexed_at)}: {one_line(a.detail)}" for a in kept]
    behind = [a for a in result.ages if a.behind_by]
    lines += [f"! {printable(a.source_name)} is behind by {_notes(a.behind_by)}" for a in behind]
    return "\n".join(lines)


def _row_lines(number: int, row: NoteHits, *, colour: bool, explain: bool) -> list[str]:
    best = row.hits[0]
    bold, dim, off = (_BOLD, _DIM, _OFF) if colour else ("", "", "")
    trail = " › ".join(printable(part) for part in best.breadcrumb)
    lines = [f"{number:>3}. {bold}{trail}{off}  {dim}[{printable(best.source_name)} · {_legs(best)}]{off}"]
    for one in row.hits:
        lines.append(f"     {_snippet(one, colour)}")
        lines.append(f"     {dim}{_place(one)}{off}")
        if explain and one.explanation is not None:
            parts = ", ".join(f"{term} in {field} {part:.2f}" for term, field, part in one.explanation.matched)
            lines.append(f"     {dim}matched: {parts or 'no word'}; {one.explanation.fusion}{off}")
    return lines


def _legs(hit: Hit) -> str:
    if not hit.is_ranked:
        return "meets the conditions"
    shown = " ".join(f"{leg.name[0]}:{leg.rank}" for leg in hit.legs)
    return f"{hit.strength.value} {hit.score:.4f} {shown}".rstrip()


def _place(hit: Hit) -> str:
    a = hit.anchor
    where = f"(({a.uid}))" if a.uid else f"{a.note}:{a.first_line}-{a.last_line}" if a.first_line else a.note
    stale = "" if hit.freshness in ("current", "unknown") else f"  ({hit.freshness.value} since it was indexed)"
    return printable(where) + stale


def _snippet(hit: Hit, colour: bool) -> str:
    text, parts, at = hit.snippet, [], 0
    for start, end in hit.spans if colour else ():
        parts += [printable_text(text[at:start]), _MARK, printable_text(text[start:end]), _OFF]
        at = end
    return " ".join("".join([*parts, printable_text(text[at:])]).split())


def _notes(count: int) -> str:
    return "1 note" if count == 1 else f"{count:,} notes"


def progress_line(progress: Progress) -> str:
    left = "" if progress.seconds_left is None else f", {_duration(progress.seconds_left)} left"
    rate = f", {progress.rate:.0f}/s" if progress.rate else ""
    total = f"/{progress.total:,}" if progress.total else ""
    return f"{progress.stage} {progress.done:,}{total}{rate}{left}"


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def _counts(value: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(value.items(), key=lambda item: -item[1]))


def clear_line(stream: TextIO = sys.stderr) -> None:
    stream.write("\r\x1b[K")
    stream.flush()
