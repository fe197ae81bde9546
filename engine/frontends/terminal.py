"""What commands share: printing, asking, opening the library. Light: every command pays for it."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import sys
from collections.abc import Callable, Iterator

TYPE_CHECKING = False  # see ``engine.paths``
if TYPE_CHECKING:
    from typing import Any

    from engine.errors import EngineError
    from engine.frontends.attach import AnyLibrary
    from engine.paths import Home

Run = Callable[[argparse.Namespace], int]
Add = Callable[[str, Run | None], argparse.ArgumentParser]
"""Gives the parser of the command of a name, which calls ``Run``; without it the commands below have their own."""


def real(text: str) -> float:
    """A number with a fraction, for ``argparse``; what is none, or has no end, is not."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def out(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def out_json(value: dict[str, Any]) -> None:
    out(json.dumps(value, ensure_ascii=False, indent=2))


def print_error(error: EngineError, *, as_json: bool = False) -> None:
    """One line on stderr; for a program that reads JSON a document on stdout too."""
    # Loads the library's values, which most commands that end well have loaded, and those of a moment never do.
    from engine.frontends.render import one_line

    say(f"lamplight: {one_line(str(error))}")
    if as_json:
        from engine.frontends import shapes

        out_json(shapes.failure(error))


def is_agreed(question: str) -> bool:
    """The person's own yes; a program that pipes nothing in has not agreed."""
    if not sys.stdin.isatty():
        return False
    say(f"{question} Type yes:")
    return sys.stdin.readline().strip().casefold() == "yes"


def open_library(home: Home | None = None) -> AnyLibrary:
    """Attached when another process has the library open, else opened here; says why it waits."""
    from engine.frontends import attach

    library = attach.open_library(home, waiting=_say_busy)
    if not isinstance(library, attach.RemoteLibrary):
        library.waiting = _say_serving
        for notice in library.notices:
            say(f"! {notice}")
    return library


@contextlib.contextmanager
def new_notices(library: AnyLibrary) -> Iterator[None]:
    """Say on stderr what the library comes to notice within."""
    from engine.frontends.render import one_line

    known = set(library.notices)
    yield
    for notice in library.notices:
        if notice not in known:
            say(f"! {one_line(notice)}")


def _say_busy() -> None:
    say("Waiting for another Lamplight that starts or ends ...")


def _say_serving() -> None:
    say("Finishing what another Lamplight has asked for ...")
