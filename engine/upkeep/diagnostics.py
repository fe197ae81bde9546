"""What a person may hand over when something goes wrong: versions, settings, counts, timings, errors by their code.

Never a word of a note: no titles, no paths of notes, no queries; sources are numbered, and their names and places are
masked wherever a message repeats them.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import platform
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from engine import __version__
from engine.files import read_ordinary
from engine.model import KeychainEntry, LedgerLine, Problem, Run, SourceId, SourceStatus
from engine.net.secrets import mask_secrets
from engine.paths import Home
from engine.settings import Settings, declarations

_LIBRARIES = ("duckdb", "numpy", "onnxruntime", "PySide6-Essentials", "mcp")
_CRASH_LINES = 60
_SHORTEST_NAME = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Findings:
    """What the report is made of."""

    home: Home
    settings: Settings
    notices: Sequence[str]
    statuses: Sequence[SourceStatus]
    problems: Mapping[SourceId, Sequence[Problem]]
    runs: Sequence[Run]
    connections: Sequence[LedgerLine]
    keychain: Sequence[KeychainEntry]


def diagnostics_text(found: Findings) -> str:
    """The report, in sections, to be read by its owner before anybody else."""
    sections = {
        "Program": list(_program()),
        "Places": list(_places(found.home)),
        "Settings that were changed": list(_settings(found.settings)),
        "Sources": [line for number, one in enumerate(found.statuses, 1) for line in _source(number, one, found)],
        "Connections": list(_connections(found.connections)),
        "Keychain": [_entry(number, entry) for number, entry in enumerate(found.keychain, 1)],
        "Notices": list(found.notices),
        "Last crash": list(_crash(found.home)),
    }
    text = "\n\n".join("\n".join([f"# {title}", *(lines or ["nothing"])]) for title, lines in sections.items())
    return mask_secrets(_masked(text, found)) + "\n"


def _program() -> Iterator[str]:
    yield f"Lamplight {__version__}"
    yield f"Python {platform.python_version()} on {platform.system()} {platform.release()} {platform.machine()}"
    for name in _LIBRARIES:
        try:
            yield f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            continue


def _places(home: Home) -> Iterator[str]:
    for name in ("data", "config", "logs"):
        yield f"{name}: {getattr(home, name)}"
    if home.data.is_dir():
        yield f"free: {shutil.disk_usage(home.data).free / 1e9:.1f} GB"


def _settings(settings: Settings) -> Iterator[str]:
    default = Settings()
    for name in declarations():
        if (value := getattr(settings, name)) != getattr(default, name):
            yield f"{name} = {value!r}"


def _source(number: int, status: SourceStatus, found: Findings) -> Iterator[str]:
    yield f"source {number}: {status.source.kind.value}, {status.state}"
    yield (
        f"  {status.notes} notes, {status.passages} passages, {status.vectors} vectors, {status.skipped} skipped, "
        f"{status.failed} failed, {status.warnings} warnings, behind by {status.behind_by}"
    )
    kind = "encrypted" if status.encrypted else "not encrypted"
    yield f"  model {status.model or 'none'}, {status.bytes_on_disk} bytes on disk, {kind}"
    options = status.source.options
    yield (
        f"  {len(options.include)} patterns to include, {len(options.exclude)} to leave out, daily notes "
        f"{options.daily_notes}, searched by default {options.search_by_default}, limit {options.max_age_seconds} s"
    )
    codes = Counter(f"{p.severity.value} {p.code}" for p in found.problems.get(status.source.id, ()))
    if codes:
        yield "  " + ", ".join(f"{code} {count}" for code, count in codes.most_common())
    for run in [run for run in found.runs if run.source == status.source.id][:3]:
        report = run.report
        yield (
            f"  run: {report.outcome.value}, {report.seconds:.1f} s, {report.notes} notes, {report.embedded} embedded "
            f"in {report.embed_seconds:.1f} s"
        )


def _connections(lines: Sequence[LedgerLine]) -> Iterator[str]:
    for (service, outcome), count in Counter((line.service, line.outcome) for line in lines).most_common():
        yield f"{service}: {outcome} {count}"


def _entry(number: int, entry: KeychainEntry) -> str:
    state = {True: "present", False: "absent", None: f"not known ({entry.detail})"}[entry.is_present]
    return f"entry {number}: {state}"


def _crash(home: Home) -> Iterator[str]:
    """The end of the file in which the interpreter leaves where each thread stood; it holds no values."""
    try:
        lines = read_ordinary(home.crash_log).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    yield from lines[-_CRASH_LINES:]


def _masked(text: str, found: Findings) -> str:
    """Names and places of sources become numbers, the person's own folder ``~``."""
    for number, status in enumerate(found.statuses, 1):
        for word in sorted({status.source.location, status.source.name}, key=len, reverse=True):
            if len(word) >= _SHORTEST_NAME:
                text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", f"source {number}", text)
    return text.replace(str(Path.home()), "~")
