"""Commands for what lies behind a graph: its token, and the switches of network services.

A token is read from the terminal without echo, or from standard input; never from an argument, which every process of
the machine could read. It is never printed.
"""

from __future__ import annotations

import argparse
import getpass
import sys
from typing import TYPE_CHECKING

from engine.errors import BadRequest
from engine.frontends import render, shapes
from engine.frontends.progress import TerminalJob
from engine.frontends.terminal import Add, new_notices, open_library, out, out_json, say
from engine.model import Discovered, IndexReport, Outcome

if TYPE_CHECKING:
    from engine.frontends.attach import AnyLibrary

ACTIONS = ("set", "import", "request", "check", "forget")


def add_commands(add: Add) -> None:
    token = add("token", _token)
    token.add_argument(
        "action",
        choices=ACTIONS,
        help="set: enter one (typed, or from standard input); import: take that of Roam's own tools; request: ask for "
        "one in Roam; check: read from the graph with it; forget: delete it here",
    )
    token.add_argument("name", help="source, or nickname or name of a graph")
    services = add("services", _services)
    services.add_argument("switch", nargs="?", choices=("on", "off"))
    services.add_argument("name", nargs="?", help="service to switch")


def place_of(path: str | None, graph: str | None) -> str:
    """What ``add`` is to add: a path, or a graph by name. Raises ``BadRequest`` unless it is one of both."""
    if (path is None) == (graph is None):
        raise BadRequest("Give either a path or --graph NAME.", "lamplight sources --discovered shows what there is.")
    return path if path is not None else f"roam:{graph}"


def show_discovered(library: AnyLibrary) -> list[Discovered]:
    """What is on this machine; remarks about what could not be understood go to stderr."""
    with new_notices(library):
        return library.discover()


def discovered_table(found: list[Discovered]) -> str:
    if not found:
        return "Nothing else was found on this machine."
    rows = [(render.printable(f.name), f.kind.value, f.detail, render.printable(f.location)) for f in found]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return "\n".join(
        "found: " + "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[3]]) for row in rows
    )


def warn_of_window(library: AnyLibrary, name: str) -> None:
    """Before a run that a person asked for."""
    warning = library.index_warning(name)
    if warning:
        say(f"! {render.one_line(warning)}")


def report_text(report: IndexReport, name: str, *, verbose: bool) -> str:
    if report.outcome is Outcome.WINDOW_CLOSED:
        return render.one_line(report.detail)
    return render.report_text(report, name, verbose=verbose)


def _token(args: argparse.Namespace) -> int:
    with open_library() as library:
        said = _token_action(library, args.action, args.name)
    if args.json:
        out_json(shapes.document(graph=args.name, message=said))
    else:
        out(render.one_line(said))
    return 0


def _token_action(library: AnyLibrary, action: str, name: str) -> str:
    match action:
        case "set":
            return library.keep_token(name, _read_token())
        case "import":
            return library.import_token(name)
        case "request":
            say("Roam asks you now whether it may give Lamplight a read-only token ...")
            return library.request_token(name, TerminalJob())
        case "check":
            say("Reading from the graph; if it is closed, Roam opens its window ...")
            return library.check_connection(name, TerminalJob())
        case _:
            return library.forget_token(name)


def _read_token() -> str:
    given = getpass.getpass("Token (not shown): ") if sys.stdin.isatty() else sys.stdin.readline()
    if not given.strip():
        raise BadRequest("There was no token.", "Type it, or pass it on standard input.")
    return given.strip()


def _services(args: argparse.Namespace) -> int:
    with open_library() as library:
        if args.switch and not args.name:
            raise BadRequest("Which service?", f"There are: {', '.join(s.name for s in library.services())}.")
        if args.switch:
            library.switch_service(args.name, args.switch == "on")
        listed = [s for s in library.services() if args.name in (None, s.name)]
    if args.json:
        shown = [{"name": s.name, "title": s.title, "on": s.is_on, "leaves": s.leaves} for s in listed]
        out_json(shapes.document(services=shown))
        return 0
    for service in listed:
        out(f"{service.name:16} {'on' if service.is_on else 'off':4} {service.leaves}")
    return 0
