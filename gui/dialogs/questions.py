"""Questions before something that cannot be taken back, and the choosers of files."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from engine.model import SourceStatus
from gui import plural, tr


def confirm_removal(parent: QWidget, status: SourceStatus) -> bool:
    """Ask, saying what is deleted and what is not."""
    name = status.source.name
    box = QMessageBox(QMessageBox.Icon.NoIcon, tr("Remove a source"), "", parent=parent)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setText(tr("Remove {name} from Lamplight?").format(name=name))
    deleted = plural(
        status.passages,
        "Deleted from this machine: its index with {n} passage, and what language models answered about it.",
        "Deleted from this machine: its index with {n} passages, and what language models answered about it.",
    )
    kept = (
        tr("The graph itself is not touched.")
        if status.source.kind.is_roam
        else tr("The notes themselves are not touched.")
    )
    also = tr("Saved searches, and what you pinned, hid or merged, are kept for when you add it again.")
    box.setInformativeText(f"{deleted}\n\n{kept} {also}")
    remove = box.addButton(tr("Remove"), QMessageBox.ButtonRole.DestructiveRole)
    keep = box.addButton(tr("Keep"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    box.setEscapeButton(keep)
    box.exec()
    return box.clickedButton() is remove


def keep_running(parent: QWidget) -> bool:
    """Ask once what closing the window means where there is a tray."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, tr("Close the window"), "", parent=parent)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setText(tr("Keep Lamplight in the tray?"))
    box.setInformativeText(
        tr("Quick search stays at hand, and notes are indexed as they change. The settings can change this later.")
    )
    stay = box.addButton(tr("Keep it running"), QMessageBox.ButtonRole.AcceptRole)
    leave = box.addButton(tr("Quit"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(stay)
    box.setEscapeButton(leave)
    box.exec()
    return box.clickedButton() is stay


def remove_vanished(parent: QWidget, name: str, detail: str) -> bool:
    """Ask after a run that stopped because so many notes were gone at once."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, tr("Many notes are gone"), "", parent=parent)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setText(tr("Remove the notes that are gone from the index of {name}?").format(name=name))
    box.setInformativeText(
        detail + "\n\n" + tr("If the folder is only not connected or not synchronised yet, keep them and index later.")
    )
    remove = box.addButton(tr("Remove them"), QMessageBox.ButtonRole.DestructiveRole)
    keep = box.addButton(tr("Keep them"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    box.setEscapeButton(keep)
    box.exec()
    return box.clickedButton() is remove


def name_search(parent: QWidget, text: str) -> str:
    """The name under which to keep a search; empty when it is not to be kept."""
    name, is_fine = QInputDialog.getText(parent, tr("Save this search"), tr("Name"), text=text)
    return str(name).strip() if is_fine else ""


def choose_folder(parent: QWidget) -> list[str]:
    folder = QFileDialog.getExistingDirectory(parent, tr("Choose a vault's folder"))
    return [folder] if folder else []


def choose_exports(parent: QWidget) -> list[str]:
    files, _ = QFileDialog.getOpenFileNames(
        parent, tr("Choose Roam exports"), "", f"{tr('Roam exports')} (*.json *.edn *.zip)"
    )
    return files
