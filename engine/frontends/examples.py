"""Examples for the help of each command. Apart from the commands so that they can be read and kept as one page."""

from __future__ import annotations

GENERAL = """examples:
  lamplight add ~/Notes                     register a vault, then index it
  lamplight index --all                     bring every source up to date
  lamplight search "why do I sleep badly"   find by meaning and by word
  lamplight search 'tag:garden -draft'      conditions; see README for all of them
  lamplight demo                            try it on the bundled notes

exit codes: 0 fine, 1 failed (one line on stderr says why), 2 wrong usage
"""

BY_COMMAND: dict[str, tuple[str, ...]] = {
    "add": (
        "lamplight add ~/Notes --exclude 'Archive/*'",
        "lamplight add ~/Downloads/graph.json --name Work",
        "lamplight add --graph my-graph",
    ),
    "sources": ("lamplight sources", "lamplight sources --discovered --json"),
    "index": ("lamplight index Notes", "lamplight index --all --require-open-window"),
    "search": (
        'lamplight search "what did we decide about the roof"',
        "lamplight search 'folder:projects modified:last-week budget' -k 5",
        "lamplight search bees --source Notes --explain",
        "lamplight search bees --json | jq -r '.rows[].title'",
    ),
    "status": ("lamplight status", "lamplight status Notes --problems"),
    "remove": ("lamplight remove Work",),
    "why": ("lamplight why 'Roof estimate' 'costs of the roof'",),
    "related": ("lamplight related 'Reading list'", "lamplight related Bees --source Notes --folder garden -k 5"),
    "duplicates": ("lamplight duplicates", "lamplight duplicates --source Notes -k 50 --json"),
    "mcp": (
        "lamplight mcp --install             show how to connect a client, and do it if you agree",
        "lamplight mcp                       what the client then runs",
        "lamplight mcp --http --port 7337    for clients that connect by HTTP",
    ),
    "token": ("lamplight token set my-graph", "lamplight token check my-graph"),
    "services": ("lamplight services", "lamplight services on roam-cloud"),
    "verify": ("lamplight verify Notes",),
    "measure": ("lamplight measure Notes",),
    "models": ("lamplight models", "lamplight models import my-model ~/models/my-model"),
    "doctor": ("lamplight doctor", "lamplight doctor --json"),
    "serve": ("lamplight serve    in a session of its own, or as a service of your desktop",),
    "quick": ("lamplight quick", "lamplight quick budget 2024"),
    "export": ("lamplight export Notes decisions.json", "lamplight export Notes > decisions.json"),
    "import": ("lamplight import Notes decisions.json",),
    "ledger": ("lamplight ledger -n 20",),
    "protect": ("lamplight protect", "lamplight protect passphrase"),
    "completions": (
        "lamplight completions bash >> ~/.bashrc",
        "lamplight completions zsh > ~/.zfunc/_lamplight",
        "lamplight completions fish > ~/.config/fish/completions/lamplight.fish",
    ),
    "updates": ("lamplight updates", "lamplight services on update-check"),
    "demo": ("lamplight demo",),
}


def epilog(command: str) -> str | None:
    """What help prints below the options."""
    lines = BY_COMMAND.get(command)
    return "examples:\n" + "\n".join(f"  {line}" for line in lines) if lines else None
