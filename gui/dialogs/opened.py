"""The dialogs over the main window: which of them an action opens, and where what was chosen in them goes.

One method for each such action, named as in the table. Owns no state but the one dialog that stays open, the activity.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication

from engine.model import SourceId, SourceKind
from gui import actions, tr
from gui.messages import Message

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDialog, QWidget

    from engine.model import NoteStatus, Source
    from engine.paths import Home
    from engine.settings import Settings
    from gui.dialogs.activity import ActivityDialog
    from gui.dialogs.passphrase import PassphraseDialog
    from gui.ops import Ops
    from gui.state import State
    from gui.window import MainWindow


class Dialogs:
    def __init__(self, window: MainWindow, ops: Ops, state: State, home: Home) -> None:
        self._window, self._ops, self._state, self._home = window, ops, state, home
        self._activity: ActivityDialog | None = None
        self._unlocking: PassphraseDialog | None = None
        self._has_asked = False
        """For the passphrase, without being told to."""
        ops.locked.connect(self._on_locked)

    def _on_locked(self) -> None:
        """Ask for the passphrase once; who leaves that for later finds a button."""
        if self._unlocking is not None:
            return
        title, text = tr("Your notes are locked."), tr("Their index is protected by a passphrase.")
        self._window.say(Message(title, text, "info", tr("Enter passphrase…"), self.unlock))
        if self._window.isVisible() and not self._has_asked:
            self._has_asked = True
            self.unlock()

    def unlock(self) -> None:
        from gui.dialogs.passphrase import PassphraseDialog

        dialog = self._unlocking = PassphraseDialog(self._window, is_new=False)
        dialog.given.connect(lambda words: self._ops.unlock(words, self._on_unlocked, dialog.refuse))
        dialog.finished.connect(self._on_unlocking_ended)
        _open(dialog)

    def _on_unlocked(self) -> None:
        if self._unlocking is not None:
            self._unlocking.accept()
        self._window.message_bar.hide()

    def _on_unlocking_ended(self) -> None:
        self._unlocking = None

    def remove_source(self) -> None:
        from gui.dialogs.questions import confirm_removal

        status = self._window.sidebar.current
        if status is not None and confirm_removal(self._window, status):
            self._ops.remove(status.source.id)

    def remove_vanished(self, source: str, name: str, detail: str) -> None:
        """What to do about many notes that are gone: ask, and index again when they may go."""
        from gui.dialogs.questions import remove_vanished

        if remove_vanished(self._window, name, detail):
            self._ops.runs.index(SourceId(source), name, without_brake=True)

    def choose_folder(self) -> None:
        from gui.dialogs.questions import choose_folder

        if chosen := choose_folder(self._window):
            self._window.adding.add(chosen)

    def choose_exports(self) -> None:
        from gui.dialogs.questions import choose_exports

        if chosen := choose_exports(self._window):
            self._window.adding.add(chosen)

    def save_search(self) -> None:
        from gui.dialogs.questions import name_search

        text = self._window.search_box.text().strip()
        if text and (name := name_search(self._window, text)):
            self._ops.reading.save_search(name, text)

    def source_options(self) -> None:
        from gui.dialogs.source_options import SourceOptionsDialog

        status = self._window.sidebar.current
        if status is not None:
            count = functools.partial(self._ops.count_notes, status.source.id)
            ask_token = functools.partial(self._ops.ask_token, status.source.id)
            dialog = SourceOptionsDialog(status.source, count, self._ops.list_models, self._window, ask_token)
            dialog.accepted.connect(lambda: self._ops.configure(status.source, dialog.options))
            _open(dialog)

    def palette(self) -> None:
        from gui.dialogs.palette import Palette

        palette = Palette(self._window.entries, self._window)
        palette.accepted.connect(lambda: self._window.entries[palette.chosen].trigger())
        _open(palette)

    def keys(self) -> None:
        from gui.dialogs.palette import key_list

        _open(key_list(self._window.entries, self._window))

    def settings(self, page: str = "") -> None:
        from gui.dialogs.settings import SettingsDialog
        from gui.dialogs.settings_asks import pages

        extras = pages(self._ops, self._home, self._state.keys, self._keep_keys, _about_qt(self._window))
        dialog = SettingsDialog(self._window.settings, self._window, extras)
        dialog.accepted.connect(lambda: self._change_settings(dialog.settings))
        if page:
            dialog.open_page(page)
        _open(dialog)

    def _change_settings(self, settings: Settings) -> None:
        """Where index files are to be protected by a passphrase, one is chosen first."""
        if settings.protection != "passphrase" or self._window.settings.protection == "passphrase":
            self._ops.change_settings(settings)
            return
        from gui.dialogs.passphrase import PassphraseDialog

        dialog = PassphraseDialog(self._window, is_new=True)
        dialog.given.connect(lambda words: self._ops.choose_passphrase(words, dialog.accept, dialog.refuse))
        dialog.accepted.connect(lambda: self._ops.change_settings(settings))
        _open(dialog)

    def _keep_keys(self, keys: dict[str, str]) -> None:
        self._state.keys = keys
        actions.rebind(self._window.entries, keys)

    def activity(self) -> None:
        from gui.dialogs.activity import ActivityDialog

        if self._activity is None:
            self._activity = ActivityDialog(self._ops.feed, self._ops.read_problems, self._window)
        self.refresh_activity()
        self._activity.show()
        self._activity.raise_()
        self._activity.activateWindow()

    def refresh_activity(self) -> None:
        """List anew what ran before, where the dialog has been opened."""
        if self._activity is not None:
            self._ops.list_past(self._activity.show_past)

    def problems(self) -> None:
        from gui.dialogs.notes import NotesDialog

        status = self._window.sidebar.current
        if status is not None:
            source = status.source
            dialog = NotesDialog(source.name, functools.partial(self._ops.list_notes, source.id), self._window)
            dialog.opened.connect(lambda note: self._open_listed(source, note))
            _open(dialog)

    def _open_listed(self, source: Source, note: NoteStatus) -> None:
        """In the preview; what is no note of the index, where its file is."""
        if note.key:
            self._window.show_results_page()
            self._window.open_note(source.id, note.key)
        elif source.kind is SourceKind.OBSIDIAN:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(source.location, note.label))))

    def about(self) -> None:
        from gui.dialogs.about import about

        about(self._home, self._window).open()


def _open(dialog: QDialog) -> None:
    """Over the window, which goes on."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def _about_qt(window: QWidget) -> str:
    """What a report says of the window: versions and screens."""
    ratios = ", ".join(f"{screen.devicePixelRatio():g}x" for screen in QGuiApplication.screens())
    scheme = QGuiApplication.styleHints().colorScheme().name
    return f"Qt {qVersion()} on {QGuiApplication.platformName()}, screens {ratios}, {scheme}, {window.locale().name()}"
