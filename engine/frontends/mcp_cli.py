"""The command ``mcp``: serve language models, or connect a client that asks for them."""

from __future__ import annotations

import argparse

from engine.errors import BadRequest
from engine.frontends import shapes
from engine.frontends.terminal import Add, is_agreed, out, out_json, say


def add_commands(add: Add) -> None:
    mcp = add("mcp", _mcp)
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
