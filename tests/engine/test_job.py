"""Job: pause, cancel, interrupt and progress, with a clock that the test turns."""

from __future__ import annotations

import threading

import pytest

from engine.errors import Cancelled
from engine.job import Job


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_check_passes_until_cancelled() -> None:
    job = Job()
    job.check()
    job.cancel()
    assert job.is_cancelled
    with pytest.raises(Cancelled):
        job.check()


def test_a_paused_job_waits_and_goes_on() -> None:
    job = Job()
    job.pause()
    passed = threading.Event()
    worker = threading.Thread(target=lambda: (job.check(), passed.set()))
    worker.start()
    assert not passed.wait(0.05)
    assert job.snapshot().is_paused
    job.resume()
    assert passed.wait(30)
    worker.join(30)
    assert not job.snapshot().is_paused


def test_cancel_frees_a_paused_job() -> None:
    job = Job()
    job.pause()
    outcome: list[str] = []

    def work() -> None:
        try:
            job.check()
        except Cancelled:
            outcome.append("cancelled")

    worker = threading.Thread(target=work)
    worker.start()
    job.cancel()
    worker.join(30)
    assert outcome == ["cancelled"]


def test_cancel_interrupts_only_what_runs() -> None:
    job = Job()
    calls: list[str] = []
    with job.interruptible(lambda: calls.append("over")):
        pass
    with job.interruptible(lambda: calls.append("outer")), job.interruptible(lambda: calls.append("inner")):
        job.cancel()
    assert calls == ["outer", "inner"]


def test_a_cancelled_job_starts_nothing_interruptible() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled), job.interruptible(lambda: None):
        pytest.fail("the body ran")


def test_an_interrupt_may_look_at_the_job() -> None:
    job = Job()
    seen: list[bool] = []
    with job.interruptible(lambda: seen.append(job.snapshot().is_cancelled)):
        job.cancel()
    assert seen == [True]


def test_progress_has_rate_and_time_left() -> None:
    clock = Clock()
    job = Job(clock=clock)
    job.report("embed", 10, 110)
    clock.now += 5
    job.report("embed", 60, 110, "a note")
    progress = job.snapshot()
    assert (progress.stage, progress.done, progress.total, progress.detail) == ("embed", 60, 110, "a note")
    assert progress.rate == pytest.approx(10.0)
    assert progress.seconds_left == pytest.approx(5.0)


def test_a_new_stage_counts_from_its_own_start() -> None:
    clock = Clock()
    job = Job(clock=clock)
    job.report("read", 0, 1000)
    clock.now += 100
    job.report("read", 1000, 1000)
    job.report("embed", 0, 10)
    assert job.snapshot().rate == 0
    assert job.snapshot().seconds_left is None
    clock.now += 2
    job.report("embed", 4, 10)
    assert job.snapshot().rate == pytest.approx(2.0)
    assert job.snapshot().seconds_left == pytest.approx(3.0)


@pytest.mark.parametrize(("done", "total"), [(0, 0), (5, 0), (0, 5)])
def test_time_left_is_unknown_without_progress_or_total(done: int, total: int) -> None:
    clock = Clock()
    job = Job(clock=clock)
    job.report("scan", 0, total)
    clock.now += 1
    job.report("scan", done, total)
    assert job.snapshot().seconds_left is None
