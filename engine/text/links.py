"""Where a wikilink leads: the rules by which Obsidian finds the note of a name. Pure.

Names are compared without case and in one Unicode form. A name that fits no note, or several, is an answer
of its own: such links are shown, not dropped. Aliases do not resolve links.
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.model import NoteKey


class LinkState(StrEnum):
    RESOLVED = "resolved"
    UNRESOLVED = "unresolved"
    """No note has this name: it is yet to be written."""
    AMBIGUOUS = "ambiguous"
    """Several notes fit; ``note`` is the one that Obsidian opens."""


@dataclass(frozen=True, slots=True)
class Resolution:
    state: LinkState
    note: NoteKey | None = None
    candidates: tuple[NoteKey, ...] = ()
    """All notes that fit, best first."""


@dataclass(frozen=True, slots=True)
class LinkIndex:
    """The notes of one vault by folded file name."""

    by_name: Mapping[str, tuple[tuple[str, NoteKey], ...]] = field(default_factory=dict)
    """Folded file name -> (folded path, key)."""


def fold_path(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def index_paths(keys: Iterable[NoteKey]) -> LinkIndex:
    by_name: dict[str, list[tuple[str, NoteKey]]] = {}
    for key in keys:
        folded = fold_path(key)
        by_name.setdefault(folded.rsplit("/", 1)[-1], []).append((folded, key))
    return LinkIndex({name: tuple(sorted(entries)) for name, entries in by_name.items()})


def resolve(target: str, source: NoteKey, index: LinkIndex) -> Resolution:
    """The note that ``[[target]]`` in the note ``source`` leads to; an empty target is the note itself."""
    wanted = fold_path(target.strip())
    if not wanted:
        return Resolution(LinkState.RESOLVED, source, (source,))
    folder = fold_path(source).rpartition("/")[0]
    if wanted.startswith(("./", "../")):
        return _exact(posixpath.normpath(posixpath.join(folder, wanted)), index)
    if wanted.startswith("/"):
        return _exact(wanted.lstrip("/"), index)
    return _by_suffix(wanted, folder, index)


def _entries(path: str, index: LinkIndex) -> list[tuple[str, str, NoteKey]]:
    """(name as wanted, folded path, key) of the notes with the last segment of ``path``."""
    spellings = [f"{path}.md"] if "." not in path.rsplit("/", 1)[-1] else [path, f"{path}.md"]
    return [
        (spelling, folded, key)
        for spelling in spellings
        for folded, key in index.by_name.get(spelling.rsplit("/", 1)[-1], ())
    ]


def _exact(path: str, index: LinkIndex) -> Resolution:
    return _answer([key for spelling, folded, key in _entries(path, index) if folded == spelling])


def _by_suffix(wanted: str, folder: str, index: LinkIndex) -> Resolution:
    entries = _entries(wanted, index)
    if "/" in wanted:
        exact = [key for spelling, folded, key in entries if folded == spelling]
        if exact:
            return _answer(exact)
    fitting = [(folded, key) for spelling, folded, key in entries if folded.endswith(spelling)]
    root = [key for folded, key in fitting if "/" not in folded]
    if root and len(fitting) > 1:
        # A note at the top is the exact path of its bare name.
        others = [key for folded, key in fitting if "/" in folded]
        return _answer([*root, *others])
    below = f"{folder}/" if folder else ""
    fitting.sort(key=lambda entry: (not entry[0].startswith(below), len(entry[0]), entry[0]))
    return _answer([key for _, key in fitting])


def _answer(keys: list[NoteKey]) -> Resolution:
    if not keys:
        return Resolution(LinkState.UNRESOLVED)
    state = LinkState.RESOLVED if len(keys) == 1 else LinkState.AMBIGUOUS
    return Resolution(state, keys[0], tuple(keys))
