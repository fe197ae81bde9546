"""Whether there is a newer Lamplight: one small signed file, asked for only when the owner allows it.

Owns what that file looks like and when it is believed. Must never fetch a program or start one: that is the owner's.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping

import resources
from engine.errors import NotAllowed
from engine.job import Job
from engine.model import Release
from engine.net.client import Client, Failure, NetError, Request
from engine.net.policy import UPDATE_CHECK

PLACE = "https://api.github.com/repos/lamplight-app/lamplight/contents/updates.json?ref=updates"
_RAW = "application/vnd.github.raw+json"
_LARGEST = 20_000
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_PAGE = re.compile(r"https://github\.com/lamplight-app/lamplight/[\w./-]+")


def newer(client: Client, key: bytes, running: str, job: Job) -> Release | None:
    """The newest release if it comes after the version that is ``running``. Raises what ``newest`` raises."""
    release = newest(client, key, job)
    # An older one that is offered again is no update.
    return release if _numbers(release.version) > _numbers(running) else None


def newest(client: Client, key: bytes, job: Job) -> Release:
    """The newest release, on the word of the holder of ``key`` (an Ed25519 public key of 32 bytes).

    Raises ``NotAllowed`` while the owner has not allowed it or when this build has no key, ``NetError`` when there is
    no answer or it is not to be believed, ``Cancelled``.
    """
    client.policy.require(UPDATE_CHECK.name)
    if not key:
        raise NotAllowed(
            "This build holds no key of its makers, so nothing that it was told about updates could be believed.",
            "Ask where you got it from.",
        )
    request = Request(
        PLACE,
        "ask for the newest version",
        service=UPDATE_CHECK.name,
        method="GET",
        headers={"Accept": _RAW},
        deadline=30.0,
        max_bytes=_LARGEST,
        retries=1,
    )
    reply = client.call(request, job)
    if reply.status != 200:
        raise NetError(Failure.BROKEN, f"The project's page answered with status {reply.status}.")
    return believe(reply.body, key)


def believe(body: bytes, key: bytes) -> Release:
    """The release that a signed file names. Raises ``NetError`` unless ``key`` has signed the very text of it."""
    # Loads OpenSSL; nothing but this needs it here.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        outer = json.loads(body)
        text = str(outer["release"]).encode()
        Ed25519PublicKey.from_public_bytes(key).verify(base64.b64decode(outer["signature"], validate=True), text)
        release = _release(json.loads(text))
    except (InvalidSignature, ValueError, KeyError, TypeError, RecursionError):
        raise NetError(Failure.BROKEN, "What was said about updates is not signed by Lamplight's makers.") from None
    return release


def _release(values: Mapping[str, object]) -> Release:
    release = Release(*(str(values[name]) for name in ("version", "commit", "page")))
    fields = ((_VERSION, release.version), (_COMMIT, release.commit), (_PAGE, release.page))
    if not all(pattern.fullmatch(value) for pattern, value in fields):
        raise ValueError("a field is not what it should be")
    return release


def _numbers(version: str) -> tuple[int, ...]:
    found = _VERSION.match(version)
    return tuple(int(part) for part in found.groups()) if found else ()


def makers_key() -> bytes:
    """The public key that this build holds; empty where there is none."""
    file = resources.path("update-key.txt")
    return base64.b64decode(file.read_text("ascii")) if file.is_file() else b""
