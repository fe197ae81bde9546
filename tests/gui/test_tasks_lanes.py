"""The threads: where results arrive, which ones do not, and that nothing is left behind."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QThread, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from engine.job import Job, Progress
from gui.tasks import KEY_LANES, Tasks


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[Tasks]:
    made = Tasks()
    yield made
    made.close()


def unexpected(error: Exception) -> None:
    raise AssertionError("not expected to fail") from error


def test_work_runs_elsewhere_and_answers_on_the_main_thread(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[tuple[bool, bool]] = []
    main = threading.main_thread()

    def work(_job: Job) -> bool:
        return threading.current_thread() is main

    tasks.run("search", work, lambda was_main: seen.append((was_main, threading.current_thread() is main)), unexpected)
    qtbot.waitUntil(lambda: seen == [(False, True)])
    assert QThread.currentThread().isMainThread()


def test_the_newest_of_many_wins(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[int] = []
    jobs = [tasks.run("search", lambda _job, n=n: n, seen.append, unexpected) for n in range(20)]
    qtbot.waitUntil(lambda: not tasks.is_busy("search"))
    assert seen == [19]
    assert [job.is_cancelled for job in jobs] == [True] * 19 + [False]


def test_a_late_result_of_a_replaced_task_is_dropped(qtbot: QtBot, tasks: Tasks) -> None:
    gate = threading.Event()
    seen: list[str] = []
    tasks.run("preview", lambda _job: gate.wait(30) and "old", seen.append, unexpected)
    tasks.run("preview", lambda _job: "new", seen.append, unexpected)
    gate.set()
    qtbot.waitUntil(lambda: seen == ["new"])


def test_indexing_tasks_queue_in_order(qtbot: QtBot, tasks: Tasks) -> None:
    seen: list[int] = []
    for n in range(3):
        tasks.run("index", lambda _job, n=n: n, seen.append, unexpected)
    qtbot.waitUntil(lambda: seen == [0, 1, 2])


def test_an_error_reaches_its_own_callback_and_the_lane_goes_on(qtbot: QtBot, tasks: Tasks) -> None:
    failures: list[str] = []
    seen: list[str] = []

    def broken(_job: Job) -> str:
        raise ValueError("bad page")

    tasks.run("library", broken, seen.append, lambda error: failures.append(str(error)))
    tasks.run("library", lambda _job: "fine", seen.append, unexpected)
    qtbot.waitUntil(lambda: seen == ["fine"])
    assert failures == ["bad page"]


def test_cancelling_is_an_outcome_not_an_error(qtbot: QtBot, tasks: Tasks) -> None:
    outcomes: list[str] = []
    started = threading.Event()

    def work(job: Job) -> None:
        started.set()
        while True:
            job.check()

    job = tasks.run(
        "index", work, lambda _: outcomes.append("done"), unexpected, cancelled=lambda: outcomes.append("stop")
    )
    assert started.wait(30)
    job.cancel()
    qtbot.waitUntil(lambda: outcomes == ["stop"])


def test_progress_is_polled_and_only_what_changed_is_shown(qtbot: QtBot, tasks: Tasks) -> None:
    shown: list[Progress] = []
    gate = threading.Event()

    def work(job: Job) -> None:
        for n in range(10_000):
            job.report("embedding", n + 1, 10_000)
        gate.wait(30)

    tasks.run("index", work, lambda _: None, unexpected, progress=shown.append)
    qtbot.waitUntil(lambda: bool(shown) and shown[-1].done == 10_000)
    assert len(shown) < 50
    gate.set()
    qtbot.waitUntil(lambda: not tasks.is_busy("index"))


def test_closing_stops_what_runs_and_delivers_nothing_more(qtbot: QtBot, qapp: QApplication) -> None:
    tasks = Tasks()
    seen: list[object] = []
    started = threading.Event()

    def work(job: Job) -> None:
        started.set()
        while True:
            job.check()

    tasks.run("index", work, seen.append, seen.append, cancelled=lambda: seen.append("stop"))
    tasks.run("index", work, seen.append, seen.append)
    assert started.wait(30)
    tasks.close()
    assert tasks.run("search", lambda _job: 1, seen.append, seen.append).is_cancelled
    qapp.processEvents()
    assert seen == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("lamplight-")]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priority of their own")
def test_a_program_started_with_low_priority_keeps_its_lanes() -> None:
    """A thread may only be made lower than its program: to ask for more is refused, and would end the lane."""
    code = (
        "import os, threading\nfrom gui.tasks import _lower_priority\nos.nice(15)\n"
        "thread = threading.Thread(target=lambda: (_lower_priority(10), print(os.getpriority(os.PRIO_PROCESS, "
        "threading.get_native_id()))))\nthread.start()\nthread.join()"
    )
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run([sys.executable, "-c", code], cwd=root, check=True, capture_output=True, text=True)
    assert ran.stdout.strip() == "19"


def test_outcomes_come_one_by_one_so_that_keys_are_served_between_them(qtbot: QtBot, tasks: Tasks) -> None:
    order: list[str] = []
    has_ended = threading.Event()

    def first(_value: int) -> None:
        QTimer.singleShot(0, tasks, lambda: order.append("a key"))
        assert has_ended.wait(30)  # So that the second outcome is there already, or nearly.
        order.append("first")

    tasks.run("search", lambda _job: 1, first, unexpected)
    tasks.run("preview", lambda _job: has_ended.set(), lambda _value: order.append("second"), unexpected)
    qtbot.waitUntil(lambda: len(order) == 3)
    assert order == ["first", "a key", "second"]


def test_warming_up_starts_the_threads_that_follow_every_key(qtbot: QtBot, tasks: Tasks) -> None:
    tasks.warm_up()
    names = {f"lamplight-{lane}_0" for lane in KEY_LANES}
    qtbot.waitUntil(lambda: names <= {thread.name for thread in threading.enumerate()})


def test_what_a_closed_dialog_asked_for_is_not_told_to_it(qtbot: QtBot, tasks: Tasks) -> None:
    class Dialog(QObject):
        def show(self, value: str) -> None:
            told.append(value)

    told: list[str] = []
    gate = threading.Event()
    open_one, closed_one = Dialog(), Dialog()
    tasks.run("house", lambda _job: gate.wait(30) and "gone", closed_one.show, unexpected)
    tasks.run("house", lambda _job: "there", open_one.show, unexpected)
    Shiboken.delete(closed_one)
    gate.set()
    qtbot.waitUntil(lambda: not tasks.is_busy("house"))
    assert told == ["there"]
