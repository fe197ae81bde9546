"""Questions before something that cannot be taken back, and the choosers of files."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from gui import tr


def confirm_removal(parent: QWidget, name: str, kind_is_roam: bool) -> bool:
    """Ask, saying what is deleted and what is not."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, tr("Remove a source"), "", parent=parent)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setText(tr("Remove {name} from Lamplight?").format(name=name))
    kept = tr("The graph itself is not touched.") if kind_is_roam else tr("The notes themselves are not touched.")
    box.setInformativeText(tr("Its index is deleted from this machine.") + " " + kept)
    remove = box.addButton(tr("Remove"), QMessageBox.ButtonRole.DestructiveRole)
    keep = box.addButton(tr("Keep"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    box.setEscapeButton(keep)
    box.exec()
    return box.clickedButton() is remove


def choose_folder(parent: QWidget) -> list[str]:
    folder = QFileDialog.getExistingDirectory(parent, tr("Choose a vault's folder"))
    return [folder] if folder else []


def choose_exports(parent: QWidget) -> list[str]:
    files, _ = QFileDialog.getOpenFileNames(
        parent, tr("Choose Roam exports"), "", f"{tr('Roam exports')} (*.json *.edn *.zip)"
    )
    return files
