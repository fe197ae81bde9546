"""The command ``updates``: asks for the newest version, when the owner has allowed that, and says what it found."""

from __future__ import annotations

import argparse

from engine import __version__
from engine.frontends import shapes
from engine.frontends.terminal import Add, open_library, out, out_json
from engine.job import Job


def add_commands(add: Add) -> None:
    add("updates", _updates)


def _updates(args: argparse.Namespace) -> int:
    with open_library() as library:
        found = library.newer_release(Job())
    if args.json:
        newer = {"version": found.version, "commit": found.commit, "page": found.page} if found else None
        out_json(shapes.document(running=__version__, newer=newer))
    elif found:
        out(f"Lamplight {found.version} (build {found.commit}) is there; this is {__version__}.\n{found.page}")
    else:
        out(f"This is the newest version, {__version__}.")
    return 0
