"""A small HTTP server on a free loopback port, in threads, for the fakes beside this file."""

from __future__ import annotations

import json
import ssl
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict[str, object]:
        return json.loads(self.body or b"{}")


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are part of the tests."""


class Loopback:
    """Answers with ``answer(seen)``: (status, headers, body), or ``None`` to never answer.

    ``requests`` holds what arrived. ``halve`` sends half of the promised body and hangs up; ``drip`` sends one byte
    at a time until the client leaves.
    """

    def __init__(self) -> None:
        self.requests: list[Seen] = []
        self.halve = False
        self.drip = False
        self.arrived = threading.Event()
        self.closing = threading.Event()
        self._server = Server(("127.0.0.1", 0), self._handler())
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def answer(self, seen: Seen) -> tuple[int, dict[str, str], bytes] | None:
        raise NotImplementedError

    def secure(self, context: ssl.SSLContext) -> None:
        """Speak TLS from the start."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:
                """Nothing to the terminal."""

            def do_GET(self) -> None:
                self._serve()

            def do_POST(self) -> None:
                self._serve()

            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                seen = Seen(self.command, self.path, headers, body)
                fake.requests.append(seen)
                fake.arrived.set()
                answer = fake.answer(seen)
                if answer is None:
                    fake.closing.wait(60)
                    return
                self._send(*answer)

            def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
                self.send_response(status)
                for name, value in {"content-type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                if fake.drip:
                    for byte in body:
                        if fake.closing.wait(0.02):
                            return
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                else:
                    self.wfile.write(body[: len(body) // 2] if fake.halve else body)

        return Handler


class Scripted(Loopback):
    """Gives the prepared answers in turn, the last one for ever."""

    def __init__(self, *answers: tuple[int, dict[str, str], bytes] | None) -> None:
        super().__init__()
        self.answers = list(answers)

    def answer(self, seen: Seen) -> tuple[int, dict[str, str], bytes] | None:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
