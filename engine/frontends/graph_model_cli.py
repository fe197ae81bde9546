"""The commands of the graph that may ask a language model: ``lamplight graph extract|ask|eval|models``.

A model on this machine is used unless ``--server`` names another; OpenRouter only when it is switched on.
"""

from __future__ import annotations

import argparse
import getpass
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from engine.frontends.render import one_line, printable, printable_text

if TYPE_CHECKING:
    _Commands = argparse._SubParsersAction[argparse.ArgumentParser]

Document = dict[str, Any]
Verb = Callable[["_Commands", str, str, Callable[[Document], str]], argparse.ArgumentParser]

_MILLION = 1_000_000
_SHOWN = 30
_WIDTH = 160


def add_commands(verbs: _Commands, verb: Verb) -> None:
    """Register the commands; ``verb`` makes one as the graph's other commands are made."""
    extract = verb(verbs, "extract", "let a model read facts out of passages, each with its quote", extract_text)
    _modelled(extract)
    extract.add_argument(
        "--dry-run", action="store_true", help="say what it would take; only a local model is tried, on three passages"
    )
    extract.add_argument("--subtree", default="", metavar="NOTE|UID", help="only this note, or this block and below")
    extract.add_argument("--folder", default="", help="only notes in this folder")
    extract.add_argument("--tag", default="", help="only notes and passages with this tag")
    extract.add_argument("--limit", type=int, default=None, metavar="N", help="at most so many passages")
    extract.add_argument(
        "--at-once",
        type=int,
        default=None,
        metavar="N",
        help="at most so many passages in one call (default: as many as the model's context allows, up to 8)",
    )

    ask = verb(verbs, "ask", "answer a question from your notes, every sentence with its source", ask_text)
    ask.add_argument("question")
    _modelled(ask, "without a model the answer is made of the notes' own sentences")
    ask.add_argument("--hops", type=int, default=2, metavar="N", help="how far to go from what the question names")

    models = verb(verbs, "models", "list the language models that can be used, cheapest first", models_text)
    _served(models)
    models.add_argument("--match", default="", metavar="WORDS", help="only models whose name holds these words")
    models.add_argument("--key", action=_AskForKey, nargs=0, help="store the key for OpenRouter (asked for)")

    measure = verb(verbs, "eval", "measure the graph: proof, links, and against gold labels", eval_text)
    _modelled(measure, "without a model questions are answered by the notes' own sentences")
    measure.add_argument("--gold", default="", type=_absolute, metavar="DIR", help="folder with a gold.json")


class _AskForKey(argparse.Action):
    """Reads a key without showing it: an argument would stay in the history of the shell."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, *rest: object) -> None:
        key = getpass.getpass("Key: ") if sys.stdin.isatty() else sys.stdin.readline()
        setattr(namespace, self.dest, key.strip())


def _absolute(text: str) -> str:
    """The process that reads may work in another folder."""
    from pathlib import Path

    return str(Path(text).expanduser().absolute()) if text else ""


def _served(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--server", default="", metavar="URL|openrouter", help="default: the first that answers on this machine"
    )


def _modelled(parser: argparse.ArgumentParser, note: str = "not needed when the server has one") -> None:
    parser.add_argument("--model", default="", help=f"name of the language model ({note})")
    _served(parser)


# --- text ---------------------------------------------------------------------------------------------------------


def extract_text(document: Document) -> str:
    head = f"{printable(document['model'])} at {printable(document['server'])}"
    shape = _estimate_lines if document["dry_run"] else _report_lines
    return "\n".join([head, *(line for one in document["reports"] for line in shape(one))])


def _estimate_lines(one: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{printable(one['name'])}: {one['passages']:,} passages, {one['cached']:,} answered before, "
        f"{one['calls']:,} calls, about {one['tokens_in']:,} tokens in and {one['tokens_out']:,} out"
    ]
    if one["price"] is not None:
        lines.append(f"  about {_dollars(one['price'])} by the provider's price list of this moment")
    if one["seconds"] is not None:
        lines.append(f"  about {_duration(one['seconds'])}, measured on {one['sample']:,} calls")
    return lines


def _report_lines(one: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{printable(one['name'])}: {one['outcome']}; {one['passages']:,} passages, {one['called']:,} asked in "
        f"{one['calls']:,} calls, {one['cached']:,} known, {one['facts']:,} facts, {one['written']:,} places changed, "
        f"{one['tokens_in']:,} tokens in, {one['tokens_out']:,} out, {_duration(one['seconds'])}"
    ]
    lines += [f"  not taken: {count:,} × {reason}" for reason, count in one["refused"].items()]
    lines += [f"  no answer: {printable(p['note'])}: {one_line(p['reason'])}" for p in one["problems"][:_SHOWN]]
    more = len(one["problems"]) - _SHOWN
    return [*lines, f"  and {more:,} more"] if more > 0 else lines


def ask_text(document: Document) -> str:
    lines = [f"! {printable(notice)}" for notice in document["notices"]]
    if document["sufficient"]:
        lines += [printable_text(document["answer"]), ""]
        lines += [_source_line(one) for one in document["citations"]]
    else:
        lines += [printable_text(document["missing"]), f"Looked for: {printable(', '.join(document['looked_for']))}"]
    if document["invalid_citations"]:
        numbers = ", ".join(str(number) for number in document["invalid_citations"])
        lines.append(f"! The model cited evidence that does not exist: {numbers}")
    return "\n".join(lines)


def _source_line(one: Mapping[str, Any]) -> str:
    quote = " ".join(one["quote"].split())
    shown = quote if len(quote) <= _WIDTH else quote[: _WIDTH - 1] + "…"
    where = f" (({one['uid']}))" if one["uid"] else f":{one['first_line']}" if one["first_line"] else ""
    return printable(f"[{one['number']}] {one['title']}{where}: “{shown}”")


def models_text(document: Document) -> str:
    lines = [f"{printable(document['server'])}: {len(document['models']):,} models"]
    for one in document["models"]:
        known = one["price_in"] is not None and one["price_out"] is not None
        price = f"${one['price_in'] * _MILLION:g} in, ${one['price_out'] * _MILLION:g} out per million" if known else ""
        context = f"{one['context']:,} tokens" if one["context"] else ""
        lines.append("  ".join(part for part in (printable(one["name"]), price, context) if part))
    return "\n".join(lines)


def eval_text(document: Document) -> str:
    lines = []
    for title, values in document.items():
        if isinstance(values, dict):
            lines.append(title.replace("_", " "))
            lines += [f"  {name.replace('_', ' '):<28} {_number(value)}" for name, value in values.items()]
    for one in document.get("answers", ()):
        said = one["answer"] if one["sufficient"] else f"– {one['missing']}"
        lines += [f"? {printable(one['question'])}", f"  {one_line(said)}"]
    return "\n".join(lines)


def _number(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else f"{value}"


def _dollars(price: float) -> str:
    return f"${price:.2f}" if price >= 0.01 else f"${price:.4f}"


def _duration(seconds: float) -> str:
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"
