"""How the library is asked: on a lane of the workers, and what goes wrong is told to the person."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from engine.errors import PassphraseNeeded
from gui.messages import from_error
from gui.tasks import Tasks

if TYPE_CHECKING:
    from engine.job import Job
    from gui.library_like import LibraryLike

T = TypeVar("T")


class Asking(QObject):
    said = Signal(object)
    """``Message`` for the person."""
    locked = Signal()
    """What was asked for needs a passphrase that nobody has given."""

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tasks = tasks
        self.library: LibraryLike | None = None
        """None until it is open: what is asked before is not asked at all."""

    def ask(self, lane: str, verb: Callable[[LibraryLike, Job], T], done: Callable[[T], None], on_failure: str) -> None:
        """``verb`` runs on ``lane``; ``done`` gets its answer here, or the person reads ``on_failure`` and why."""
        library = self.library
        if library is not None:
            self.tasks.run(lane, lambda job: verb(library, job), done, self.failing(on_failure))

    def failing(self, doing: str) -> Callable[[Exception], None]:
        def failed(error: Exception) -> None:
            if isinstance(error, PassphraseNeeded):
                self.locked.emit()
            else:
                self.said.emit(from_error(error, doing))

        return failed
