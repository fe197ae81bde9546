"""Colours, type scale, spacing and icons: one table of roles, from which palette, style sheet and painters take theirs.

No widget names a colour. Follows the system's light and dark scheme and its wish for high contrast, live.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from math import ceil
from string import Template
from typing import NamedTuple

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

import resources

UNIT = 8
"""Pixels at 1x; every margin and gap is a multiple of half of it."""

RADIUS = 6


class Roles(NamedTuple):
    """What each colour is for. Values are ``#rrggbb``."""

    window: str
    sidebar: str
    surface: str
    raised: str
    hover: str
    border: str
    text: str
    muted: str
    accent: str
    accent_hover: str
    on_accent: str
    selection: str
    on_selection: str
    muted_on_selection: str
    highlight: str
    on_highlight: str
    passage: str
    """Behind the passage that was found, in the preview."""
    word: str
    on_word: str
    meaning: str
    on_meaning: str
    good: str
    warn: str
    bad: str
    bad_surface: str
    info_surface: str
    code: str
    link: str
    focus: str
    is_dark: bool = False


LIGHT = Roles(
    window="#f7f5f1", sidebar="#f0ede7", surface="#fffefc", raised="#ffffff", hover="#f4f1ea", border="#dfdad0",
    text="#211f1b", muted="#625d54", accent="#8a5200", accent_hover="#744500", on_accent="#ffffff",
    selection="#f7e9cf", on_selection="#211f1b", muted_on_selection="#5a5348",
    highlight="#ffdf8c", on_highlight="#211f1b", passage="#fff7e2",
    word="#e4edf7", on_word="#1c4b7d", meaning="#eee6f7", on_meaning="#573787",
    good="#2b6636", warn="#7d5200", bad="#a02428", bad_surface="#fbebea", info_surface="#edf2f8",
    code="#f4f1eb", link="#1b5a9e", focus="#b56f0d",
)  # fmt: skip

DARK = Roles(
    window="#1d1b19", sidebar="#181715", surface="#23211e", raised="#2c2a26", hover="#2b2925", border="#3d3933",
    text="#ebe6de", muted="#aaa398", accent="#f0b252", accent_hover="#f7c678", on_accent="#231a0a",
    selection="#46381f", on_selection="#fff5e2", muted_on_selection="#cfc2a9",
    highlight="#6f5215", on_highlight="#fff3d4", passage="#302a1c",
    word="#1f3247", on_word="#aed2f6", meaning="#34284a", on_meaning="#d9c7f6",
    good="#93d19d", warn="#f0c472", bad="#ff9f99", bad_surface="#3d2423", info_surface="#212d3a",
    code="#2b2925", link="#90c4f6", focus="#f0b252", is_dark=True,
)  # fmt: skip

LIGHT_CONTRAST = LIGHT._replace(
    window="#ffffff", sidebar="#ffffff", surface="#ffffff", border="#000000", text="#000000", muted="#262626",
    accent="#5c3600", accent_hover="#3d2400", on_selection="#000000", muted_on_selection="#1a1a1a",
    selection="#ffdf9e", highlight="#ffd24d", on_highlight="#000000", link="#003a7a", focus="#000000",
    good="#124a1c", warn="#553700", bad="#7c0a0e",
)  # fmt: skip

DARK_CONTRAST = DARK._replace(
    window="#000000", sidebar="#000000", surface="#000000", border="#ffffff", text="#ffffff", muted="#e0e0e0",
    accent="#ffd182", accent_hover="#ffe0ab", on_selection="#ffffff", muted_on_selection="#f2f2f2",
    link="#b9dcff", focus="#ffffff", good="#b6f0be", warn="#ffe0a3", bad="#ffc7c3",
)  # fmt: skip

READABLE: tuple[tuple[str, str], ...] = (
    ("text", "window"), ("text", "sidebar"), ("text", "surface"), ("text", "raised"), ("text", "hover"),
    ("text", "passage"), ("text", "code"), ("text", "bad_surface"), ("text", "info_surface"),
    ("muted", "window"), ("muted", "sidebar"), ("muted", "surface"), ("muted", "raised"), ("muted", "hover"),
    ("muted", "passage"), ("muted", "info_surface"), ("on_accent", "accent"), ("on_accent", "accent_hover"),
    ("accent", "window"), ("accent", "surface"), ("accent", "raised"),
    ("on_selection", "selection"), ("muted_on_selection", "selection"), ("on_highlight", "highlight"),
    ("on_word", "word"), ("on_meaning", "meaning"), ("good", "sidebar"), ("good", "surface"), ("warn", "sidebar"),
    ("warn", "surface"), ("bad", "sidebar"), ("bad", "surface"), ("bad", "bad_surface"),
    ("link", "surface"), ("link", "passage"), ("link", "info_surface"),
)  # fmt: skip
"""Every pair (text, background) that the window draws; each has a contrast of at least 4.5."""


def contrast(first: str, second: str) -> float:
    """WCAG 2 contrast ratio of two ``#rrggbb`` colours, 1 to 21."""
    bright, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


SCALE = {"small": 0.86, "body": 1.0, "title": 1.12, "heading": 1.5, "display": 2.0}
"""The type scale, relative to the system's own font size."""


def font(step: str = "body", *, bold: bool = False) -> QFont:
    result = QFont(QApplication.font())
    result.setPointSizeF(_body_size() * SCALE[step])
    if bold:
        result.setWeight(QFont.Weight.DemiBold)
    return result


def direction_of(text: str) -> Qt.LayoutDirection:
    """The direction of its first letter that has one: a name or a date keeps its order where all else runs the other
    way."""
    for letter in text:
        kind = unicodedata.bidirectional(letter)
        if kind in ("R", "AL"):
            return Qt.LayoutDirection.RightToLeft
        if kind == "L":
            break
    return Qt.LayoutDirection.LeftToRight


def _body_size() -> float:
    size = QApplication.font().pointSizeF()
    return size if size > 0 else 10.0


@cache
def _svg(name: str) -> str:
    return resources.path("icons", f"{name}.svg").read_text("utf-8")


def tinted(name: str, colour: str, size: int = 20) -> QIcon:
    """The line icon ``name`` in ``colour``, crisp on each screen that there is."""
    return _drawn(name, colour, size, frozenset(ceil(one.devicePixelRatio()) for one in QApplication.screens()))


@cache
def _drawn(name: str, colour: str, size: int, ratios: frozenset[int]) -> QIcon:
    # QtSvg takes 20 ms to load and the first icon is painted after the window is built.
    from PySide6.QtSvg import QSvgRenderer

    renderer = QSvgRenderer(QByteArray(_svg(name).replace("currentColor", colour).encode()))
    icon = QIcon()
    for ratio in ratios:
        pixmap = QPixmap(size * ratio, size * ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size * ratio, size * ratio))
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        icon.addPixmap(pixmap)
    return icon


_MIRRORED = {"back": "forward", "forward": "back"}


class Theme(QObject):
    """The roles in force, applied to the application; ``changed`` tells painters to take the new ones."""

    changed = Signal()

    def __init__(self, app: QApplication, choice: str = "system") -> None:
        super().__init__(app)
        self._app = app
        app.setFont(_calm_font(app.font()))
        self._set_scheme(choice)
        self.roles = self._wanted()
        app.styleHints().colorSchemeChanged.connect(self._refresh)
        app.screenAdded.connect(self._on_screen)
        app.styleHints().accessibility().contrastPreferenceChanged.connect(self._refresh)

    def choose(self, choice: str) -> None:
        """``system``, ``light`` or ``dark``."""
        self._set_scheme(choice)
        self._refresh()

    def _set_scheme(self, choice: str) -> None:
        schemes = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
        self._choice = choice
        self._app.styleHints().setColorScheme(schemes.get(choice, Qt.ColorScheme.Unknown))

    def icon(self, name: str, role: str = "muted") -> QIcon:
        """In the direction of reading: from right to left, the way back points to the right."""
        if self._app.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            name = _MIRRORED.get(name, name)
        return tinted(name, getattr(self.roles, role))

    def apply(self) -> None:
        """Colour the whole application. Call it once the window is built: each widget that is placed while a style
        sheet is in force is polished again, which doubled the time to the first paint."""
        sheet = style_sheet(self.roles)
        if sheet != self._app.styleSheet():
            self._app.setPalette(palette(self.roles))
            self._app.setStyleSheet(sheet)

    def _on_screen(self) -> None:
        """Icons for its resolution."""
        self.changed.emit()

    def _refresh(self) -> None:
        self.roles = self._wanted()
        self.apply()
        self.changed.emit()

    def _wanted(self) -> Roles:
        hints = self._app.styleHints()
        is_dark = self._choice == "dark" or (self._choice == "system" and hints.colorScheme() == Qt.ColorScheme.Dark)
        is_strong = hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast
        return {
            (False, False): LIGHT,
            (True, False): DARK,
            (False, True): LIGHT_CONTRAST,
            (True, True): DARK_CONTRAST,
        }[is_dark, is_strong]


def _calm_font(system: QFont) -> QFont:
    """The system's font; only where a bare X server offers its generic one, a better installed one is taken."""
    if system.family().casefold() in {"sans", "sans serif", "sans-serif", "dejavu sans", ""}:
        installed = set(QFontDatabase.families())
        better = [name for name in ("Inter", "Noto Sans", "Cantarell") if name in installed]
        if better:
            system = QFont(system)
            system.setFamilies([*better[:1], "Noto Sans", "Noto Sans CJK SC"])
            system.setPointSizeF(10)
    return system


def style_sheet(roles: Roles) -> str:
    template = Template(resources.path("themes", "base.qss").read_text("utf-8"))
    body = _body_size()
    values = {name: getattr(roles, name) for name in Roles._fields}
    sizes = {f"size_{step}": f"{body * factor:.1f}pt" for step, factor in SCALE.items()}
    shade = "dark" if roles.is_dark else "light"
    lengths = {
        "check": resources.path("themes", f"check-{shade}.svg").as_posix(),
        "up": resources.path("themes", f"up-{shade}.svg").as_posix(),
        "down": resources.path("themes", f"down-{shade}.svg").as_posix(),
        "half": f"{UNIT // 2}px",
        "unit": f"{UNIT}px",
        "double": f"{2 * UNIT}px",
        "radius": f"{RADIUS}px",
    }
    return template.substitute(values | sizes | lengths)


def palette(roles: Roles) -> QPalette:
    result = QPalette()
    pairs = {
        QPalette.ColorRole.Window: roles.window,
        QPalette.ColorRole.WindowText: roles.text,
        QPalette.ColorRole.Base: roles.surface,
        QPalette.ColorRole.AlternateBase: roles.raised,
        QPalette.ColorRole.Text: roles.text,
        QPalette.ColorRole.Button: roles.raised,
        QPalette.ColorRole.ButtonText: roles.text,
        QPalette.ColorRole.Highlight: roles.selection,
        QPalette.ColorRole.HighlightedText: roles.on_selection,
        QPalette.ColorRole.PlaceholderText: roles.muted,
        QPalette.ColorRole.Link: roles.link,
        QPalette.ColorRole.LinkVisited: roles.link,
        QPalette.ColorRole.ToolTipBase: roles.raised,
        QPalette.ColorRole.ToolTipText: roles.text,
        QPalette.ColorRole.Accent: roles.accent,
        QPalette.ColorRole.Mid: roles.border,
    }
    for role, colour in pairs.items():
        result.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(roles.muted))
    return result
