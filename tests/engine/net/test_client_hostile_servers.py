"""Whatever a server sends, the client answers with a reply or with one of its own errors."""

from __future__ import annotations

import contextlib
import dataclasses
import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.net.client import Client, NetError, Reply, Request
from engine.net.policy import Policy

READ = Request("", "read a graph", read_timeout=2.0, deadline=5.0, max_bytes=1 << 16)


class Babbler:
    """Sends the same bytes to whoever connects, then hangs up."""

    def __init__(self) -> None:
        self.says = b""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection:
                if not connection.recv(65536):
                    return
                with contextlib.suppress(OSError):  # the client may have hung up already
                    connection.sendall(self.says)

    def close(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port)):
            pass
        self._thread.join()
        self._listener.close()


@pytest.fixture(scope="module")
def babbler() -> Iterator[Babbler]:
    server = Babbler()
    yield server
    server.close()


HEADERS = st.sampled_from(
    [
        b"Content-Length: 5",
        b"Content-Length: -1",
        b"Content-Length: 99999999999999999999",
        b"Content-Length: 5\r\nContent-Length: 6",
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: gzip, chunked",
        b"Content-Encoding: gzip",
        b"Content-Encoding: deflate",
        b"Content-Encoding: br",
        b"Content-Encoding: unheard-of",
        b"Location: http://[::1",
        b"Location: \xff\xfe",
        b"Content-Type: text/html; charset=\xff",
        b"X: " + b"y" * 70_000,
        b"no colon",
        b"",
    ]
)
STATUS = st.sampled_from(
    [b"HTTP/1.1 200 OK", b"HTTP/1.1 308 Moved", b"HTTP/1.1 100 Continue", b"HTTP/1.1 101 Switch", b"HTTP/1.1 204 No",
     b"HTTP/1.1 999 ?", b"HTTP/1.1 -1 ?", b"HTTP/2 200", b"HTTP/1.1 200 \xff", b"ICY 200", b""]
)  # fmt: skip
BODY = st.one_of(
    st.binary(max_size=40), st.sampled_from([b"5\r\nhello\r\n0\r\n\r\n", b"ffffffffffffffffff\r\n", b"{}"])
)


@settings(max_examples=30)
@given(STATUS, st.lists(HEADERS, max_size=3), BODY)
@example(b"HTTP/1.1 200 OK", [b"Content-Encoding: gzip"], b"not gzip")
@example(b"HTTP/1.1 308 Moved", [b"Location: \xff\xfe", b"Content-Length: 2"], b"{}")
@example(b"HTTP/1.1 200 OK", [b"Content-Type: text/html; charset=\xff", b"Content-Length: 2"], b"{}")
def test_only_our_own_errors_come_out(babbler: Babbler, status: bytes, headers: list[bytes], body: bytes) -> None:
    babbler.says = b"\r\n".join([status, *headers, b"", b""]) + body
    request = dataclasses.replace(READ, url=f"http://127.0.0.1:{babbler.port}/", json={})
    with contextlib.suppress(NetError):
        reply = Client(Policy()).call(request)
        assert isinstance(reply, Reply)
        reply.json()
    with contextlib.suppress(NetError):
        assert all(isinstance(line, str) for line in Client(Policy()).lines(request))
