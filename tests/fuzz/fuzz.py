"""Coverage-guided fuzzing of every parser: bytes are changed at random, and kept when they reach new code.

    python tests/fuzz/fuzz.py                      every target, 60 seconds each
    python tests/fuzz/fuzz.py --seconds 600 query  one target, ten minutes
    python tests/fuzz/fuzz.py everything           all in one process

Needs the fuzzer of ``pip install .[fuzz]`` (Linux and macOS). A crash, an error that is not made for people, or an
input of at most 8 KB that takes more than half a minute ends a target; its bytes are saved in ``fixtures/crashers``,
which the suite replays. Prints one line for each target: inputs tried, and what was found.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
CRASHERS = CHECKOUT / "fixtures" / "crashers"
LONGEST_INPUT = 8192
LARGEST_SEED = 512
"""Bytes of a known crasher that is changed further; of longer ones, made to be slow, only a few are tried a second."""
LONGEST_SECONDS = 30
EVERYTHING = "everything"
"""A target that is all of them."""


def fuzz_one(name: str, seconds: int, folder: Path) -> None:
    """Run one target in this process, which the fuzzer then ends."""
    import atheris

    with atheris.instrument_imports(include=["engine", "gui", "markdown_it", "mdit_py_plugins", "tomlkit"]):
        from engine.errors import EngineError
        from tests.fuzz.targets import TARGETS, all_together

        target = all_together() if name == EVERYTHING else TARGETS[name]

        def run(data: bytes) -> None:
            with contextlib.suppress(EngineError):
                target.run(data)

        for seed in target.seeds:
            run(seed)  # what is imported on first use must be led by, too, and must not count as slow

    dictionary = folder / "words"
    escaped = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in target.words)
    dictionary.write_text("".join(f'"{word}"\n' for word in escaped))
    corpus = folder / "corpus"
    corpus.mkdir()
    known = [file.read_bytes() for file in (CRASHERS / name).glob("*") if file.stat().st_size <= LARGEST_SEED]
    for number, seed in enumerate([*target.seeds, *known]):
        (corpus / f"seed-{number}").write_bytes(seed)
    options = {
        "max_total_time": seconds,
        "max_len": LONGEST_INPUT,
        "timeout": LONGEST_SECONDS,
        "dict": dictionary,
        "artifact_prefix": f"{folder}/found-",
        "rss_limit_mb": 2048,
        "verbosity": 1,
        "print_final_stats": 1,
    }
    atheris.Setup([sys.argv[0], *(f"-{key}={value}" for key, value in options.items()), str(corpus)], run)
    atheris.Fuzz()


def watch(name: str, seconds: int) -> bool:
    """Run one target in a process of its own; returns whether something was found."""
    with tempfile.TemporaryDirectory(prefix="lamplight-fuzz-") as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(
            [sys.executable, __file__, "--inside", folder, "--seconds", str(seconds), name],
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        found = sorted(Path(folder).glob("found-*"))
        counted = re.search(r"number_of_executed_units: (\d+)", done.stderr) or re.findall(r"#(\d+)", done.stderr)
        tried = int(counted[1]) if isinstance(counted, re.Match) else int(counted[-1]) if counted else 0
        covered = [int(number) for number in re.findall(r"cov: (\d+)", done.stderr)]
        for file in found:
            (CRASHERS / name).mkdir(parents=True, exist_ok=True)
            (CRASHERS / name / file.name.removeprefix("found-")).write_bytes(file.read_bytes())
        is_bad = bool(found) or done.returncode != 0
        seen = f"{tried:>10,} inputs  {max(covered, default=0):>6} edges  {spent:>6.0f} s of processor"
        print(f"{name:16} {seen}  {'FOUND' if is_bad else 'clean'}")
        if is_bad:
            trace = done.stderr[done.stderr.find("=== Uncaught") :] if "=== Uncaught" in done.stderr else done.stderr
            print("    " + "\n    ".join(trace.strip().splitlines()[-25:]))
        sys.stdout.flush()
        return is_bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        fuzz_one(given.targets[0], given.seconds, given.inside)
        return 0
    from tests.fuzz.targets import TARGETS

    return sum([watch(name, given.seconds) for name in given.targets or TARGETS]) and 1


if __name__ == "__main__":
    sys.path.insert(0, str(CHECKOUT))
    sys.exit(main())
