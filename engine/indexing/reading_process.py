"""Many notes are read in a process of their own.

To parse them holds the interpreter's lock nearly all the time, which the window and the searches of this process need.
Owns that process and the pipe from it. Only for sources whose notes are files of their own; it speaks to nobody else,
and ends by itself when the other end of the pipe is closed, however that comes.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine.indexing.reading import Batch, in_batches, read_note
from engine.inference.catalog import open_embedder
from engine.inference.ollama import is_ollama
from engine.job import Job
from engine.model import Note, NoteRef, Source, SourceKind
from engine.paths import Home
from engine.ranking.words import PostingBatch

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ReadApart = Callable[[Sequence[NoteRef], Job], Iterator[Batch]]

MANY = 100
"""With fewer notes, to start the process takes longer than to read them."""
LOOK_SECONDS = 0.05
"""How long a cancelled job may go unnoticed."""
NOTES_PER_PIECE = 10
"""To take a piece in holds the interpreter's lock."""
NOTES_PER_WORD = 20
"""Notes between two words on how far reading has come."""


class Step(NamedTuple):
    """How far reading has come."""

    done: int
    title: str
    """Of the next note."""


Message = Step | list[Note] | PostingBatch | None
"""Notes of a batch come in pieces, and its words at its end; None when nothing is left."""


class ReadingEnded(Exception):
    """The process ended before it had read everything, or could not be started."""


def can_read_apart(source: Source) -> bool:
    return source.kind is SourceKind.OBSIDIAN and not is_ollama(source.options.model)


def read_apart(source: Source, home: Home, refs: Sequence[NoteRef], job: Job) -> Iterator[Batch]:
    """The notes of ``refs`` in their order. Raises ``ReadingEnded`` and ``Cancelled``, after whole batches only."""
    import multiprocessing  # 20 ms, which no search needs.

    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_read, args=(there, source, home, tuple(refs)), daemon=True)
    try:
        process.start()
    except OSError as error:
        here.close()
        raise ReadingEnded from error
    finally:
        there.close()
    notes: list[Note] = []
    try:
        while (message := _next(here, job)) is not None:
            match message:
                case Step(done, title):
                    job.report("reading", done, len(refs), title)
                case PostingBatch():
                    yield notes, message
                    notes = []
                case _:
                    notes += message
    except (EOFError, OSError) as error:
        raise ReadingEnded from error
    finally:
        here.close()
        process.kill()  # It has said all, or nobody listens any more; it holds nothing that could be lost.
        process.join()
        process.close()


def _next(pipe: Connection, job: Job) -> Message:
    while not pipe.poll(LOOK_SECONDS):
        job.check()
    job.check()
    message: Message = pipe.recv()
    return message


def _read(pipe: Connection, source: Source, home: Home, refs: Sequence[NoteRef]) -> None:
    """In the other process."""
    from engine.sources.obsidian import ObsidianReader

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # It is the other end that decides when to stop.
    spans = open_embedder(source.options.model, home).token_spans
    reader = ObsidianReader(Path(source.location), source.options, spans)

    def notes() -> Iterator[Note]:
        for number, ref in enumerate(refs):
            if number % NOTES_PER_WORD == 0:
                pipe.send(Step(number, ref.title or ref.key))
            yield read_note(reader, ref)

    with contextlib.suppress(BrokenPipeError):  # Nobody waits for more.
        for batch, words in in_batches(notes()):
            for start in range(0, len(batch), NOTES_PER_PIECE):
                pipe.send(batch[start : start + NOTES_PER_PIECE])
            pipe.send(words)
        pipe.send(None)
