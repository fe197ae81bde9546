"""Every parser, with what once broke one, with nesting without end, and with its own words in any order."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import EngineError
from tests.fuzz.targets import TARGETS, Target

CRASHERS = Path(__file__).resolve().parents[2] / "fixtures" / "crashers"
FILES = sorted(file for file in CRASHERS.glob("*/*") if file.is_file())
OPENINGS = ("[", "{", "(", "[[", "((", "{{", "{{[[", "#{", "#_", "> ", ">", "- ", "`", "**", "__", "<b>", "<!--", '"')
OPENINGS += ("$$", "![[", "![", "%%", "&a", "*a", "[[ ]]", "{ ", "(a+)+", "<think>", "[1]", "a ", "\\", "\n")
SECONDS = 8
"""Of the processor. Honest inputs of this length take a hundredth of it; a cost that grows by squares takes minutes."""


def held(target: Target, data: bytes) -> None:
    """The target returns, or says what is wrong in words, and in time."""
    started = time.process_time()
    with contextlib.suppress(EngineError):
        target.run(data)
    assert time.process_time() - started < SECONDS


def test_there_are_crashers_and_each_has_a_target() -> None:
    assert len(FILES) >= 20
    assert {file.parent.name for file in FILES} <= TARGETS.keys()


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.name}")
def test_what_once_broke_a_parser(file: Path) -> None:
    held(TARGETS[file.parent.name], file.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_openings_without_end(name: str) -> None:
    target = TARGETS[name]
    for opening in OPENINGS:
        if any(opening.strip() in word for word in target.words):
            held(target, (opening * (20_000 // len(opening))).encode())


@pytest.mark.parametrize("name", TARGETS)
def test_words_of_the_format_in_any_order(name: str) -> None:
    target = TARGETS[name]
    piece = st.one_of(st.sampled_from(target.words), st.text(max_size=6))
    mixed = st.one_of(
        st.lists(piece, max_size=40).map(lambda found: "".join(found).encode("utf-8", "surrogatepass")),
        st.binary(max_size=60),
        st.sampled_from(target.seeds).flatmap(lambda seed: st.integers(0, len(seed)).map(lambda cut: seed[:cut])),
    )

    @settings(max_examples=25)
    @given(mixed)
    def check(data: bytes) -> None:
        held(target, data)

    check()
