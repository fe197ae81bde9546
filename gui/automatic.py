"""Which sources are indexed without being asked, and when: files that change, the state of the battery, idleness.

Decides; whoever owns it indexes. What the person asks for never passes through here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from engine import model
from engine.model import SourceKind
from engine.settings import Settings
from gui import tr
from gui.tasks import Tasks

if TYPE_CHECKING:
    from engine.model import PowerState, SourceId, SourceStatus

ROUND_MS = 600_000
"""Besides watching, files are compared with their index this often: some file systems tell nobody of a change."""
LOOK_MS = 5_000
IDLE_SECONDS = 60.0


class Wait(StrEnum):
    """Why nothing is indexed by itself now."""

    NO = ""
    BATTERY = "battery"
    IN_USE = "in-use"
    ROUND = "round"
    """On battery, changes are gathered until the next round."""


def reason_to_wait(settings: Settings, power: PowerState, *, is_used: bool, is_round: bool) -> Wait:
    """``is_used``: the person works with Lamplight right now, for systems that do not tell how long nobody typed.
    A machine that does not tell what it runs on counts as plugged in."""
    if power.on_battery and settings.on_battery == "pause":
        return Wait.BATTERY
    if settings.only_when_idle:
        is_idle = not is_used if power.idle_seconds is None else power.idle_seconds >= IDLE_SECONDS
        if not is_idle:
            return Wait.IN_USE
    if power.on_battery and settings.on_battery == "reduce" and not is_round:
        return Wait.ROUND
    return Wait.NO


def wait_text(wait: Wait, count: int) -> str:
    """Why nothing is indexed by itself."""
    if not wait or not count:
        return ""
    return {
        Wait.BATTERY: tr("waits until the machine is plugged in"),
        Wait.IN_USE: tr("waits until nobody uses the machine"),
        Wait.ROUND: tr("on battery: indexed within ten minutes"),
    }[wait]


def is_followed(status: SourceStatus) -> bool:
    """Files are followed unless the owner wants to be asked; graphs are refreshed before a search instead."""
    source = status.source
    is_file = source.kind in (SourceKind.OBSIDIAN, SourceKind.ROAM_EXPORT)
    return is_file and source.options.max_age_seconds >= 0 and status.state in ("indexed", "partial")


class Automatic(QObject):
    due = Signal(object)
    """tuple of ``SourceStatus`` to index now."""
    waits = Signal(object)
    """``Wait``, and for how many sources it is: (reason, count)."""
    holds = Signal(object)
    """``Wait``: why the run that began by itself is to rest; ``Wait.NO``: it may go on."""
    round_begun = Signal()

    def __init__(
        self, tasks: Tasks, ask_power: Callable[[Callable[[PowerState], None]], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._ask_power = ask_power
        self.settings = Settings()
        self._statuses: tuple[SourceStatus, ...] = ()
        self._watched: set[str] = set()
        self._pending: dict[SourceId, SourceStatus] = {}
        self._is_round = False
        self._runs = False
        self._round = QTimer(self, interval=ROUND_MS)
        self._round.timeout.connect(self.round_begun)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        self._round.start()

    def stop(self) -> None:
        self._round.stop()
        self._timer.stop()

    def follow(self, statuses: tuple[SourceStatus, ...]) -> None:
        """Watch the folders of those that are to follow their files."""
        self._statuses = statuses
        folders = {s.source.location for s in statuses if is_followed(s) and Path(s.source.location).is_dir()}
        if folders != self._watched:
            self._watched = folders
            self._tasks.watch(folders, self._on_files_changed)

    def gather(self, statuses: Iterable[SourceStatus], *, is_round: bool = False) -> None:
        """These have changed; they are indexed as soon as the machine may."""
        self._pending |= {status.source.id: status for status in statuses}
        self._is_round = self._is_round or is_round
        self.look()

    def run_begun(self, *, by_itself: bool) -> None:
        """A run has begun; one that was not asked for rests while the machine is not free."""
        self._runs = by_itself
        self.look()

    def run_ended(self) -> None:
        self._runs = False

    def look(self) -> None:
        """Ask how the machine is doing when that matters."""
        if not self._pending and not self._runs:
            self._timer.stop()
            self._is_round = False
        elif self.settings.on_battery == "always" and not self.settings.only_when_idle:
            self._timer.stop()
            self._decide(model.PowerState())
        else:
            self._timer.start()
            self._ask_power(self._decide)

    def _decide(self, power: PowerState) -> None:
        is_used = QGuiApplication.applicationState() is Qt.ApplicationState.ApplicationActive
        reason = reason_to_wait(self.settings, power, is_used=is_used, is_round=self._is_round)
        if self._runs:
            self.holds.emit(Wait.NO if reason is Wait.ROUND else reason)
        if not self._pending:
            return
        if reason:
            self.waits.emit((reason, len(self._pending)))
            return
        due = tuple(self._pending.values())
        self._pending.clear()
        self._is_round = False
        self.waits.emit((Wait.NO, 0))
        self.due.emit(due)

    def _on_files_changed(self, paths: frozenset[str]) -> None:
        self.gather(s for s in self._statuses if any(Path(path).is_relative_to(s.source.location) for path in paths))
