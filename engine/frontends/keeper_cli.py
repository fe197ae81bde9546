"""Commands that keep the house: ``doctor``, ``serve``, ``quick``, ``export``, ``import``, ``ledger`` and others."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from pathlib import Path

from engine.errors import EngineError, from_system
from engine.frontends import attach, render, shapes
from engine.frontends.terminal import Add, open_library, out, out_json
from engine.paths import find_home
from engine.sources.export_files import named_file, write_files

_LARGEST_IMPORT = 50_000_000
_MAKE_ONE = "Make one with: lamplight export SOURCE FILE"


def add_commands(add: Add) -> None:
    add("doctor", _doctor)
    add("serve", _serve)

    quick = add("quick", _quick)
    quick.add_argument("text", nargs="*", help="words to start with")

    export = add("export", _export)
    export.add_argument("name", help="source")
    export.add_argument("file", nargs="?", help="file to write (default: standard output)")

    imported = add("import", _import)
    imported.add_argument("name", help="source that they are to apply to")
    imported.add_argument("file", help="exported file, or - for standard input")

    ledger = add("ledger", _ledger)
    ledger.add_argument("-n", type=int, default=50, metavar="N", help="lines (default 50)")

    completions = add("completions", _completions)
    completions.add_argument("shell", choices=["bash", "zsh", "fish"])


def _doctor(args: argparse.Namespace) -> int:
    from engine.frontends.doctor import examine

    with open_library() as library:
        checks = examine(library)
    is_well = all(check.state != "bad" for check in checks)
    if args.json:
        listed = [{"name": c.name, "state": c.state, "found": c.found, "remedy": c.remedy or None} for c in checks]
        out_json(shapes.document(is_well=is_well, checks=listed))
    else:
        for check in checks:
            out(f"{check.state:5} {check.name:12} {render.one_line(check.found)}")
            if check.remedy:
                out(f"{'':18} -> {render.one_line(check.remedy)}")
    return 0 if is_well else 1


def _serve(args: argparse.Namespace) -> int:
    library = open_library()
    if isinstance(library, attach.RemoteLibrary):
        raise EngineError("Another Lamplight has this library open and answers already.", "Nothing needs to be done.")
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with library:
        if args.json:
            out_json(shapes.document(pid=os.getpid(), data=str(library.home.data)))
        else:
            out(f"Answering for {render.printable(str(library.home.data))}. Ctrl-C ends it.")
        sys.stdout.flush()
        while not stop.wait(3600):
            # A wait without limit cannot be interrupted on Windows.
            continue
    return 0


def _quick(args: argparse.Namespace) -> int:
    remote = attach.connect(find_home())
    if remote is None:
        raise EngineError("No Lamplight window is open.", "Start it: lamplight")
    text = " ".join(args.text)
    remote.show_quick_search(text)
    if args.json:
        out_json(shapes.document(shown=True, text=text))
    return 0


def _export(args: argparse.Namespace) -> int:
    path = None if args.file is None else named_file(args.file)
    with open_library() as library:
        document = library.export_decisions(args.name)
        sources = library.registered()
    if path is None:
        out_json(document)
        return 0
    # The bytes of a file name that are no text come out as JSON's own escapes, and come in as what they were.
    text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    write_files([(path, text.encode("utf-8", "backslashreplace"))], sources)
    if args.json:
        out_json(shapes.document(file=str(path)))
    else:
        out(f"Written to {render.printable(str(path))}.")
    return 0


def _import(args: argparse.Namespace) -> int:
    try:
        text = sys.stdin.read() if args.file == "-" else _read(Path(args.file).expanduser())
        document = json.loads(text)
    except FileNotFoundError as error:
        raise EngineError(f"There is no file '{args.file}'.", _MAKE_ONE) from error
    except OSError as error:
        raise from_system(error, args.file) from error
    except RecursionError as error:
        raise EngineError(f"'{args.file}' is nested too deeply to be exported decisions.", _MAKE_ONE) from error
    except ValueError as error:
        raise EngineError(f"'{args.file}' cannot be read: {error}.", _MAKE_ONE) from error
    if not isinstance(document, dict):
        raise EngineError(f"'{args.file}' holds no exported decisions.", _MAKE_ONE)
    with open_library() as library:
        count = library.import_decisions(args.name, document)
    if args.json:
        out_json(shapes.document(source=args.name, imported=count))
    else:
        out(f"Took over {count:,} decisions for {render.printable(args.name)}.")
    return 0


def _read(path: Path) -> str:
    if path.stat().st_size > _LARGEST_IMPORT:
        raise ValueError(f"it is larger than {_LARGEST_IMPORT:,} bytes")
    return path.read_text("utf-8")


def _ledger(args: argparse.Namespace) -> int:
    from engine.net.ledger import Ledger

    found = Ledger(find_home().ledger).recent(args.n)
    if args.json:
        out_json(shapes.document(connections=[shapes.connection(one) for one in found]))
        return 0
    for one in found:
        size = f"{render.size_words(one.sent)} out, {render.size_words(one.received)} in"
        out(render.printable(f"{shapes.moment(one.time)}  {one.service}  {one.host}  {one.outcome}  {size}  {one.why}"))
    if not found:
        out("Lamplight has made no connection yet.")
    return 0


def _completions(args: argparse.Namespace) -> int:
    from engine.frontends.cli import build_parser
    from engine.frontends.completions import script

    text = script(build_parser(), args.shell)
    if args.json:
        out_json(shapes.document(shell=args.shell, script=text))
    else:
        out(text)
    return 0
