"""``lamplight graph``: the knowledge graph on the command line.

Every command asks the library for one document (``linking/commands.py``); ``--json`` prints it, otherwise the function
beside the command turns it into text.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from engine.frontends import graph_model_cli, shapes
from engine.frontends.progress import TerminalJob, stoppable
from engine.frontends.render import printable
from engine.frontends.terminal import Add, open_library, out, out_json, real
from engine.sources.export_files import named_file

if TYPE_CHECKING:
    _Commands = argparse._SubParsersAction[argparse.ArgumentParser]

Document = dict[str, Any]
Text = Callable[[Document], str]

_QUOTE = 160
_NOT_OPTIONS = frozenset({"run", "command", "verb", "json", "text"})


def add_commands(add: Add) -> None:
    """Register ``graph`` and all its commands."""
    verbs = add("graph", None).add_subparsers(dest="verb", metavar="COMMAND", required=True)
    _add_building(verbs)
    _add_looking(verbs)
    _add_merges(verbs)
    graph_model_cli.add_commands(verbs, _verb)


def _verb(verbs: _Commands, name: str, help_: str, text: Text) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=help_, description=help_[0].upper() + help_[1:] + ".")
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout")
    parser.add_argument(
        "--source", action="append", default=[], dest="sources", metavar="NAME", help="only this source (repeatable)"
    )
    parser.set_defaults(run=_run, text=text)
    return parser


def _run(args: argparse.Namespace) -> int:
    options = {name: value for name, value in vars(args).items() if name not in _NOT_OPTIONS}
    if "place" in options:
        # The process that writes may work in another folder.
        options["place"] = str(named_file(options["place"]))
    job = TerminalJob()
    with open_library() as library, stoppable(job):
        document = library.graph_call(args.verb, options, job)
    job.finish()
    if args.json:
        out_json(shapes.document(**document))
    else:
        out(args.text(document))
    return 0


# --- commands -----------------------------------------------------------------------------------------------------


def _add_building(verbs: _Commands) -> None:
    parse = _verb(verbs, "parse", "read what notes, links, tags, attributes and properties say (no model)", parse_text)
    parse.add_argument("--full", action="store_true", help="read every note anew")

    resolve = _verb(verbs, "resolve", "merge what is certainly one thing; list what may be", resolve_text)
    resolve.add_argument("--preview", action="store_true", help="show what would change, change nothing")
    resolve.add_argument("--model", default="", help="let this language model sort what is ambiguous")
    resolve.add_argument("--server", default="", metavar="URL|openrouter", help="where the model is")
    resolve.add_argument("--by-meaning", action="store_true", help="also compare names by the embedding model")

    _verb(verbs, "assemble", "join the sources into one graph and check that every claim has its proof", assemble_text)
    _verb(verbs, "stats", "how much there is, by source, type and predicate", stats_text)

    export = _verb(verbs, "export", "write the graph to a file", lambda document: "\n".join(document["files"]))
    export.add_argument("place", help="file to write; CSV makes two, named after it")
    export.add_argument("--form", choices=("graphml", "csv", "json", "markdown"), default="graphml")


def _add_looking(verbs: _Commands) -> None:
    pages = _verb(verbs, "pages", "list entities, the best connected first", pages_text)
    pages.add_argument("match", nargs="?", default="", help="part of a name or alias")
    pages.add_argument("--type", default="", help="note, page, tag, person, org, place ...")
    pages.add_argument("--unresolved", action="store_true", help="only names without a note of their own")
    pages.add_argument("--ambiguous", action="store_true", help="only notes to which a link of several meanings leads")
    _counted(pages, 50)

    path = _verb(verbs, "path", "how two entities or notes are connected", path_text)
    path.add_argument("start")
    path.add_argument("end")
    path.add_argument("--max-hops", type=int, default=6, metavar="N", help="longest path (default 6)")
    _filtered(path)
    _counted(path, 3)

    near = _verb(verbs, "near", "what is next to an entity", near_text)
    near.add_argument("entity")
    near.add_argument("--hops", type=int, default=1, metavar="N")
    _filtered(near)
    _counted(near, 50)

    timeline = _verb(verbs, "timeline", "what was said about an entity, oldest first", timeline_text)
    timeline.add_argument("entity")

    groups = _verb(verbs, "communities", "what belongs together, hubs, bridges and gaps", communities_text)
    groups.add_argument("--resolution", type=real, default=1.0, help="higher makes more and smaller communities")
    groups.add_argument("--daily", action="store_true", help="with daily notes")
    _counted(groups, 10)


def _add_merges(verbs: _Commands) -> None:
    merges = _verb(verbs, "merges", "the ledger of what is one thing: list it, decide, undo", merges_text)
    merges.add_argument(
        "action", nargs="?", default="list", choices=("list", "same", "never", "split", "undo", "redo"),
        help="same A B: these are one; never A B: never merge them; split A: take A out; undo N; redo N",
    )  # fmt: skip
    merges.add_argument("names", nargs="*", help="names, ids or source:name; for undo and redo the numbers of entries")
    merges.add_argument("--why", default="", help="a note for the ledger")
    merges.add_argument("--all", action="store_true", help="list undone entries too")
    merges.add_argument("--proposed", action="store_true", help="list what may be one thing but is not merged")


def _counted(parser: argparse.ArgumentParser, default: int) -> None:
    parser.add_argument(
        "-k", type=int, default=default, dest="count", metavar="N", help=f"how many (default {default})"
    )


def _filtered(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--predicate", action="append", default=[], dest="predicates", metavar="P", help="only these")
    parser.add_argument("--without", action="append", default=[], metavar="P", help="not through this predicate")
    parser.add_argument("--origin", choices=("written", "inferred"), default="")
    parser.add_argument("--min-confidence", type=real, default=0.0, metavar="X")
    parser.add_argument(
        "--max-degree", type=int, default=None, metavar="N", help="not through entities with more relations"
    )
    parser.add_argument("--daily", action="store_true", help="also through daily notes")


# --- text ---------------------------------------------------------------------------------------------------------


def parse_text(document: Document) -> str:
    return "\n".join(
        f"{printable(one['name'])}: {one['notes']:,} notes, {one['parsed']:,} read, {one['removed']:,} gone, "
        f"{one['facts']:,} facts written in {one['seconds']:.1f} s"
        + (f"; {one['unknown_blocks']:,} references to unknown blocks" if one["unknown_blocks"] else "")
        for one in document["reports"]
    )


def resolve_text(document: Document) -> str:
    names = document["sources"]
    would = "would be " if document["preview"] else ""
    lines = [
        f"{document['entities']:,} things, {document['merged']:,} of them merged; {len(document['added']):,} merges "
        f"{would}added, {len(document['withdrawn']):,} {would}withdrawn, {len(document['proposals']):,} groups open."
    ]
    lines += [f"+ {_entry(one, names)}" for one in document["added"]]
    lines += [f"- {_entry(one, names)}" for one in document["withdrawn"]]
    return "\n".join(lines + _proposals(document))


def assemble_text(document: Document) -> str:
    one = document["assembly"]
    holes = one["without_evidence"] + one["without_quote"] + one["dangling"]
    return (
        f"{one['entities']:,} entities ({one['unresolved']:,} without a note, {one['merged']:,} names merged into "
        f"others), {one['relations']:,} relations ({one['written']:,} written, {one['inferred']:,} inferred, "
        f"{one['ambiguous']:,} ambiguous), {one['evidence']:,} quotes.\n"
        + ("Every relation cites its block." if not holes else f"{holes:,} claims lack their proof.")
    )


def stats_text(document: Document) -> str:
    lines = [
        f"{printable(one['name'])}: {one['notes']:,} notes, {one['entities']:,} things, {one['relations']:,} "
        f"relations, {one['written']:,} facts written, {one['inferred']:,} inferred, {one['unresolved']:,} unresolved, "
        f"{one['ambiguous']:,} ambiguous"
        for one in document["sources"]
    ]
    lines += [assemble_text(document), f"types: {_counts(document['types'])}"]
    return "\n".join([*lines, f"predicates: {_counts(document['predicates'])}", f"merges: {document['merges']:,}"])


def pages_text(document: Document) -> str:
    if not document["entities"]:
        return "Nothing fits."
    lines = [
        f"{one['degree']:>5}  {printable(one['name'])}  ({one['type']}{'' if one['is_written'] else ', no note'})"
        + (f"  = {printable(', '.join(one['aliases']))}" if one["aliases"] else "")
        for one in document["entities"]
    ]
    more = document["total"] - len(document["entities"])
    return "\n".join([*lines, f"{more:,} more: use -k"] if more else lines)


def path_text(document: Document) -> str:
    if not document["paths"]:
        return f"No path from {_name(document['from'])} to {_name(document['to'])} within these limits."
    lines: list[str] = []
    for number, path in enumerate(document["paths"], 1):
        lines.append(f"{number}. " + " › ".join(_name(one) for one in path["entities"]))
        for hop in path["hops"]:
            lines += [f"   {_claim(step)}\n      {_proof(step['evidence'][0])}" for step in hop[:3]]
    return "\n".join(lines)


def near_text(document: Document) -> str:
    lines = [f"{_name(document['entity'])} ({document['entity']['type']})"]
    for step in document["relations"]:
        lines += [f"   {_claim(step)}", f"      {_proof(step['evidence'][0])}"]
    further = [one for one in document["near"] if one["hops"] > 1]
    return "\n".join(lines + [f"   {one['hops']} hops: {_name(one)}" for one in further])


def timeline_text(document: Document) -> str:
    lines = [f"{_name(document['entity'])} ({document['entity']['type']})"]
    for one in document["moments"]:
        day = (one["at"] or "no date   ")[:10] + (" (file date)" if one["dated_by"] == "file" else "")
        lines.append(f"{day}  {printable(one['predicate'])} {_name(one['other'])}: {_proof(one['evidence'])}")
    return "\n".join(lines)


def communities_text(document: Document) -> str:
    labels = [printable(" · ".join(one["label"])) for one in document["communities"]]
    lines = [
        f"{number}. {label} ({len(one['members'])} entities, {one['inside']} relations)"
        for number, (label, one) in enumerate(zip(labels, document["communities"], strict=True), 1)
    ]
    lines += [f"hub: {_name(one)}, {one['neighbours']} neighbours" for one in document["hubs"]]
    lines += [
        f"bridge: {_name(one)} touches {', '.join(str(number + 1) for number in one['communities'])}"
        + ("; without it the graph falls apart" if one["is_cut"] else "")
        for one in document["bridges"]
    ]
    lines += [
        f"gap: {one['first'] + 1} and {one['second'] + 1}: {one['actual']} relations where "
        f"{one['expected']:.0f} would be usual"
        for one in document["gaps"]
    ]
    return "\n".join(lines) or "The graph has no relations yet: lamplight graph parse"


def merges_text(document: Document) -> str:
    if "decided" in document:
        lines = [f"Recorded: {_entry(document['decided'], document['sources'])}"]
        lines += [f"! This overrules {_entry(one, document['sources'])}" for one in document["overrules"]]
        return "\n".join(lines)
    for action, done, already in (
        ("undo", "Undone", "Was undone already"),
        ("redo", "Valid again", "Was valid already"),
    ):
        if action in document:
            said = ((done, document[action]), (already, document["already"]))
            return "\n".join(f"{word}: {', '.join(map(str, numbers))}" for word, numbers in said if numbers)
    lines = [_entry(one, document["sources"]) for one in document["merges"]] + _proposals(document)
    return "\n".join(lines) or "Nothing is merged yet: lamplight graph resolve"


def _entry(one: Document, sources: Mapping[str, str]) -> str:
    sign = {"merge": " = ", "split": " | ", "apart": " ≠ "}[one["kind"]]
    number = f"{one['id']}. " if one["id"] else ""
    said = f"{one['who']}: {one['why']}" + (f" ({one['model']})" if one["model"] else "")
    undone = ", undone" if one["undone_at"] else ""
    rest = f" | {sign.join(_member(ref, sources) for ref in one['rest'])}" if one["rest"] else ""
    members = sign.join(_member(ref, sources) for ref in one["members"])
    return printable(f"{number}{members}{rest}  [{said}{undone}]")


def _member(ref: Document, sources: Mapping[str, str]) -> str:
    return f"{ref['name']} ({ref['type']} in {sources.get(ref['source'], ref['source'])})"


def _proposals(document: Document) -> list[str]:
    lines = []
    for one in document["proposals"]:
        lines.append("? " + " ~ ".join(printable(_member(ref, document["sources"])) for ref in one["members"]))
        lines += [f"    {printable(why)}" for why in one["why"][:5]]
    return lines


def _claim(step: Document) -> str:
    sure = "" if step["confidence"] == 1 else f", {step['confidence']:.2f}"
    line = f"{step['subject']['name']} --{step['predicate']}--> {step['object']['name']} ({step['origin']}{sure})"
    return printable(line)


def _proof(evidence: Document) -> str:
    quote = " ".join(evidence["quote"].split())
    shown = quote if len(quote) <= _QUOTE else quote[: _QUOTE - 1] + "…"
    where = f"(({evidence['uid']}))" if evidence["uid"] else evidence["note"]
    line = f":{evidence['first_line']}" if evidence["first_line"] else ""
    return printable(f"“{shown}” {where}{line}")


def _name(one: Document) -> str:
    return printable(one["name"])


def _counts(value: dict[str, int]) -> str:
    return ", ".join(f"{printable(name)} {count:,}" for name, count in list(value.items())[:20])
