"""What the pages of the settings ask of the library, a method each, and the pages themselves put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from PySide6.QtWidgets import QWidget

from engine.job import Job
from engine.model import KeychainEntry, LedgerLine, ModelInfo, ModelOffer, SourceStatus
from engine.paths import Home
from gui import tr
from gui.dialogs.settings import Extras
from gui.dialogs.settings_keys import KeysPage
from gui.dialogs.settings_models import ModelsPage
from gui.dialogs.settings_upkeep import MachinePage, PrivacyPage
from gui.tasks import while_there

T = TypeVar("T")


class Asking(Protocol):
    """The two ways to put a question: on a lane, or as work that the activity list shows. And what the sources are."""

    @property
    def statuses(self) -> tuple[SourceStatus, ...]: ...
    def ask_graph(
        self, lane: str, verb: Callable[[Any, Job], T], done: Callable[[T], None], on_failure: str
    ) -> Job | None: ...
    def work(
        self,
        title: str,
        verb: Callable[[Any, Job], T],
        done: Callable[[T], None],
        say: Callable[[T], str],
        on_failure: str,
    ) -> None: ...


class SettingsAsks:
    def __init__(self, ops: Asking) -> None:
        self._ops = ops

    def list_models(self, done: Callable[[list[ModelInfo]], None]) -> None:
        self._ask(lambda library, _job: library.models(), done, tr("The models could not be listed."))

    def import_model(self, folder: str, model: str, done: Callable[[], None]) -> None:
        told = while_there(done)
        self._ops.work(
            tr("Importing {name}").format(name=model),
            lambda library, _job: library.import_model(folder, model),
            lambda _model: told(),
            lambda _model: tr("taken in and tried out"),
            tr("The model could not be imported."),
        )

    def read_offer(self, file: str, done: Callable[[ModelOffer], None]) -> None:
        self._ask(lambda library, _job: library.model_offer(file), done, tr("The list of files could not be read."))

    def download_model(self, file: str, name: str, done: Callable[[], None]) -> None:
        told = while_there(done)
        self._ops.work(
            tr("Downloading {name}").format(name=name),
            lambda library, job: library.download_model(file, job),
            lambda _model: told(),
            lambda _model: tr("taken in and tried out"),
            tr("The model could not be downloaded."),
        )

    def remove_model(self, model: str, done: Callable[[], None]) -> None:
        told = while_there(done)
        self._ask(
            lambda library, _job: library.remove_model(model),
            lambda _nothing: told(),
            tr("The model could not be removed."),
        )

    def list_connections(self, done: Callable[[list[LedgerLine]], None]) -> None:
        self._ask(lambda library, _job: library.connections(), done, tr("The connections could not be read."))

    def list_keychain(self, done: Callable[[list[KeychainEntry]], None]) -> None:
        self._ask(lambda library, _job: library.keychain_entries(), done, tr("The keychain could not be asked."))

    def write_diagnostics(self, done: Callable[[str], None]) -> None:
        self._ask(lambda library, _job: library.diagnostics(), done, tr("The diagnostics could not be collected."))

    def _ask(self, verb: Callable[[Any, Job], T], done: Callable[[T], None], on_failure: str) -> None:
        self._ops.ask_graph("house", verb, done, on_failure)


def pages(
    ops: Asking, home: Home, keys: Mapping[str, str], keep_keys: Callable[[dict[str, str]], None], about_qt: str
) -> Extras:
    """What stands beneath the settings of each page. ``about_qt`` is what the diagnostics say of the window."""
    asks = SettingsAsks(ops)

    def write(done: Callable[[str], None]) -> None:
        show = while_there(done)
        asks.write_diagnostics(lambda text: show(f"{text}\n# Window\n{about_qt}\n"))

    def keys_page() -> QWidget:
        page = KeysPage(keys)
        page.changed.connect(keep_keys)
        return page

    return {
        "models": lambda: ModelsPage(asks),
        "privacy": lambda: PrivacyPage(asks.list_connections, asks.list_keychain),
        "keyboard": keys_page,
        "machine": lambda: MachinePage(home, write, lambda: [status.source for status in ops.statuses]),
    }
