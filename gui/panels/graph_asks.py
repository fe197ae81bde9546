"""Every question that the graph puts to the library. It names the lane, the verb and what success looks like.

The window hands in how a verb is asked; answers come on the main thread. No widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from engine.errors import Cancelled
from engine.job import Job, Progress
from engine.model import (
    Anchor,
    Cell,
    Changes,
    DuplicatePair,
    GraphView,
    LayoutRequest,
    NoteKey,
    NoteView,
    Route,
    ServiceState,
    SourceId,
)
from gui import tr
from gui.panels.graph_index import GraphIndex, build_index

T = TypeVar("T")
Document = dict[str, Any]
ROUTES = 4


class GraphLibrary(Protocol):
    """The verbs of ``engine.library.Library`` that the graph uses."""

    def graph_view(self, sources: tuple[str, ...] = ()) -> GraphView: ...
    def lay_out(self, request: LayoutRequest) -> tuple[Cell, ...]: ...
    def routes(self, start: str, end: str, count: int = 3, sources: tuple[str, ...] = ()) -> tuple[Route, ...]: ...
    def graph_call(self, verb: str, options: Mapping[str, Any], job: Job | None = None) -> Document: ...
    def duplicates(
        self, sources: tuple[str, ...] = (), job: Job | None = None, *, limit: int = 50
    ) -> tuple[DuplicatePair, ...]: ...
    def services(self) -> list[ServiceState]: ...
    def switch_service(self, name: str, on: bool) -> Changes: ...
    def note(self, source: str, key: NoteKey) -> NoteView: ...
    def home_link(self, source: str, anchor: Anchor) -> str: ...


class Ask(Protocol):
    """How the window asks: ``failed`` gets the error instead of the message bar where it is given."""

    def __call__(
        self,
        lane: str,
        verb: Callable[[Any, Job], T],
        done: Callable[[T], None],
        on_failure: str,
        *,
        failed: Callable[[Exception], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Job | None: ...


class GraphAsks:
    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def load(self, done: Callable[[GraphIndex], None], failed: Callable[[Exception], None]) -> bool:
        """Read the graph; False when the library is not open yet."""

        def work(library: GraphLibrary, _job: Job) -> GraphIndex:
            return build_index(library.graph_view())

        return self._ask("graph", work, done, tr("The graph could not be read."), failed=failed) is not None

    def lay_out(self, request: LayoutRequest, done: Callable[[tuple[Cell, ...]], None]) -> None:
        def work(library: GraphLibrary, _job: Job) -> tuple[Cell, ...]:
            return library.lay_out(request)

        self._ask("map", work, done, tr("The map could not be laid out."))

    def routes(self, start: str, end: str, done: Callable[[tuple[Route, ...]], None]) -> None:
        def work(library: GraphLibrary, _job: Job) -> tuple[Route, ...]:
            return library.routes(start, end, ROUTES)

        self._ask("graph", work, done, tr("The path could not be looked for."))

    def answer(
        self,
        options: Mapping[str, Any],
        done: Callable[[Document], None],
        failed: Callable[[Exception], None],
        progress: Callable[[Progress], None],
    ) -> Job | None:
        """Put a question. The job can be cancelled; a newer question replaces it."""

        def work(library: GraphLibrary, job: Job) -> Document:
            return library.graph_call("ask", options, job)

        return self._ask("ask", work, done, tr("The question could not be answered."), failed=failed, progress=progress)

    def command(
        self,
        verb: str,
        options: Mapping[str, Any],
        done: Callable[[Document], None],
        *,
        failed: Callable[[Exception], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Job | None:
        """A command of the graph with plain options, as on the command line."""

        def work(library: GraphLibrary, job: Job) -> Document:
            return library.graph_call(verb, options, job)

        return self._ask("graph", work, done, tr("That did not work."), failed=failed, progress=progress)

    def extract(
        self,
        options: Mapping[str, Any],
        done: Callable[[Document], None],
        failed: Callable[[Exception], None],
        progress: Callable[[Progress], None],
    ) -> Job | None:
        """Let a model read, or only estimate it. A run that was stopped before it began is an empty document."""

        def work(library: GraphLibrary, job: Job) -> Document:
            try:
                return library.graph_call("extract", options, job)
            except Cancelled:
                return {}

        return self._ask("extract", work, done, tr("That did not work."), failed=failed, progress=progress)

    def services(self, done: Callable[[Sequence[ServiceState]], None]) -> None:
        def work(library: GraphLibrary, _job: Job) -> Sequence[ServiceState]:
            return library.services()

        self._ask("library", work, done, tr("The network services could not be listed."))

    def switch_service(self, name: str, on: bool, done: Callable[[], None]) -> None:
        def work(library: GraphLibrary, _job: Job) -> None:
            library.switch_service(name, on)

        self._ask("library", work, lambda _nothing: done(), tr("The settings could not be saved."))

    def duplicates(self, done: Callable[[tuple[DuplicatePair, ...]], None]) -> None:
        def work(library: GraphLibrary, job: Job) -> tuple[DuplicatePair, ...]:
            return library.duplicates((), job)

        # Without vectors there is nothing to compare, which is no failure of the review.
        self._ask("graph", work, done, tr("Near-duplicates could not be looked for."), failed=lambda _error: done(()))

    def note(self, source: SourceId, key: NoteKey, render: Callable[[NoteView], T], done: Callable[[T], None]) -> None:
        def work(library: GraphLibrary, _job: Job) -> T:
            return render(library.note(source, key))

        self._ask("preview", work, done, tr("The note could not be read."))

    def home_link(self, source: SourceId, anchor: Anchor, done: Callable[[str], None]) -> None:
        def work(library: GraphLibrary, _job: Job) -> str:
            return library.home_link(source, anchor)

        self._ask("library", work, done, tr("The link could not be made."))
