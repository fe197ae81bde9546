"""The commands of the graph that may ask a language model: plain options in, one JSON-compatible document out.

Everything else is passed on to ``commands.py``. A model is asked only when the options of the command say so.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from engine.job import Job
from engine.linking import commands
from engine.linking.arbitrate import arbiter
from engine.linking.ask import HOPS, ask
from engine.linking.batches import room_of
from engine.linking.cached_chat import CachedChat
from engine.linking.commands import Desk, Document
from engine.linking.coverage import coverage, spent
from engine.linking.estimate import estimate
from engine.linking.evaluate import evaluate, read_gold
from engine.linking.export import entity_record, evidence_record, relation_record
from engine.linking.extract import extract
from engine.linking.graph import load_facts
from engine.linking.models import ChosenModel, choose_model, keep_key, matching, open_server
from engine.linking.options import Options, whole
from engine.model import Choice, Citation, GraphAnswer, Hit, NoteKey, SearchRequest, SearchResult, SourceId
from engine.net.client import Client
from engine.store.replies import ReplyStore

_OPERATORS = re.compile(r"[\"():|*~]|(?<!\w)-")
"""Signs that a search takes for operators; a question is nothing but words."""

Titles: TypeAlias = Mapping[tuple[SourceId, NoteKey], str]


@dataclass(frozen=True, slots=True)
class ModelDesk:
    """What these commands work with, beside ``Desk``."""

    client: Client
    replies: Callable[[], ReplyStore]
    search: Callable[[SearchRequest], SearchResult]


def run(desk: Desk, models: ModelDesk, verb: str, options: Options, job: Job) -> Document:
    """Raises ``BadRequest`` for an unknown verb, and what the verb raises."""
    if verb == "resolve" and options.get("model"):
        return commands.resolve_names(desk, options, job, arbiter(_chat(models, _chosen(models, options)), job))
    if verb in VERBS:
        return VERBS[verb](desk, models, options, job)
    return commands.run(desk, verb, options, job)


def _chosen(models: ModelDesk, options: Options) -> ChosenModel:
    api = open_server(models.client, str(options.get("server") or ""))
    return choose_model(api, str(options.get("model") or ""))


def _chat(models: ModelDesk, chosen: ChosenModel) -> CachedChat:
    return CachedChat(chosen.api, models.replies(), chosen.offer.name)


def _sources(options: Options) -> tuple[str, ...]:
    return tuple(options.get("sources") or ())


# --- extract ------------------------------------------------------------------------------------------------------


def _extract(desk: Desk, models: ModelDesk, options: Options, job: Job) -> Document:
    chosen = _chosen(models, options)
    chat = _chat(models, chosen)
    subtree, folder, tag = (str(options.get(name) or "") for name in ("subtree", "folder", "tag"))
    choice = Choice(subtree, folder, tag, _limit(options))
    server = chosen.api.server
    room = room_of(chosen.offer.context, _at_once(options))
    document: Document = {"model": chosen.offer.name, "server": server.title, "dry_run": bool(options.get("dry_run"))}
    reports = []
    for source, store in desk.opened(_sources(options)):
        if options.get("dry_run"):
            told: Any = estimate(
                store,
                source,
                chat,
                job,
                choice,
                offer=chosen.offer,
                server=server.title,
                measure=server.is_local,
                room=room,
            )
        else:
            told = extract(store, source, chat, job, choice, room=room)
        reports.append({"name": source.name, **dataclasses.asdict(told)})
    return document | {"reports": reports}


def _limit(options: Options) -> int:
    return whole(options, "limit", 0)


def _at_once(options: Options) -> int:
    return whole(options, "at_once", 0)


# --- ask ----------------------------------------------------------------------------------------------------------


def _ask(desk: Desk, models: ModelDesk, options: Options, job: Job) -> Document:
    hops = whole(options, "hops", HOPS)
    return answer_record(_answering(desk, models, options, job)(str(options.get("question") or ""), hops))


def _answering(desk: Desk, models: ModelDesk, options: Options, job: Job) -> Callable[[str, int], GraphAnswer]:
    """Answers questions over the chosen sources; by a model when the options name one."""
    names = _sources(options)
    chat = _chat(models, _chosen(models, options)) if options.get("model") or options.get("server") else None
    graph = desk.graph(names)
    titles = _titles(desk, names)

    def search(question: str, limit: int) -> list[Hit]:
        found = models.search(SearchRequest(_OPERATORS.sub(" ", question), sources=names, limit=limit))
        return [hit for row in found.rows for hit in row.hits][:limit]

    return lambda question, hops: ask(question, graph, search, job, chat=chat, titles=titles, hops=hops)


def _titles(desk: Desk, names: tuple[str, ...]) -> Titles:
    return {(source.id, note.key): note.title for source, store in desk.opened(names) for note in store.notes()}


def answer_record(answer: GraphAnswer) -> Document:
    return {
        "question": answer.question,
        "answer": answer.text,
        "sufficient": answer.is_sufficient,
        "missing": answer.missing,
        "sentences": [
            {"text": one.text, "citations": list(one.citations), "supported": one.is_supported}
            for one in answer.sentences
        ],
        "citations": [citation_record(one) for one in answer.citations],
        "invalid_citations": list(answer.invalid_citations),
        "looked_for": list(answer.looked_for),
        "evidence": [citation_record(one) for one in answer.evidence],
        "entities": [entity_record(one) for one in answer.entities],
        "relations": [relation_record(one) for one in answer.relations],
        "model": answer.model,
        "prompt_version": answer.prompt_version,
        "notices": list(answer.notices),
        "seconds": answer.seconds,
    }


def citation_record(citation: Citation) -> Document:
    return {
        "number": citation.number,
        "title": citation.title,
        "statement": citation.statement,
        "relation": citation.relation,
        **evidence_record(citation.evidence),
    }


# --- models and measures ------------------------------------------------------------------------------------------


def _models(desk: Desk, models: ModelDesk, options: Options, job: Job) -> Document:
    if options.get("key") is not None:
        keep_key(str(options["key"]))
    api = open_server(models.client, str(options.get("server") or ""))
    found = matching(api.models(job), str(options.get("match") or ""))
    return {"server": api.server.title, "models": [dataclasses.asdict(one) for one in found]}


def _eval(desk: Desk, models: ModelDesk, options: Options, job: Job) -> Document:
    names = _sources(options)
    gold = read_gold(Path(str(options["gold"]))) if options.get("gold") else None
    answering = _answering(desk, models, options, job) if gold and gold.questions else None
    return evaluate(desk.graph(names), load_facts(desk.opened(names)), job, gold=gold, answering=answering)


def _coverage(desk: Desk, models: ModelDesk, options: Options, job: Job) -> Document:
    """Of each source, and the models that are asked about: those that the graph names when none is given."""
    names = _sources(options)
    said = {proof.model for one in desk.graph(names).relations for proof in one.evidence if proof.model}
    asked = sorted(options.get("models") or said)
    found = [
        {"name": source.name, **dataclasses.asdict(coverage(store, models.replies(), asked, job))}
        for source, store in desk.opened(names)
    ]
    return {"sources": found, "models": asked}


def _spent(desk: Desk, models: ModelDesk, options: Options, job: Job) -> Document:
    return dataclasses.asdict(spent(models.replies(), str(options["model"])))


VERBS: dict[str, Callable[[Desk, ModelDesk, Options, Job], Document]] = {
    "extract": _extract,
    "ask": _ask,
    "models": _models,
    "eval": _eval,
    "coverage": _coverage,
    "spent": _spent,
}
