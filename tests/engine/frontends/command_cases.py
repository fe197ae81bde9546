"""Calls that between them make every command print its JSON document, in an order in which they can all succeed.

``{vault}``, ``{other}``, ``{folder}`` and ``{server}`` are filled in: the indexed vault, one that is not registered, a
folder to write to, and a made-up language model.
"""

from __future__ import annotations

CASES: tuple[tuple[str, str], ...] = (
    ("sources", "sources --discovered"),
    ("add", "add {other} --name Other --no-index"),
    ("index", "index --all"),
    ("index", "index Other --full"),
    ("search", "search lens horizon --explain"),
    ("search", "search lens -k 2 --mode word"),
    ("search", "search honey folder:deep"),
    ("search", "search hony hivs"),
    ("status", "status --problems"),
    ("status", "status Notes"),
    ("why", "why Bread lens horizon"),
    ("why", "why Nothing lens"),
    ("related", "related Lens --source Notes"),
    ("duplicates", "duplicates"),
    ("graph-parse", "graph parse"),
    ("graph-resolve", "graph resolve"),
    ("graph-assemble", "graph assemble"),
    ("graph-stats", "graph stats"),
    ("graph-pages", "graph pages"),
    ("graph-path", "graph path Bread Bees"),
    ("graph-near", "graph near Bees"),
    ("graph-timeline", "graph timeline Bees"),
    ("graph-communities", "graph communities"),
    ("graph-merges", "graph merges same Lens Lamp --why test"),
    ("graph-merges", "graph merges"),
    ("graph-export", "graph export {folder}/graph.json --form json"),
    ("graph-models", "graph models --server {server}"),
    ("graph-extract", "graph extract --server {server} --dry-run"),
    ("graph-extract", "graph extract --server {server}"),
    ("graph-ask", "graph ask 'What is Bees?'"),
    ("graph-eval", "graph eval"),
    ("verify", "verify Notes"),
    ("measure", "measure Notes"),
    ("models", "models"),
    ("services", "services"),
    ("doctor", "doctor"),
    ("quick", "quick two words"),
    ("export", "export Notes"),
    ("export", "export Notes {folder}/decisions.json"),
    ("import", "import Notes {folder}/decisions.json"),
    ("ledger", "ledger"),
    ("protect", "protect"),
    ("completions", "completions fish"),
    ("mcp", "mcp --install"),
    ("mcp", "mcp --install cursor"),
    ("remove", "remove Other"),
    ("add", "add {other}"),
    ("demo", "demo"),
)

WITHOUT = {
    "token": "needs the graph of another program",
    "connections": "needs the index of a plugin, made elsewhere",
    "serve": "runs until it is stopped",
    "updates": "needs the project's page, and is off until it is allowed",
}
"""Commands whose documents are looked at in tests of their own, and why."""
