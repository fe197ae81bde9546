#!/usr/bin/env python3
"""Builds the bundle that desktop clients of the Model Context Protocol install with one click.

    .venv/bin/python packaging/mcpb.py dist/lamplight lamplight.mcpb [--platform linux|darwin|win32]

The bundle is a ZIP of the packaged program and a manifest that says how to start it. The manifest is checked against
mcpb-manifest.schema.json, and the finished bundle is opened and checked once more before it is called done.
"""

from __future__ import annotations

import argparse
import json
import stat
import sys
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import jsonschema

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine import __version__
from engine.frontends.mcp_graph import GRAPH_TOOLS
from engine.frontends.mcp_reference import REFERENCE_TOOLS
from engine.frontends.mcp_tools import TOOLS

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = Path(__file__).with_name("mcpb-manifest.schema.json")
FOLDER = "server"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""Of every file in the bundle: the same program gives the same bytes."""


def manifest(platform: str) -> dict[str, Any]:
    """What the client reads; ``platform`` is where the packaged program runs."""
    program = f"{FOLDER}/lamplight" + (".exe" if platform == "win32" else "")
    return {
        "manifest_version": "0.3",
        "name": "lamplight",
        "display_name": "Lamplight",
        "version": __version__,
        "description": "Find anything you have written in Obsidian vaults and Roam graphs, by meaning and by word.",
        "long_description": (
            "Searches your own notes on your own machine, and says for each hit where it stands, how fresh it is and "
            "which ranking found it. Nothing leaves the machine. Register your vaults and graphs in the Lamplight "
            "window, or with `lamplight add`, first."
        ),
        "author": {"name": "The Lamplight authors"},
        "license": "MIT",
        "icon": "icon.png",
        "keywords": ["notes", "search", "obsidian", "roam", "local"],
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {"command": "${__dirname}/" + program, "args": ["mcp"], "env": {}},
        },
        "tools": [
            {"name": tool.name, "description": tool.description} for tool in (*TOOLS, *GRAPH_TOOLS, *REFERENCE_TOOLS)
        ],
        "tools_generated": False,
        "prompts_generated": True,
        "compatibility": {"platforms": [platform]},
    }


def validate(document: dict[str, Any]) -> None:
    """Raises ``jsonschema.ValidationError`` naming the field."""
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(document)


def build(program: Path, target: Path, platform: str) -> None:
    """Pack the folder of a packaged program. Raises ``SystemExit`` when it is not one."""
    document = manifest(platform)
    validate(document)
    entry = program / PurePosixPath(document["server"]["entry_point"]).name
    if not entry.is_file():
        raise SystemExit(f"{entry} is missing: package the program first.")
    arriving = target.with_name(target.name + ".part")
    with zipfile.ZipFile(arriving, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as bundle:
        _add(bundle, "manifest.json", json.dumps(document, indent=2).encode(), 0o644)
        _add(bundle, "icon.png", (ROOT / "resources" / "icons" / "lamplight-128.png").read_bytes(), 0o644)
        for file in sorted(path for path in program.rglob("*") if path.is_file()):
            mode = 0o755 if file == entry or file.stat().st_mode & stat.S_IXUSR else 0o644
            _add(bundle, f"{FOLDER}/{file.relative_to(program).as_posix()}", file.read_bytes(), mode)
    check(arriving)
    arriving.replace(target)


def _add(bundle: zipfile.ZipFile, name: str, data: bytes, mode: int) -> None:
    info = zipfile.ZipInfo(name, EPOCH)
    # The host system field says Unix: only then do unpackers look at the mode.
    info.create_system = 3
    info.external_attr = (stat.S_IFREG | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    bundle.writestr(info, data)


def check(path: Path) -> None:
    """Open a bundle as a client does. Raises ``SystemExit`` that says what is wrong with it."""
    with zipfile.ZipFile(path) as bundle:
        damaged = bundle.testzip()
        if damaged:
            raise SystemExit(f"{damaged} in {path.name} is damaged.")
        names = bundle.namelist()
        document = json.loads(bundle.read("manifest.json"))
        validate(document)
        for needed in (document["server"]["entry_point"], document["icon"]):
            if needed not in names:
                raise SystemExit(f"{path.name} lacks {needed}.")
        if any(name.startswith("/") or ".." in PurePosixPath(name).parts for name in names):
            raise SystemExit(f"{path.name} holds a path that leads out of it.")
        if not bundle.getinfo(document["server"]["entry_point"]).external_attr >> 16 & stat.S_IXUSR:
            raise SystemExit(f"The program in {path.name} cannot be run.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="folder that the packager made")
    parser.add_argument("target", type=Path, help="bundle to write")
    parser.add_argument("--platform", choices=["linux", "darwin", "win32"], default=sys.platform)
    args = parser.parse_args()
    build(args.program, args.target, args.platform)
    print(f"{args.target}: {args.target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
