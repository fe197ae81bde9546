"""The trap that shuts the network in tests: it catches what leaves the machine and lets the rest through."""

from __future__ import annotations

import contextlib
import socket

import pytest


@pytest.mark.parametrize(
    ("family", "address"),
    [
        (socket.AF_INET, ("192.0.2.1", 80)),
        (socket.AF_INET, ("example.invalid", 443)),
        (socket.AF_INET6, ("2001:db8::1", 80, 0, 0)),
    ],
)
def test_leaving_is_noticed_even_when_hidden(network_trap: list[str], family: int, address: tuple) -> None:
    with socket.socket(family) as client, contextlib.suppress(AssertionError):
        client.connect(address)
    assert str(address[0]) in network_trap[0]
    network_trap.clear()


def test_looking_a_name_up_is_noticed(network_trap: list[str]) -> None:
    with pytest.raises(AssertionError, match="look-up"):
        socket.getaddrinfo("example.invalid", 443)
    network_trap.clear()


def test_this_machine_may_be_reached() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=5) as client,
    ):
        assert client.getpeername() == server.getsockname()
