"""Which hosts may be reached: loopback always, named services only after the owner switched them on.

``Policy.check`` turns a URL into a ``Destination`` with the addresses that were checked; the client connects to
those addresses and to no other, so a name that resolves differently a moment later changes nothing. Must never
open a connection itself.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from engine.errors import NotAllowed, RetryError
from engine.settings import declarations

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver: TypeAlias = Callable[[str, int], Iterable[str]]
"""(name, port) -> addresses as text; raises ``OSError`` when the name is unknown."""

_NAME = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*")
_NUMERIC_LABEL = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")


@dataclass(frozen=True, slots=True)
class Service:
    """A group of hosts with one purpose, and the words the owner agrees to."""

    name: str
    title: str
    leaves: str
    """What leaves the machine, in words for the consent dialog."""
    hosts: tuple[str, ...] = ()
    """Exact names, or ``.suffix`` for a name and everything beneath it."""
    is_loopback: bool = False
    schemes: tuple[str, ...] = ("https",)


LOOPBACK = Service(
    "loopback",
    "This machine",
    "Nothing leaves this machine.",
    is_loopback=True,
    schemes=("http", "https"),
)


def _declared(setting: str, hosts: tuple[str, ...] = ()) -> Service:
    """The words stand with the switch, in the settings, so that whoever switches it on has read them."""
    declaration = declarations()[setting]
    return Service(setting.replace("_", "-"), declaration.text, declaration.help, hosts)


MODEL_DOWNLOAD = _declared("model_download")
ROAM_CLOUD = _declared("roam_cloud", (".api.roamresearch.com",))
OPENROUTER = _declared("openrouter", ("openrouter.ai",))
UPDATE_CHECK = _declared("update_check", ("api.github.com",))
SERVICES = (LOOPBACK, MODEL_DOWNLOAD, ROAM_CLOUD, OPENROUTER, UPDATE_CHECK)


@dataclass(frozen=True, slots=True)
class Destination:
    """A checked place to connect to."""

    service: str
    scheme: str
    host: str
    """Lower-case name, or the address in its plain form."""
    port: int
    addresses: tuple[str, ...]
    """The only addresses to connect to, in this order."""

    @property
    def netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def resolve_name(name: str, port: int) -> list[str]:
    """The system's resolver: every address of ``name``. Raises ``OSError``."""
    found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Policy:
    """The switches. Loopback cannot be switched off; every other service starts off."""

    def __init__(
        self,
        enabled: Iterable[str] = (),
        *,
        services: Iterable[Service] = SERVICES,
        resolve: Resolver = resolve_name,
    ) -> None:
        self._services = {service.name: service for service in services}
        self._enabled = frozenset(enabled)
        self._resolve = resolve

    @property
    def services(self) -> tuple[Service, ...]:
        return tuple(self._services.values())

    def switch(self, name: str, on: bool) -> None:
        """Switch a service on or off. Raises ``NotAllowed`` for a name that is no service."""
        self._service(name)
        self._enabled = self._enabled | {name} if on else self._enabled - {name}

    def is_enabled(self, name: str) -> bool:
        return name == LOOPBACK.name or name in self._enabled

    def require(self, name: str) -> Service:
        """The service. Raises ``NotAllowed``, with what it would send where, while it is switched off."""
        service = self._service(name)
        if not self.is_enabled(name):
            raise NotAllowed(
                f"{service.title} is switched off, so nothing was sent.",
                f"Switch it on in the settings, or with 'lamplight services on {name}', if you want it. "
                f"{service.leaves}",
            )
        return service

    def check(self, url: str, service_name: str) -> Destination:
        """Where ``url`` leads, when ``service_name`` may go there.

        Raises ``NotAllowed`` with the reason, or ``RetryError`` when the name of a service cannot be resolved.
        """
        service = self.require(service_name)
        scheme, host, port = split_url(url)
        if scheme not in service.schemes:
            raise NotAllowed(f"{service.title} is reached by {' or '.join(service.schemes)} only, not by {scheme}.")
        if service.hosts and not _is_among(host, service.hosts):
            raise NotAllowed(f"'{host}' does not belong to {service.title}, so nothing was sent there.")
        if not service.is_loopback and not service.hosts:
            raise NotAllowed(f"{service.title} has no server yet, so '{host}' is not reached.")
        return Destination(service.name, scheme, host, port, self._addresses(service, host, port))

    def _service(self, name: str) -> Service:
        if name not in self._services:
            raise NotAllowed(f"There is no service '{name}'.")
        return self._services[name]

    def _addresses(self, service: Service, host: str, port: int) -> tuple[str, ...]:
        addresses = self._look_up(service, host, port)
        for address in addresses:
            if service.is_loopback and not address.is_loopback:
                raise NotAllowed(
                    f"'{host}' is not this machine ({address}); only a server on this machine is allowed here.",
                    "Use 127.0.0.1, ::1 or localhost.",
                )
            # A public name that points into the private network is a trick on whoever trusts that network.
            if not service.is_loopback and not address.is_global:
                raise NotAllowed(f"'{host}' leads to the private address {address}, so nothing was sent there.")
        return tuple(str(address) for address in addresses)

    def _look_up(self, service: Service, host: str, port: int) -> list[Address]:
        literal = _literal(host)
        if literal is not None:
            return [literal]
        try:
            found = [_literal(text) for text in self._resolve(host, port)]
        except (OSError, UnicodeError) as error:
            if service.is_loopback:
                raise NotAllowed(
                    f"'{host}' cannot be resolved to this machine.", "Use 127.0.0.1, ::1 or localhost."
                ) from error
            raise RetryError(f"'{host}' could not be found.", "Check the network connection and try again.") from error
        addresses = [address for address in found if address is not None]
        if not addresses or len(addresses) != len(found):
            raise NotAllowed(f"'{host}' resolves to an address that Lamplight does not understand.")
        return addresses


def split_url(url: str) -> tuple[str, str, int]:
    """(scheme, host, port) of a plain http(s) URL; raises ``NotAllowed`` for anything unusual.

    Parsers disagree on odd forms (user:password@, back slashes, zone ids, 0x7f.1), and a disagreement between the
    check and the connection is a hole: so odd forms are refused rather than interpreted.
    """
    if re.search(r"[\x00-\x20\x7f\\]", url) or not url.isascii():
        raise NotAllowed("The address holds spaces, back slashes or letters that no server address has.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise NotAllowed("The address is not a valid URL.") from error
    if parts.scheme not in ("http", "https"):
        raise NotAllowed("The address must start with http:// or https://.")
    if "@" in parts.netloc:
        raise NotAllowed("The address holds a user name or password; write the host alone.")
    host = (parts.hostname or "").removesuffix(".")
    if not host:
        raise NotAllowed("The address names no host.")
    if port == 0:
        raise NotAllowed("Port 0 cannot be connected to.")
    return parts.scheme, _plain_host(host), port or (443 if parts.scheme == "https" else 80)


def _plain_host(host: str) -> str:
    if "%" in host:
        raise NotAllowed(f"'{host}' holds a zone or an escape; write the plain address.")
    literal = _literal(host)
    if literal is not None:
        return str(literal)
    if ":" in host or not _NAME.fullmatch(host):
        raise NotAllowed(f"'{host}' is not a host name or address.")
    if _NUMERIC_LABEL.fullmatch(host.rsplit(".", 1)[-1]):
        raise NotAllowed(f"'{host}' is an unusual way to write an address; write it as four numbers, like 127.0.0.1.")
    return host


def _literal(text: str) -> Address | None:
    """The address that ``text`` is, IPv4-mapped IPv6 as IPv4; ``None`` for a name or an address with a zone."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id is not None:
            return None
        return address.ipv4_mapped or address
    return address


def _is_among(host: str, allowed: Iterable[str]) -> bool:
    return any(host == entry.removeprefix(".") or (entry[0] == "." and host.endswith(entry)) for entry in allowed)
