"""Reading while another process rewrites the index, and reading large logs in little memory."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.sources import smart_index
from engine.sources.smart_index import ATTEMPTS, IndexChanging, SmartVault
from fixtures.smart_connections import generate as made

CHECKOUT = Path(__file__).resolve().parents[3]
NOTES = {f"n{n}.md": f"# N\nnote {n}\n" for n in range(50)}
CHURN = """
import sys, itertools, pathlib
file = pathlib.Path(sys.argv[1])
data = file.read_bytes()
print("ready", flush=True)
for n in itertools.count():
    with file.open("r+b") as log:
        log.seek(0, 2)
        log.write(b"\\n")
        if n % 50 == 0:
            log.truncate(len(data))
"""


def no_pause(seconds: float) -> None:
    """Tests do not wait."""


def test_an_index_that_never_holds_still_is_refused_and_read_when_it_does(tmp_path: Path) -> None:
    written = made.write_packed(tmp_path, {f"n{n}.md": f"# N\nnote {n}\n" for n in range(300)})
    vault = SmartVault(tmp_path, pause=no_pause)
    shard = tmp_path / ".smart-env" / "smart_sources" / "smart_sources.ajson"
    churn = subprocess.Popen([sys.executable, "-c", CHURN, str(shard)], stdout=subprocess.PIPE)
    try:
        assert churn.stdout is not None
        churn.stdout.readline()
        with pytest.raises(IndexChanging, match=f"{ATTEMPTS} attempts"):
            vault.index()
    finally:
        churn.kill()
        churn.wait()
        churn.stdout.close()
    assert len(vault.index().group.items) == len(written)


def change_while_reading(monkeypatch: pytest.MonkeyPatch, times: int, change: object) -> list[int]:
    """Call ``change()`` in the middle of the first ``times`` readings."""
    real = smart_index.read_records
    calls: list[int] = []

    def read(*args: object) -> object:
        found = real(*args)
        calls.append(len(calls))
        if len(calls) <= times:
            change()
        return found

    monkeypatch.setattr(smart_index, "read_records", read)
    return calls


def test_a_change_in_the_middle_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made.write_packed(tmp_path, {"a.md": "one"})
    waited: list[float] = []

    def renumber() -> None:
        """What the plugin's optimising does: pointers and vectors change together."""
        made.write_shard(
            tmp_path / ".smart-env", [made.line("smart_sources:a.md", made.packed_source("a.md", "one", 1))]
        )
        made.write_vectors(tmp_path / ".smart-env" / "smart_sources" / made.BGE, [8, 9], 384)

    calls = change_while_reading(monkeypatch, 1, renumber)
    index = SmartVault(tmp_path, pause=waited.append).index()
    assert (len(calls), index.retries, waited) == (2, 1, [0.15])
    assert int(index.group.vectors[0].argmax()) == 9


def test_a_file_that_vanishes_in_the_middle_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made.write_packed(tmp_path, {"a.md": "one"})
    shard = tmp_path / ".smart-env" / "smart_sources" / "smart_sources_1.ajson"
    shard.write_text("")
    real = smart_index.signature
    seen: list[int] = []

    def look(place: object) -> object:
        stamp = real(place)
        seen.append(1)
        # After the first look of the attempt, before its reading.
        if len(seen) == 2:
            shard.unlink()
        return stamp

    monkeypatch.setattr(smart_index, "signature", look)
    index = SmartVault(tmp_path, pause=no_pause).index()
    assert (index.retries, len(index.records)) == (1, 1)


def test_nobody_reads_twice_what_did_not_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made.write_packed(tmp_path, NOTES)
    calls = change_while_reading(monkeypatch, 0, None)
    vault = SmartVault(tmp_path)
    start = threading.Barrier(8)

    def read() -> int:
        start.wait()
        return id(vault.index())

    with ThreadPoolExecutor(8) as pool:
        found = {future.result() for future in [pool.submit(read) for _ in range(8)]}
    assert (len(found), len(calls)) == (1, 1)
    made.write_shard(tmp_path / ".smart-env", [made.line("smart_sources:n1.md", None)], 1)
    assert "n1.md" not in vault.index().records
    assert len(calls) == 2


def test_reading_changes_nothing_in_the_vault(tmp_path: Path) -> None:
    made.write_packed(tmp_path, NOTES)
    before = {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in tmp_path.rglob("*") if file.is_file()}
    vault = SmartVault(tmp_path)
    for record in vault.index().records.values():
        vault.files.freshness(record)
    assert {f: (f.stat().st_mtime_ns, f.read_bytes()) for f in tmp_path.rglob("*") if f.is_file()} == before


def test_a_hundred_megabytes_are_read_in_little_memory(tmp_path: Path) -> None:
    """In a process of its own, so that its highest use of memory is that of the reading."""
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not tell how much memory a process has used")
    multi = tmp_path / ".smart-env" / "multi"
    multi.mkdir(parents=True)
    vector = [0.03125 + n / 1e8 for n in range(384)]
    line = made.line("smart_sources:n{}.md", {"embeddings": {made.BGE_KEY: {"vec": vector}}, "text": "x" * 20_000})
    with (multi / "log.ajson").open("w") as log:
        for number in range(100 * 1024 * 1024 // len(line)):
            log.write("\n" + line.replace("{}", str(number % 1500)))
    program = (
        "import sys, re, pathlib\n"
        "from engine.sources.smart_index import SmartVault\n"
        "index = SmartVault(pathlib.Path(sys.argv[1])).index()\n"
        # What resource.getrusage tells may be the parent's highest use.
        "status = pathlib.Path('/proc/self/status').read_text()\n"
        "print(len(index.group.items), re.search(r'VmHWM:\\s+(\\d+)', status)[1])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    items, kilobytes = map(int, answer.stdout.split())
    assert items == 1500
    assert kilobytes < 300 * 1024
