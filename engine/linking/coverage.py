"""How much of a source the graph covers: notes that were parsed, passages that models have read, and what that took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.job import Job
from engine.linking.extract import PROMPT, qualifying, user_text
from engine.model import Choice
from engine.store.index import IndexStore
from engine.store.replies import ReplyStore, reply_key


@dataclass(frozen=True, slots=True)
class Coverage:
    notes: int
    parsed: int
    """Notes whose links, tags and attributes are in the graph."""
    passages: int
    """Those that could state a fact."""
    read: int
    """Of these, those that some of the asked models has answered about."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What the answers of a model that are kept have taken. An answer that could not be used is not kept."""

    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float


def coverage(store: IndexStore, replies: ReplyStore, models: Sequence[str], job: Job) -> Coverage:
    texts = {user_text(row.passage) for place in qualifying(store, Choice()) for row in place}
    read: set[str] = set()
    for model in models:
        job.check()
        keys = {reply_key(model, PROMPT.version, text): text for text in texts - read}
        read |= {keys[key] for key in replies.get(list(keys))}
    return Coverage(len(store.notes()), len(store.graph.stamps()), len(texts), len(read))


def spent(replies: ReplyStore, model: str) -> Spent:
    """On reading facts out of passages, in all."""
    sample = replies.sample(model, PROMPT.version)
    if sample is None:
        return Spent(0, 0, 0, 0.0)
    calls = sample.calls
    return Spent(calls, round(calls * sample.tokens_in), round(calls * sample.tokens_out), calls * sample.seconds)
