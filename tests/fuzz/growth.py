"""The hunt for inputs whose cost grows faster than their length: nesting bombs, unclosed openings, slow patterns.

Every word of a format, and many pairs and triples of them, are repeated to some length and to four times as much.

    python tests/fuzz/growth.py                every target, about twenty minutes
    python tests/fuzz/growth.py query words    some

Prints what takes far more than four times as long, or too long in any case. Tests have no part of this: they repeat
the worst inputs that were found (``fixtures/crashers``).
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
SHORT = 5_000
FACTOR = 4
STEEP = 7.5
"""Times as long for four times the length: squares take sixteen times, n log n less than five."""
NOTABLE = 0.1
"""Seconds below which a ratio says nothing."""
LIMIT = 10
"""Seconds of the processor, for the few times that one input is tried."""
MOST = 150
"""Pairs of words tried, taken at random but the same each time; half as many triples."""


def inputs(words: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """(before, repeated, after): plain repetition, and an opening with a long way to whatever may close it."""
    chosen = random.Random(1)
    pairs = [first + second for first, second in itertools.product(words, repeat=2)]
    triples = ["".join(chosen.choices(words, k=3)) for _ in range(MOST // 2)]
    for piece in dict.fromkeys([*words, *chosen.sample(pairs, min(MOST, len(pairs))), *triples]):
        yield "", piece, ""
    for first in words:
        yield first, "a ", chosen.choice(words)


def seconds(run: object, data: bytes) -> float:
    from engine.errors import EngineError

    started = time.process_time()
    with contextlib.suppress(EngineError):
        run(data)  # type: ignore[operator]
    return time.process_time() - started


def steep(run: object, before: str, piece: str, after: str) -> str:
    """What is wrong with the growth of one input; empty when nothing is."""
    count = max(1, SHORT // max(1, len(piece)))
    long = (before + piece * count * FACTOR + after).encode("utf-8", "surrogateescape")
    second = seconds(run, long)
    if second < NOTABLE:
        return ""
    first = min(seconds(run, (before + piece * count + after).encode("utf-8", "surrogateescape")) for _ in range(2))
    second = min(second, seconds(run, long))
    if second < NOTABLE or second / max(first, 1e-4) < STEEP:
        return ""
    return f"{first:.3f} s for {SHORT:,}, {second:.3f} s for {len(long):,} bytes"


def late(number: int, frame: object) -> None:
    raise TimeoutError


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*")
    given = parser.parse_args()
    from tests.fuzz.targets import TARGETS

    signal.signal(signal.SIGPROF, late)
    found = 0
    for name in given.targets or TARGETS:
        target, tried = TARGETS[name], 0
        for before, piece, after in inputs(target.words):
            tried += 1
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            try:
                why = steep(target.run, before, piece, after)
            except TimeoutError:
                why = f"more than {LIMIT} s"
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
                why = f"{type(error).__name__}: {error}"
            signal.setitimer(signal.ITIMER_PROF, 0)
            if why:
                found += 1
                print(f"{name}: {before!r} + {piece!r} * n + {after!r}: {why}", flush=True)
        print(f"{name:16} {tried:>7,} kinds of input", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.path.insert(0, str(CHECKOUT))
    sys.exit(main())
