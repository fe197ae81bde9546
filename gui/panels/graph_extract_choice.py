"""What a model is to read, which model, and the consent that it takes when the text leaves the machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QCompleter, QFormLayout, QFrame, QLineEdit, QVBoxLayout, QWidget

from engine.model import ServiceState, SourceStatus
from gui import tr
from gui.messages import from_error
from gui.panels.graph_asks import Document, GraphAsks
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_text import number
from gui.panels.widgets import button, label
from gui.theme import UNIT

OPENROUTER = "openrouter"
LIMITS = (0, 20, 100, 500, 2_000)
_MILLION = 1_000_000


class Choices(QFrame):
    changed = Signal()
    switched = Signal()
    """A network service was switched on."""

    def __init__(self, asks: GraphAsks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("form")
        self._asks = asks
        self._index: GraphIndex | None = None
        self._statuses: tuple[SourceStatus, ...] = ()
        self._models: dict[str, Document] = {}
        self._title = ""
        """Of the server."""
        self._service: ServiceState | None = None
        self._asked_for: str | None = None
        """Server whose models are listed or asked for."""
        self.hint = ""
        """What is missing before anything can be estimated."""
        self.source, self.folder, self.tag = (_combo(one) for one in (tr("Source"), tr("Folder"), tr("Tag")))
        self.subtree = _line(tr("Note or block"), tr("all; or a title, or the uid of a block"))
        self.limit = _combo(tr("At most"))
        for most in LIMITS:
            self.limit.addItem(tr("{n} passages").format(n=number(most)) if most else tr("all passages"), most)
        self.server = _combo(tr("Where the model is"))
        self.server.addItem(tr("On this machine"), "")
        self.server.addItem(tr("OpenRouter, over the internet"), OPENROUTER)
        self.address = _line(tr("Address on this machine"), tr("found by itself; or 127.0.0.1:8080"))
        self.model = _combo(tr("Model"))
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        completer = self.model.completer()
        if completer is not None:
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.agreed = QCheckBox()
        self.agreed.toggled.connect(self._on_agreed)
        self.key = _line(tr("Key for OpenRouter"), tr("kept in the system's keychain"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.keep = button(tr("Keep the key"))
        self.keep.clicked.connect(self.keep_key)
        self._warning = label(wrap=True)
        self._consent = QFrame()
        self._consent.setObjectName("consent")
        self._wire()
        self._lay_out()

    # --- what is chosen ----------------------------------------------------------------------------------------------

    @property
    def is_local(self) -> bool:
        return str(self.server.currentData()) != OPENROUTER

    @property
    def server_name(self) -> str:
        return self.address.text().strip() if self.is_local else OPENROUTER

    @property
    def options(self) -> dict[str, Any] | None:
        """As ``lamplight graph extract`` takes them; None while no model is chosen."""
        model = self._chosen_model()
        if not model or not self.source.count():
            return None
        chosen: dict[str, Any] = {"model": model}
        if self.source.currentData():
            narrower = {"folder": self.folder.currentData(), "tag": self.tag.currentData()}
            narrower["subtree"] = self.subtree.text().strip()
            chosen |= {"sources": [self.source.currentData()]}
            chosen |= {name: value for name, value in narrower.items() if value}
        for name, value in (("limit", self.limit.currentData()), ("server", self.server_name)):
            if value:
                chosen[name] = value
        return chosen

    @property
    def may_begin(self) -> bool:
        """Whether the text of the notes may go where the model is."""
        return self.is_local or self.agreed.isChecked()

    @property
    def askable(self) -> list[tuple[str, str, str]]:
        """Models that may be asked now: text, server and name. Elsewhere only the chosen one, once that is agreed."""
        names = list(self._models) if self.is_local else [self._chosen_model()] if self.agreed.isChecked() else []
        text = tr("{model} at {server}")
        return [(text.format(model=one, server=self._title), self.server_name, one) for one in names if one]

    def price_of(self, model: str, tokens_in: int, tokens_out: int) -> float | None:
        """US dollars by the provider's list; None where it names no price, as for models on this machine."""
        offer = self._models.get(model, {})
        prices = offer.get("price_in"), offer.get("price_out")
        if prices[0] is None or prices[1] is None:
            return None
        return float(tokens_in * prices[0] + tokens_out * prices[1])

    def _chosen_model(self) -> str:
        at = self.model.findText(self.model.currentText())
        return str(self.model.itemData(at)) if at >= 0 else ""

    # --- what there is to choose from --------------------------------------------------------------------------------

    def show_sources(self, statuses: Sequence[SourceStatus]) -> None:
        if tuple(one.source for one in statuses) == tuple(one.source for one in self._statuses):
            return
        self._statuses = tuple(statuses)
        _fill(self.source, tr("All sources"), [(one.source.name, one.source.id) for one in statuses])
        self._fill_scope()

    def set_index(self, index: GraphIndex) -> None:
        self._index = index
        self._fill_scope()

    def _fill_scope(self) -> None:
        """Folders and tags of the source; over all sources there is nothing narrower."""
        source = self.source.currentData()
        folders: set[str] = set()
        tags: list[str] = []
        if self._index is not None and source:
            entities = self._index.view.entities
            keys = (str(key) for one in entities for place, key in one.notes if place == source)
            folders = {key.rpartition("/")[0] for key in keys if "/" in key}
            tags = [one.name for one in entities if one.type == "tag" and source in one.sources]
        _fill(self.folder, tr("all folders"), [(one, one) for one in sorted(folders)])
        _fill(self.tag, tr("all tags"), [(f"#{one}", one) for one in tags])
        for piece in (self.folder, self.tag, self.subtree):
            piece.setEnabled(bool(source))
        self.changed.emit()

    def read_models(self) -> None:
        """Ask the chosen server for its models, unless they are here."""
        server = self.server_name
        if server == self._asked_for:
            return
        self._asked_for = server
        self._models = {}
        self.model.clear()
        self._say(tr("Asking the server for its models…"))

        def done(document: Document) -> None:
            if server == self._asked_for:
                self._on_models(document)

        def failed(error: Exception) -> None:
            if server == self._asked_for:
                self._asked_for = None
                message = from_error(error, tr("No model was found."))
                self._say(f"{message.title}\n{message.text}")
                self._show_key(error)

        self._asks.command("models", {"server": server}, done, failed=failed)

    def _on_models(self, document: Document) -> None:
        offers = [one for one in document["models"] if "embed" not in one["name"].casefold()]
        self._models = {one["name"]: one for one in offers}
        self._title = document["server"]
        self.model.blockSignals(True)
        for one in offers:
            self.model.addItem(_offer_text(one), one["name"])
        self.model.setCurrentIndex(0 if self.is_local or len(offers) == 1 else -1)
        self.model.blockSignals(False)
        self._show_key(None)
        empty = tr("{server} has no language model.").format(server=document["server"])
        self._say("" if offers else empty)

    # --- leaving the machine -----------------------------------------------------------------------------------------

    def _on_server(self) -> None:
        self.agreed.setChecked(False)
        self.address.setEnabled(self.is_local)
        self._consent.setVisible(not self.is_local)
        if self.is_local:
            self.read_models()
        else:
            self._asked_for = None
            self.model.clear()
            self._asks.services(self._on_services)

    def _on_services(self, services: Sequence[ServiceState]) -> None:
        self._service = next((one for one in services if one.name == OPENROUTER), None)
        if self._service is None or self.is_local:
            return
        self._warning.setText(tr("To {name} would go: {leaves}").format(name="OpenRouter", leaves=self._service.leaves))
        if self._service.is_on:
            self.read_models()
        else:
            self._say(tr("OpenRouter is switched off. It is switched on when you agree."))

    def _on_agreed(self, is_agreed: bool) -> None:
        """Agreeing switches the service on; taking it back keeps anything from being asked from here."""
        if is_agreed and self._service is not None and not self._service.is_on:
            self._asks.switch_service(OPENROUTER, True, self._on_switched)
        self.changed.emit()

    def _on_switched(self) -> None:
        self.switched.emit()
        self._asks.services(self._on_services)

    def _show_key(self, error: Exception | None) -> None:
        is_wanted = not self.is_local and error is not None and self._service is not None and self._service.is_on
        self.key.setVisible(is_wanted)
        self.keep.setVisible(is_wanted)

    def keep_key(self) -> None:
        key = self.key.text().strip()
        if key:
            self.key.clear()
            self._asked_for = OPENROUTER
            self._asks.command(
                "models", {"server": OPENROUTER, "key": key}, self._on_models, failed=self._on_key_failed
            )

    def _on_key_failed(self, error: Exception) -> None:
        self._asked_for = None
        message = from_error(error, tr("The key could not be used."))
        self._say(f"{message.title}\n{message.text}")

    def _say(self, hint: str) -> None:
        self.hint = hint
        self.changed.emit()

    # --- the form ----------------------------------------------------------------------------------------------------

    def _wire(self) -> None:
        self.source.currentIndexChanged.connect(self._fill_scope)
        for combo in (self.folder, self.tag, self.limit, self.model):
            combo.currentIndexChanged.connect(self.changed)
        self.model.editTextChanged.connect(self.changed)
        self.subtree.textChanged.connect(self.changed)
        self.server.currentIndexChanged.connect(self._on_server)
        self.address.editingFinished.connect(self.read_models)

    def _lay_out(self) -> None:
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(2 * UNIT)
        form.setVerticalSpacing(UNIT // 2 + 2)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        fields = (self.source, self.folder, self.tag, self.subtree, self.limit, self.server, self.address, self.model)
        for field in fields:
            name = label(field.accessibleName())
            name.setBuddy(field)
            form.addRow(name, field)
        consent = QVBoxLayout(self._consent)
        consent.setContentsMargins(0, UNIT, 0, UNIT)
        self.agreed.setText(tr("I agree that this text is sent"))
        self.agreed.setAccessibleDescription(tr("Nothing is sent without it."))
        for piece in (self._warning, self.agreed, self.key, self.keep):
            consent.addWidget(piece)
        form.addRow(self._consent)
        self._consent.hide()
        self.key.hide()
        self.keep.hide()


def _offer_text(offer: Document) -> str:
    """Name and price for a million tokens, in and out."""
    prices = offer.get("price_in"), offer.get("price_out")
    if prices[0] is None or prices[1] is None:
        return str(offer["name"])
    return f"{offer['name']} · ${prices[0] * _MILLION:g} / ${prices[1] * _MILLION:g}"


def _combo(name: str) -> QComboBox:
    result = QComboBox()
    result.setAccessibleName(name)
    result.setMinimumContentsLength(12)
    result.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return result


def _line(name: str, hint: str) -> QLineEdit:
    result = QLineEdit()
    result.setAccessibleName(name)
    result.setPlaceholderText(hint)
    return result


def _fill(combo: QComboBox, everything: str, choices: Sequence[tuple[str, str]]) -> None:
    """Offer these; what was chosen stays chosen where it is still there."""
    kept = combo.currentData()
    combo.blockSignals(True)
    combo.clear()
    combo.addItem(everything, "")
    for text, value in choices:
        combo.addItem(text, value)
    combo.setCurrentIndex(max(0, combo.findData(kept)))
    combo.blockSignals(False)
