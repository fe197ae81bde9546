"""What is freed goes back to the system, where the C library can be told so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HELD = """
from engine import memory
from pathlib import Path

def held():
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) // 1024

memory.keep_little()
before = held()
blocks = [bytearray(8_000_000) for _ in range(10)]
while_used = held()
del blocks[:-1]  # The last stands above the others in a heap, so that only mappings of their own can go.
print(before, while_used, held())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measured in /proc")
def test_large_blocks_go_when_they_are_freed() -> None:
    ran = subprocess.run([sys.executable, "-c", HELD], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    before, while_used, after = map(int, ran.stdout.split())
    assert while_used > before + 60
    assert after < before + 15


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_where_there_is_nothing_to_do_nothing_is_done(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine import memory

    asked: list[object] = []
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(memory.ctypes, "CDLL", asked.append)
    memory.keep_little()
    memory.give_back()
    assert asked == []
