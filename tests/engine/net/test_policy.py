from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import NotAllowed, RetryError
from engine.net.policy import LOOPBACK, ROAM_CLOUD, SERVICES, Policy, split_url

KNOWN = {
    "localhost": ["127.0.0.1", "::1"],
    "half.example": ["127.0.0.1", "93.184.216.34"],
    "away.example": ["93.184.216.34"],
    "lan.example": ["192.168.1.5"],
    "api.roamresearch.com": ["93.184.216.34"],
    "peer-3.api.roamresearch.com": ["93.184.216.34"],
    "inside.api.roamresearch.com": ["10.0.0.7"],
    "zoned.example": ["fe80::1%eth0"],
    "empty.example": [],
}


def look_up(name: str, port: int) -> list[str]:
    if name not in KNOWN:
        raise OSError("unknown name")
    return KNOWN[name]


@pytest.fixture
def policy() -> Policy:
    return Policy(resolve=look_up)


@pytest.mark.parametrize(
    ("url", "host", "port", "addresses"),
    [
        ("http://127.0.0.1:3333/api/x", "127.0.0.1", 3333, ("127.0.0.1",)),
        ("http://127.9.8.7", "127.9.8.7", 80, ("127.9.8.7",)),
        ("https://[::1]:8443/", "::1", 8443, ("::1",)),
        ("http://[::ffff:127.0.0.1]:9", "127.0.0.1", 9, ("127.0.0.1",)),
        ("http://[::ffff:7f00:1]:9", "127.0.0.1", 9, ("127.0.0.1",)),
        ("http://LOCALHOST:1", "localhost", 1, ("127.0.0.1", "::1")),
        ("http://localhost.:1", "localhost", 1, ("127.0.0.1", "::1")),
    ],
)
def test_this_machine_is_always_allowed(
    policy: Policy, url: str, host: str, port: int, addresses: tuple[str, ...]
) -> None:
    found = policy.check(url, "loopback")
    assert (found.host, found.port, found.addresses) == (host, port, addresses)


@pytest.mark.parametrize(
    "url",
    [
        "http://93.184.216.34/",
        "http://192.168.1.5:11434/",
        "http://0.0.0.0:11434/",
        "http://[::]:1/",
        "http://[::ffff:8.8.8.8]/",
        "http://[fe80::1%25eth0]/",
        "http://[::1%25lo]/",
        "http://away.example/",
        "http://lan.example/",
        "http://half.example/",
        "http://zoned.example/",
        "http://empty.example/",
        "http://unknown.example/",
        "http://localhost.away.example/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://127.0.0.1.:0/",
        "http://ada:secret@127.0.0.1/",
        "http://127.0.0.1@away.example/",
        "http://127.0.0.1\\@away.example/",
        "http://127.0.0.1 .away.example/",
        "http://127.0.0.1\n/",
        "http://１２７.0.0.1/",
        "http://127.0.0.1%2eaway.example/",
        "http://[127.0.0.1]/",
        "http://[::1/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:port/",
        "http:///api",
        "http://",
        "//127.0.0.1/",
        "ftp://127.0.0.1/",
        "file:///etc/hosts",
        "unix:/run/x",
        "127.0.0.1:3333",
        "",
    ],
)
def test_everything_else_is_refused_as_loopback(policy: Policy, url: str) -> None:
    with pytest.raises(NotAllowed) as caught:
        policy.check(url, "loopback")
    assert caught.value.message.endswith(".")


def test_a_name_is_allowed_only_when_all_its_addresses_are_this_machine(policy: Policy) -> None:
    with pytest.raises(NotAllowed, match=r"'half\.example' is not this machine \(93\.184\.216\.34\)"):
        policy.check("http://half.example/", "loopback")


@pytest.mark.parametrize("service", [service for service in SERVICES if service is not LOOPBACK])
def test_a_service_is_off_until_switched_on_and_the_refusal_says_what_would_leave(policy: Policy, service) -> None:
    with pytest.raises(NotAllowed) as caught:
        policy.check("https://api.roamresearch.com/", service.name)
    assert "switched off" in caught.value.message
    assert service.leaves in caught.value.remedy
    assert not policy.is_enabled(service.name)


def test_switching(policy: Policy) -> None:
    policy.switch("roam-cloud", True)
    found = policy.check("https://api.roamresearch.com/api/graph/x/q", "roam-cloud")
    assert (found.netloc, found.addresses) == ("api.roamresearch.com:443", ("93.184.216.34",))
    policy.switch("roam-cloud", False)
    with pytest.raises(NotAllowed):
        policy.check("https://api.roamresearch.com/", "roam-cloud")
    with pytest.raises(NotAllowed, match="no service 'telemetry'"):
        policy.switch("telemetry", True)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://api.roamresearch.com/", "https only"),
        ("https://api.roamresearch.com.away.example/", "does not belong"),
        ("https://evilapi.roamresearch.com/", "does not belong"),
        ("https://roamresearch.com/", "does not belong"),
        ("https://127.0.0.1/", "does not belong"),
        ("https://inside.api.roamresearch.com/", "private address 10.0.0.7"),
    ],
)
def test_a_service_reaches_its_own_hosts_only(url: str, reason: str) -> None:
    policy = Policy(["roam-cloud"], resolve=look_up)
    with pytest.raises(NotAllowed, match=reason):
        policy.check(url, "roam-cloud")
    assert policy.check("https://peer-3.api.roamresearch.com:3001/x", "roam-cloud").port == 3001


def test_an_unknown_host_of_a_service_may_be_found_later() -> None:
    with pytest.raises(RetryError, match="could not be found"):
        Policy(["roam-cloud"], resolve=look_up).check("https://gone.api.roamresearch.com/", "roam-cloud")


def test_a_service_without_hosts_reaches_nothing() -> None:
    with pytest.raises(NotAllowed, match="no server yet"):
        Policy(["model-download"], resolve=look_up).check("https://away.example/", "model-download")


def test_every_service_says_what_leaves() -> None:
    assert {service.name for service in SERVICES} == {
        "loopback", "model-download", "roam-cloud", "openrouter", "update-check"
    }  # fmt: skip
    assert all(len(service.leaves) > 20 for service in SERVICES)
    assert ROAM_CLOUD.schemes == ("https",)


@given(st.text(max_size=60), st.sampled_from(["http://", "https://", ""]))
def test_any_text_is_either_a_plain_address_or_refused(text: str, front: str) -> None:
    try:
        scheme, host, port = split_url(front + text)
    except NotAllowed:
        return
    assert scheme in ("http", "https")
    assert host.isascii()
    assert not set(host) & set("@%/\\ []")
    assert 0 < port < 65536


@given(st.ip_addresses())
def test_only_loopback_addresses_pass(address) -> None:
    host = f"[{address}]" if address.version == 6 else str(address)
    mapped = getattr(address, "ipv4_mapped", None)
    expected = (mapped or address).is_loopback
    try:
        Policy(resolve=look_up).check(f"http://{host}/", "loopback")
    except NotAllowed:
        assert not expected
    else:
        assert expected
