"""The note in which the hit stands, with the passage in view and the words marked.

Never fetches anything: images come only from the vault's own folder, links are handed to the window as requests.
"""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6 import QtGui
from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QBrush, QColor, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QTextBrowser, QTextEdit, QVBoxLayout, QWidget

from engine.model import Freshness
from gui import tr
from gui.item_models import date_text
from gui.panels.key_hints import KeyHints
from gui.panels.widgets import ElidedLabel, icon_button, label
from gui.theme import UNIT, Theme, font

if TYPE_CHECKING:
    from engine.model import Hit

if TYPE_CHECKING:  # Loaded with the first note, after the first paint; ``QtGui`` makes each class when it is asked for.
    from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

    from gui.panels.note_html import RenderedNote

MAX_IMAGE_BYTES = 30_000_000
MAX_MARKS = 500


class NoteBrowser(QTextBrowser):
    left = Signal()
    """Esc."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.folder: Path | None = None
        self.setOpenLinks(False)
        self.setAcceptDrops(False)
        self.setAccessibleName(tr("Note"))
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Images below ``folder``, shrunk to the view; an empty image for everything else."""
        if kind != QtGui.QTextDocument.ResourceType.ImageResource.value:
            return None
        path = self.allowed_image(name if isinstance(name, QUrl) else QUrl(name))
        if path is None:
            return QtGui.QImage()
        reader = QtGui.QImageReader(str(path))
        reader.setAutoTransform(True)
        size, room = reader.size(), max(self.viewport().width() - 6 * UNIT, 200)
        if size.isValid() and size.width() > room:
            reader.setScaledSize(size.scaled(room, 10_000, Qt.AspectRatioMode.KeepAspectRatio))
        return reader.read()

    def allowed_image(self, address: QUrl) -> Path | None:
        """The file that ``address`` names when it is an image inside ``folder``; links out of it do not count."""
        if self.folder is None or address.host() or address.scheme() not in ("", "file"):
            return None
        name = address.toLocalFile() if address.isLocalFile() else address.path()
        if not name or name.startswith(("//", "\\\\")):
            return None
        try:
            path, root = Path(name).resolve(strict=True), self.folder.resolve(strict=True)
            is_fine = path.is_relative_to(root) and path.stat().st_size <= MAX_IMAGE_BYTES
        except (OSError, ValueError):
            return None
        from gui.panels.markdown_html import IMAGES

        return path if is_fine and path.suffix.casefold() in IMAGES else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class PreviewPanel(QFrame):
    link_clicked = Signal(QUrl)
    open_requested = Signal()
    back_requested = Signal()
    forward_requested = Signal()
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preview")
        self._theme = theme
        self._hit: Hit | None = None
        self._note: RenderedNote | None = None
        self._marks: list[QTextCursor] = []
        self._mark = -1
        self._document: QTextDocument | None = None
        self._passage: QTextCursor | None = None
        self._sentence = ""
        self.browser = NoteBrowser()
        self._title = ElidedLabel("title")
        self._details = ElidedLabel("small", Qt.TextElideMode.ElideMiddle)
        self._count = label(tone="small")
        self._empty = label(tone="muted", wrap=True)
        self._stack = QStackedWidget()
        self._lay_out(theme)
        self.browser.anchorClicked.connect(self.link_clicked)
        self.browser.left.connect(self.left)
        theme.changed.connect(self._on_theme)
        self.clear()

    @property
    def note(self) -> RenderedNote | None:
        return self._note

    def clear(self) -> None:
        self._hit = self._note = None
        self._say("")
        self._stack.setCurrentIndex(2)

    def show_loading(self, hit: Hit) -> None:
        """Only when nothing is shown yet: an old note is better than a flash of grey."""
        if self._note is None:
            self._say(tr("Opening {title}…").format(title=hit.title))

    def show_problem(self, text: str) -> None:
        self._hit = self._note = None
        self._say(text)

    def show_note(self, note: RenderedNote, hit: Hit | None) -> None:
        is_same = self._note is not None and self._note.html == note.html
        self._note, self._hit = note, hit
        self._stack.setCurrentIndex(0)
        self._show_head()
        if is_same:
            self._mark_passage(self.browser.document())
        else:
            self.browser.folder = note.folder
            before, self._document = self._document, self._made(note.html)
            self._passage = None
            self._mark_passage(self._document)
            self.browser.setDocument(self._document)
            if before is not None:
                before.deleteLater()
        self._mark_words()

    def _made(self, html: str) -> QTextDocument:
        """Made before it is shown: what is changed in a document that is shown is laid out anew each time."""
        document = QtGui.QTextDocument(self.browser)
        document.setDefaultFont(font("body"))
        document.setDefaultStyleSheet(self._style())
        document.setDocumentMargin(2 * UNIT)
        document.setIndentWidth(3 * UNIT)
        document.setUndoRedoEnabled(False)
        document.setHtml(html)
        return document

    def next_mark(self) -> None:
        self._go_to_mark(self._mark + 1)

    def previous_mark(self) -> None:
        self._go_to_mark(self._mark - 1)

    def show_reach(self, back: bool, forward: bool) -> None:
        self._back.setEnabled(back)
        self._forward.setEnabled(forward)

    def mark_sentence(self, hit: Hit, sentence: str) -> None:
        """Underlay the sentence of the passage that answers best, in the colour of meaning."""
        if hit is not self._hit or self._passage is None or not sentence:
            return
        found = _find_within(self._passage, sentence)
        if found is not None:
            roles = self._theme.roles
            self._sentence = found.selectedText()
            # First, so that the words in it keep their own colour.
            extras = [_selection(found, roles.meaning, roles.on_meaning), *self.browser.extraSelections()]
            self.browser.setExtraSelections(extras)

    @property
    def sentence(self) -> str:
        """The sentence that is marked as the best one."""
        return self._sentence

    @property
    def passage_text(self) -> str:
        """The text that is shown as the passage found; empty when it is not in the note."""
        return self._passage.selectedText() if self._passage is not None else ""

    @property
    def mark_count(self) -> int:
        return len(self._marks)

    @property
    def mark_position(self) -> int:
        """0-based number of the highlight in view; -1 for the passage itself."""
        return self._mark

    def _style(self) -> str:
        roles = self._theme.roles
        return (
            f"body {{ color: {roles.text}; line-height: 140%; }} a {{ color: {roles.link}; }}"
            "h1, h2, h3, h4, h5, h6 { margin-top: 14px; margin-bottom: 6px; font-weight: 600; }"
            "h1 { font-size: x-large; } h2 { font-size: large; } h3, h4, h5, h6 { font-size: medium; }"
            "p { margin-top: 6px; margin-bottom: 6px; } pre, code { font-family: monospace; }"
        )

    def _show_head(self) -> None:
        if self._note is None:
            return
        view = self._note.view
        self._title.setText(view.title)
        self._title.setToolTip(view.title)
        state = {
            Freshness.CHANGED: tr("changed since it was indexed"),
            Freshness.GONE: tr("no longer there; this is the text that was indexed"),
        }.get(view.freshness, "")
        where = view.key if view.path else ""
        parts = [view.source.name, where, date_text(view.modified or view.created), state]
        self._details.setText("  ·  ".join(part for part in parts if part))
        self._details.setToolTip(view.path)

    def _mark_passage(self, document: QTextDocument) -> None:
        if self._passage is not None:
            _tint_blocks(self._passage, QBrush(Qt.BrushStyle.NoBrush))
        passage = self._passage = self._passage_cursor(document)
        if passage is not None:
            _tint_blocks(passage, QBrush(QColor(self._theme.roles.passage)))

    def _mark_words(self) -> None:
        roles = self._theme.roles
        self._sentence = ""
        self._marks = self._word_cursors()
        extras = [_selection(mark, roles.highlight, roles.on_highlight) for mark in self._marks]
        self.browser.setExtraSelections(extras)
        self._mark = -1
        self._show_count()
        # The layout of a long document settles after this event; scrolling before it would miss.
        QTimer.singleShot(0, self, functools.partial(self._scroll_to, self._passage))

    def _passage_cursor(self, document: QTextDocument) -> QTextCursor | None:
        """The blocks of the passage, selected."""
        if self._hit is None:
            return None
        anchor = self._hit.anchor
        names = anchor_blocks(document)
        if anchor.uid:
            first = last = names.get(anchor.uid)
        else:
            lines = {int(name[1:]): block for name, block in names.items() if re.fullmatch(r"L\d+", name)}
            before = [line for line in lines if line <= max(anchor.first_line, 1)]
            inside = [line for line in lines if anchor.first_line <= line <= anchor.last_line]
            first = lines[min(inside)] if inside else lines[max(before)] if before else None
            last = lines[max(inside)] if inside else first
        if first is None or last is None:
            return None
        cursor = QtGui.QTextCursor(first)
        cursor.setPosition(last.position() + last.length() - 1, QtGui.QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _word_cursors(self) -> list[QTextCursor]:
        """Each place where a word stands that the word leg matched in the snippet."""
        if self._hit is None:
            return []
        words = {self._hit.snippet[start:end].strip() for start, end in self._hit.spans}
        words = {word for word in words if word}
        if not words:
            return []
        pattern = "|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(words, key=len, reverse=True))
        document = self.browser.document()
        text = document.toRawText()
        offsets = _Utf16(text)
        found = []
        for match in re.finditer(pattern, text, flags=re.I):
            cursor = QtGui.QTextCursor(document)
            cursor.setPosition(offsets.of(match.start()))
            cursor.setPosition(offsets.of(match.end()), QtGui.QTextCursor.MoveMode.KeepAnchor)
            found.append(cursor)
            if len(found) == MAX_MARKS:
                break
        return found

    def _go_to_mark(self, position: int) -> None:
        if not self._marks:
            return
        if self._mark == -1 and position == 0 and self._passage is not None:
            start = self._passage.selectionStart()
            position = next((i for i, mark in enumerate(self._marks) if mark.position() >= start), 0)
        self._mark = position % len(self._marks)
        cursor = QtGui.QTextCursor(self._marks[self._mark])
        self._scroll_to(cursor)
        self.browser.setTextCursor(cursor)
        self._show_count()

    def _show_count(self) -> None:
        total = len(self._marks)
        shown = f"{self._mark + 1} / {total}" if self._mark >= 0 else str(total)
        self._count.setText(shown if total else "")
        self._count.setAccessibleName(tr("Highlights: {n}").format(n=shown))
        for arrow in (self._previous, self._next):
            arrow.setEnabled(total > 0)

    def _scroll_to(self, cursor: QTextCursor | None) -> None:
        bar = self.browser.verticalScrollBar()
        if cursor is None:
            bar.setValue(0)
            return
        start = QtGui.QTextCursor(self.browser.document())
        start.setPosition(cursor.selectionStart())
        # The rectangle is relative to what is scrolled into view now; a third from the top leaves context above.
        bar.setValue(bar.value() + self.browser.cursorRect(start).top() - self.browser.viewport().height() // 4)

    def _say(self, text: str) -> None:
        self._marks = []
        self._title.setText("")
        self._details.setText("")
        self._empty.setText(text)
        self._stack.setCurrentIndex(1)
        self._mark = -1
        self._show_count()

    def _on_theme(self) -> None:
        """Colours are in the HTML; the window asks for the note again, and the frame is repainted meanwhile."""
        if self._note is not None:
            self._note = replace(self._note, html="")

    def _lay_out(self, theme: Theme) -> None:
        self._previous = icon_button(theme, "previous", tr("Previous highlight"))
        self._next = icon_button(theme, "next", tr("Next highlight"))
        self._previous.clicked.connect(self.previous_mark)
        self._next.clicked.connect(self.next_mark)
        self._back = icon_button(theme, "back", tr("Back to the note before"))
        self._forward = icon_button(theme, "forward", tr("Forward again"))
        self._back.clicked.connect(self.back_requested)
        self._forward.clicked.connect(self.forward_requested)
        self.show_reach(False, False)
        home = icon_button(theme, "open", tr("Open in its own app"))
        home.clicked.connect(self.open_requested)
        head = QHBoxLayout()
        head.setContentsMargins(2 * UNIT, UNIT + 2, UNIT, 0)
        head.addWidget(self._back)
        head.addWidget(self._forward)
        head.addSpacing(UNIT // 2)
        head.addWidget(self._title, 1)
        head.addSpacing(UNIT)
        for piece in (self._count, self._previous, self._next, home):
            head.addWidget(piece)
        below = QHBoxLayout()
        below.setContentsMargins(3 * UNIT + 4, 0, 2 * UNIT, UNIT // 2)
        below.addWidget(self._details, 1)
        page = QWidget()
        page_layout = QVBoxLayout(page)
        page_layout.setContentsMargins(0, 0, 0, 0)
        page_layout.setSpacing(0)
        page_layout.addLayout(head)
        page_layout.addLayout(below)
        page_layout.addWidget(self.browser, 1)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setContentsMargins(4 * UNIT, 0, 4 * UNIT, 0)
        self._stack.addWidget(page)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(KeyHints(theme))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)


class _Utf16:
    """Offsets of Python characters as Qt counts them, for ascending requests."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._is_plain = text.isascii()
        self._seen = self._units = 0

    def of(self, position: int) -> int:
        if self._is_plain:
            return position
        self._units += len(self._text[self._seen : position].encode("utf-16-le", "surrogatepass")) // 2
        self._seen = position
        return self._units


def anchor_blocks(document: QTextDocument) -> dict[str, QTextBlock]:
    """Name of each anchor in the document and the block it stands in."""
    result: dict[str, QTextBlock] = {}
    block = document.begin()
    while block.isValid():
        fragments = block.begin()
        while not fragments.atEnd():
            for name in fragments.fragment().charFormat().anchorNames():
                result.setdefault(name, block)
            fragments += 1
        block = block.next()
    return result


def _find_within(passage: QTextCursor, sentence: str) -> QTextCursor | None:
    """``sentence`` inside ``passage``, whatever marks and line ends stand between its words."""
    words = re.findall(r"\w+", sentence)
    text = passage.document().toRawText()
    start, end = passage.selectionStart(), passage.selectionEnd()
    if not words or (not text.isascii() and len(text.encode("utf-16-le", "surrogatepass")) // 2 != len(text)):
        return None  # Characters beyond the basic plane shift Qt's offsets; the words stay marked.
    found = re.search(r"[^\w]+".join(map(re.escape, words)), text[start:end])
    if found is None:
        return None
    cursor = QtGui.QTextCursor(passage.document())
    cursor.setPosition(start + found.start())
    cursor.setPosition(start + found.end(), QtGui.QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _tint_blocks(cursor: QTextCursor, ground: QBrush) -> None:
    """As a block format: an extra selection would paint over the numbers of a list."""
    look = QtGui.QTextBlockFormat()
    look.setBackground(ground)
    cursor.mergeBlockFormat(look)


def _selection(cursor: QTextCursor, ground: str, ink: str) -> QTextEdit.ExtraSelection:
    result = QTextEdit.ExtraSelection()
    result.cursor = cursor
    result.format.setBackground(QColor(ground))
    result.format.setForeground(QColor(ink))
    return result


def note_target(url: QUrl) -> str:
    """The note that a ``note:`` link names, without heading or block."""
    return QUrl.fromPercentEncoding(url.toString().partition(":")[2].encode()).split("#")[0]
