"""Uses the whole product once, as its own processes, with a made-up language model on loopback.

    python tests/journeys/whole_product.py VAULT

For ``test_nothing_leaves``, which runs it in a network of its own: the model must stand in the same one. Prints one
JSON line that says what was used. A program that fails, or that does not do what it is there for, ends it with words.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT))

from engine.frontends import protocol  # noqa: E402 - the checkout is found first
from engine.paths import find_home  # noqa: E402 - the checkout is found first
from engine.prompts import query, resolve  # noqa: E402 - the checkout is found first
from tests.servers.chat import FakeChat  # noqa: E402 - the checkout is found first

NOTES = {
    "Vera Holt.md": "# Ways out\nVera Holt oils the brass bell every Friday. See [[Rope]].\n"
    "![](https://tracker.example/pixel.png) <img src='http://192.0.2.7/x.png'> and https://example.org/page\n",
    "Rope.md": "V. Holt spliced the long rope for the iron bell.\n"
    "file://server.example/share, obsidian://open?vault=x\n",
    "Lens.md": "---\nurl: https://cdn.example/x.js\n---\nThe lens is ground in [[Vera Holt]]'s shed.\n",
}
FACT = {
    "subject": "V. Holt", "subject_type": "person", "predicate": "spliced", "object": "long rope",
    "object_type": "tool", "quote": "V. Holt spliced the long rope", "confidence": 0.9,
}  # fmt: skip


def model(system: str, user: str) -> str:
    if system == query.SYSTEM:
        return "Vera Holt oils it. [1]" if "[1]" in user else "INSUFFICIENT: everything"
    if system == resolve.SYSTEM:
        return json.dumps({"groups": [["Vera Holt", "V. Holt"]]})
    return json.dumps({"facts": [FACT]})


def tool(name: str, **arguments: object) -> tuple[str, dict[str, object]]:
    return name, arguments


TOOLS = (
    tool("list_sources"),
    tool("search", query="who looks after the bell", explain=True),
    tool("related", note="Rope", source="vault"),
    tool("get_note", note="Rope", source="vault"),
    tool("status", source="vault"),
    tool("refresh", source="vault"),
    tool("why_not_found", note="Lens", query="bell"),
    tool("graph_query", question="Who oils the brass bell?"),
    tool("graph_path", start="Vera Holt", end="long rope"),
    tool("semantic_search", graph="vault", query="metal that rings"),
    tool("index_stats", graph="vault"),
)


def lamplight(*words: str, fails: str = "") -> str:
    """What a command prints. With ``fails`` it has to fail, with these words."""
    done = subprocess.run(
        [sys.executable, "-m", "gui", *words], cwd=CHECKOUT, capture_output=True, text=True, timeout=120
    )
    if (done.returncode == 1 and fails in done.stderr) if fails else done.returncode == 0:
        return done.stdout
    sys.exit(f"lamplight {' '.join(words)}: {done.returncode}\n{done.stdout}\n{done.stderr}")


@contextlib.contextmanager
def window(*words: str) -> Iterator[None]:
    """The window, hosting the library for the commands that follow."""
    shown = subprocess.Popen([sys.executable, "-m", "gui", *words], cwd=CHECKOUT, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while protocol.read_address(find_home()) is None:
            if shown.poll() is not None or time.monotonic() > deadline:
                sys.exit("the window went away, or never opened the library")
            time.sleep(0.05)
        yield
        shown.send_signal(signal.SIGTERM)
        shown.wait(30)
    finally:
        shown.kill()
        shown.wait(30)


def tools() -> int:
    """Every tool that language models are given, called over stdio. Returns how many answered."""
    client = subprocess.Popen(
        [sys.executable, "-m", "gui", "mcp"], cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert client.stdin is not None
    assert client.stdout is not None

    def send(**message: object) -> None:
        client.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")  # type: ignore[union-attr]
        client.stdin.flush()  # type: ignore[union-attr]

    def ask(number: int, method: str, params: object) -> None:
        send(id=number, method=method, params=params)
        answer = json.loads(client.stdout.readline())  # type: ignore[union-attr]
        if answer.get("id") != number or "error" in answer or answer["result"].get("isError"):
            sys.exit(f"mcp: {params}\n{answer}")

    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    ask(1, "initialize", start)
    send(method="notifications/initialized")
    for number, (name, arguments) in enumerate(TOOLS, 2):
        ask(number, "tools/call", {"name": name, "arguments": arguments})
    client.stdin.close()
    client.wait(30)
    client.stdout.close()
    return len(TOOLS)


def use(vault: Path, server: FakeChat) -> dict[str, object]:
    commands = 0

    def run(*words: str, finds: str = "", fails: str = "") -> None:
        nonlocal commands
        commands += 1
        said = lamplight(*words, fails=fails)
        if finds not in said:
            sys.exit(f"lamplight {' '.join(words)} did not say {finds!r}:\n{said}")

    model_there = ("--server", server.base_url, "--model", "tiny")
    run("add", str(vault), "--name", "vault")
    run("updates", fails="update-check")
    with window("lamplight://search?q=bell"):
        run("search", "metal that rings", "--mode", "meaning", "--explain", finds="bell")
        run("search", "bell", "--mode", "word", finds="bell")
        run("index", "vault", "--full")
        run("related", "Rope")
        run("duplicates")
        run("why", "Lens", "bell")
        run("verify", "vault")
        run("graph", "parse")
        run("graph", "models", "--server", server.base_url, finds="tiny")
        run("graph", "extract", *model_there, "--dry-run")
        run("graph", "extract", *model_there, finds="1")
        run("graph", "resolve", *model_there)
        run("graph", "assemble")
        run("graph", "ask", "Who oils the brass bell?", *model_there, finds="Vera Holt oils it")
        run("graph", "ask", "Who oils the brass bell?", finds="brass bell")
        run("graph", "path", "V. Holt", "long rope", finds="spliced")
        for words in ("near Rope", "timeline Rope", "communities", "stats", "pages", "merges", "eval"):
            run("graph", *words.split())
        for words in ("status", "sources --discovered", "doctor", "models", "services", "ledger", "protect"):
            run(*words.split())
        # What the window shows of it: the note, the thing in the graph, the way between two.
        for link in ("search?q=rope", "entity?name=Rope", "path?from=Vera%20Holt&to=Rope"):
            run(f"lamplight://{link}")
        run("quick", "bell")
        answered = tools()
        time.sleep(1)  # The window draws what it was asked for last.
    return {"commands": commands, "tools": answered, "model_calls": len(server.bodies()), "window": True}


def main() -> int:
    vault = Path(sys.argv[1])
    vault.mkdir()
    for name, text in NOTES.items():
        (vault / name).write_text(text, "utf-8")
    with FakeChat(model) as server:
        print(json.dumps(use(vault, server) | {"server": server.base_url}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
