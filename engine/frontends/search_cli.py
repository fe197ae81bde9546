"""The command ``search``.

Where another process hosts the library, that one also prints the result: this process, which lives for a moment, then
loads neither the engine nor the library's values.
"""

from __future__ import annotations

import argparse
import os
import sys

from engine.frontends import printed
from engine.frontends.terminal import Add, open_library, out, real

TYPE_CHECKING = False  # see ``engine.paths``
if TYPE_CHECKING:
    from typing import Any

MODES = ("both", "word", "meaning")
"""The values of ``model.Mode``."""


def add_commands(add: Add) -> None:
    search = add("search", _search)
    search.add_argument("query", nargs="+")
    search.add_argument("--source", action="append", default=[], metavar="NAME", help="only this source (repeatable)")
    search.add_argument("-k", type=int, default=10, metavar="N", help="note rows (default 10)")
    search.add_argument("--min-score", type=real, default=None, metavar="X", help="leave out passages below X")
    search.add_argument("--mode", choices=MODES, default=MODES[0])
    search.add_argument("--refresh", action="store_true", help="first bring graphs up to date that are too old")
    search.add_argument("--explain", action="store_true", help="say why each hit is where it is")


def _search(args: argparse.Namespace) -> int:
    request = {
        "text": " ".join(args.query),
        "sources": args.source,
        "limit": args.k,
        "mode": args.mode,
        "min_score": args.min_score,
        "explain": args.explain,
        "refresh": args.refresh,
    }
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    text = printed.printed_search(request, as_json=args.json, colour=colour)
    out(_opened(request, as_json=args.json, colour=colour) if text is None else text)
    return 0


def _opened(request: dict[str, Any], *, as_json: bool, colour: bool) -> str:
    """The same when nobody hosts the library."""
    from engine.model import Mode, SearchRequest

    typed = {**request, "mode": Mode(request["mode"]), "sources": tuple(request["sources"])}
    with open_library() as library:
        return library.printed_search(SearchRequest(**typed), as_json=as_json, colour=colour)
