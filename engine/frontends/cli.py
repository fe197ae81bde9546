"""The command line. Each command turns words into one call of the library and prints what came back.

Exit codes: 0 fine, 1 failed (one line on stderr says why), 2 usage. With ``--json`` stdout carries one JSON document
(``frontends/shapes.py``); progress and notices always go to stderr.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import resources
from engine import __version__
from engine.errors import BadRequest, Cancelled, EngineError
from engine.frontends import attach, examples, graph_cli, render, shapes
from engine.job import Job
from engine.model import Mode, Outcome, SearchRequest, SourceOptions, SourceStatus

if TYPE_CHECKING:
    from engine.frontends.attach import AnyLibrary
    from engine.paths import Home


def main(argv: Sequence[str] | None = None) -> int:
    _prepare_output()
    parser = build_parser()
    args = parser.parse_args(argv)
    try:
        return int(args.run(args))
    except BadRequest as error:
        print_error(error)
        return 2
    except EngineError as error:
        print_error(error)
        return 1
    except Cancelled:
        say("Stopped; what was done is kept.")
        return 1
    except BrokenPipeError:
        # The reader of our output went away (`| head`): not a failure worth a word.
        sys.stderr.close()
        return 0


def _prepare_output() -> None:
    """Notes hold every script: never fail on one. What is no text at all is escaped as JSON escapes it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            is_shown = stream.isatty()
            stream.reconfigure(encoding=None if is_shown else "utf-8", errors="backslashreplace")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lamplight",
        description="Find anything you have written in Obsidian vaults and Roam graphs, by meaning and by word.",
        epilog=examples.GENERAL,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    build = f" (build {resources.build()})" if resources.build() else ""
    parser.add_argument("--version", action="version", version=f"lamplight {__version__}{build}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    add = _command(commands, "add", _add, "register a vault or an export and index it")
    add.add_argument(
        "path", nargs="?", help="folder of an Obsidian vault, Roam export (.json, .edn, .zip), or roam-cloud:NAME"
    )
    add.add_argument("--graph", metavar="NAME", help="a graph of Roam Desktop, by nickname or name")
    add.add_argument("--name", default="", help="what to call it (default: the folder's or file's name)")
    add.add_argument("--no-daily-notes", action="store_true", help="leave daily notes out")
    add.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="leave out notes (repeatable)")
    add.add_argument("--no-index", action="store_true", help="register only")

    sources = _command(commands, "sources", _sources, "list the registered sources")
    sources.add_argument("--discovered", action="store_true", help="also vaults and graphs found on this machine")

    index = _command(commands, "index", _index, "bring the index up to date")
    index.add_argument("name", nargs="?", help="source (not needed when there is one)")
    index.add_argument("--all", action="store_true", help="every source")
    index.add_argument("--full", action="store_true", help="read and embed everything again")
    index.add_argument("--problems", action="store_true", help="print every remark of the report")
    index.add_argument(
        "--require-open-window",
        action="store_true",
        help="skip graphs whose window is not open in Roam (for schedules)",
    )

    search = _command(commands, "search", _search, "search by meaning and by word")
    search.add_argument("query", nargs="+")
    search.add_argument("--source", action="append", default=[], metavar="NAME", help="only this source (repeatable)")
    search.add_argument("-k", type=int, default=10, metavar="N", help="note rows (default 10)")
    search.add_argument("--min-score", type=float, default=None, metavar="X", help="leave out passages below X")
    search.add_argument("--mode", choices=[m.value for m in Mode], default=Mode.BOTH.value)
    search.add_argument("--refresh", action="store_true", help="first bring graphs up to date that are too old")
    search.add_argument("--explain", action="store_true", help="say why each hit is where it is")

    status = _command(commands, "status", _status, "what is indexed, skipped, stale")
    status.add_argument("name", nargs="?")
    status.add_argument("--problems", action="store_true", help="list every note that was skipped, failed or warned of")

    remove = _command(commands, "remove", _remove, "forget a source and delete its index (never the notes)")
    remove.add_argument("name")

    mcp = _command(commands, "mcp", _mcp, "answer language models over the Model Context Protocol (stdio)")
    mcp.add_argument("--tokens", type=int, default=20_000, metavar="N", help="longest answer in tokens (default 20000)")
    mcp.add_argument("--http", action="store_true", help="serve over HTTP on this machine instead, with a token")
    mcp.add_argument(
        "--install",
        nargs="?",
        const="",
        metavar="CLIENT",
        help="show the configuration of a client (claude-desktop, claude-code, cursor, windsurf), and write it after "
        "asking",
    )
    mcp.add_argument("--port", type=int, default=7337, metavar="N", help="port for --http (default 7337; 0 = any)")

    # It uses what stands below, so it can only be imported now.
    from engine.frontends import keeper_cli, notes_cli, roam_cli, smart_cli, trust_cli

    notes_cli.add_commands(functools.partial(_command, commands))
    roam_cli.add_commands(functools.partial(_command, commands))
    smart_cli.add_commands(functools.partial(_command, commands))
    graph_cli.add_commands(commands)
    keeper_cli.add_commands(functools.partial(_command, commands))
    trust_cli.add_commands(functools.partial(_command, commands))
    _command(commands, "demo", _demo, "search the bundled notes for things their words do not say")
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        epilog=examples.epilog(name),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout")
    parser.set_defaults(run=run)
    return parser


# --- output ------------------------------------------------------------------------------------------------------


def say(text: str) -> None:
    print(text, file=sys.stderr)


def out(text: str) -> None:
    print(text)


def out_json(value: dict[str, Any]) -> None:
    out(json.dumps(value, ensure_ascii=False, indent=2))


def print_error(error: EngineError) -> None:
    say(f"lamplight: {' '.join(render.printable(str(error)).split())}")


class TerminalJob(Job):
    """A job that shows its progress on stderr when that is a terminal, at most ten times a second."""

    def __init__(self) -> None:
        super().__init__()
        self._shown = 0.0
        self._is_terminal = sys.stderr.isatty()

    def report(self, stage: str, done: int, total: int = 0, detail: str = "") -> None:
        super().report(stage, done, total, detail)
        if self._is_terminal and time.monotonic() - self._shown >= 0.1:
            self._shown = time.monotonic()
            render.clear_line()
            sys.stderr.write(render.progress_line(self.snapshot()))
            sys.stderr.flush()

    def finish(self) -> None:
        if self._is_terminal and self._shown:
            render.clear_line()


@contextlib.contextmanager
def stoppable(job: Job) -> Iterator[None]:
    """Let Ctrl-C cancel the job instead of breaking off in the middle."""
    previous = signal.signal(signal.SIGINT, lambda *_: job.cancel())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def open_library(home: Home | None = None) -> AnyLibrary:
    """Attached when another process has the library open, else opened here; says why it waits."""
    library = attach.open_library(home, waiting=_say_busy)
    if not isinstance(library, attach.RemoteLibrary):
        library.waiting = _say_serving
        for notice in library.notices:
            say(f"! {notice}")
    return library


def _say_busy() -> None:
    say("Waiting for another Lamplight that starts or ends ...")


def _say_serving() -> None:
    say("Finishing what another Lamplight has asked for ...")


# --- commands ----------------------------------------------------------------------------------------------------


def _add(args: argparse.Namespace) -> int:
    from engine.frontends import roam_cli

    with open_library() as library:
        options = SourceOptions(daily_notes=not args.no_daily_notes, exclude=tuple(args.exclude))
        source = library.add(roam_cli.place_of(args.path, args.graph), name=args.name, options=options)
        if not args.no_index:
            return _index_named(library, [source.name], args)
        if args.json:
            out_json(shapes.document(source=shapes.source(source)))
        else:
            out(f"Added {render.printable(source.name)}. Index it: lamplight index {render.printable(source.name)}")
    return 0


def _sources(args: argparse.Namespace) -> int:
    from engine.frontends import roam_cli

    with open_library() as library:
        statuses = library.sources()
        found = roam_cli.show_discovered(library) if args.discovered else []
    if args.json:
        listed = shapes.document(sources=[shapes.status(s) for s in statuses])
        if args.discovered:
            listed["discovered"] = [shapes.discovered(d) for d in found]
        out_json(listed)
        return 0
    out(render.sources_table(statuses))
    if args.discovered:
        out(roam_cli.discovered_table(found))
    return 0


def _index(args: argparse.Namespace) -> int:
    with open_library() as library:
        names = [s.source.name for s in library.sources()]
        if args.name:
            names = [args.name]
        elif not args.all and len(names) > 1:
            raise BadRequest(f"Which source? There are {len(names)}: {', '.join(names)}.", "Name one, or use --all.")
        if not names:
            raise EngineError("There is nothing to index yet.", "Add a vault or an export: lamplight add PATH")
        return _index_named(library, names, args)


def _index_named(library: AnyLibrary, names: Sequence[str], args: argparse.Namespace) -> int:
    from engine.frontends import roam_cli

    job = TerminalJob()
    previous = signal.signal(signal.SIGINT, lambda *_: job.cancel())
    reports = []
    failed = False
    only_open = getattr(args, "require_open_window", False)
    try:
        for name in names:
            if not only_open:
                roam_cli.warn_of_window(library, name)
            try:
                report = library.index(name, job, full=getattr(args, "full", False), require_open_window=only_open)
            except EngineError as error:
                if len(names) == 1:
                    raise
                # The others are not to suffer for one graph that refuses.
                print_error(error)
                failed = True
                continue
            finally:
                job.finish()
            reports.append((name, report))
            if not args.json:
                out(roam_cli.report_text(report, name, verbose=getattr(args, "problems", False)))
            if report.outcome is Outcome.CANCELLED:
                break
    finally:
        signal.signal(signal.SIGINT, previous)
    if args.json:
        out_json(shapes.document(reports=[shapes.report(report, name) for name, report in reports]))
    fine = (Outcome.COMPLETE, Outcome.WINDOW_CLOSED)
    return 0 if not failed and all(report.outcome in fine for _, report in reports) else 1


def _search(args: argparse.Namespace) -> int:
    request = SearchRequest(
        text=" ".join(args.query),
        sources=tuple(args.source),
        limit=args.k,
        mode=Mode(args.mode),
        min_score=args.min_score,
        explain=args.explain,
        refresh=args.refresh,
    )
    with open_library() as library:
        library.behind(request.sources)
        result = library.search(request)
    if args.json:
        out_json(shapes.result(result, request.text))
    else:
        out(render.result_text(result, colour=render.use_colour(sys.stdout), explain=args.explain))
    return 0


def _status(args: argparse.Namespace) -> int:
    with open_library() as library:
        statuses: list[SourceStatus] = [library.status(args.name)] if args.name else library.sources()
        problems = {s.source.id: library.problems(s.source.id) for s in statuses} if args.problems else {}
    if args.json:
        listed = [shapes.status(s) for s in statuses]
        for shape, one in zip(listed, statuses, strict=True):
            if args.problems:
                shape["problems"] = [shapes.problem(p) for p in problems[one.source.id]]
        out_json(shapes.document(sources=listed))
        return 0
    if not statuses:
        out(render.sources_table(statuses))
    for one in statuses:
        out(render.status_text(one))
        for p in problems.get(one.source.id, ()):
            place = f"{p.note}:{p.line}" if p.line else p.note
            out(f"  {p.severity.value:8} {render.printable(place)}  {render.printable(p.reason)}")
    return 0


def _remove(args: argparse.Namespace) -> int:
    with open_library() as library:
        source = library.status(args.name).source
        library.remove(args.name)
    if args.json:
        out_json(shapes.document(removed=shapes.source(source)))
    else:
        out(f"Removed {render.printable(source.name)} and deleted its index. The notes were not touched.")
    return 0


def _mcp(args: argparse.Namespace) -> int:
    if args.install is not None:
        return _install(args)
    if args.tokens < 1000:
        raise BadRequest("--tokens is at least 1000.", "Less leaves no room for a row.")
    # The SDK and its web framework load only here.
    from engine.frontends import mcp_server
    from engine.paths import find_home

    if args.http:
        mcp_server.run_http(find_home(), args.tokens, args.port, say)
    else:
        mcp_server.run_stdio(find_home(), args.tokens)
    return 0


def _install(args: argparse.Namespace) -> int:
    from engine.frontends import mcp_install

    known = mcp_install.clients()
    if args.install and args.install not in known:
        raise BadRequest(f"The client '{args.install}' is not known.", f"Known: {', '.join(known)}.")
    entry = mcp_install.entry()
    file = known.get(args.install)
    if args.json:
        out_json(shapes.document(server=entry, client=args.install or None, file=str(file.path) if file else None))
        return 0
    out(mcp_install.lines(entry))
    if file is None:
        for one in known.values():
            say(f"{one.client}: {one.path}")
        say("Put these lines into the file of your client, or name it: lamplight mcp --install CLIENT")
    elif is_agreed(f"Write this into {file.path}?"):
        kept = mcp_install.write(file, entry)
        say("Written. Start the client anew." + (f" The file as it was: {kept}" if kept else ""))
    else:
        say(f"Nothing was written. The file is {file.path}")
    return 0


def is_agreed(question: str) -> bool:
    """The person's own yes; a program that pipes nothing in has not agreed."""
    if not sys.stdin.isatty():
        return False
    say(f"{question} Type yes:")
    return sys.stdin.readline().strip().casefold() == "yes"


def _demo(args: argparse.Namespace) -> int:
    from engine.library import demo_home, demo_queries, demo_sources

    job = TerminalJob()
    with open_library(demo_home()) as library:
        known = {s.source.location: s for s in library.sources()}
        for location, name in demo_sources():
            if location not in known:
                library.add(location, name=name)
            if not args.json:
                say(f"Reading the bundled notes: {name} ...")
            library.index(name, job)
            job.finish()
        results = [(q, library.search(SearchRequest(text=q, limit=3))) for q in demo_queries()]
    if args.json:
        out_json(shapes.document(searches=[shapes.result(r, q) for q, r in results]))
        return 0
    out("These questions share no content word with the passages that answer them.\n")
    for query, result in results:
        out(f'lamplight search "{query}"')
        out(render.result_text(result, colour=render.use_colour(sys.stdout)) + "\n")
    return 0
