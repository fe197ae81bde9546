"""Commands on sources: ``add``, ``sources``, ``index``, ``status``, ``remove``, and the ``demo``."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.errors import BadRequest, EngineError
from engine.frontends import render, roam_cli, shapes
from engine.frontends.progress import TerminalJob
from engine.frontends.terminal import Add, new_notices, open_library, out, out_json, print_error, say
from engine.model import Outcome, SearchRequest, SourceOptions, SourceStatus

if TYPE_CHECKING:
    from engine.frontends.attach import AnyLibrary


def add_commands(add: Add) -> None:
    added = add("add", _add)
    added.add_argument(
        "path", nargs="?", help="folder of an Obsidian vault, Roam export (.json, .edn, .zip), or roam-cloud:NAME"
    )
    added.add_argument("--graph", metavar="NAME", help="a graph of Roam Desktop, by nickname or name")
    added.add_argument("--name", default="", help="what to call it (default: the folder's or file's name)")
    added.add_argument("--no-daily-notes", action="store_true", help="leave daily notes out")
    added.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="leave out notes (repeatable)")
    added.add_argument("--no-index", action="store_true", help="register only")

    sources = add("sources", _sources)
    sources.add_argument("--discovered", action="store_true", help="also vaults and graphs found on this machine")

    index = add("index", _index)
    index.add_argument("name", nargs="?", help="source (not needed when there is one)")
    index.add_argument("--all", action="store_true", help="every source")
    index.add_argument("--full", action="store_true", help="read and embed everything again")
    index.add_argument("--problems", action="store_true", help="print every remark of the report")
    index.add_argument(
        "--require-open-window",
        action="store_true",
        help="skip graphs whose window is not open in Roam (for schedules)",
    )

    status = add("status", _status)
    status.add_argument("name", nargs="?")
    status.add_argument("--problems", action="store_true", help="list every note that was skipped, failed or warned of")

    remove = add("remove", _remove)
    remove.add_argument("name")

    add("demo", _demo)


def _add(args: argparse.Namespace) -> int:
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
                with new_notices(library):
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


def _status(args: argparse.Namespace) -> int:
    with open_library() as library:
        statuses: list[SourceStatus] = [library.status(args.name)] if args.name else library.sources()
        problems = {s.source.id: library.problems(s.source.id) for s in statuses} if args.problems else {}
        has_chosen = library.settings.protection != "keychain"
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
        out(render.status_text(one, has_chosen=has_chosen))
        for p in problems.get(one.source.id, ()):
            place = f"{p.note}:{p.line}" if p.line else p.note
            out(f"  {p.severity.value:8} {render.printable(place)}  {render.one_line(p.reason)}")
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


def _demo(args: argparse.Namespace) -> int:
    from engine.upkeep.demo import demo_home, demo_queries, demo_sources

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
