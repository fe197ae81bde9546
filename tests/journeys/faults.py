"""Everything that a person may ask of a library, tried while its disk is in trouble.

Run as a program, with numbers of bytes, it limits how large a file may become: to whoever writes, a full disk.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable

from engine.errors import BugError, EngineError
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import NoteKey, SearchRequest, SourceOptions

Verb = Callable[[Library], object]

VERBS: dict[str, Verb] = {
    "sources": lambda library: library.sources(),
    "status": lambda library: library.status("vault"),
    "search": lambda library: library.search(SearchRequest("word7 mode:word")),
    "note": lambda library: library.note("vault", NoteKey("n07.md")),
    "related": lambda library: library.related("vault", "n07"),
    "index": lambda library: library.index("vault", Job()),
    "index full": lambda library: library.index("vault", Job(), full=True),
    "behind": lambda library: library.behind(("vault",)),
    "graph": lambda library: library.graph_call("parse", {"sources": ["vault"]}, Job()),
    "save search": lambda library: library.save_search("new", "bees"),
    "saved searches": lambda library: library.saved_searches(),
    "export": lambda library: library.export_decisions("vault"),
    "settings": lambda library: library.change_settings(dataclasses.replace(library.settings, results=50)),
    "configure": lambda library: library.configure("vault", SourceOptions(exclude=("nothing",))),
    "reply": lambda library: library._held.files.replies().get(["x"]),
}


def try_all(library: Library) -> dict[str, str]:
    """What each verb came to: ``fine``, or the kind of error and its words. One after the other, as in a window that
    stays open while its disk is in trouble."""
    return {name: _said(lambda verb=verb: verb(library)) for name, verb in VERBS.items()}


def _said(work: Callable[[], object]) -> str:
    try:
        work()
    except EngineError as error:
        if isinstance(error, BugError) or not error.remedy:
            raise AssertionError(f"no words that help: {error}") from error
        return f"{type(error).__name__}: {error}"
    return "fine"


if __name__ == "__main__":
    import resource

    # Loaded before: what a disk has of programs is there.
    Library.open(embedder=FakeEmbedder()).close()
    outcomes = {}
    for room in sys.argv[1:]:
        with Library.open(embedder=FakeEmbedder()) as opened:
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(room), resource.RLIM_INFINITY))
            outcomes[room] = try_all(opened)
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    sys.stdout.write(json.dumps(outcomes))
