"""The command ``updates``: asks for the newest version, when the owner has allowed that, and says what it found."""

from __future__ import annotations

import argparse
import base64

import resources
from engine import __version__
from engine.frontends import shapes
from engine.frontends.terminal import Add, out, out_json
from engine.job import Job
from engine.paths import find_home
from engine.settings import load, services


def add_commands(add: Add) -> None:
    add("updates", _updates)


def _updates(args: argparse.Namespace) -> int:
    # The network is loaded by this command alone.
    from engine.net.client import Client
    from engine.net.ledger import Ledger
    from engine.net.policy import Policy
    from engine.net.updates import is_newer, newest

    home = find_home()
    enabled = [name for name, is_on in services(load(home)[0]).items() if is_on]
    found = newest(Client(Policy(enabled), Ledger(home.ledger)), update_key(), Job())
    is_update = is_newer(found.version, than=__version__)
    if args.json:
        newer = {"version": found.version, "commit": found.commit, "page": found.page} if is_update else None
        out_json(shapes.document(running=__version__, newer=newer))
    elif is_update:
        out(f"Lamplight {found.version} (build {found.commit}) is there; this is {__version__}.\n{found.page}")
    else:
        out(f"This is the newest version, {__version__}.")
    return 0


def update_key() -> bytes:
    """The makers' public key that this build holds; empty where there is none."""
    file = resources.path("update-key.txt")
    return base64.b64decode(file.read_text("ascii")) if file.is_file() else b""
