"""The page on which sources are chosen: what was found on this machine, the demo, and where to drop the rest.

It greets a library without sources and comes back when a source is to be added.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from engine.model import Discovered, SourceKind
from gui import plural, tr
from gui.messages import duration_text, size_text
from gui.panels.found_here import found_text
from gui.panels.widgets import button, label
from gui.theme import UNIT, Theme

BYTES_A_PASSAGE, PASSAGES_A_NOTE = 500, 2
PASSAGES_A_SECOND = 45
"""Careful guesses for the estimate; two cores without a graphics card embed about so many."""
DISK_A_PASSAGE, DISK_A_SOURCE = 3_000, 4_000_000
DEMO_PASSAGES = 600


class FirstStart(QScrollArea):
    chosen = Signal(list)
    """Locations to register and index."""
    folder_requested = Signal()
    file_requested = Signal()
    size_wanted = Signal(str)
    """Location of a vault whose notes are to be counted."""
    left = Signal()
    """Esc, or the button back to the results."""

    def __init__(self, theme: Theme, demo: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._demo = demo
        self._boxes: list[tuple[QCheckBox, tuple[str, ...]]] = []
        self._passages: dict[str, int] = {}
        """Location -> about how many passages it will make."""
        self._sizes: dict[str, tuple[int, int]] = {}
        self._hints: dict[str, tuple[QLabel, str]] = {}
        """Location -> the line beneath its box, and what it says without a count."""
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list = QVBoxLayout()
        self._list.setSpacing(UNIT // 2)
        self._nothing = label(tr("Nothing new was found. Drop or choose your notes below."), "muted", wrap=True)
        self._estimate = label(tone="small", wrap=True)
        self._start = button(tr("Make these searchable"), primary=True)
        self._start.clicked.connect(self._on_start)
        self._back = button(tr("Back to the results"))
        self._back.clicked.connect(self.left)
        self._heading = label(tone="display", wrap=True)
        self.setWidget(self._page())
        self.greet(is_first=True)
        self.show_found(())

    def greet(self, *, is_first: bool) -> None:
        """Welcome somebody new, or offer more sources and the way back."""
        self._heading.setText(tr("Find anything you have written") if is_first else tr("Add sources"))
        self._back.setHidden(is_first)

    def show_found(self, found: tuple[Discovered, ...], registered: frozenset[str] = frozenset()) -> None:
        """``registered``: locations that are sources already."""
        while (item := self._list.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self._boxes, self._hints = [], {}
        fresh = [place for place in found if not place.registered and place.location not in {*self._demo, *registered}]
        for place in fresh:
            is_vault = place.kind is SourceKind.OBSIDIAN
            # Reading a graph whose window is closed makes Roam open it: that is for the person to choose.
            is_on = is_vault or place.window == "open"
            details = f"{found_text(place)} · {place.location}"
            self._hints[place.location] = (self._add_box(place.name, details, (place.address,), is_on), details)
            if is_vault and place.location not in self._passages:
                self.size_wanted.emit(place.location)
        if self._demo and not registered.issuperset(self._demo):
            details = tr("A made-up vault and graph in three languages, to try everything with")
            self._passages[self._demo[0]] = DEMO_PASSAGES
            self._add_box(tr("Demo notes"), details, self._demo, not fresh)
        for location in self._hints:
            self._count(location)
        self._nothing.setVisible(not self._boxes)
        self._describe()

    def show_size(self, location: str, notes: int, size: int) -> None:
        """How much there is at a place, once it has been counted."""
        self._sizes[location] = (notes, size)
        self._passages[location] = max(size // BYTES_A_PASSAGE, notes * PASSAGES_A_NOTE)
        self._count(location)
        self._describe()

    def _count(self, location: str) -> None:
        if location in self._hints and location in self._sizes:
            hint, details = self._hints[location]
            notes, size = self._sizes[location]
            hint.setText(f"{plural(notes, '{n} note', '{n} notes')}, {size_text(size)} · {details}")

    @property
    def locations(self) -> list[str]:
        return [location for box, locations in self._boxes if box.isChecked() for location in locations]

    @property
    def boxes(self) -> list[QCheckBox]:
        return [box for box, _ in self._boxes]

    def focus_first(self) -> None:
        (self.boxes[0] if self.boxes else self._start).setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self._back.isHidden():
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _on_start(self) -> None:
        """Once only: the button comes back with the next list of what is there."""
        self._start.setEnabled(False)
        self.chosen.emit(self.locations)

    def _add_box(self, name: str, details: str, locations: tuple[str, ...], is_on: bool) -> QLabel:
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, UNIT // 2, 0, UNIT // 2)
        column.setSpacing(0)
        box = QCheckBox(name)
        box.setAccessibleDescription(details)
        box.setChecked(is_on)
        box.toggled.connect(self._describe)
        note = label(details, "small", wrap=True)
        note.setContentsMargins(3 * UNIT + 4, 0, 0, 0)
        column.addWidget(box)
        column.addWidget(note)
        self._list.addWidget(row)
        self._boxes.append((box, locations))
        return note

    def _describe(self) -> None:
        chosen = [locations for box, locations in self._boxes if box.isChecked()]
        self._start.setEnabled(bool(chosen))
        passages = sum(self._passages.get(location, 0) for locations in chosen for location in locations)
        if passages:
            seconds = max(5, round(passages / PASSAGES_A_SECOND / 5) * 5)
            size = size_text(passages * DISK_A_PASSAGE + len(chosen) * DISK_A_SOURCE)
            text = tr(
                "Searchable by words at once, by meaning in about {time}, newest notes first. "
                "The index takes about {size}."
            ).format(time=duration_text(seconds), size=size)
        elif chosen:
            text = tr("Searchable by words at once, by meaning a little later.")
        else:
            text = tr("Tick what you want to search.")
        self._estimate.setText(text)

    def _page(self) -> QWidget:
        page = QWidget()
        outer = QHBoxLayout(page)
        outer.setContentsMargins(3 * UNIT, 3 * UNIT, 3 * UNIT, 3 * UNIT)
        column = QVBoxLayout()
        column.setSpacing(UNIT)
        column.addStretch(1)
        column.addWidget(self._back, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._heading)
        promise = tr(
            "By meaning and by word, in your Obsidian vaults and Roam graphs. Everything stays on this machine."
        )
        column.addWidget(label(promise, "muted", wrap=True))
        column.addSpacing(2 * UNIT)
        column.addWidget(self._card())
        column.addSpacing(UNIT)
        column.addWidget(self._drop_hint())
        column.addStretch(2)
        holder = QWidget()
        holder.setLayout(column)
        holder.setMaximumWidth(80 * UNIT)
        outer.addStretch(1)
        outer.addWidget(holder, 8)
        outer.addStretch(1)
        return page

    def _card(self) -> QWidget:
        card = QFrame()
        card.setObjectName("card")
        layout = QVBoxLayout(card)
        layout.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, 2 * UNIT)
        layout.addWidget(label(tr("Found on this machine"), "title"))
        layout.addWidget(self._nothing)
        layout.addLayout(self._list)
        layout.addSpacing(UNIT)
        foot = QHBoxLayout()
        foot.addWidget(self._estimate, 1)
        foot.addWidget(self._start)
        layout.addLayout(foot)
        return card

    def _drop_hint(self) -> QWidget:
        zone = QFrame()
        zone.setObjectName("drop")
        layout = QHBoxLayout(zone)
        layout.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, 2 * UNIT)
        layout.setSpacing(UNIT)
        hint = tr("Or drop a vault's folder or a Roam export (.json, .edn, .zip) anywhere on this window.")
        layout.addWidget(label(hint, "muted", wrap=True), 1)
        folder, file = button(tr("Choose a folder…")), button(tr("Choose an export…"))
        folder.clicked.connect(self.folder_requested)
        file.clicked.connect(self.file_requested)
        layout.addWidget(folder)
        layout.addWidget(file)
        return zone
