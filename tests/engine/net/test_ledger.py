from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from engine.net.ledger import Connection, Ledger

TOKEN = "roam-graph-local-token-abcDEF123_xyz"


def line(number: int, **more: object) -> Connection:
    return Connection(float(number), "loopback", "127.0.0.1:3333", "read a graph", "ok", **more)


def test_read_back_newest_first(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "data" / "connections.jsonl")
    for number in range(5):
        ledger.record(line(number, sent=number, received=7, seconds=0.5))
    assert [c.time for c in ledger.recent(3)] == [4.0, 3.0, 2.0]
    assert ledger.recent(1) == [line(4, sent=4, received=7, seconds=0.5)]


def test_nothing_yet(tmp_path: Path) -> None:
    assert Ledger(tmp_path / "none.jsonl").recent() == []


@pytest.mark.skipif(os.name != "posix", reason="modes are a POSIX matter")
def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "data" / "connections.jsonl"
    Ledger(path).record(line(1))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_rotation_keeps_the_older_half_readable_and_bounds_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "connections.jsonl"
    ledger = Ledger(path, rotate_at=500)
    for number in range(50):
        ledger.record(line(number))
    newest = ledger.recent(100)
    assert newest[0].time == 49.0
    assert [c.time for c in newest] == sorted((c.time for c in newest), reverse=True)
    assert len(newest) > 3
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 1500


def test_damaged_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "connections.jsonl"
    ledger = Ledger(path)
    ledger.record(line(1))
    with path.open("ab") as file:
        file.write(b'{"time": 2, "serv\n[]\n\xff\xfe\nnull\n')
    ledger.record(line(3))
    assert [c.time for c in ledger.recent()] == [3.0, 1.0]


def test_tokens_and_long_texts_never_get_in(tmp_path: Path) -> None:
    path = tmp_path / "connections.jsonl"
    Ledger(path).record(Connection(1.0, "loopback", "127.0.0.1:1", f"why {TOKEN} " + "x" * 500, f"status {TOKEN}"))
    text = path.read_text()
    assert TOKEN not in text
    assert len(json.loads(text)["why"]) <= 100


def test_a_disk_that_takes_nothing_does_not_end_the_call(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    Ledger(in_the_way / "connections.jsonl").record(line(1))
    assert in_the_way.read_text() == ""


def test_lines_of_several_threads_stay_whole(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "connections.jsonl")
    threads = [threading.Thread(target=lambda n=n: [ledger.record(line(n)) for _ in range(50)]) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ledger.recent(1000)) == 200
