from __future__ import annotations

import contextlib
import dataclasses
import gzip
import json
import logging
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import BadRequest, Cancelled, NotAllowed
from engine.job import Job
from engine.net.client import Client, Failure, NetError, Request, backoff
from engine.net.ledger import Ledger
from engine.net.policy import LOOPBACK, ROAM_CLOUD, Policy
from engine.net.secrets import Secret
from tests.servers.loopback import Loopback, Scripted

OK = (200, {}, b'{"fine":true}')
TOKEN = "roam-graph-local-token-abcDEF123_xyz"
READ = Request("", "read a graph")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "connections.jsonl")


@pytest.fixture
def client(ledger: Ledger) -> Client:
    return Client(Policy(), ledger, wait=lambda stop, seconds: None, jitter=lambda: 0.0, clock=lambda: 1000.0)


def to(server: Loopback, **more: object) -> Request:
    return dataclasses.replace(READ, url=server.url + "/api/garden", **more)


@pytest.fixture
def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def test_one_call(client: Client, ledger: Ledger) -> None:
    with Scripted(OK) as server:
        reply = client.call(
            to(server, json={"a": "ä", "token": Secret(TOKEN)}, headers={"authorization": Secret(TOKEN)})
        )
    assert (reply.status, reply.json()) == (200, {"fine": True})
    (seen,) = server.requests
    assert (seen.method, seen.path) == ("POST", "/api/garden")
    assert json.loads(seen.body) == {"a": "ä", "token": TOKEN}
    assert seen.headers["authorization"] == f"Bearer {TOKEN}"
    assert seen.headers["content-type"] == "application/json; charset=utf-8"
    assert "python" not in seen.headers["user-agent"]
    (line,) = ledger.recent()
    assert (line.time, line.service, line.host) == (1000.0, "loopback", f"127.0.0.1:{server.port}")
    assert (line.why, line.outcome) == ("read a graph", "ok")
    assert line.sent > len(seen.body)
    assert line.received > len(OK[2])


def test_get_sends_no_body(client: Client) -> None:
    with Scripted(OK) as server:
        client.call(to(server, method="GET"))
    assert server.requests[0].body == b""
    assert "content-type" not in server.requests[0].headers


def test_lone_surrogates_can_be_sent_and_read(client: Client) -> None:
    with Scripted((200, {}, b'"\\ud83d"')) as server:
        assert client.call(to(server, json="\ud83d")).json() == "\ud83d"


def test_the_environment_changes_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free_port: int
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port}")
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login ada password countess\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with Scripted(OK) as server:
        assert client.call(to(server)).status == 200
    assert "authorization" not in server.requests[0].headers


def test_the_checked_address_is_the_one_connected_to(ledger: Ledger) -> None:
    asked: list[str] = []

    def rebinding(name: str, port: int) -> list[str]:
        asked.append(name)
        return ["127.0.0.1"] if len(asked) == 1 else ["93.184.216.34"]

    with Scripted(OK) as server:
        request = dataclasses.replace(READ, url=f"http://rebind.example:{server.port}/")
        client = Client(Policy(resolve=rebinding), ledger)
        assert client.call(request).status == 200
        assert asked == ["rebind.example"]
        assert server.requests[0].headers["host"] == f"rebind.example:{server.port}"
        with pytest.raises(NotAllowed, match="not this machine"):
            client.call(request)


def test_the_next_address_is_tried_when_the_first_does_not_answer(ledger: Ledger) -> None:
    with Scripted(OK) as server:
        policy = Policy(resolve=lambda name, port: ["127.77.0.1", "127.0.0.1"])
        assert Client(policy, ledger).call(dataclasses.replace(READ, url=f"http://both.example:{server.port}/"))


def test_a_forbidden_host_is_in_the_ledger_and_nothing_is_sent(client: Client, ledger: Ledger) -> None:
    with pytest.raises(NotAllowed):
        client.call(dataclasses.replace(READ, url="http://93.184.216.34:80/secret-name"))
    (line,) = ledger.recent()
    assert (line.host, line.outcome, line.sent) == ("93.184.216.34:80", "not-allowed", 0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed_unasked(client: Client, status: int) -> None:
    with Scripted(OK) as other, Scripted((status, {"location": other.url}, b"")) as server:
        with pytest.raises(NetError, match="not followed here") as caught:
            client.call(to(server))
        assert caught.value.kind is Failure.REDIRECTED
    assert other.requests == []


@pytest.mark.parametrize(
    "location", ["http://93.184.216.34/", "//away.invalid/x", "ftp://127.0.0.1/", "http://u:p@127.0.0.1/"]
)
def test_every_hop_is_checked_again(client: Client, ledger: Ledger, location: str) -> None:
    policy = Policy(resolve=lambda name, port: ["93.184.216.34"])
    with Scripted((307, {"location": location}, b"")) as server, pytest.raises(NotAllowed):
        Client(policy, ledger).call(to(server, redirects=3))
    assert [line.outcome for line in ledger.recent()] == ["not-allowed", "ok"]


def test_a_followed_redirect_keeps_method_body_and_token(client: Client) -> None:
    with Scripted(OK) as other, Scripted((308, {"location": f"{other.url}/peer"}, b"")) as server:
        reply = client.call(to(server, json={"q": 1}, headers={"authorization": Secret(TOKEN)}, redirects=1))
    assert reply.url == f"{other.url}/peer"
    (seen,) = other.requests
    assert (seen.method, seen.path, seen.body) == ("POST", "/peer", b'{"q":1}')
    assert seen.headers["authorization"] == f"Bearer {TOKEN}"


def test_a_post_never_becomes_a_get(client: Client) -> None:
    with Scripted(OK) as other, Scripted((303, {"location": other.url}, b"")) as server:
        with pytest.raises(NetError, match="another kind of request"):
            client.call(to(server, redirects=2))
        assert client.call(to(server, method="GET", redirects=2)).status == 200
    assert len(other.requests) == 1


def test_redirects_end(client: Client) -> None:
    with Scripted((307, {"location": "/again"}, b"")) as server:
        with pytest.raises(NetError, match="keeps sending requests elsewhere"):
            client.call(to(server, redirects=3))
        assert len(server.requests) == 4


def test_nothing_listens(client: Client, ledger: Ledger, free_port: int) -> None:
    with pytest.raises(NetError, match=rf"^Nothing answers at 127\.0\.0\.1:{free_port}\.$") as caught:
        client.call(dataclasses.replace(READ, url=f"http://127.0.0.1:{free_port}/"))
    assert caught.value.kind is Failure.REFUSED
    assert ledger.recent()[0].outcome == "refused"


def test_silence_ends_at_the_read_limit(client: Client, ledger: Ledger) -> None:
    with Scripted(None) as server, pytest.raises(NetError, match=r"did not answer within 0\.2 s") as caught:
        client.call(to(server, read_timeout=0.2))
    assert caught.value.kind is Failure.TIMEOUT
    assert ledger.recent()[0].outcome == "timeout"


def test_a_server_that_drips_ends_at_the_deadline(client: Client) -> None:
    started = time.monotonic()
    with Scripted((200, {}, b"x" * 10_000)) as server:
        server.drip = True
        with pytest.raises(NetError) as caught:
            client.call(to(server, read_timeout=5.0, deadline=0.3))
    assert caught.value.kind is Failure.TIMEOUT
    assert time.monotonic() - started < 4


def test_half_an_answer_is_none(client: Client, ledger: Ledger) -> None:
    with Scripted(OK) as server:
        server.halve = True
        with pytest.raises(NetError, match="ended before the answer was complete") as caught:
            client.call(to(server))
    assert caught.value.kind is Failure.BROKEN
    assert ledger.recent()[0].outcome == "broken"


def test_a_server_that_is_not_http(client: Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def babble() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"SSH-2.0-nothing\r\n\r\n")

        thread = threading.Thread(target=babble)
        thread.start()
        with pytest.raises(NetError) as caught:
            client.call(dataclasses.replace(READ, url=f"http://127.0.0.1:{port}/"))
        thread.join()
    assert caught.value.kind is Failure.BROKEN


def test_tls_to_a_server_without_it(client: Client) -> None:
    with Scripted(OK) as server, pytest.raises(NetError):
        client.call(dataclasses.replace(READ, url=server.url.replace("http", "https"), read_timeout=1.0))
    assert server.requests == []


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost that nobody vouches for, with its key in the same file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    what = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2", "-nodes"]
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", *what]
    subprocess.run([*make, "-keyout", str(path), "-out", str(path) + ".crt"], check=True, capture_output=True)
    path.write_text(path.read_text() + path.with_name("both.pem.crt").read_text())
    return path


@pytest.fixture
def tls_server(certificate: Path) -> Iterator[Scripted]:
    server = Scripted((200, {}, b"x" * 200_000))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.secure(context)
    with server:
        yield server


def test_a_certificate_that_nobody_vouches_for_is_refused(client: Client, tls_server: Scripted) -> None:
    request = dataclasses.replace(READ, url=f"https://localhost:{tls_server.port}/", connect_timeout=5.0)
    with pytest.raises(NetError, match="cannot prove that it is what it says") as caught:
        client.call(request)
    assert caught.value.kind is Failure.BROKEN
    assert tls_server.requests == []


def test_a_certificate_of_another_host_is_refused_and_its_own_is_accepted(
    client: Client, tls_server: Scripted, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr("httpx.create_ssl_context", lambda **_: context)
    with pytest.raises(NetError, match="cannot prove"):
        client.call(dataclasses.replace(READ, url=f"https://127.0.0.1:{tls_server.port}/", connect_timeout=5.0))
    reply = client.call(
        dataclasses.replace(READ, url=f"https://localhost:{tls_server.port}/", json="y" * 200_000, connect_timeout=5.0)
    )
    assert len(reply.body) == 200_000
    assert len(tls_server.requests[0].body) == 200_002


@pytest.mark.parametrize("host", ["[::ffff:127.0.0.1]", "localhost", "LOCALHOST.", "127.0.0.1"])
def test_every_name_of_this_machine_connects(client: Client, host: str) -> None:
    with Scripted(OK) as server:
        assert client.call(dataclasses.replace(READ, url=f"http://{host}:{server.port}/")).status == 200


def test_ipv6(client: Client) -> None:
    try:
        listener = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with listener:
        thread = threading.Thread(target=_answer_once, args=(listener,))
        thread.start()
        assert client.call(dataclasses.replace(READ, url=f"http://[::1]:{listener.getsockname()[1]}/")).status == 204
        thread.join()


def _answer_once(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")


def test_too_much_is_not_read(client: Client, ledger: Ledger) -> None:
    with Scripted((200, {}, b"x" * 3_000_000)) as server:
        with pytest.raises(NetError, match="more than 1 MB") as caught:
            client.call(to(server, max_bytes=1 << 20, retries=3))
        assert len(server.requests) == 1
    assert caught.value.kind is Failure.TOO_LARGE
    assert ledger.recent()[0].outcome == "too-large"


def test_a_compressed_bomb_counts_as_what_it_becomes(client: Client) -> None:
    bomb = gzip.compress(b"\0" * 20_000_000)
    with Scripted((200, {"content-encoding": "gzip"}, bomb)) as server, pytest.raises(NetError) as caught:
        client.call(to(server, max_bytes=1 << 20))
    assert caught.value.kind is Failure.TOO_LARGE


@pytest.mark.parametrize("body", [b"<html>", b"", b"[" * 100_000, b"\xff\xfe"])
def test_an_answer_that_is_not_json(client: Client, body: bytes) -> None:
    with Scripted((200, {}, body)) as server:
        reply = client.call(to(server))
    with pytest.raises(NetError, match="not valid JSON"):
        reply.json()


# --- cancelling --------------------------------------------------------------------------------------------------


def test_cancel_ends_a_hanging_call_at_once(client: Client, ledger: Ledger) -> None:
    job = Job()
    with Scripted(None) as server:
        stopper = threading.Thread(target=lambda: (server.arrived.wait(30), job.cancel()))
        stopper.start()
        started = time.monotonic()
        with pytest.raises(Cancelled):
            client.call(to(server, read_timeout=30.0), job)
        stopper.join()
    assert time.monotonic() - started < 5
    assert ledger.recent()[0].outcome == "cancelled"


@pytest.fixture
def deaf_port() -> Iterator[int]:
    """A port whose queue of connections is full, so that connecting to it never ends."""
    if sys.platform != "linux":
        pytest.skip("other systems refuse instead of waiting")
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, contextlib.ExitStack() as waiting:
        for _ in range(4):
            sock = waiting.enter_context(socket.socket())
            sock.setblocking(False)
            sock.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def test_connecting_has_a_limit_of_its_own(client: Client, deaf_port: int) -> None:
    started = time.monotonic()
    with pytest.raises(NetError, match=r"did not answer within 0\.2 s") as caught:
        client.call(dataclasses.replace(READ, url=f"http://127.0.0.1:{deaf_port}/", connect_timeout=0.2))
    assert caught.value.kind is Failure.TIMEOUT
    assert time.monotonic() - started < 4


def test_cancel_ends_connecting_at_once(client: Client, deaf_port: int) -> None:
    job = Job()
    stopper = threading.Timer(0.1, job.cancel)
    stopper.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        client.call(dataclasses.replace(READ, url=f"http://127.0.0.1:{deaf_port}/", connect_timeout=30.0), job)
    stopper.join()
    assert time.monotonic() - started < 5


def test_a_cancelled_job_sends_nothing(client: Client) -> None:
    job = Job()
    job.cancel()
    with Scripted(OK) as server, pytest.raises(Cancelled):
        client.call(to(server), job)
    assert server.requests == []


def test_cancel_ends_the_pause_before_a_retry(ledger: Ledger) -> None:
    job = Job()
    paused = threading.Event()

    def wait(stop: threading.Event, seconds: float) -> None:
        paused.set()
        assert stop.wait(10), "cancelling did not end the pause"

    stopper = threading.Thread(target=lambda: (paused.wait(30), job.cancel()))
    stopper.start()
    with Scripted((503, {}, b"")) as server, pytest.raises(Cancelled):
        Client(Policy(), ledger, wait=wait).call(to(server, retries=3), job)
    stopper.join()
    assert len(server.requests) == 1


# --- retries -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attempt", "retry_after", "jitter", "seconds"),
    [
        (0, None, 0.0, 0.5),
        (1, None, 0.0, 1.0),
        (3, None, 0.0, 4.0),
        (1, None, 1.0, 1.5),
        (50, None, 1.0, 60.0),
        (0, "7", 0.0, 7.0),
        (0, "7", 0.5, 7.5),
        (0, "100000", 0.0, 60.0),
        (2, "Wed, 21 Oct 2015 07:28:00 GMT", 0.0, 2.0),
        (0, "-5", 0.0, 0.5),
        (0, "nan", 0.0, 0.5),
    ],
)
def test_backoff(attempt: int, retry_after: str | None, jitter: float, seconds: float) -> None:
    assert backoff(attempt, retry_after, jitter) == seconds


def test_retries_wait_longer_each_time_and_listen_to_the_server(ledger: Ledger) -> None:
    waits: list[float] = []
    client = Client(Policy(), ledger, wait=lambda stop, seconds: waits.append(seconds), jitter=lambda: 0.0)
    with Scripted((503, {}, b""), (429, {"retry-after": "9"}, b""), (502, {}, b""), OK) as server:
        assert client.call(to(server, retries=5)).status == 200
    assert waits == [0.5, 9.0, 2.0]
    assert [line.outcome for line in ledger.recent()] == ["ok", "status 502", "status 429", "status 503"]


def test_without_leave_nothing_is_repeated(client: Client) -> None:
    with Scripted((503, {}, b"")) as server:
        assert client.call(to(server)).status == 503
        assert len(server.requests) == 1


def test_a_bound_on_repeating(client: Client, free_port: int) -> None:
    with Scripted((429, {}, b"")) as server:
        assert client.call(to(server, retries=2)).status == 429
        assert len(server.requests) == 3


@pytest.mark.parametrize("status", [200, 400, 401, 404, 500])
def test_other_answers_are_not_repeated(client: Client, status: int) -> None:
    with Scripted((status, {}, b"{}")) as server:
        client.call(to(server, retries=4))
        assert len(server.requests) == 1


# --- streaming ---------------------------------------------------------------------------------------------------


def test_lines(client: Client) -> None:
    with Scripted((200, {}, "data: ä\r\n\ndata: [DONE]".encode())) as server:
        assert list(client.lines(to(server))) == ["data: ä", "", "data: [DONE]"]


def test_lines_stop_when_the_reader_stops(client: Client, ledger: Ledger) -> None:
    with Scripted((200, {}, b"a\nb\nc\n")) as server:
        lines: Iterator[str] = client.lines(to(server))
        assert next(lines) == "a"
        lines.close()  # type: ignore[attr-defined]
    assert ledger.recent()[0].outcome == "ok"


def test_lines_of_a_bad_answer_and_of_too_much(client: Client) -> None:
    with Scripted((401, {}, b"no"), (200, {}, b"x" * 2_000_000)) as server:
        with pytest.raises(NetError, match="status 401"):
            list(client.lines(to(server)))
        with pytest.raises(NetError, match="more than 1 MB"):
            list(client.lines(to(server, max_bytes=1 << 20)))


# --- secrets -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer", [OK, None, (500, {}, f'{{"error": "{TOKEN}"}}'.encode()), (307, {"location": f"/{TOKEN}"}, b"")]
)
def test_tokens_reach_no_error_log_or_ledger(
    client: Client, tmp_path: Path, caplog: pytest.LogCaptureFixture, answer: tuple[int, dict[str, str], bytes] | None
) -> None:
    caplog.set_level(logging.DEBUG)
    request = READ
    shown = ""
    with Scripted(answer) as server:
        request = to(server, headers={"authorization": Secret(TOKEN)}, json={"t": Secret(TOKEN)}, read_timeout=0.1)
        try:
            client.call(request)
        except NetError as error:
            shown = f"{error} {error!r} {error.__cause__!r}"
    text = shown + caplog.text + repr(request) + (tmp_path / "connections.jsonl").read_text()
    assert TOKEN not in text


def test_a_token_with_a_line_break_is_refused_without_being_quoted(client: Client) -> None:
    with Scripted(OK) as server, pytest.raises(BadRequest) as caught:
        client.call(to(server, headers={"authorization": Secret(TOKEN + "\n")}))
    assert TOKEN not in str(caught.value)
    assert server.requests == []


def test_services_use_their_own_switch(ledger: Ledger) -> None:
    local_cloud = dataclasses.replace(ROAM_CLOUD, is_loopback=True, hosts=(), schemes=("http",))
    policy = Policy(services=(LOOPBACK, local_cloud))
    with Scripted(OK) as server:
        with pytest.raises(NotAllowed, match="switched off"):
            Client(policy, ledger).call(to(server, service="roam-cloud"))
        policy.switch("roam-cloud", True)
        assert Client(policy, ledger).call(to(server, service="roam-cloud")).status == 200
    assert ledger.recent()[0].service == "roam-cloud"
