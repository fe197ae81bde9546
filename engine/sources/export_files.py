"""Writing files where a person says: exports of decisions and of the graph.

Owns the one way such a file is written: whole or not at all, never over a note or anything else of a source, never into
what is no regular file.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from engine.errors import BadRequest, NotAllowed, system_words
from engine.model import Source, SourceKind

_ELSEWHERE = "Choose another place."


def named_file(name: str) -> Path:
    """The file that a person named, as seen from the folder that they are in. Raises ``BadRequest``."""
    if not name.strip():
        raise BadRequest("An export needs a place.", "Give the name of a file.")
    with _no_loops(name):
        return Path(name).expanduser().absolute()


def write_files(files: Sequence[tuple[Path, bytes]], sources: Iterable[Source]) -> list[Path]:
    """Write each file, replacing an older one of its name, once all places are known to be allowed. Returns the places.

    Raises ``BadRequest`` for what is no name of a file, ``NotAllowed`` for a place inside one of ``sources`` or over
    something that is no regular file, and the errors of ``errors.from_system``. What stood there stays then.
    """
    known = list(sources)
    targets = [(_checked(place, known), data) for place, data in files]
    for target, data in targets:
        with system_words(target):
            _replace(target, data)
    return [place for place, _ in files]


def _checked(place: Path, sources: Sequence[Source]) -> Path:
    """Where writing to ``place`` would end, links followed."""
    with _no_loops(place), system_words(place):
        target = place.resolve()
        if target.is_dir():
            raise NotAllowed(f"'{place}' is a folder.", "Give the name of a file in it.")
        if not target.parent.is_dir():
            raise BadRequest(f"There is no folder '{target.parent}'.", _ELSEWHERE)
        if target.exists() and not target.is_file():
            raise NotAllowed(f"'{place}' is not a regular file, so nothing is written to it.", _ELSEWHERE)
    for source in sources:
        if _is_part(target, source):
            raise NotAllowed(
                f"'{place}' belongs to the source '{source.name}', and Lamplight never writes into a source.",
                _ELSEWHERE,
            )
    return target


@contextlib.contextmanager
def _no_loops(place: Path | str) -> Iterator[None]:
    try:
        yield
    except (RuntimeError, ValueError) as error:
        raise BadRequest(f"'{place}' is no place for a file.", _ELSEWHERE) from error


def _is_part(target: Path, source: Source) -> bool:
    if source.kind not in (SourceKind.OBSIDIAN, SourceKind.ROAM_EXPORT):
        return False
    root = Path(source.location)
    if target.is_relative_to(root):
        return True
    # The same folder under another spelling: letters of another case, a mount.
    return any(_is_same(one, root) for one in (target, *target.parents))


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
