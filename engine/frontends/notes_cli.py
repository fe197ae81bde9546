"""Commands about notes: ``why`` one is not found, what is ``related``, which may be ``duplicates``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.errors import BadRequest, UnknownNote
from engine.frontends import render, shapes
from engine.frontends.progress import TerminalJob, stoppable
from engine.frontends.terminal import Add, open_library, out, out_json
from engine.model import DuplicatePair, RelatedNote, SourceId, WhyNot

if TYPE_CHECKING:
    from engine.frontends.attach import AnyLibrary


def add_commands(add: Add) -> None:
    why = add("why", _why)
    why.add_argument("note", help="title, path, alias or uid")
    why.add_argument("query", nargs="+")
    why.add_argument("--source", action="append", default=[], metavar="NAME", help="only this source (repeatable)")

    related = add("related", _related)
    related.add_argument("note", help="title, path, alias or uid")
    related.add_argument("--source", default="", metavar="NAME", help="where the note is, if that is not clear")
    related.add_argument("--folder", default="", help="only notes below this folder")
    related.add_argument("-k", type=int, default=10, metavar="N", help="notes to list (default 10)")

    duplicates = add("duplicates", _duplicates)
    duplicates.add_argument("--source", action="append", default=[], metavar="NAME", help="only this source")
    duplicates.add_argument("-k", type=int, default=20, metavar="N", help="pairs to list (default 20)")


def _why(args: argparse.Namespace) -> int:
    query = " ".join(args.query)
    with open_library() as library:
        found = library.why_not(args.note, query, tuple(args.source))
    if args.json:
        out_json(shapes.why(found, query))
    else:
        out(why_text(found))
    return 0 if found.is_known else 1


def why_text(found: WhyNot) -> str:
    name = render.printable(found.note)
    if not found.is_known:
        near = f" Did you mean: {', '.join(map(render.printable, found.near))}?" if found.near else ""
        return "\n".join([f"{name} is not in the index.{near}", *map(render.printable, found.reasons)])
    where = f"number {found.rank} of the result" if found.rank else "not in the result"
    lines = [
        f"{name} ({render.printable(found.source_name)}) is {where}.",
        f"  {found.state}, {found.freshness.value}, {found.passages:,} passages, {found.vectors:,} by meaning",
    ]
    for place in found.places:
        rank = f"passage number {place.rank}, score {place.score:.3f}" if place.rank else "not ranked"
        best = (
            f"; first is {render.printable(place.best_title)} with {place.best_score:.3f}" if place.best_title else ""
        )
        lines.append(f"  by {place.name}: {rank}{best}")
    return "\n".join([*lines, *(f"  {render.printable(reason)}" for reason in found.reasons)])


def _source_of(library: AnyLibrary, note: str) -> str:
    """The one source that has the note. Raises ``UnknownNote`` when none has it, ``BadRequest`` when several have."""
    names = [source.name for source in library.registered()]
    if len(names) == 1:
        return names[0]
    holding = [name for name in names if _holds(library, name, note)]
    if not holding:
        raise UnknownNote(f"No source has a note '{note}'.", "Index again if it is new.")
    if len(holding) > 1:
        raise BadRequest(f"'{note}' is in several sources: {', '.join(holding)}.", "Name one with --source.")
    return holding[0]


def _holds(library: AnyLibrary, source: str, note: str) -> bool:
    try:
        library.find_note(source, note)
    except UnknownNote:
        return False
    return True


def _related(args: argparse.Namespace) -> int:
    with open_library() as library:
        source = args.source or _source_of(library, args.note)
        found = library.related(source, args.note, folder=args.folder, limit=args.k)
    if args.json:
        out_json(shapes.document(note=args.note, related=[shapes.related(one) for one in found]))
    else:
        out("\n".join(map(related_text, found)) or "No related notes.")
    return 0


def related_text(one: RelatedNote) -> str:
    marks = "".join(f"  {mark}" for mark, is_set in (("linked", one.is_linked), ("pinned", one.is_pinned)) if is_set)
    best = one.row.hits[0]
    place = render.printable(f"[{best.source_name}] {one.row.note}")
    return f"{one.row.score:.3f}  {render.printable(one.row.title)}  {place}{marks}"


def _duplicates(args: argparse.Namespace) -> int:
    job = TerminalJob()
    with open_library() as library, stoppable(job):
        pairs = library.duplicates(tuple(args.source), job, limit=args.k)
        names = {source.id: source.name for source in library.registered()}
    job.finish()
    if args.json:
        out_json(shapes.document(pairs=[shapes.pair(one, names) for one in pairs]))
    else:
        out("\n".join(pair_text(one, names) for one in pairs) or "No notes that say nearly the same.")
    return 0


def pair_text(pair: DuplicatePair, names: Mapping[SourceId, str]) -> str:
    share = f"{pair.cosine:.3f} alike, {pair.shared_words:.0%} of the words shared"
    notes = ((pair.source, pair.note), (pair.other_source, pair.other_note))
    return "\n".join([share, *(render.printable(f"  [{names[source]}] {note}") for source, note in notes)])
