"""Measures a graph: by itself, and against gold labels when there are any.

A gold folder holds ``gold.json``: ``extraction`` (subject, predicate, object, block_uid), ``resolution`` (lists of
names that mean one thing) and ``questions`` (question, expects, hops).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import BadRequest
from engine.job import Job
from engine.knowledge import metrics
from engine.knowledge.facts import Fact, slug
from engine.knowledge.graph import KnowledgeGraph
from engine.linking.graph import LoadedFacts
from engine.model import GraphAnswer, Origin

GOLD_FILE = "gold.json"

Answering = Callable[[str, int], GraphAnswer]
"""(question, hops) -> the answer."""


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    expects: tuple[str, ...]
    """Words that a right answer holds; none when the notes cannot answer it."""
    hops: int


@dataclass(frozen=True, slots=True)
class Gold:
    facts: tuple[tuple[metrics.Triple, str], ...] = ()
    """With the uid of the block that states it."""
    groups: tuple[tuple[str, ...], ...] = ()
    questions: tuple[Question, ...] = ()


def read_gold(folder: Path) -> Gold:
    """The labels in a folder. Raises ``BadRequest`` naming what is wrong with them."""
    file = folder / GOLD_FILE
    try:
        values = json.loads(file.read_text("utf-8"))
        return Gold(
            facts=tuple((_triple(one), str(one["block_uid"])) for one in values.get("extraction", ())),
            groups=tuple(tuple(str(name) for name in group) for group in values.get("resolution", ())),
            questions=tuple(
                Question(str(one["question"]), tuple(map(str, one.get("expects", ()))), int(one.get("hops", 2)))
                for one in values.get("questions", ())
            ),
        )
    except OSError as error:
        raise BadRequest(f"'{file}' cannot be read ({error.strerror}).", "Name a folder with a gold.json.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadRequest(
            f"'{file}' does not hold gold labels ({error}).", "It has: extraction, resolution, questions."
        ) from error


def evaluate(
    graph: KnowledgeGraph,
    loaded: LoadedFacts,
    job: Job,
    *,
    gold: Gold | None = None,
    answering: Answering | None = None,
) -> dict[str, Any]:
    """All that can be measured, as a JSON-compatible document: ``provenance`` and ``links`` always; with ``gold``
    ``extraction``, ``extraction_without_predicate`` and ``resolution``; with ``answering`` also ``grounding``."""
    document: dict[str, Any] = {
        "provenance": _record(metrics.provenance(loaded.things, loaded.names, loaded.facts)),
        "links": _record(metrics.link_baseline(graph)),
    }
    if gold is None:
        return document
    found, wanted = _compared(loaded.facts, gold)
    document["extraction"] = _record(metrics.score(found, wanted))
    ends = metrics.without_predicate
    document["extraction_without_predicate"] = _record(metrics.score(ends(found), ends(wanted)))
    document["resolution"] = _record(metrics.resolution(found_groups(graph, gold.groups), gold.groups))
    if answering is not None:
        document |= _answers(gold.questions, answering, job)
    return document


def _compared(facts: Sequence[Fact], gold: Gold) -> tuple[set[metrics.Triple], set[metrics.Triple]]:
    """What models read in the labelled blocks, and what is to be read there. Other blocks have no labels to count."""
    blocks = {uid for _, uid in gold.facts}
    inferred = (fact for fact in facts if fact.evidence.origin is Origin.INFERRED)
    found = {_plain(f.subject.name, f.predicate, f.object.name) for f in inferred if f.evidence.anchor.uid in blocks}
    return found, {triple for triple, _ in gold.facts}


def found_groups(graph: KnowledgeGraph, gold: Sequence[Sequence[str]]) -> list[list[str]]:
    """The labelled names as the graph groups them; a name that it does not know stands alone."""
    groups: dict[str, list[str]] = {}
    for name in (name for group in gold for name in group):
        entities = graph.find(name)
        groups.setdefault(entities[0].id if entities else f"?{name}", []).append(name)
    return list(groups.values())


def _answers(questions: Sequence[Question], answering: Answering, job: Job) -> dict[str, Any]:
    answers = []
    for done, question in enumerate(questions):
        job.check()
        job.report("questions", done, len(questions))
        answers.append(answering(question.text, question.hops))
    rows = [
        {
            "question": question.text,
            "expects": list(question.expects),
            "answer": answer.text,
            "sufficient": answer.is_sufficient,
            "missing": answer.missing,
            "citations": [one.number for one in answer.citations],
            "invalid_citations": list(answer.invalid_citations),
        }
        for question, answer in zip(questions, answers, strict=True)
    ]
    measured = metrics.grounding(answers, [question.expects for question in questions])
    return {"grounding": _record(measured), "answers": rows}


def _triple(value: Mapping[str, Any]) -> metrics.Triple:
    return _plain(str(value["subject"]), str(value["predicate"]), str(value["object"]))


def _plain(subject: str, predicate: str, object_: str) -> metrics.Triple:
    return metrics.plain_name(subject), slug(predicate), metrics.plain_name(object_)


def _record(value: Any) -> dict[str, Any]:
    return dataclasses.asdict(value)
