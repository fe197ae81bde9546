"""Graphs are brought up to date when the window is turned to: within the limits of their owners, and only as Roam's
window allows. The outcome is shown, never waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from engine import model
from engine.model import Changed, SourceKind
from gui import tr
from gui.asking import Asking
from gui.feed import Feed, ended_now
from gui.messages import from_error

if TYPE_CHECKING:
    from engine.model import SearchAge, Source, SourceStatus


class Freshening(QObject):
    refreshed = Signal(object)
    """``SearchAge``: whether a graph is up to date, and why not."""
    wrote = Signal(object)
    """``Changes`` of an index."""

    def __init__(self, asking: Asking, feed: Feed, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asking, self._feed = asking, feed

    def freshen_all(self) -> None:
        """Each graph whose index is older than its limit; the first time is left to the person."""

        def done(sources: list[Source]) -> None:
            for source in sources:
                self._freshen(source)

        self._asking.ask(
            "refresh",
            lambda library, _job: [status.source for status in library.sources() if _is_live(status)],
            done,
            tr("The sources could not be listed."),
        )

    def _freshen(self, source: Source) -> None:
        library = self._asking.library
        if library is None:
            return
        work = 0

        def done(age: SearchAge) -> None:
            self.refreshed.emit(age)
            self._feed.end(work, ended_now(title, text=refresh_text(age)) if age.refresh == "refreshed" else None)
            if age.refresh == "refresh-failed":
                self._feed.remember(ended_now(title, error=age.detail))
            if age.refresh in ("refreshed", "refresh-failed"):
                self.wrote.emit(model.Changes(frozenset({Changed.NOTES, Changed.SOURCES}), frozenset({source.id})))

        def failed(error: Exception) -> None:
            message = from_error(error, title)
            self._feed.end(work, ended_now(title, error=message.text))

        title = tr("Refreshing {name}").format(name=source.name)
        job = self._asking.tasks.run("refresh", lambda job: library.freshen(source.id, job), done, failed)
        work = self._feed.begin(title, job)


def _is_live(status: SourceStatus) -> bool:
    """A graph that has been read before."""
    return status.source.kind in (SourceKind.ROAM_LOCAL, SourceKind.ROAM_CLOUD) and status.indexed_at is not None


def refresh_text(age: SearchAge) -> str:
    """How a graph stands after a look whether it is up to date."""
    return {
        "fresh": tr("up to date"),
        "refreshed": tr("refreshed"),
        "refresh-failed": tr("not refreshed"),
        "window-closed": tr("window closed"),
        "disabled": tr("refreshed only when asked"),
    }.get(age.refresh, "")
