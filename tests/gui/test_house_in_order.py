"""What the window does beside searching: news from others, what is on this machine, freshness, battery, activity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fake_library import FakeLibrary, FakeSource, graph_notes, make_source
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from engine.errors import NotAllowed
from engine.job import Job, Progress
from engine.model import (
    Changed,
    Changes,
    Discovered,
    IndexReport,
    Outcome,
    PowerState,
    Run,
    SearchAge,
    SourceId,
    SourceKind,
)
from engine.settings import Settings
from gui.app import App
from gui.automatic import Wait, reason_to_wait
from gui.dialogs.source_options import SourceOptionsDialog
from gui.feed import Feed
from gui.item_models import Role

NOTES_CHANGED = Changes(frozenset({Changed.NOTES, Changed.SOURCES}))


def names(parts: App) -> list[str]:
    model = parts.window.sidebar.view.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


# --- news from others


def test_a_source_that_another_program_adds_appears(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    source = make_source("From elsewhere")
    library.sources_[source.id] = FakeSource(source, graph_notes())
    library.tell(NOTES_CHANGED)
    qtbot.waitUntil(lambda: names(app) == ["Notes", "Second Brain", "From elsewhere"])


def test_results_follow_what_another_program_indexes(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    app.window.search_for("morning")
    qtbot.waitUntil(lambda: bool(library.requests))
    qtbot.waitUntil(lambda: not app.tasks.is_busy("search"))
    asked = len(library.requests)
    library.tell(NOTES_CHANGED)
    qtbot.waitUntil(lambda: len(library.requests) > asked)


def test_the_cursor_stays_on_its_source_when_another_appears(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    app.window.sidebar.choose_named("Second Brain")
    source = make_source("From elsewhere")
    library.sources_ = {source.id: FakeSource(source, graph_notes()), **library.sources_}
    library.tell(NOTES_CHANGED)
    qtbot.waitUntil(lambda: len(names(app)) == 3)
    assert app.window.sidebar.chosen == "second brain"
    assert app.window.sidebar.view.currentIndex().data() == "Second Brain"


def test_a_search_that_another_program_saves_is_listed(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.saved["Bread"] = "sourdough"
    library.tell(Changes(frozenset({Changed.DECISIONS})))
    saved = app.window.sidebar.saved
    qtbot.waitUntil(lambda: saved.count() == 1 and saved.item(0).text() == "Bread")


def test_settings_that_another_program_changes_are_taken_over(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.settings = Settings(results=7)
    library.tell(Changes(frozenset({Changed.SETTINGS})))
    qtbot.waitUntil(lambda: app.ops.settings.results == 7)


def test_where_nobody_tells_the_window_looks(
    qtbot: QtBot, start: Callable[..., App], library: FakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.others.NEWS_MS", 20)
    library.tells = False
    parts = start(library)
    qtbot.waitUntil(lambda: parts.ops._others._seen is not None)
    source = make_source("From elsewhere")
    library.sources_[source.id] = FakeSource(source, graph_notes())
    qtbot.waitUntil(lambda: "From elsewhere" in names(parts))


def test_a_run_for_another_program_is_in_the_activity_list(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.past = [Run(SourceId("notes"), "Notes", 1e12, IndexReport(SourceId("notes"), Outcome.COMPLETE, added=4))]
    library.tell_moved("notes", Progress("embedding", 3, 9))
    feed = app.ops.feed
    qtbot.waitUntil(lambda: [work.title for work in feed.works] == ["Indexing Notes"])
    assert (feed.works[0].can_cancel, feed.works[0].note) == (False, "for another program")
    library.tell_moved("notes", None)
    qtbot.waitUntil(lambda: not feed.works and len(feed.past) == 1)
    assert feed.past[0].report.added == 4


# --- what is on this machine

PLANS = Discovered(SourceKind.ROAM_LOCAL, "plans", "plans", window="closed", has_token=False)
VAULT = Discovered(SourceKind.OBSIDIAN, "Old vault", "/vaults/old")
BRAIN = Discovered(SourceKind.ROAM_LOCAL, "brain", "brain", registered=True, indexed=1, window="open")


@pytest.fixture
def found(qtbot: QtBot, start: Callable[..., App], library: FakeLibrary) -> App:
    library.found = [PLANS, VAULT, BRAIN]
    library.age = SearchAge(SourceId(""), "", 1.0, 0, "")
    source = replace(make_source("brain", SourceKind.ROAM_LOCAL), location="brain")
    library.sources_[source.id] = FakeSource(source, graph_notes())
    parts = start(library)
    qtbot.waitUntil(lambda: parts.window.sidebar.found.list.count() == 2)
    return parts


def spoken(parts: App) -> list[str]:
    rows = parts.window.sidebar.found.list
    return [str(rows.item(row).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(rows.count())]


def test_what_was_found_says_its_state(found: App) -> None:
    assert spoken(found) == [
        "plans, graph, not indexed · window closed · no token yet",
        "Old vault, vault, not indexed",
    ]


def test_a_graph_that_is_a_source_says_whether_its_window_is_open(qtbot: QtBot, found: App) -> None:
    model = found.window.sidebar.view.model()
    row = names(found).index("brain")
    qtbot.waitUntil(lambda: model.index(row, 0).data(Role.LIVE) == "window open")


def test_enter_adds_what_was_found(qtbot: QtBot, found: App, library: FakeLibrary) -> None:
    rows = found.window.sidebar.found.list
    rows.setCurrentRow(1)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "old" in library.sources_)
    qtbot.waitUntil(lambda: len(spoken(found)) == 1)


def test_a_graph_is_added_by_its_address() -> None:
    assert (PLANS.address, VAULT.address) == ("roam:plans", "/vaults/old")


def test_delete_hides_one_for_good_and_the_cross_hides_all(qtbot: QtBot, found: App) -> None:
    rows = found.window.sidebar.found.list
    rows.setCurrentRow(0)
    qtbot.keyClick(rows, Qt.Key.Key_Delete)
    assert [text.split(",")[0] for text in spoken(found)] == ["Old vault"]
    found.window.sidebar.found._dismiss_all()
    assert found.window.sidebar.found.isHidden()
    assert found.state.dismissed == ["/vaults/old", "plans"]
    found.ops.discover()
    qtbot.wait(50)
    assert found.window.sidebar.found.isHidden()


def test_the_first_page_ticks_vaults_and_open_graphs_and_estimates(qtbot: QtBot, start: Callable[..., App]) -> None:
    library = FakeLibrary(found=[VAULT, PLANS, replace(BRAIN, registered=False)])
    page = start(library).window.adding.page
    qtbot.waitUntil(lambda: len(page.boxes) == 4)
    assert page.locations == ["/vaults/old", "roam:brain"]
    qtbot.waitUntil(lambda: "newest notes first" in page._estimate.text())
    assert "7 min" in page._estimate.text()
    assert "MB" in page._estimate.text()
    assert page._hints["/vaults/old"][0].text().endswith("40 notes, 9.0 MB · not indexed · /vaults/old")


# --- freshness


@pytest.fixture
def graph_library(library: FakeLibrary) -> FakeLibrary:
    source = replace(make_source("brain", SourceKind.ROAM_LOCAL), location="brain")
    library.sources_[source.id] = FakeSource(source, graph_notes())
    return library


@pytest.mark.parametrize(
    ("refresh", "detail", "shown"),
    [
        ("fresh", "", "up to date"),
        ("refreshed", "", "refreshed"),
        ("window-closed", "The graph's window is not open in Roam.", "window closed"),
        ("refresh-failed", "It is locked.", "not refreshed"),
        ("disabled", "", "refreshed only when asked"),
    ],
)
def test_graphs_are_refreshed_when_the_window_is_turned_to(
    qtbot: QtBot, start: Callable[..., App], graph_library: FakeLibrary, refresh: str, detail: str, shown: str
) -> None:
    graph_library.age = SearchAge(SourceId(""), "", 1.0, 0, refresh, detail)
    parts = start(graph_library)
    model = parts.window.sidebar.view.model()
    row = names(parts).index("brain")
    qtbot.waitUntil(lambda: model.index(row, 0).data(Role.LIVE) == shown)
    assert graph_library.freshened == ["brain"], "files are watched instead"
    assert detail in str(model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole))
    remembered = [ended.error or ended.text for ended in parts.ops.feed.past]
    assert remembered == {"refreshed": ["refreshed"], "refresh-failed": ["It is locked."]}.get(refresh, [])
    parts.ops.turned_to()
    parts.ops.turned_to()
    assert graph_library.freshened == ["brain"], "not each time the window gets the focus"


def test_a_run_that_is_asked_for_warns_of_a_prompt(
    qtbot: QtBot, start: Callable[..., App], graph_library: FakeLibrary
) -> None:
    graph_library.warning = "Roam may open a window for brain."
    parts = start(graph_library)
    parts.window.sidebar.view.setCurrentIndex(parts.window.sidebar.view.model().index(names(parts).index("brain"), 0))
    parts.window.entries["index_source"].trigger()
    qtbot.waitUntil(lambda: ("brain", False) in graph_library.runs)
    assert "Roam may open a window for brain." in parts.window.message_bar.text


def test_the_token_of_a_graph_is_taken_over_asked_for_entered_and_forgotten(
    qtbot: QtBot, start: Callable[..., App], graph_library: FakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(FakeLibrary, "count_notes", lambda *_: counted.append("asked") or 0)
    parts = start(graph_library)
    parts.window.sidebar.view.setCurrentIndex(parts.window.sidebar.view.model().index(names(parts).index("brain"), 0))
    parts.window.entries["source_options"].trigger()
    dialog = parts.window.findChild(SourceOptionsDialog)
    assert dialog is not None
    row = dialog.token
    row.take_over.click()
    row.request.click()
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("  roam-graph-local-token-x ", True))
    row.enter.click()
    qtbot.waitUntil(lambda: len(graph_library.tokens) == 3)
    assert graph_library.tokens == [("import", "brain"), ("request", "brain"), ("roam-graph-local-token-x", "brain")]
    qtbot.waitUntil(lambda: row.said.text() == "Roam accepts the token.")
    row.forget.click()
    qtbot.waitUntil(lambda: row.said.text() == "There is no token.")
    assert counted == [], "asking a closed graph would open its window"
    dialog.reject()


# --- battery and idleness

MAINS, BATTERY = PowerState(on_battery=False), PowerState(on_battery=True)
IDLE_ONLY = Settings(only_when_idle=True, on_battery="always")


@pytest.mark.parametrize(
    ("settings", "power", "is_used", "is_round", "expected"),
    [
        (Settings(), MAINS, True, False, Wait.NO),
        (Settings(), PowerState(), True, False, Wait.NO),
        (Settings(), BATTERY, True, False, Wait.ROUND),
        (Settings(), BATTERY, True, True, Wait.NO),
        (Settings(on_battery="always"), BATTERY, True, False, Wait.NO),
        (Settings(on_battery="pause"), BATTERY, True, True, Wait.BATTERY),
        (Settings(on_battery="pause"), MAINS, True, False, Wait.NO),
        (Settings(on_battery="pause"), PowerState(), True, False, Wait.NO),
        (IDLE_ONLY, PowerState(False, 3.0), False, True, Wait.IN_USE),
        (IDLE_ONLY, PowerState(False, 61.0), True, False, Wait.NO),
        (IDLE_ONLY, MAINS, True, False, Wait.IN_USE),
        (IDLE_ONLY, MAINS, False, False, Wait.NO),
    ],
)
def test_when_nothing_is_indexed_by_itself(
    settings: Settings, power: PowerState, is_used: bool, is_round: bool, expected: Wait
) -> None:
    assert reason_to_wait(settings, power, is_used=is_used, is_round=is_round) is expected


@pytest.fixture
def on_battery(qtbot: QtBot, start: Callable[..., App], library: FakeLibrary, tmp_path: Path) -> App:
    library.settings = Settings(on_battery="pause")
    library.power_state = BATTERY
    library.behind_by = {"notes": 2}
    parts = start(library)
    bar = parts.window.status_bar._text
    qtbot.waitUntil(lambda: bar.text() == "Changed notes: waits until the machine is plugged in")
    return parts


def test_on_battery_changes_wait_and_say_so_until_it_is_plugged_in(
    qtbot: QtBot, on_battery: App, library: FakeLibrary
) -> None:
    assert library.runs == []
    library.power_state = MAINS
    on_battery.ops.automatic.look()
    qtbot.waitUntil(lambda: library.runs == [("notes", False)])
    qtbot.waitUntil(lambda: on_battery.window.status_bar._text.text() == "")


def test_what_the_person_asks_for_runs_on_battery(qtbot: QtBot, on_battery: App, library: FakeLibrary) -> None:
    on_battery.window._index_behind()
    qtbot.waitUntil(lambda: library.runs == [("notes", False)])


def test_a_run_that_began_by_itself_rests_when_unplugged_and_goes_on(
    qtbot: QtBot, start: Callable[..., App], library: FakeLibrary
) -> None:
    import threading

    library.settings = Settings(on_battery="pause")
    library.hold = threading.Event()
    library.behind_by = {"notes": 2}
    parts = start(library)
    qtbot.waitUntil(lambda: library.runs == [("notes", False)])
    library.power_state = BATTERY
    parts.ops.automatic.look()
    job = parts.ops.runs._job
    assert job is not None
    qtbot.waitUntil(lambda: job.is_paused)
    assert "waits until the machine is plugged in" in parts.window.status_bar._text.text()
    library.power_state = MAINS
    parts.ops.automatic.look()
    qtbot.waitUntil(lambda: not job.is_paused)
    library.power_state = BATTERY
    parts.ops.automatic.look()
    qtbot.waitUntil(lambda: job.is_paused)
    parts.window.entries["pause_indexing"].trigger()
    assert not job.is_paused, "the person's word counts"
    parts.ops.automatic.look()
    qtbot.wait(50)
    assert not job.is_paused
    library.hold.set()
    qtbot.waitUntil(lambda: not parts.ops.runs.is_running)


# --- the activity list


def test_the_feed_moves_pauses_cancels_and_remembers() -> None:
    feed, job = Feed(), Job()
    key = feed.begin("Downloading Small", job)
    feed.move(key, Progress("download", 5, 10))
    assert [(work.title, work.progress.done, work.can_pause) for work in feed.works] == [("Downloading Small", 5, True)]
    feed.pause(key)
    assert job.is_paused
    feed.pause(key)
    assert not job.is_paused
    feed.cancel(key)
    assert job.is_cancelled
    feed.end(key, None)
    assert (feed.works, feed.past) == ((), [])


def test_runs_of_earlier_starts_are_in_the_list_once(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    from gui.dialogs.activity import ActivityDialog

    report = IndexReport(SourceId("notes"), Outcome.COMPLETE, added=3, skipped=1)
    library.past = [Run(SourceId("notes"), "Notes", 1000.0, report)]
    app.window.entries["activity"].trigger()
    dialog = app.window.findChild(ActivityDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.texts == ["Notes: 3 new, 1 skipped"])
    dialog.close()
    app.window.entries["activity"].trigger()
    qtbot.waitUntil(lambda: not app.tasks.is_busy("house"))
    assert dialog.texts == ["Notes: 3 new, 1 skipped"]
    dialog.close()


def test_an_error_is_in_the_list_with_its_remedy(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    library.error = NotAllowed("The disk is full.", "Free some space.")
    app.window.entries["index_all"].trigger()
    qtbot.waitUntil(lambda: len(app.ops.feed.past) == 2)
    assert app.ops.feed.past[0].error == "The disk is full. Free some space."


def test_a_run_can_be_paused_and_cancelled_in_the_list(qtbot: QtBot, app: App, library: FakeLibrary) -> None:
    import threading

    from gui.dialogs.activity import ActivityDialog

    library.hold = threading.Event()
    app.window.entries["index_all"].trigger()
    app.window.entries["activity"].trigger()
    dialog = app.window.findChild(ActivityDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: len(dialog.running) == 1)
    row = dialog.running[0]
    row.pause.click()
    assert app.ops.runs._job is not None
    assert app.ops.runs._job.is_paused
    assert row.pause.text() == "Go on"
    row.pause.click()
    row.cancel.click()
    qtbot.waitUntil(lambda: len(app.ops.feed.past) >= 1)
    assert "cancelled" in dialog.texts[-1]
    library.hold.set()
    qtbot.waitUntil(lambda: not dialog.running)
    dialog.close()
