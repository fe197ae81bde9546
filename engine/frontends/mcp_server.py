"""The MCP server: the tools of ``mcp_tools`` over stdio, or over HTTP on this machine for who holds the token.

Owns the protocol's side: schemas, annotations, resources, prompts, progress, cancellation, and who may connect. Never
writes anything but the protocol to stdout.
"""

from __future__ import annotations

import hmac
import logging
import os
import secrets
import stat
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError

from engine import __version__
from engine.errors import BadRequest, Cancelled, EngineError, in_words
from engine.files import read_ordinary
from engine.frontends import mcp_tools
from engine.frontends.mcp_desk import Desk, Tool, fenced, parse_link
from engine.frontends.mcp_graph import GRAPH_TOOLS
from engine.frontends.mcp_reference import REFERENCE_TOOLS
from engine.frontends.mcp_shapes import UNTRUSTED, output_schema, schema
from engine.job import Job
from engine.paths import Home, write_atomically

INSTRUCTIONS = f"""Searches the person's own notes (Obsidian vaults, Roam graphs) on this machine.
Call list_sources first, and name the source in every call when there are several. Rows carry the note and the place in
it: cite them. Look at 'legs' and 'sources' before saying that something is not in the notes: a ranking may have failed,
an index may be old; why_not_found explains a miss. {UNTRUSTED}"""
PROGRESS_SECONDS = 0.2

_log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]


def run_stdio(home: Home, tokens: int) -> None:
    """Serve the program that started us until it closes our stdin."""
    _log_to_stderr()
    desk = Desk(home, tokens)
    try:
        anyio.run(_serve_stdio, build(desk))
    finally:
        desk.close()


async def _serve_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _log_to_stderr() -> None:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="lamplight mcp: %(message)s", force=True)


# --- the server --------------------------------------------------------------------------------------------------


def build(desk: Desk) -> Server[Any]:
    tools = {tool.name: tool for tool in (*mcp_tools.TOOLS, *GRAPH_TOOLS, *REFERENCE_TOOLS)}
    listed = types.ListToolsResult(tools=[_declare(tool) for tool in tools.values()])

    async def list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listed

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"There is no tool '{params.name}'.")
        job = Job()
        return await _in_thread(partial(_run, tool, desk, params.arguments or {}, job), job, ctx)

    async def list_resources(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        statuses = await anyio.to_thread.run_sync(lambda: desk.library.sources())
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=f"lamplight://source/{one.source.id}",
                    name=one.source.name,
                    description=f"State of this source ({one.source.kind.value})",
                    mime_type="application/json",
                )
                for one in statuses
            ]
        )

    async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            kind, text = await anyio.to_thread.run_sync(_read_resource, desk, uri)
        except EngineError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"uri": uri}) from error
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)])

    return Server(
        "lamplight",
        title="Lamplight",
        version=__version__,
        instructions=INSTRUCTIONS,
        get_tool_input_schema=lambda name: schema(tools[name].takes) if name in tools else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=read_resource,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
    )


def _declare(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema(tool.takes),
        output_schema=tool.gives if isinstance(tool.gives, dict) else output_schema(tool.gives),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.is_read_only,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=tool.is_open_world,
        ),
    )


def _run(tool: Tool, desk: Desk, arguments: dict[str, Any], job: Job) -> types.CallToolResult:
    """One call, on a worker thread. What goes wrong is told to the model, which can do something about it."""
    try:
        answer = tool.run(desk, _understood(tool, arguments), job)
    except EngineError as error:
        return _failed(str(error))
    except Cancelled:
        return _failed("Cancelled.")
    except (OSError, MemoryError) as error:
        return _failed(str(in_words(error)))
    except Exception as error:  # noqa: BLE001 - logged and told; one bad call must not end the server
        _log.exception("%s failed", tool.name)
        return _failed(f"Something went wrong in Lamplight ({type(error).__name__}).")
    value = msgspec.to_builtins(answer.value)
    return types.CallToolResult(content=[types.TextContent(type="text", text=answer.text)], structured_content=value)


def _understood(tool: Tool, arguments: dict[str, Any]) -> Any:
    try:
        # Models often write numbers as text; those are taken, nothing else is guessed.
        return msgspec.convert(arguments, tool.takes, strict=False)
    except msgspec.ValidationError as error:
        names = ", ".join(f.encode_name for f in msgspec.structs.fields(tool.takes))
        reason = str(error).replace("`$.", "`").replace(" - at `$`", "")
        raise BadRequest(f"{tool.name}: {reason}.", f"It takes: {names or 'nothing'}.") from error


def _failed(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


async def _in_thread(work: Callable[[], types.CallToolResult], job: Job, ctx: Context) -> types.CallToolResult:
    """Run blocking work, passing its progress on; when the client cancels, the job is cancelled and left to end."""
    async with anyio.create_task_group() as group:
        group.start_soon(_report_progress, job, ctx)
        try:
            result = await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
        except BaseException:
            job.cancel()
            raise
        group.cancel_scope.cancel()
    return result


async def _report_progress(job: Job, ctx: Context) -> None:
    shown = job.snapshot()
    while True:
        await anyio.sleep(PROGRESS_SECONDS)
        now = job.snapshot()
        if now != shown:
            shown = now
            await ctx.session.report_progress(now.done, now.total or None, f"{now.stage} {now.detail}".strip())


# --- resources and prompts ---------------------------------------------------------------------------------------


def _read_resource(desk: Desk, uri: str) -> tuple[str, str]:
    """(media type, text) of ``lamplight://note/SOURCE/KEY`` or ``lamplight://source/SOURCE``."""
    if uri.startswith("lamplight://source/"):
        shape = mcp_tools.status_shape(desk.library.status(uri.removeprefix("lamplight://source/")))
        return "application/json", msgspec.json.encode(shape).decode()
    source, key = parse_link(uri)
    output = mcp_tools.note_output(desk.library.note(source, key), 0, 400_000, 2 * desk.budget)
    rest = f"\n\n(The note goes on: get_note with offset={output.next_offset}.)" if output.truncated else ""
    return "text/markdown", fenced(output.text) + rest


async def _list_templates(
    ctx: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(
                uri_template="lamplight://note/{source}/{+key}",
                name="note",
                title="A note",
                description="Text of one note; the links in search rows are of this form.",
                mime_type="text/markdown",
            )
        ]
    )


_PROMPTS: dict[str, tuple[str, tuple[tuple[str, str, bool], ...], str]] = {
    "answer_from_notes": (
        "Answer a question from the notes, citing each passage",
        (("question", "What to answer", True), ("source", "Name of the source", False)),
        "Answer this from my notes{of}: {question}\n\nSearch with the tool 'search', more than once and in other words "
        "when the first rows do not answer it. Use only what the notes say, cite note and lines or block for each "
        "claim, and say so plainly when the notes do not answer it.",
    ),
    "find_missing_note": (
        "Find out why a search does not bring up a note",
        (("note", "Title or path of the note", True), ("query", "What was searched for", True)),
        "My note '{note}' does not come up when I search for: {query}\n\nCall 'why_not_found' and tell me in plain "
        "words what stands in the way and what I can do about it.",
    ),
}


async def _list_prompts(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                description=description,
                arguments=[
                    types.PromptArgument(name=argument, description=text, required=is_required)
                    for argument, text, is_required in arguments
                ],
            )
            for name, (description, arguments, _) in _PROMPTS.items()
        ]
    )


async def _get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    if params.name not in _PROMPTS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"There is no prompt '{params.name}'.")
    description, arguments, text = _PROMPTS[params.name]
    given = params.arguments or {}
    missing = [name for name, _, is_required in arguments if is_required and not given.get(name)]
    if missing:
        raise MCPError(code=types.INVALID_PARAMS, message=f"{params.name} needs: {', '.join(missing)}.")
    values = {name: given.get(name, "") for name, _, _ in arguments}
    values["of"] = f" in the source '{given['source']}'" if given.get("source") else ""
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text.format(**values)))
    return types.GetPromptResult(description=description, messages=[message])


# --- HTTP on this machine ----------------------------------------------------------------------------------------


def run_http(home: Home, tokens: int, port: int, say: Callable[[str], None]) -> None:
    """Serve on 127.0.0.1 until stopped. Whoever connects must send the token of ``token_file`` as a bearer token."""
    import socket

    import uvicorn

    _log_to_stderr()
    desk = Desk(home, tokens)
    token = http_token(home)
    with socket.create_server(("127.0.0.1", port)) as listener:
        bound = listener.getsockname()[1]
        server = uvicorn.Server(
            uvicorn.Config(http_app(build(desk), token, bound), log_level="warning", timeout_graceful_shutdown=2)
        )
        say(f"http://127.0.0.1:{bound}/mcp with the bearer token in {token_file(home)}")
        if stat.S_ISFIFO(os.fstat(0).st_mode):
            # Started by another program: end with it, never stay behind.
            threading.Thread(target=_stop_at_end_of_input, args=(server,), daemon=True).start()
        try:
            server.run(sockets=[listener])
        finally:
            desk.close()


def _stop_at_end_of_input(server: Any) -> None:
    while os.read(0, 65536):
        pass
    server.should_exit = True


def token_file(home: Home) -> Path:
    return home.config / "mcp-token"


def http_token(home: Home) -> str:
    """The token, made once and kept in a file of the owner alone."""
    path = token_file(home)
    try:
        token = read_ordinary(path).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        token = ""
    if len(token) < 32:
        token = secrets.token_urlsafe(32)
        write_atomically(path, token.encode())
    return token


Scope = dict[str, Any]
AsgiApp = Callable[[Scope, Callable[..., Awaitable[Any]], Callable[..., Awaitable[Any]]], Awaitable[None]]


def http_app(server: Server[Any], token: str, port: int) -> AsgiApp:
    """The server behind three doors: this machine's names as Host, no foreign Origin, and the token."""
    names = ("127.0.0.1", "localhost", "[::1]")
    inner: Any = server.streamable_http_app(
        transport_security=TransportSecuritySettings(
            allowed_hosts=[f"{name}:{port}" for name in names],
            allowed_origins=[f"http://{name}:{port}" for name in names],
        )
    )
    expected = f"Bearer {token}".encode()

    async def app(scope: Scope, receive: Callable[..., Awaitable[Any]], send: Callable[..., Awaitable[Any]]) -> None:
        if scope["type"] == "http" and not hmac.compare_digest(_header(scope["headers"], b"authorization"), expected):
            await send({"type": "http.response.start", "status": 401, "headers": [(b"www-authenticate", b"Bearer")]})
            await send({"type": "http.response.body", "body": b"A bearer token is needed."})
            return
        await inner(scope, receive, send)

    return app


def _header(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> bytes:
    return next((value for key, value in headers if key.lower() == name), b"")
