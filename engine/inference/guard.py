"""What is left when native code takes the process with it: a small file that says what was being done.

Owns that file, and the embedder that marks each of its calls there and rests for one session after the model has
crashed by itself (safe mode: words are searched alone). The file holds names of steps and hashes of note keys, never
text. A step costs two small writes and no wait for the disk: it is the process that may die, not the machine.
"""

from __future__ import annotations

import contextlib
import faulthandler
import hashlib
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import TextIO

from engine.errors import EngineError, ModelUnavailable
from engine.files import read_ordinary
from engine.inference.base import Embedder, TokenSpans, Vectors
from engine.paths import open_log, write_atomically

LOAD, EMBED, READ = "load", "embed", "read"
SAFE_AFTER = 3
"""Crashes of the model one after the other, without a text embedded in between, that no note explains any more."""


@dataclass(frozen=True, slots=True)
class Death:
    """How the process before this one ended, as far as it was inside a marked step."""

    steps: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()
    """Hashes (``note_mark``) of the notes that were being read or embedded."""
    crashed: bool = False
    """Native code crashed, by the trace in the log. Otherwise it was killed, or the machine lost its power."""


def note_mark(source: str, key: str) -> str:
    return hashlib.sha256(f"{source}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


class CrashMark:
    """The file. One per process that holds a library; safe from several threads."""

    def __init__(self, file: Path, crash_log: Path) -> None:
        self._file = file
        self._log = crash_log
        self._lock = threading.Lock()
        self._inside: dict[int, tuple[str, tuple[str, ...]]] = {}
        before, self._streak = _read(file, _size(crash_log))
        self.death = before
        """Of the process before."""
        self._taken: set[str] = set()
        self.is_safe = before.crashed and (LOAD in before.steps or self._streak >= SAFE_AFTER)
        """The model crashed by itself: it rests in this session, and is tried again in the next."""
        self._streak = min(self._streak, SAFE_AFTER - 1)
        self._output: TextIO | None = None
        self._handle: FileIO | None = None
        with contextlib.suppress(EngineError, OSError):  # a disk that cannot be written to is no reason not to search
            if not faulthandler.is_enabled():
                self._output = open_log(crash_log)
                faulthandler.enable(self._output)
            write_atomically(file, self._content())
            self._handle = file.open("r+b", buffering=0)

    @property
    def notice(self) -> str:
        """What the person is told at this start; empty after a proper end, and when it was killed from outside."""
        if not self.death.crashed:
            return ""
        if self.is_safe:
            return (
                "The embedding model ended Lamplight the last time. In this session it rests, and words alone are "
                "searched; at the next start it is tried again."
            )
        return (
            "Lamplight ended the last time while it was reading or embedding a note. The notes in question are now "
            "tried one by one; one that ends it twice is left alone."
        )

    def close(self) -> None:
        if self._handle is not None:
            self._handle.close()
            self._handle = None
        if self._output is not None:
            faulthandler.disable()
            self._output.close()
            self._output = None

    @contextlib.contextmanager
    def inside(self, step: str, notes: Sequence[str] = ()) -> Iterator[None]:
        """Mark that this thread is in ``step``, with these notes, until the body ends in whatever way."""
        thread = threading.get_ident()
        outer = self._inside.get(thread)
        self._set(thread, (step, tuple(notes) or (outer[1] if outer else ())))
        try:
            yield
        finally:
            self._set(thread, outer)

    def take(self, note: str) -> bool:
        """Whether the process before was at this note; True once, for then it has been dealt with."""
        if note not in self.death.notes or note in self._taken:
            return False
        self._taken.add(note)
        return True

    def worked(self) -> None:
        """The model has embedded something."""
        self._streak = 0

    def _set(self, thread: int, step: tuple[str, tuple[str, ...]] | None) -> None:
        with self._lock, contextlib.suppress(OSError):
            if step is None:
                self._inside.pop(thread, None)
            else:
                self._inside[thread] = step
            if self._handle is not None:
                content = self._content()
                self._handle.seek(0)
                self._handle.write(content)
                self._handle.truncate(len(content))

    def _content(self) -> bytes:
        steps = [step for step, _ in self._inside.values()]
        notes = [note for _, notes in self._inside.values() for note in notes]
        return json.dumps({"steps": steps, "notes": notes, "log": _size(self._log), "streak": self._streak}).encode()


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _read(file: Path, log_size: int) -> tuple[Death, int]:
    """What the process before left behind, and how often the model has crashed in a row, that time included."""
    try:
        values = json.loads(read_ordinary(file))
        steps, notes = (frozenset(map(str, values[name])) for name in ("steps", "notes"))
        streak, log = int(values["streak"]), int(values["log"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return Death(), 0
    crashed = bool(steps) and log_size > log  # a log that has been put away since is shorter
    return Death(steps, notes, crashed), streak + (crashed and bool(steps & {LOAD, EMBED}))


class GuardedEmbedder:
    """An ``Embedder`` that marks its calls, and does not embed at all in safe mode. Cutting text goes on."""

    def __init__(self, embedder: Embedder, mark: CrashMark) -> None:
        self._embedder = embedder
        self._mark = mark
        self._has_worked = False

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    @property
    def languages(self) -> frozenset[str]:
        return self._embedder.languages

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self._warm_up()
        with self._mark.inside(EMBED):
            vectors = self._embedder.embed_documents(texts)
        self._mark.worked()
        return vectors

    def embed_query(self, text: str) -> Vectors:
        self._warm_up()
        # A question is no note: what crashes here is the model, or a text that is not asked again by itself.
        with self._mark.inside(EMBED):
            return self._embedder.embed_query(text)

    def token_spans(self, texts: Sequence[str]) -> list[TokenSpans]:
        return self._embedder.token_spans(texts)

    def _warm_up(self) -> None:
        """Load the model before any note is at stake, so that a crash is blamed on the right one of the two."""
        if self._mark.is_safe:
            raise ModelUnavailable(
                "The embedding model ended Lamplight the last time, so it rests: words alone are searched and indexed.",
                "It is tried again at the next start. If that ends the same way, set Lamplight up again.",
            )
        if not self._has_worked:
            with self._mark.inside(LOAD):
                self._embedder.embed_query("lamp")
            self._has_worked = True
