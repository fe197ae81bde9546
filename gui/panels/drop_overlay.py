"""What is shown over the window while something is dragged across it: what would be added, or why it cannot be."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from gui import plural, tr
from gui.panels.widgets import label
from gui.theme import RADIUS, UNIT, Theme

EXPORTS = (".json", ".edn", ".zip")
MOST_NAMES = 5


@dataclass(frozen=True, slots=True)
class Dropped:
    """What lies under the pointer."""

    places: tuple[str, ...] = ()
    """Folders and exports that can be added."""
    known: tuple[str, ...] = ()
    """Those that are sources already."""
    refused: tuple[str, ...] = ()
    """Names of all else."""


def look_at(data: QMimeData, known: Collection[str]) -> Dropped:
    """Sort what is dragged. Only places of this machine count; ``known`` are those of the sources."""
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile() and not url.host()]
    others = [url.fileName() or url.toString() for url in data.urls() if not url.isLocalFile() or url.host()]
    fit = [path for path in paths if path.is_dir() or path.suffix.casefold() in EXPORTS]
    return Dropped(
        tuple(str(path) for path in fit if str(path) not in known),
        tuple(str(path) for path in fit if str(path) in known),
        (*(path.name for path in paths if path not in fit), *others),
    )


def described(dropped: Dropped) -> tuple[str, str]:
    """Title and text of the overlay."""
    if dropped.places:
        title = plural(len(dropped.places), "Drop to add {n} source", "Drop to add {n} sources")
        lines = [_kind_text(Path(place)) for place in dropped.places[:MOST_NAMES]]
        more = len(dropped.places) - MOST_NAMES
        lines += [plural(more, "and {n} more", "and {n} more")] if more > 0 else []
        if dropped.refused:
            lines.append(tr("Left out: {names}").format(names=_names(dropped.refused)))
        return title, "\n".join(lines)
    if dropped.known:
        return tr("This is a source already"), _names([Path(place).name for place in dropped.known])
    takes = tr("Lamplight takes folders of notes, and Roam exports as .json, .edn or .zip.")
    return tr("{names} cannot be added").format(names=_names(dropped.refused)), takes


def _kind_text(place: Path) -> str:
    if place.suffix.casefold() in EXPORTS and not place.is_dir():
        return tr("{name}: Roam export").format(name=place.name)
    if (place / ".obsidian").is_dir():
        return tr("{name}: Obsidian vault").format(name=place.name)
    return tr("{name}: folder of notes").format(name=place.name)


def _names(names: Collection[str]) -> str:
    shown = ", ".join(list(names)[:MOST_NAMES])
    return f"{shown}, …" if len(names) > MOST_NAMES else shown


class DropOverlay(QWidget):
    """Lies over the whole of its parent while it is shown."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._covered = theme, parent
        self._is_welcome = True
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.title = label(tone="heading", wrap=True)
        self.text = label(tone="muted", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6 * UNIT, 6 * UNIT, 6 * UNIT, 6 * UNIT)
        layout.setSpacing(UNIT)
        layout.addStretch()
        for piece in (self.title, self.text):
            _centre(piece)
            layout.addWidget(piece)
        layout.addStretch()
        self.hide()

    def offer(self, dropped: Dropped) -> None:
        self._is_welcome = bool(dropped.places)
        title, text = described(dropped)
        self.title.setText(title)
        self.text.setText(text)
        self.setAccessibleName(f"{title}. {text}")
        self.setGeometry(self._covered.rect())
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        roles = self._theme.roles
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(roles.window)
        veil.setAlpha(242)
        painter.fillRect(self.rect(), veil)
        # Solid or dashed as well as the colour: what can be dropped is seen without telling colours apart.
        line = Qt.PenStyle.SolidLine if self._is_welcome else Qt.PenStyle.DashLine
        painter.setPen(QPen(QColor(roles.focus if self._is_welcome else roles.bad), 2, line))
        frame = self.rect().adjusted(2 * UNIT, 2 * UNIT, -2 * UNIT, -2 * UNIT)
        painter.drawRoundedRect(frame, 2 * RADIUS, 2 * RADIUS)


def _centre(piece: QLabel) -> None:
    piece.setAlignment(Qt.AlignmentFlag.AlignHCenter)
