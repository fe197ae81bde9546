"""Takes a picture of every screen and state into ``screenshots/``: light, dark and high contrast, at 1x, 1.5x and 2x,
from right to left, and in a language that is 40 % longer.

Run it on a display (Xvfb with a window manager will do): ``python tests/gui/walkthrough.py [--demo HOME]``. With
``--demo`` it photographs the real library in HOME (indexed before if it is empty). The pictures are to be looked at.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtGui import QPixmap

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "gui")]

WIDTH, HEIGHT = 1280, 800

SETS = {
    "light-1x": ("light", "1", ()),
    "dark-1x": ("dark", "1", ()),
    "light-1.5x": ("light", "1.5", ()),
    "dark-2x": ("dark", "2", ()),
    "light-contrast-1x": ("light-contrast", "1", ()),
    "dark-contrast-1x": ("dark-contrast", "1", ()),
    "right-to-left": ("light", "1", ("--mirror",)),
    "pseudo-locale": ("light", "1", ("--pseudo",)),
}
"""Name of a folder -> theme, scale, further words."""


def settle(milliseconds: int = 400) -> None:
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def long_notes() -> list[object]:
    from fake_library import FakeNote

    long_title = (
        "A title that goes on and on because somebody pasted the first sentence of an e-mail into it, light and all"
    )
    return [
        FakeNote(f"Clippings/{long_title}.md", "# " + "Heading " * 30 + "\n\n" + "The light " * 80),
        FakeNote("日記/灯台.md", "# 灯台\n\n霧の夜、灯台の light が遠くの船を導く。潮の匂いがした。\n"),
        FakeNote("ملاحظات/المنارة.md", "# المنارة\n\nالمنارة light ترشد السفن في الليل، والبحر هادئ.\n"),
        FakeNote(
            "Reference/Everything.md",
            "---\ntags: [light, sample]\naliases: [Sample]\nrating: 5\n---\n# Everything at once\n\n"
            "A paragraph about light "
            "with **bold**, *italic*, `code`, ==marked text==, a [[Fresnel lens]] link, a #tag and $E = mc^2$.\n\n"
            "> [!warning] Mind the glass\n> The prisms are cold and sharp.\n\n> [!tip]\n> Clean them with vinegar.\n\n"
            "> A plain quotation about the sea.\n\n"
            "```python\ndef lamp(oil: int) -> bool:\n    return oil > 0  # still burning\n```\n\n"
            "| Light | Range |\n| --- | --- |\n| Skerrow | 18 nm |\n| Callan | 12 nm |\n\n"
            "- [ ] trim the wick\n- [x] wind the clock\n"
            "- an item\n  - a nested one\n\n1. first\n2. second\n\n"
            "<b>raw</b> is shown as text.[^1]\n\n[^1]: A footnote.\n",
        ),
    ]


def scenes(parts: object) -> Iterator[tuple[str, Callable[[], object]]]:
    from fake_library import FakeLibrary, FakeSource, make_source

    from engine.model import Discovered, SourceKind
    from gui.app import App
    from gui.dialogs.settings import SettingsDialog
    from gui.messages import Message

    assert isinstance(parts, App)
    window = parts.window
    library = parts.ops._asking.library
    assert isinstance(library, FakeLibrary)
    box = window.search_box

    def query(text: str) -> Callable[[], object]:
        return lambda: (box.setFocus(), box.set_query(text))

    def expand() -> None:
        view = window.results.view
        view.setFocus()
        view.expand(view.model().index(0, 0))
        view.setCurrentIndex(view.model().index(0, 0, view.model().index(0, 0)))

    def index() -> None:
        library.hold = threading.Event()
        library.steps = 600
        window.entries["index_all"].trigger()

    def stop() -> None:
        window.entries["cancel_indexing"].trigger()

    def first_start() -> None:
        library.sources_.clear()
        library.found = [
            Discovered(SourceKind.OBSIDIAN, "Second Brain", "/people/ada/Documents/Second Brain", notes=1840),
            Discovered(SourceKind.ROAM_LOCAL, "research", "research", detail="open in Roam now"),
        ]
        window.adding._demo = {}
        parts.ops.list_sources()
        parts.ops.discover()

    def states() -> None:
        for name, state in (("Offline vault", "offline"), ("Broken", "indexdamaged"), ("New graph", "new")):
            source = make_source(name, SourceKind.ROAM_EXPORT if "graph" in name else SourceKind.OBSIDIAN)
            library.sources_[source.id] = FakeSource(source, [], state=state)
        parts.ops.list_sources()

    def scroll() -> None:
        bar = window.preview.browser.verticalScrollBar()
        bar.setValue(bar.maximum())

    def first_source() -> None:
        window.sidebar.view.setCurrentIndex(window.sidebar.view.model().index(0, 0))

    def close_dialogs() -> None:
        from PySide6.QtWidgets import QDialog

        for dialog in window.findChildren(QDialog):
            dialog.close()

    yield "01-idle", lambda: box.clear()
    yield "02-results", query("morning sourdough")
    yield "03-passages", expand
    yield "04-roam", query("coffee mara")
    yield "05-nothing", query("zeppelin")
    yield "06-long-and-scripts", query("light")
    yield "07-everything", query("paragraph bold quotation")
    yield "08-everything-end", scroll
    yield "09-indexing", index
    yield "10-states", lambda: (stop(), states())
    error = Message("Notes could not be indexed.", "Another Lamplight has the notes open. Close it and try again.")
    yield "11-error", lambda: window.say(error)
    yield "12-notice", lambda: window.say(Message("Second Brain cannot be reached.", "Its drive is not there.", "info"))
    yield "13-add", lambda: (window.message_bar.hide(), window.do_add_source())
    yield "14-palette", lambda: (window.show_results_page(), window.dialogs.palette())
    yield "15-keys", lambda: (close_dialogs(), window.dialogs.keys())
    yield "16-settings", lambda: (close_dialogs(), window.dialogs.settings())
    for page in ("indexing", "models", "privacy", "keyboard", "machine"):
        yield f"16-settings-{page}", lambda page=page: window.findChild(SettingsDialog).open_page(page)
    yield "17-activity", lambda: (close_dialogs(), window.dialogs.activity())
    yield "17-activity-running", index
    yield "17-notes", lambda: (stop(), window.dialogs._activity.close(), first_source(), window.dialogs.problems())
    yield "18-about", lambda: (close_dialogs(), window.dialogs.about())

    def remember() -> None:
        for text in ("sourdough tag:bread", "night watch", "keeping ships off the rocks"):
            parts.state.remember_query(text)

    def options() -> None:
        close_dialogs()
        window.sidebar.view.setCurrentIndex(window.sidebar.view.model().index(0, 0))
        window.dialogs.source_options()

    def details() -> None:
        close_dialogs()
        library.saved["Bread"] = "sourdough tag:bread"
        parts.ops.reading.list_saved()
        window.note_pane.aside.setCurrentIndex(1)
        query("sourdough tag:bread")()

    def group() -> None:
        from gui.item_models import Grouping

        window.results.group_by(Grouping.SOURCE)
        query("morning sort:title")()

    def drag(*names: str) -> Callable[[], object]:
        from gui.panels.drop_overlay import Dropped

        good = tuple(f"/people/ada/{name}" for name in names if "." not in name or name.endswith(".json"))
        bad = tuple(name for name in names if f"/people/ada/{name}" not in good)
        return lambda: window.drop_target.overlay.offer(Dropped(good, (), bad))

    def quick(text: str) -> Callable[[], object]:
        return lambda: parts.background and parts.background.show_quick(text)

    def quick_note() -> None:
        assert parts.background is not None
        parts.background.quick.toggle_preview()

    yield "21-options", options
    yield "22-chips-and-details", details
    yield "23-quick", quick("morning")
    yield "24-quick-note", quick_note
    yield "25-quick-empty", lambda: (quick(" ")(), parts.background and parts.background.quick.box.clear())
    yield "26-grouped", lambda: (parts.background and parts.background.quick.hide(), group())
    yield "27-drop", drag("Second Brain", "research.json")
    yield "28-drop-refused", drag("cat.png", "letter.pdf")
    yield "29-history", lambda: (window.drop_target.overlay.hide(), remember(), box.clear(), window.do_history())
    yield "19-narrow", lambda: (close_dialogs(), window.resize(760, 520), query("light")())
    yield "20-first-start", lambda: (window.resize(WIDTH, HEIGHT), first_start())


def dress(app: object, parts: object, theme: str, *, mirror: bool) -> None:
    """Colours and direction, whatever the system asks for."""
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication

    from gui import theme as themes
    from gui.app import App

    assert isinstance(app, QApplication)
    assert isinstance(parts, App)
    roles = {"light-contrast": themes.LIGHT_CONTRAST, "dark-contrast": themes.DARK_CONTRAST}.get(theme)
    if roles is not None:
        parts.theme._wanted = lambda: roles  # type: ignore[method-assign]
    parts.theme.choose(theme.removesuffix("-contrast"))
    if mirror:
        app.setLayoutDirection(Qt.LayoutDirection.RightToLeft)


def photograph(folder: Path, theme: str, *, mirror: bool, pseudo: bool) -> None:
    """All scenes in this process, at the scale that the environment gives."""
    from fake_library import FakeLibrary
    from pseudo_locale import PseudoLocale
    from PySide6.QtWidgets import QApplication

    from engine.paths import find_home
    from gui.app import App

    app = QApplication([])
    if pseudo:
        app.installTranslator(PseudoLocale(app))
    library = FakeLibrary.with_notes()
    library.sources_["notes"].notes += long_notes()  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as home:
        parts = App(app, find_home(Path(home)), lambda _home, _show: library)
        dress(app, parts, theme, mirror=mirror)
        parts.window.resize(WIDTH, HEIGHT)
        parts.start()
        grab(parts).save(str(folder / "00-opening.png"))
        settle(800)
        for name, act in scenes(parts):
            act()
            settle()
            grab(parts).save(str(folder / f"{name}.png"))
        parts.window.close()
        parts.close()


def grab(parts: object) -> QPixmap:
    """What is in front: a dialog, quick search, or the window with what lies over it."""
    from PySide6.QtWidgets import QApplication

    from gui.app import App
    from gui.dialogs.activity import ActivityDialog

    assert isinstance(parts, App)
    quick = parts.background.quick if parts.background is not None else None
    activity = parts.window.findChild(ActivityDialog)
    if (dialog := QApplication.activeModalWidget()) is not None:
        return dialog.grab()
    if quick is not None and quick.isVisible():
        return quick.grab()
    if activity is not None and activity.isVisible():
        return activity.grab()
    popup = QApplication.activePopupWidget()
    picture = parts.window.grab()
    if popup is not None:
        from PySide6.QtGui import QPainter

        painter = QPainter(picture)
        painter.drawPixmap(parts.window.mapFromGlobal(popup.pos()), popup.grab())
        painter.end()
    return picture


def photograph_demo(folder: Path, theme: str, home: Path, query: str) -> None:
    """The real library on the bundled notes; ``resources/screenshot.png`` is made from the light one."""
    from PySide6.QtWidgets import QApplication

    from engine.job import Job
    from engine.library import Library
    from engine.paths import find_home
    from engine.upkeep.demo import demo_sources
    from gui.app import App

    place = find_home(home)
    with Library.open(place) as library:
        if not library.sources():
            for location, name in demo_sources():
                library.index(library.add(location, name=name).id, Job())
    app = QApplication([])
    parts = App(app, place, lambda home, _show: Library.open(home))
    parts.theme.choose(theme)
    parts.window.resize(WIDTH, HEIGHT)
    parts.start()
    settle(3000)
    # Twice: the first question loads the model, which is not what people see all day.
    for text in (query, "", query):
        parts.window.search_box.set_query(text)
        settle(5000)
    parts.window.grab().save(str(folder / "00-demo.png"))
    parts.window.close()
    parts.close()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--demo", type=Path, help="home folder of a real library to photograph")
    options.add_argument("--query", default="keeping ships off the rocks")
    options.add_argument("--theme", choices=("light", "dark", "light-contrast", "dark-contrast"), default="light")
    options.add_argument("--folder", type=Path)
    options.add_argument("--mirror", action="store_true", help="from right to left")
    options.add_argument("--pseudo", action="store_true", help="in the longer language")
    options.add_argument("--only", default="", help="for example light-1x")
    chosen = options.parse_args()
    if chosen.folder:
        chosen.folder.mkdir(parents=True, exist_ok=True)
        if chosen.demo:
            photograph_demo(chosen.folder, chosen.theme, chosen.demo, chosen.query)
        else:
            photograph(chosen.folder, chosen.theme, mirror=chosen.mirror, pseudo=chosen.pseudo)
        return
    for name, (theme, scale, more) in SETS.items():
        if chosen.only in name:
            folder = str(ROOT / "screenshots" / name)
            words = [sys.executable, __file__, "--theme", theme, "--folder", folder, *more]
            words += ["--demo", str(chosen.demo), "--query", chosen.query] if chosen.demo else []
            subprocess.run(words, check=True, env=os.environ | {"QT_SCALE_FACTOR": scale})


if __name__ == "__main__":
    main()
