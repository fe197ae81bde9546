"""The command line: which commands there are, and how one is called and ends. What each does is in ``*_cli.py``.

Exit codes: 0 fine, 1 failed (one line on stderr says why), 2 usage. With ``--json`` stdout carries one JSON document
(``frontends/shapes.py``); progress and notices always go to stderr.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from engine import __version__
from engine.errors import BadRequest, Cancelled, EngineError, in_words
from engine.frontends import examples
from engine.frontends.terminal import Add, Run, out, print_error, say

COMMANDS = {
    "add": ("sources", "register a vault or an export and index it"),
    "sources": ("sources", "list the registered sources"),
    "index": ("sources", "bring the index up to date"),
    "search": ("search", "search by meaning and by word"),
    "status": ("sources", "what is indexed, skipped, stale"),
    "remove": ("sources", "forget a source and delete its index (never the notes)"),
    "mcp": ("mcp", "answer language models over the Model Context Protocol (stdio)"),
    "why": ("notes", "say why a note is found, or not, for a query"),
    "related": ("notes", "list the notes nearest in meaning to a note"),
    "duplicates": ("notes", "list pairs of notes that may say the same, the likeliest first"),
    "token": ("roam", "the token with which a Roam graph is read"),
    "services": ("roam", "network services: what each would send where, and its switch"),
    "verify": ("smart", "check that stored vectors are what their model makes"),
    "measure": ("smart", "measure coverage, finding text deep in notes, and speed"),
    "connections": ("smart", "search on the vectors that the Smart Connections plugin has made"),
    "models": ("smart", "list, import, download and remove embedding models"),
    "graph": ("graph", "how the things in your notes are connected, each claim with its block"),
    "doctor": ("keeper", "check environment, keychain, models and indexes, and say what to do"),
    "serve": ("keeper", "keep the library open without a window and answer other commands until stopped"),
    "quick": ("keeper", "bring up quick search in the open window (bind it to a key of your desktop)"),
    "export": ("keeper", "write what you decided about a source: pins, hides, judgements, saved searches"),
    "import": ("keeper", "take over decisions that were exported"),
    "ledger": ("keeper", "list the connections that Lamplight made, newest first"),
    "completions": ("keeper", "print a completion script for your shell"),
    "protect": ("trust", "show or change how the index files are protected"),
    "updates": ("updates", "ask for the newest version, when the service update-check is on"),
    "demo": ("sources", "search the bundled notes for things their words do not say"),
}
"""Name -> its module (``*_cli``) and what help says of it. Here, so that only the module of the command that is called
is loaded."""


def main(argv: Sequence[str] | None = None) -> int:
    _prepare_output()
    words = sys.argv[1:] if argv is None else argv
    named = next((word for word in words if not word.startswith("-")), "")
    args = build_parser(named).parse_args(words)
    try:
        return int(args.run(args))
    except EngineError as error:
        print_error(error, as_json=getattr(args, "json", False))
        return 2 if isinstance(error, BadRequest) else 1
    except Cancelled:
        say("Stopped; what was done is kept.")
        return 1
    except BrokenPipeError:
        # The reader of our output went away (`| head`): not a failure worth a word.
        sys.stderr.close()
        return 0
    except (OSError, MemoryError) as error:
        print_error(in_words(error), as_json=getattr(args, "json", False))
        return 1


def _prepare_output() -> None:
    """Notes hold every script: never fail on one. What is no text at all is escaped as JSON escapes it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            is_shown = stream.isatty()
            stream.reconfigure(encoding=None if is_shown else "utf-8", errors="backslashreplace")


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """The whole parser, or one that knows ``command`` and its neighbours alone; of a word that is no command, the names
    of all, without their arguments."""
    parser = argparse.ArgumentParser(
        prog="lamplight",
        description="Find anything you have written in Obsidian vaults and Roam graphs, by meaning and by word.",
        epilog=examples.GENERAL,
        formatter_class=_layout,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    # With its name given, nothing of how help is laid out is loaded.
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, prog="lamplight")
    parsers = {
        name: commands.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog=examples.epilog(name),
            formatter_class=_layout,
        )
        for name, (module, text) in COMMANDS.items()
        if command not in COMMANDS or module == COMMANDS[command][0]
    }

    def add(name: str, run: Run | None, /) -> argparse.ArgumentParser:
        if run is not None:
            parsers[name].add_argument("--json", action="store_true", help="print one JSON document on stdout")
            parsers[name].set_defaults(run=run)
        return parsers[name]

    for module in dict.fromkeys(module for name, (module, _) in COMMANDS.items() if command in (None, name)):
        _declare(module, add)
    return parser


def _layout(prog: str) -> argparse.HelpFormatter:
    """Asked for with every argument, to check it. Not told the width, it would load ``shutil`` and with that all that
    compresses, 5 ms."""
    return argparse.RawDescriptionHelpFormatter(prog, width=_columns() - 2)


def _columns() -> int:
    """Of the terminal, by the rules of ``shutil.get_terminal_size``."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size().columns or 80
    except OSError:
        return 80


def _declare(module: str, add: Add) -> None:
    """Written out, because what packs the program looks for imports."""
    match module:
        case "sources":
            from engine.frontends.sources_cli import add_commands
        case "search":
            from engine.frontends.search_cli import add_commands
        case "mcp":
            from engine.frontends.mcp_cli import add_commands
        case "notes":
            from engine.frontends.notes_cli import add_commands
        case "roam":
            from engine.frontends.roam_cli import add_commands
        case "smart":
            from engine.frontends.smart_cli import add_commands
        case "graph":
            from engine.frontends.graph_cli import add_commands
        case "keeper":
            from engine.frontends.keeper_cli import add_commands
        case "trust":
            from engine.frontends.trust_cli import add_commands
        case "updates":
            from engine.frontends.updates_cli import add_commands
    add_commands(add)


class _Version(argparse.Action):
    """Looks for the build only when asked."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        import resources

        build = f" (build {resources.build()})" if resources.build() else ""
        out(f"lamplight {__version__}{build}")
        parser.exit()
