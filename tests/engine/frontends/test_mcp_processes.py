"""The MCP server as its clients start it: a process on stdio, or on HTTP behind a token, with a host and without."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client, StdioServerParameters

from engine.frontends.host import HostedLibrary
from engine.frontends.mcp_server import http_token, token_file
from engine.paths import Home

from .conftest import GatedEmbedder, write_vault

CHECKOUT = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, "-m", "gui", "mcp"]
SECONDS = 60


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(CHECKOUT)}


def server() -> StdioServerParameters:
    return StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=environment(), cwd=CHECKOUT)


def run(main: Any) -> None:
    async def bounded() -> None:
        with anyio.fail_after(SECONDS):
            await main()

    anyio.run(bounded)


async def tool(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


def test_over_stdio_with_a_host_then_without(
    hosted: HostedLibrary, home: Home, vault: Path, embedder: GatedEmbedder
) -> None:
    """One process: it attaches, passes progress on, cancels a run of the host, and goes on when the host has ended."""

    async def main() -> None:
        async with Client(server()) as client:
            assert (await tool(client, "search", query="lime honey"))["rows"][0]["title"] == "Bees"
            await cancel_a_run(client)
            stages: list[str] = []

            async def progress(done: float, total: float | None, message: str | None) -> None:
                stages.append(message or "")
                embedder.gate.set()

            embedder.gate.clear()
            result = await client.call_tool("refresh", {"full": True}, progress_callback=progress)
            assert result.structured_content["outcome"] == "complete"
            assert stages, "progress of the host's run came through"
            await anyio.to_thread.run_sync(hosted.close)
            assert [one["source"] for one in (await tool(client, "list_sources"))["sources"]] == ["Notes"]

    async def cancel_a_run(client: Client) -> None:
        embedder.gate.clear()
        embedder.waiting.clear()
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:

                async def refresh() -> None:
                    await client.call_tool("refresh", {"full": True})

                group.start_soon(refresh)
                await anyio.to_thread.run_sync(lambda: embedder.waiting.wait(SECONDS))
                scope.cancel()
        # The word to stop travels through two processes; the run waits at the gate until it has arrived.
        while not all(job.is_cancelled for job in hosted._host.jobs()):
            await anyio.sleep(0.01)
        embedder.gate.set()
        while hosted._host.jobs():
            await anyio.sleep(0.01)
        assert hosted.status("Notes").state == "partial", "the host's run was cancelled"

    run(main)


def test_over_stdio_alone(home: Home, tmp_path: Path) -> None:
    """Nobody hosts: the server opens the library with the built-in model, and hosts it for a command meanwhile."""
    from engine.library import Library

    vault = write_vault(tmp_path / "Notes", {"Bees.md": "Forty jars of lime honey.\n", "Bread.md": "Rye and water.\n"})
    with Library.open(home) as library:
        library.add(str(vault))

    async def main() -> None:
        async with Client(server()) as client:
            assert (await tool(client, "refresh"))["added"] == 2
            assert (await tool(client, "search", query="what did the hives give?"))["rows"][0]["title"] == "Bees"
            command = [*COMMAND[:-1], "search", "--json", "honey"]
            answer = await anyio.run_process(command, env=environment(), cwd=CHECKOUT)
            assert json.loads(answer.stdout)["rows"][0]["title"] == "Bees"

    run(main)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"this is not JSON\n\xff\xfe\x00binary\n" * 3 + b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"na',
        b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 500_000 + b'"}\n' + b"[" * 20_000 + b"\n",
    ],
    ids=["nothing", "rubbish and half a message", "huge and deep"],
)
def test_the_server_ends_when_its_input_ends_whatever_came(sent: bytes, home: Home) -> None:
    ended = subprocess.run(
        COMMAND, input=sent, capture_output=True, timeout=SECONDS, env=environment(), cwd=CHECKOUT, check=False
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    for line in ended.stdout.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0", "stdout holds the protocol alone"


def test_after_rubbish_the_next_request_is_answered(home: Home) -> None:
    initialize = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "old client", "version": "1"},
        },
    }
    sent = b"rubbish\n\xff\xff\n" + json.dumps(initialize).encode() + b"\n"
    ended = subprocess.run(
        COMMAND, input=sent, capture_output=True, timeout=SECONDS, env=environment(), cwd=CHECKOUT, check=True
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    welcome = next(answer for answer in answers if answer.get("id") == 1)
    assert welcome["result"]["serverInfo"]["name"] == "lamplight"
    assert welcome["result"]["protocolVersion"] == "2025-06-18"


# --- HTTP


@contextmanager
def http_server() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """(process, address) of a server on a free port; its stdin stays open."""
    process = subprocess.Popen(
        [*COMMAND, "--http", "--port", "0"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=CHECKOUT,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    try:
        yield process, process.stderr.readline().split()[0]
    finally:
        process.stdin.close()
        process.wait(SECONDS)
        process.stderr.close()


@asynccontextmanager
async def http_client(address: str, token: str):
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, trust_env=False) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        yield client


def test_over_http_only_for_who_holds_the_token_and_comes_from_here(hosted: HostedLibrary, home: Home) -> None:
    with http_server() as (process, address):
        token = http_token(home)
        assert address.startswith("http://127.0.0.1:")
        assert token_file(home).stat().st_mode & 0o777 == 0o600 or os.name == "nt"

        async def main() -> None:
            async with http_client(address, token) as client:
                assert (await tool(client, "search", query="lime honey"))["rows"][0]["title"] == "Bees"

        run(main)
        right = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        port = address.rpartition(":")[2].partition("/")[0]
        cases = [
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({"Authorization": token}, 401),
            ({**right, "Origin": "https://example.org"}, 403),
            ({**right, "Origin": f"http://127.0.0.1.example.org:{port}"}, 403),
            ({**right, "Host": "example.org"}, 421),
            ({**right, "Host": f"127.0.0.1.example.org:{port}"}, 421),
        ]
        with httpx.Client(trust_env=False) as client:
            for headers, status in cases:
                assert client.post(address, json=body, headers=headers).status_code == status, headers
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(SECONDS) == 0, "ends with the program that started it"


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_a_server_that_is_interrupted_lets_go_of_the_library(home: Home) -> None:
    from .conftest import take_lock

    with http_server() as (process, _):
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)
    take_lock(home).release()
