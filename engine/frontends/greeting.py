"""How a client of the channel finds the host and the two prove that they may talk.

Light, so that a process that asks one thing and ends pays for nothing else: no messages of ``protocol.py``, only what
comes before them. The standard library's own challenge is not used: it cannot be given a time limit, carries no
version, and needs MD5 on Python 3.11, which some systems forbid.
"""

from __future__ import annotations

import hmac
import json
import os
import sys

from engine.errors import BadRequest

TYPE_CHECKING = False  # see ``engine.paths``
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Wire(Protocol):
        """What is used of the standard library's ``Connection``."""

        def send_bytes(self, data: bytes, /) -> None: ...
        def recv_bytes(self, limit: int, /) -> bytes: ...
        def poll(self, seconds: float, /) -> bool: ...


ADDRESS = "host.json"
"""Name of the file, among the data, in which the host says where it listens."""
VERSIONS = (2, 1)
"""Versions of the protocol that this program speaks, newest first."""
LONGEST_REQUEST = 1_000_000
LONGEST_ANSWER = 64_000_000
"""Bytes of one message. A note of the largest size that is indexed fits several times."""
LONGEST_GREETING = 4096
PATIENCE = 5.0
"""Seconds that either side waits for the other's next word while they introduce themselves."""


class HostGone(Exception):
    """Nobody answers, or the host went away before it took the request on: asking again elsewhere is safe."""


class BadMessage(Exception):
    """The other side sent something that is not a message of this protocol."""


def family() -> str:
    return "AF_PIPE" if sys.platform == "win32" else "AF_UNIX"


def proof(key: str, side: str, host_nonce: str, client_nonce: str) -> str:
    text = f"{side}:{host_nonce}:{client_nonce}"
    return hmac.new(key.encode(), text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def introduce(wire: Wire, key: str) -> int:
    """The client's side: the version that both speak. Raises ``BadRequest`` when they have none in common."""
    hello = _heard(wire, "hello")
    shared = [version for version in VERSIONS if version in hello["versions"]]
    if not shared:
        raise BadRequest(
            "The Lamplight that has the library open is of another version.", "Quit it, or update both to one version."
        )
    nonce = os.urandom(16).hex()
    reply = {
        "type": "reply",
        "version": shared[0],
        "nonce": nonce,
        "proof": proof(key, "client", hello["nonce"], nonce),
    }
    wire.send_bytes(json.dumps(reply).encode())
    welcome = _heard(wire, "welcome")
    if not hmac.compare_digest(welcome["proof"].encode(), proof(key, "host", hello["nonce"], nonce).encode()):
        raise BadMessage("the host does not know the key")
    return shared[0]


_KINDS: dict[str, dict[str, type]] = {"hello": {"versions": list, "nonce": str}, "welcome": {"proof": str}}


def _heard(wire: Wire, kind: str) -> dict[str, Any]:
    """The host's next word. Raises ``BadMessage`` unless it is of ``kind``, ``EOFError`` or ``OSError`` if it left."""
    if not wire.poll(PATIENCE):
        raise OSError("the other side does not answer")
    try:
        message = json.loads(wire.recv_bytes(LONGEST_GREETING))
    except (ValueError, RecursionError) as error:
        raise BadMessage(str(error)) from error
    fields = _KINDS[kind]
    if not isinstance(message, dict) or message.get("type") != kind:
        raise BadMessage(f"no {kind}")
    if not all(isinstance(message.get(name), wanted) for name, wanted in fields.items()):
        raise BadMessage(f"an incomplete {kind}")
    return message
