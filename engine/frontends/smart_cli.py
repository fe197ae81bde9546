"""Commands on vectors and models: ``verify``, ``measure``, ``connections`` and ``models``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.errors import BadRequest, EngineError
from engine.frontends import render, shapes
from engine.frontends.progress import TerminalJob
from engine.frontends.terminal import Add, open_library, out, out_json, real, say
from engine.model import ModelInfo, Verdict


def add_commands(add: Add) -> None:
    verify = add("verify", _verify)
    verify.add_argument("name", help="source; its Smart Connections index is checked too if it has one")
    verify.add_argument("--sample", type=int, default=12, metavar="N", help="notes, and passages, to embed again")

    measure = add("measure", _measure)
    measure.add_argument("name")

    connections = add("connections", _connections)
    connections.add_argument("action", choices=["search", "related", "status"])
    connections.add_argument("name", help="source")
    connections.add_argument("text", nargs="*", help="the question, or the path of a note")
    connections.add_argument("-k", type=int, default=10, metavar="N", help="note rows (default 10)")
    connections.add_argument("--min-score", type=real, default=None, metavar="X", help="leave out what scores less")
    connections.add_argument("--folder", action="append", default=None, help="only this folder (repeatable)")
    connections.add_argument("--mixed", action="store_true", help="fill gaps with Lamplight's own passages")

    models = add("models", _models)
    models.add_argument("action", nargs="?", choices=["list", "import", "download", "remove", "check"], default="list")
    models.add_argument("what", nargs="*", metavar="ARGUMENT", help="import MODEL FOLDER, download FILE, remove MODEL")
    models.add_argument("--replace", action="store_true", help="import over a model of the same name")
    models.add_argument("--agree", action="store_true", help="agree to what a download sends, without being asked")


# --- verify and measure -------------------------------------------------------------------------------------------


def _verify(args: argparse.Namespace) -> int:
    if args.sample < 1:
        raise BadRequest("--sample takes a number from 1.")
    job = TerminalJob()
    with open_library() as library:
        verdicts = library.verify(args.name, job, sample=args.sample)
    job.finish()
    if args.json:
        listed = [{**asdict(verdict), "passed": verdict.has_passed} for verdict in verdicts]
        out_json(shapes.document(verdicts=listed))
    else:
        for verdict in verdicts:
            out(verdict_text(verdict))
    return 0 if all(verdict.has_passed for verdict in verdicts) else 1


def verdict_text(verdict: Verdict) -> str:
    whose = "Smart Connections index" if verdict.index == "plugin" else "Lamplight's own index"
    if not verdict.compared:
        return f"{whose}: not verified. {render.printable(verdict.reason or 'There was nothing to compare.')}"
    return (
        f"{whose}: {'passed' if verdict.has_passed else 'FAILED'}, {verdict.compared} compared ({verdict.model})\n"
        f"  worst cosine  {verdict.worst:.5f} (must exceed {verdict.least:g}): {render.printable(verdict.worst_of)}\n"
        f"  mean cosine   {verdict.mean:.5f}\n"
        f"  length error  {verdict.norm_error:.5f} (at most 0.01)"
    )


def _measure(args: argparse.Namespace) -> int:
    job = TerminalJob()
    with open_library() as library:
        measured = library.measure_vectors(args.name, job)
    job.finish()
    if args.json:
        out_json(shapes.document(measurements=measured))
        return 0
    for one in measured:
        out("\n".join(_lines(one)))
    return 0


def _lines(values: Mapping[str, Any], indent: str = "") -> list[str]:
    """Nested values as indented lines."""
    lines: list[str] = []
    for name, value in values.items():
        shown = name.replace("_", " ")
        if isinstance(value, dict):
            lines += [f"{indent}{shown}", *_lines(value, indent + "  ")]
        else:
            lines.append(f"{indent}{shown:24} {render.printable(str(value))}")
    return lines


# --- the plugin's vectors -----------------------------------------------------------------------------------------


def _connections(args: argparse.Namespace) -> int:
    text = " ".join(args.text)
    with open_library() as library:
        if args.action == "status":
            answer = library.smart_tool(args.name, "index_status", {})
        elif args.mixed and args.action == "search":
            answer = library.search_mixed(args.name, text, limit=args.k)
        else:
            options = {"limit": args.k, "min_score": args.min_score, "folder": args.folder}
            tool, field = {"search": ("search_notes", "query"), "related": ("related_notes", "path")}[args.action]
            answer = library.smart_tool(args.name, tool, {field: text, **options})
    if args.json:
        out_json(shapes.document(answer=answer))
    elif args.action == "status":
        out("\n".join(_lines(answer)))
    else:
        out("\n".join(row_text(row) for row in answer["results"]) or "Nothing is near enough.")
    return 0


def row_text(row: Mapping[str, Any]) -> str:
    """A row of an answer: score, path, where in the note, marks, and the first line of the excerpt."""
    where = f" › {row['section']}" if row.get("section") else ""
    lines = f" ({row['lines'][0]}-{row['lines'][1]})" if row.get("lines") else ""
    marks = [mark for mark in ("pinned", "stale") if row.get(mark)] + ([row["origin"]] if "origin" in row else [])
    shown = f" [{', '.join(marks)}]" if marks else ""
    first = next((line.strip() for line in row["excerpt"].splitlines() if line.strip()), "")
    head = render.printable(f"{row['score']:.3f}  {row['path']}{where}{lines}{shown}")
    return f"{head}\n       {render.printable(first[:100])}"


# --- models -------------------------------------------------------------------------------------------------------


def _models(args: argparse.Namespace) -> int:
    actions = {"list": _list, "import": _import, "download": _download, "remove": _remove, "check": _check}
    return actions[args.action](args)


def _arguments(args: argparse.Namespace, *names: str) -> list[str]:
    if len(args.what) != len(names):
        raise BadRequest(f"Usage: lamplight models {args.action} {' '.join(names)}".rstrip())
    return list(args.what)


def _list(args: argparse.Namespace) -> int:
    _arguments(args)
    with open_library() as library:
        models = library.models()
    if args.json:
        out_json(shapes.document(models=[_shape(model) for model in models]))
        return 0
    for model in models:
        out(model_text(model))
    return 0


def _shape(model: ModelInfo) -> dict[str, Any]:
    return {**asdict(model), "languages": sorted(model.languages), "used_by": list(model.used_by)}


def model_text(model: ModelInfo) -> str:
    size = f", {render.size_words(model.bytes_on_disk)}" if model.bytes_on_disk else ""
    languages = ", ".join(sorted(model.languages)) or "many languages"
    lines = [
        f"{model.id} ({'here' if model.is_here else 'not on this machine'}{size})",
        f"  {model.name}, {model.licence or 'licence not known'}, {model.dimensions} numbers, {languages}",
    ]
    if model.note:
        lines.append(f"  {model.note}")
    if model.used_by:
        lines.append(f"  used by {', '.join(map(render.printable, model.used_by))}")
    return "\n".join(lines)


def _import(args: argparse.Namespace) -> int:
    from engine.inference.model_folders import import_folder
    from engine.paths import find_home

    model_id, folder = _arguments(args, "MODEL", "FOLDER")
    return _report(args, import_folder(find_home(), Path(folder).expanduser(), model_id, replace=args.replace))


def _report(args: argparse.Namespace, model: ModelInfo) -> int:
    if args.json:
        out_json(shapes.document(model=_shape(model)))
    else:
        out(f"Taken in and tried out:\n{model_text(model)}\n  SHA-256 {model.sha256}")
    return 0


def _download(args: argparse.Namespace) -> int:
    from engine.paths import find_home
    from engine.upkeep.models import fetch_model, read_offer

    (path,) = _arguments(args, "FILE")
    file = Path(path).expanduser()
    offer = read_offer(file)
    where = ", ".join(offer.hosts)
    say(f"{offer.name}, {offer.licence or 'licence not known'}, {render.size_words(offer.bytes)}, from {where}.")
    say(offer.leaves)
    if not args.agree and not _is_agreed():
        raise EngineError("Nothing was downloaded.", "Answer yes, or add --agree.")
    job = TerminalJob()
    model = fetch_model(find_home(), file, job, replace=args.replace)
    job.finish()
    return _report(args, model)


def _is_agreed() -> bool:
    """The person's own yes; a program that pipes nothing in has not agreed."""
    if not sys.stdin.isatty():
        return False
    say("Download it? Type yes:")
    return sys.stdin.readline().strip().casefold() == "yes"


def _remove(args: argparse.Namespace) -> int:
    from engine.inference.model_folders import remove_folder
    from engine.paths import find_home

    (model_id,) = _arguments(args, "MODEL")
    remove_folder(find_home(), model_id)
    if args.json:
        out_json(shapes.document(removed=model_id))
    else:
        out(f"Removed the files of {render.printable(model_id)}.")
    return 0


def _check(args: argparse.Namespace) -> int:
    from engine.inference.model_folders import check_files
    from engine.paths import find_home

    (model_id,) = _arguments(args, "MODEL")
    damaged = check_files(find_home(), model_id)
    if args.json:
        out_json(shapes.document(damaged=list(damaged)))
    else:
        out("Damaged: " + ", ".join(damaged) if damaged else "Every file is as it was taken in.")
    return 1 if damaged else 0
