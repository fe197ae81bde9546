"""``lamplight mcp --install``: the lines that tell a client of the Model Context Protocol to start Lamplight.

Shows them, and writes them into the client's own file only after a yes. A file that is not understood is left alone,
and what it held is kept beside it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import UserError

NAME = "lamplight"


@dataclass(frozen=True, slots=True)
class ClientFile:
    """Where a client keeps its servers, under ``mcpServers``."""

    client: str
    path: Path


def clients(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> dict[str, ClientFile]:
    """The clients whose files are known, by the name that ``--install`` takes."""
    home = Path.home()
    if platform == "darwin":
        base = home / "Library" / "Application Support"
    elif platform == "win32":
        base = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        base = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    files = (
        ClientFile("claude-desktop", base / "Claude" / "claude_desktop_config.json"),
        ClientFile("claude-code", home / ".claude.json"),
        ClientFile("cursor", home / ".cursor" / "mcp.json"),
        ClientFile("windsurf", home / ".codeium" / "windsurf" / "mcp_config.json"),
    )
    return {file.client: file for file in files}


def entry(environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """How a client starts this very program."""
    command, *words = program()
    found: dict[str, Any] = {"command": command, "args": [*words, "mcp"]}
    if environment.get("LAMPLIGHT_HOME"):
        found["env"] = {"LAMPLIGHT_HOME": environment["LAMPLIGHT_HOME"]}
    return found


def program() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable]
    beside = shutil.which("lamplight", path=str(Path(sys.executable).parent)) or shutil.which("lamplight")
    # No module of the folder that the client happens to start it in.
    return [beside] if beside else [sys.executable, "-P", "-m", "gui"]


def lines(value: Mapping[str, Any]) -> str:
    return json.dumps({"mcpServers": {NAME: value}}, indent=2, ensure_ascii=False)


def write(file: ClientFile, value: Mapping[str, Any]) -> Path | None:
    """Add or replace Lamplight's entry and nothing else. Returns where the file as it was is kept, if there was one.

    Raises ``UserError`` when the file holds something other than the client would have written.
    """
    try:
        before = file.path.read_text("utf-8")
    except FileNotFoundError:
        before = ""
    document = _document(before, file.path) if before.strip() else {}
    document.setdefault("mcpServers", {})[NAME] = dict(value)
    kept = None
    if before:
        kept = file.path.with_name(f"{file.path.name}.before-{NAME}")
        kept.write_text(before, "utf-8")
    file.path.parent.mkdir(parents=True, exist_ok=True)
    arriving = file.path.with_name(f"{file.path.name}.arriving")
    arriving.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if before:
        shutil.copymode(file.path, arriving)
    arriving.replace(file.path)
    return kept


def _document(text: str, path: Path) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is not valid JSON ({error}).", "Put it right, or add the lines by hand.") from error
    if not isinstance(found, dict) or not isinstance(found.get("mcpServers", {}), dict):
        raise UserError(f"{path} does not look like the file of this client.", "Add the lines by hand.")
    return found
