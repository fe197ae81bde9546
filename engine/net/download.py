"""Downloading large files: piece by piece, resumable, and kept only when size and SHA-256 are the promised ones.

Goes through the one client, so the policy decides whether the owner has agreed; without that nothing is sent.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.errors import BadRequest, DiskFull, RetryError
from engine.job import Job
from engine.net.client import Client, Failure, NetError, Reply, Request
from engine.net.ledger import Ledger
from engine.net.policy import MODEL_DOWNLOAD, Policy, Service, split_url

PIECE = 8 * 1024 * 1024
"""Bytes asked for at once. What arrived is on the disk before the next is asked for."""
_PARTIAL, _OK, _NOT_SATISFIABLE = 206, 200, 416
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHA = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file whose content is known before it is fetched."""

    name: str
    url: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of one model and where they are offered."""

    model: str
    """Name of its folder."""
    name: str
    licence: str
    files: tuple[RemoteFile, ...]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(sorted({split_url(file.url)[1] for file in self.files}))


def read_manifest(path: Path) -> Manifest:
    """A manifest from a TOML file: ``model``, ``name``, ``licence`` and ``[[files]]`` with name, url, size, sha256.

    Raises ``BadRequest`` saying what is wrong.
    """
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadRequest(f"{path} is no list of files ({error}).") from error
    files = values.get("files")
    if not isinstance(files, list) or not files:
        raise BadRequest(f"{path} names no files.", "It needs [[files]] with name, url, size and sha256.")
    found = tuple(_remote_file(path, entry) for entry in files)
    if len({file.name for file in found}) != len(found):
        raise BadRequest(f"{path} names a file twice.")
    texts = [str(values.get(field) or "") for field in ("model", "name", "licence")]
    if not _FILE_NAME.fullmatch(texts[0]):
        raise BadRequest(f"{path} does not say which model it is.", "Add a line: model = 'name-of-its-folder'.")
    return Manifest(texts[0], texts[1] or texts[0], texts[2], found)


def _remote_file(path: Path, entry: Any) -> RemoteFile:
    given: Mapping[str, Any] = entry if isinstance(entry, dict) else {}
    name, url, size, digest = (given.get(field) for field in ("name", "url", "size", "sha256"))
    if not isinstance(name, str) or not _FILE_NAME.fullmatch(name):
        raise BadRequest(f"{path}: {name!r} is not the name of a file.")
    if not isinstance(url, str) or not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise BadRequest(f"{path}: '{name}' needs a url and a size in bytes.")
    if not isinstance(digest, str) or not _SHA.fullmatch(digest.lower()):
        raise BadRequest(f"{path}: '{name}' needs the SHA-256 of its content.", "Without it nothing is downloaded.")
    return RemoteFile(name, url, size, digest.lower())


def consented_client(manifest: Manifest, ledger: Ledger | None = None, *, policy: Policy | None = None) -> Client:
    """A client that may reach the hosts of ``manifest`` for model downloads and nothing else.

    To be made only after the owner has agreed to those hosts.
    """
    offered = replace(MODEL_DOWNLOAD, hosts=manifest.hosts)
    return Client(policy or Policy((offered.name,), services=(offered,)), ledger)


def download_all(
    client: Client, manifest: Manifest, folder: Path, job: Job, *, service: Service = MODEL_DOWNLOAD
) -> None:
    """Every file of a manifest into ``folder``; what is there already and right is not fetched again."""
    for file in manifest.files:
        download(client, file, folder / file.name, job, service=service.name)


def download(client: Client, file: RemoteFile, target: Path, job: Job, *, service: str = MODEL_DOWNLOAD.name) -> None:
    """Fetch one file to ``target``. Stopped or broken off, it goes on from where it was the next time.

    Raises ``NotAllowed`` without the owner's consent, ``NetError``, ``Cancelled``, ``DiskFull``, and ``RetryError``
    when what came is not what was promised (then nothing of it is kept).
    """
    if target.is_file() and _is_right(target, file):
        return
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if part.exists() and part.stat().st_size > file.size:
            part.unlink()
        with part.open("ab") as out:
            while (have := out.tell()) < file.size:
                job.check()
                job.report("download", have, file.size, file.name)
                out.write(_piece(client, file, have, service, job))
                out.flush()
    except OSError as error:
        raise DiskFull(f"'{target.name}' cannot be written ({error.strerror}).", "Free some space.") from error
    job.report("download", file.size, file.size, file.name)
    if not _is_right(part, file):
        part.unlink()
        raise RetryError(
            f"What was sent as '{file.name}' is not what was promised: its checksum is another. It was thrown away.",
            "Try again later; if it happens again, do not trust the place it came from.",
        )
    part.replace(target)


def _piece(client: Client, file: RemoteFile, start: int, service: str, job: Job) -> bytes:
    """The bytes from ``start``, at most a piece of them."""
    end = min(start + PIECE, file.size) - 1
    request = Request(
        file.url,
        "download a model",
        service,
        method="GET",
        headers={"range": f"bytes={start}-{end}", "accept": "*/*"},
        deadline=600.0,
        max_bytes=PIECE,
        retries=3,
        redirects=3,
    )
    try:
        reply = client.call(request, job)
    except NetError as error:
        if error.kind is Failure.TOO_LARGE:
            raise NetError(
                Failure.BROKEN, f"The server sends '{file.name}' in one piece only, which cannot be resumed."
            ) from error
        raise
    return _checked(reply, file, start, end)


def _checked(reply: Reply, file: RemoteFile, start: int, end: int) -> bytes:
    wanted = end - start + 1
    if reply.status == _OK and len(reply.body) == file.size:
        # The server ignores ranges; a small file came whole.
        return reply.body[start:]
    if reply.status == _PARTIAL and len(reply.body) == wanted and _starts_at(reply, start, file.size):
        return reply.body
    if reply.status in (_PARTIAL, _OK, _NOT_SATISFIABLE):
        raise NetError(Failure.BROKEN, f"The server's '{file.name}' has another size than was promised.")
    raise NetError(Failure.BROKEN, f"The server has no '{file.name}' to give (status {reply.status}).")


def _starts_at(reply: Reply, start: int, size: int) -> bool:
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", reply.headers.get("content-range", "").strip())
    return found is not None and int(found[1]) == start and found[2] in (str(size), "*")


def _is_right(path: Path, file: RemoteFile) -> bool:
    if path.stat().st_size != file.size:
        return False
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest() == file.sha256
