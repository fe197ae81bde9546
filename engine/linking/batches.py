"""Several passages in one question to a model, each answered as if it had been asked about alone.

What a model says of a passage is kept under that passage's own question: stopping, starting again and other choices of
passages cost nothing, however they were put together. An answer that is not whole decides nothing; the passages are
then asked about in smaller groups.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.job import Job
from engine.linking.cached_chat import CachedChat, Prompt
from engine.linking.replies import UnreadableReply, objects
from engine.model import SourceId
from engine.net.chat import MAX_TOKENS
from engine.prompts import extract as prompt
from engine.store.replies import CachedReply

PROMPT = Prompt(prompt.VERSION, prompt.SYSTEM_TOGETHER, "read facts out of passages", prompt.SCHEMA_TOGETHER)
MOST = 8
"""Passages asked about at once: what they state has to fit into one answer."""
MOST_TOKENS = 3000
"""Tokens of passages at once; models overlook more in longer texts."""


@dataclass(frozen=True, slots=True)
class Room:
    """What one question may hold."""

    passages: int = 1
    tokens: int = MOST_TOKENS


def count_tokens(text: str) -> int:
    """About as many tokens as common models make of a text: one for four ASCII characters, more for other scripts."""
    ascii_ = sum(1 for character in text if character.isascii())
    return -(-ascii_ // 4) + -(-3 * (len(text) - ascii_) // 4)


def room_of(context: int, most: int = 0) -> Room:
    """What a model with ``context`` tokens can be asked at once, besides the rules and its longest answer; one passage
    when its context is not known. ``most``: passages that the owner allows; 0 leaves it open."""
    tokens = min(MOST_TOKENS, context - count_tokens(prompt.SYSTEM_TOGETHER) - MAX_TOKENS)
    return Room(max(1, min(most or MOST, MOST)), tokens) if tokens > 0 else Room()


def grouped(texts: Sequence[str], room: Room) -> list[tuple[str, ...]]:
    """The texts in their order, as many together as there is room for; one at least."""
    groups: list[list[str]] = []
    left = 0
    for text in texts:
        size = count_tokens(text)
        if not groups or len(groups[-1]) >= room.passages or size > left:
            groups.append([])
            left = room.tokens
        groups[-1].append(text)
        left -= size
    return [tuple(group) for group in groups]


def ask_together(
    chat: CachedChat, kept_as: Prompt, texts: Sequence[str], job: Job, source: SourceId
) -> dict[str, CachedReply]:
    """Ask about several passages at once, and keep each one's part as the reply to it alone (``kept_as``).

    Raises ``UnreadableReply`` when the answer is not whole, and what ``ChatApi.ask`` raises; then nothing is kept.
    """
    answer = chat.ask(PROMPT, prompt.together(texts), job)
    if answer.is_cut:
        raise UnreadableReply("The model had more to say than one answer holds.")
    parts = split_reply(answer.text, texts)
    sizes = [count_tokens(text) for text in texts]
    found = {}
    for text, facts, size in zip(texts, parts, sizes, strict=True):
        said = json.dumps({"facts": facts}, ensure_ascii=False)
        share = size / sum(sizes)
        found[text] = chat.keep(
            kept_as,
            text,
            said,
            (round(answer.tokens_in * share), round(answer.tokens_out / len(texts)), answer.seconds / len(texts)),
            source,
        )
    return found


def split_reply(reply: str, texts: Sequence[str]) -> list[list[Mapping[str, Any]]]:
    """The facts in a reply to several passages, by passage. A fact belongs to the passage of its number; when its quote
    does not stand there but in one other alone, to that one: the quote proves more than the number."""
    listed = next((one["facts"] for one in objects(reply) if isinstance(one.get("facts"), list)), None)
    if listed is None:
        raise UnreadableReply("The model did not answer with a list of facts.", "Try a larger model.")
    bodies = [_plain(text) for text in texts]
    parts: list[list[Mapping[str, Any]]] = [[] for _ in texts]
    for entry in listed:
        if isinstance(entry, Mapping):
            parts[_home(entry, bodies)].append({name: entry[name] for name in entry if name != "passage"})
    return parts


def _home(entry: Mapping[str, Any], bodies: Sequence[str]) -> int:
    number = entry.get("passage")
    told = number - 1 if isinstance(number, int) and 0 < number <= len(bodies) else -1
    quote = _plain(str(entry.get("quote") or ""))
    holding = [at for at, body in enumerate(bodies) if quote and quote in body]
    if told not in holding and len(holding) == 1:
        return holding[0]
    return max(told, 0)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
