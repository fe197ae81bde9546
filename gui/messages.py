"""The one place that turns an exception into words for the person: what happened, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QLocale

from engine.errors import BugError, PassphraseNeeded, RetryError, in_words
from engine.job import Progress
from engine.model import Outcome
from gui import plural, tr

if TYPE_CHECKING:
    from engine.model import IndexReport, SourceId


class Message(NamedTuple):
    title: str
    text: str = ""
    tone: str = "bad"
    """``bad`` or ``info``."""
    button: str = ""
    """What the person can do about it, if there is something."""
    act: Callable[[], object] = lambda: None


class Ended(NamedTuple):
    """One run, or something else that took its time, that is over; for the activity list."""

    source: SourceId | None
    """None when it was no index run."""
    name: str
    at: float
    """Seconds since the epoch."""
    report: IndexReport | None = None
    """None when it was cancelled before it could report, failed, or was no index run."""
    error: str = ""
    text: str = ""
    """How something other than an index run ended."""


def from_error(error: Exception, doing: str) -> Message:
    """``doing`` says what was attempted, as a short sentence: "The notes could not be searched."."""
    said = in_words(error)
    if isinstance(said, BugError):
        detail = f"{type(error).__name__}: {error}".rstrip(": ")
        return Message(doing, tr("This is a fault in Lamplight, please report it. {detail}").format(detail=detail))
    # The window asks for a passphrase by itself; the remedy is for who works without one.
    text = said.message if isinstance(said, PassphraseNeeded) else f"{said.message} {said.remedy}".strip()
    if isinstance(said, RetryError) and not said.remedy:
        text = f"{text} {tr('Trying again may help.')}"
    return Message(doing, text)


def from_report(report: IndexReport, name: str) -> Message | None:
    """What is worth saying after a run; nothing when it simply went well."""
    if report.outcome is Outcome.OFFLINE:
        return Message(tr("{name} cannot be reached.").format(name=name), report.detail, "info")
    if report.outcome is Outcome.BRAKED:
        return Message(tr("{name} was left as it was.").format(name=name), report.detail)
    if report.outcome is Outcome.COMPLETE and report.failed:
        return Message(
            plural(report.failed, "{n} note could not be read.", "{n} notes could not be read."),
            "; ".join(f"{p.note}: {p.reason}" for p in report.problems if p.severity == "failed")[:300],
            "info",
        )
    return None


STAGES = ("scanning", "reading", "embedding", "download")
"""What the engine calls the stages of a run; listed here so that they are translated."""


def progress_text(progress: Progress, held: str = "") -> str:
    """``embedding 120 / 600 · 45 a second · 11 s left``; ``held``: why it rests, when nobody paused it."""
    parts = [tr(progress.stage) if progress.stage else tr("starting")]
    if progress.total:
        parts[0] += f" {_amount(progress, progress.done)} / {_amount(progress, progress.total)}"
    if progress.is_paused:
        parts.append(held or tr("paused"))
    else:
        if progress.rate:
            parts.append(tr("{n} a second").format(n=_rate(progress)))
        if progress.seconds_left is not None:
            parts.append(tr("{time} left").format(time=duration_text(progress.seconds_left)))
    return " · ".join(parts)


def _amount(progress: Progress, number: float) -> str:
    return size_text(number) if progress.stage == "download" else f"{number:n}"


def _rate(progress: Progress) -> str:
    if progress.stage == "download":
        return size_text(progress.rate)
    return f"{progress.rate:.0f}" if progress.rate >= 10 else f"{progress.rate:.1f}"


def size_text(count: float) -> str:
    """Bytes as a person says them."""
    return QLocale().formattedDataSize(int(count), 1, QLocale.DataSizeFormat.DataSizeSIFormat)


def duration_text(seconds: float) -> str:
    """Rounded as a person would say it."""
    if seconds < 60:
        return tr("{n} s").format(n=max(1, round(seconds)))
    if seconds < 3600:
        return tr("{n} min").format(n=round(seconds / 60))
    return tr("{hours} h {minutes} min").format(hours=int(seconds // 3600), minutes=round(seconds % 3600 / 60))
