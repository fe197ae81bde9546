"""The one HTTP client: policy, time limits, cancel, retries, size limits, the ledger, and errors in plain words.

Every call opens its own connection to an address that the policy has checked, ignores proxies and environment,
and closes it at once when the job is cancelled. It never follows a redirect that the caller did not allow, and never
lets a header, a body or a foreign error text reach a log or a message.
"""

from __future__ import annotations

import itertools
import json
import random
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from engine.backoff import BackOff
from engine.errors import BadRequest, Cancelled, NotAllowed, RetryError
from engine.job import Job
from engine.net.ledger import Connection, Ledger
from engine.net.policy import LOOPBACK, Destination, Policy, split_url
from engine.net.secrets import Secret

if TYPE_CHECKING:
    import httpx


_MEGABYTE = 1 << 20
_RETRY_STATUSES = frozenset({429, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEPS_METHOD = frozenset({307, 308})
AGAIN = BackOff(0.5, 60.0)
"""Rests between the attempts of one call."""


class Failure(StrEnum):
    """How a call ended without an answer."""

    REFUSED = "refused"
    """Nothing accepts connections there."""
    TIMEOUT = "timeout"
    BROKEN = "broken"
    """The connection ended early, or the answer is not what the protocol allows."""
    TOO_LARGE = "too-large"
    REDIRECTED = "redirected"


class NetError(RetryError):
    """A call ended without a usable answer; ``kind`` says how."""

    def __init__(self, kind: Failure, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Request:
    """One call. ``why`` is a fixed phrase for the ledger, never made of names or note text."""

    url: str
    why: str
    service: str = LOOPBACK.name
    method: str = "POST"
    json: object = None
    """Sent as the JSON body; ``None`` sends no body. ``Secret`` values inside mappings are revealed."""
    headers: Mapping[str, str | Secret] = field(default_factory=dict)
    connect_timeout: float = 2.0
    read_timeout: float = 60.0
    """Longest silence, in seconds."""
    deadline: float = 120.0
    """Longest whole exchange (one attempt), in seconds."""
    max_bytes: int = 16 * _MEGABYTE
    retries: int = 0
    """Only for calls that may be repeated without harm."""
    redirects: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    url: str
    """Where the answer came from, after redirects."""

    def json(self) -> object:
        """The parsed body. Raises ``NetError`` when it is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise NetError(Failure.BROKEN, f"{_host(self.url)} sent an answer that is not valid JSON.") from error


class Client:
    """Safe to use from several threads: calls share nothing but the policy and the ledger."""

    def __init__(
        self,
        policy: Policy,
        ledger: Ledger | None = None,
        *,
        wait: Callable[[threading.Event, float], object] = threading.Event.wait,
        jitter: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``wait(stop, seconds)`` pauses before a retry and returns early when ``stop`` is set."""
        self.policy = policy
        self._ledger = ledger
        self._wait = wait
        self._jitter = jitter
        self._clock = clock

    def call(self, request: Request, job: Job | None = None) -> Reply:
        """The answer, whatever its status.

        Raises ``NetError`` when there is none, ``NotAllowed`` when the policy forbids it, ``Cancelled``.
        """
        job = job or Job()
        for attempt in itertools.count():
            last = attempt >= request.retries
            retry_after: str | None = None
            try:
                reply = self._follow(request, job)
            except NetError as error:
                if last or error.kind in (Failure.TOO_LARGE, Failure.REDIRECTED):
                    raise
            else:
                if last or reply.status not in _RETRY_STATUSES:
                    return reply
                retry_after = reply.headers.get("retry-after")
            self._pause(backoff(attempt, retry_after, self._jitter()), job)
        raise AssertionError("the loop above ends by return or raise")

    def lines(self, request: Request, job: Job | None = None) -> Iterator[str]:
        """The lines of a streamed answer as they arrive. Raises like ``call``, and ``NetError`` for a bad status."""
        with self._exchange(request, request.url, job or Job()) as response:
            if response.status_code >= 400:
                raise NetError(Failure.BROKEN, f"{_host(request.url)} answered with status {response.status_code}.")
            yield from _limited_lines(response, request)

    def _follow(self, request: Request, job: Job) -> Reply:
        url = request.url
        for _ in range(request.redirects + 1):
            with self._exchange(request, url, job) as response:
                reply = Reply(response.status_code, _lower(response), _body(response, request), url)
            if reply.status not in _REDIRECTS:
                return reply
            url = _target(request, reply)
        raise NetError(Failure.REDIRECTED, f"{_host(request.url)} keeps sending requests elsewhere; given up.")

    @contextmanager
    def _exchange(self, request: Request, url: str, job: Job) -> Iterator[httpx.Response]:
        """One request on one connection, written into the ledger however it ends."""
        destination = self._destination(request, url)
        started, asked_at = time.monotonic(), self._clock()
        if destination.service == LOOPBACK.name and _is_free(destination):
            self._record(request, destination, Failure.REFUSED.value, asked_at, time.monotonic() - started)
            raise _nobody(destination)
        # httpx takes 60 ms to import, and 17 MB; most starts of the program need no network.
        import httpx

        from engine.net.transport import Guard, GuardedTransport

        guard = Guard(request.deadline)
        outcome = Failure.BROKEN.value
        try:
            with (
                job.interruptible(guard.stop),
                httpx.Client(transport=GuardedTransport(destination, guard), trust_env=False) as http,
                http.stream(
                    request.method,
                    url,
                    content=_encode(request.json),
                    headers=_headers(request),
                    timeout=httpx.Timeout(request.read_timeout, connect=request.connect_timeout),
                ) as response,
            ):
                outcome = "ok" if response.status_code < 400 else f"status {response.status_code}"
                yield response
        except Cancelled:
            outcome = "cancelled"
            raise
        except NetError as error:
            outcome = error.kind.value if error.kind is not Failure.BROKEN else outcome
            raise
        except Exception as error:
            if guard.is_stopped:
                outcome = "cancelled"
                raise Cancelled from None
            translated = _translate(error, destination, request)
            if translated is None:
                raise
            outcome = translated.kind.value
            raise translated from None
        finally:
            taken = time.monotonic() - started
            self._record(request, destination, outcome, asked_at, taken, guard.sent, guard.received)

    def _destination(self, request: Request, url: str) -> Destination:
        try:
            return self.policy.check(url, request.service)
        except NotAllowed:
            if self._ledger:
                line = Connection(self._clock(), request.service, _host(url), request.why, "not-allowed")
                self._ledger.record(line)
            raise

    def _record(
        self,
        request: Request,
        to: Destination,
        outcome: str,
        asked_at: float,
        seconds: float,
        sent: int = 0,
        received: int = 0,
    ) -> None:
        if self._ledger:
            self._ledger.record(
                Connection(asked_at, to.service, to.netloc, request.why, outcome, sent, received, round(seconds, 3))
            )

    def _pause(self, seconds: float, job: Job) -> None:
        stop = threading.Event()
        with job.interruptible(stop.set):
            self._wait(stop, seconds)
        job.check()


def backoff(attempt: int, retry_after: str | None, jitter: float) -> float:
    """Seconds to wait before the next attempt, the first being 0: what the server asks for, else ``AGAIN``."""
    if retry_after is not None and retry_after.strip().isdecimal():
        return min(AGAIN.most, float(retry_after) + jitter)
    return AGAIN.seconds(attempt + 1, jitter)


def _encode(value: object) -> bytes | None:
    if value is None:
        return None
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_reveal).encode("utf-8", "replace")


def _reveal(value: object) -> str:
    if isinstance(value, Secret):
        return value.reveal()
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON")


def _headers(request: Request) -> dict[str, str]:
    headers = {"accept": "application/json", "accept-encoding": "identity", "user-agent": "lamplight"}
    if request.json is not None:
        headers["content-type"] = "application/json; charset=utf-8"
    for name, value in request.headers.items():
        text = f"Bearer {value.reveal()}" if isinstance(value, Secret) else value
        # The HTTP library would quote a bad header in its error, token and all.
        if not text.isascii() or not text.isprintable():
            raise BadRequest("The token holds characters that no token has.", "Copy it again, without line breaks.")
        headers[name.lower()] = text
    return headers


def _lower(response: httpx.Response) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _body(response: httpx.Response, request: Request) -> bytes:
    body = bytearray()
    for chunk in _decoded(response, request):
        body += chunk
        if len(body) > request.max_bytes:
            raise _too_large(request)
    return bytes(body)


def _limited_lines(response: httpx.Response, request: Request) -> Iterator[str]:
    rest, total = b"", 0
    for chunk in _decoded(response, request):
        total += len(chunk)
        if total > request.max_bytes:
            raise _too_large(request)
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.rstrip(b"\r").decode("utf-8", "replace")
    if rest:
        yield rest.decode("utf-8", "replace")


def _decoded(response: httpx.Response, request: Request) -> Iterator[bytes]:
    """The body in pieces of bounded size. Plain bodies are asked for; a server that packs nevertheless may do it once:
    a few bytes packed twice could be more than any memory holds."""
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing in ("identity", ""):
        yield from response.iter_raw()
        return
    if packing not in ("gzip", "x-gzip", "deflate"):
        raise NetError(Failure.BROKEN, f"{_host(request.url)} packed its answer in a way that was not asked for.")
    unpack = zlib.decompressobj(47 if packing != "deflate" else 15)
    try:
        for chunk in response.iter_raw():
            yield unpack.decompress(chunk, _MEGABYTE)
            while unpack.unconsumed_tail:
                yield unpack.decompress(unpack.unconsumed_tail, _MEGABYTE)
    except zlib.error as error:
        raise NetError(Failure.BROKEN, f"{_host(request.url)} sent an answer that cannot be unpacked.") from error


def _too_large(request: Request) -> NetError:
    limit = request.max_bytes / _MEGABYTE
    return NetError(Failure.TOO_LARGE, f"{_host(request.url)} sent more than {limit:.3g} MB; the rest was not read.")


def _target(request: Request, reply: Reply) -> str:
    location = reply.headers.get("location", "")
    if request.redirects == 0 or not location:
        raise NetError(
            Failure.REDIRECTED, f"{_host(reply.url)} sent the request elsewhere, which is not followed here."
        )
    if request.method != "GET" and reply.status not in _KEEPS_METHOD:
        raise NetError(Failure.REDIRECTED, f"{_host(reply.url)} asked for another kind of request; given up.")
    return urljoin(reply.url, location)


def _is_free(to: Destination) -> bool:
    """Whether nobody can be listening there, for the port could be ours. To find out reaches nobody."""
    import socket

    try:
        for address in to.addresses:
            with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as own:
                own.bind((address, to.port))
    except OSError:  # It is taken, or not for us.
        return False
    return True


def _nobody(to: Destination) -> NetError:
    return NetError(Failure.REFUSED, f"Nothing answers at {to.netloc}.")


def _translate(error: Exception, to: Destination, request: Request) -> NetError | None:
    """The error in our words; ``None`` for an exception that does not come from the network."""
    import httpcore
    import httpx

    from engine.net.transport import NotSecure

    if isinstance(error, NotSecure):
        return NetError(Failure.BROKEN, f"{to.netloc} cannot prove that it is what it says; nothing was sent.")
    if isinstance(error, httpcore.ConnectError | httpx.ConnectError):
        return _nobody(to)
    if isinstance(error, httpcore.TimeoutException | httpx.TimeoutException):
        connecting = isinstance(error, httpcore.ConnectTimeout | httpx.ConnectTimeout)
        seconds = request.connect_timeout if connecting else min(request.read_timeout, request.deadline)
        return NetError(Failure.TIMEOUT, f"{to.netloc} did not answer within {seconds:.3g} s.")
    foreign = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError)
    if isinstance(error, (httpcore.NetworkError, httpcore.ProtocolError, *foreign)):
        return NetError(Failure.BROKEN, f"The connection to {to.netloc} ended before the answer was complete.")
    return None


def _host(url: str) -> str:
    """Host and port alone, for messages: paths name graphs."""
    try:
        _, host, port = split_url(url)
    except NotAllowed:
        return "an address that is not allowed"
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
