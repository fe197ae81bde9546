"""Answers a question from the notes: evidence is gathered and numbered, a model may put it into words, all is checked.

Without a model the answer is made of the notes' own sentences, with the same citations. With too little evidence it
says what was looked for and nothing else.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence

from engine.errors import BadRequest, EngineError
from engine.job import Job
from engine.knowledge.graph import KnowledgeGraph
from engine.linking import answers
from engine.linking.cached_chat import CachedChat, Prompt
from engine.linking.evidence import Found, as_text, gather
from engine.model import GraphAnswer, Hit, NoteKey, SourceId
from engine.prompts import query as prompt
from engine.text import words

PROMPT = Prompt(prompt.VERSION, prompt.SYSTEM, "answer a question from notes")
LONGEST_QUESTION = 500
HOPS = 2
PASSAGES = 10
"""Passages that search adds to the sub-graph."""

Search = Callable[[str, int], Sequence[Hit]]
"""(question, how many) -> the best passages, best first."""


def ask(
    question: str,
    graph: KnowledgeGraph,
    search: Search,
    job: Job,
    *,
    chat: CachedChat | None = None,
    titles: Mapping[tuple[SourceId, NoteKey], str] | None = None,
    hops: int = HOPS,
) -> GraphAnswer:
    """The answer with its citations and the sub-graph used. ``titles``: of notes, for showing. While a model writes,
    ``job`` reports the stage ``answer`` with what it has written so far.

    Raises ``BadRequest`` for an empty or overlong question. A model that fails costs the answer its own words, not its
    evidence: then the notes' own sentences are given, with a notice.
    """
    started = time.monotonic()
    asked = " ".join(question.split())
    if not asked or len(asked) > LONGEST_QUESTION:
        raise BadRequest(f"A question has 1 to {LONGEST_QUESTION} characters, not {len(asked)}.")
    job.report("ask", 0)
    hits = list(search(asked, PASSAGES))
    job.check()
    found = gather(asked, graph, hits, titles or {}, max(1, min(4, hops)))
    answer = _base(asked, graph, found)
    if found.evidence:
        answer = _in_own_words(answer) if chat is None else _by_model(answer, chat, job)
    return dataclasses.replace(answer, seconds=round(time.monotonic() - started, 3))


def _base(question: str, graph: KnowledgeGraph, found: Found) -> GraphAnswer:
    ends = dict.fromkeys(end for relation in found.relations for end in (relation.subject, relation.object))
    used = dict.fromkeys([*(seed.id for seed in found.seeds), *ends])
    named = words.fold(" ".join(seed.name for seed in found.seeds))
    asked = (word.word for word in words.query_words(question) if not word.is_stop and word.word.isalnum())
    return GraphAnswer(
        question,
        "",
        missing="Nothing in the notes speaks of this.",
        looked_for=tuple(
            dict.fromkeys([*(seed.name for seed in found.seeds), *(word for word in asked if word not in named)])
        ),
        entities=tuple(graph.entities[one] for one in used),
        relations=found.relations,
        evidence=found.evidence,
    )


def _in_own_words(answer: GraphAnswer) -> GraphAnswer:
    """The answer made of quotes; with too little in them, what is near is left as evidence and nothing is said."""
    sentences, is_enough = answers.extractive(answer.question, answer.evidence)
    if not is_enough:
        return dataclasses.replace(answer, missing="The notes do not say enough about this.")
    return dataclasses.replace(
        answer,
        text=answers.marked(sentences),
        sentences=sentences,
        citations=answers.cited(sentences, answer.evidence),
        is_sufficient=True,
        missing="",
    )


def _by_model(answer: GraphAnswer, chat: CachedChat, job: Job) -> GraphAnswer:
    text = prompt.user_text(answer.question, [as_text(one) for one in answer.evidence])

    def read(reply: str) -> answers.ReadAnswer:
        return answers.read_answer(reply, answer.question, answer.evidence)

    pieces: list[str] = []

    def show(piece: str) -> None:
        pieces.append(piece)
        job.report("answer", len(pieces), detail="".join(pieces))

    try:
        said = chat.say(PROMPT, text, read, job, on_text=show)
        found = read(said.reply.text)
    except EngineError as error:
        notice = f"The model could not be used, so these are the notes' own sentences. {error}"
        return dataclasses.replace(_in_own_words(answer), notices=(notice,))
    by_model = dataclasses.replace(
        answer, model=chat.model, prompt_version=PROMPT.version, invalid_citations=found.invalid
    )
    if found.missing is not None:
        return dataclasses.replace(by_model, missing=found.missing or "The notes do not say enough about this.")
    if not any(sentence.is_supported for sentence in found.sentences):
        return dataclasses.replace(
            by_model,
            missing="The model's answer is not supported by the notes, so it is not shown.",
            sentences=found.sentences,
        )
    return dataclasses.replace(
        by_model,
        text=answers.marked(found.sentences),
        sentences=found.sentences,
        citations=answers.cited(found.sentences, answer.evidence),
        is_sufficient=True,
        missing="",
    )
