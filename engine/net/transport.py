"""One connection for one call: to the checked addresses only, with a deadline, and stopped from another thread.

The HTTP library asks this module for a socket instead of resolving names itself; so what was checked is what is
connected to. Must never look up a name.
"""

from __future__ import annotations

import errno
import functools
import logging
import os
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import httpcore
import httpx

from engine.net.policy import Destination

_SLICE = 0.05
"""Seconds between two looks at the stop flag; a blocked socket cannot be woken from outside on every system."""

# Both write addresses (which name graphs) and headers to the log; the ledger says what is to be said.
for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)

T = TypeVar("T")


_UNDER_WAY = frozenset({errno.EINPROGRESS, errno.EWOULDBLOCK, 10035})
"""Answers to a connect that goes on; the last is what Windows says."""


class NotSecure(httpcore.ConnectError):
    """The server's certificate, or its TLS, is not acceptable."""


class Guard:
    """What one call may use: time until ``deadline``; and what it used. ``stop`` may be called from any thread."""

    def __init__(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds
        self.sent = 0
        self.received = 0
        self._stopped = threading.Event()

    def stop(self) -> None:
        self._stopped.set()

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def within(
        self, sock: socket.socket, timeout: float | None, attempt: Callable[[], T], late: type[Exception], what: str
    ) -> T:
        """``attempt()``, tried again until it succeeds, ``timeout`` or the deadline has passed (``late``) or a stop."""
        end = self.deadline if timeout is None else min(self.deadline, time.monotonic() + timeout)
        while not self.is_stopped:
            left = end - time.monotonic()
            if left <= 0:
                raise late(f"{what} timed out")
            sock.settimeout(min(_SLICE, left))
            try:
                return attempt()
            except TimeoutError:
                continue
            except OSError as error:
                raise httpcore.NetworkError(f"{what} failed") from error
        raise httpcore.NetworkError("stopped")


class _Stream(httpcore.NetworkStream):
    def __init__(self, sock: socket.socket, guard: Guard) -> None:
        self._sock = sock
        self._guard = guard

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._guard.within(
            self._sock, timeout, lambda: self._sock.recv(max_bytes), httpcore.ReadTimeout, "reading"
        )
        self._guard.received += len(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        view = memoryview(buffer)
        while view:
            send = functools.partial(self._sock.send, view)
            count = self._guard.within(self._sock, timeout, send, httpcore.WriteTimeout, "writing")
            self._guard.sent += count
            view = view[count:]

    def close(self) -> None:
        self._sock.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        secured = ssl_context.wrap_socket(self._sock, server_hostname=server_hostname, do_handshake_on_connect=False)
        try:
            self._guard.within(secured, timeout, secured.do_handshake, httpcore.ConnectTimeout, "the handshake")
        except httpcore.NetworkError as error:
            secured.close()
            raise NotSecure("the handshake failed") from error
        except BaseException:
            secured.close()
            raise
        return _Stream(secured, self._guard)

    def get_extra_info(self, info: str) -> Any:
        return self._sock if info == "ssl_object" and isinstance(self._sock, ssl.SSLSocket) else None


class _Backend(httpcore.NetworkBackend):
    def __init__(self, destination: Destination, guard: Guard) -> None:
        self._destination = destination
        self._guard = guard

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failure: Exception | None = None
        for address in self._destination.addresses:
            try:
                return _Stream(_connect(address, self._destination.port, timeout, self._guard), self._guard)
            except (OSError, httpcore.ConnectTimeout) as error:
                failure = error
        if isinstance(failure, httpcore.ConnectTimeout):
            raise failure
        raise httpcore.ConnectError("connecting failed") from failure


def _connect(address: str, port: int, timeout: float | None, guard: Guard) -> socket.socket:
    """A connected socket; raises ``OSError``, or ``httpcore.ConnectTimeout``. Ends early when the guard is stopped."""
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setblocking(False)
        code = sock.connect_ex((address, port))
        if code in _UNDER_WAY:
            guard.within(
                sock, timeout, functools.partial(_await_connected, sock), httpcore.ConnectTimeout, "connecting"
            )
            code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            raise OSError(code, os.strerror(code))
    except BaseException:
        sock.close()
        raise
    return sock


def _await_connected(sock: socket.socket) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_WRITE)
        if not selector.select(sock.gettimeout()):
            raise TimeoutError


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


class GuardedTransport(httpx.BaseTransport):
    """Carries one request to one checked destination."""

    def __init__(self, destination: Destination, guard: Guard) -> None:
        context = httpx.create_ssl_context(trust_env=False) if destination.scheme == "https" else None
        self._pool = httpcore.ConnectionPool(
            ssl_context=context, max_connections=1, network_backend=_Backend(destination, guard)
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        reply = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            status_code=reply.status, headers=reply.headers, stream=_Body(reply), extensions=reply.extensions
        )

    def close(self) -> None:
        self._pool.close()
