"""Servers that mean harm, each by its trick: the client ends the exchange within its bounds and says so."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from engine.net.client import Client, Failure, NetError, Request
from engine.net.policy import Policy

LIMIT = 1 << 18
Act = Callable[[socket.socket], None]


@contextlib.contextmanager
def serving(act: Act) -> Iterator[Request]:
    """A server on this machine that does ``act`` with each connection, and the request that asks it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection, contextlib.suppress(OSError):
                        connection.recv(65536)
                        act(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        yield Request(url, "test", json={}, read_timeout=1.0, deadline=1.5, max_bytes=LIMIT, redirects=3)
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(30)


def answer(body: bytes, *headers: str) -> Act:
    head = "".join(f"{header}\r\n" for header in ("HTTP/1.1 200 OK", f"Content-Length: {len(body)}", *headers))
    return lambda connection: connection.sendall(head.encode() + b"\r\n" + body)


def endless_body(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"x" * 65536)


def endless_chunks(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"ffff\r\n" + b"x" * 65535 + b"\r\n")


def endless_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-More: " + b"y" * 8000 + b"\r\n")


def drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(1000):
        connection.sendall(b"x")
        time.sleep(0.02)


def silence(connection: socket.socket) -> None:
    # All that the client still sends is taken, until it gives up.
    while connection.recv(4096):
        pass


def redirect(connection: socket.socket) -> None:
    where = f"http://127.0.0.1:{connection.getsockname()[1]}/again"
    connection.sendall(f"HTTP/1.1 308 Moved\r\nLocation: {where}\r\nContent-Length: 0\r\n\r\n".encode())


def bomb(times: int) -> bytes:
    packed = b"0" * 50_000_000
    for _ in range(times):
        packed = gzip.compress(packed, 6)
    return packed


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (endless_body, Failure.TOO_LARGE),
        (endless_chunks, Failure.TOO_LARGE),
        (endless_headers, Failure.BROKEN),
        (drip, Failure.TIMEOUT),
        (silence, Failure.TIMEOUT),
        (redirect, Failure.REDIRECTED),
        (answer(b"{}", "Content-Encoding: br"), Failure.BROKEN),
        (answer(b"not packed", "Content-Encoding: gzip"), Failure.BROKEN),
        (lambda c: c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort"), Failure.BROKEN),
        (lambda c: c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\nshort"), Failure.BROKEN),
    ],
)
def test_a_trick_ends_in_words(act: Act, kind: Failure) -> None:
    with serving(act) as request:
        with pytest.raises(NetError) as caught:
            Client(Policy()).call(request)
        assert caught.value.kind is kind


@pytest.mark.parametrize(("times", "kind"), [(1, Failure.TOO_LARGE), (2, Failure.BROKEN)])
def test_a_bomb_of_packing_is_not_unpacked(times: int, kind: Failure) -> None:
    header = "Content-Encoding: " + ", ".join(["gzip"] * times)
    with serving(answer(bomb(times), header)) as request:
        with pytest.raises(NetError) as caught:
            Client(Policy()).call(request)
        assert caught.value.kind is kind
        with pytest.raises(NetError):
            list(Client(Policy()).lines(request))


def test_an_answer_packed_once_is_read() -> None:
    with serving(answer(gzip.compress(b'{"a": 1}'), "Content-Encoding: gzip")) as request:
        assert Client(Policy()).call(request).json() == {"a": 1}
