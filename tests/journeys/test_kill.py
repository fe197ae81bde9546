"""A program killed at any moment of any write loses nothing that was finished, and the next run goes on from there.

``LAMPLIGHT_KILLS`` says how many kills each kind of write gets: 3 by itself; ``LAMPLIGHT_KILLS=30`` is the full run.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.journeys import killing

KILLS = int(os.environ.get("LAMPLIGHT_KILLS", "3"))


@pytest.mark.parametrize("name", killing.VICTIMS)
def test_kills_lose_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As many threads as a machine of its own would give: the kills are what is tested here.
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    victim, chance = killing.VICTIMS[name], random.Random()
    victim.prepare(tmp_path)
    try:
        for _ in range(KILLS):
            killing.kill(name, tmp_path, chance)
            victim.check(tmp_path, chance)
    finally:
        victim.finish(tmp_path)
    print(f"\n{name}: {KILLS} kills survived")
