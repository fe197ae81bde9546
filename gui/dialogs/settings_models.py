"""The embedding models: what they are, who uses them, taking in a folder, downloading after consent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QInputDialog,
    QLabel,
    QMessageBox,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.model import ModelInfo, ModelOffer
from gui import tr
from gui.dialogs.tables import as_list
from gui.messages import size_text
from gui.theme import UNIT


class Asks(Protocol):
    """What the page asks for; each hands its answer over later."""

    def list_models(self, done: Callable[[list[ModelInfo]], None]) -> None: ...
    def import_model(self, folder: str, model: str, done: Callable[[], None]) -> None: ...
    def read_offer(self, file: str, done: Callable[[ModelOffer], None]) -> None: ...
    def download_model(self, file: str, name: str, done: Callable[[], None]) -> None: ...
    def remove_model(self, model: str, done: Callable[[], None]) -> None: ...


class ModelsPage(QWidget):
    def __init__(self, asks: Asks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asks = asks
        self._models: list[ModelInfo] = []
        self.table = QTableWidget(0, 6)
        self.about = QLabel()
        self.about.setWordWrap(True)
        self.about.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.about.setProperty("tone", "small")
        self.take_in = QPushButton(tr("Import a folder…"))
        self.download = QPushButton(tr("Download…"))
        self.remove = QPushButton(tr("Remove its files…"))
        self._lay_out()
        self.table.currentCellChanged.connect(lambda row, *_: self._describe(row))
        self.take_in.clicked.connect(self._on_import)
        self.download.clicked.connect(self._on_download)
        self.remove.clicked.connect(self._on_remove)
        self.reload()

    def reload(self) -> None:
        self._asks.list_models(self._show_models)

    def _show_models(self, models: list[ModelInfo]) -> None:
        row = max(self.table.currentRow(), 0)
        self._models = models
        self.table.setRowCount(len(models))
        for number, model in enumerate(models):
            for column, text in enumerate(_texts(model)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.table.setItem(number, column, item)
        self.table.setCurrentCell(min(row, len(models) - 1), 0)
        self._describe(self.table.currentRow())

    def _describe(self, row: int) -> None:
        model = self._models[row] if 0 <= row < len(self._models) else None
        self.remove.setEnabled(model is not None and model.is_here and bool(model.sha256) and not model.used_by)
        if model is not None:
            digest = tr("SHA-256 of the weights: {digest}").format(digest=model.sha256) if model.sha256 else ""
            self.about.setText("\n".join(part for part in (model.name, model.note, digest) if part))

    def _on_import(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, tr("Folder with model.onnx and tokenizer.json"))
        if not folder:
            return
        missing = [model.id for model in self._models if not model.is_here]
        names = list(dict.fromkeys([Path(folder).name, *missing]))
        label = tr("Which model is it? One of the list, or a name of your own.")
        name, is_fine = QInputDialog.getItem(self, tr("Import a model"), label, names, 0, True)
        if is_fine and name.strip():
            self._asks.import_model(folder, name.strip(), self.reload)

    def _on_download(self) -> None:
        chooser = tr("List of the model's files, with size and checksum of each")
        file, _ = QFileDialog.getOpenFileName(self, chooser, "", f"{tr('Lists of files')} (*.toml)")
        if file:
            self._asks.read_offer(file, lambda offer: self._consent(file, offer))

    def _consent(self, file: str, offer: ModelOffer) -> None:
        """Nothing is fetched before the person has read what is sent where."""
        box = QMessageBox(QMessageBox.Icon.NoIcon, tr("Download a model"), "", parent=self)
        box.setWindowModality(Qt.WindowModality.WindowModal)
        box.setText(tr("Download {name} ({size})?").format(name=offer.name, size=size_text(offer.bytes)))
        licence = offer.licence or tr("not known")
        lines = (
            tr("Licence: {licence}").format(licence=licence),
            tr("From: {hosts}").format(hosts=", ".join(offer.hosts)),
            tr(offer.leaves),
        )
        box.setInformativeText("\n\n".join(lines))
        agree = box.addButton(tr("Download"), QMessageBox.ButtonRole.AcceptRole)
        refuse = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(refuse)
        box.setEscapeButton(refuse)
        box.exec()
        if box.clickedButton() is agree:
            self._asks.download_model(file, offer.name, self.reload)

    def _on_remove(self) -> None:
        model = self._models[self.table.currentRow()]
        text = tr("Delete the files of {name} from this machine?").format(name=model.name)
        if QMessageBox.question(self, tr("Remove a model"), text) is QMessageBox.StandardButton.Yes:
            self._asks.remove_model(model.id, self.reload)

    def _lay_out(self) -> None:
        headers = (tr("Model"), tr("Size"), tr("Numbers"), tr("Languages"), tr("Licence"), tr("Used by"))
        header = as_list(self.table, tr("Embedding models"), headers)
        self.table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.table.setMinimumHeight(30 * UNIT)
        for column, width in ((0, 30), (1, 10), (2, 10), (3, 11), (4, 13)):
            self.table.setColumnWidth(column, width * UNIT)
        header.setSectionResizeMode(5, QHeaderView.ResizeMode.Stretch)
        line = QHBoxLayout()
        for button in (self.take_in, self.download, self.remove):
            button.setAutoDefault(False)
            line.addWidget(button)
        line.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.about)
        layout.addLayout(line)


def _texts(model: ModelInfo) -> tuple[str, ...]:
    size = size_text(model.bytes_on_disk) if model.is_here else tr("not here")
    languages = ", ".join(sorted(model.languages)) or tr("many")
    return (
        model.id,
        size,
        str(model.dimensions or ""),
        languages,
        model.licence or tr("not known"),
        ", ".join(model.used_by),
    )
