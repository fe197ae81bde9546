"""The preview reads images of the vault and nothing else; and it finds the passage."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_library import FakeLibrary
from PySide6.QtCore import QUrl
from PySide6.QtGui import QColor, QImage, QTextDocument
from pytestqt.qtbot import QtBot

from engine.model import Hit, SearchRequest
from gui.app import App
from gui.panels.note_html import render
from gui.panels.preview import NoteBrowser
from gui.theme import LIGHT

IMAGE = QTextDocument.ResourceType.ImageResource.value


@pytest.fixture
def browser(qtbot: QtBot, tmp_path: Path) -> NoteBrowser:
    made = NoteBrowser()
    qtbot.addWidget(made)
    vault = tmp_path / "vault"
    vault.mkdir()
    picture = QImage(40, 20, QImage.Format.Format_RGB32)
    picture.fill(QColor("red"))
    for place in (vault / "in.png", tmp_path / "out.png"):
        assert picture.save(str(place))
    (vault / "note.md").write_text("x")
    (vault / "link.png").symlink_to(tmp_path / "out.png")
    made.folder = vault
    return made


def test_an_image_of_the_vault_is_read(browser: NoteBrowser) -> None:
    assert browser.folder is not None
    image = browser.loadResource(IMAGE, QUrl(str(browser.folder / "in.png")))
    assert isinstance(image, QImage)
    assert (image.width(), image.height()) == (40, 20)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/p.png",
        "http://127.0.0.1/p.png",
        "file://server/share/p.png",
        "//server/share/p.png",
        "{vault}/../out.png",
        "file://{vault}/../out.png",
        "{vault}/link.png",
        "{vault}/note.md",
        "{vault}/missing.png",
        "data:image/png;base64,AAAA",
        "qrc:/x.png",
        "",
    ],
)
def test_everything_else_is_refused(browser: NoteBrowser, address: str) -> None:
    url = QUrl(address.replace("{vault}", str(browser.folder)))
    image = browser.loadResource(IMAGE, url)
    assert isinstance(image, QImage)
    assert image.isNull()


def test_without_a_folder_no_image_is_read(browser: NoteBrowser) -> None:
    address = QUrl(str(browser.folder) + "/in.png")
    browser.folder = None
    assert browser.allowed_image(address) is None


def test_style_sheets_and_pages_are_not_loaded(browser: NoteBrowser) -> None:
    for kind in (QTextDocument.ResourceType.StyleSheetResource, QTextDocument.ResourceType.HtmlResource):
        assert browser.loadResource(kind.value, QUrl(str(browser.folder) + "/note.md")) is None


def find(library: FakeLibrary, text: str) -> list[Hit]:
    return [hit for row in library.search(SearchRequest(text)).rows for hit in row.hits]


def test_the_passage_of_a_later_section_is_the_one_marked(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    hit = next(hit for hit in find(library, "steam") if hit.title == "Sourdough")
    page = render(library.note(hit.source, hit.anchor.note), LIGHT, hit.anchor.first_line)
    app.window.preview.show_note(page, hit)
    selections = app.window.preview.browser.extraSelections()
    assert app.window.preview.passage_text.startswith("The sourdough wants steam")
    assert [s.cursor.selectedText() for s in selections] == ["steam", "Steam"]


def test_a_block_of_an_outline_is_marked_by_its_uid(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    hit = next(hit for hit in find(library, "trust") if hit.anchor.uid)
    app.window.preview.show_note(render(library.note(hit.source, hit.anchor.note), LIGHT, uid=hit.anchor.uid), hit)
    first = app.window.preview.passage_text
    assert "Write to the trust" in first
    assert "Coffee" not in first


def test_marks_stand_right_after_signs_outside_the_basic_plane(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.sources_["notes"].notes[1].markdown = "# 🐝🐝\n\n🐝 bees and 🍯 bees\n"
    hit = find(library, "bees")[0]
    app.window.preview.show_note(render(library.note(hit.source, hit.anchor.note), LIGHT, hit.anchor.first_line), hit)
    selections = app.window.preview.browser.extraSelections()
    assert [s.cursor.selectedText() for s in selections] == ["bees", "bees"]


def test_links_between_notes_stay_inside_and_links_out_leave(
    qtbot: QtBot, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PySide6.QtGui import QDesktopServices

    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    with qtbot.waitSignal(app.ops.reading.found):
        app.window.search_box.set_query("sourdough")
    qtbot.waitUntil(lambda: app.window.preview.note is not None)
    app.window.preview.browser.anchorClicked.emit(QUrl("https://example.org/a"))
    app.window.preview.browser.anchorClicked.emit(QUrl("file:///etc/passwd"))
    app.window.preview.browser.anchorClicked.emit(QUrl("note:Bees"))
    assert opened == ["https://example.org/a"]
    qtbot.waitUntil(lambda: app.window.preview.note.view.title == "Bees")  # type: ignore[union-attr]
    app.window.preview.browser.anchorClicked.emit(QUrl("note:Not%20written%20yet"))
    qtbot.waitUntil(lambda: app.window.search_box.text() == "Not written yet")
